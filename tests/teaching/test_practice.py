"""What is exactly true of the lessons' graphs."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from gfx_core.exact.enumeration import enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.teaching.practice import Ground
from gfx_core.training.lesson_graphs import GRAPHS, Practice, small_instance

GRAPHS = {
    "toy": (GRAPHS[Practice.TOY]["edges"], 5),
    "cycle": (((0, 1), (1, 2), (2, 3), (3, 4), (4, 0)), 5),
    "star": (((0, 1), (0, 2), (0, 3), (0, 4)), 4),
    "one node": ((), 3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_orders_are_all_in_which_each_prefix_is_connected(name: str) -> None:
    edges, most = GRAPHS[name]
    graph = nx.Graph(edges)
    graph.add_node(0)

    def grows(order: tuple[int, ...]) -> bool:
        return all(nx.is_connected(graph.subgraph(order[:n])) for n in range(1, len(order) + 1))

    others = [node for node in graph if node != 0]
    wanted = {(0, *rest) for n in range(min(most, len(graph))) for rest in permutations(others, n) if grows((0, *rest))}
    instance = small_instance(edges, tuple((float(n), 0.0) for n in range(len(graph))))
    dag = enumerate_states(instance, max_nodes=most)
    toy = Ground(instance, dag, ("",) * dag.num_states, np.ones(dag.num_states))
    assert {order.nodes for order in toy.orders} == wanted
    assert len(toy.orders) == len(wanted)
    for order in toy.orders[1:]:
        assert toy.orders[order.parent].nodes == order.nodes[:-1]
    counts = [len(toy.orders_of(state)) for state in range(dag.num_states)]
    np.testing.assert_allclose(counts, np.exp(StateSpace(dag, np.zeros(dag.num_states)).log_orders))
    for state in range(dag.num_states):
        assert all(dag.index_of(order) == state for order in toy.orders_of(state))
