"""Who visits: told by the cookie that Streamlit gives each browser.

All tabs of a browser are one visitor, thirty students behind one address are thirty. Who sends no such cookie is no
browser, and all of these at one address are one visitor. When they leave, see `pages.ui.visit`.
"""

import hashlib

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gfx_core.jobs.job import NO_CLIENT, Client

COOKIE = "_streamlit_xsrf"
"""Streamlit gives it to every browser, against forged requests."""
UPLOAD_REFUSED = "upload:refused"
"""Session state: why the server refused the last file of this page, a sentence; the field for files shows it."""
_TOKEN_BYTES = 16


def client() -> Client:
    """Who is shown this page; nobody where there is no server, as in tests."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return NO_CLIENT
    address = st.context.ip_address or ""  # nothing on this computer, also behind a proxy on it
    return Client(context.session_id, who(st.context.cookies.get(COOKIE, ""), address), address)


def who(cookie: str, address: str) -> str:
    """Names a visitor by the browser's cookie, or by the address where there is none."""
    return browser(cookie) or f"at {address}"


def browser(cookie: str) -> str:
    """Names a browser by its cookie; empty where it has none.

    The cookie is `2|mask|masked token|time`, masked anew for every tab: only the token under the mask stays. Its digest
    is told, as the token is nobody's to read in a log.
    """
    try:
        version, mask, masked, _ = cookie.strip("\"'").split("|")
        key, hidden = bytes.fromhex(mask), bytes.fromhex(masked)
    except ValueError:
        return ""
    if version != "2" or not key or len(hidden) < _TOKEN_BYTES:
        return ""
    return hashlib.sha256(bytes(byte ^ key[at % len(key)] for at, byte in enumerate(hidden))).hexdigest()
