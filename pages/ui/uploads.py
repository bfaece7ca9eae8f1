"""Files that visitors bring along: the one way to take one, with limits, and without holding its bytes.

A file is read as soon as it is there, and only what was made of it stays: its bytes are given back at once, wherever
Streamlit holds them. How large it may be is asked by the browser, by the server before it takes it
(``server.maxUploadSize``) and here; how many there may be, by `pages.ui.middleware`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from gfx_core.errors import UserError
from pages.ui.sessions import UPLOAD_REFUSED
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
        value: What was made of it, or what is in it; ``None`` if it could not be read, or was given back before.
        problem: Why not, a sentence.
    """

    file: str
    name: str
    value: T | None
    problem: str = ""


def upload_field(label: str, read: Read[T], *, types: Sequence[str], key: str, most_mb: int, help_text: str) -> None:
    """A field for a file. What was made of it can be had by `find_upload`; the page runs again when there is news.

    Args:
        label: Of the field.
        read: Makes something of it.
        types: How its name may end.
        key: Of the field.
        most_mb: How large it may be.
        help_text: For the field.
    """
    st.file_uploader(label, type=list(types), key=key, max_upload_size=most_mb, help=help_text)
    _show_refusal()
    file, known = st.session_state.get(key), find_upload(key)
    if file is None:
        if known is not None:
            del st.session_state[_kept(key)]
            st.rerun()
        return
    if known is None or known.file != file.file_id:
        if isinstance(file, DeletedFile):  # it was given back, and what was made of it is gone too
            return
        st.session_state[_kept(key)] = _read(file, read, most_mb)
        st.rerun()
    if known.problem:
        st.error(plain(known.problem), icon=":material/upload_file:")


def upload_several(
    label: str, *, types: Sequence[str], key: str, most_mb: int, help_text: str
) -> list[Upload[bytes]] | None:
    """A field for several files that belong together: what stands in it, whenever that changes; else ``None``.

    Their bytes are given back at once, so whoever asks keeps what is still needed when one more file comes.
    """
    st.file_uploader(
        label, type=list(types), accept_multiple_files=True, key=key, max_upload_size=most_mb, help=help_text
    )
    _show_refusal()
    files: list[UploadedFile | DeletedFile] = st.session_state.get(key) or []
    known: dict[str, str] = st.session_state.get(_kept(key), {})  # names, by file
    if [file.file_id for file in files] == list(known):
        return None
    found: list[Upload[bytes]] = []
    for file in files:
        if isinstance(file, DeletedFile):
            found.append(Upload(file.file_id, known.get(file.file_id, "a file"), None))
        else:
            found.append(Upload(file.file_id, file.name[:_LONGEST], file.getvalue()))
            _give_back(file)
    st.session_state[_kept(key)] = {file.file: file.name for file in found}
    return found


def find_upload(key: str) -> Upload[Any] | None:
    """The file in a field, as it was read; ``None`` where there is none."""
    found: Upload[Any] | None = st.session_state.get(_kept(key))
    return found


def _show_refusal() -> None:
    """Say why the server did not take a file: the field itself has nothing but a number for it."""
    if refused := st.session_state.get(UPLOAD_REFUSED):
        st.error(plain(refused), icon=":material/upload_file:")


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
    st.session_state.pop(UPLOAD_REFUSED, None)  # this one was taken
    file.seek(0)
    file.truncate()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
