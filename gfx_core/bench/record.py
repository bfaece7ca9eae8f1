"""Benchmark records on disk: what was measured, with what, and when."""

import json
import os
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.provenance import provenance

RESULTS = ASSETS / "results"


def save_result(name: str, record: dict[str, Any], folder: Path | None = None) -> Path:
    """Write a record as JSON and return its path; an existing one is replaced only once the new one is whole."""
    path = (folder or RESULTS) / f"{name}.json"
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            file.write(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise UserError(f"The result cannot be written to {path.parent}: choose another folder with --out.") from error
    return path


def made_with(device: str) -> dict[str, Any]:
    """The part of a record that says on what and with what it was measured."""
    return {"made": provenance(device) | {"cpu_cores": os.cpu_count()}}
