"""What every answer tells the browser: nothing is loaded from elsewhere, and nobody else may frame the pages."""

import re
from typing import TYPE_CHECKING, Any

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


def content_policy(host: str) -> str:
    """The header on what may be loaded, for a page that was asked for under this name."""
    sockets = f"ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return "; ".join(f"{kind} {places.format(sockets=sockets).strip()}" for kind, places in CONTENT.items())


class SecurityHeaders:
    """Adds the headers to every answer; one that is there already stays."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app
        self._added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        added = [*self._added, (b"content-security-policy", content_policy(host).encode())]

        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                given: list[tuple[bytes, Any]] = list(message.get("headers", []))
                known = {name.lower() for name, _ in given}
                message["headers"] = given + [pair for pair in added if pair[0] not in known]
            await send(message)

        await self.app(scope, receive, with_headers)
