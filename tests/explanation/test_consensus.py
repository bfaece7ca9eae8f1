"""The consensus against a slow reference in networkx, and its corner cases."""

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_dag import enumerate_states
from gfx_core.explanation.answer import (
    THRESHOLD,
    Consensus,
    Marginals,
    consensus,
    counted_marginals,
    exact_marginals,
    growth,
)
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.instances import graph_of, instance_of, noise


def slow_growth(graph: nx.Graph, start: int, marginals: Marginals, max_nodes: int) -> tuple[list[int], int]:
    """The rule word by word; edges are in the order of an instance's undirected ones."""
    edges = sorted(tuple(sorted(edge)) for edge in graph.edges)
    sure = nx.Graph([edge for edge, chance in zip(edges, marginals.edges, strict=True) if chance >= THRESHOLD])
    agreed = nx.node_connected_component(sure, start) if start in sure else {start}
    order = [start]

    def add(allowed: set[int], most: int) -> None:
        while len(order) < most:
            near = {n for node in order for n in graph[node]} - set(order)
            near = {node for node in near & allowed if marginals.nodes[node] > 0}
            if not near:
                return
            order.append(min(near, key=lambda node: (-marginals.nodes[node], node)))

    add(agreed, 64)
    count = len(order)
    add(set(graph), max_nodes)
    return order, count


def random_marginals(instance: Instance, rng: np.random.RandomState) -> Marginals:
    """Of draws that are random connected sets around node 0."""
    graph = graph_of(instance)
    orders = np.full((20, 8), -1)
    for row in orders:
        nodes = [0]
        for _ in range(rng.randint(0, 8)):
            near = sorted({n for node in nodes for n in graph[node]} - set(nodes))
            nodes += [int(rng.choice(near))] if near and rng.rand() < 0.9 else []
        row[: len(nodes)] = nodes
    return counted_marginals(instance, orders)


@pytest.mark.parametrize("seed", range(12))
def test_growth_against_the_slow_rule(seed: int) -> None:
    rng = np.random.RandomState(seed)
    graph = nx.gnp_random_graph(rng.randint(2, 25), 0.2, seed=seed)
    instance = instance_of(graph, Task.GRAPH)
    marginals = random_marginals(instance, rng)
    for max_nodes in (2, 5, 30):
        order, agreed = growth(instance, 0, marginals, max_nodes)
        assert (order.tolist(), agreed) == slow_growth(graph_of(instance), 0, marginals, max_nodes)


def test_marginals_of_all_states_and_of_draws_of_them() -> None:
    instance = instance_of(nx.lollipop_graph(4, 3), Task.GRAPH)
    dag = enumerate_states(instance, 2, 4)
    exact = exact_marginals(instance, dag, np.full(dag.num_states, -np.log(dag.num_states)))
    each_once = counted_marginals(instance, dag.subsets)
    assert exact.exact
    assert not each_once.exact
    assert np.allclose(exact.edges, each_once.edges)
    assert np.allclose(exact.nodes, each_once.nodes)


def consensus_of(needed: int, chances: list[float], max_nodes: int = 8, start: int = 0) -> Consensus:
    """On a path 0 – 1 – … – 7, of which the GNN says class 1 if it has ``needed`` nodes at least, and of the whole.

    Args:
        needed: So many nodes.
        chances: Of each node; that of an edge is the lower of its ends'.
        max_nodes: K_M.
        start: The start node.
    """
    graph = nx.path_graph(8)
    instance = instance_of(graph, Task.GRAPH, noise(graph, 4, seed=0))
    predictor = SubgraphPredictor(GNN(Task.GRAPH, "sum", 4, 2).eval(), [instance])
    evaluate = predictor.evaluate

    def counting(subgraphs):  # type: ignore[no-untyped-def]
        made = evaluate(subgraphs)
        size = subgraphs.mask.sum(1)
        enough = (size >= needed).float()
        return type(made)(torch.stack([1 - enough, enough + 0.01 * (size - 3).abs()], 1), made.embedding)

    predictor.evaluate = counting  # type: ignore[method-assign]
    whole = predictor.whole
    predictor.__dict__["whole"] = type(whole)(torch.tensor([[0.0, 1.0]]), whole.embedding)
    nodes = np.array(chances)
    edges = nodes[instance.edge_index[:, instance.undirected]].min(0)
    return consensus(predictor, instance, start, Marginals(edges, nodes, exact=True), max_nodes)


BELOW = float(np.nextafter(0.5, 0))


@pytest.mark.parametrize(
    ("needed", "chances", "start", "nodes", "grown"),
    [
        pytest.param(3, [1, 0.9, 0.5, 0.4, 0.1, 0, 0, 0], 0, (0, 1, 2), 0, id="what the draws agree on is enough"),
        pytest.param(5, [1, 0.9, 0.5, 0.4, 0.1, 0.05, 0, 0], 0, (0, 1, 2, 3, 4), 2, id="it grows for the GNN"),
        pytest.param(2, [0.1, 0.2, 0.3, 1, 0.4, 0.2, 0, 0], 3, (3, 4), 1, id="nothing reaches one half"),
        pytest.param(1, [0, 0, 0, 1, 0, 0, 0, 0], 3, (3,), 0, id="the start node alone"),
        pytest.param(1, [1, 0.9, 0.4, 0.9, 0.9, 0.9, 0, 0], 0, (0, 1), 0, id="edges beyond a gap do not count"),
        pytest.param(99, [1, 0.9, 0.5, 0, 0, 0, 0, 0], 0, (0, 1, 2), 0, id="never beyond what is drawn"),
        pytest.param(99, [1, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0], 0, tuple(range(7)), 4, id="the surest if none is kept"),
        pytest.param(1, [1, BELOW, BELOW, 0.4, 0, 0, 0, 0], 0, (0, 1, 2), 0, id="a sum that is rounded down"),
    ],
)
def test_the_rule(needed: int, chances: list[float], start: int, nodes: tuple[int, ...], grown: int) -> None:
    found = consensus_of(needed, chances, start=start)
    assert (found.nodes, found.grown, found.exact) == (nodes, grown, True)
    assert (found.alone[1] > 0.5) == (needed < 99)


def test_it_never_grows_beyond_the_most_nodes() -> None:
    assert len(consensus_of(99, [1, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1], max_nodes=5).nodes) in (3, 4, 5)
