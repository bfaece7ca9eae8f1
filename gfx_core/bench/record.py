"""Benchmark records on disk: what was measured, with what, and when."""

import json
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.provenance import provenance

RESULTS = ASSETS / "results"


def save_result(name: str, record: dict[str, Any], folder: Path | None = None) -> Path:
    """Write a record as JSON and return its path."""
    path = (folder or RESULTS) / f"{name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"The result cannot be written to {path.parent}: choose another folder with --out.") from error
    return path


def made_with(device: str) -> dict[str, Any]:
    """The part of a record that says on what and with what it was measured."""
    import os

    return {"made": provenance(device) | {"cpu_cores": os.cpu_count()}}
