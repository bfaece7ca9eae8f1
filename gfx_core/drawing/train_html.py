"""The views of a training: their looks as text, what the browser is given, and one HTML file that replays it offline.

The same modules in assets/train/ serve the explorer and the file.
"""

import html
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.drawing import colours
from gfx_core.drawing.colours import text_on
from gfx_core.drawing.modules import joined
from gfx_core.drawing.offline_page import OfflinePage

TRAIN = ASSETS / "train"
STYLES = ("../kit/kit", "train", "views")

_ROLES = {
    "water": colours.PARENT.colour,
    "stop": colours.MOTIF.colour,
    "off": colours.MISTAKE.colour,
    "start": colours.START.colour,
    "plain": colours.PLAIN.colour,
    "motif": colours.MOTIF.colour,
    "one": colours.CLASS_COLOURS[1],
    "other": colours.CLASS_COLOURS[0],
    "on-start": text_on(colours.START.colour),
}
"""Flow, what stops, what is off, nodes, and the two lanes, whose lines differ in dashes as well."""


@cache
def train_css() -> str:
    """The views' looks; the colours of roles and elements come from the one table."""
    roles = "".join(f"--{name}: {colour}; " for name, colour in _ROLES.items())
    elements = "".join(
        f".train .element-{element} {{ --element: {colour}; }}\n" for element, colour in colours.ELEMENTS.items()
    )
    return f".train {{ {roles}}}\n{elements}" + "\n".join(_read(f"{name}.css") for name in STYLES)


def train_parts(
    recording: Mapping[str, Any], token: str, known: Sequence[tuple[int, int]] | None = None
) -> dict[str, Any]:
    """What the browser is given of a Recording: all, or only what has come since.

    Args:
        recording: As JSON has it: ``gfx_core/training/recording.py`` says what is in it.
        token: Which training this is; frames under the same token belong together.
        known: How many scenes and frames of each lane are in the browser already.
    """
    lanes = recording["lanes"]
    before = known if known is not None and len(known) == len(lanes) else [(0, 0)] * len(lanes)
    return {
        "token": token,
        "title": recording["title"],
        "lanes": [
            {
                "name": lane["name"],
                "setting": lane["setting"],
                "end": lane["end"],
                "scenesFrom": min(scenes, len(lane["scenes"])),
                "scenes": lane["scenes"][scenes:],
                "from": min(frames, len(lane["frames"])),
                "frames": lane["frames"][frames:],
            }
            for lane, (scenes, frames) in zip(lanes, before, strict=True)
        ],
    }


def train_html(recording: Mapping[str, Any]) -> str:
    """One page that replays a training: it asks for nothing, and only its own script may run in it."""
    script = joined(TRAIN / "standalone.js")
    title = str(recording["title"])
    names = " and ".join(str(lane["name"]) for lane in recording["lanes"])
    body = f"""<header><h1>{html.escape(title)}</h1><p>A training, replayed</p>
<noscript><p>The replay needs JavaScript; it runs in this file alone and asks for nothing.</p></noscript>
<p class="hint"><kbd>space</kbd> play · <kbd>←</kbd> <kbd>→</kbd> frame · <kbd>Esc</kbd> let go</p></header>
<main class="train-host"></main>"""
    return str(
        OfflinePage(
            title=title,
            style=f"{_read('../player/standalone.css')}{train_css()}",
            body=body,
            data={**train_parts(recording, "file"), "live": None, "autoplay": True},
            scripts=(script,),
            images="data:",
            description=f"{names}: a training, replayed",
        )
    )


@cache
def _read(name: str) -> str:
    return (TRAIN / name).read_text(encoding="utf-8")
