"""Data sets that visitors upload: saved in the folder of their visit, accepted, removed. Needs no torch.

The server has a private folder with one folder in it for each visit, which workers know from the environment. Names and
files of data sets are those of `gfx_core.datasets.uploads`.
"""

import os
import re
import shutil
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec
import numpy as np
import safetensors.numpy

from gfx_core import limits
from gfx_core.datasets import uploads
from gfx_core.datasets.graph import GraphDataset
from gfx_core.errors import UserError
from gfx_core.files import UnwrittenError, replacing
from gfx_core.storage import digest_of, make_folder

PREFIX = "gfx-own-"
"""Begins the name of the server's folder."""
_ACCEPTED = "accepted"
_INFO = ("task", "title", "description", "classes", "citation", "marked")
_ARRAYS = ("x", "edge_index", "y", "motif", "edge_motif", "ptr")
_TEXTS = ("node_texts", "node_notes", "node_attributes")


# Folders


def open_store() -> Path:
    """The folder of this server, made at the first call; folders that killed servers left are removed."""
    folder = uploads.root()
    if folder is None:
        folder = make_folder(PREFIX)
        os.environ[uploads.FOLDER] = str(folder)
    return folder


def new_visit() -> str:
    """A name for a visit that cannot be guessed."""
    return token_hex(8)


def room(visit: str) -> Path:
    """The folder of a visit."""
    folder = open_store() / visit
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def check_room(size: int) -> None:
    """Refuse so many bytes more if all visitors together would have too many."""
    used = sum(file.stat().st_size for file in open_store().rglob("*") if file.is_file())
    if used + size > limits.MAX_ALL_BYTES:
        raise UserError("The uploads of all visitors fill the space of this server: try again later.")


def save(dataset: GraphDataset, visit: str, understood: Sequence[str], dropped: Sequence[str]) -> str:
    """Put a data set into the folder of a visit, with sentences on it; returns its name. Equal ones are one."""
    texts = {name: getattr(dataset, name) for name in _TEXTS}
    content = {name: getattr(dataset.info, name) for name in _INFO} | texts
    arrays = {name: np.ascontiguousarray(getattr(dataset, name)) for name in _ARRAYS}
    digest = digest_of([content, [array.shape for array in arrays.values()]], arrays.values())
    folder = room(visit) / digest[:16]
    if not (folder / uploads.ABOUT).is_file():
        check_room(sum(array.nbytes for array in arrays.values()))
        about = uploads.About(dataset.info, **texts, understood=tuple(understood), dropped=tuple(dropped))
        _write(folder / uploads.DATA, safetensors.numpy.save(arrays))
        _write(folder / uploads.ABOUT, msgspec.json.encode(about))
    return f"own-{folder.name}-{visit}"


def _write(path: Path, content: bytes) -> None:
    try:
        with replacing(path) as part:
            part.write_bytes(content)
    except UnwrittenError as error:
        raise UserError("Your data set cannot be stored: the server’s disk is full or read-only.") from error


def describe(name: str, **words: Any) -> None:
    """Give a data set other words, such as names of classes where its file had none."""
    about = uploads.about(name)
    about = msgspec.structs.replace(about, info=replace(about.info, **words))
    _write(uploads.home(name) / uploads.ABOUT, msgspec.json.encode(about))


# The data sets of a visit


def accept(name: str, shipped: Collection[str] = ()) -> None:
    """Count a data set among those of its visit: before, it was a preview. The oldest are removed.

    Where another one has its title, a number is put behind: “karate 2”.

    Args:
        name: The data set.
        shipped: The titles of the shipped data sets.
    """
    visit, title = uploads.visit_of(name), uploads.info(name).title
    taken = {*shipped, *(uploads.info(other).title for other in held(visit) if other != name)}
    endings = ["", *(f" {number}" for number in range(2, len(taken) + 3))]
    titles = (f"{title[: limits.MAX_TEXT - len(ending)]}{ending}" for ending in endings)
    describe(name, title=next(free for free in titles if free not in taken))
    (uploads.home(name) / _ACCEPTED).touch()
    for other in held(visit)[limits.MAX_HELD :]:
        forget(other)
    for folder in room(visit).iterdir():  # previews that were not accepted
        if re.fullmatch(r"[0-9a-f]{16}", folder.name) and not (folder / _ACCEPTED).exists():
            shutil.rmtree(folder, ignore_errors=True)


def held(visit: str) -> list[str]:
    """The accepted data sets of a visit, the latest first."""
    base = uploads.root()
    marks = [] if base is None else list((base / visit).glob(f"*/{_ACCEPTED}"))
    marks.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    return [f"own-{mark.parent.name}-{visit}" for mark in marks]


def forget(name: str) -> None:
    """Remove a data set and all that was made for it."""
    _remove(uploads.home_of(name))


def forget_visit(visit: str) -> None:
    """Remove all data sets and files of a visit."""
    base = uploads.root()
    _remove(base and base / visit)


def _remove(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    uploads.read.cache_clear()  # it cannot forget one alone
