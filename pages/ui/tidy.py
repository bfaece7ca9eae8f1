"""Pages that were closed give back what they held: their session, its open files, and the memory.

Streamlit keeps the session of a closed page for two minutes, so that the page may come back. That is for connections
that are lost: a browser that closes a page, or leaves it, says so, and opens another session when it comes back.
Streamlit throws those away whose time is over only when the next page is closed: after the last visitors have left, all
that they had stays, with three open files for each. What is freed then still belongs to this process: the C library
gives it back only if it is told.
"""

import ctypes
import gc
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from streamlit import runtime

from pages.ui.delivery import in_server

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_GOODBYE = (1000, 1001)  # what a websocket says that is closed on purpose; one that is lost says nothing

_M_ARENA_MAX = -8  # what glibc calls the number of heaps

_left: set[str] = set()  # sessions whose pages were closed; only the server's thread changes it


class Goodbyes:
    """Hears which pages are closed on purpose."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        async def heard() -> "Message":
            message = await receive()
            if message["type"] == "websocket.disconnect" and message.get("code") in _GOODBYE:
                _left.update(_sessions_of(scope))
            return message

        await self.app(scope, heard if scope["type"] == "websocket" else receive, send)


def _sessions_of(scope: "Scope") -> list[str]:
    """The session of a connection, while it is there."""
    manager = getattr(runtime.get_instance(), "_session_mgr", None) if runtime.exists() else None
    active = manager.list_active_sessions() if manager is not None else ()
    sockets = {info.session.id: getattr(info.client, "_websocket", None) for info in active}
    return [session for session, socket in sockets.items() if getattr(socket, "scope", None) is scope]


def end_sessions() -> int:
    """End the sessions whose pages cannot come back any more; how many there were."""
    server = runtime.get_instance() if runtime.exists() else None
    sessions = getattr(getattr(server, "_session_mgr", None), "_session_storage", None)
    kept = getattr(sessions, "_cache", None)
    if not hasattr(kept, "expire"):  # another Streamlit: then it is as it was
        return 0
    ended: list[Any] = []

    def end() -> None:
        ended.extend(info for _, info in kept.expire())
        ended.extend(info for session in _left if (info := kept.pop(session, None)) is not None)
        _left.clear()
        for info in ended:
            info.session.shutdown()

    in_server(end)
    return len(ended)


def keep_memory_together() -> None:
    """Have all threads share two heaps: with one for each, which is usual, what is free lies in small pieces in all."""
    with suppress(OSError, AttributeError):  # only glibc knows how
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def give_memory_back() -> None:
    """Let the operating system have what is free; a session holds on to itself in circles until it is collected."""
    gc.collect()
    with suppress(OSError, AttributeError):  # only glibc knows how
        ctypes.CDLL(None).malloc_trim(0)
