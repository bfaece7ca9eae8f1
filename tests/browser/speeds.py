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
class Opening:
    """A page that is opened on a fresh server.

    Attributes:
        title: What people call it.
        path: Its address.
        content: What must be there for a visitor to see something.
        most_s: The goal for when it is settled; None if it has none.
        most_ratio: The goal for its first content, as a multiple of the bare page's.
    """

    title: str
    path: str
    content: str
    most_s: float | None = 3.0
    most_ratio: float | None = None


OPENINGS = (
    Opening("Home, first card", "/", ".link-cards >> a", None, 1.5),
    Opening("Explain", "/explain?dataset=tree_cycles&index=612", ".st-key-player >> svg"),
    Opening("Learn", "/learn", "[data-testid=stMain] >> svg"),
    Opening("Compare", "/compare?dataset=ba_shapes&index=301", ".st-key-methods-gallery >> svg"),
    Opening("Data sets", "/datasets?dataset=ba_shapes&index=301", ".st-key-neighbourhood >> svg"),
    Opening("Results", "/results", ".number-table table"),
)


@dataclass(frozen=True)
class Doing:
    """Something that a visitor does on a page that is there already.

    Attributes:
        title: What it is.
        path: The page, opened before.
        act: Does it; the link then holds what is returned.
        content: What must be there, while nothing is being computed, for it to be done.
        most_s: The goal.
        before: Done first, and not timed: whoever looks for a while finds everything loaded.
    """

    title: str
    path: str
    act: "Callable[[Page], str]"
    content: str
    most_s: float
    before: "Callable[[Page], str] | None" = None


def _number(label: str, number: int) -> "Callable[[Page], str]":
    def act(page: "Page") -> str:
        field = page.get_by_label(label)
        field.fill(str(number))
        field.press("Enter")
        return f"index={number}"

    return act


def _molecule(smiles: str) -> "Callable[[Page], str]":
    def act(page: "Page") -> str:
        field = page.get_by_role("textbox", name="Try a molecule or a sentence here")
        field.fill(smiles)
        field.press("Enter")
        return "try="

    return act


def _draw_again(page: "Page") -> str:
    page.get_by_role("button", name="Draw again").click()
    return "seed="


def _tune(page: "Page") -> str:
    page.get_by_text("Train on this one", exact=True).click()
    return "tune=1"


PLAYER, EXPLAIN = ".st-key-player >> svg", "/explain?dataset=tree_cycles&index=612"
DOINGS = (
    Doing(
        "Data sets: a new instance's picture",
        "/datasets?dataset=tree_cycles&index=612",
        _number("Node (0 to 870)", 600),
        ".st-key-neighbourhood >> [data-node='600'].start",
        0.5,
        _number("Node (0 to 870)", 700),
    ),
    Doing(
        "Explain: a new instance",
        EXPLAIN,
        _number("Node (0 to 870)", 601),
        PLAYER,
        1.0,
        _number("Node (0 to 870)", 602),
    ),
    Doing("Explain: draw again", EXPLAIN, _draw_again, PLAYER, 1.0, _number("Node (0 to 870)", 603)),
    Doing("Home: own molecule", "/", _molecule("CC(=O)Nc1ccc(O)cc1"), ".st-key-hero >> svg", 5.0),
    Doing("Explain: train on this one", EXPLAIN, _tune, PLAYER, 15.0, _number("Node (0 to 870)", 604)),
)


@dataclass(frozen=True)
class Seconds:
    """When the first content was seen, and when the page was settled; for what is done on a page the latter alone."""

    settled: float
    first: float | None = None


def opened(browser: "Browser", address: str, opening: Opening) -> Seconds:
    """Open a page once, in a fresh context."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(address + opening.path, wait_until="commit")
        first = page.wait_for_function(SEEN, arg=opening.content, timeout=WAIT_MS).json_value()
        return Seconds(_quiet(page, opening.content) / 1000, first / 1000)


def done(browser: "Browser", address: str, doing: Doing) -> Seconds:
    """Do something on a page, once."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(address + doing.path)
        _quiet(page, "h1", 600)
        if doing.before is not None:
            _wait_for_link(page, doing.before(page))
            _quiet(page, "h1", 600)
        page.evaluate("window.quietSince = undefined")
        started = page.evaluate("performance.now()")
        _wait_for_link(page, doing.act(page))
        return Seconds((_quiet(page, doing.content) - started) / 1000)


def _quiet(page: "Page", content: str, quiet_ms: int = 300) -> float:
    found: float = page.wait_for_function(QUIET, arg=[content, quiet_ms], timeout=WAIT_MS).json_value()
    return found


def _wait_for_link(page: "Page", text: str) -> None:
    page.wait_for_function("(text) => location.href.includes(text)", arg=text, timeout=WAIT_MS)


def medians(runs: Sequence[Seconds]) -> Seconds:
    """The middle of some runs."""
    firsts = [run.first for run in runs if run.first is not None]
    return Seconds(statistics.median(run.settled for run in runs), statistics.median(firsts) if firsts else None)


def table(found: Mapping[str, Sequence[Seconds]]) -> str:
    """All that was measured, side by side with the bare page, as Markdown.

    Args:
        found: The runs, by title.
    """
    middle = {title: medians(runs) for title, runs in found.items() if runs}
    bare = middle.get(BARE)
    lines = [
        "|  | first content, s | × bare | settled, s | × bare | goal | reached |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for title, seconds in middle.items():
        goal, reached = _goal(title, seconds, bare)
        times = [(seconds.first, bare.first if bare else None), (seconds.settled, bare.settled if bare else None)]
        cells = [cell for time, other in times for cell in (_written(time), _written(_ratio(time, other), 1))]
        lines.append(f"| {' | '.join([title, *cells, goal, reached])} |")
    return "\n".join(lines)


def _goal(title: str, seconds: Seconds, bare: Seconds | None) -> tuple[str, str]:
    opening = next((each for each in OPENINGS if each.title == title), None)
    if opening is not None and opening.most_ratio is not None:
        ratio = _ratio(seconds.first, bare.first if bare else None)
        said = "–" if ratio is None else "yes" if ratio <= opening.most_ratio else "no"
        return f"first content ≤ {opening.most_ratio:g} × bare", said
    most = next((each.most_s for each in (*OPENINGS, *DOINGS) if each.title == title), None)
    return ("–", "–") if most is None else (f"settled ≤ {most:g} s", "yes" if seconds.settled <= most else "no")


def _ratio(time: float | None, other: float | None) -> float | None:
    return time / other if time is not None and other else None


def _written(number: float | None, digits: int = 2) -> str:
    return "–" if number is None else f"{number:.{digits}f}"


def measure(runs: int, only: Sequence[str], say: Callable[[str], object]) -> dict[str, list[Seconds]]:
    """Measure everything some times, each time on fresh servers."""
    from playwright.sync_api import Error, sync_playwright

    from tests.browser.conftest import running_app
    from tests.chromium import launch

    def wanted(title: str) -> bool:
        return not only or any(word.lower() in title.lower() for word in only)

    found: dict[str, list[Seconds]] = {BARE: []}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data, script = Path(folder), Path(folder) / "bare.py"
        script.write_text(BARE_SCRIPT, encoding="utf-8")
        browser = launch(playwright)
        for run in range(runs):
            with running_app(data, script) as address:
                found[BARE].append(opened(browser, address, Opening(BARE, "/", "h1")))
            for each in filter(lambda each: wanted(each.title), (*OPENINGS, *DOINGS)):
                look = opened if isinstance(each, Opening) else done
                fresh = tempfile.mkdtemp(dir=folder)  # nothing is kept there that was computed before
                with running_app(Path(fresh)) as address:
                    try:
                        found.setdefault(each.title, []).append(look(browser, address, each))
                    except Error as error:  # the others are still worth knowing
                        say(f"{each.title}: {str(error).splitlines()[0]}")
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
