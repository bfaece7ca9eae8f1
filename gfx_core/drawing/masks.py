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
        core |= ends_of(trace, truth_of(trace))
    if trace.is_sentence or len(trace.nodes) <= LARGE or not core:
        return everything
    points = np.array([node.position for node in trace.nodes])  # [n, 2]
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


def trace_picture(
    trace: Trace,
    title: str,
    kept: Bools | None = None,
    *,
    scores: ArrayLike | None = None,
    nodes: Collection[int] | None = None,
    also: Collection[int] = (),
    folded: bool = False,
    **limits: Any,
) -> Picture:
    """An explanation over the true motif, where that is known: hits, extras, and what it missed.

    Args:
        trace: The graph and its ground truth. Where there is none, what is kept has one colour.
        title: For screen readers.
        kept: Which edges are the explanation; nothing is marked without it. [E]
        scores: The other edges are as wide as theirs say, in steps from the lowest to the highest. [E]
        nodes: The explanation as a node set, with all edges between its nodes.
        also: Other nodes that the picture has room for: pictures of several explanations that are given the same ones,
            and their own among them, look at the same part of the graph.
        folded: Whether a molecule's hydrogens are folded into their atoms.
        limits: Fields of the picture, such as its size.
    """
    motif, rest, held = truth_of(trace), np.ones(len(trace.edges), dtype=bool), set(nodes or ())
    if nodes is not None:
        kept = _inside(_ends(trace), nodes)
    joined, judged = set[int](), list[Lines]()
    if kept is not None:
        joined, judged, rest = ends_of(trace, kept), _judged(motif, kept, trace.has_truth), ~kept & ~motif
        held |= joined
    lines = [Lines(rest, "", 1.0)] if scores is None else _by_score(scores, 1.6 if kept is None else 0.5, rest)
    styles = {}
    for number, node in enumerate(trace.nodes):
        if number == trace.target:
            styles[number] = ["start"]
        elif kept is not None and not node.element:
            styles[number] = ["held" if number in held else "away"]
        elif number in held - joined:
            styles[number] = ["alone"]  # no edge marks this atom
    missed = set() if kept is None else ends_of(trace, motif)
    hidden = hydrogen_hosts(trace).keys() - held - missed if folded else set()
    return _picture(trace, title, lines + judged, styles, {*held, *also}, hidden, **limits)


def ends_of(trace: Trace, edges: Bools) -> set[int]:
    """The nodes that some edges join. edges [E]"""
    return set(_ends(trace)[:, edges].ravel().tolist())


def truth_of(trace: Trace) -> Bools:
    """Which edges the true motif has, none where it is not known. [E]"""
    return np.array([bool(edge.in_motif) for edge in trace.edges], dtype=bool)


def state_picture(trace: Trace, step: Step | None, **limits: Any) -> Picture:
    """A state on the way: its set, its frontier, cut vertices and what may be taken out.

    Args:
        trace: The graph and the whole way: all its pictures look at the same part of the graph.
        step: The state; ``None`` for the result over the true motif.
        limits: Fields of the picture, such as its size.
    """
    members = trace.final.nodes if step is None else step.members
    edges = _inside(_ends(trace), members)
    styles = {node: ["start" if node == trace.start else "held"] for node in members}
    if step is None:
        motif = truth_of(trace)
        lines = [Lines(~edges & ~motif, "", 1.8), *_judged(motif, edges, trace.has_truth)]
    else:
        lines = [Lines(~edges, "", 1.8), Lines(edges, "inside", 2.6)]
        for parent in step.parents:
            styles[parent.removed].append("parent")
        for node in step.cut_vertices:
            styles[node].append("cut")
        for action in step.frontier:
            styles[action.node] = ["frontier", f"chance-{min(int(LEVELS * action.probability), LEVELS - 1)}"]
    reached = {action.node for state in trace.steps for action in state.frontier}
    return _picture(trace, "", lines, styles, reached | {*trace.steps[-1].members}, **limits)


def _ends(trace: Trace) -> Ints:
    return np.array([(edge.source, edge.target) for edge in trace.edges], dtype=np.int64).reshape(-1, 2).T


def _inside(ends: Ints, nodes: Collection[int]) -> Bools:
    """Which edges join two of some nodes. [2, E] → [E]"""
    return np.asarray(np.isin(ends, [*nodes]).all(axis=0))


def _by_score(scores: ArrayLike, step: float, edges: Bools) -> list[Lines]:
    """Some edges in `LEVELS` widths: equal parts of the range from the lowest score to the highest."""
    values = np.asarray(scores, dtype=np.float64)
    if not values.size:
        return []
    level = np.digitize(values, np.linspace(values.min(), values.max(), LEVELS + 1)[1:-1], right=True)
    return [Lines((level == at) & edges, "score", 0.8 + step * at) for at in range(LEVELS)]


def _judged(motif: Bools, edges: Bools, truth: bool) -> list[Lines]:
    """What an explanation has and what it missed; without a true motif all that it has is of one colour."""
    if not truth:
        return [Lines(edges, "kept", 4.2)]
    return [Lines(~edges & motif, "missed", 2.2), Lines(edges & ~motif, "extra", 4.2), Lines(edges & motif, "hit", 4.2)]


def _picture(
    trace: Trace,
    title: str,
    lines: list[Lines],
    styles: Mapping[int, Sequence[str]],
    view: Collection[int],
    hidden: Collection[int] = (),
    **limits: Any,
) -> Picture:
    """Hidden are hydrogens that are folded into their atoms."""
    hosts = hydrogen_hosts(trace)
    hydrogens = Counter(hosts[node] for node in hidden)
    looks: list[Look | None] = []
    for number, node in enumerate(trace.nodes):
        kinds = ([node.element] if node.element else []) + list(styles.get(number, ()))
        label = "" if number in hosts else node.label
        if count := hydrogens[number]:  # CH₃
            label += f"H{subscript(count) if count > 1 else ''}"
        tip = f"{'Word' if trace.is_sentence else 'Node'} {node.label}"
        look = Look(node.id, tip, label, styles=tuple(kinds), scale=SMALL if number in hosts else 1.0)
        looks.append(None if number in hidden else look)
    return Picture(
        title,
        np.array([node.position for node in trace.nodes]),
        looks,
        _ends(trace),
        lines,
        np.array([edge.order for edge in trace.edges]) if trace.nodes[0].element else None,
        part_that_matters(trace, view),
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
    motif, inside = instance.own_edges[instance.undirected], _inside(picture.ends, nodes)
    lines = [Lines(~inside & ~motif, "", 1.0), *_judged(motif, inside, True)]
    return replace(picture, title=title, looks=looks, lines=lines, size=(300.0, 220.0))


def marginals_picture(instance: Instance, points: Points, marginals: Doubles, title: str) -> Picture:
    """Every edge as wide as it is likely to be in the subgraph, with the probability in percent written on it.

    Args:
        instance: The graph.
        points: Its layout. [m, 2]
        marginals: Probability of each directed edge. [e]
        title: For screen readers.
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
