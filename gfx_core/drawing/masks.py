"""Pictures of edge scores, of subgraphs and of states over the graph of a trace, all on its own layout.

They need no torch, so they are drawn before it is imported.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gfx_core.arrays import Bools, Ints, edge_array
from gfx_core.drawing.svg import WIDTHS, Look, Picture
from gfx_core.trace.schema import Step, Trace

LARGE = 36
"""Graphs of so many nodes are drawn whole; of larger ones the surroundings of what matters, as the player does."""
ROUND = 0.8
"""How far the surroundings go, in edge lengths."""
HYDROGEN = 0.6
"""How large a hydrogen is beside other atoms."""


def trace_picture(
    trace: Trace,
    title: str,
    kept: Bools | None = None,
    *,
    scores: ArrayLike | None = None,
    nodes: Collection[int] | None = None,
    also: Collection[int] = (),
    **limits: Any,
) -> Picture:
    """An explanation over the true motif, where that is known: hits, extras, and what it missed.

    Args:
        trace: The graph and its ground truth. Where there is none, what is kept has one colour.
        title: For screen readers.
        kept: Which edges are the explanation; nothing is marked without it. [E]
        scores: The other edges are as wide as theirs say, from the lowest to the highest. [E]
        nodes: The explanation as a node set, with all edges between its nodes.
        also: Other nodes that the picture has room for: pictures of several explanations that are given the same ones,
            and their own among them, look at the same part of the graph.
        limits: Fields of the picture, such as its size.
    """
    ends, motif, held = ends_of(trace), truth_of(trace), set(nodes or ())
    if nodes is not None:
        kept = among(ends, nodes)
    joined = set() if kept is None else nodes_at(trace, kept)
    plain = "" if scores is None else "score"
    styles = np.full(len(motif), plain) if kept is None else judged(kept, motif, trace.has_truth, plain)
    widths = np.array([WIDTHS.get(style, 1.0) for style in styles.tolist()])
    if scores is not None and len(motif):
        values = np.asarray(scores, dtype=float)
        share = (values - values.min()) / (np.ptp(values) or 1.0)
        widths = np.where(styles == plain, 0.8 + (6.4 if kept is None else 2.0) * share, widths)
    roles = {}
    for number, node in enumerate(trace.nodes):
        if number == trace.target:
            roles[number] = ["start"]
        elif kept is not None and not node.element:
            roles[number] = ["held" if number in held | joined else "away"]
        elif number in held - joined:
            roles[number] = ["alone"]  # no edge marks this atom
    return _picture(trace, title, roles, held | joined | {*also}, styles=styles, widths=widths, **limits)


def state_picture(trace: Trace, step: Step | None, **limits: Any) -> Picture:
    """A state on the way: its set, its frontier, cut vertices and what may be taken out.

    Args:
        trace: The graph and the whole way: all its pictures look at the same part of the graph.
        step: The state; ``None`` for the result over the true motif.
        limits: Fields of the picture, such as its size.
    """
    members = trace.final.nodes if step is None else step.members
    inside = among(ends_of(trace), members)
    roles = {node: ["start" if node == trace.start else "held"] for node in members}
    if step is None:
        styles = judged(inside, truth_of(trace), trace.has_truth)
    else:
        styles = np.where(inside, "inside", "")
        for action in step.frontier:
            roles[action.node] = ["frontier"]
        for parent in step.parents:
            roles[parent.removed].append("parent")
        for node in step.cut_vertices:
            roles[node].append("cut")
    reached = {action.node for state in trace.steps for action in state.frontier}
    return _picture(trace, "", roles, reached | {*trace.steps[-1].members}, styles=styles, **limits)


def judged(kept: Bools, motif: Bools, truth: bool, plain: str = "") -> NDArray[np.str_]:
    """The style of each edge by whether an explanation has it; without a true motif nothing is right or wrong. [E]"""
    return np.where(kept, np.where(motif, "hit", "extra") if truth else "kept", np.where(motif, "missed", plain))


def among(ends: Ints, nodes: Collection[int]) -> Bools:
    """Which edges join two of some nodes. [2, E] → [E]"""
    return np.asarray(np.isin(ends, [*nodes]).all(axis=0))


def ends_of(trace: Trace) -> Ints:
    """The nodes at the ends of each edge. [2, E]"""
    return edge_array([(edge.source, edge.target) for edge in trace.edges])


def nodes_at(trace: Trace, edges: Bools) -> set[int]:
    """The nodes that some edges join. edges [E]"""
    return set(ends_of(trace)[:, edges].ravel().tolist())


def truth_of(trace: Trace) -> Bools:
    """Which edges the true motif has, none where it is not known. [E]"""
    return np.array([bool(edge.in_motif) for edge in trace.edges], dtype=bool)


def _picture(
    trace: Trace,
    title: str,
    roles: Mapping[int, Sequence[str]],
    core: Collection[int],
    **drawing: Any,
) -> Picture:
    """The nodes of a trace by their roles; of a large graph only the surroundings of the core, answer and motif."""
    looks = []
    for number, node in enumerate(trace.nodes):
        styles = ([node.element] if node.element else []) + list(roles.get(number, ()))
        tip, scale = f"{'Word' if trace.is_sentence else 'Node'} {node.label}", HYDROGEN if node.element == "H" else 1.0
        looks.append(Look(node.id, tip, node.label, styles=tuple(styles), scale=scale))
    points = np.array([node.position for node in trace.nodes])  # [n, 2]
    answer = (node for reason in trace.reasons for node in reason.nodes)
    core = {*core, trace.start, *trace.final.nodes, *answer, *nodes_at(trace, truth_of(trace))}
    view = None
    if len(trace.nodes) > LARGE and not trace.is_sentence:
        low, high = points[[*core]].min(axis=0) - ROUND, points[[*core]].max(axis=0) + ROUND
        view = ((points >= low) & (points <= high)).all(axis=1)
    return Picture(
        title,
        points,
        looks,
        ends_of(trace),
        orders=np.array([edge.order for edge in trace.edges]) if trace.nodes[0].element else None,
        view=view,
        sentence=trace.is_sentence,
        **drawing,
    )
