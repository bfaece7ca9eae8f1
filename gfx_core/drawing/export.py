"""What leaves the explorer and works without it: pages that play a trace or replay a training, other files of a trace.

The same bundles and style sheets serve the explorer and the files. A page asks nobody for anything, and only its own
scripts may run in it.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS, Task
from gfx_core.drawing import colours
from gfx_core.drawing.colours import text_on
from gfx_core.errors import UserError
from gfx_core.text.answers import flow_words, trace_title
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.edit import shown_reason
from gfx_core.trace.schema import NAME, Trace
from gfx_core.trace.serialize import to_json

if TYPE_CHECKING:
    from gfx_core.drawing.state_graph import DagPicture

    States = tuple[DagPicture, str]  # the state space, and its caption

PLAYER_STYLES = ("kit/kit", "player/graph", "player/player", "player/panels")
TRAIN_STYLES = ("kit/kit", "state_graph/state_graph", "train/train", "train/views")

_GROUPS = (colours.CLASS_COLOURS[1], colours.CLASS_COLOURS[0], "#2aa6a6", "#9a6bd1")
"""The pieces that a cut vertex holds together; each is numbered as well."""
MOST_STATES = 1_500_000
"""The most characters that the state space may add to a file."""
UNLISTED = "This file does not contain the state space: it was not listed when the file was made."
TOO_LARGE = "This file does not contain the state space: it is too large."
NOTEBOOK_HEIGHT = "760px"
"""Of the player in a notebook."""
PLAYS = "allow-scripts allow-downloads"
"""What the frame of a player in a notebook may do."""


def player_roles(scope: str) -> str:
    """The colours of roles in the player, and of atoms, from the one table."""
    inks = "".join(
        f"--{name}-ink: color-mix(in srgb, var(--{name}) 72%, var(--ink)); " for name in ("frontier", "parent", "cut")
    )
    return colours.role_css(
        scope,
        elements=True,
        more=f"{inks}--on-start: {text_on(colours.START.colour)}; ",
        start=colours.START,
        action=colours.ACTION,
        motif=colours.MOTIF,
        frontier=colours.FRONTIER,
        cut=colours.CUT_VERTEX,
        parent=colours.PARENT,
        extra=colours.MISTAKE,
        plain=colours.PLAIN,
    )


@cache
def player_css() -> str:
    """The player's looks."""
    groups = "".join(
        f".player .group-{number} {{ --group: {colour}; --on-group: {text_on(colour)}; }}\n"
        for number, colour in enumerate(_GROUPS)
    )
    return player_roles("player") + groups + "\n".join(_read(f"{name}.css") for name in PLAYER_STYLES)


def train_roles(scope: str, *, elements: bool = False) -> str:
    """The colours of flow, of what stops, of what is off, of nodes, and of the two lanes."""
    one, other = reversed(colours.CLASS_COLOURS)  # their lines differ in dashes as well
    return colours.role_css(
        scope,
        elements=elements,
        more=f"--one: {one}; --other: {other}; --on-start: {text_on(colours.START.colour)}; ",
        water=colours.PARENT,
        stop=colours.MOTIF,
        off=colours.MISTAKE,
        start=colours.START,
        plain=colours.PLAIN,
        motif=colours.MOTIF,
    )


@cache
def train_css() -> str:
    """The looks of a training's views."""
    return train_roles("train", elements=True) + "\n".join(_read(f"{name}.css") for name in TRAIN_STYLES)


@cache
def state_graph_css() -> str:
    """How a state graph looks beside the player and in lessons."""
    return train_roles("state-graph") + _read("state_graph/state_graph.css")


@dataclass(frozen=True)
class OfflinePage:
    """What such a file holds.

    Attributes:
        title: Its title, as text.
        style: Its looks, as CSS.
        body: Its markup; texts in it are escaped by whoever makes it.
        data: What its scripts read, from the element ``data``; none by default.
        scripts: They run in this order, after the body; no others may.
        module: A bundle, which runs after these; none by default.
        images: Where pictures may come from, as its policy spells it: nowhere by default.
        description: For whoever looks for it or links to it, as text.
    """

    title: str
    style: str
    body: str
    data: Any = None
    scripts: tuple[str, ...] = ()
    module: str = ""
    images: str = ""
    description: str = ""

    def __str__(self) -> str:
        """The file."""
        about = f'<meta name="description" content="{html.escape(self.description)}">\n' if self.description else ""
        scripts = "".join(f"<script>{script}</script>\n" for script in self.scripts)
        scripts += f'<script type="module">{self.module}</script>\n' if self.module else ""
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{self._policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(self.title)}</title>
{about}<style>{self.style}</style>
</head>
<body>
{self.body}
{self._data}{scripts}</body>
</html>
"""

    @property
    def _policy(self) -> str:
        parts = ["default-src 'none'"]
        parts += [f"img-src {self.images}"] * bool(self.images)
        parts += ["style-src 'unsafe-inline'"]
        run = [*self.scripts, *[self.module] * bool(self.module)]
        digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in run)
        hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
        return "; ".join([*parts, *[f"script-src {hashes}"] * bool(hashes)])

    @property
    def _data(self) -> str:
        """No "<" is left in it, so nothing in it can end the script element."""
        if self.data is None:
            return ""
        texts = json.dumps(self.data, ensure_ascii=False).replace("<", "\\u003c")
        return f'<script type="application/json" id="data">{texts}</script>\n'


def player_html(trace: Trace, states: "States | None" = None) -> str:
    """One page that plays a trace: it asks for nothing, and only its own script may run in it.

    Args:
        trace: What it plays.
        states: What stands under States; without it, or where that would be too large, it says there why not.
    """
    beside = _states(states)
    drawn = "picture" in beside
    title = page_title(trace)
    body = f"""<header><h1>{html.escape(title)}</h1><p>{html.escape(_subtitle(trace))}</p>
<p>{html.escape(" ".join((*trace.notes, flow_words(trace))))}</p>
<noscript><p>{html.escape(_answer(trace))}</p></noscript>
<p class="hint"><kbd>←</kbd> <kbd>→</kbd> step · <kbd>space</kbd> play · <kbd>P</kbd> present</p></header>
<main class="player-host"></main>"""
    return str(
        OfflinePage(
            title=title,
            style=f"{_read('player/standalone.css')}{player_css()}{state_graph_css() if drawn else ''}",
            body=body,
            data={
                "trace": to_json(trace),
                "theorem": theorem_words(trace),
                "options": {"autoplay": True, "atAnswer": True, "states": beside, "reason": shown_reason(trace)},
            },
            module=_read(f"bundles/player_page{'_states' if drawn else ''}.mjs"),
            images="data: blob:",
            description=_answer(trace),
        )
    )


def _states(states: "States | None") -> dict[str, Any]:
    """The state space as the player reads it; where it has none, words that say why."""
    if states is None:
        return {"words": UNLISTED}
    picture, words = states
    listed = {"picture": asdict(picture), "words": words}
    return {"words": TOO_LARGE} if len(json.dumps(listed)) > MOST_STATES else listed


def page_title(trace: Trace) -> str:
    """Which prediction it is of: a molecule's name or sum formula, how a sentence begins, or a number."""
    if trace.is_sentence or NAME in trace.made:
        return trace_title(trace)
    if atoms := [node.element for node in trace.nodes if node.element]:
        from gfx_core.text.names import formula  # only here: what names need takes a while to load

        return f"{trace.dataset_title} · {formula(atoms)}"
    return f"{trace.dataset_title} · {'node' if trace.task is Task.NODE else 'graph'} {trace.index}"


def _subtitle(trace: Trace) -> str:
    share = trace.prediction.probabilities[trace.prediction.predicted]
    return f"Why does the GNN predict “{trace.classes[trace.prediction.predicted]}” ({share:.0%})?"


def _answer(trace: Trace) -> str:
    """The answer as text: in the page without its script, and for whoever looks for it or links to it."""
    return _subtitle(trace) if trace.answer is None else trace.answer.sentence


def train_parts(recording: Mapping[str, Any], token: str, known: Sequence[int] | None = None) -> dict[str, Any]:
    """What the browser is given of a Recording: all, or only the frames that have come since, with their scenes.

    Args:
        recording: As JSON has it: ``gfx_core/training/recording.py`` says what is in it.
        token: Which training this is; frames under the same token belong together.
        known: How many frames of each lane are in the browser already.
    """
    lanes = recording["lanes"]
    before = known if known is not None and len(known) == len(lanes) else [0] * len(lanes)
    return {
        "token": token,
        "title": recording["title"],
        "lanes": [
            {
                "name": lane["name"],
                "end": lane["end"],
                "from": since,
                "frames": lane["frames"][since:],
                "scenes": [scene for scene in lane["scenes"] if scene["from"] >= since],
            }
            for lane, count in zip(lanes, before, strict=True)
            for since in [min(count, len(lane["frames"]))]
        ],
    }


def train_html(recording: Mapping[str, Any]) -> str:
    """One page that replays a training: it asks for nothing, and only its own script may run in it."""
    title = str(recording["title"])
    names = " and ".join(str(lane["name"]) for lane in recording["lanes"])
    body = f"""<header><h1>{html.escape(title)}</h1><p>A training, replayed</p>
<noscript><p>The replay needs JavaScript; it runs in this file alone and asks for nothing.</p></noscript>
<p class="hint"><kbd>space</kbd> play · <kbd>←</kbd> <kbd>→</kbd> frame · <kbd>Esc</kbd> let go</p></header>
<main class="train-host"></main>"""
    return str(
        OfflinePage(
            title=title,
            style=f"{_read('player/standalone.css')}{train_css()}",
            body=body,
            data={**train_parts(recording, "file"), "live": None},
            module=_read("bundles/train_page.mjs"),
            images="data:",
            description=f"{names}: a training, replayed",
        )
    )


def content(trace: Trace, suffix: str) -> bytes:
    """A file by its ending: ``.html``, ``.json`` or ``.gif``."""
    if suffix in (".html", ".htm"):
        return player_html(trace).encode()
    if suffix == ".json":
        return to_json(trace).encode()
    if suffix == ".gif":
        from gfx_core.drawing.gif import gif  # resvg and Pillow are optional extras of the library

        return gif(trace)
    raise UserError(f"An explanation is saved as .html, .json or .gif (got “{suffix or 'no ending'}”).")


def in_notebook(trace: Trace, words: str) -> str:
    """The player under the answer in words."""
    answer = "<br>".join(html.escape(line) for line in words.splitlines())
    title = words.splitlines()[0] if words else "An explanation"
    return f"<p>{answer}</p>\n{framed(player_html(trace), title)}"


def framed(page: str, title: str, allowed: str = PLAYS, height: str = NOTEBOOK_HEIGHT) -> str:
    """A page in a frame of its own, shut off from the notebook around it.

    The frame may do what is allowed, such as run its own script, and nothing else: it has no origin, so it can neither
    read nor change the notebook.
    """
    return (
        f'<iframe sandbox="{allowed}" srcdoc="{html.escape(page, quote=True)}" '
        f'title="{html.escape(title, quote=True)}" style="width:100%;height:{height};border:0"></iframe>'
    )


@cache
def _read(name: str) -> str:
    """A file of assets/ as text."""
    return (ASSETS / name).read_text(encoding="utf-8")
