"""What leaves the explorer and works without it: pages that play a trace or replay a training, other files of a trace.

The explorer and the files share bundles and style sheets. A page's template is in ``assets/pages``: it escapes
all texts, fetches nothing, and only its own scripts may run in it.
"""

import html
import io
import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import ROLES
from gfx_core.drawing.masks import state_picture
from gfx_core.drawing.svg import STYLE
from gfx_core.drawing.templates import asset, render
from gfx_core.errors import UserError
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.text.answers import flow_words, trace_title
from gfx_core.text.captions import player_words, story_words
from gfx_core.text.numbers import listed
from gfx_core.trace.edit import shown_reason
from gfx_core.trace.schema import Step, Trace
from gfx_core.trace.serialize import to_json

if TYPE_CHECKING:
    from gfx_core.drawing.state_graph import DagPicture

    States = tuple[DagPicture, str]  # the state space, and its caption

_SHEETS = {
    "player": ("kit/kit", "player/graph", "player/player", "player/panels"),
    "train": ("kit/kit", "state_graph/state_graph", "train/train", "train/views"),
    "state-graph": ("state_graph/state_graph",),
    "view": ("kit/kit", "site/site"),
}
MOST_STATES = 1_500_000
"""The most characters that the state space may add to a file, which is without it where it has more."""
NOTEBOOK_HEIGHT = 760
"""Pixels of the player in a notebook."""


@cache
def css(scope: str) -> str:
    """Style sheets of the player, a training, a state graph or the site, after all colours of roles as variables."""
    return "\n".join([render("pages/roles.css", scope=scope), *(asset(f"{name}.css") for name in _SHEETS[scope])])


def player_data(trace: Trace) -> dict[str, Any]:
    """What the player is given of a trace: itself as JSON, and words that follow rules of ours."""
    return {"trace": to_json(trace), "words": player_words(trace)}


def player_html(trace: Trace, states: "States | None" = None) -> str:
    """One page that plays a trace.

    Args:
        trace: What it plays.
        states: What is shown under States.
    """
    panel = None if states is None else {"picture": asdict(states[0]), "words": states[1]}
    if len(json.dumps(panel)) > MOST_STATES:
        panel = None
    share, predicted = trace.prediction.probability, trace.classes[trace.prediction.predicted]
    question = f"Why does the GNN predict “{predicted}” ({share:.0%})?"
    return render(
        "pages/player.html",
        title=trace_title(trace),
        question=question,
        notes=" ".join((*trace.notes, flow_words(trace))),
        description=question if trace.answer is None else trace.answer.sentence,
        style=asset("player/standalone.css") + css("player") + css("state-graph") * (panel is not None),
        data={
            **player_data(trace),
            "options": {"autoplay": True, "atAnswer": True, "states": panel, "reason": shown_reason(trace)},
        },
        module=asset("bundles/player_page_states.mjs" if panel else "bundles/player_page.mjs"),
    )


def train_parts(recording: Mapping[str, Any], token: str, sent: Sequence[int] | None = None) -> dict[str, Any]:
    """A Recording for the browser: all, or only the frames that have come since, with their scenes.

    Args:
        recording: As in JSON, see ``gfx_core/training/recording.py``.
        token: Which training this is; frames under the same token belong together.
        sent: How many frames of each lane are in the browser already.
    """
    if sent is None or len(sent) != len(recording["lanes"]):
        sent = [0] * len(recording["lanes"])
    lanes = []
    for lane, count in zip(recording["lanes"], sent, strict=True):
        first = min(count, len(lane["frames"]))
        scenes = [_named(scene) for scene in lane["scenes"] if scene["from"] >= first]
        since = {"from": first, "frames": lane["frames"][first:], "scenes": scenes}
        lanes.append({"name": lane["name"], "end": lane["end"], **since})
    changes = _changes(recording["lanes"])
    return {"token": token, "lanes": lanes, "changes": changes, "live": None}


def _named(scene: Mapping[str, Any]) -> dict[str, Any]:
    """A scene with names of its nodes, and of its states where each node is a letter.

    Without an instance a state has a label, and stands in a column by the longest way from the start.
    """
    nodes, states = scene["nodes"], scene["states"]
    if not nodes:
        column = [0] * len(states)
        for parent, child, _ in sorted(scene["links"]):
            column[child] = max(column[child], column[parent] + 1)
        labels = scene.get("labels") or [f"state {number}" for number in range(len(states))]
        return {**scene, "labels": labels, "column": column}
    names = [f"{node['element']}{at}" if node["element"] else node["label"] or str(at) for at, node in enumerate(nodes)]
    lettered = all(len(name) == 1 and name.isalpha() for name in names)
    return {
        **scene,
        "nodes": [{**node, "name": name} for node, name in zip(nodes, names, strict=True)],
        "names": ["".join(sorted(names[node] for node in state)) for state in states] if lettered else None,
    }


def _changes(lanes: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """Steps at which something was changed, with words for where and what, once where it is the same in all lanes."""
    known = knobs(GFNConfig)

    def words(name: str, value: object) -> str:
        return known[name].in_words(value) if name in known and isinstance(value, float | int) else f"{name} = {value}"

    steps = defaultdict[int, list[tuple[str, str]]](list)
    for lane in lanes:
        for frame in lane["frames"]:
            if change := frame.get("change"):
                steps[frame["step"]].append((lane["name"], listed([words(*item) for item in change.items()])))
    changes = []
    for step, here in sorted(steps.items()):
        where = [f" in {name}: {text}" for name, text in here]
        if len(here) == len(lanes) and len({text for _, text in here}) == 1:
            where = [f"{' in both lanes' * (len(lanes) > 1)}: {here[0][1]}"]
        changes.append((step, ";".join(where)))
    return changes


def train_html(recording: Mapping[str, Any]) -> str:
    """One page that replays a training."""
    names = " and ".join(str(lane["name"]) for lane in recording["lanes"])
    return render(
        "pages/training.html",
        title=str(recording["title"]),
        description=f"{names}: a training, replayed",
        style=asset("player/standalone.css") + css("train"),
        data=train_parts(recording, "file"),
        module=asset("bundles/train_page.mjs"),
    )


def content(trace: Trace, suffix: str) -> bytes:
    """A file by its ending: ``.html``, ``.json`` or ``.gif``."""
    if suffix in (".html", ".htm"):
        return player_html(trace).encode()
    if suffix == ".json":
        return to_json(trace).encode()
    if suffix == ".gif":
        return gif(trace)
    raise UserError(f"An explanation is saved as .html, .json or .gif (got “{suffix or 'no ending'}”).")


def in_notebook(trace: Trace, words: str) -> str:
    """The player under the answer in words."""
    answer = "<br>".join(html.escape(line) for line in words.splitlines())
    title = words.splitlines()[0] if words else "An explanation"
    return f"<p>{answer}</p>\n{framed(player_html(trace), title)}"


def framed(page: str, title: str, height: int = NOTEBOOK_HEIGHT) -> str:
    """A page in a frame without an origin: it can neither read nor change the notebook around it."""
    return render("pages/frame.html", page=page, title=title, height=height)


# The trajectory as a GIF: one frame for each step, the last one over the true motif, with the answer in a sentence.
# A frame is an SVG, rasterised by resvg with the font in assets/fonts: the same picture wherever it is made.


SIZE = (720, 640)
STEP_MS = 1000
"""How long a step is shown; the last picture stays three times as long."""
_STRIP = 104  # height of the caption
_LETTERS, _LINE = 15, 76  # largest size of the caption's text, and characters in a line of it
_STYLE = re.sub(r"var\(--[\w-]+, ([^()]+)\)", r"\1", STYLE.partition("}")[2])
"""Without variables, which only browsers know: the light theme's."""


def gif(trace: Trace) -> bytes:
    """A looping GIF of a trace."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:  # they are optional extras of the library
        raise UserError("A GIF needs resvg and Pillow: pip install resvg-py pillow.") from error

    frames = []
    for step in (*trace.steps, None):
        png = resvg_py.svg_to_bytes(
            svg_string=frame_svg(trace, step),
            background="#ffffff",
            skip_system_fonts=True,
            font_files=[str(ASSETS / "fonts" / "DejaVuSans.ttf")],
            sans_serif_family="DejaVu Sans",
        )
        frames.append(Image.open(io.BytesIO(png)).convert("RGB"))
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[STEP_MS] * len(trace.steps) + [3 * STEP_MS],
        loop=0,
        comment=b"" if trace.answer is None else trace.answer.sentence.encode(),
    )
    return buffer.getvalue()


def frame_svg(trace: Trace, step: Step | None) -> str:
    """One picture with its caption: a step, or (None) the result over the motif."""
    text = _caption(trace, step).replace(" %", "\u00a0%")  # no line begins with a percent sign
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, _LINE)]
    picture = state_picture(trace, step, size=(SIZE[0] - 40.0, SIZE[1] - _STRIP - 40.0), unit=max(SIZE))
    return picture.svg(
        "pages/frame.svg",
        frame=SIZE,
        strip=_STRIP,
        style=_STYLE,
        ink=ROLES["action"],
        lines=lines,
        letters=min(_LETTERS, _STRIP / (1.35 * len(lines))),
    )


def _caption(trace: Trace, step: Step | None) -> str:
    """What a frame shows, as the player writes it."""
    words = story_words(trace)
    if step is not None:
        return " ".join(words["captions"][step.size - 1])
    result = f"{trace_title(trace)}. {words['end']}"
    return result if trace.answer is None else f"{trace.answer.sentence}\n{result}"
