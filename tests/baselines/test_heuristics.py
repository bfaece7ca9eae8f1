"""The heuristics against their descriptions, checked step by step with networkx."""

import networkx as nx
import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.baselines.edge_scores import order_weights
from gfx_core.baselines.heuristics import BreadthFirst, MostLinks, Random
from gfx_core.baselines.registry import make_method
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import pooled_auc
from tests.toys.instances import graph_of, instance_of

GROWTHS = [BreadthFirst, MostLinks]
ALL = [Random, *GROWTHS]


def model(task: Task) -> GNN:
    return GNN(task, "sum", 3, 2)


def cases() -> list[Instance]:
    shapes, motifs = load_dataset("ba_shapes"), load_dataset("ba_2motifs")
    return [
        *(shapes.instance(int(index)) for index in shapes.explainable[::60]),
        *(motifs.instance(index) for index in range(4)),
        instance_of(nx.cycle_graph(4), Task.NODE, index=2),  # fewer nodes than K_M
        instance_of(nx.barabasi_albert_graph(400, 2, seed=1), Task.GRAPH),
    ]


@pytest.mark.parametrize("kind", GROWTHS)
def test_orders_are_connected_from_the_right_start(kind: type[BreadthFirst]) -> None:
    for instance in cases():
        graph = graph_of(instance)
        found = kind(model(instance.task), seed=1).explain(instance)
        assert found.order is not None
        order = found.order.tolist()
        if instance.target is not None:
            assert order[0] == instance.target
        assert len(set(order)) == len(order)
        assert len(order) == min(10, len(nx.node_connected_component(graph, order[0])))
        assert all(nx.is_connected(graph.subgraph(order[:size])) for size in range(1, len(order) + 1))
        padded = np.array(order + [-1] * (10 - len(order)))
        assert np.array_equal(found.edge_mask, order_weights(instance, padded))


def test_breadth_first_never_comes_nearer() -> None:
    for instance in cases():
        found = BreadthFirst(model(instance.task), seed=2).explain(instance)
        assert found.order is not None
        distance = nx.single_source_shortest_path_length(graph_of(instance), int(found.order[0]))
        far = [distance[node] for node in found.order.tolist()]
        assert far == sorted(far)
        left_out = set(distance) - set(found.order.tolist())
        assert all(distance[node] >= far[-1] for node in left_out)


def test_most_links_takes_the_best_every_time() -> None:
    for instance in cases():
        graph = graph_of(instance)
        found = MostLinks(model(instance.task), seed=2).explain(instance)
        assert found.order is not None
        order = found.order.tolist()
        for size in range(1, len(order)):
            inside = set(order[:size])
            rank = {
                node: (len(inside & set(graph[node])), -graph.degree[node])
                for node in {other for member in inside for other in graph[member]} - inside
            }
            assert rank[order[size]] == max(rank.values())


def test_random_scores_are_the_same_both_ways_and_uniform() -> None:
    instance = instance_of(nx.barabasi_albert_graph(400, 3, seed=1), Task.GRAPH)
    scores = Random(model(Task.GRAPH), seed=4).explain(instance).edge_mask
    by_edge = {(int(u), int(v)): score for (u, v), score in zip(instance.edge_index.T, scores, strict=True)}
    assert all(by_edge[v, u] == score for (u, v), score in by_edge.items())
    once = scores[instance.undirected]
    assert len(np.unique(once)) == len(once)
    assert 0 <= once.min() < 0.01
    assert 0.99 < once.max() < 1
    assert abs(once.mean() - 0.5) < 0.05


@pytest.mark.parametrize("kind", GROWTHS)
def test_ties_and_starts_are_drawn(kind: type[BreadthFirst]) -> None:
    star = instance_of(nx.star_graph(8), Task.NODE)
    orders = {tuple(kind(model(Task.NODE), seed=seed).explain(star).order.tolist()) for seed in range(6)}  # type: ignore[union-attr]
    assert len(orders) > 1
    ring = instance_of(nx.cycle_graph(9), Task.GRAPH)
    starts = {int(kind(model(Task.GRAPH), seed=seed).explain(ring).order[0]) for seed in range(12)}  # type: ignore[index]
    assert len(starts) > 3


def test_chance_is_one_half_and_houses_are_nearby() -> None:
    dataset, gnn = load_dataset("ba_shapes"), load_model("ba_shapes")
    instances = [dataset.instance(int(index)) for index in dataset.explainable[::5]]
    auc = {
        name: pooled_auc(instances, [found.edge_mask for found in make_method(name, gnn).explain_many(instances)])
        for name in ("random", "bfs", "most_links")
    }
    assert auc["random"] == pytest.approx(0.5, abs=0.05)
    assert (auc["bfs"] or 0) > 0.8
    assert (auc["most_links"] or 0) > 0.9
