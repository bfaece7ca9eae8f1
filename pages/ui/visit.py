"""A visit: one browser's time here, and the data sets that belong to it. Nobody else can reach them.

A reload or a second tab is the same visit; Streamlit takes each for a session of its own. The browser is known by the
random cookie that Streamlit gives it against forged requests. When the last page of a visit has been closed for some
minutes, all that it had is gone.
"""

import re
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gfx_core.datasets.own import store
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from pages.ui import visits

_VISIT = "visit"  # session state
_NAMES = re.compile(r"own-[0-9a-f]{16}-[0-9a-f]{16}")


LEFT_S = 180.0
"""A visit ends when none of its pages has been open for so long; Streamlit lets a page come back for two minutes."""
_LOOK_S = 30.0


class Visit:
    """What its sessions hold on to; its room is cleared when the last of them lets go.

    Attributes:
        name: Sixteen digits that nobody guesses.
        sessions: What Streamlit calls its sessions.
        seen: When one of them was last open.
    """

    def __init__(self) -> None:
        self.name = store.new_visit()
        self.sessions: set[str] = set()
        self.seen = monotonic()
        _all.add(self)
        weakref.finalize(self, store.forget_visit, self.name)


_all: "weakref.WeakSet[Visit]" = weakref.WeakSet()
_visits: "weakref.WeakValueDictionary[str, Visit]" = weakref.WeakValueDictionary()  # by browser
_once = threading.Lock()
_watching: list[threading.Thread] = []  # at most one


def visit() -> Visit:
    """The visit that the page is drawn for."""
    found: Visit | None = st.session_state.get(_VISIT)
    if found is None:
        with _once:
            browser = visits.browser(st.context.cookies.get(visits.COOKIE, ""))
            found = _visits.get(browser) if browser else None
            if found is None:
                found = Visit()
                if browser:
                    _visits[browser] = found
        st.session_state[_VISIT] = found
        _watch()
    if (run := get_script_run_ctx()) is not None:
        found.sessions.add(run.session_id)
    return found


def _watch() -> None:
    """See that visits end: Streamlit tells nobody, and memory that nobody needs may stay for hours."""
    with _once:
        if not _watching and runtime.exists():
            _watching.append(threading.Thread(target=_look_again_and_again, name="visits", daemon=True))
            _watching[0].start()


def _look_again_and_again() -> None:
    while runtime.exists():
        sleep(_LOOK_S)
        with suppress(RuntimeError):  # the server has just ended
            end_left(runtime.get_instance().is_active_session, monotonic())


def end_left(is_open: Callable[[str], bool], now: float) -> None:
    """End the visits whose pages have all been closed for long enough.

    Args:
        is_open: Whether a session is connected.
        now: The time.
    """
    with _once:
        for visit in list(_all):
            visit.sessions = {session for session in visit.sessions if is_open(session)} or visit.sessions
            if any(map(is_open, visit.sessions)):
                visit.seen = now
            elif now - visit.seen > LEFT_S:
                for browser in [key for key, known in _visits.items() if known is visit]:
                    del _visits[browser]
                _all.discard(visit)
                store.forget_visit(visit.name)


def held() -> list[str]:
    """The data sets of this visit, the latest first, and those that are kept for all."""
    found = st.session_state.get(_VISIT)
    mine = store.held(visit().name) if found is not None or store.root() is not None else []
    return [*mine, *store.kept_names()]


def all_datasets() -> list[str]:
    """The names of all data sets that this visitor can look at."""
    return [*DATASETS, *held()]


def mine(name: str) -> str:
    """The name that a data set of somebody's own has in this visit.

    A link from elsewhere names the other visit; if the same content was brought here, it is found.

    Raises:
        UserError: This visit does not have it.
    """
    if name in store.kept_names():
        return name
    content = store.content_of(name)
    found = next((own for own in store.held(visit().name) if content and store.content_of(own) == content), None)
    if found is None:
        raise UserError(store.MISSING)
    return found


def check(request: object) -> None:
    """Refuse to have anything computed about somebody else's data, however its name was come by."""
    for name in _NAMES.findall(repr(request)):
        if store.visit_of(name) != visit().name:
            raise UserError(store.MISSING)
