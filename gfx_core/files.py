"""Tensors on disk: safetensors with one JSON header, written whole or not at all, read without pickle."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gfx_core.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

_KEY = "gfx"
DIGITS = 24
"""Of the name of a file that is named by what is in it."""


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, which change when it is replaced; zeros if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def fingerprint(path: Path) -> str:
    """Tells the tensors of a file from any others, whatever its header says; without torch. Empty if it is not there.

    The same tensors are always written in the same order, so the bytes after the header are what counts.
    """
    return _fingerprint(path, stamp(path))


@lru_cache(maxsize=64)
def _fingerprint(path: Path, version: tuple[int, int]) -> str:
    try:
        content = path.read_bytes()
    except OSError:
        return ""
    header = int.from_bytes(content[:8], "little")
    return hashlib.sha256(content[8 + header :]).hexdigest()[:32]


def digest_of(data: bytes) -> str:
    """The name of a file by what is in it."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def checked_digest(name: str) -> str:
    """Such a name as it is written; ``UserError`` if it can be none."""
    text = name.strip().lower()
    if len(text) != DIGITS or not set(text) <= set("0123456789abcdef"):
        raise UserError(f"“{name[:60]}” names nothing that is kept here: such a name has {DIGITS} digits from 0 to f.")
    return text


def read_json_header(path: Path, advice: str) -> dict[str, Any]:
    """The JSON header of a file, without torch.

    Args:
        path: The file.
        advice: A sentence on what to do if it is missing or broken.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise UserError(f"There is no file {path}. {advice}")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise UserError(f"{path.name} is not a whole safetensors file (cut off?). {advice}") from error
    try:
        header = json.loads(metadata[_KEY])
    except (KeyError, json.JSONDecodeError) as error:
        raise UserError(f"{path.name} holds weights but none of ours (no valid header). {advice}") from error
    if not isinstance(header, dict):
        raise UserError(f"{path.name} holds weights but none of ours (no valid header). {advice}")
    return header


def write_tensors(path: Path, tensors: "dict[str, Tensor]", header: dict[str, Any]) -> None:
    """Write tensors and their header; an existing file is replaced only once the new one is whole."""
    from safetensors.torch import save_file

    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
        save_file(plain, part, metadata={_KEY: json.dumps(header)})
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        raise UserError(f"The file cannot be written to {path.parent}: choose another folder.") from error


def write_text(path: Path, text: str) -> None:
    """Write a text; an existing file is replaced only once the new one is whole."""
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UserError(f"The file cannot be written to {path.parent}: choose another folder.") from error


def read_tensors(path: Path) -> "dict[str, Tensor]":
    """The tensors of a file whose header was read before."""
    from safetensors.torch import load_file

    return load_file(path)
