"""What the visitor brought and has not taken yet: its files lie in the room of the visit until they are read."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from gfx_core import limits
from gfx_core.errors import UserError
from gfx_core.files import digest_of
from gfx_core.jobs.requests import LookAt
from gfx_core.user_data import store
from gfx_core.user_data.build import ColumnRoles
from gfx_core.user_data.read import DataFile
from pages.ui.sessions import visit

_BROUGHT = "own:brought"  # session state
_TURN = "own:brought-turn"  # session state
_KEPT = 2 * limits.MAX_FILES  # files of a visit
_PROBLEM = "own:problem"  # session state: why the last thing could not be brought


@dataclass(frozen=True)
class Reading:
    """Files that are being looked at.

    Attributes:
        way: How they came, see `WAYS`.
        names: What they are called.
        paths: Where they lie.
        meaning: What the visitor says of their columns; None while it is guessed.
        title: What the visitor calls the data set.
    """

    way: str
    names: tuple[str, ...]
    paths: tuple[str, ...]
    meaning: ColumnRoles | None = None
    title: str = ""

    @property
    def request(self) -> LookAt:
        """What is asked of a worker."""
        return LookAt(visit().name, self.names, self.paths, self.meaning, self.title)

    @property
    def key(self) -> str:
        """Names the files; widgets that belong to them end in it."""
        return digest_of("\n".join(self.paths).encode())[:8]


def put(data: bytes, ending: str = "") -> Path:
    """Put bytes into the room of the visit, by what is in them.

    Raises:
        UserError: There is no room.
    """
    store.check_room(len(data))
    folder = store.room(visit().name) / "files"
    path = folder / f"{digest_of(data)}{ending}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(data)
        for old in sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise UserError("Your file cannot be read here: the server’s disk is full or closed.") from error
    return path


def bring(way: str, files: Sequence[DataFile], title: str = "") -> None:
    """Look at some files; what was looked at before is forgotten. What cannot be is told of by :func:`problem`."""
    try:
        if len(files) > limits.MAX_FILES:
            raise UserError(f"At most {limits.MAX_FILES} files are read in one go.")
        for file in files:
            limits.check_bytes(len(file.data), file.called)
        _forget()
        paths = tuple(str(put(file.data)) for file in files)
        st.session_state[_BROUGHT] = Reading(way, tuple(file.name for file in files), paths, title=title)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)


def leave() -> None:
    """Forget what is looked at; its files go, and the field for files is empty again."""
    st.session_state[_TURN] = turn() + 1
    _forget()


def turn() -> int:
    """How often something was left or taken: a field for files belongs to one turn."""
    return int(st.session_state.get(_TURN, 0))


def _forget() -> None:
    found: Reading | None = st.session_state.pop(_BROUGHT, None)
    for path in () if found is None else found.paths:
        with contextlib.suppress(OSError):
            Path(path).unlink()


def reading() -> Reading | None:
    """What is looked at."""
    return st.session_state.get(_BROUGHT)


def change(meaning: ColumnRoles | None = None, title: str | None = None) -> None:
    """Say otherwise what the columns mean, or what the data set is called."""
    found = reading()
    if found is not None:
        found = replace(found, meaning=meaning or found.meaning)
        st.session_state[_BROUGHT] = found if title is None else replace(found, title=title)


def problem() -> str:
    """Why the last thing could not be brought, told once; empty if nothing went wrong."""
    return str(st.session_state.pop(_PROBLEM, ""))
