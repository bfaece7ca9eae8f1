"""Pages that were closed give back what they held: their session, its open files, and the memory.

Streamlit keeps the session of a closed page for two minutes, so that the page may come back. It throws those away whose
time is over only when the next page is closed: after the last visitors have left, all that they had stays, with three
open files for each. What is freed then still belongs to this process: the C library gives it back only if it is told.
"""

import ctypes
import gc
from contextlib import suppress
from typing import Any

from streamlit import runtime

from pages.ui.delivery import in_server


def end_sessions() -> int:
    """End the sessions whose pages cannot come back any more; how many there were."""
    server = runtime.get_instance() if runtime.exists() else None
    sessions = getattr(getattr(server, "_session_mgr", None), "_session_storage", None)
    kept = getattr(sessions, "_cache", None)
    if not hasattr(kept, "expire"):  # another Streamlit: then it is as it was
        return 0
    ended: list[Any] = []

    def end() -> None:
        for _, info in kept.expire():
            ended.append(info)
            info.session.shutdown()

    in_server(end)
    return len(ended)


def give_memory_back() -> None:
    """Let the operating system have what is free; a session holds on to itself in circles until it is collected."""
    gc.collect()
    with suppress(OSError, AttributeError):  # only glibc knows how
        ctypes.CDLL(None).malloc_trim(0)
