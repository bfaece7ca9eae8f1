"""Modes against a slow reference that looks at one subgraph after the other."""

import itertools

import networkx as nx
import numpy as np
import pytest

from gfx_core.config import Task
from gfx_core.exact.enumeration import enumerate_sets
from gfx_core.exact.modes import LEAST_SHARE, Mode, find_modes
from tests.toys.instances import graph_of, instance_of

Edges = frozenset[frozenset[int]]


def slow_modes(graph: nx.Graph, sets: list[list[int]], probability: np.ndarray) -> list[Mode]:
    """The rule as it is told: in the order of their probability, each joins the first mode that it overlaps by half."""
    representatives: list[tuple[int, Edges]] = []
    shares: list[float] = []
    for row in sorted(range(len(sets)), key=lambda row: (-probability[row], row)):
        edges = frozenset(frozenset(pair) for pair in graph.subgraph(sets[row]).edges) or frozenset(
            [frozenset(sets[row])]
        )
        for number, (_, other) in enumerate(representatives):
            if 2 * len(edges & other) >= 0.5 * (len(edges) + len(other)):
                shares[number] += probability[row]
                break
        else:
            representatives.append((row, edges))
            shares.append(probability[row])
    found = [Mode(row, float(share)) for (row, _), share in zip(representatives, shares, strict=True)]
    large = sorted((mode for mode in found if mode.share >= LEAST_SHARE), key=lambda mode: -mode.share)
    return large or found[:1]


@pytest.mark.parametrize(("seed", "sharp"), itertools.product(range(6), (0.3, 2.0, 6.0)))
def test_as_one_would_group_them_by_hand(seed: int, sharp: float) -> None:
    graph = nx.gnm_random_graph(9, 12, seed=seed)
    instance = instance_of(graph, Task.GRAPH)
    dag = enumerate_sets(instance, 5)
    log_p = sharp * np.random.default_rng(seed).normal(size=dag.num_states)
    log_p -= np.logaddexp.reduce(log_p)
    sets = [np.flatnonzero(row).tolist() for row in dag.members]
    slow, fast = slow_modes(graph_of(instance), sets, np.exp(log_p)), find_modes(instance, dag.members, log_p)
    assert [mode.representative for mode in fast] == [mode.representative for mode in slow]
    assert [mode.share for mode in fast] == pytest.approx([mode.share for mode in slow], abs=2e-6)
