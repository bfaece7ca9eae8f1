"""What tests read of a player, and traces that show it at work."""

from playwright.sync_api import Locator, Page, expect

from gfx_core.text.answers import things
from gfx_core.text.numbers import counted
from gfx_core.trace.schema import Trace


def picture(page: Page) -> Locator:
    return page.locator(".stage svg.graph")


def drawn(page: Page) -> str:
    """The picture, with everything that is set on it."""
    return picture(page).evaluate("(svg) => new XMLSerializer().serializeToString(svg)")


def node(page: Page, index: int) -> Locator:
    return page.locator(f'.stage [data-node="{index}"]')


def at(page: Page, text: str) -> None:
    """Wait for the step counter."""
    expect(page.locator(".counter")).to_have_text(text)


def written(value: float, digits: int = 3) -> str:
    """A number as the player writes it."""
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share as the player writes it."""
    digits = 2 if share < 0.00995 else 1 if share < 0.0995 or share > 0.99 else 0
    return f"{100 * share:.{digits}f} %"


def ending(trace: Trace) -> str:
    """What is said of the found subgraph: without a truth only how large it is."""
    found, motif = len(trace.hits), len(trace.hits) + len(trace.missed)
    edge = things(trace).edge
    if motif:
        return f"{found} of {counted(motif, f'motif {edge}')} found, {len(trace.extra)} extra"
    return f"{counted(len(trace.final.edges), edge)} found"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
