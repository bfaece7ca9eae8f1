"""A visit: one browser's time here, and the data sets that belong to it. Nobody else can reach them.

A reload or a second tab is the same visit; Streamlit takes each for a session of its own. The browser is known by the
random cookie that Streamlit gives it against forged requests. When the last session of a visit is gone, so is all that
it had.
"""

import re
import threading
import weakref

import streamlit as st

from gfx_core.datasets.own import store
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from pages.ui import visits

_VISIT = "visit"  # session state
_NAMES = re.compile(r"own-[0-9a-f]{16}-[0-9a-f]{16}")


class Visit:
    """What its sessions hold on to; its room is cleared when the last of them lets go.

    Attributes:
        name: Sixteen digits that nobody guesses.
    """

    def __init__(self) -> None:
        self.name = store.new_visit()
        weakref.finalize(self, store.forget_visit, self.name)


_visits: "weakref.WeakValueDictionary[str, Visit]" = weakref.WeakValueDictionary()  # by browser
_once = threading.Lock()


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
    return found


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
