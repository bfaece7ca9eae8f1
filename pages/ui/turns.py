"""Pages that show what was just computed are drawn one after the other.

Python draws one page at a time anyway, all that are under way sharing its time: beside ten of the large ones a lesson,
which needs nothing computed, would take as long as they do. So whoever has waited for an answer also waits for a turn,
and a lesson shares the time with one other page. Parts that run alone are small, and take no turn: only who draws a
whole page gives it back in any case, see `pages.ui.router.route`.
"""

import threading

from streamlit import runtime

from pages.ui.delivery import in_fragment

_MOST_S = 3.0  # nobody waits longer: some page may have come to a halt in its turn

_turn = threading.Lock()
_thread = threading.local()  # whether it is this thread's turn


def take() -> None:
    """Wait for a turn, where there is a server; it lasts until it is given back."""
    if runtime.exists() and not in_fragment() and not getattr(_thread, "has", False):
        _thread.has = _turn.acquire(timeout=_MOST_S)


def give_back() -> None:
    """Let the next one draw: this page is drawn, or waits for something."""
    if getattr(_thread, "has", False):
        _thread.has = False
        _turn.release()
