"""Data sets that visitors upload: saved in the folder of their visit, loaded, removed. Needs no torch.

The server has a private folder with one folder in it for each visit. A data set is named by its content and by its
visit: ``own-<content>-<visit>``. Both parts are digits that cannot be guessed, and a name leads into the folder of its
own visit only. Workers know the server's folder from the environment.
"""

import json
import os
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import Any, ClassVar

import numpy as np

from gfx_core import limits
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.source import Numbered
from gfx_core.errors import UserError, node_by_name
from gfx_core.files import replacing, stamp
from gfx_core.storage import digest_of, make_folder

FOLDER = "GFX_OWN"
"""The environment variable that tells workers where the server's folder is."""
PREFIX = "gfx-own-"
"""Begins the name of the server's folder."""
OWN = re.compile(r"own-([0-9a-f]{16})-([0-9a-f]{16})")
"""The name of a data set: its content, and its visit."""
MISSING = (
    "This link needs a data set that is not here: it was removed, or another visitor uploaded it. Uploads are private "
    "and are deleted when a visit ends. Upload the same file under Own data, and the link works."
)
_DATA, _ABOUT, _ACCEPTED = "data.safetensors", "about.json", "accepted"
_INFO = ("task", "title", "description", "classes", "citation", "marked")
_TEXTS = ("node_texts", "node_notes", "node_attributes")
_ARRAYS = ("x", "edge_index", "y", "motif", "edge_motif", "ptr")


# Folders


def open_store() -> Path:
    """The folder of this server, made at the first call; folders that killed servers left are removed."""
    folder = root()
    if folder is None:
        folder = make_folder(PREFIX)
        os.environ[FOLDER] = str(folder)
    return folder


def root() -> Path | None:
    """The folder of this server, in it or in one of its workers; None where there is none."""
    folder = os.environ.get(FOLDER)
    return Path(folder) if folder and Path(folder).is_dir() else None


def new_visit() -> str:
    """A name for a visit that cannot be guessed."""
    return token_hex(8)


def room(visit: str) -> Path:
    """The folder of a visit."""
    if not re.fullmatch(r"[0-9a-f]{16}", visit):
        raise ValueError("a visit is named by sixteen digits")
    folder = open_store() / visit
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def check_room(size: int) -> None:
    """Refuse so many bytes more if all visitors together would have too many."""
    used = sum(file.stat().st_size for file in open_store().rglob("*") if file.is_file())
    if used + size > limits.MAX_ALL_BYTES:
        raise UserError("The uploads of all visitors fill the space of this server: try again later.")


# Names


def is_own(name: str) -> bool:
    """Whether a data set of this name is an upload."""
    return bool(OWN.fullmatch(name))


def visit_of(name: str) -> str:
    """The visit that a data set belongs to; empty for one that is shipped."""
    return match[2] if (match := OWN.fullmatch(name)) else ""


def home_of(name: str) -> Path | None:
    """The folder of an uploaded data set, with all that is made for it; None for any other name."""
    base = root()
    return None if base is None or not is_own(name) else base / visit_of(name) / name.split("-")[1]


# Save and load


def save(dataset: GraphDataset, visit: str, understood: Sequence[str], dropped: Sequence[str]) -> str:
    """Put a data set into the folder of a visit, with sentences on it; returns its name. Equal ones are one."""
    content = {name: getattr(dataset.info, name) for name in _INFO}
    content |= {name: getattr(dataset, name) for name in _TEXTS}
    more = {"num_classes": dataset.num_classes, "understood": understood, "dropped": dropped}
    arrays = {name: np.ascontiguousarray(getattr(dataset, name)) for name in _ARRAYS}
    digest = digest_of([content, [array.shape for array in arrays.values()]], arrays.values())
    folder = room(visit) / digest[:16]
    if not (folder / _ABOUT).is_file():
        check_room(sum(array.nbytes for array in arrays.values()))
        _write(folder, content | more, arrays)
    return f"own-{folder.name}-{visit}"


def _write(home: Path, record: Mapping[str, Any], arrays: Mapping[str, Any] | None = None) -> None:
    from safetensors.numpy import save_file

    try:
        if arrays is not None:
            with replacing(home / _DATA) as part:
                save_file(dict(arrays), part)
        with replacing(home / _ABOUT) as part:
            part.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        raise UserError("Your data set cannot be stored: the server’s disk is full or read-only.") from error


def _home(name: str) -> Path:
    """The folder of a data set that is there."""
    home = home_of(name)
    if home is None or not (home / _DATA).is_file():
        raise UserError(MISSING)
    return home


def about(name: str) -> dict[str, Any]:
    """All of a data set but its arrays, as `save` wrote it."""
    try:
        record: dict[str, Any] = json.loads((_home(name) / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(MISSING) from error
    return record


def info(name: str) -> DatasetInfo:
    """A data set in words."""
    record = about(name)
    fields = {field: record[field] for field in _INFO} | {"task": Task(record["task"])}
    return DatasetInfo(name, owner=visit_of(name), **fields | {"classes": tuple(record["classes"])})


def load(name: str) -> GraphDataset:
    """A data set; the latest ones are kept in memory for as long as their files are there."""
    return _load(name, stamp(_home(name) / _ABOUT))


@lru_cache(maxsize=8)
def _load(name: str, version: tuple[int, int]) -> GraphDataset:
    from safetensors.numpy import load_file

    record, arrays = about(name), load_file(_home(name) / _DATA)
    texts: dict[str, Any] = {key: tuple(record[key]) for key in _TEXTS}
    texts["node_attributes"] = tuple(tuple(map(tuple, pairs)) for pairs in texts["node_attributes"])
    return GraphDataset(
        info=info(name), num_classes=record["num_classes"], **{key: arrays[key] for key in _ARRAYS}, **texts
    )


def _change(name: str, **values: Any) -> None:
    _write(_home(name), about(name) | values)


def name_classes(name: str, classes: tuple[str, ...]) -> None:
    """Give a data set that came without classes those of a GNN."""
    _change(name, classes=classes, num_classes=len(classes))


# The data sets of a visit


def accept(name: str, shipped: Collection[str] = ()) -> None:
    """Count a data set among those of its visit: before, it was a preview. The oldest are removed.

    Where another one has its title, a number is put behind: “karate 2”.

    Args:
        name: The data set.
        shipped: The titles of the shipped data sets.
    """
    visit, title = visit_of(name), about(name)["title"]
    taken = {*shipped, *(about(other)["title"] for other in held(visit) if other != name)}
    endings = ["", *(f" {number}" for number in range(2, len(taken) + 3))]
    titles = (f"{title[: limits.MAX_TEXT - len(ending)]}{ending}" for ending in endings)
    _change(name, title=next(free for free in titles if free not in taken))
    (_home(name) / _ACCEPTED).touch()
    for other in held(visit)[limits.MAX_HELD :]:
        forget(other)
    for folder in room(visit).iterdir():  # previews that were not accepted
        if re.fullmatch(r"[0-9a-f]{16}", folder.name) and not (folder / _ACCEPTED).exists():
            shutil.rmtree(folder, ignore_errors=True)


def held(visit: str) -> list[str]:
    """The accepted data sets of a visit, the latest first."""
    base = root()
    marks = [] if base is None else list((base / visit).glob(f"*/{_ACCEPTED}"))
    marks.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    return [f"own-{mark.parent.name}-{visit}" for mark in marks]


def forget(name: str) -> None:
    """Remove a data set and all that was made for it."""
    if (home := home_of(name)) is not None:
        shutil.rmtree(home, ignore_errors=True)
    _load.cache_clear()  # it cannot forget one alone


def forget_visit(visit: str) -> None:
    """Remove all data sets and files of a visit."""
    if (base := root()) is not None:
        shutil.rmtree(base / visit, ignore_errors=True)
    _load.cache_clear()


@dataclass(frozen=True)
class Own(Numbered):
    """The nodes or graphs of an uploaded data set, by number or by the names of its nodes."""

    title: ClassVar[str] = "Own data"
    most_learnt: ClassVar[int | None] = 200

    def dataset(self) -> GraphDataset:
        return self.make()  # not kept: nothing of it outlives its files

    def checked(self, name: str) -> str:
        """A number, or the name of a node as its file spells it; digits are always a number."""
        dataset = self.dataset()
        if name.strip().isdecimal() or not dataset.names:
            return super().checked(name)
        return str(node_by_name(dataset.names, name, dataset.info.title))
