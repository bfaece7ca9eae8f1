"""A real browser against a real server. Nothing outside this computer may be asked for anything."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, Request, WebSocket, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
NO_BROWSER = (
    "The browser tests need Chromium and none could be found or installed: "
    "install it, or set GFX_CHROMIUM to the path of Chromium or Chrome."
)
expect.set_options(timeout=60_000)  # importing torch for the first time takes a while

OpenPage = Callable[..., Page]


def installed_chromium() -> str | None:
    """A Chromium or Chrome of this computer."""
    named = os.environ.get("GFX_CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _tried(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=300).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def launch(playwright: Playwright) -> Browser:
    """Start a browser: an installed one, else Playwright's own, else one from the system's packages."""
    path = installed_chromium()
    if path is None and _tried(sys.executable, "-m", "playwright", "install", "chromium"):
        try:
            return playwright.chromium.launch(args=ARGUMENTS)
        except Exception:  # downloaded, but the system lacks libraries it needs: try the next way
            path = None
    if path is None and hasattr(os, "geteuid") and os.geteuid() == 0 and _tried("apt-get", "update"):
        _tried("apt-get", "install", "-y", "chromium")
        path = installed_chromium()
    if path is None:
        pytest.fail(NO_BROWSER, pytrace=False)
    return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@contextmanager
def running_app(data: Path) -> Iterator[str]:
    """The app on a free port; yields its address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1", "--server.fileWatcherType=none"]
    log = (data / "server.log").open("w")
    server = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "GFX_DATA": str(data)}, stdout=log, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail(f"The app did not start: {(data / 'server.log').read_text()[-2000:]}", pytrace=False)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)
        log.close()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests, with an empty data folder."""
    with running_app(tmp_path_factory.mktemp("app")) as address:
        yield address


@pytest.fixture
def open_page(browser: Browser, app: str) -> Iterator[OpenPage]:
    """Open an address of the app in a fresh context; at the end no request may have gone elsewhere."""
    outside: list[str] = []
    contexts = []

    def watch(request: Request | WebSocket) -> None:  # the browser itself resolves no other names
        local = urlsplit(request.url).hostname in ("127.0.0.1", "localhost")
        if not local and not request.url.startswith(("data:", "blob:")):
            outside.append(request.url)

    def open_it(path: str = "/", width: int = 1280, theme: str = "light", address: str = app) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        contexts.append(context)
        context.on("request", watch)
        page = context.new_page()
        page.on("websocket", watch)
        page.set_default_timeout(60_000)
        page.goto(address + path)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert not outside, f"requests left this computer: {outside}"
