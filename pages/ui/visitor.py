"""Who visits, and what becomes of their jobs when they leave.

A visit is an open page; it ends when its connection is gone for a while, so that a short loss of the network, or a page
that is loaded again, costs nothing. Who visits is told by the cookie that Streamlit gives each browser: all tabs of a
browser are one visitor, thirty students behind one address are thirty. Who sends no such cookie is no browser, and all
of these at one address are one visitor.
"""

import hashlib
import threading
from collections.abc import Callable
from time import monotonic

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gfx_core.crew.crew import Crew
from gfx_core.crew.visitor import NOBODY, Visitor

GONE_S = 30.0
"""A visit whose connection has been gone for so long is over."""
_LOOK_S = 5.0
COOKIE = "_streamlit_xsrf"
"""Streamlit gives it to every browser, against forged requests."""
_TOKEN_BYTES = 16


def visitor() -> Visitor:
    """Who is shown this page; nobody where there is no server, as in tests."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return NOBODY
    address = st.context.ip_address or ""  # nothing on this computer, also behind a proxy on it
    return Visitor(context.session_id, who(st.context.cookies.get(COOKIE, ""), address), address)


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


class Presence:
    """Ends the visits of a crew's visitors who have gone.

    Args:
        crew: Computes for them.
        here: Whether a visit is connected.
        clock: Tells the time, in seconds.
    """

    def __init__(self, crew: Crew, here: Callable[[str], bool], clock: Callable[[], float] = monotonic) -> None:
        self._crew, self._here, self._clock = crew, here, clock
        self._missed: dict[str, float] = {}  # by visit: since when

    def look(self) -> None:
        """See who is there."""
        now = self._clock()
        gone = {visit for visit in self._crew.visits() if not self._here(visit)}
        self._missed = {visit: self._missed.get(visit, now) for visit in gone}
        for visit, since in self._missed.items():
            if now - since >= GONE_S:
                self._crew.end_visit(visit)

    def watch(self) -> None:
        """Look every few seconds, from a thread of its own, as long as this process lives."""
        try:
            self.look()
        finally:  # also after one that went wrong: else nobody's jobs would ever end
            timer = threading.Timer(_LOOK_S, self.watch)
            timer.daemon = True
            timer.start()


def watch(crew: Crew) -> None:
    """End what a crew computes for visitors who have gone, where there is a server that knows them."""
    if runtime.exists():
        Presence(crew, runtime.get_instance().is_active_session).watch()


def leave_behind(crew: Crew, visitor: Visitor) -> None:
    """End what a visitor has going in pages that are closed: whoever begins anew need not wait for that."""
    for visit in crew.visits(visitor.who) if visitor != NOBODY else ():
        if not runtime.get_instance().is_active_session(visit):
            crew.end_visit(visit, live=True)
