"""Which class a visitor leads: known by the secret in the teacher's link, and kept for the visit."""

from urllib.parse import urlsplit

import streamlit as st

from gfx_core.classroom.classroom import classroom
from gfx_core.classroom.teacher import Teacher
from gfx_core.errors import UserError
from pages.ui.server import HERE, room_address

_LEADS = "class:leads"  # session state: the code and the secret of the class


def lead(code: str, key: str) -> Teacher | None:
    """The class that a link with a secret opens; it is kept, so that other pages know who leads it."""
    found = classroom().teacher(code, key)
    if found is not None:
        st.session_state[_LEADS] = (code, key)
    return found


def led() -> Teacher | None:
    """The class that the visitor leads; None where there is none, or it is over."""
    code_and_key: tuple[str, str] | None = st.session_state.get(_LEADS)
    if code_and_key is None:
        return None
    try:
        found = classroom().teacher(*code_and_key)
    except UserError:
        return None
    if found is None:
        st.session_state.pop(_LEADS)
    return found


def own_link() -> dict[str, str]:
    """The parameters of the teacher's own page."""
    code, key = st.session_state[_LEADS]
    return {"class": code, "key": key}


def base() -> str:
    """The address of the explorer as students reach it, without a page; empty if nobody told it."""
    here = urlsplit(str(st.context.url or ""))
    if not here.netloc:
        return room_address()
    folder = here.path.rstrip("/").rpartition("/")[0]
    origin = f"{here.scheme}://{here.netloc}"
    return f"{room_address() if here.hostname in HERE and room_address() else origin}{folder}"


def reaches_only_here(address: str) -> bool:
    """Whether an address leads nowhere on other computers."""
    return urlsplit(address).hostname in (*HERE, None)
