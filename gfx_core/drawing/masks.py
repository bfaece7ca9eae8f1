"""Pictures of edge scores and of subgraphs over the graph of a trace or an instance, all on its own layout.

They need no torch, so they are drawn before it is imported.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.pictures import instance_picture
from gfx_core.drawing.svg import LEVELS, Bools, Lines, Look, Picture
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

_FOUND = ("kept", "hit", "extra")  # edges that are part of an answer


def part_that_matters(trace: Trace, also: Collection[int] = ()) -> Bools:
    """Which nodes a small picture shows: all of a small graph, of a large one the surroundings of what matters.

    Args:
        trace: What is drawn. What matters is its answer, or else its true motif, and where its trajectory ends.
        also: Other nodes that must be seen.

    Returns:
        One value for each node. [n]
    """
    everything = np.ones(len(trace.nodes), dtype=bool)
    core = {*also, *trace.final.nodes}
    if trace.answer is not None:
        core.update(*(reason.nodes for reason in trace.answer.reasons))
    else:
        core |= ends_of(trace, _motif(trace))
    if trace.is_sentence or len(trace.nodes) <= LARGE or not core:
        return everything
    points = _points(trace)
    low, high = points[[*core]].min(0) - ROUND, points[[*core]].max(0) + ROUND
    if np.prod(high - low) >= MOST * np.prod(np.ptp(points, axis=0) + 2 * ROUND):
        return everything
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def hydrogen_hosts(trace: Trace) -> dict[int, int]:
    """The atom that holds each hydrogen; one that does not hang on exactly one other atom is an atom like any other."""
    bonds = defaultdict[int, list[int]](list)
    for edge in trace.edges:
        bonds[edge.source].append(edge.target)
        bonds[edge.target].append(edge.source)
    hydrogen = [node.element == "H" for node in trace.nodes]
    single = [node for node, atoms in bonds.items() if hydrogen[node] and len(atoms) == 1]
    return {node: bonds[node][0] for node in single if not hydrogen[bonds[node][0]]}


def scores_picture(trace: Trace, scores: ArrayLike, title: str, *, folded: bool = False) -> Picture:
    """Every edge as wide as its score says, in steps from the lowest to the highest."""
    return _picture(trace, _by_score(scores, 1.6), title, folded=folded)


def mask_picture(
    trace: Trace, scores: ArrayLike, kept: Bools, title: str, *, folded: bool = False, also: Collection[int] = ()
) -> Picture:
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
    lines = _by_score(scores, 0.5, ~kept & ~_motif(trace)) + _judged(_motif(trace), kept, trace.has_truth)
    return _picture(trace, lines, title, ends_of(trace, kept), folded=folded, also=also)


def ends_of(trace: Trace, edges: Bools) -> set[int]:
    """The nodes that some edges join. edges [E]"""
    return set(_ends(trace)[:, edges].ravel().tolist())


def subgraph_picture(
    trace: Trace, nodes: Collection[int], title: str, size: tuple[float, float] = Picture.size, *, folded: bool = False
) -> Picture:
    """A node set and the edges between its nodes over the rest of the graph, over the true motif where it is known."""
    lines = _over_motif(_motif(trace), _inside(_ends(trace), nodes), trace.has_truth)
    return _picture(trace, lines, title, nodes, folded=folded, size=size)


def state_picture(trace: Trace, step: Step | None, size: tuple[float, float]) -> Picture:
    """A state on the way, as large as there is room: its set, its frontier, cut vertices and what may be taken out.

    Args:
        trace: The graph and the whole way: all its pictures look at the same part of the graph.
        step: The state; ``None`` for the result over the true motif.
        size: Largest width and height in pixels.
    """
    members = trace.final.nodes if step is None else step.members
    edges = _inside(_ends(trace), members)
    roles = {node: ["start" if node == trace.start else "held"] for node in members}
    if step is None:
        lines = _over_motif(_motif(trace), edges, trace.has_truth, 1.8)
    else:
        lines = [Lines(~edges, "", 1.8), Lines(edges, "inside", 2.6)]
        for parent in step.parents:
            roles[parent.removed].append("parent")
        for node in step.cut_vertices:
            roles[node].append("cut")
        for action in step.frontier:
            roles[action.node] = ["frontier", f"chance-{min(int(LEVELS * action.probability), LEVELS - 1)}"]
    met = {node for state in trace.steps for node in state.members}
    met |= {action.node for state in trace.steps for action in state.frontier}
    return _picture(trace, lines, "", also=met, roles=roles, size=size, unit=max(size))


def truth_picture(trace: Trace, title: str, *, folded: bool = False, also: Collection[int] = ()) -> Picture:
    """The true motif alone; ``also`` as in `mask_picture`."""
    motif = _motif(trace)
    return _picture(trace, _over_motif(motif, motif), title, folded=folded, also=also)


def _points(trace: Trace) -> Points:
    return np.array([node.position for node in trace.nodes])


def _ends(trace: Trace) -> Ints:
    return np.array([(edge.source, edge.target) for edge in trace.edges], dtype=np.int64).reshape(-1, 2).T


def _motif(trace: Trace) -> Bools:
    return np.array([bool(edge.in_motif) for edge in trace.edges], dtype=bool)


def _inside(ends: Ints, nodes: Collection[int]) -> Bools:
    """Which edges join two of some nodes. [2, E] → [E]"""
    return np.asarray(np.isin(ends, [*nodes]).all(axis=0))


def _by_score(scores: ArrayLike, step: float, edges: Bools | None = None) -> list[Lines]:
    """Some edges, all by default, in `LEVELS` widths: equal parts of the range from the lowest score to the highest."""
    values = np.asarray(scores, dtype=np.float64)
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    level = ((values - low) / max(high - low, 1e-300) * LEVELS).astype(np.int64).clip(0, LEVELS - 1)
    return [Lines((level == at) & (True if edges is None else edges), "score", 0.8 + step * at) for at in range(LEVELS)]


def _over_motif(motif: Bools, edges: Bools, known: bool = True, width: float = 1.0) -> list[Lines]:
    return [Lines(~edges & ~motif, "", width), *_judged(motif, edges, known)]


def _judged(motif: Bools, edges: Bools, known: bool) -> list[Lines]:
    """What an explanation has and what it missed; without a true motif all that it has is of one colour."""
    if not known:
        return [Lines(edges, "kept", 4.2)]
    return [Lines(~edges & motif, "missed", 2.2), Lines(edges & ~motif, "extra", 4.2), Lines(edges & motif, "hit", 4.2)]


def _picture(
    trace: Trace,
    lines: list[Lines],
    title: str,
    held: Collection[int] | None = None,
    *,
    folded: bool = False,
    also: Collection[int] = (),
    roles: Mapping[int, Sequence[str]] | None = None,
    **limits: Any,
) -> Picture:
    ends, hosts = _ends(trace), hydrogen_hosts(trace)
    found = {end for group in lines if group.style in _FOUND for end in ends[:, group.edges].flat}
    missed = {end for group in lines if group.style == "missed" for end in ends[:, group.edges].flat}
    hidden = hosts.keys() - found - missed - {*(held or ())} if folded else set()
    hydrogens = Counter(hosts[node] for node in hidden)
    looks: list[Look | None] = []
    for number, node in enumerate(trace.nodes):
        styles = [node.element] if node.element is not None else []
        if roles is not None:
            styles += roles.get(number, ())
        elif number == trace.target:
            styles.append("start")
        elif held is not None and not node.element:
            styles.append("held" if number in held else "away")
        elif held is not None and number in held and number not in found:
            styles.append("alone")  # no edge marks this atom
        label = "" if number in hosts else node.label
        if count := hydrogens[number]:  # folded into it: CH₃
            label += f"H{subscript(count) if count > 1 else ''}"
        tip = f"{'Word' if trace.is_sentence else 'Node'} {node.label}"
        look = Look(node.id, tip, label, "circle", tuple(styles), SMALL if number in hosts else 1.0)
        looks.append(None if number in hidden else look)
    return Picture(
        title,
        _points(trace),
        looks,
        ends,
        lines,
        None if trace.nodes[0].element is None else np.array([edge.order for edge in trace.edges]),
        part_that_matters(trace, {*(held or ()), *also}),
        sentence=trace.is_sentence,
        **limits,
    )


# Of an instance: one node set, or the probability of each edge.


def subset_picture(instance: Instance, points: Points, nodes: Collection[int], title: str) -> Picture:
    """A node set and the edges between its nodes, over the true motif."""
    picture = instance_picture(instance, points)
    looks = []
    for node, look in enumerate(picture.looks):
        style = "start" if node == instance.target else "held" if node in nodes else "away"
        looks.append(look and replace(look, label="", styles=(style,)))
    lines = _over_motif(instance.own_edges[instance.undirected], _inside(picture.ends, nodes))
    return replace(picture, title=title, looks=looks, lines=lines, size=(300.0, 220.0))


def marginals_picture(instance: Instance, points: Points, marginals: Doubles, title: str) -> Picture:
    """Every edge as wide as it is likely to be in the subgraph, with the probability in percent written on it.

    Args:
        instance: The graph.
        points: Its layout. [m, 2]
        marginals: Probability of each directed edge. [e]
        title: What a screen reader says.
    """
    lines = []
    for edge in instance.undirected:
        share = float(np.clip(marginals[edge], 0.0, 1.0))
        style = "hit" if instance.own_edges[edge] else "extra"
        lines.append(Lines(instance.undirected == edge, style, 0.8 + 13 * share, _percent(share)))
    return replace(instance_picture(instance, points), title=title, lines=lines, size=(2000.0, 2000.0), unit=78.0)


def _percent(share: float) -> str:
    """A probability in few letters, never a rounded 0 or 100 %."""
    if 0.995 <= share < 0.999999:
        return ">99 %"
    if 1e-9 < share < 0.005:
        return "<1 %"
    return f"{100 * share:.0f} %"
