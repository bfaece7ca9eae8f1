"""A visit: one browser's time here, what is computed for it, and the data sets that belong to it alone.

A reload or a second tab is the same visit; Streamlit takes each for a session of its own, and each is a page here. What
only a closed page had asked for ends after a while; when the last page of a visit has been closed for some minutes, all
that it had is gone. Streamlit tells nobody that a page was closed, so one thread looks every few seconds who is there.
"""

import re
import threading
from collections.abc import Callable
from time import monotonic

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client
from gfx_core.jobs.pool import WorkerPool
from gfx_core.user_data import store
from pages.ui.tidy import end_sessions, give_memory_back
from pages.ui.visitor import COOKIE, browser

_VISIT = "visit"  # session state
_NAMES = re.compile(r"own-[0-9a-f]{16}-[0-9a-f]{16}")


GONE_S = 30.0
"""What a page has asked for ends when its connection has been gone for so long: a short loss costs nothing."""
LEFT_S = 180.0
"""A visit ends when none of its pages has been open for so long; a page whose connection is lost has two minutes."""
_LOOK_S = 5.0
_TIDY_S = 20.0  # memory is given back no more often: it takes a tenth of a second


class Visit:
    """What belongs to one browser, whatever becomes of its sessions; `end_left` ends it.

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


_all: set[Visit] = set()
_visits: dict[str, Visit] = {}  # by browser
_once = threading.Lock()
_watching: "list[Presence]" = []  # at most one


def visit() -> Visit:
    """The visit that the page is drawn for."""
    found: Visit | None = st.session_state.get(_VISIT)
    if found is None:
        with _once:
            name = browser(st.context.cookies.get(COOKIE, ""))
            found = _visits.get(name) if name else None
            if found is None:
                found = Visit()
                if name:
                    _visits[name] = found
        st.session_state[_VISIT] = found
        watch()
    if (run := get_script_run_ctx()) is not None:
        found.sessions.add(run.session_id)
    return found


class Presence:
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
        self._alone = 0.0  # since when nobody is there; 0 if somebody is
        self._freed, self._tidied = False, self._clock()  # whether there is memory to give back; when that was done

    def look(self) -> None:
        """See who is there."""
        now = self._clock()
        gone = {page for pool in self.pools for page in pool.sessions() if not self._here(page)}
        self._missed = {page: self._missed.get(page, now) for page in gone}
        for page in [page for page, since in self._missed.items() if now - since >= GONE_S]:
            for pool in self.pools:
                pool.end_session(page)
        end_left(self._here, now)
        self._alone = 0.0 if any_here(self._here) else self._alone or now
        nobody = bool(self._alone) and now - self._alone >= GONE_S
        ended = end_sessions() + sum(pool.evict(0.0 if nobody else None) for pool in self.pools)
        self._freed = self._freed or ended > 0
        if self._freed and now - self._tidied >= _TIDY_S:
            self._freed, self._tidied = False, now
            give_memory_back()

    def watch(self) -> None:
        """Look every few seconds, from a thread of its own, as long as this process lives."""
        try:
            self.look()
        finally:  # also after one that went wrong: else nobody's jobs would ever end
            timer = threading.Timer(_LOOK_S, self.watch)
            timer.daemon = True
            timer.start()


def watch(pool: WorkerPool | None = None) -> None:
    """See that visits end, and what a pool computes for them, where there is a server that knows its pages."""
    if not runtime.exists():
        return
    with _once:
        first = not _watching
        if first:
            _watching.append(Presence(runtime.get_instance().is_active_session))
        if pool is not None:
            _watching[0].pools.append(pool)
    if first:
        _watching[0].watch()


def close_pools() -> None:
    """End all that is computed for visits: the server ends."""
    for presence in _watching:
        for pool in presence.pools:
            pool.close()


def leave_behind(pool: WorkerPool, client: Client) -> None:
    """End what a visitor has going in pages that are closed: whoever begins anew need not wait for that."""
    for page in pool.sessions(client.user) if client != NO_CLIENT else ():
        if not runtime.get_instance().is_active_session(page):
            pool.end_session(page, live=True)


def any_here(is_open: Callable[[str], bool]) -> bool:
    """Whether any page of any visit is open."""
    with _once:
        return any(is_open(session) for visit in _all for session in visit.sessions)


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
