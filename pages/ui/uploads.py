"""Files that visitors bring along: the one way to take one, with limits, and without holding its bytes.

A file is read as soon as it is there, and only what was made of it stays: its bytes are given back at once, wherever
Streamlit holds them. How large it may be is asked by the browser, by the server before it takes it
(``server.maxUploadSize``) and here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from gfx_core.errors import UserError
from pages.ui.text import plain

T = TypeVar("T")
Read = Callable[[bytes, str], T]
"""Makes something of a file's bytes and name; raises ``UserError`` with a sentence if it cannot."""

_LONGEST = 60  # characters of a file's name


@dataclass(frozen=True)
class Upload(Generic[T]):
    """A file that a visitor brought along, as long as it stands in the field.

    Attributes:
        file: Names it; another file has another name.
        name: What its owner calls it, cut where that is long.
        value: What was made of it; ``None`` if it could not be read.
        problem: Why not, a sentence.
    """

    file: str
    name: str
    value: T | None
    problem: str = ""


def upload_field(
    label: str,
    read: Read[T],
    *,
    types: Sequence[str],
    key: str,
    most_mb: int,
    help_text: str,
    several: bool = False,
) -> None:
    """A field for a file. What was made of it can be had by `find_upload`; the page runs again when there is news.

    Args:
        label: Of the field.
        read: Makes something of it.
        types: How its name may end.
        key: Of the field.
        most_mb: How large it may be.
        help_text: For the field.
        several: Whether several files can stand in it.
    """
    st.file_uploader(
        label, type=list(types), accept_multiple_files=several, key=key, max_upload_size=most_mb, help=help_text
    )
    standing, known = st.session_state.get(key) or [], {each.file: each for each in find_uploads(key)}
    files = standing if isinstance(standing, list) else [standing]
    # one that was given back, and of which nothing is kept, is no file any more
    files = [file for file in files if file.file_id in known or not isinstance(file, DeletedFile)]
    if [file.file_id for file in files] != list(known):
        found = [known.get(file.file_id) or _read(file, read, most_mb) for file in files]
        st.session_state[_kept(key)] = found
        st.rerun()
    for each in known.values():
        if each.problem:
            st.error(plain(each.problem), icon=":material/upload_file:")


def find_uploads(key: str) -> list[Upload[Any]]:
    """The files in a field, as they were read."""
    found: list[Upload[Any]] = st.session_state.get(_kept(key), [])
    return found


def find_upload(key: str) -> Upload[Any] | None:
    """The one file in a field; ``None`` where there is none."""
    return next(iter(find_uploads(key)), None)


def _kept(key: str) -> str:
    return f"brought-{key}"


def _read(file: UploadedFile, read: Read[T], most_mb: int) -> Upload[T]:
    name = file.name[:_LONGEST]
    try:
        if file.size > most_mb * 2**20:
            raise UserError(f"{name} is larger than {most_mb} MB, too large to be opened here.")
        return Upload(file.file_id, name, read(file.getvalue(), name))
    except UserError as error:
        return Upload(file.file_id, name, None, str(error))
    finally:
        _give_back(file)


def _give_back(file: UploadedFile) -> None:
    """Let go of a file's bytes, in the field's state and in the server's store."""
    file.seek(0)
    file.truncate()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
