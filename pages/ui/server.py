"""How the explorer is started: ``python app.py`` for this computer, ``python app.py --class`` for all in the room.

``streamlit run app.py`` does what the former does, and takes all of Streamlit's options.

What the server writes to its log is visitors' text without control characters, and one line for what they break.
Whatever a visitor sends may turn up in a message: a line break in it would begin a line that looks like one of the
server's own, an escape code would rule the terminal of whoever reads the log. All records of this process are made
here, so all loggers are covered, Streamlit's and uvicorn's too.
"""

import argparse
import logging
import os
import re
import socket
import sys
import traceback
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from starlette.middleware import Middleware
from streamlit import config, net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App

from gfx_core import limits, storage
from gfx_core.user_data.store import open_store
from pages.ui import sessions
from pages.ui.components.mount import routes
from pages.ui.middleware import SecurityHeaders
from pages.ui.shell import FirstPaint

_ROOM = "GFX_ROOM"  # environment: the name or number under which those in the room find this computer
NO_NETWORK = "This computer has no network, so other devices cannot reach it. Connect it, or set --address."
LATE = "Streamlit reads --class too late. Start a class with: python app.py --class"
INSTALLED = "gfx-explorer"
"""The command that starts it where the package is installed."""
HERE = ("localhost", "127.0.0.1", "::1")
"""The names of this computer on itself."""
_NOWHERE = "192.0.2.1"  # is reserved for documentation: no computer has it, and nothing is sent there
LONGEST = 4000
"""Characters of a message; the middle of a longer one is left out."""
_MOST_LINES = 60  # of a traceback
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_OF_VISITORS = ("asyncio", "streamlit.runtime", "streamlit.web", "uvicorn", "websockets")
"""Loggers of what is between a browser and the pages: what fails there was sent by a visitor, and needs one line."""


def raise_open_files(wanted: int = limits.OPEN_FILES) -> None:
    """Allow this process as many files and connections as it may allow itself: a visitor takes three."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft not in (resource.RLIM_INFINITY, max(soft, most)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def settings() -> dict[str, Any]:
    """What `App` is made with, for `streamlit run`, for `python app.py` and for any ASGI server."""
    if "--class" in sys.argv[1:] and not os.environ.get(_ROOM):
        sys.exit(LATE)
    disable_address_lookup()
    clean_log()
    one_script()
    return {
        "lifespan": _lifespan,
        "routes": routes(),
        "middleware": [Middleware(SecurityHeaders), Middleware(FirstPaint)],
    }


def room_address() -> str:
    """Where those in the room find this server, with scheme and port; empty if only this computer can."""
    host = os.environ.get(_ROOM)
    return f"{_scheme()}://{host}:{config.get_option('server.port')}" if host else ""


def start(script: str, arguments: Sequence[str]) -> None:
    """Start the server, and stay until it ends."""
    installed = any(Path(word).stem == INSTALLED for word in sys.orig_argv)
    about = "Open the explorer in a browser: for this computer, or with --class for a room."
    parser = argparse.ArgumentParser(prog=INSTALLED if installed else "python app.py", description=about)
    parser.add_argument("--class", dest="room", action="store_true", help="allow other devices on this network")
    parser.add_argument("--port", type=int, help="the port (default: 8501, or the next free one)")
    parser.add_argument("--address", metavar="NAME", help="the address to print, if this computer has several")
    parser.add_argument("--hosts", nargs="+", default=[], metavar="NAME", help="further names it answers to")
    parser.add_argument("--listen", metavar="ADDRESS", help="the address to listen on: 0.0.0.0 in a container")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    options = parser.parse_args(arguments)
    server_options: dict[str, Any] = {"server.headless": True} if options.headless else {}
    if options.port is not None:
        server_options["server.port"] = options.port
    if options.listen is not None:
        server_options["server.address"] = options.listen
    if options.room:
        host = options.address or next(iter(addresses()), None)
        if host is None:
            parser.exit(2, f"{NO_NETWORK}\n")
        os.environ[_ROOM] = host
        hosts = allowed_hosts([host, *options.hosts])
        server_options |= {"server.address": "0.0.0.0", "server.allowedHosts": hosts, "browser.serverAddress": host}
    elif options.hosts:
        server_options["server.allowedHosts"] = allowed_hosts(options.hosts)
    App(script, **settings()).run(config=server_options)


@asynccontextmanager
async def _lifespan(_: App) -> AsyncIterator[None]:
    """Says where the explorer is, once it is known, and opens a browser there unless it should not.

    At the end it removes what visitors had brought. A SIGTERM needs that: Python ends by it without another word.
    """
    Thread(target=_load_modules, daemon=True).start()
    open_store()  # what a killed server left goes now, not when the first visitor comes
    if room := room_address():
        sys.stdout.write(f"  For everybody in the room: {room}/learn\n  Open a class on: {_here()}/classroom\n\n")
        sys.stdout.flush()
    raise_open_files()
    if not config.get_option("server.headless"):
        webbrowser.open(_here())
    try:
        yield
    finally:
        sessions.close_pools()  # else a worker may still write
        storage.remove_folders()


def _load_modules() -> None:
    """Load what most pages need while the first visitor's browser still loads Streamlit's own scripts."""
    for module in ("pages.ui.components.hero", "pages.ui.explorer.parameters", "pages.ui.explain.playback"):
        import_module(module)


def _here() -> str:
    """Where whoever started it finds it on the same computer."""
    return f"{_scheme()}://localhost:{config.get_option('server.port')}"


def _scheme() -> str:
    return "https" if config.get_option("server.sslCertFile") else "http"


def addresses() -> list[str]:
    """Its numbers in the networks it is in; the one that others most likely reach comes first."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_NOWHERE, 9))  # sends nothing, but chooses the way that would be taken
            found.append(probe.getsockname()[0])
        except OSError:  # there is no network
            pass
    try:
        known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        known = []
    found += [str(each[4][0]) for each in known]
    return [each for each in dict.fromkeys(found) if not each.startswith("127.")]


def allowed_hosts(more: Sequence[str] = ()) -> list[str]:
    """The names under which those in the room may ask."""
    name = socket.gethostname().lower()
    own = [name, f"{name}.local"] if name and "." not in name else [name]
    return list(dict.fromkeys([*HERE, *addresses(), *own, *more]))


def disable_address_lookup() -> None:
    """Streamlit would ask a service on the web under which address this computer is seen there.

    It does so at its start, and whenever a websocket is opened from a page of another name.
    """
    net_util.get_external_ip = lambda: None


def one_script() -> None:
    """Have app.py run for every page, from the first visitor on.

    Streamlit would take the files in pages/ for pages of their own, and list them, until `st.navigation` has run once.
    """
    PagesManager.uses_pages_directory = False


def clean_text(text: str) -> str:
    """A text on one line, without anything that a terminal obeys."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def one_line(error: BaseException) -> str:
    """An exception and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class CleanLogRecord(logging.LogRecord):
    """A record whose message and traceback can be written as they are."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        self._cause = ""
        error = self.exc_info[1] if isinstance(self.exc_info, tuple) else None
        if error is None:
            return
        if name.startswith(_OF_VISITORS):
            self._cause, self.exc_info = f": {one_line(error)}", None
        else:
            lines = "".join(traceback.format_exception(error)).splitlines()
            self.exc_text = "\n".join(f"  | {clean_text(line)}" for line in lines[-_MOST_LINES:])

    def getMessage(self) -> str:  # noqa: N802 (the name is Python's)
        return clean_text(f"{super().getMessage().strip()}{self._cause}")


def clean_log() -> None:
    """Have all records of this process made so."""
    logging.setLogRecordFactory(CleanLogRecord)
