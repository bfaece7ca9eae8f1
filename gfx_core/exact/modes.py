"""Modes of a distribution over subgraphs: the few different ones that most of the probability gathers around.

The rule: the most probable subgraph represents the first mode, and every subgraph that overlaps it by half belongs to
it: twice the shared edges are at least half of the edges of both together, a Dice index of ½. Of what is left, the most
probable one represents the next mode, and so on. The share of a mode is the probability of all that belongs to it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.datasets.instance import Instance

Bools = NDArray[np.bool_]

OVERLAP = 0.5
"""The least Dice index of a subgraph's edges and those of the representative of its mode."""
LEAST_SHARE = 0.1
"""Modes with less of the probability are not looked for."""
_LOOKED_AT = 20_000  # most probable subgraphs; all others together have hardly any probability, or none stands out
_BEYOND = 1e-6  # probability of those that are not looked at, where fewer will do


@dataclass(frozen=True)
class Mode:
    """Subgraphs that share half of their edges with one of them.

    Attributes:
        representative: The row of its most probable subgraph.
        share: The probability of all its subgraphs together.
    """

    representative: int
    share: float


def edge_memberships(instance: Instance, members: Bools) -> Bools:
    """Which undirected edges are within each set of nodes. [S, m] → [S, E]"""
    source, target = instance.edge_index[:, instance.undirected]
    return members[:, source] & members[:, target]


def find_modes(instance: Instance, members: Bools, log_probability: Doubles) -> list[Mode]:
    """All modes with a share of at least `LEAST_SHARE`, the largest first; where there is none, the first one found.

    Args:
        instance: The graph.
        members: Which nodes each subgraph contains. [S, m]
        log_probability: Of each subgraph. [S]
    """
    probability = np.exp(log_probability)
    rows = _most_probable(probability)
    edges = edge_memberships(instance, members[rows])  # [n, E]
    lone = members[rows] & (edges.sum(1) == 0)[:, None]  # a node without an edge overlaps itself alone
    elements = np.concatenate([edges, lone], axis=1)
    size = elements.sum(1)
    remaining, log_remaining = probability[rows], log_probability[rows].copy()
    modes: list[Mode] = []
    while remaining.sum() >= LEAST_SHARE or not modes:
        best = first_best(log_remaining)
        shared = elements[:, elements[best]].sum(1)
        inside = 2 * shared >= OVERLAP * (size + size[best])
        modes.append(Mode(int(rows[best]), float(remaining[inside].sum())))
        remaining[inside], log_remaining[inside] = 0.0, -np.inf
    modes.sort(key=lambda mode: -mode.share)
    return [mode for mode in modes if mode.share >= LEAST_SHARE] or modes[:1]


def _most_probable(probability: Doubles) -> Ints:
    """The rows that are looked at, in their own order."""
    order = np.argsort(-probability, kind="stable")
    enough = int(np.searchsorted(np.cumsum(probability[order]), probability.sum() - _BEYOND)) + 1
    return np.sort(order[: min(enough, _LOOKED_AT)])
