"""Rooms: a private folder of the server, one room in it for each visit, and the names of what lies there.

A data set is named by what is in it and by the visit that has it: ``own-<content>-<visit>``. Both parts are digits that
cannot be guessed, so a name is found in its own room or nowhere. Workers know the folder from the environment. What
the owner of the server allows to be kept lies in the data folder, as ``kept-<name>``.
"""

import os
import re
from pathlib import Path
from secrets import token_hex
from threading import Lock

from gfx_core.config import data_root
from gfx_core.temporary import make_folder

FOLDER = "GFX_OWN"
"""The environment variable that tells workers where the rooms are."""
PREFIX = "gfx-own-"
"""How the folder is called."""
_OWN = re.compile(r"own-([0-9a-f]{16})-([0-9a-f]{16})")
_KEPT = re.compile(r"kept-([a-z0-9][a-z0-9-]{0,39})")
_once = Lock()


# The folder


def open_store() -> Path:
    """The folder of this server, made when it is first asked for; what servers that were killed left is removed."""
    with _once:
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
    return bool(_OWN.fullmatch(name) or _KEPT.fullmatch(name))


def content_of(name: str) -> str:
    """What a name says of the content: equal for the same data set in whatever visit."""
    found = _OWN.fullmatch(name)
    return found[1] if found else ""


def same_dataset(one: str, other: str) -> bool:
    """Whether two names mean the same data set, be it brought in two visits."""
    return one == other or (bool(content_of(one)) and content_of(one) == content_of(other))


def visit_of(name: str) -> str:
    """The visit that a data set belongs to; empty for one that is kept for all."""
    found = _OWN.fullmatch(name)
    return found[2] if found else ""


def home_of(name: str) -> Path | None:
    """The folder of somebody's own data set, with all that is made for it; None for any other name."""
    if found := _OWN.fullmatch(name):
        base = root()
        return None if base is None else base / found[2] / found[1]
    if found := _KEPT.fullmatch(name):
        return kept_folder() / found[1]
    return None


def kept_folder() -> Path:
    """Where data sets are that were kept under a name."""
    return data_root() / "own"
