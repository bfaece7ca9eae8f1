"""The water of the first lesson: what must hold whatever the rewards are; and the tree of sequences."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.teaching.practice import solve_flows
from gfx_core.teaching.sequences import SequenceTree, draw, draw_sets, sequence_tree
from gfx_core.training.lesson_graphs import GRAPHS, Practice, practice_instance, practice_rewards, small_instance

INSTANCE = practice_instance(Practice.TOY)
DAG = enumerate_states(INSTANCE)
RANDOM = np.random.default_rng(0)
REWARDS = {
    "the lesson's": practice_rewards(Practice.TOY, INSTANCE, DAG),
    "random": RANDOM.uniform(0, 10, DAG.num_states),
    "with zeros": RANDOM.uniform(0, 10, DAG.num_states) * (RANDOM.random(DAG.num_states) < 0.5),
    "all at the end": 2.0 * np.eye(DAG.num_states)[-1],
    "all at the start": 3.0 * np.eye(DAG.num_states)[0],
}


@pytest.mark.parametrize("reward", REWARDS.values(), ids=REWARDS)
def test_flow_is_kept_and_stops_in_proportion_to_the_reward(reward: np.ndarray) -> None:
    flows = solve_flows(DAG, reward)
    assert flows.stop == pytest.approx(reward / reward.sum())
    assert flows.target == pytest.approx(flows.stop)
    inward = np.bincount(DAG.child, flows.edge, DAG.num_states)
    outward = np.bincount(DAG.parent, flows.edge, DAG.num_states) + reward
    assert inward[1:] == pytest.approx(outward[1:])
    assert outward == pytest.approx(flows.state)
    assert outward[0] == pytest.approx(flows.z) == reward.sum()
    assert flows.edge * DAG.num_parents[DAG.child] == pytest.approx(inward[DAG.child])  # each parent gives the same


@pytest.mark.parametrize("reward", [[0.0] * 8, [-1.0] + [1.0] * 7, [float("nan")] * 8, [1.0] * 3])
def test_what_cannot_flow_is_refused(reward: list[float]) -> None:
    with pytest.raises(UserError):
        solve_flows(DAG, reward)


# The tree of sequences


GRAPHS = {
    "toy": (GRAPHS[Practice.TOY]["edges"], 5),
    "cycle": (((0, 1), (1, 2), (2, 3), (3, 4), (4, 0)), 5),
    "star": (((0, 1), (0, 2), (0, 3), (0, 4)), 4),
    "one node": ((), 3),
}


def tree_of(name: str) -> tuple[StateDag, SequenceTree, np.ndarray]:
    """The states of a graph, its tree, and a random reward of each state."""
    edges, most = GRAPHS[name]
    nodes = max((max(edge) for edge in edges), default=0) + 1
    dag = enumerate_states(small_instance(edges, tuple((float(n), 0.0) for n in range(nodes))), max_nodes=most)
    return dag, sequence_tree(dag), np.random.default_rng(1).uniform(0.2, 3.0, dag.num_states)


@pytest.mark.parametrize("name", GRAPHS)
def test_sequences_are_all_orders_in_which_each_prefix_is_connected(name: str) -> None:
    edges, most = GRAPHS[name]
    graph = nx.Graph(edges)
    graph.add_node(0)

    def grows(order: tuple[int, ...]) -> bool:
        return all(nx.is_connected(graph.subgraph(order[:n])) for n in range(1, len(order) + 1))

    others = [node for node in graph if node != 0]
    wanted = {(0, *rest) for n in range(min(most, len(graph))) for rest in permutations(others, n) if grows((0, *rest))}
    dag, tree, reward = tree_of(name)
    assert set(tree.orders) == wanted
    assert tree.num_sequences == len(wanted)
    for index, order in enumerate(tree.orders):
        assert dag.index_of(order) == tree.state[index]
        assert tree.number[order] == index
        assert not index or tree.orders[tree.parent[index]] == order[:-1]
    np.testing.assert_allclose(np.bincount(tree.state), np.exp(StateSpace(dag, np.zeros(dag.num_states)).log_orders))
    z = np.exp(StateSpace(tree.dag, np.log(reward[tree.state])).log_state[0])
    stop = np.bincount(tree.state, reward[tree.state] / z, dag.num_states)
    np.testing.assert_allclose(stop, np.exp(StateSpace(dag, np.log(reward)).log_sequence))


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("name", ["toy", "cycle", "one node"])
def test_samples_follow_the_exact_distribution(name: str, merged: bool) -> None:
    dag, tree, reward = tree_of(name)
    space, rng, count = StateSpace(dag, np.log(reward)), np.random.default_rng(0), 200_000
    if merged:
        samples, log_wanted = draw_sets(dag, reward, count, rng), space.log_target
    else:
        sequences = draw_sets(tree.dag, reward[tree.state], count, rng)
        samples, log_wanted = np.bincount(tree.state, sequences, dag.num_states), space.log_sequence
    assert samples.sum() == count
    deviation = np.sqrt(np.exp(log_wanted) / count)  # at least the standard deviation of each frequency
    assert (np.abs(samples / count - np.exp(log_wanted)) < 5 * deviation + 1e-12).all()


def test_the_error_is_the_number_of_orders_exactly() -> None:
    dag, tree, _ = tree_of("toy")
    reward = practice_rewards(Practice.TOY, practice_instance(Practice.TOY), dag)
    apart, merged = (draw(dag, tree, reward, batches=1, merged=merged, seed=0) for merged in (False, True))
    assert apart.orders.tolist() == [1, 1, 1, 2, 1, 3, 1, 4]
    alone = apart.expected_factor[0]  # of a set with one order
    np.testing.assert_allclose(apart.expected_factor, apart.orders * alone)
    assert alone < 1  # so a set with k orders is not sampled k times too often: it has k times the weight
    np.testing.assert_allclose(merged.expected_factor, 1.0)
    assert merged.highest_factor == pytest.approx(apart.expected_factor.max())
