"""What stands between a browser and the pages: headers of every answer, checks of host names, limits of uploads.

Headers: nothing is loaded from elsewhere, and nobody else may frame the pages.

Host names: a web page of somebody else's can give its own name the number of this computer, and would then be let in as
if it were ours. Streamlit checks names for its websocket; a page that loads and then stays empty helps nobody, so the
same is checked here for all else, and answered with a sentence.

Uploads: how much visitors may have on the server that no page has read yet is asked before a file's bytes are taken.
Streamlit takes any number of files of any session, each up to ``server.maxUploadSize``, and holds them in memory until
it has forgotten the session, minutes after its page was closed, or for good. A visitor has many sessions: what is
limited is what a visitor has, and an address, whatever names those there invent.
"""

import asyncio
import contextlib
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from gfx_core import limits
from pages.ui.sessions import COOKIE, UPLOAD_REFUSED, user_id

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob: data:",  # Streamlit makes its components' scripts so
    "style-src": "'self' 'unsafe-inline' blob: data:",
    "img-src": "'self' data: blob:",
    "media-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob: {sockets}",  # older Safaris do not take a websocket for 'self'
    "worker-src": "'self' blob:",
    "frame-src": "'self' data: blob:",
    "frame-ancestors": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
"""From where a page may load what. What is quoted stays text anyway; this holds should it ever not."""

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",  # a teacher's address holds a secret
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?")
REFUSED = (
    "This explorer does not answer to that name. To allow it, start it with: "
    "streamlit run app.py --server.allowedHosts NAME\n"
)
_ALWAYS = "/_stcore/health"  # health checks request it, under any name; it reveals nothing
MB = 2**20
_PLACE = "/_stcore/upload_file/"


def content_policy(host: str) -> str:
    """The header on what may be loaded, for a page that was asked for under this name."""
    sockets = f"ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return "; ".join(f"{kind} {places.format(sockets=sockets).strip()}" for kind, places in CONTENT.items())


class SecurityHeaders:
    """Adds the headers to every answer; one that is there already stays.

    It refuses what is asked under a name that is not allowed, by ``server.allowedHosts``.
    """

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host")
        added = {**HEADERS, "content-security-policy": content_policy(host or "")}

        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        allowed = scope["path"].endswith(_ALWAYS) or is_host_allowed(host)
        await (self.app if allowed else PlainTextResponse(REFUSED, 421))(scope, receive, with_headers)


class UploadLimits:
    """Refuses a file for which there is no room: what is on its way counts as if it were there."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app
        self._coming: list[tuple[str, int]] = []  # sessions and bytes of files on their way
        self._owners: dict[str, tuple[str, str]] = {}  # by session: the visitor and the address, while it has files

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "websocket":  # a page, as long as it is open
            try:
                await self.app(scope, receive, send)
            finally:
                self._release_later()
            return
        if scope["type"] != "http" or scope["method"] != "PUT" or _PLACE not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session, size = scope["path"].partition(_PLACE)[2].partition("/")[0], _size(scope)
        if refusal := self._refusal(session, size):
            _show_refusal(session, refusal)
            await _skip(receive, size)
            await PlainTextResponse(f"{refusal}\n", 413)(scope, receive, send)
            return
        self._coming.append((session, size))
        try:
            await self.app(scope, receive, send)
        finally:
            self._coming.remove((session, size))
            self._release_later()

    def _refusal(self, session: str, size: int) -> str:
        """Why there is no room for a file, a sentence; empty where there is."""
        there = [*_held(), *self._coming]
        self._owners = {each: self._owners[each] for each, _ in there if each in self._owners}
        visitor, address = self._owners.setdefault(session, _owner(session))
        of_visitor = [each for other, each in there if self._owners.get(other, ("", ""))[0] == visitor]
        of_address = [each for other, each in there if self._owners.get(other, ("", ""))[1] == address]
        if len(of_visitor) >= limits.UPLOAD_FILES:
            held = f"You have {limits.UPLOAD_FILES} files here that no page has read yet, in this tab or another."
            return f"{held} Remove one."
        if sum(of_visitor) + size > limits.UPLOAD_BYTES:
            most = f"{limits.UPLOAD_BYTES // MB} MB"
            return f"Your files here would be more than {most} together. Remove one, then try again."
        if sum(of_address) + size > limits.UPLOAD_BYTES_PER_ADDRESS:
            return "Visitors at your network address have too many files here just now. Try again in a minute."
        if sum(each for _, each in there) + size > limits.UPLOAD_BYTES_IN_ALL:
            return "The server has no space for another file now. Try again in a minute."
        return ""

    def _release_later(self) -> None:
        """Let go of files whose page is closed, unless it comes back in time."""
        closed = {session for session, _ in _held() if not _is_open(session)}
        if closed:
            asyncio.get_running_loop().call_later(limits.UPLOAD_CLOSED_S, _release, closed)


def _manager() -> MemoryUploadedFileManager | None:
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    return manager if isinstance(manager, MemoryUploadedFileManager) else None


def _held() -> list[tuple[str, int]]:
    """Sessions and bytes of the files that are there."""
    manager = _manager()
    held = list(manager.file_storage.items()) if manager is not None else []
    return [(session, len(file.data)) for session, files in held for file in list(files.values())]


def _is_open(session: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def _release(sessions: Collection[str]) -> None:
    manager = _manager()
    for session in sessions:
        if manager is not None and not _is_open(session):
            manager.remove_session_files(session)


def _owner(session: str) -> tuple[str, str]:
    """The visitor and the address of a session, as its page told them: whoever sends a file could tell any."""
    client = runtime.get_instance().get_client(session) if runtime.exists() else None
    page = client.client_context if client is not None else None
    if page is None:
        return "", ""
    address = page.remote_ip or ""
    return user_id(page.cookies.get(COOKIE, ""), address), address


def _show_refusal(session: str, refusal: str) -> None:
    """Have the page say why: of what is answered to a refused file, Streamlit's field shows the number only."""
    page = runtime.get_instance().get_app_session(session) if runtime.exists() else None
    shown = getattr(page, "_client_state", None)  # the page and its link, as Streamlit has them to draw it once more
    if page is not None and shown is not None:
        page.session_state[UPLOAD_REFUSED] = refusal
        page.request_rerun(shown)


async def _skip(receive: "Receive", size: int) -> None:
    """Read a file without keeping it, where it is not too large for that: else the browser never sees the answer."""
    left = size if size <= limits.UPLOAD_BYTES else 0
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def _size(scope: "Scope") -> int:
    """How large a file may turn out to be: as it says, or as large as any may be."""
    with contextlib.suppress(ValueError):
        return max(0, int(Headers(scope=scope).get("content-length", "")))
    return int(config.get_option("server.maxUploadSize")) * MB
