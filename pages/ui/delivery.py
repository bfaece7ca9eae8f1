"""Nothing that a run has drawn is lost on the way to the browser.

What a script draws waits in a queue of the server's. Streamlit throws away what still waits there when the browser asks
for a part of the page (`st.fragment`, by its clock or by a click) in the moment after the script has come to its end:
the answer that was just drawn, or the word that the browser is to ask again soon. On a busy computer that moment is
long. So whatever ends here ends only once the queue is empty: until then a run still goes on, and what the browser asks
for meanwhile waits its turn.
"""

import asyncio
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

_MOST_S = 5.0  # then the server has other troubles


def in_server(call: Callable[[], None]) -> None:
    """Have something called in the server's own thread, after all that waits there, and wait for that.

    Nothing is called where there is no server, as in tests.
    """
    loop = runtime.get_instance()._get_async_objs().eventloop if runtime.exists() else None
    if not isinstance(loop, asyncio.AbstractEventLoop):
        return
    done = threading.Event()

    def both() -> None:
        try:
            call()
        finally:
            done.set()

    loop.call_soon_threadsafe(both)
    done.wait(_MOST_S)


def deliver() -> None:
    """Wait until what was drawn so far has left the queue."""
    in_server(lambda: None)


def stop() -> NoReturn:
    """End the page here, as `st.stop` does."""
    deliver()
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
        run = get_script_run_ctx()
        if run is not None and run.fragment_ids_this_run:  # else the page goes on
            deliver()

    return st.fragment(drawn, run_every=run_every)
