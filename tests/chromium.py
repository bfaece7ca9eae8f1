"""A real browser for the tests that need one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
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
