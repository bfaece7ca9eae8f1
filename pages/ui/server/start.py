"""How the explorer is started: ``python app.py`` for this computer, ``python app.py --class`` for all in the room.

``streamlit run app.py`` does what the former does, and takes all of Streamlit's options.
"""

import argparse
import os
import sys
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.middleware import Middleware
from streamlit import config
from streamlit.starlette import App

from gfx_core import storage
from gfx_core.open_files import raise_limit
from gfx_core.temporary import remove_folders
from gfx_core.user_data.store import open_store
from pages.ui import visit
from pages.ui.server.headers import SecurityHeaders
from pages.ui.server.hosts import AllowedHosts, ask_nobody
from pages.ui.server.log import clean_log
from pages.ui.server.room import addresses, allowed_hosts
from pages.ui.server.upload_limits import UploadLimits
from pages.ui.tidy import Goodbyes, keep_memory_together

_ROOM = "GFX_ROOM"  # environment: the name or number under which those in the room find this computer
NO_NETWORK = "This computer is in no network: nobody else could reach it. Connect it, or name its address: --address."
LATE = "Streamlit listens already when it hears of --class. Start it for a class with: python app.py --class"


def settings() -> dict[str, Any]:
    """What `App` is made with, for `streamlit run`, for `python app.py` and for any ASGI server."""
    if "--class" in sys.argv[1:] and not os.environ.get(_ROOM):
        sys.exit(LATE)
    ask_nobody()
    clean_log()
    keep_memory_together()
    return {
        "lifespan": _lifespan,
        "middleware": [*map(Middleware, (SecurityHeaders, AllowedHosts, UploadLimits, Goodbyes))],
    }


def room_address() -> str:
    """Where those in the room find this server, with scheme and port; empty if only this computer can."""
    host = os.environ.get(_ROOM)
    return f"{_scheme()}://{host}:{config.get_option('server.port')}" if host else ""


def start(script: str, arguments: Sequence[str]) -> None:
    """Start the server, and stay until it ends."""
    parser = argparse.ArgumentParser(prog="python app.py", description=__doc__)
    parser.add_argument("--class", dest="room", action="store_true", help="let all in the same network in")
    parser.add_argument("--port", type=int, help="where to listen (default: 8501, or the next that is free)")
    parser.add_argument("--address", metavar="NAME", help="what to give out, where this computer has several addresses")
    parser.add_argument("--hosts", nargs="+", default=[], metavar="NAME", help="further names it may be asked by")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    options = parser.parse_args(arguments)
    given: dict[str, Any] = {"server.headless": True} if options.headless else {}
    if options.port is not None:
        given["server.port"] = options.port
    if options.room:
        host = options.address or next(iter(addresses()), None)
        if host is None:
            parser.exit(2, f"{NO_NETWORK}\n")
        os.environ[_ROOM] = host
        hosts = allowed_hosts([host, *options.hosts])
        given |= {"server.address": "0.0.0.0", "server.allowedHosts": hosts, "browser.serverAddress": host}
    elif options.hosts:
        given["server.allowedHosts"] = allowed_hosts(options.hosts)
    App(script, **settings()).run(config=given)


@asynccontextmanager
async def _lifespan(_: App) -> AsyncIterator[None]:
    """Says where the explorer is, once it is known, and opens a browser there unless it should not.

    At the end it removes what visitors had brought. A SIGTERM needs that: Python ends by it without another word.
    """
    open_store()  # what a killed server left goes now, not when the first visitor comes
    storage.memory_root()
    if room := room_address():
        sys.stdout.write(f"  For everybody in the room: {room}/learn\n  Open a class on: {_here()}/classroom\n\n")
        sys.stdout.flush()
    if few := raise_limit():
        sys.stdout.write(f"  {few}\n\n")
        sys.stdout.flush()
    if not config.get_option("server.headless"):
        webbrowser.open(_here())
    try:
        yield
    finally:
        visit.close_pools()  # else a worker may still write
        remove_folders()


def _here() -> str:
    """Where whoever started it finds it on the same computer."""
    return f"{_scheme()}://localhost:{config.get_option('server.port')}"


def _scheme() -> str:
    return "https" if config.get_option("server.sslCertFile") else "http"
