"""Nothing that a run has drawn is lost on the way to the browser.

What a script draws waits in a queue of the server's. Streamlit throws away what still waits there when the browser asks
for a part of the page (`st.fragment`, by its clock or by a click) in the moment after the script has come to its end:
the answer that was just drawn, or the word that the browser is to ask again soon. On a busy computer that moment is
long. So whatever ends here ends only once the queue is empty: until then a run still goes on, and what the browser asks
for meanwhile waits its turn.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from time import monotonic
from typing import Any, NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType

loop: asyncio.AbstractEventLoop | None = None
"""The server's own; none where there is no server, as in tests."""
_MOST_S = 60.0  # then the server has other troubles; a busy computer takes seconds
_SLICE_S = 0.15  # so late at most is it heard that the browser asks for something else


def flush() -> None:
    """Wait until what was drawn so far has left the queue."""
    if loop is not None:
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(_MOST_S)


def in_fragment() -> bool:
    """Whether a part of the page runs alone, for the browser has asked for it again."""
    run = get_script_run_ctx()
    return run is not None and bool(run.fragment_ids_this_run)


def wait_in_fragment(ready: Callable[[float], bool], most_s: float) -> bool:
    """Let a part of the page that runs alone stay for something that it waits for, unless the browser asks for more.

    A browser that asks again and again hears of what is ready half an interval late, and each time costs the server
    a run; a run that stays costs nothing and tells at once.

    Args:
        ready: Waits for so many seconds at most, and says whether it is ready.
        most_s: The longest stay.
    """
    run, until = get_script_run_ctx(), monotonic() + most_s
    if run is None or not in_fragment():
        return False
    flush()  # what was drawn is seen meanwhile
    while (left := until - monotonic()) > 0 and not _is_interrupted(run.script_requests):
        if ready(min(left, _SLICE_S)):
            return True
    return False


def _is_interrupted(requests: ScriptRequests) -> bool:
    """Whether the browser wants something else of this page than to hear again by its clock."""
    by_clock = requests._state is ScriptRequestType.RERUN and requests._rerun_data.is_auto_rerun
    return requests._state is not ScriptRequestType.CONTINUE and not by_clock


def stop() -> NoReturn:
    """End the page here, as `st.stop` does."""
    flush()
    st.stop()


def fragment(part: Callable[..., None], run_every: float | None = None) -> Callable[..., None]:
    """A part of the page that is drawn again by itself, as `st.fragment` has it.

    Args:
        part: Draws it.
        run_every: So many seconds after each other the browser asks for it again; never by itself by default.
    """

    @wraps(part)
    def drawn(*args: Any, **settings: Any) -> None:
        part(*args, **settings)
        if in_fragment():  # else the page goes on
            flush()

    return st.fragment(drawn, run_every=run_every)
