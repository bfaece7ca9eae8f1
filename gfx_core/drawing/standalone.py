"""The player's code and looks as text, and one HTML file that plays a trace without a server or a network.

The same modules in assets/player/ serve the explorer and the file.
"""

import html
import json
from collections import Counter
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS, Task
from gfx_core.drawing import colours
from gfx_core.drawing.colours import text_on
from gfx_core.drawing.dag_style import dag_css
from gfx_core.drawing.modules import joined
from gfx_core.drawing.offline_page import OfflinePage
from gfx_core.trace.flow_words import flow_words
from gfx_core.trace.io import to_json
from gfx_core.trace.names import trace_title
from gfx_core.trace.schema import Trace
from gfx_core.trace.theorem import theorem_words

if TYPE_CHECKING:
    from gfx_core.drawing.dag_picture import DagPicture

    States = tuple[DagPicture, str]  # the state space, and what is said of it

PLAYER = ASSETS / "player"
STYLES = ("../kit/kit", "graph", "player", "panels")

_ROLES = {
    "start": colours.START,
    "action": colours.ACTION,
    "motif": colours.MOTIF,
    "frontier": colours.FRONTIER,
    "cut": colours.CUT_VERTEX,
    "parent": colours.PARENT,
    "extra": colours.MISTAKE,
    "plain": colours.PLAIN,
}
_GROUPS = (colours.CLASS_COLOURS[1], colours.CLASS_COLOURS[0], "#2aa6a6", "#9a6bd1")
"""The pieces that a cut vertex holds together; each is numbered as well."""
MOST_STATES = 1_500_000
"""The most characters that the state space may add to a file."""
UNLISTED = "The state space is not in this file: it was not listed when the file was made."
TOO_LARGE = "The state space is not in this file: it is too large."


@cache
def player_css() -> str:
    """The player's looks; the colours of roles and elements come from the one table."""
    roles = "".join(f"--{name}: {role.colour}; " for name, role in _ROLES.items())
    inks = "".join(
        f"--{name}-ink: color-mix(in srgb, var(--{name}) 72%, var(--ink)); " for name in ("frontier", "parent", "cut")
    )
    groups = "".join(
        f".player .group-{number} {{ --group: {colour}; --on-group: {text_on(colour)}; }}\n"
        for number, colour in enumerate(_GROUPS)
    )
    elements = "".join(
        f".player .element-{element} {{ --element: {colour}; --on-element: {text_on(colour)}; }}\n"
        for element, colour in colours.ELEMENTS.items()
    )
    head = f".player {{ {roles}{inks}--on-start: {text_on(colours.START.colour)}; }}\n{groups}{elements}"
    return head + "\n".join(_read(f"{name}.css") for name in STYLES)


def player_html(trace: Trace, states: "States | None" = None) -> str:
    """One page that plays a trace: it asks for nothing, and only its own script may run in it.

    Args:
        trace: What it plays.
        states: What stands under States; without it, or where that would be too large, it says there why not.
    """
    beside = _states(states)
    drawn = "picture" in beside
    script = joined(PLAYER / ("standalone_states.js" if drawn else "standalone.js"))
    title = page_title(trace)
    body = f"""<header><h1>{html.escape(title)}</h1><p>{html.escape(_subtitle(trace))}</p>
<p>{html.escape(flow_words(trace))}</p>
<noscript><p>{html.escape(_answer(trace))}</p></noscript>
<p class="hint"><kbd>←</kbd> <kbd>→</kbd> step · <kbd>space</kbd> play · <kbd>P</kbd> present</p></header>
<main class="player-host"></main>"""
    return str(
        OfflinePage(
            title=title,
            style=f"{_read('standalone.css')}{player_css()}{dag_css() if drawn else ''}",
            body=body,
            data=_data(trace, beside),
            scripts=(script,),
            images="data: blob:",
            description=_answer(trace),
        )
    )


def _states(states: "States | None") -> dict[str, Any]:
    """The state space as the player reads it; where it has none, words that say why."""
    if states is None:
        return {"words": UNLISTED}
    picture, words = states
    given = {"picture": asdict(picture), "words": words}
    return {"words": TOO_LARGE} if len(json.dumps(given)) > MOST_STATES else given


def _data(trace: Trace, states: dict[str, Any]) -> dict[str, Any]:
    """What the script reads."""
    options = {"autoplay": True, "atAnswer": True, "states": states}
    return {"trace": to_json(trace), "theorem": theorem_words(trace), "options": options}


def page_title(trace: Trace) -> str:
    """Which prediction it is of: a sum formula, how a sentence begins, or a number."""
    if trace.is_sentence:
        return trace_title(trace)
    atoms = Counter(node.element for node in trace.nodes if node.element)
    if atoms:
        return f"{trace.dataset_title} · {_formula(atoms)}"
    return f"{trace.dataset_title} · {'node' if trace.task is Task.NODE else 'graph'} {trace.index}"


def _formula(atoms: Counter[str]) -> str:
    """The sum formula as chemists write it: carbon, hydrogen, then by the alphabet."""
    first = [element for element in ("C", "H") if element in atoms]
    order = [*first, *sorted(atoms.keys() - set(first))]
    return "".join(f"{element}{atoms[element] if atoms[element] > 1 else ''}" for element in order)


def _subtitle(trace: Trace) -> str:
    share = trace.prediction.probabilities[trace.prediction.predicted]
    return f"Why does the GNN say “{trace.classes[trace.prediction.predicted]}” ({share:.0%})?"


def _answer(trace: Trace) -> str:
    """The answer as text: in the page without its script, and for whoever looks for it or links to it."""
    return _subtitle(trace) if trace.answer is None else trace.answer.sentence


@cache
def _read(name: str) -> str:
    return (PLAYER / name).read_text(encoding="utf-8")
