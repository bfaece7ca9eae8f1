"""Files of visitors: the one way to take one. A file is read once, as soon as it is there.

How large it may be is checked by the browser, by the server before it takes it (``server.maxUploadSize``) and here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from gfx_core.errors import UserError
from pages.ui.text import plain

Read = Callable[[bytes, str], Any]
"""Makes something of a file's bytes and name; raises ``UserError`` with a sentence if it cannot."""

_LONGEST = 60  # characters of a file's name


@dataclass(frozen=True)
class Upload:
    """A file of a visitor, as long as it stands in the field.

    Attributes:
        file: Names it; another file has another name.
        name: What its owner calls it, cut where that is long.
        value: What was read from it; ``None`` if it could not be read.
        problem: Why not, a sentence.
    """

    file: str
    name: str
    value: Any
    problem: str = ""


def upload_field(label: str, read: Read, *, key: str, most_mb: int, **settings: Any) -> None:
    """A field for a file, whose content `find_upload` has; the page runs again when there is news.

    Args:
        label: Of the field.
        read: Makes something of the file.
        key: Of the field.
        most_mb: How large a file may be.
        settings: Further arguments of `st.file_uploader`.
    """
    value = st.file_uploader(label, key=key, max_upload_size=most_mb, **settings)
    files = value if isinstance(value, list) else [value] if value else []
    before = {upload.file: upload for upload in find_uploads(key)}
    if [file.file_id for file in files] != list(before):
        st.session_state[f"{key}:uploads"] = [before.get(file.file_id) or _read(file, read, most_mb) for file in files]
        st.rerun()
    for upload in before.values():
        if upload.problem:
            st.error(plain(upload.problem), icon=":material/upload_file:")


def find_uploads(key: str) -> list[Upload]:
    """The files in a field, as they were read."""
    return st.session_state.get(f"{key}:uploads", [])


def find_upload(key: str) -> Any:
    """What was read from the one file in a field; ``None`` where there is none, or it could not be read."""
    return next((upload.value for upload in find_uploads(key)), None)


def _read(file: UploadedFile, read: Read, most_mb: int) -> Upload:
    name = file.name[:_LONGEST]
    if file.size > most_mb * 2**20:
        return Upload(file.file_id, name, None, f"{name} is larger than {most_mb} MB, too large to be opened here.")
    try:
        return Upload(file.file_id, name, read(file.getvalue(), name))
    except UserError as error:
        return Upload(file.file_id, name, None, str(error))
