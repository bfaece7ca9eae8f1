"""The small graph of the first lessons."""

import networkx as nx
import numpy as np
import pytest

from gfx_core.exact.state_dag import StateDag, enumerate_states
from gfx_core.training.lesson_graphs import TOY_EDGES, small_instance, state_name, toy_instance, toy_rewards


@pytest.fixture(scope="module")
def dag() -> StateDag:
    return enumerate_states(toy_instance(), max_nodes=5)


def test_its_states_are_the_connected_sets_with_the_start_node(dag: StateDag) -> None:
    graph = nx.Graph(TOY_EDGES)
    subsets = [{n for n in range(5) if word >> n & 1} for word in range(1, 32)]
    wanted = {"".join("abcde"[n] for n in sorted(s)) for s in subsets if 0 in s and nx.is_connected(graph.subgraph(s))}
    names = [state_name(toy_instance(), dag, state) for state in range(dag.num_states)]
    assert set(names) == wanted
    assert len(names) == len(wanted) == 8


def test_rewards_are_positive_and_the_triangle_is_best(dag: StateDag) -> None:
    reward = toy_rewards(toy_instance(), dag)
    assert reward.shape == (dag.num_states,)
    assert (reward > 0).all()
    assert state_name(toy_instance(), dag, int(np.argmax(reward))) == "abc"


def test_a_small_graph_has_each_edge_in_both_directions() -> None:
    instance = small_instance(((1, 0), (1, 2), (0, 1)), ((0, 0), (1, 0), (2, 0)))
    assert instance.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert [instance.node_label(node) for node in range(3)] == ["a", "b", "c"]
