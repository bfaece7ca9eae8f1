"""The pictures of the documents: ``python -m assets.screenshots.make`` makes them again from the app as it is."""

import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from gfx_core.config import ASSETS
from tests.browser.settling import settled
from tests.browser.tabs import Tabs
from tests.server import running

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

HERO, HERO_ANSWER = ".st-key-hero", "Play again"
LOOK_MS, REST_MS = 400, 4000  # between two looks at what plays; how long the answer stays
SHOTS = {
    "explain": ("/explain?dataset=tree_grid&index=514", ".st-key-player >> svg"),
    "what_if": ("/explain?dataset=tree_cycles&index=612&whatif=1&edits=609-610", ".st-key-what-if >> svg"),
    "rules": ("/datasets?dataset=ba_shapes&rules=1", "[data-testid=stMain] >> .network"),
    "compare": ("/compare", ".st-key-methods-gallery >> svg"),
    "train": ("/train?story=sequence", ".st-key-train-view >> canvas"),
    "learn": ("/learn", ".st-key-lesson-water >> canvas"),
}
"""Pictures by the name of their file: the page, and what must be there."""


def shot(part: "Page | Locator") -> Image.Image:
    return Image.open(io.BytesIO(part.screenshot())).convert("RGB")


def hero(page: "Page") -> list[Image.Image]:
    """What plays on Home, from its beginning to the answer."""
    again = page.locator(f"{HERO} button.again")
    again.filter(has_text=HERO_ANSWER).wait_for()
    again.click()
    frames, ended = [], False
    while not ended:
        ended = again.inner_text() == HERO_ANSWER
        frames.append(shot(page.locator(HERO)))
        page.wait_for_timeout(LOOK_MS)
    return frames


def main() -> None:
    """Make all pictures; the hero is a GIF that rests at its end."""
    from playwright.sync_api import sync_playwright

    from tests.chromium import launch

    folder = ASSETS / "screenshots"
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright, running(Path(data)) as server:
        browser = launch(playwright)
        tabs = Tabs(browser, height=880)
        page = tabs.take(1280, "light").page
        page.goto(server.address)
        settled(page)
        *frames, last = hero(page)
        palette = last.quantize(64, dither=Image.Dither.NONE)
        first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in (*frames, last)]
        durations = [LOOK_MS] * len(frames) + [REST_MS]
        first.save(folder / "hero.gif", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
        for name, (path, content) in SHOTS.items():
            page = tabs.take(1280, "light", "reduce").page
            page.goto(server.address + path)
            page.locator(content).first.wait_for()
            settled(page)
            shot(page).quantize(256).save(folder / f"{name}.png", optimize=True)
        browser.close()
    for file in sorted(folder.iterdir()):
        sys.stdout.write(f"{file}: {file.stat().st_size / 1024:.0f} KB\n")


if __name__ == "__main__":
    main()
