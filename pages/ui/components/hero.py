"""One explanation, large: it plays by itself and ends in the answer. For those who have never seen one."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from gfx_core.drawing.export import player_css
from gfx_core.text.answers import things
from gfx_core.text.numbers import about_percent, capitalised, counted
from gfx_core.trace.schema import Answer, Trace
from pages.ui.components.component_files import component, read, sheet

_hero = component("hero", '<div class="kit player hero"></div>', sheet(player_css) + read("hero.css"))


def hero(trace: Trace, *, key: str, on_idle: Callable[[], None] | None = None) -> None:
    """Play an explanation.

    Args:
        trace: The explanation.
        key: Widget key; another trace under the same key starts anew.
        on_idle: Called once, when the browser has drawn the page and has nothing else to do.
    """
    _hero(
        key=key,
        data={**story(trace), "idle": on_idle is not None},
        heard={"idle": on_idle and (lambda _: on_idle())},
    )


def story(trace: Trace) -> dict[str, Any]:
    """What the browser is given: the graph, and for each frame who is in the set and a sentence; then the answer."""
    end = trace.answer
    assert end is not None  # whatever is computed or shipped has one
    frames = [
        {
            "members": list(step.members),
            "added": step.added,
            "frontier": [{"node": action.node, "probability": action.probability} for action in step.frontier],
            "cut_vertices": [],
            "parents": [],
            "says": _says(trace, number),
        }
        for number, step in enumerate(trace.steps)
    ]
    return {
        "nodes": [
            {
                "id": node.id,
                "position": [round(place, 3) for place in node.position],
                "label": _label(node),
                "element": node.element,
            }
            for node in trace.nodes
        ],
        "edges": [asdict(edge) for edge in trace.edges],
        "written": trace.is_sentence,
        "start": trace.start,
        "known": trace.has_truth,
        "frames": frames,
        "end": {
            "nodes": end.first.nodes,
            "edges": end.first.edges,
            "verdict": verdict(trace, end),
            "says": end.sentence,
        },
    }


def _label(node: Any) -> str:
    return node.element or node.label or str(node.id)


def _says(trace: Trace, number: int) -> str:
    prediction, step = trace.prediction, trace.steps[number]
    if number == 0:
        what = f"this {things(trace).instance}"
        chance = about_percent(prediction.probabilities[prediction.predicted])
        return f"The GNN predicts “{trace.classes[prediction.predicted]}” ({chance}) for {what}. Why?"
    actions = trace.steps[number - 1].frontier
    chance = about_percent(next(action.probability for action in actions if action.node == step.added))
    node = _label(trace.nodes[step.added])
    return f"It adds {node}, one of {len(actions) + 1} choices, with a probability of {chance}."


def verdict(trace: Trace, end: Answer) -> str:
    """What came of it, in a few words; no verdict where nothing is known to be true."""
    found, motif = set(end.first.edges), {number for number, edge in enumerate(trace.edges) if edge.in_motif}
    if trace.has_truth and motif:
        beside = len(found - motif)
        return f"Found {len(found & motif)} of {len(motif)} true edges" + (f", and {beside} beside" if beside else "")
    name = end.first.name
    return capitalised(name) if name else f"These {counted(len(end.first.nodes), things(trace).node)}"
