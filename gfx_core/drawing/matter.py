"""What matters in the picture of a trace: the part of a large graph to look at, and a molecule's hydrogens.

The player does the same in the browser (assets/player/focus.js and hydrogens.js).
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from gfx_core.trace.schema import Trace

LARGE = 36
"""Graphs of so many nodes are drawn whole."""

MOST = 0.6
"""A part that takes more than this of the whole picture is no part."""

ROUND = 0.8
"""How far the surroundings go, in edge lengths."""

SMALL = 0.55
"""How large a hydrogen is beside other atoms."""

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

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
        core |= set(trace.answer.nodes)
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


def with_hydrogens(label: str, count: int) -> str:
    """What is written on an atom with so many hydrogens folded into it: ``CH₃``."""
    if not count:
        return label
    return f"{label}H{str(count).translate(_SUBSCRIPTS) if count > 1 else ''}"
