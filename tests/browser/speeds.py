"""How fast the pages feel: ``python -m tests.browser.speeds`` prints all of them side by side with a bare page.

Every page is opened on a server that has just been started, by a headless Chromium. It lives here, and not among the
studies of gfx_core, because it needs a browser and knows the pages, of which gfx_core knows nothing. Seconds depend on
the computer and on what else it does: the ratio to a bare Streamlit page, measured in the same minute, does so much
less.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.controls import open_pickers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BARE = "A bare Streamlit page"
BARE_SCRIPT = 'import streamlit as st\n\nst.title("A page")\nst.markdown("Some words.")\n'
NO_PLAYWRIGHT = "The pages are looked at through Playwright: pip install -r tests/requirements.txt, then try again."
WAIT_MS = 120_000

_FIND = """
const within = (root, selector) => root.querySelector(selector)
    ?? [...root.querySelectorAll('*')].map((e) => e.shadowRoot && within(e.shadowRoot, selector)).find(Boolean);
const shown = (content) => {  // "outer >> inner": what is inner may be in a component of outer
    const [outer, inner] = content.split(' >> ');
    const found = document.querySelector(outer);
    const wanted = found && inner ? within(found, inner) : found;
    return Boolean(wanted?.getClientRects().length);
};
"""

SEEN = f"(content) => {{ {_FIND} return shown(content) && performance.now(); }}"
"""When a visitor sees it."""

QUIET = f"""([content, quiet_ms]) => {{ {_FIND}
    const running = document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'notRunning';
    const waiting = document.querySelector('[data-testid=stSkeleton], [data-testid=stProgress]');
    if (running || waiting || !shown(content)) {{ window.quietSince = undefined; return false; }}
    window.quietSince ??= performance.now();
    return performance.now() - window.quietSince >= quiet_ms && window.quietSince;
}}"""
"""Since when the page has nothing more to do and shows its content; it must stay so for a while to count."""


@dataclass(frozen=True)
class Look:
    """A page that is opened on a fresh server, or something that a visitor does on one that is there already.

    Attributes:
        title: What people call it.
        path: Its address.
        content: What must be there, while nothing is being computed, for it to be done.
        most_s: The goal for when it is settled; None if it has none.
        first: What is to be seen before that, where something is done on the page.
        most_first_s: The goal for that.
        most_ratio: The goal for the first content of a page that is opened, as a multiple of the bare page's.
        act: Does something on the page; the link then holds what is returned. Else opening it is what is timed.
        before: Done first, and not timed: whoever looks for a while finds everything loaded.
    """

    title: str
    path: str
    content: str
    most_s: float | None = 3.0
    first: str = ""
    most_first_s: float | None = None
    most_ratio: float | None = None
    act: "Callable[[Page], str] | None" = None
    before: "Callable[[Page], str] | None" = None


def _node(number: int) -> "Callable[[Page], str]":
    def act(page: "Page") -> str:
        open_pickers(page)
        field = page.get_by_label("Node (0 to 870)")
        field.fill(str(number))
        field.press("Enter")
        return f"index={number}"

    return act


def _type_molecule(page: "Page") -> str:
    field = page.get_by_role("textbox", name="Try a molecule or a sentence here")
    field.fill("CC(=O)Nc1ccc(O)cc1")
    field.press("Enter")
    return "try="


def _sample_again(page: "Page") -> str:
    page.get_by_role("button", name="Sample again").click()
    return "seed="


def _tune(page: "Page") -> str:
    page.get_by_text("Train on this one", exact=True).click()
    return "tune=1"


def _remove(edge: str, link: str) -> "Callable[[Page], str]":
    def act(page: "Page") -> str:
        page.locator(".edit-view section.now").get_by_role("button", name=edge, exact=True).dispatch_event("click")
        return link

    return act


def _flip(page: "Page") -> str:
    page.get_by_role("button", name="Flip it").click()
    return "edits="


def _what_if(title: str, path: str, edges: Sequence[str], flip: str) -> "tuple[Look, Look]":
    """An edge goes, after another one; and the flip of what was there before."""
    ids = ["".join(letter for letter in edge.replace("–", "-") if letter not in "CHNO") for edge in edges]
    one, both = ids[0], ".".join(ids)

    def there(what: str, edits: str) -> str:
        return f".st-key-what-if >> [data-{what}='{edits}']"

    acts = {"act": _remove(edges[1], both), "before": _remove(edges[0], one)}
    return (
        Look(f"What if: {title}", path, there("answered", both), 1.0, there("predicted", both), 0.3, **acts),
        Look(f"Flip it: {title}", path, there("answered", flip), None, there("predicted", flip), 1.0, act=_flip),
    )


GRID, BUTYL = "/explain?dataset=tree_grid&index=700", "/explain?dataset=mutagenicity&smiles=CCCCc1ccc(cc1)N(C)N%3DO"
PLAYER, EXPLAIN = ".st-key-player >> svg", "/explain?dataset=tree_cycles&index=612"
ALL_TOOLS = f"{EXPLAIN}&tools=all"
PICTURE, DATASET = ".st-key-neighbourhood >> [data-node='600'].start", "/datasets?dataset=tree_cycles&index=612"
LOOKS = (
    Look("Home, first card", "/", ".link-cards >> a", None, most_ratio=1.5),
    Look("Explain", EXPLAIN, PLAYER),
    Look("Learn", "/learn", "[data-testid=stMain] >> svg"),
    Look("Compare", "/compare?dataset=ba_shapes&index=301", ".st-key-methods-gallery >> svg"),
    Look("Data sets", "/datasets?dataset=ba_shapes&index=301", ".st-key-neighbourhood >> svg"),
    Look("Results", "/results", ".claims >> a"),
    Look("Data sets: a new instance's picture", DATASET, PICTURE, 0.5, act=_node(600), before=_node(700)),
    Look("Explain: a new instance", EXPLAIN, PLAYER, 1.0, act=_node(601), before=_node(602)),
    Look("Explain: sample again", ALL_TOOLS, PLAYER, 1.0, act=_sample_again, before=_node(603)),
    Look("Home: own molecule", "/", ".st-key-hero >> svg", 5.0, act=_type_molecule),
    Look("Explain: train on this one", ALL_TOOLS, PLAYER, 15.0, act=_tune, before=_node(604)),
    *_what_if("a node of Tree-Grid", f"{GRID}&whatif=1", ("700–701", "700–703"), "700-703.700-701"),
    *_what_if("a molecule of 30 atoms", f"{BUTYL}&whatif=1", ("C0–C1", "C2–C3"), "12-13"),
)


@dataclass(frozen=True)
class Seconds:
    """When the first content was seen, and when the page was settled; for what is done on a page the latter alone."""

    settled: float
    first: float | None = None


def measured(browser: "Browser", address: str, look: Look) -> Seconds:
    """Open a page or do something on it, once, in a fresh context."""

    def quiet(content: str, quiet_ms: int = 300) -> float:
        return page.wait_for_function(QUIET, arg=[content, quiet_ms], timeout=WAIT_MS).json_value() / 1000

    def do(act: "Callable[[Page], str]") -> None:
        page.wait_for_function("(text) => location.href.includes(text)", arg=act(page), timeout=WAIT_MS)

    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(address + look.path, wait_until="commit")
        if look.act is None:
            first = page.wait_for_function(SEEN, arg=look.content, timeout=WAIT_MS).json_value() / 1000
            return Seconds(quiet(look.content), first)
        quiet("h1", 600)
        if look.before is not None:
            do(look.before)
            quiet("h1", 600)
        page.evaluate("window.quietSince = undefined")
        started = page.evaluate("performance.now()") / 1000
        do(look.act)
        first = None
        if look.first:
            first = page.wait_for_function(SEEN, arg=look.first, timeout=WAIT_MS).json_value() / 1000 - started
        return Seconds(quiet(look.content) - started, first)


def table(found: Mapping[str, Sequence[Seconds]]) -> str:
    """The medians of all that was measured, side by side with the bare page, as Markdown.

    Args:
        found: The runs, by title.
    """

    def medians(title: str) -> tuple[float | None, float]:
        firsts = [run.first for run in found[title] if run.first is not None]
        return statistics.median(firsts) if firsts else None, statistics.median(run.settled for run in found[title])

    bare_first, bare_settled = medians(BARE)
    lines = [
        "|  | first content, s | × bare | settled, s | × bare | goal | reached |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for look in (Look(BARE, "/", "h1", None), *(look for look in LOOKS if look.title in found)):
        first, settled = medians(look.title)
        ratio = first / bare_first if first and bare_first else 0.0
        shown = f"{first:.2f} | {ratio:.1f}" if first else "– | –"
        goals = {
            f"first content ≤ {look.most_ratio or 0:g} × bare": look.most_ratio and ratio <= look.most_ratio,
            f"first content ≤ {look.most_first_s or 0:g} s": look.most_first_s and (first or 0) <= look.most_first_s,
            f"settled ≤ {look.most_s or 0:g} s": look.most_s and settled <= look.most_s,
        }
        told = {words: "yes" if reached else "no" for words, reached in goals.items() if reached is not None}
        goal = f"{', '.join(told) or '–'} | {', '.join(told.values()) or '–'}"
        lines.append(f"| {look.title} | {shown} | {settled:.2f} | {settled / bare_settled:.1f} | {goal} |")
    return "\n".join(lines)


def measure(runs: int, only: Sequence[str], say: Callable[[str], object]) -> dict[str, list[Seconds]]:
    """Measure everything some times, each time on fresh servers."""
    from playwright.sync_api import Error, sync_playwright

    from tests.browser.conftest import running_app
    from tests.chromium import launch

    wanted = [look for look in LOOKS if not only or any(word.lower() in look.title.lower() for word in only)]
    found: dict[str, list[Seconds]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "bare.py"
        script.write_text(BARE_SCRIPT, encoding="utf-8")
        browser = launch(playwright)
        for run in range(runs):
            for look, page in ((Look(BARE, "/", "h1"), script), *((look, "app.py") for look in wanted)):
                fresh = tempfile.mkdtemp(dir=folder)  # nothing is kept there that was computed before
                with running_app(Path(fresh), page) as address:
                    try:
                        found.setdefault(look.title, []).append(measured(browser, address, look))
                    except Error as error:  # the others are still worth knowing
                        say(f"{look.title}: {str(error).splitlines()[0]}")
            say(f"run {run + 1} of {runs} is done")
        browser.close()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.speeds", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each, of which the median is told")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="pages and doings with these in a title")
    options = parser.parse_args(arguments)
    try:
        import playwright.sync_api  # noqa: F401, is it there?
    except ImportError:
        sys.stderr.write(f"{NO_PLAYWRIGHT}\n")
        return 2
    found = measure(max(1, options.runs), options.only, lambda words: sys.stderr.write(f"{words}\n"))
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    made = f"Medians of {max(1, options.runs)}; {os.cpu_count()} cores{busy}. Goals are for two idle cores."
    sys.stdout.write(f"{table(found)}\n\n{made}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
