"""A real browser for the tests that need one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

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
    "The browser tests need Chromium or Chrome; none was found, and only root can install one. Install it (Debian, "
    "Ubuntu: sudo apt-get install chromium), or set GFX_CHROMIUM to the path of one, and run the tests again."
)
FOLDERS = ("browser", "js", "site")
"""Whose tests need a browser."""


def launch(playwright: "Playwright") -> "Browser":
    """Start a browser: the one that is named, else an installed one, else Playwright's own."""
    from playwright.sync_api import Error

    path = os.environ.get("GFX_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)
    try:
        return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    except Error:  # there is none, or the system lacks libraries that it needs
        raise RuntimeError(NO_BROWSER) from None


def install_chromium(paths: Iterable[str], root: Path) -> None:
    """Install a browser before the first test runs, if none starts and tests that need one are to be run.

    Args:
        paths: Files and folders of the tests to be run, perhaps with names of tests.
        root: The folder of the repository.
    """
    chosen = [Path(path.split("::")[0]).resolve() for path in paths]
    needing = [root / "tests" / name for name in FOLDERS]
    if not any(path.is_relative_to(folder) or folder.is_relative_to(path) for path in chosen for folder in needing):
        return
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        commands += [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]
    while commands and not _starts():
        sys.stdout.write(f"No browser was found: {' '.join(commands[0])}\n")
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(commands.pop(0), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)


def _starts() -> bool:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        try:
            launch(playwright).close()
        except RuntimeError:
            return False
    return True
