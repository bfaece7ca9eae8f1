"""Pictures of edge scores and of subgraphs over the graph of a trace or an instance, all on its own layout.

They need no torch, so they are drawn before it is imported.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Doubles
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.colours import ACTION, CUT_VERTEX, FOUND, FRONTIER, MISTAKE, MOTIF, PARENT, PLAIN, START
from gfx_core.drawing.svg import EdgeGroup, Network, NodeMark, network_svg
from gfx_core.layout.stress import Points
from gfx_core.text.numbers import subscript
from gfx_core.trace.schema import Step, Trace

# The part of a large graph to look at, and a molecule's hydrogens. The player does the same in the browser
# (assets/player/sight.js and graph.js).


LARGE = 36
"""Graphs of so many nodes are drawn whole."""

MOST = 0.6
"""A part that takes more than this of the whole picture is no part."""

ROUND = 0.8
"""How far the surroundings go, in edge lengths."""

SMALL = 0.55
"""How large a hydrogen is beside other atoms."""

Bools = NDArray[np.bool_]


def part_that_matters(trace: Trace, also: Collection[int] = ()) -> Bools:
    """Which nodes a small picture shows: all of a small graph, of a large one the surroundings of what matters.

    Args:
        trace: What is drawn. What matters is its answer, or else its true motif, and where its trajectory ends.
        also: Other nodes that must be seen.

    Returns:
        One value for each node. [n]
    """
    everything = np.ones(len(trace.nodes), dtype=bool)
    core = set(also) | set(trace.final.nodes)
    if trace.answer is not None:
        core.update(*(reason.nodes for reason in trace.answer.reasons))
    else:
        core |= {end for edge in trace.edges if edge.in_motif for end in (edge.source, edge.target)}
    if trace.is_sentence or len(trace.nodes) <= LARGE or not core:
        return everything
    points = np.array([node.position for node in trace.nodes], dtype=np.float64)  # [n, 2]
    low, high = points[sorted(core)].min(0) - ROUND, points[sorted(core)].max(0) + ROUND
    if np.prod(high - low) >= MOST * np.prod(np.maximum(np.ptp(points, axis=0) + 2 * ROUND, 1e-9)):
        return everything
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def hydrogen_hosts(trace: Trace) -> dict[int, int]:
    """The atom that holds each hydrogen; one that does not hang on exactly one other atom is an atom like any other."""
    elements = [node.element for node in trace.nodes]
    if "H" not in elements:
        return {}
    bonds: dict[int, list[int]] = {}
    for edge in trace.edges:
        bonds.setdefault(edge.source, []).append(edge.target)
        bonds.setdefault(edge.target, []).append(edge.source)
    alone = ((node, bonds.get(node, [])) for node, element in enumerate(elements) if element == "H")
    return {node: near[0] for node, near in alone if len(near) == 1 and elements[near[0]] != "H"}


LEVELS = 5
"""Scores are drawn in so many widths."""

MASK_STYLE = f"""
.network path.edge.score {{ stroke: {PLAIN.colour}; stroke-opacity: .9; }}
.network path.edge.hit {{ stroke: {MOTIF.colour}; stroke-opacity: 1; }}
.network path.edge.extra {{ stroke: {MISTAKE.colour}; stroke-opacity: 1; }}
.network path.edge.kept {{ stroke: var(--st-primary-color, {FOUND.colour}); stroke-opacity: 1; }}
.network path.edge.missed {{ stroke: {MOTIF.colour}; stroke-opacity: .9; }}
.network .node.held {{ fill: var(--st-text-color, {ACTION.colour}); stroke: var(--st-text-color, {ACTION.colour}); }}
.network text.held {{ fill: var(--st-background-color, #fff); }}
.network .node.away, .network text.away {{ opacity: .55; }}
.network .node.word.start {{ fill: {START.colour}; fill-opacity: 1; }}
.network .node.word.held {{ fill-opacity: 1; }}
.network path.edge.inside {{ stroke: {ACTION.colour}; stroke-opacity: 1; }}
.network .node.parent {{ stroke: {PARENT.colour}; stroke-width: 3; stroke-dasharray: 2.5 2; }}
.network .node.frontier {{ stroke: {FRONTIER.colour}; stroke-dasharray: 4 2; }}
.network .ring.cut {{ stroke: {CUT_VERTEX.colour}; }}
.network .ring.alone {{ stroke: var(--st-primary-color, {FOUND.colour}); }}
""" + "".join(f".network .node.chance-{at} {{ stroke-width: {2.2 + 0.8 * at:.2g}; }}\n" for at in range(LEVELS))
"""Goes after the style sheet of :mod:`gfx_core.drawing.svg`."""

_FOUND = ("kept", "hit", "extra")  # edges that are part of an answer
_JUDGED = (*_FOUND, "missed")


def scores_svg(
    trace: Trace, scores: Sequence[float] | NDArray[np.floating], title: str, *, folded: bool = False
) -> str:
    """Every edge as wide as its score says, in steps from the lowest to the highest."""
    level = _levels(np.asarray(scores, dtype=np.float64))
    groups = [_group(trace, level == at, "score", 0.8 + 1.6 * at) for at in range(LEVELS)]
    return _picture(trace, groups, title, folded=folded)


def mask_svg(
    trace: Trace,
    scores: Sequence[float] | NDArray[np.floating],
    kept: Bools,
    title: str,
    *,
    folded: bool = False,
    also: Collection[int] = (),
) -> str:
    """The edges that an explanation keeps over the true motif: hits, extras, and what it missed; others by score.

    Args:
        trace: The graph and its ground truth. Where there is none, what is kept has one colour.
        scores: Of each edge.
        kept: Which edges are the explanation. [E]
        title: What a screen reader says.
        folded: Whether a molecule's hydrogens are folded into their atoms.
        also: Other nodes that the picture has room for: pictures of several explanations that are given the same ones,
            and their own among them, look at the same part of the graph.
    """
    level = _levels(np.asarray(scores, dtype=np.float64))
    outside = ~kept & ~_motif(trace)
    groups = [_group(trace, outside & (level == at), "score", 0.8 + 0.5 * at) for at in range(LEVELS)]
    return _picture(trace, groups + _judged(trace, kept), title, ends_of(trace, kept), folded=folded, also=also)


def ends_of(trace: Trace, kept: Bools) -> set[int]:
    """The nodes that some edges join.

    Args:
        trace: The graph.
        kept: Which edges. [E]
    """
    return {end for at in np.flatnonzero(kept) for end in (trace.edges[at].source, trace.edges[at].target)}


def subgraph_svg(
    trace: Trace,
    nodes: Collection[int],
    title: str,
    size: tuple[float, float] = (640.0, 480.0),
    *,
    folded: bool = False,
) -> str:
    """A node set and the edges between its nodes over the rest of the graph, over the true motif where it is known."""
    held = set(nodes)
    inside = np.array([edge.source in held and edge.target in held for edge in trace.edges], dtype=bool)
    groups = [_group(trace, ~inside & ~_motif(trace), "", 1.0), *_judged(trace, inside)]
    return _picture(trace, groups, title, held, size, folded=folded)


def state_svg(trace: Trace, step: Step | None, title: str, size: tuple[float, float]) -> str:
    """A state on the way, as large as there is room: its set, its frontier, cut vertices and what may be taken out.

    Args:
        trace: The graph and the whole way: all its pictures look at the same part of the graph.
        step: The state; ``None`` for the result over the true motif.
        title: What a screen reader says.
        size: Largest width and height in pixels.
    """
    inside = set(trace.final.nodes if step is None else step.members)
    edges = np.array([edge.source in inside and edge.target in inside for edge in trace.edges], dtype=bool)
    roles = {node: ["start" if node == trace.start else "held"] for node in inside}
    if step is None:
        groups = [_group(trace, ~edges & ~_motif(trace), "", 1.8), *_judged(trace, edges)]
    else:
        groups = [_group(trace, ~edges, "", 1.8), _group(trace, edges, "inside", 2.6)]
        for role, nodes in (("parent", [each.removed for each in step.parents]), ("cut", step.cut_vertices)):
            for node in nodes:
                roles[node].append(role)
        for action in step.frontier:
            roles[action.node] = ["frontier", f"chance-{min(int(LEVELS * action.probability), LEVELS - 1)}"]
    met = {node for each in trace.steps for node in each.members}
    met |= {action.node for each in trace.steps for action in each.frontier}
    return _picture(trace, groups, title, None, size, folded=False, also=met, roles=roles)


def truth_svg(trace: Trace, title: str, *, folded: bool = False, also: Collection[int] = ()) -> str:
    """The true motif alone; ``also`` as in `mask_svg`."""
    motif = _motif(trace)
    groups = [_group(trace, ~motif, "", 1.0), _group(trace, motif, "hit", 4.2)]
    return _picture(trace, groups, title, folded=folded, also=also)


def _motif(trace: Trace) -> Bools:
    return np.array([bool(edge.in_motif) for edge in trace.edges], dtype=bool)


def _judged(trace: Trace, found: Bools) -> list[EdgeGroup]:
    """What was found and what was missed; without a true motif nothing is missed or extra, and all has one colour."""
    motif = _motif(trace)
    if not trace.has_truth:
        return [_group(trace, found, "kept", 4.2)]
    return [
        _group(trace, ~found & motif, "missed", 2.2, "5 4"),
        _group(trace, found & ~motif, "extra", 4.2),
        _group(trace, found & motif, "hit", 4.2),
    ]


def _levels(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which width each score gets: the range from lowest to highest in equal parts; all alike if they are equal."""
    if not scores.size:
        return np.zeros(0, dtype=np.int64)
    low, high = float(scores.min()), float(scores.max())
    share = (scores - low) / (high - low) if high > low else np.zeros_like(scores)
    return np.minimum((share * LEVELS).astype(np.int64), LEVELS - 1)


def _group(trace: Trace, chosen: Bools, style: str, width: float, dashes: str = "") -> EdgeGroup:
    edges = [trace.edges[int(at)] for at in np.flatnonzero(chosen)]
    ends: Ints = np.array([[e.source for e in edges], [e.target for e in edges]], dtype=np.int64).reshape(2, -1)
    orders = np.array([e.order for e in edges], dtype=np.int64) if trace.nodes[0].element is not None else None
    return EdgeGroup(ends, style, width, dashes, orders)


def _picture(
    trace: Trace,
    groups: list[EdgeGroup],
    title: str,
    held: Collection[int] | None = None,
    size: tuple[float, float] = (640.0, 480.0),
    *,
    folded: bool,
    also: Collection[int] = (),
    roles: Mapping[int, Sequence[str]] | None = None,
) -> str:
    found = {int(end) for group in groups if group.style in _FOUND for end in group.ends.flat}
    judged = {int(end) for group in groups if group.style in _JUDGED for end in group.ends.flat} | set(held or ())
    hosts = hydrogen_hosts(trace)
    gone = {node for node in hosts if node not in judged} if folded else set()
    written = Counter(hosts[node] for node in gone)
    marks = []
    for number, node in enumerate(trace.nodes):
        styles: tuple[str, ...] = (node.element,) if node.element is not None else ()
        if roles is not None:
            styles = (*styles, *roles.get(number, ()))
        elif number == trace.target:
            styles = (*styles, "start")
        elif held is not None and not node.element:
            styles = (*styles, "held" if number in held else "away")
        elif held is not None and number in held and number not in found:
            styles = (*styles, "alone")  # no edge marks this atom
        label = "" if number in hosts else node.label
        if hydrogens := written[number]:  # folded into it: CH₃
            label += f"H{subscript(hydrogens) if hydrogens > 1 else ''}"
        scale = SMALL if number in hosts else 1.0
        noun = "Word" if trace.is_sentence else "Node"
        marks.append(NodeMark(node.id, f"{noun} {node.label}", label, "circle", styles, scale))
    framed = part_that_matters(trace, {*(held or ()), *also})
    shown = framed.copy()
    shown[list(gone)] = False  # their room stays, so that all pictures of a molecule are alike
    points = np.array([node.position for node in trace.nodes], dtype=np.float64)
    visible = [_visible(group, shown, gone) for group in groups]
    network = Network(title, points, marks, visible, size=size, shown=shown, framed=framed)
    unit = network.unit if roles is None else max(size)
    return network_svg(replace(network, unit=unit, sentence=trace.is_sentence))


def _visible(group: EdgeGroup, shown: Bools, gone: Collection[int]) -> EdgeGroup:
    """The edges that have an end in the picture, and none that is folded away."""
    first, second = group.ends
    keep = shown[first] | shown[second]
    if gone:
        keep &= ~np.isin(group.ends, list(gone)).any(axis=0)
    orders = None if group.orders is None else group.orders[keep]
    return replace(group, ends=group.ends[:, keep], orders=orders)


# Small pictures of an instance: one node set, or the probability of each edge, on the instance's own layout.


def subset_svg(instance: Instance, points: Points, nodes: Collection[int], title: str) -> str:
    """A node set and the edges between its nodes, over the true motif."""
    once, held = instance.undirected, set(nodes)
    ends = instance.edge_index[:, once]
    inside = np.array([int(a) in held and int(b) in held for a, b in ends.T], dtype=bool)
    motif = instance.own_edges[once]
    groups = [
        EdgeGroup(ends[:, ~inside & ~motif], "", 1.0),
        EdgeGroup(ends[:, ~inside & motif], "missed", 2.2, "5 4"),
        EdgeGroup(ends[:, inside & ~motif], "extra", 4.2),
        EdgeGroup(ends[:, inside & motif], "hit", 4.2),
    ]
    marks = []
    for node in range(instance.num_nodes):
        style = "start" if node == instance.target else "held" if node in held else "away"
        marks.append(NodeMark(node, f"Node {instance.node_label(node)}", styles=(style,)))
    return network_svg(Network(title, points, marks, groups, size=(300.0, 220.0)))


def marginals_svg(instance: Instance, points: Points, marginals: Doubles, title: str) -> str:
    """Every edge as wide as it is likely to be in the subgraph, with the probability in percent written on it.

    Args:
        instance: The graph.
        points: Its layout. [m, 2]
        marginals: Probability of each directed edge. [e]
        title: What a screen reader says.
    """
    groups = []
    for edge in instance.undirected:
        share = float(np.clip(marginals[edge], 0.0, 1.0))
        style = "hit" if instance.own_edges[edge] else "extra"
        groups.append(EdgeGroup(instance.edge_index[:, [edge]], style, 0.8 + 13 * share, text=_percent(share)))
    marks = []
    for node in range(instance.num_nodes):
        label, styles = instance.node_label(node), ("start",) * (node == instance.target)
        marks.append(NodeMark(node, f"Node {label}", label, styles=styles))
    return network_svg(Network(title, points, marks, groups, size=(2000.0, 2000.0), unit=78.0))


def _percent(share: float) -> str:
    """A probability in few letters, never a rounded 0 or 100 %."""
    if 0.995 <= share < 0.999999:
        return ">99 %"
    if 1e-9 < share < 0.005:
        return "<1 %"
    return f"{100 * share:.0f} %"
