"""Pictures of edge scores and of subgraphs over a trace's graph, all on the trace's own layout.

They need a Trace and nothing else, so they are drawn before torch is imported.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.drawing.colours import ACTION, MISTAKE, MOTIF, PLAIN
from gfx_core.drawing.svg import EdgeGroup, Network, NodeMark, network_svg
from gfx_core.trace.schema import Trace

LEVELS = 5
"""Scores are drawn in so many widths."""

MASK_STYLE = f"""
.network path.edge.score {{ stroke: {PLAIN.colour}; stroke-opacity: .9; }}
.network path.edge.hit {{ stroke: {MOTIF.colour}; stroke-opacity: 1; }}
.network path.edge.extra {{ stroke: {MISTAKE.colour}; stroke-opacity: 1; }}
.network path.edge.kept {{ stroke: var(--st-text-color, {ACTION.colour}); stroke-opacity: .9; }}
.network path.edge.missed {{ stroke: {MOTIF.colour}; stroke-opacity: .9; }}
.network .node.held {{ fill: var(--st-text-color, {ACTION.colour}); stroke: var(--st-text-color, {ACTION.colour}); }}
.network text.held {{ fill: var(--st-background-color, #fff); }}
.network .node.away, .network text.away {{ opacity: .55; }}
"""
"""Goes after the style sheet of :mod:`gfx_core.drawing.svg`."""

Kept = NDArray[np.bool_]


def scores_svg(trace: Trace, scores: Sequence[float] | NDArray[np.floating], title: str) -> str:
    """Every edge as wide as its score says, in steps from the lowest to the highest."""
    level = _levels(np.asarray(scores, dtype=np.float64))
    groups = [_group(trace, level == at, "score", 0.8 + 1.6 * at) for at in range(LEVELS)]
    return _picture(trace, groups, title)


def mask_svg(trace: Trace, scores: Sequence[float] | NDArray[np.floating], kept: Kept, title: str) -> str:
    """The edges that an explanation keeps over the true motif: hits, extras, and what it missed; others by score.

    Args:
        trace: The graph and its ground truth.
        scores: Of each edge.
        kept: Which edges are the explanation. [E]
        title: What a screen reader says.
    """
    motif, known = _truth(trace)
    level = _levels(np.asarray(scores, dtype=np.float64))
    outside = ~kept & ~motif
    groups = [_group(trace, outside & (level == at), "score", 0.8 + 0.5 * at) for at in range(LEVELS)]
    groups += [
        _group(trace, ~kept & motif, "missed", 2.2, "5 4"),
        _group(trace, kept & ~known, "kept", 4.2),
        _group(trace, kept & known & ~motif, "extra", 4.2),
        _group(trace, kept & motif, "hit", 4.2),
    ]
    held = {node for edge in np.flatnonzero(kept) for node in _ends(trace, int(edge))}
    return _picture(trace, groups, title, held)


def subgraph_svg(trace: Trace, nodes: Collection[int], title: str, size: tuple[float, float] = (640.0, 480.0)) -> str:
    """A node set and the edges between its nodes over the rest of the graph, over the true motif where it is known."""
    held = set(nodes)
    inside = np.array([edge.source in held and edge.target in held for edge in trace.edges], dtype=bool)
    motif, known = _truth(trace)
    groups = [
        _group(trace, ~inside & ~motif, "", 1.0),
        _group(trace, ~inside & motif, "missed", 2.2, "5 4"),
        _group(trace, inside & ~known, "kept", 4.2),
        _group(trace, inside & known & ~motif, "extra", 4.2),
        _group(trace, inside & motif, "hit", 4.2),
    ]
    return _picture(trace, groups, title, held, size)


def truth_svg(trace: Trace, title: str) -> str:
    """The true motif alone."""
    motif = np.array([bool(edge.in_motif) for edge in trace.edges], dtype=bool)
    return _picture(trace, [_group(trace, ~motif, "", 1.0), _group(trace, motif, "hit", 4.2)], title)


def _truth(trace: Trace) -> tuple[Kept, Kept]:
    """Which edges should be found, and of which it is known whether they should; of none where nothing is to be found.

    Returns:
        Both as masks. [E]
    """
    motif = np.array([bool(edge.in_motif) for edge in trace.edges], dtype=bool)
    known = np.array([edge.in_motif is not None for edge in trace.edges], dtype=bool)
    return motif, known & motif.any()


def _levels(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which width each score gets: the range from lowest to highest in equal parts; all alike if they are equal."""
    if not scores.size:
        return np.zeros(0, dtype=np.int64)
    low, high = float(scores.min()), float(scores.max())
    share = (scores - low) / (high - low) if high > low else np.zeros_like(scores)
    return np.minimum((share * LEVELS).astype(np.int64), LEVELS - 1)


def _ends(trace: Trace, edge: int) -> tuple[int, int]:
    return trace.edges[edge].source, trace.edges[edge].target


def _group(trace: Trace, chosen: Kept, style: str, width: float, dashes: str = "") -> EdgeGroup:
    edges = [trace.edges[int(at)] for at in np.flatnonzero(chosen)]
    ends: Ints = np.array([[e.source for e in edges], [e.target for e in edges]], dtype=np.int64).reshape(2, -1)
    orders = np.array([e.order for e in edges], dtype=np.int64) if _is_molecule(trace) else None
    return EdgeGroup(ends, style, width, dashes, orders)


def _is_molecule(trace: Trace) -> bool:
    return trace.nodes[0].element is not None


def _picture(
    trace: Trace,
    groups: list[EdgeGroup],
    title: str,
    held: Collection[int] | None = None,
    size: tuple[float, float] = (640.0, 480.0),
) -> str:
    marks = []
    for number, node in enumerate(trace.nodes):
        styles: tuple[str, ...] = (node.element,) if node.element is not None else ()
        if number == trace.target:
            styles = (*styles, "start")
        elif held is not None and not node.element:
            styles = (*styles, "held" if number in held else "away")
        marks.append(NodeMark(node.id, f"Node {node.label}", node.label, "circle", styles, 1.0))
    points = np.array([node.position for node in trace.nodes], dtype=np.float64)
    return network_svg(Network(title, points, marks, groups, size=size, focusable=False))
