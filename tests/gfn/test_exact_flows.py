"""Exact flows: balanced on every state, and what is drawn from them follows R/Z."""

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.arrays import NEAR_TIE, first_best
from gfx_core.config import Task
from gfx_core.exact import exact_flows
from gfx_core.exact.state_dag import StateDag, enumerate_states
from gfx_core.exact.tabular import ExactFlows
from tests.toys.instances import instance_of

GRAPHS = {
    "one node": nx.empty_graph(1),
    "path": nx.path_graph(6),
    "star": nx.star_graph(5),
    "complete": nx.complete_graph(5),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)),
    "random": nx.gnp_random_graph(9, 0.35, seed=2),
}


@pytest.fixture(params=[(name, k) for name in GRAPHS for k in (2, 4, 9)], ids=lambda p: f"{p[0]}, K {p[1]}")
def flows(request: pytest.FixtureRequest) -> ExactFlows:
    name, max_nodes = request.param
    graph = GRAPHS[name]
    dag = enumerate_states(instance_of(graph, Task.GRAPH), len(graph) // 2, max_nodes)
    return ExactFlows(dag, np.random.default_rng(3).normal(-20, 8, dag.num_states))  # spans many orders of magnitude


def nodes_of(dag: StateDag, state: int) -> frozenset[int]:
    return frozenset(np.flatnonzero(dag.members[state]).tolist())


def flow_reference(graph: nx.Graph, rewards: dict[frozenset[int], float], start: int) -> dict[frozenset[int], float]:
    """F(s) of every state, by the definition: from the largest states down, each shared among its valid parents."""

    def parents(nodes: frozenset[int]) -> list[frozenset[int]]:
        rest = [nodes - {node} for node in nodes if node != start]
        return [each for each in rest if nx.is_connected(graph.subgraph(each))]

    total = dict(rewards)
    for nodes in sorted(rewards, key=len, reverse=True):
        for parent in (found := parents(nodes)):
            total[parent] += total[nodes] / len(found)
    return total


def test_flows_against_the_definition() -> None:
    graph = GRAPHS["random"]
    dag = enumerate_states(instance_of(graph, Task.GRAPH), 4, 5)
    log_reward = np.random.default_rng(0).normal(size=dag.num_states)
    flows = ExactFlows(dag, log_reward)
    rewards = {nodes_of(dag, state): float(np.exp(log_reward[state])) for state in range(dag.num_states)}
    expected = flow_reference(graph, rewards, 4)
    for state in range(dag.num_states):
        assert float(flows.log_out()[state].exp()) == pytest.approx(expected[nodes_of(dag, state)])
    for edge in range(dag.num_edges):
        child = int(dag.child[edge])
        share = expected[nodes_of(dag, child)] / dag.num_parents[child]
        assert float(flows.log_edge[edge].exp()) == pytest.approx(share)


def test_every_state_is_in_balance(flows: ExactFlows) -> None:
    residual = (flows.log_in() - flows.log_out())[1:]  # the start has no in-flow
    assert residual.abs().max().item() <= 1e-6 if len(residual) else True
    assert float(flows.log_out()[0]) == pytest.approx(exact_flows.log_partition(flows.log_reward)) == float(flows.log_z)


def test_it_stops_with_probability_r_over_z(flows: ExactFlows) -> None:
    target = exact_flows.target_distribution(flows.log_reward)
    assert flows.terminal_distribution() == pytest.approx(target, abs=1e-9)


def test_draws_follow_r_over_z() -> None:
    dag = enumerate_states(instance_of(GRAPHS["grid"], Task.GRAPH), 4, 4)
    log_reward = np.random.default_rng(1).normal(size=dag.num_states)
    flows = ExactFlows(dag, log_reward)
    count = 40_000
    paths = flows.sample(count, torch.Generator().manual_seed(0))
    seen = np.bincount(paths.terminal.numpy(), minlength=dag.num_states)
    expected = count * np.exp(exact_flows.target_distribution(log_reward))
    chi_square = float(((seen - expected) ** 2 / expected).sum())
    freedom = dag.num_states - 1
    assert chi_square < freedom + 5 * np.sqrt(2 * freedom)
    assert np.abs(seen / count - expected / count).sum() / 2 < 0.03


def test_orders_and_their_probability(flows: ExactFlows) -> None:
    dag, paths = flows.dag, flows.sample(50, torch.Generator().manual_seed(7))
    orders, log_forward = flows.orders(paths, 12), flows.log_forward(paths)
    backward = -np.log(np.maximum(dag.num_parents, 1))
    for order, state, log_p in zip(orders, paths.terminal.tolist(), log_forward, strict=True):
        nodes = order[order >= 0].tolist()
        assert nodes[0] == dag.start
        assert frozenset(nodes) == nodes_of(dag, state)
        # Z · P_F(order) = R · P_B(order): what flows along a trajectory is the same from both ends
        visited = [dag.index_of(nodes[: k + 1]) for k in range(len(nodes))]
        expected = float(flows.log_reward[state] - flows.log_z) + backward[visited[1:]].sum()
        assert log_p == pytest.approx(expected, abs=1e-9)


def test_greedy_takes_the_largest_flow(flows: ExactFlows) -> None:
    dag, paths = flows.dag, flows.greedy(2)
    (order, again) = flows.orders(paths, 12)
    assert order.tolist() == again.tolist()
    nodes = order[order >= 0].tolist()
    states = np.array([dag.index_of(nodes[: k + 1]) for k in range(len(nodes))])
    log_out, _ = flows.around(states)
    for state, row, chosen in zip(states, log_out, [*nodes[1:], None], strict=True):
        stop, near = float(flows.log_stop[state]), NEAR_TIE * max(1.0, abs(row.max()))
        assert (row.max() <= stop + near) if chosen is None else (first_best(row) == chosen and row.max() > stop)


def test_flows_around_states(flows: ExactFlows) -> None:
    dag = flows.dag
    states = np.arange(dag.num_states)
    log_out, log_in = flows.around(states)
    assert np.isfinite(log_out).sum() == np.isfinite(log_in).sum() == dag.num_edges
    for edge in range(dag.num_edges):
        parent, child, node = dag.parent[edge], dag.child[edge], dag.node[edge]
        assert log_out[parent, node] == log_in[child, node] == float(flows.log_edge[edge])
