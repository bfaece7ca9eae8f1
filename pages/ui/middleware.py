"""What stands between a browser and the pages: headers of every answer, checks of host names, a visitor's cookie.

A web page elsewhere can give its own name the number of this computer, and would then be let in as if it were ours.
Streamlit checks names for its websocket alone, so all else is checked here, and answered with a sentence.
"""

import re
import secrets
from fnmatch import fnmatch

import streamlit as st
from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from pages.ui.sessions import COOKIE

HEADERS = {
    "content-security-policy": (
        "default-src 'self' data: blob:; "
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "  # Streamlit makes its components' scripts so
        "style-src 'self' 'unsafe-inline' blob: data:; "
        "frame-ancestors 'self'; object-src 'none'; base-uri 'self'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",  # a teacher's address holds a secret
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}
"""Nothing is loaded from elsewhere, and no other site may frame the pages."""
REFUSED = (
    "This explorer does not answer to that name. To allow it, start it with: "
    "streamlit run app.py --server.allowedHosts NAME\n"
)


async def secure(request: Request, answer: RequestResponseEndpoint) -> Response:
    """Refuse names that ``server.allowedHosts`` lacks, add the headers, and give each browser a cookie.

    All tabs of a browser are one visitor by the cookie (`pages.ui.sessions`), which scripts of a page cannot read.
    """
    patterns = st.get_option("server.allowedHosts")
    name = re.sub(r":\d+$", "", request.headers.get("host", "")).strip("[]").lower()
    allowed = not patterns or any(fnmatch(name, pattern.lower()) for pattern in patterns)
    response = await answer(request) if allowed else PlainTextResponse(REFUSED, 421)
    for header, value in HEADERS.items():
        response.headers.setdefault(header, value)
    if COOKIE not in request.cookies:
        response.set_cookie(COOKIE, secrets.token_urlsafe(), httponly=True, samesite="lax")
    return response
