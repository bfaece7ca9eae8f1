"""Who visits, for how long, and what goes when they leave.

All tabs of a browser are one visitor, by the cookie that the server gives each browser: thirty students behind one
address are thirty. What sends no such cookie is no browser, and all of these at one address are one visitor.

A visit is one browser's time here, with what is computed for it and the data sets that belong to it alone. A reload or
a second tab is the same visit; Streamlit takes each for a session of its own, and has no event for its end.
"""

import asyncio
import logging
from threading import Lock
from time import monotonic

import streamlit as st

from gfx_core.datasets import uploads
from gfx_core.datasets.registry import same_dataset
from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client
from gfx_core.jobs.pool import WorkerPool
from gfx_core.user_data import store
from pages.ui.streamlit_private import is_connected, script_run

COOKIE = "gfx_visitor"
"""A token that cannot be guessed; the server gives it to every browser."""
_VISIT = "visit"  # session state
GONE_S = 30.0
"""What a page has requested ends when its connection has been gone for so long: a short loss costs nothing."""
LEFT_S = 180.0
"""A visit ends when none of its pages has been open for so long; a page whose connection is lost has two minutes."""
_LOOK_S = 5.0

pools: list[WorkerPool] = []
"""Compute for pages; at most one."""
_log = logging.getLogger(__name__)
_lock = Lock()


class Visit:
    """What belongs to one browser, whatever becomes of its sessions.

    Attributes:
        name: Sixteen digits that cannot be guessed.
        pages: When each of its pages was last open, by what Streamlit calls its session.
    """

    def __init__(self) -> None:
        self.name = store.new_visit()
        self.pages: dict[str, float] = {}


_visits: dict[str, Visit] = {}  # by browser


def visit() -> Visit:
    """The visit that the page is drawn for."""
    current: Visit | None = st.session_state.get(_VISIT)
    with _lock:
        if current is None:
            cookie = st.context.cookies.get(COOKIE, "")
            current = st.session_state[_VISIT] = _visits.get(cookie) or Visit()
            _visits[cookie or current.name] = current
        if (run := script_run()) is not None:
            current.pages[run.session_id] = monotonic()
    return current


def client() -> Client:
    """The visitor of this page; `NO_CLIENT` where there is no server, as in tests."""
    run = script_run()
    if run is None:
        return NO_CLIENT
    visit()
    address = st.context.ip_address or ""  # nothing on this computer, also behind a proxy on it
    return Client(run.session_id, st.context.cookies.get(COOKIE) or f"at {address}", address)


def end_what_is_left(now: float) -> None:
    """End what pages requested that are closed, and visits whose pages have all been closed for long enough."""
    with _lock:
        for browser, visit in list(_visits.items()):
            for page, last in list(visit.pages.items()):
                if is_connected(page):
                    visit.pages[page] = now
                elif now - last > LEFT_S:
                    del visit.pages[page]
                elif now - last > GONE_S:
                    for pool in pools:
                        pool.end_session(page)
            if not visit.pages:
                del _visits[browser]
                store.forget_visit(visit.name)


async def watch() -> None:
    """End what is left every few seconds, for as long as the server runs."""
    while True:
        await asyncio.sleep(_LOOK_S)
        try:
            await asyncio.to_thread(end_what_is_left, monotonic())
        except Exception:  # else no job would ever end
            _log.exception("what is left could not be ended")


def own_datasets() -> list[str]:
    """The data sets of this visit, the latest first."""
    return store.held(visit().name)


def own_dataset(name: str) -> str:
    """The name that an uploaded data set has in this visit.

    A link from elsewhere names the other visit; if the same content was uploaded here, it is found.

    Raises:
        UserError: This visit does not have it.
    """
    for own in own_datasets():
        if same_dataset(own, name):
            return own
    raise UserError(uploads.MISSING)


def local_name(name: str) -> str:
    """The name that any data set has in this visit; ``UserError`` as in `own_dataset`."""
    return own_dataset(name) if uploads.is_own(name) else name


def check_owner(request: object) -> None:
    """Refuse to have anything computed about the data of another visit, wherever its name comes from."""
    if any(owner != visit().name for _, owner in uploads.NAME.findall(repr(request))):
        raise UserError(uploads.MISSING)
