"""The state DAG and everything computed on it, against brute force over subsets, trajectories and permutations."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.exact import exact_flows, state_dag
from gfx_core.exact.state_dag import StateDag, TooManyStates, enumerate_states, set_bits
from tests.gfn.dense_flows import terminal_distribution
from tests.toys.instances import instance_of

GRAPHS = {
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(4),
    "path": nx.path_graph(7),
    "cycle": nx.cycle_graph(7),
    "star": nx.star_graph(6),
    "complete": nx.complete_graph(6),
    "tree": nx.balanced_tree(2, 2),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)),
    "two pieces": nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(4)),
    **{f"random {seed}": nx.gnp_random_graph(9, 0.3, seed=seed) for seed in range(6)},
}


@pytest.fixture(params=[(name, k) for name in GRAPHS for k in (1, 3, 5, 9)], ids=lambda p: f"{p[0]}, K {p[1]}")
def case(request: pytest.FixtureRequest) -> tuple[nx.Graph, StateDag]:
    name, max_nodes = request.param
    graph = GRAPHS[name]
    start = graph.number_of_nodes() // 2
    return graph, enumerate_states(instance_of(graph, Task.GRAPH), start, max_nodes)


def sets_of(dag: StateDag) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(row).tolist()) for row in dag.members]


def random_flows(dag: StateDag, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=dag.num_edges), rng.normal(size=dag.num_states)


# Slow references


def connected_sets_reference(graph: nx.Graph, start: int, max_nodes: int) -> set[frozenset[int]]:
    others = [node for node in graph if node != start]
    sizes = range(min(max_nodes, len(graph)))
    subsets = (frozenset({start, *chosen}) for size in sizes for chosen in itertools.combinations(others, size))
    return {subset for subset in subsets if nx.is_connected(graph.subgraph(subset))}


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


# The states


def test_states_are_the_connected_sets(case: tuple[nx.Graph, StateDag]) -> None:
    graph, dag = case
    found = sets_of(dag)
    assert len(found) == len(set(found)) == dag.num_states
    assert set(found) == connected_sets_reference(graph, dag.start, dag.max_nodes)
    assert found[0] == {dag.start}
    assert dag.size.tolist() == [len(s) for s in found]
    assert (np.diff(dag.size) >= 0).all()
    for level, (first, last) in enumerate(itertools.pairwise(dag.level_ptr)):
        assert (dag.size[first:last] == level + 1).all()
    assert dag.level_ptr[-1] == dag.num_states
    for row, expected in zip(dag.subsets, found, strict=True):
        assert row[0] == dag.start
        assert set(row[row >= 0].tolist()) == expected
        assert (np.diff(row[1 : len(expected)]) > 0).all()
        assert (row[len(expected) :] == -1).all()


def test_edges_are_the_valid_parents(case: tuple[nx.Graph, StateDag]) -> None:
    graph, dag = case
    found = sets_of(dag)
    given = {(found[p], found[c], n) for p, c, n in zip(dag.parent, dag.child, dag.node, strict=True)}
    assert len(given) == dag.num_edges
    expected = set()
    for state in found:
        cut = set(nx.articulation_points(graph.subgraph(state)))
        expected |= {(state - {u}, state, u) for u in state - cut - {dag.start}}
    assert given == expected
    keys = dag.parent * dag.num_nodes + dag.node
    assert (np.diff(keys) > 0).all()
    for s, state in enumerate(found):
        frontier = {v for u in state for v in graph[u]} - state if len(state) < dag.max_nodes else set()
        assert set(dag.node[dag.out_ptr[s] : dag.out_ptr[s + 1]].tolist()) == frontier
        assert dag.num_children[s] == len(frontier)
        assert dag.num_parents[s] == (dag.child == s).sum()


def test_lookup(case: tuple[nx.Graph, StateDag]) -> None:
    _, dag = case
    assert dag.indices_of(dag.members).tolist() == list(range(dag.num_states))
    assert [dag.index_of(s) for s in sets_of(dag)] == list(range(dag.num_states))
    masks = np.random.default_rng(1).random((200, dag.num_nodes)) < 0.4
    place = {s: i for i, s in enumerate(sets_of(dag))}
    expected = [place.get(frozenset(np.flatnonzero(mask).tolist()), -1) for mask in masks]
    assert dag.indices_of(masks).tolist() == expected


@pytest.mark.parametrize("nodes", [[], [0], [0, 3], [3, 99], [-1, 3], [1, 2, 3, 4]])
def test_what_is_no_state_is_not_found(nodes: list[int]) -> None:
    dag = enumerate_states(instance_of(nx.path_graph(7), Task.GRAPH), 3, 3)
    with pytest.raises(UserError, match="connected set of at most 3 nodes that holds node 3"):
        dag.index_of(nodes)


def test_many_nodes() -> None:
    """Sets that span several machine words, with a start node anywhere."""
    graph = nx.relabel_nodes(nx.path_graph(2048), {i: i * 1001 % 2048 for i in range(2048)})
    start = 5 * 1001 % 2048
    dag = enumerate_states(instance_of(graph, Task.GRAPH), start, 4)
    assert dag.num_states == 1 + 2 + 3 + 4
    assert dag.members.shape == (10, 2048)
    assert set(sets_of(dag)) == {frozenset(i * 1001 % 2048 for i in range(a, b)) for a in (2, 3, 4, 5) for b in
                                 (6, 7, 8, 9) if b - a <= 4}  # fmt: skip
    assert [dag.index_of(s) for s in sets_of(dag)] == list(range(10))


def test_numbers_do_not_depend_on_keys() -> None:
    """States are numbered as they are first reached: from the lowest parent, by the lowest node."""
    dag = enumerate_states(instance_of(GRAPHS["grid"], Task.GRAPH), 4, 9)
    seen = np.full(dag.num_states, -1)
    first = np.unique(dag.child, return_index=True)[1]
    seen[1:] = first
    assert (np.diff(seen) > 0).all()


def test_the_start_is_the_explained_node() -> None:
    dataset = load_dataset("tree_cycles")
    instance = dataset.instance(int(dataset.explainable[0]))
    assert enumerate_states(instance, max_nodes=3).start == instance.target
    with pytest.raises(UserError, match="name one"):
        enumerate_states(instance_of(nx.path_graph(3), Task.GRAPH))


@pytest.mark.parametrize(("start", "max_nodes", "message"), [(3, 2, "no node 3"), (-1, 2, "no node"), (0, 0, "got 0")])
def test_impossible_requests(start: int, max_nodes: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        enumerate_states(instance_of(nx.path_graph(3), Task.GRAPH), start, max_nodes)


@pytest.mark.parametrize(("name", "max_nodes", "about"), [("tree_cycles", 8, 110), ("tree_grid", 9, 220)])
def test_how_many_states_the_data_sets_have(name: str, max_nodes: int, about: int) -> None:
    dataset = load_dataset(name)
    counts = [enumerate_states(dataset.instance(int(i)), max_nodes=max_nodes).num_states for i in dataset.explainable]
    assert about / 1.5 < np.mean(counts) < about * 1.5
    assert max(counts) < 5000


@pytest.mark.parametrize(
    "graph",
    [nx.complete_graph(60), nx.star_graph(2047), nx.barabasi_albert_graph(700, 5, seed=0), nx.balanced_tree(2, 9)],
    ids=["complete", "star", "scale-free", "tree"],
)
def test_too_many_states_are_noticed_soon(graph: nx.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before more was built than can be kept."""
    built: list[int] = []

    def counted(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = set_bits(packed)
        built.append(len(found[0]))
        return found

    monkeypatch.setattr(state_dag, "set_bits", counted)
    with pytest.raises(TooManyStates, match="More than 100,000 connected subgraphs of at most 20 nodes"):
        enumerate_states(instance_of(graph, Task.GRAPH), 0, 20)
    assert sum(built) <= state_dag.EDGES_PER_STATE * 100_000


def test_the_cap_is_exact() -> None:
    instance = instance_of(GRAPHS["grid"], Task.GRAPH)
    count = enumerate_states(instance, 0, 9).num_states
    assert enumerate_states(instance, 0, 9, cap=count).num_states == count
    for cap in (0, 1, count // 2, count - 1):
        with pytest.raises(TooManyStates, match=f"More than {cap} "):
            enumerate_states(instance, 0, 9, cap=cap)


# Distributions and flows


def test_terminal_distribution_is_the_sum_over_trajectories(case: tuple[nx.Graph, StateDag]) -> None:
    _, dag = case
    if dag.num_states > 130:
        dag = enumerate_states(instance_of(case[0], Task.GRAPH), dag.start, 4)
    flow, stop = random_flows(dag)
    flow[np.random.default_rng(5).random(dag.num_edges) < 0.2] = -np.inf
    expected = terminal_reference(dag, flow, stop)
    log_p = exact_flows.terminal_distribution_from_edges(dag, flow, stop)
    assert np.allclose(np.exp(log_p), expected, atol=1e-12)
    assert np.exp(log_p).sum() == pytest.approx(1)
    dense = torch.full((dag.num_states, dag.num_nodes), -torch.inf)
    dense[dag.parent, dag.node] = torch.from_numpy(flow).float()
    from_dense = terminal_distribution(dag, dense, torch.from_numpy(stop))
    assert np.allclose(np.exp(from_dense), expected, atol=1e-6)


def test_stop_is_forced_where_nothing_else_can_be_done() -> None:
    dag = enumerate_states(instance_of(nx.path_graph(3), Task.GRAPH), 0, 3)
    log_p = exact_flows.terminal_distribution_from_edges(dag, np.zeros(2), np.full(3, -np.inf))
    assert np.exp(log_p).tolist() == [0, 0, 1]
    alone = enumerate_states(instance_of(nx.empty_graph(2), Task.GRAPH), 1, 5)
    assert exact_flows.terminal_distribution_from_edges(alone, [], [-np.inf]).tolist() == [0]
    assert exact_flows.uniform_backward_flows(alone, [-2.0])[0].tolist() == [-2]


def test_terminal_distribution_against_monte_carlo() -> None:
    dag = enumerate_states(instance_of(GRAPHS["grid"], Task.GRAPH), 4, 4)
    flow, stop = random_flows(dag)
    rng, counts, draws = np.random.default_rng(0), np.zeros(dag.num_states), 20_000
    tables = []
    for s in range(dag.num_states):
        edges = np.arange(dag.out_ptr[s], dag.out_ptr[s + 1])
        weight = np.exp(np.append(flow[edges], stop[s]))
        tables.append((np.append(dag.child[edges], -1), np.cumsum(weight / weight.sum())))
    for _ in range(draws):
        state = here = 0
        while here >= 0:
            state, (goes_to, up_to) = here, tables[here]
            here = int(goes_to[min(np.searchsorted(up_to, rng.random()), len(goes_to) - 1)])
        counts[state] += 1
    p = np.exp(exact_flows.terminal_distribution_from_edges(dag, flow, stop))
    assert (np.abs(counts / draws - p) < 5 * np.sqrt(p * (1 - p) / draws) + 1e-3).all()


def test_uniform_backward_flows_give_the_target(case: tuple[nx.Graph, StateDag]) -> None:
    _, dag = case
    log_reward = np.random.default_rng(2).normal(scale=4, size=dag.num_states)
    log_state, log_edge = exact_flows.uniform_backward_flows(dag, log_reward)
    assert log_state[0] == pytest.approx(exact_flows.log_partition(log_reward))
    log_in, log_out = exact_flows.state_flows(dag, log_edge, log_reward)
    assert np.allclose(log_out, log_state)
    assert np.allclose(log_in[1:], log_state[1:])  # conservation
    log_p = exact_flows.terminal_distribution_from_edges(dag, log_edge, log_reward)
    assert np.allclose(log_p, exact_flows.target_distribution(log_reward), atol=1e-9)
    assert exact_flows.total_variation(log_p, exact_flows.target_distribution(log_reward)) < 1e-6
    visits = exact_flows.visit_distribution(dag, log_edge, log_reward)
    assert np.allclose(visits, log_state - log_state[0])
    for state in range(1, dag.num_states):
        shares = log_edge[dag.child == state]
        assert np.allclose(shares, log_state[state] - np.log(len(shares)))


def test_rewards_of_any_size() -> None:
    log_reward = np.array([-1000.0, -1001.0, -2000.0, -np.inf])
    assert exact_flows.log_partition(log_reward) == pytest.approx(-1000 + math.log(1 + math.exp(-1)))
    p = np.exp(exact_flows.target_distribution(log_reward))
    assert p.sum() == pytest.approx(1)
    assert p[3] == 0
    assert exact_flows.best_state(log_reward) == 0
    assert exact_flows.best_state(torch.tensor([0.0, 2.0, 2.0])) == 1


def test_orderings_are_the_permutations_that_stay_connected() -> None:
    for name in ("grid", "cycle", "tree", "complete", "random 2"):
        graph = GRAPHS[name]
        dag = enumerate_states(instance_of(graph, Task.GRAPH), 1, 6)
        log_orders = exact_flows.orderings(dag)
        for state, nodes in list(enumerate(sets_of(dag)))[::5]:
            orders = sum(
                all(nx.is_connected(graph.subgraph([dag.start, *order[:k]])) for k in range(len(order)))
                for order in itertools.permutations(nodes - {dag.start})
            )
            assert math.exp(log_orders[state]) == pytest.approx(orders)


def test_sequence_distribution_is_the_share_of_orders() -> None:
    dag = enumerate_states(instance_of(GRAPHS["grid"], Task.GRAPH), 4, 5)
    log_reward = np.random.default_rng(3).normal(size=dag.num_states)
    weight = np.exp(log_reward) * np.exp(exact_flows.orderings(dag))
    assert np.allclose(np.exp(exact_flows.sequence_distribution(dag, log_reward)), weight / weight.sum())


def test_marginals_against_brute_force(case: tuple[nx.Graph, StateDag], monkeypatch: pytest.MonkeyPatch) -> None:
    graph, dag = case
    instance = instance_of(graph, Task.GRAPH)
    p = np.random.default_rng(4).dirichlet(np.ones(dag.num_states))
    found = sets_of(dag)
    edges = [sum(w for w, s in zip(p, found, strict=True) if {u, v} <= s) for u, v in instance.edge_index.T.tolist()]
    assert np.allclose(exact_flows.edge_marginals(dag, instance, p), edges)
    nodes = [sum(w for w, s in zip(p, found, strict=True) if node in s) for node in range(len(graph))]
    assert np.allclose(exact_flows.node_marginals(dag, p), nodes)
    monkeypatch.setattr(exact_flows, "_CHUNK_CELLS", 1)
    assert np.allclose(exact_flows.edge_marginals(dag, instance, torch.from_numpy(p)), edges)


def test_total_variation() -> None:
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log([0.5, 0.5, 0.0]), np.log([0.0, 0.25, 0.75])
    assert exact_flows.total_variation(log_p, log_p) == 0
    assert exact_flows.total_variation(log_p, log_q) == pytest.approx(0.75)
    assert exact_flows.total_variation(np.log([1.0, 1e-300]), np.log([1e-300, 1.0])) == pytest.approx(1)
