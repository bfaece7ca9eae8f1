"""One explanation, large: it plays by itself and ends in the answer. For those who have never seen one."""

from collections.abc import Callable
from typing import Any

from gfx_core.drawing import colours
from gfx_core.text.answers import things
from gfx_core.text.numbers import about_percent, counted
from gfx_core.text.typesetting import EM, HIGH, arc, box_width
from gfx_core.trace.schema import Trace
from pages.ui.components.component_files import component, style

_ROLES = {
    "start": colours.START,
    "motif": colours.MOTIF,
    "frontier": colours.FRONTIER,
    "mistake": colours.MISTAKE,
    "found": colours.FOUND,
    "plain": colours.PLAIN,
}


def _style() -> str:
    roles = "".join(f"--{name}: {role.colour}; " for name, role in _ROLES.items())
    elements = "".join(
        f".element-{element} {{ --element: {colour}; --on-element: {colours.text_on(colour)}; }}\n"
        for element, colour in colours.ELEMENTS.items()
    )
    return f".hero {{ {roles}}}\n{elements}{style('hero.css')}"


_hero = component("hero", '<div class="kit hero"></div>', _style())


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
    end = trace.final if trace.answer is None else trace.answer
    frames = [
        {
            "members": list(step.members),
            "added": step.added,
            "frontier": [action.node for action in step.frontier],
            "says": _says(trace, number),
        }
        for number, step in enumerate(trace.steps)
    ]
    return {
        "nodes": [
            {
                "x": round(node.position[0], 3),
                "y": round(node.position[1], 3),
                "label": _label(node),
                "element": node.element,
            }
            for node in trace.nodes
        ],
        "edges": [[edge.source, edge.target, edge.order, bool(edge.in_motif)] for edge in trace.edges],
        "sentence": _shapes(trace) if trace.is_sentence else None,
        "start": trace.start,
        "known": trace.has_truth,
        "frames": frames,
        "end": {"nodes": list(end.nodes), "edges": list(end.edges), "verdict": verdict(trace), "says": sentence(trace)},
    }


def _shapes(trace: Trace) -> dict[str, Any]:
    """How a sentence is drawn, in units of the layout: the width of each word, the arc of each link, and all around."""
    places = [node.position for node in trace.nodes]
    wide = [box_width(node.label) for node in trace.nodes]
    curves = [arc(places[edge.source], places[edge.target]).tolist() for edge in trace.edges]
    lefts = [x - width / 2 for (x, _), width in zip(places, wide, strict=True)]
    rights = [x + width / 2 for (x, _), width in zip(places, wide, strict=True)]
    tops = [y + HIGH * EM for _, y in places] + [y for curve in curves for _, y in curve]
    low = min(y for _, y in places) - HIGH * EM
    return {
        "em": EM,
        "high": HIGH * EM,
        "wide": [round(width, 3) for width in wide],
        "curves": [[[round(x, 3), round(y, 3)] for x, y in curve] for curve in curves],
        "box": [min(lefts), low, max(rights) - min(lefts), max(tops) - low],
    }


def _label(node: Any) -> str:
    return node.element or node.label or str(node.id)


def _says(trace: Trace, number: int) -> str:
    prediction, step = trace.prediction, trace.steps[number]
    if number == 0:
        what = f"this {things(trace).instance}"
        chance = about_percent(prediction.probabilities[prediction.predicted])
        return f"The GNN takes {what} for “{trace.classes[prediction.predicted]}” ({chance}). Why?"
    before = trace.steps[number - 1]
    likely = next((action.probability for action in before.frontier if action.node == step.added), None)
    if step.added is None:
        return "The subgraph grows."
    chance = (
        ""
        if likely is None
        else f", one of {len(before.frontier) + 1} choices, with a probability of {about_percent(likely)}"
    )
    return f"It adds {_label(trace.nodes[step.added])}{chance}."


def verdict(trace: Trace) -> str:
    """What came of it, in a few words; no verdict where nothing is known to be true."""
    end = set((trace.final if trace.answer is None else trace.answer).edges)
    motif = {number for number, edge in enumerate(trace.edges) if edge.in_motif}
    if trace.has_truth and motif:
        beside = len(end - motif)
        return f"Found {len(end & motif)} of {len(motif)} true edges" + (f", and {beside} beside" if beside else "")
    if trace.answer is not None and trace.answer.name:
        return trace.answer.name[:1].upper() + trace.answer.name[1:]
    nodes = len((trace.final if trace.answer is None else trace.answer).nodes)
    return f"These {counted(nodes, things(trace).node)}"


def sentence(trace: Trace) -> str:
    """The answer in a sentence; the trace's own where it has one."""
    if trace.answer is not None:
        return trace.answer.sentence
    end, prediction = trace.final, trace.prediction
    chance = about_percent(prediction.probabilities[prediction.predicted])
    size = f"{counted(len(end.nodes), things(trace).node)} and {counted(len(end.edges), things(trace).edge)}"
    predicted = trace.classes[prediction.predicted]
    return f"It stops. The GNN says “{predicted}” ({chance}), and this subgraph of {size} is why."
