"""The consensus against a slow reference in networkx, and its corner cases."""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Case:
    """A path 0 – 1 – … – 7 whose explained class the GNN says from some number of nodes on."""

    instance: Instance
    predictor: SubgraphPredictor

    def found(self, chances: list[float], max_nodes: int = 8, start: int = 0) -> Consensus:
        """By the chance of each node; that of an edge is the lower of its ends'."""
        nodes = np.array(chances)
        ends = self.instance.edge_index[:, self.instance.undirected]
        return consensus(
            self.predictor, self.instance, start, Marginals(nodes[ends].min(0), nodes, exact=True), max_nodes
        )


def case(needed: int, most: int = 99) -> Case:
    """The GNN counts nodes: class 1 is said of at least ``needed`` and at most ``most`` nodes, and of the whole."""
    graph = nx.path_graph(8)
    instance = instance_of(graph, Task.GRAPH, noise(graph, 4, seed=0))
    predictor = SubgraphPredictor(GNN(Task.GRAPH, "sum", 4, 2).eval(), [instance])
    evaluate = predictor.evaluate

    def counting(subgraphs):  # type: ignore[no-untyped-def]
        made = evaluate(subgraphs)
        size = subgraphs.mask.sum(1)
        inside = ((size >= needed) & (size <= most)).float()
        return type(made)(torch.stack([1 - inside, inside + 0.01 * (size - 3).abs()], 1), made.embedding)

    predictor.evaluate = counting  # type: ignore[method-assign]
    whole = predictor.whole
    predictor.__dict__["whole"] = type(whole)(torch.tensor([[0.0, 1.0]]), whole.embedding)
    return Case(instance, predictor)


def test_what_the_draws_agree_on_is_enough() -> None:
    found = case(needed=3).found([1, 0.9, 0.5, 0.4, 0.1, 0, 0, 0])
    assert (found.nodes, found.grown, found.exact) == ((0, 1, 2), 0, True)


def test_it_grows_until_the_gnn_keeps_its_class() -> None:
    found = case(needed=5).found([1, 0.9, 0.5, 0.4, 0.1, 0.05, 0, 0])
    assert (found.nodes, found.grown) == ((0, 1, 2, 3, 4), 2)
    assert found.alone[1] > 0.5


def test_it_begins_with_the_start_node_if_nothing_reaches_one_half() -> None:
    found = case(needed=2).found([0.1, 0.2, 0.3, 1, 0.4, 0.2, 0, 0], start=3)
    assert (found.nodes, found.grown) == ((3, 4), 1)
    assert case(needed=1).found([0, 0, 0, 1, 0, 0, 0, 0], start=3).nodes == (3,)


def test_edges_beyond_a_gap_do_not_count() -> None:
    found = case(needed=1).found([1, 0.9, 0.4, 0.9, 0.9, 0.9, 0, 0])
    assert found.nodes == (0, 1)


def test_it_never_grows_beyond_what_can_be_drawn() -> None:
    never = case(needed=99)
    chances = [1, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1]
    assert len(never.found(chances, max_nodes=5).nodes) in (3, 4, 5)
    assert never.found([1, 0.9, 0.5, 0, 0, 0, 0, 0]).nodes == (0, 1, 2)


def test_where_no_class_is_kept_it_is_the_one_that_comes_nearest() -> None:
    found = case(needed=99).found([1, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0])  # the GNN is surest of seven nodes
    assert (len(found.nodes), found.grown) == (7, 4)
    assert found.alone[1] < 0.5


def test_a_sum_that_is_rounded_down_still_is_one_half() -> None:
    below = float(np.nextafter(0.5, 0))
    assert case(needed=1).found([1, below, below, 0.4, 0, 0, 0, 0]).nodes == (0, 1, 2)
