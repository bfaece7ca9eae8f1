"""The pictures of the documents: ``python -m tests.browser.pictures`` makes them anew from the app as it is.

It lives beside the browser tests because it needs a browser and knows the pages.
"""

import argparse
import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from tests.browser.speeds import QUIET, WAIT_MS
from tests.load.server import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "screenshots"
HERO_PATH, HERO, HERO_ANSWER = "/", ".st-key-hero", "Play again"
LOOK_MS, REST_MS = 400, 4000  # between two looks at what plays; how long the answer stays
COLOURS = 64  # in a file


SHOTS = {
    "explain": ("/explain?dataset=tree_grid&index=514", ".st-key-player >> svg"),
    "what_if": ("/explain?dataset=tree_cycles&index=612&whatif=1&edits=609-610", ".st-key-what-if >> svg"),
    "rules": ("/datasets?dataset=ba_shapes&rules=1", "[data-testid=stMain] >> .network"),
    "compare": ("/compare", ".st-key-methods-gallery >> svg"),
    "train": ("/train?story=sequence", ".st-key-train-view >> canvas"),
    "learn": ("/learn", "[data-testid=stMain] >> svg"),
}
"""Pictures by the name of their file: the page, and what must be there."""


def picture(browser: "Browser", address: str, content: str) -> Image.Image:
    """A page once it is settled."""
    with browser.new_context(viewport={"width": 1280, "height": 880}, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_function(QUIET, arg=[content, 2000], timeout=WAIT_MS)
        return Image.open(io.BytesIO(page.screenshot()))


def hero(browser: "Browser", address: str) -> list[Image.Image]:
    """What plays on Home, from its beginning to the answer."""
    with browser.new_context(viewport={"width": 1280, "height": 880}) as context:
        page = context.new_page()
        page.goto(address + HERO_PATH)
        page.wait_for_function(QUIET, arg=[f"{HERO} >> svg", 300], timeout=WAIT_MS)
        again = page.locator(f"{HERO} button.again")
        again.filter(has_text=HERO_ANSWER).wait_for(timeout=WAIT_MS)
        frames = []
        again.click()
        while True:
            ended = again.inner_text() == HERO_ANSWER
            frames.append(Image.open(io.BytesIO(page.locator(HERO).screenshot())).convert("RGB"))
            if ended:
                return frames
            page.wait_for_timeout(LOOK_MS)


def animation(frames: Sequence[Image.Image]) -> bytes:
    """A GIF that rests at its end; pictures that are the same are one that stays longer."""
    shown: list[tuple[Image.Image, int]] = []
    for frame in frames:
        if shown and shown[-1][0].tobytes() == frame.tobytes():
            shown[-1] = (frame, shown[-1][1] + LOOK_MS)
        else:
            shown.append((frame, LOOK_MS))
    shown[-1] = (shown[-1][0], REST_MS)
    palette = shown[-1][0].quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in shown]
    out = io.BytesIO()
    durations = [stays for _, stays in shown]
    first.save(out, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    return out.getvalue()


def main(arguments: Sequence[str] | None = None) -> int:
    """Make all pictures."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.pictures", description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER", help="default: %(default)s")
    folder: Path = parser.parse_args(arguments).out
    from playwright.sync_api import sync_playwright

    from tests.chromium import launch

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright, running(Path(data)) as server:
        browser = launch(playwright)
        files = [folder / "hero.gif"]
        files[0].write_bytes(animation(hero(browser, server.address)))
        for name, (path, content) in SHOTS.items():
            file = folder / f"{name}.png"
            picture(browser, server.address + path, content).convert("RGB").quantize(256).save(file, optimize=True)
            files.append(file)
        browser.close()
    for file in files:
        sys.stdout.write(f"{file}: {file.stat().st_size / 1024:.0f} KB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
