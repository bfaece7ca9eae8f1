"""How fast the pages open: ``python -m tests.browser.speeds`` prints their seconds beside those of a bare page.

Every page is opened by a headless Chromium on a server that has just been started. Seconds depend on the computer: the
ratio to a bare Streamlit page, measured in the same minute, does so much less. The goal, 3 s, is for two idle cores.
"""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from tests.load.server import running

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUNS, WAIT_MS = 3, 120_000
QUIET = """([content, quiet_ms]) => {
    const within = (root, selector) => root.querySelector(selector)
        ?? [...root.querySelectorAll('*')].map((e) => e.shadowRoot && within(e.shadowRoot, selector)).find(Boolean);
    const [outer, inner] = content.split(' >> ');  // what is inner may be in a component of outer
    const part = document.querySelector(outer);
    const shown = part && inner ? within(part, inner) : part;
    const running = document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'notRunning';
    const waiting = document.querySelector('[data-testid=stSkeleton], [data-testid=stProgress]');
    if (running || waiting || !shown?.getClientRects().length) { window.quietSince = undefined; return false; }
    window.quietSince ??= performance.now();
    return performance.now() - window.quietSince >= quiet_ms && window.quietSince;
}"""
"""Since when a page has nothing more to do and shows its content; it must stay so for a while to count."""
BARE = 'import streamlit as st\n\nst.title("A page")\nst.markdown("Some words.")\n'
PAGES = {
    "A bare Streamlit page": ("/", "h1"),
    "Home": ("/", ".link-cards >> a"),
    "Explain": ("/explain?dataset=tree_cycles&index=612", ".st-key-player >> svg"),
    "Learn": ("/learn", "[data-testid=stMain] >> canvas"),
    "Compare": ("/compare?dataset=ba_shapes&index=301", ".st-key-methods-gallery >> svg"),
    "Data sets": ("/datasets?dataset=ba_shapes&index=301", ".st-key-neighbourhood >> svg"),
    "Results": ("/results", ".claims >> a"),
}
"""The addresses, and what must be there, while nothing is being computed, for the page to be open."""


def quiet_s(page: "Page", content: str, quiet_ms: int = 300) -> float:
    """Wait until a page has its content and nothing more to do; the seconds since it was opened."""
    since: float = page.wait_for_function(QUIET, arg=[content, quiet_ms], timeout=WAIT_MS).json_value()
    return since / 1000


def main() -> None:
    """Open every page some times, each time on a fresh server, and print the medians."""
    from playwright.sync_api import sync_playwright

    from tests.chromium import launch

    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare, browser = Path(folder) / "bare.py", launch(playwright)
        bare.write_text(BARE, encoding="utf-8")
        for title, (path, content) in list(PAGES.items()) * RUNS:
            data = Path(tempfile.mkdtemp(dir=folder))  # nothing that was computed before is kept there
            with running(data, bare if title not in list(PAGES)[1:] else "app.py") as server:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(server.address + path, wait_until="commit")
                rows.append((title, quiet_s(page, content)))
                page.close()
    seconds = pd.DataFrame(rows, columns=["page", "seconds"]).groupby("page", sort=False).median()
    seconds["× bare"] = seconds["seconds"] / seconds["seconds"].iloc[0]
    sys.stdout.write(f"{seconds.round(2).to_string()}\n")


if __name__ == "__main__":
    main()
