"""Pages that show what was just computed are drawn one after the other.

Python draws one page at a time anyway, all that are under way sharing its time: beside ten of the large ones a lesson,
which needs nothing computed, would take as long as they do. So whoever has waited for an answer also waits for a turn,
and a lesson shares the time with one other page. Parts that run alone are small, and take no turn: only who draws a
whole page gives it back in any case, see `pages.ui.router.route`.
"""

import threading
from time import monotonic

from streamlit import runtime

from pages.ui.delivery import in_fragment

_MOST_S = 3.0  # nobody waits longer: some page may have come to a halt in its turn
_LOOK_S = 0.2  # so late at most is it seen that a thread has ended

_changed = threading.Condition()
_whose: list[threading.Thread] = []  # whose turn it is, at most one


def take() -> None:
    """Wait for a turn, where there is a server; it lasts until it is given back, or its thread has ended."""
    if not runtime.exists() or in_fragment() or threading.current_thread() in _whose:
        return
    until = monotonic() + _MOST_S
    with _changed:
        while any(thread.is_alive() for thread in _whose) and (left := until - monotonic()) > 0:
            _changed.wait(min(left, _LOOK_S))
        _whose[:] = [threading.current_thread()]


def give_back() -> None:
    """Let the next one draw: this page is drawn, or waits for something."""
    with _changed:
        if threading.current_thread() in _whose:
            _whose.clear()
            _changed.notify()
