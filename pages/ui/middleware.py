"""What stands between a browser and the pages: headers of every answer, checks of host names, a visitor's cookie.

Headers: nothing is loaded from elsewhere, and nobody else may frame the pages.

Host names: a web page of somebody else's can give its own name the number of this computer, and would then be let in as
if it were ours. Streamlit checks names for its websocket; a page that loads and then stays empty helps nobody, so the
same is checked here for all else, and answered with a sentence.

The cookie: all tabs of a browser are one visitor (`pages.ui.sessions`). Scripts of a page cannot read it.
"""

import re
import secrets
from fnmatch import fnmatch
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from streamlit import config

from pages.ui.sessions import COOKIE

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


def content_policy(host: str) -> str:
    """The header on what may be loaded, for a page that was asked for under this name."""
    sockets = f"ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return "; ".join(f"{kind} {places.format(sockets=sockets).strip()}" for kind, places in CONTENT.items())


def is_allowed(host: str) -> bool:
    """Whether ``server.allowedHosts`` has the name of a host, which may end in a port."""
    patterns = config.get_option("server.allowedHosts")
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return not patterns or any(fnmatch(name, pattern.lower()) for pattern in patterns)


class SecurityHeaders:
    """Adds the headers to every answer; one that is there already stays. A browser without a cookie gets one.

    It refuses what is requested under a name that is not allowed.
    """

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        host = request.headers.get("host", "")
        added = {**HEADERS, "content-security-policy": content_policy(host)}
        if COOKIE not in request.cookies:
            added["set-cookie"] = f"{COOKIE}={secrets.token_urlsafe()}; Path=/; HttpOnly; SameSite=Lax"

        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        allowed = scope["path"].endswith(_ALWAYS) or is_allowed(host)
        await (self.app if allowed else PlainTextResponse(REFUSED, 421))(scope, receive, with_headers)
