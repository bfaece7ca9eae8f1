"""How the explorer is started and answers: ``python app.py`` for this computer, ``python app.py --class`` for a room.

``streamlit run app.py`` does what the former does, and takes all of Streamlit's options.

A web page elsewhere can give its own name the number of this computer, and would then be let in as if it were ours.
Streamlit checks names for its websocket alone, so all else is checked here, and answered with a sentence.
"""

import argparse
import asyncio
import logging
import re
import secrets
import socket
import sys
import traceback
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from streamlit.starlette import App

from gfx_core import storage
from gfx_core.user_data.store import open_store
from pages.ui import sessions, shell
from pages.ui.components import mount
from pages.ui.sessions import COOKIE
from pages.ui.streamlit_private import prepare

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


NO_NETWORK = "This computer has no network, so other devices cannot reach it. Connect it, or set --address."
HERE = ("localhost", "127.0.0.1", "::1")
"""The names of this computer on itself."""
_NOWHERE = "192.0.2.1"  # is reserved for documentation: no computer has it, and nothing is sent there
INSTALLED = "gfx-explorer"
"""The command that starts it where the package is installed."""
LONGEST = 4000
"""Characters of a message in the log."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_MOST_USED = ("pages.ui.components.player", "pages.ui.explorer.parameters", "pages.ui.explain")


def settings() -> dict[str, Any]:
    """What `App` is made with, for `streamlit run`, for `python app.py` and for any ASGI server."""
    prepare()
    logging.setLogRecordFactory(CleanRecord)
    return {
        "lifespan": _lifespan,
        "routes": [*mount.routes(), *shell.routes()],
        "middleware": [Middleware(BaseHTTPMiddleware, dispatch=secure)],
    }


def start(script: str, arguments: Sequence[str]) -> None:
    """Start the server, and stay until it ends."""
    installed = any(Path(word).stem == INSTALLED for word in sys.orig_argv)
    about = "Open the explorer: for this computer, or with --class for a room."
    parser = argparse.ArgumentParser(prog=INSTALLED if installed else "python app.py", description=about)
    parser.add_argument("--class", dest="room", action="store_true", help="allow other devices on this network")
    parser.add_argument("--port", type=int, help="the port (default: 8501, or the next free one)")
    parser.add_argument("--address", metavar="NAME", help="the address to print, if this computer has several")
    parser.add_argument("--hosts", nargs="+", default=[], metavar="NAME", help="further names it answers to")
    parser.add_argument("--listen", metavar="ADDRESS", help="the address to listen on: 0.0.0.0 in a container")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    options = parser.parse_args(arguments)
    values: dict[str, Any] = {"server.headless": True} if options.headless else {}
    if options.port is not None:
        values["server.port"] = options.port
    if options.listen is not None:
        values["server.address"] = options.listen
    if options.room or options.hosts:
        values["server.allowedHosts"] = [*HERE, *options.hosts]
    if options.room:
        host, name = options.address or network_address(), socket.gethostname().lower()
        if not host:
            parser.exit(2, f"{NO_NETWORK}\n")
        values["server.allowedHosts"] += [host, name, f"{name}.local"]
        values |= {"server.address": "0.0.0.0", "browser.serverAddress": host}
    App(script, **settings()).run(config=values)


@asynccontextmanager
async def _lifespan(_: App) -> AsyncIterator[None]:
    """Print where the explorer is, once it is known, and open a browser there unless it is headless.

    At the end remove what visitors had brought. A SIGTERM needs that: Python ends by it without another word.
    """
    # what most pages need is loaded while the first visitor's browser still loads Streamlit's own scripts
    Thread(target=lambda: [import_module(name) for name in _MOST_USED], daemon=True).start()
    open_store()  # what a killed server left goes now, not when the first visitor comes
    here = _url("localhost")
    if room := room_address():
        sys.stdout.write(f"  For everybody in the room: {room}/learn\n  Open a class on: {here}/classroom\n\n")
        sys.stdout.flush()
    if not st.get_option("server.headless"):
        webbrowser.open(here)
    watch = asyncio.create_task(sessions.watch())
    try:
        yield
    finally:
        watch.cancel()
        for pool in sessions.pools:
            pool.close()  # else a worker may still write
        storage.remove_folders()


def _url(host: str) -> str:
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    return f"{scheme}://{host}:{st.get_option('server.port')}"


def room_address() -> str:
    """Where those in the room find this server, with scheme and port; empty if only this computer can."""
    name = st.get_option("browser.serverAddress")
    return "" if name in HERE else _url(name)


def network_address() -> str:
    """This computer's number in its network; empty without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_NOWHERE, 9))  # sends nothing, but chooses the way that would be taken
        except OSError:
            return ""
        return str(probe.getsockname()[0])


class CleanRecord(logging.LogRecord):
    """A record of the log on one line, without what a terminal obeys: it may quote what a visitor sent.

    A line break would begin a line that looks like one of the server's own. All loggers of this process make such
    records, Streamlit's and uvicorn's too.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        error = self.exc_info[1] if isinstance(self.exc_info, tuple) else None
        self.cause = ""
        if error is not None:
            frames = traceback.extract_tb(error.__traceback__)[-1:]
            self.cause, self.exc_info = f": {type(error).__name__}: {error} {frames}", None

    def getMessage(self) -> str:  # noqa: N802 (the name is Python's)
        text = f"{super().getMessage().strip()}{self.cause}"[:LONGEST]
        return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
