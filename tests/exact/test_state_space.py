"""Distributions, flows and marginals on a state DAG, against sums over trajectories, permutations and sets."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.arrays import NEAR_TIE, first_best
from gfx_core.config import Task
from gfx_core.exact import paths as paths_module
from gfx_core.exact import state_space
from gfx_core.exact.enumeration import StateDag, TooManyStates
from gfx_core.exact.paths import DagPaths
from gfx_core.exact.state_space import StateSpace
from tests.toys.instances import instance_of
from tests.toys.state_spaces import GRAPHS, cases, dag_of, sets_of, state_flows, terminal_distribution

every_case = pytest.mark.parametrize(("graph", "dag"), cases((1, 5)))


def terminal_reference(dag: StateDag, flow: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Sums the probabilities of all trajectories, one after the other."""
    leaving = [np.flatnonzero(dag.parent == s) for s in range(dag.num_states)]
    total = np.zeros(dag.num_states)

    def walk(state: int, probability: float) -> None:
        edges = [e for e in leaving[state] if flow[e] > -np.inf]
        if not edges:
            total[state] += probability
            return
        out = math.exp(stop[state]) + sum(math.exp(flow[e]) for e in edges)
        total[state] += probability * math.exp(stop[state]) / out
        for e in edges:
            walk(int(dag.child[e]), probability * math.exp(flow[e]) / out)

    walk(0, 1.0)
    return total


@pytest.mark.parametrize(("graph", "dag"), cases((1, 4)))
def test_terminal_distribution_is_the_sum_over_trajectories(graph: nx.Graph, dag: StateDag) -> None:
    rng = np.random.default_rng(0)
    flow, stop = rng.normal(size=dag.num_edges), rng.normal(size=dag.num_states)
    flow[rng.random(dag.num_edges) < 0.2] = -np.inf
    expected = terminal_reference(dag, flow, stop)
    log_p = StateSpace(dag, stop).walk(flow).stop
    assert np.allclose(log_p, StateSpace(dag, np.zeros(dag.num_states)).walk(flow, stop).stop)
    assert np.allclose(np.exp(log_p), expected, atol=1e-12)
    assert np.exp(log_p).sum() == pytest.approx(1)
    dense = torch.full((dag.num_states, dag.num_nodes), -torch.inf)
    dense[dag.parent, dag.node] = torch.from_numpy(flow).float()
    assert np.allclose(np.exp(terminal_distribution(dag, dense, torch.from_numpy(stop))), expected, atol=1e-6)


def test_stop_is_forced_where_nothing_else_can_be_done() -> None:
    log_p = StateSpace(dag_of(nx.path_graph(3), 0, 3), [-np.inf] * 3).walk([0.0, 0.0]).stop
    assert np.exp(log_p).tolist() == [0, 0, 1]
    space = StateSpace(dag_of(nx.path_graph(4), 0, 4), [-1000.0, -1001.0, -2000.0, -np.inf])
    assert space.log_z[0] == pytest.approx(-1000 + math.log(1 + math.exp(-1)))
    assert np.exp(space.log_target)[2:].tolist() == [0, 0]
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log([0.5, 0.5, 0.0]), np.log([0.0, 0.25, 0.75])
    assert StateSpace(dag_of(nx.path_graph(3), 0, 3), log_p).total_variation(log_q) == pytest.approx(0.75)
    alone = dag_of(nx.empty_graph(2), 1, 5)
    assert StateSpace(alone, [-np.inf]).walk([]).stop.tolist() == [0]
    assert StateSpace(alone, [-2.0]).log_state.tolist() == [-2]


@every_case
def test_uniform_backward_flows_give_the_target(graph: nx.Graph, dag: StateDag) -> None:
    """In balance in every state, in equal shares from its parents, stopping with R/Z."""
    log_reward = np.random.default_rng(2).normal(-20, 8, size=dag.num_states)  # spans many orders of magnitude
    space = StateSpace(dag, log_reward)
    log_state, log_edge = space.log_state, space.log_edge
    assert log_state[0] == pytest.approx(np.logaddexp.reduce(log_reward))
    assert space.log_z.tolist() == pytest.approx([log_state[0]])
    log_in, log_out = state_flows(dag, log_edge, log_reward)
    assert np.allclose(log_out, log_state)
    assert np.allclose(log_in[1:], log_state[1:])  # conservation
    for state in range(1, dag.num_states):
        shares = log_edge[dag.child == state]
        assert np.allclose(shares, log_state[state] - np.log(len(shares)))
    walk = space.walk(log_edge)
    assert np.allclose(walk.visit, log_state - log_state[0])
    assert np.allclose(walk.step, log_edge - log_state[0])
    assert np.allclose(walk.stop, space.log_target, atol=1e-9)
    assert space.total_variation(walk.stop) < 1e-9
    assert log_reward[space.best[0]] == log_reward.max()


def test_orderings_are_the_permutations_that_stay_connected() -> None:
    """And GFlow-Sequence learns R times their number."""
    for name in ("grid", "tree", "complete", "random 2"):
        graph = GRAPHS[name]
        dag = dag_of(graph, 1, 6)
        log_reward = np.random.default_rng(3).normal(size=dag.num_states)
        space = StateSpace(dag, log_reward)
        log_orders = space.log_orders
        for state, nodes in list(enumerate(sets_of(dag)))[::5]:
            orders = sum(
                all(nx.is_connected(graph.subgraph([dag.start, *order[:k]])) for k in range(len(order)))
                for order in itertools.permutations(nodes - {dag.start})
            )
            assert math.exp(log_orders[state]) == pytest.approx(orders)
        weight = np.exp(log_reward + log_orders)
        assert np.allclose(np.exp(space.log_sequence), weight / weight.sum())


@every_case
def test_marginals_against_brute_force(graph: nx.Graph, dag: StateDag, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = instance_of(graph, Task.GRAPH)
    p = np.random.default_rng(4).dirichlet(np.ones(dag.num_states))
    found = sets_of(dag)
    edges = [sum(w for w, s in zip(p, found, strict=True) if {u, v} <= s) for u, v in instance.edge_index.T.tolist()]
    space = StateSpace(dag, np.zeros(dag.num_states))
    assert np.allclose(space.edge_marginals(instance, p), edges)
    monkeypatch.setattr(state_space, "_CHUNK_CELLS", 1)
    assert np.allclose(space.edge_marginals(instance, torch.from_numpy(p)), edges)


def test_many_instances_in_one_space_are_one_after_the_other() -> None:
    rng, dags = np.random.default_rng(6), [dag for _, dag in cases((1, 4, 6))]
    rewards = [rng.normal(-5, 4, size=dag.num_states) for dag in dags]
    flows = [rng.normal(size=dag.num_edges) for dag in dags]
    stops = [rng.normal(size=dag.num_states) for dag in dags]
    space = StateSpace(dags, np.concatenate(rewards))
    walk = space.walk(np.concatenate(flows), np.concatenate(stops))
    alone = [StateSpace(dag, reward) for dag, reward in zip(dags, rewards, strict=True)]
    walks = [each.walk(flow, stop) for each, flow, stop in zip(alone, flows, stops, strict=True)]
    for name in ("visit", "stop", "step"):
        assert np.allclose(getattr(walk, name), np.concatenate([getattr(each, name) for each in walks]))
    for name in ("log_state", "log_edge", "log_target", "log_orders", "log_sequence", "log_z"):
        assert np.allclose(getattr(space, name), np.concatenate([getattr(each, name) for each in alone]))
    apart = [each.total_variation(own.stop) for each, own in zip(alone, walks, strict=True)]
    assert np.allclose(space.total_variations(walk.stop), apart)
    assert space.total_variation(walk.stop) == pytest.approx(np.mean(apart))
    assert [int(best) for best in space.best - space.origin] == [int(each.best[0]) for each in alone]


@pytest.mark.parametrize(("graph", "dag"), cases((4,)))
def test_orders_have_their_probability_and_greedy_takes_the_largest_flow(graph: nx.Graph, dag: StateDag) -> None:
    rng = np.random.default_rng(3)
    space, paths = StateSpace(dag, rng.normal(-20, 8, dag.num_states)), DagPaths(dag)
    flows = space.log_edge, space.log_reward
    drawn = paths.sample(*flows, rng.random((dag.num_levels, 50)))
    backward, sets, log_edge = -np.log(np.maximum(dag.num_parents, 1)), sets_of(dag), np.append(space.log_edge, 0.0)
    for column, (order, state) in enumerate(zip(paths.orders(drawn, 12), drawn.terminal.tolist(), strict=True)):
        nodes = order[order >= 0].tolist()
        assert nodes[0] == dag.start
        assert frozenset(nodes) == sets[state]
        # F(s → s′) = F(s′)·P_B(s|s′): what flows along a trajectory is the same from both ends
        visited = [dag.index_of(nodes[: k + 1]) for k in range(len(nodes))]
        assert drawn.states[: len(nodes), column].tolist() == visited
        forward = (log_edge[drawn.edges[: len(nodes) - 1, column]] - space.log_state[visited[:-1]]).sum()
        expected = space.log_state[state] - space.log_z[0] + backward[visited[1:]].sum()
        assert forward == pytest.approx(expected, abs=1e-9)
    (order,) = paths.orders(paths.greedy(*flows), 12)
    nodes = order[order >= 0].tolist()
    states = np.array([dag.index_of(nodes[: k + 1]) for k in range(len(nodes))])
    for state, chosen in zip(states, [*nodes[1:], None], strict=True):
        leaving = np.flatnonzero(dag.parent == state)
        flow, stop = space.log_edge[leaving], float(space.log_reward[state])
        if chosen is None:
            assert (flow <= stop + NEAR_TIE * max(1.0, abs(stop))).all()
        else:
            assert flow.max() > stop
            assert dag.node[leaving[first_best(flow)]] == chosen


def test_ways_there_and_back_are_drawn_as_often_as_they_should_be() -> None:
    """With ε = 1 every action has the same chance; back, every valid parent."""
    dag, rng, draws = dag_of(GRAPHS["grid"], 1, 5), np.random.default_rng(0), 100_000
    paths, flows = DagPaths(dag), (rng.normal(size=dag.num_edges), rng.normal(size=dag.num_states))
    uniform = StateSpace(dag, np.zeros(dag.num_states)).walk(np.zeros(dag.num_edges)).stop
    for epsilon, log_p in ((0.0, StateSpace(dag, flows[1]).walk(flows[0]).stop), (1.0, uniform)):
        terminal = paths.sample(*flows, rng.random((dag.num_levels, draws)), epsilon).terminal
        p, share = np.exp(log_p), np.bincount(terminal, minlength=dag.num_states) / draws
        assert (np.abs(share - p) < 5 * np.sqrt(p * (1 - p) / draws) + 1e-4).all()
    state = int(dag.num_parents.argmax())
    back = paths.sample_back(np.full(20_000, state), rng.random((dag.num_levels - 1, 20_000)))
    parents, counts = np.unique(back.states[-2], return_counts=True)
    assert parents.tolist() == sorted(dag.parent[dag.child == state].tolist())
    assert np.allclose(counts / 20_000, 1 / len(parents), atol=0.02)
    assert (back.states[dag.num_levels - dag.size[state]] == 0).all()


def test_a_table_may_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths_module, "MAX_TABLE", 10)
    with pytest.raises(TooManyStates, match="too large"):
        DagPaths(dag_of(GRAPHS["grid"], 1, 5))
