"""Who visits, for how long, and what goes when they leave.

All tabs of a browser are one user, by the cookie that the server gives each browser: thirty students behind one address
are thirty. What sends no such cookie is no browser, and all of these at one address are one user.

A visit is one browser's time here, with what is computed for it and the data sets that belong to it alone. A reload or
a second tab is the same visit; Streamlit takes each for a session of its own. What only a closed page had asked for
ends after a while; when the last page of a visit has been closed for some minutes, all that it had is gone. Streamlit
tells nobody that a page was closed, so one thread looks every few seconds who is there.
"""

import threading
from collections.abc import Callable
from time import monotonic

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gfx_core.datasets import uploads
from gfx_core.datasets.registry import listed, same_dataset
from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client
from gfx_core.jobs.pool import WorkerPool
from gfx_core.user_data import store

COOKIE = "gfx_visitor"
"""A token that nobody guesses; the server gives it to every browser."""
_VISIT = "visit"  # session state
GONE_S = 30.0
"""What a page has asked for ends when its connection has been gone for so long: a short loss costs nothing."""
LEFT_S = 180.0
"""A visit ends when none of its pages has been open for so long; a page whose connection is lost has two minutes."""
_LOOK_S = 5.0


def client() -> Client:
    """Who is shown this page; nobody where there is no server, as in tests."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return NO_CLIENT
    address = st.context.ip_address or ""  # nothing on this computer, also behind a proxy on it
    return Client(context.session_id, user_id(st.context.cookies.get(COOKIE, ""), address), address)


def user_id(cookie: str, address: str) -> str:
    """Names a visitor by the browser's cookie, or by the address where there is none."""
    return cookie or f"at {address}"


class Visit:
    """What belongs to one browser, whatever becomes of its sessions; `end_visits` ends it.

    Attributes:
        name: Sixteen digits that nobody guesses.
        sessions: What Streamlit calls its sessions.
        last_open: When one of them was last open.
    """

    def __init__(self) -> None:
        self.name = store.new_visit()
        self.sessions: set[str] = set()
        self.last_open = monotonic()
        _all.add(self)


_all: set[Visit] = set()
_visits: dict[str, Visit] = {}  # by browser
_once = threading.Lock()
_monitors: "list[SessionMonitor]" = []  # at most one


def visit() -> Visit:
    """The visit that the page is drawn for."""
    found: Visit | None = st.session_state.get(_VISIT)
    if found is None:
        with _once:
            name = st.context.cookies.get(COOKIE, "")
            found = _visits.get(name) if name else None
            if found is None:
                found = Visit()
                if name:
                    _visits[name] = found
        st.session_state[_VISIT] = found
        watch_sessions()
    if (run := get_script_run_ctx()) is not None:
        found.sessions.add(run.session_id)
    return found


class SessionMonitor:
    """Ends what belongs to pages and visits that are gone.

    Args:
        here: Whether a page is connected, by what Streamlit calls its session.
        clock: Tells the time, in seconds.

    Attributes:
        pools: Compute for pages.
    """

    def __init__(self, here: Callable[[str], bool], clock: Callable[[], float] = monotonic) -> None:
        self.pools: list[WorkerPool] = []
        self._here, self._clock = here, clock
        self._missed: dict[str, float] = {}  # by page: since when

    def look(self) -> None:
        """See who is there."""
        now = self._clock()
        gone = {page for pool in self.pools for page in pool.sessions() if not self._here(page)}
        self._missed = {page: self._missed.get(page, now) for page in gone}
        for page in [page for page, since in self._missed.items() if now - since >= GONE_S]:
            for pool in self.pools:
                pool.end_session(page)
        end_visits(self._here, now)
        for pool in self.pools:
            pool.evict()

    def watch(self) -> None:
        """Look every few seconds, from a thread of its own, as long as this process lives."""
        try:
            self.look()
        finally:  # also after one that went wrong: else no job would ever end
            timer = threading.Timer(_LOOK_S, self.watch)
            timer.daemon = True
            timer.start()


def watch_sessions(pool: WorkerPool | None = None) -> None:
    """See that visits end, and what a pool computes for them, where there is a server that knows its pages."""
    if not runtime.exists():
        return
    with _once:
        first = not _monitors
        if first:
            _monitors.append(SessionMonitor(runtime.get_instance().is_active_session))
        if pool is not None:
            _monitors[0].pools.append(pool)
    if first:
        _monitors[0].watch()


def close_pools() -> None:
    """End all that is computed for visits: the server ends."""
    for monitor in _monitors:
        for pool in monitor.pools:
            pool.close()


def end_closed_sessions(pool: WorkerPool, client: Client) -> None:
    """End what a visitor has going in pages that are closed: whoever begins anew need not wait for that."""
    for page in pool.sessions(client.user) if client != NO_CLIENT else ():
        if not runtime.get_instance().is_active_session(page):
            pool.end_session(page, live=True)


def end_visits(is_open: Callable[[str], bool], now: float) -> None:
    """End the visits whose pages have all been closed for long enough.

    Args:
        is_open: Whether a session is connected.
        now: The time.
    """
    with _once:
        for visit in list(_all):
            visit.sessions = {session for session in visit.sessions if is_open(session)} or visit.sessions
            if any(map(is_open, visit.sessions)):
                visit.last_open = now
            elif now - visit.last_open > LEFT_S:
                for name in [key for key, known in _visits.items() if known is visit]:
                    del _visits[name]
                _all.discard(visit)
                store.forget_visit(visit.name)


def own_datasets() -> list[str]:
    """The data sets of this visit, the latest first."""
    found = st.session_state.get(_VISIT)
    return store.held(visit().name) if found is not None or uploads.root() is not None else []


def all_datasets() -> list[str]:
    """The names of all data sets that this visitor is offered."""
    return [*listed(), *own_datasets()]


def own_dataset(name: str) -> str:
    """The name that a data set of somebody's own has in this visit.

    A link from elsewhere names the other visit; if the same content was brought here, it is found.

    Raises:
        UserError: This visit does not have it.
    """
    found = next((own for own in store.held(visit().name) if same_dataset(own, name)), None)
    if found is None:
        raise UserError(uploads.MISSING)
    return found


def local_name(name: str) -> str:
    """The name that any data set has in this visit; ``UserError`` as in `own_dataset`."""
    return own_dataset(name) if uploads.is_own(name) else name


def check_owner(request: object) -> None:
    """Refuse to have anything computed about somebody else's data, however its name was come by."""
    for _, owner in uploads.NAME.findall(repr(request)):
        if owner != visit().name:
            raise UserError(uploads.MISSING)
