"""Data sets that visitors bring: put into the folder of their visit, loaded, kept, forgotten. Needs no torch.

The server has a private folder with one room in it for each visit. A data set is named by what is in it and by the
visit that has it: ``own-<content>-<visit>``. Both parts are digits that cannot be guessed, so a name is found in its
own room or nowhere. Workers know the folder from the environment. What the owner of the server allows to be kept lies
in the data folder, as ``kept-<name>``.
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
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from gfx_core import limits
from gfx_core.config import Task, data_root
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.source import Numbered
from gfx_core.errors import UserError, node_by_name
from gfx_core.files import stamp
from gfx_core.storage import digest_of, make_folder
from gfx_core.user_data.draft import shortened

FOLDER = "GFX_OWN"
"""The environment variable that tells workers where the rooms are."""
PREFIX = "gfx-own-"
"""How the folder is called."""
OWN = re.compile(r"own-([0-9a-f]{16})-([0-9a-f]{16})")
"""The name of a data set: what is in it, and the visit that has it."""
_KEPT = re.compile(r"kept-([a-z0-9][a-z0-9-]{0,39})")
_opening = Lock()


# The folder


def open_store() -> Path:
    """The folder of this server, made when it is first asked for; what servers that were killed left is removed."""
    with _opening:
        found = root()
        if found is None:
            found = make_folder(PREFIX)
            os.environ[FOLDER] = str(found)
        return found


def root() -> Path | None:
    """The folder of this server, in it or in one of its workers; None where there is none."""
    named = os.environ.get(FOLDER)
    return Path(named) if named and Path(named).is_dir() else None


def new_visit() -> str:
    """A name for a visit that nobody guesses."""
    return token_hex(8)


def room(visit: str) -> Path:
    """The folder of a visit."""
    if not re.fullmatch(r"[0-9a-f]{16}", visit):
        raise ValueError("a visit is named by sixteen digits")
    made = open_store() / visit
    made.mkdir(mode=0o700, exist_ok=True)
    return made


# Names


def is_own(name: str) -> bool:
    """Whether a data set of this name is somebody's own."""
    return bool(OWN.fullmatch(name) or _KEPT.fullmatch(name))


def content_of(name: str) -> str:
    """What a name says of the content: equal for the same data set in whatever visit."""
    found = OWN.fullmatch(name)
    return found[1] if found else ""


def visit_of(name: str) -> str:
    """The visit that a data set belongs to; empty for one that is kept for all."""
    found = OWN.fullmatch(name)
    return found[2] if found else ""


def home_of(name: str) -> Path | None:
    """The folder of somebody's own data set, with all that is made for it; None for any other name."""
    if found := OWN.fullmatch(name):
        base = root()
        return None if base is None else base / found[2] / found[1]
    if found := _KEPT.fullmatch(name):
        return kept_folder() / found[1]
    return None


def kept_folder() -> Path:
    """Where data sets are that were kept under a name."""
    return data_root() / "own"


ALLOW = "GFX_KEEP_OWN"
"""Set to 1 by the owner of a server, it lets visitors keep data sets under a name, for all to see."""
_DATA, _ABOUT, _ACCEPTED = "data.safetensors", "about.json", "accepted"
_TEXTS = ("node_texts", "node_notes", "node_attributes")
_ARRAYS = ("x", "edge_index", "y", "motif", "edge_motif", "ptr")

MISSING = (
    "This link needs a data set that is not here: it was removed, or another visitor uploaded it. Uploads are private "
    "and are deleted when a visit ends. Upload the same file under Own data, and the link works."
)


# Saving and loading


def save(dataset: GraphDataset, visit: str, understood: Sequence[str], dropped: Sequence[str]) -> str:
    """Put a data set into the room of a visit, with sentences on it; returns its name. Equal ones are one."""
    about = {
        "schema": 1,
        "task": dataset.task.value,
        "title": dataset.info.title,
        "description": dataset.info.description,
        "classes": dataset.info.classes,
        "citation": dataset.info.citation,
        "marked": dataset.info.marked,
        "num_classes": dataset.num_classes,
        "node_texts": dataset.node_texts,
        "node_notes": dataset.node_notes,
        "node_attributes": dataset.node_attributes,
        "understood": understood,
        "dropped": dropped,
    }
    arrays = {name: np.ascontiguousarray(getattr(dataset, name)) for name in _ARRAYS}
    same = {key: about[key] for key in ("task", "title", "classes", *_TEXTS)}
    digest = digest_of([same, [array.shape for array in arrays.values()]], arrays.values())
    name = f"own-{digest[:16]}-{visit}"
    folder = room(visit) / content_of(name)
    if not (folder / _ABOUT).is_file():
        check_room(sum(array.nbytes for array in arrays.values()))
        _write(folder, arrays, about)
    return name


def _write(folder: Path, arrays: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    from safetensors.numpy import save_file

    part = folder.with_name(f"{folder.name}.{token_hex(4)}.part")
    try:
        part.mkdir(mode=0o700, parents=True)
        save_file(dict(arrays), part / _DATA)
        (part / _ABOUT).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")
        part.rename(folder)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        if not (folder / _ABOUT).is_file():  # else another process was faster with the same
            raise UserError("Your data set cannot be stored: the server’s disk is full or read-only.") from error


def check_room(size: int) -> None:
    """Refuse so many bytes more if all visitors together would have too many."""
    here = open_store()
    used = sum(file.stat().st_size for file in here.rglob("*") if file.is_file())
    if used + size > limits.MAX_ALL_BYTES:
        raise UserError("The uploads of all visitors fill the space of this server: try again later.")


def _home(name: str) -> Path:
    """The folder of a data set that is there."""
    home = home_of(name)
    if home is None or not (home / _DATA).is_file():
        raise UserError(MISSING)
    return home


def about(name: str) -> dict[str, Any]:
    """What is known of a data set besides its numbers, as `save` wrote it."""
    try:
        found: dict[str, Any] = json.loads((_home(name) / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(MISSING) from error
    return found


def info(name: str) -> DatasetInfo:
    """A data set in words."""
    record = about(name)
    return DatasetInfo(
        name,
        Task(record["task"]),
        record["title"],
        record["description"],
        classes=tuple(record["classes"]),
        citation=record["citation"],
        marked=bool(record.get("marked")),
        owner=visit_of(name),
    )


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
        info=info(name), num_classes=int(record["num_classes"]), **{key: arrays[key] for key in _ARRAYS}, **texts
    )


def name_classes(name: str, classes: tuple[str, ...]) -> None:
    """Give a data set that came without classes those that a GNN tells apart."""
    _change(name, classes=classes, num_classes=len(classes))


def _change(name: str, **values: Any) -> None:
    """Say otherwise what is known of a data set besides its numbers."""
    home, record = _home(name), about(name)
    part = home / f"{_ABOUT}.part"
    try:
        part.write_text(json.dumps(record | values, ensure_ascii=False), encoding="utf-8")
        part.replace(home / _ABOUT)
    except OSError as error:
        raise UserError("The names cannot be stored: the server’s disk is full or read-only.") from error


# What a visit has


def accept(name: str, shipped: Collection[str] = ()) -> None:
    """Count a data set among those that the visit has: before, it was looked at only. The oldest go.

    Where another one has its title, it gets one of its own: “karate 2”.

    Args:
        name: The data set.
        shipped: The titles of those that are not somebody's own.
    """
    visit, old = visit_of(name), about(name)["title"]
    if (new := _free_title(old, [other for other in _offered(visit) if other != name], shipped)) != old:
        _change(name, title=new)
    (_home(name) / _ACCEPTED).touch()
    for other in held(visit)[limits.MAX_HELD :]:
        forget(other)
    for folder in room(visit).iterdir():  # what was looked at and not taken
        if re.fullmatch(r"[0-9a-f]{16}", folder.name) and not (folder / _ACCEPTED).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _offered(visit: str) -> list[str]:
    """The data sets of a visit, and those that are kept for all."""
    return [*held(visit), *kept_names()]


def _free_title(title: str, others: Sequence[str], shipped: Collection[str]) -> str:
    """The title, with a number behind it where one of some data sets has it, or one that is shipped."""
    taken = {*shipped, *(about(other)["title"] for other in others)}
    endings = ("", *(f" {number}" for number in range(2, len(taken) + 2)))
    every = (f"{title[: limits.MAX_TEXT - len(ending)]}{ending}" for ending in endings)
    return next(each for each in every if each not in taken)


def held(visit: str) -> list[str]:
    """The data sets that a visit has, the latest first."""
    base = root()
    if base is None or not (base / visit).is_dir():
        return []
    marks = sorted((base / visit).glob(f"*/{_ACCEPTED}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    return [f"own-{mark.parent.name}-{visit}" for mark in marks]


def forget(name: str) -> None:
    """Remove a data set and all that was made for it."""
    home = home_of(name)
    if home is not None and visit_of(name):
        shutil.rmtree(home, ignore_errors=True)
    _load.cache_clear()  # it cannot forget one alone


def forget_visit(visit: str) -> None:
    """Remove all that a visit has."""
    for name in held(visit):
        forget(name)
    if (base := root()) is not None:
        shutil.rmtree(base / visit, ignore_errors=True)


# What is kept for all


def may_keep() -> bool:
    """Whether the owner of the server allows data sets to be kept under a name."""
    return os.environ.get(ALLOW) == "1"


def kept_names() -> list[str]:
    """The data sets that are kept for all, by their names."""
    if not may_keep():
        return []
    folders = sorted(path.parent for path in kept_folder().glob(f"*/{_ABOUT}"))
    return [f"kept-{folder.name}" for folder in folders if is_own(f"kept-{folder.name}")]


def keep(name: str, title: str, shipped: Collection[str] = ()) -> str:
    """Keep a visit's data set, with its GNN, in the data folder; returns the name it has there.

    Args:
        name: The data set.
        title: What to call it; if another one is called so, with a number behind it.
        shipped: The titles of those that are not somebody's own.
    """
    if not may_keep():
        raise UserError(f"The owner of this server does not allow visitors to keep data sets (the setting {ALLOW}).")
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-")
    if not slug:
        raise UserError("Type a name of letters and digits.")
    home, target = _home(name), kept_folder() / slug
    if target.exists():
        raise UserError(f"A data set “{slug}” already exists: choose another name.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{slug}.{token_hex(4)}.part")
        shutil.copytree(home, part)
        part.rename(target)
    except OSError as error:
        raise UserError("The data set cannot be stored: the data folder is full or read-only.") from error
    kept = f"kept-{slug}"
    others = [other for other in _offered(visit_of(name)) if other != kept]
    _change(kept, title=_free_title(shortened(title), others, shipped))
    return kept


# The source of instances: nodes or graphs by their numbers, and nodes by their names


@dataclass(frozen=True)
class Own(Numbered):
    """The nodes or graphs of a data set that somebody brought. Nothing of it outlives its files."""

    title: ClassVar[str] = "Own data"
    most_learnt: ClassVar[int | None] = 200

    def dataset(self) -> GraphDataset:
        return self.make()

    def checked(self, name: str) -> str:
        """A number, or the name of a node as its file spells it; digits are always a number."""
        if name.strip().isdecimal() or not (known := self.dataset()).names:
            return super().checked(name)
        return str(node_by_name(known.names, name, known.info.title))
