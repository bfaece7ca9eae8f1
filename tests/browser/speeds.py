"""How fast the pages feel: ``python -m tests.browser.speeds`` prints all of them side by side with a bare page.

Every page is opened by a headless Chromium on a server that has just been started. Seconds depend on the computer and
on what else it does: the ratio to a bare Streamlit page, measured in the same minute, does so much less. The goals are
for two idle cores.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from tests.browser.controls import open_pickers
from tests.load.server import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BARE = 'import streamlit as st\n\nst.title("A page")\nst.markdown("Some words.")\n'
WAIT_MS = 120_000
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


@dataclass(frozen=True)
class Look:
    """A page that is opened, or something that is done on one that is there already.

    Attributes:
        title: What people call it.
        path: Its address.
        content: What must be there, while nothing is being computed, for it to be done.
        goal_s: In at most so many seconds; None if it has no goal.
        act: Does something on the page; the address then holds what is returned. Else opening the page is timed.
    """

    title: str
    path: str
    content: str
    goal_s: float | None = 3.0
    act: "Callable[[Page], str] | None" = None


def pick_node(page: "Page") -> str:
    open_pickers(page)
    field = page.get_by_label(re.compile(r"^Node \("))
    field.fill("600")
    field.press("Enter")
    return "index=600"


def type_molecule(page: "Page") -> str:
    field = page.get_by_test_id("stTextInputField")
    field.fill("CC(=O)Nc1ccc(O)cc1")
    field.press("Enter")
    return "try="


def press(name: str, link: str) -> "Callable[[Page], str]":
    def act(page: "Page") -> str:
        page.get_by_text(name, exact=True).click()
        return link

    return act


PLAYER, EXPLAIN = ".st-key-player >> svg", "/explain?dataset=tree_cycles&index=612"
PICTURE, GRID = ".st-key-neighbourhood >> [data-node='600'].start", "/explain?dataset=tree_grid&index=700&whatif=1"
LOOKS = (
    Look("Home", "/", ".link-cards >> a", None),
    Look("Explain", EXPLAIN, PLAYER),
    Look("Learn", "/learn", "[data-testid=stMain] >> canvas"),
    Look("Compare", "/compare?dataset=ba_shapes&index=301", ".st-key-methods-gallery >> svg"),
    Look("Data sets", "/datasets?dataset=ba_shapes&index=301", ".st-key-neighbourhood >> svg"),
    Look("Results", "/results", ".claims >> a"),
    Look("Data sets: another node", "/datasets?dataset=tree_cycles&index=612", PICTURE, 0.5, pick_node),
    Look("Explain: another node", EXPLAIN, PLAYER, 1.0, pick_node),
    Look("Explain: sample again", f"{EXPLAIN}&tools=all", PLAYER, 1.0, press("Sample again", "seed=")),
    Look("Explain: train on this one", f"{EXPLAIN}&tools=all", PLAYER, 15.0, press("Train on this one", "tune=1")),
    Look("Home: own molecule", "/", ".st-key-hero >> svg", 5.0, type_molecule),
    Look("Flip it", GRID, ".st-key-what-if >> [data-answered='700-701.700-703']", None, press("Flip it", "edits=")),
)


def settled_s(browser: "Browser", address: str, look: Look) -> float:
    """Open a page or do something on it, once, in a fresh context; the seconds until it has nothing more to do."""

    def quiet(content: str, quiet_ms: int) -> float:
        return page.wait_for_function(QUIET, arg=[content, quiet_ms], timeout=WAIT_MS).json_value() / 1000

    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(address + look.path, wait_until="commit")
        if look.act is None:
            return quiet(look.content, 300)
        quiet("h1", 600)
        page.evaluate("window.quietSince = undefined")
        began = page.evaluate("performance.now()") / 1000
        page.wait_for_function("(text) => location.href.includes(text)", arg=look.act(page), timeout=WAIT_MS)
        return quiet(look.content, 300) - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything some times, each time on fresh servers, and print the medians."""
    from playwright.sync_api import sync_playwright

    from tests.chromium import launch

    parser = argparse.ArgumentParser(prog="python -m tests.browser.speeds", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each, of which the median is printed")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="pages with these in a title")
    options = parser.parse_args(arguments)
    looks = [look for look in LOOKS if any(word.lower() in look.title.lower() for word in options.only)]
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "bare.py"
        script.write_text(BARE, encoding="utf-8")
        bare, browser = Look("A bare Streamlit page", "/", "h1", None), launch(playwright)
        for look in [bare, *looks] * options.runs:
            data = tempfile.mkdtemp(dir=folder)  # nothing is kept there that was computed before
            with running(Path(data), script if look is bare else "app.py") as server:
                rows.append((look.title, settled_s(browser, server.address, look)))
    seconds = pd.DataFrame(rows, columns=["page", "settled, s"]).groupby("page", sort=False).median()
    seconds["× bare"] = seconds["settled, s"] / seconds.loc[bare.title, "settled, s"]
    seconds["goal, s"] = [look.goal_s for look in [bare, *looks]]
    sys.stdout.write(f"{seconds.round(2).to_string()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
