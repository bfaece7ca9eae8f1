"""The heuristics against their descriptions, checked step by step with networkx."""

import networkx as nx
import numpy as np
import pytest

from gfx_core import load_dataset
from gfx_core.baselines.heuristics import MAX_NODES, MostLinks, Random
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from tests.toys.instances import graph_of, instance_of


def model(task: Task) -> GNN:
    return GNN(task, "sum", 3, 2)


def added(instance: Instance, scores: np.ndarray) -> list[set[int]]:
    """The ends of the edges of each weight, from the highest: what the start and each further node bring in."""
    weights = sorted(set(scores[scores > 0]), reverse=True)
    return [set(instance.edge_index[:, scores == weight].ravel().tolist()) for weight in weights]


def test_most_links_takes_the_best_every_time() -> None:
    shapes, motifs = load_dataset("ba_shapes"), load_dataset("ba_2motifs")
    cases = [
        *(shapes.instance(int(index)) for index in shapes.explainable[::60]),
        *(motifs.instance(index) for index in range(4)),
        instance_of(nx.cycle_graph(4), Task.NODE, index=2),  # fewer nodes than K_M
    ]
    for instance in cases:
        graph = graph_of(instance)
        scores = MostLinks(model(instance.task), seed=2).explain(instance).edge_mask
        first, *steps = added(instance, scores)
        assert set(np.round(scores * (MAX_NODES - 1), 9)) <= set(range(MAX_NODES))  # order weights
        inside = first
        assert instance.target is None or instance.target in inside
        for step in steps:
            (node,) = step - inside
            rank = {
                other: (len(inside & set(graph[other])), -graph.degree[other])
                for other in {other for member in inside for other in graph[member]} - inside
            }
            assert rank[node] == max(rank.values())
            inside |= step
        assert len(inside) == min(MAX_NODES, len(nx.node_connected_component(graph, min(inside))))


def test_random_scores_are_the_same_both_ways_and_uniform() -> None:
    instance = instance_of(nx.barabasi_albert_graph(400, 3, seed=1), Task.GRAPH)
    scores = Random(model(Task.GRAPH), seed=4).explain(instance).edge_mask
    assert np.array_equal(scores, scores[instance.reverse])
    once = scores[instance.undirected]
    assert len(np.unique(once)) == len(once)
    assert 0 <= once.min() < 0.01
    assert 0.99 < once.max() < 1
    assert abs(once.mean() - 0.5) < 0.05


@pytest.mark.parametrize("instance", [instance_of(nx.star_graph(12)), instance_of(nx.cycle_graph(13), Task.GRAPH)])
def test_ties_and_starts_are_drawn(instance: Instance) -> None:
    scores = {tuple(MostLinks(model(instance.task), seed=seed).explain(instance).edge_mask) for seed in range(6)}
    assert len(scores) > 3
