"""The state DAG against brute force over subsets, and the part of it around one trajectory."""

import itertools

import networkx as nx
import numpy as np
import pytest

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.exact import enumeration
from gfx_core.exact.enumeration import (
    StateDag,
    TooManyStates,
    enumerate_sets,
    enumerate_states,
    list_all,
    neighbourhood,
    set_bits,
)
from tests.toys.instances import instance_of
from tests.toys.state_spaces import GRAPHS, cases, dag_of, sets_of

every_case = pytest.mark.parametrize(("graph", "dag"), cases((1, 4)))


def connected_sets_reference(graph: nx.Graph, start: int, max_nodes: int) -> set[frozenset[int]]:
    others = [node for node in graph if node != start]
    sizes = range(min(max_nodes, len(graph)))
    subsets = (frozenset({start, *chosen}) for size in sizes for chosen in itertools.combinations(others, size))
    return {subset for subset in subsets if nx.is_connected(graph.subgraph(subset))}


@every_case
def test_states_are_the_connected_sets(graph: nx.Graph, dag: StateDag) -> None:
    found = sets_of(dag)
    assert len(found) == len(set(found)) == dag.num_states == dag.level_ptr[-1]
    assert set(found) == connected_sets_reference(graph, dag.start, dag.max_nodes)
    assert dag.indices_of(dag.members).tolist() == [dag.index_of(s) for s in found] == list(range(dag.num_states))
    masks = np.random.default_rng(1).random((200, dag.num_nodes)) < 0.4
    place = {s: i for i, s in enumerate(found)}
    assert dag.indices_of(masks).tolist() == [place.get(frozenset(np.flatnonzero(m).tolist()), -1) for m in masks]
    assert found[0] == {dag.start}
    assert dag.size.tolist() == [len(s) for s in found]
    for level, (first, last) in enumerate(itertools.pairwise(dag.level_ptr)):
        assert (dag.size[first:last] == level + 1).all()
    for row, expected in zip(dag.subsets, found, strict=True):
        assert row.tolist() == [dag.start, *sorted(expected - {dag.start}), *[-1] * (dag.num_levels - len(expected))]


@every_case
def test_edges_are_the_valid_parents(graph: nx.Graph, dag: StateDag) -> None:
    found = sets_of(dag)
    edges = {(found[p], found[c], n) for p, c, n in zip(dag.parent, dag.child, dag.node, strict=True)}
    assert len(edges) == dag.num_edges
    expected = set()
    for state in found:
        cut = set(nx.articulation_points(graph.subgraph(state)))
        expected |= {(state - {u}, state, u) for u in state - cut - {dag.start}}
    assert edges == expected
    assert (np.diff(dag.parent * dag.num_nodes + dag.node) > 0).all()
    # states are numbered as they are first reached: from the lowest parent, by the lowest node
    assert (np.diff(np.unique(dag.child, return_index=True)[1]) > 0).all()
    for s, state in enumerate(found):
        frontier = {v for u in state for v in graph[u]} - state if len(state) < dag.max_nodes else set()
        assert set(dag.node[dag.out_ptr[s] : dag.out_ptr[s + 1]].tolist()) == frontier
        assert dag.num_children[s] == len(frontier)
        assert dag.num_parents[s] == (dag.child == s).sum()


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("most", [3, 9])
def test_the_sets_of_all_start_nodes_are_listed_once(graph: nx.Graph, most: int) -> None:
    """Against the states of each start node, which are listed on their own."""
    every = enumerate_sets(instance_of(graph, Task.GRAPH), most)
    found, edges = sets_of(every), set()
    assert len(found) == len(set(found))
    assert set(found) == set().union(*(connected_sets_reference(graph, node, most) for node in graph))
    for node in graph:
        dag = dag_of(graph, node, most)
        sets = sets_of(dag)
        assert [found[at] for at in every.indices_of(dag.members)] == sets
        edges |= {(sets[p], sets[c]) for p, c in zip(dag.parent, dag.child, strict=True)}
    assert {(found[p], found[c]) for p, c in zip(every.parent, every.child, strict=True)} == edges
    for row, expected in zip(every.subsets, found, strict=True):
        assert row.tolist() == [*sorted(expected), *[-1] * (every.num_levels - len(expected))]
    with pytest.raises(TooManyStates):
        enumerate_sets(instance_of(graph, Task.GRAPH), most, cap=every.num_states - 1)


@every_case
def test_the_states_of_fewer_nodes(graph: nx.Graph, dag: StateDag) -> None:
    for size in range(1, dag.num_levels + 1):
        few, expected = dag.up_to(size), dag_of(graph, dag.start, size)
        for name in ("start", "max_nodes", "num_nodes", "packed", "size", "level_ptr", "parent", "child", "node"):
            assert np.array_equal(getattr(few, name), getattr(expected, name)), name


def test_what_is_refused_and_where_it_starts() -> None:
    many = nx.relabel_nodes(nx.path_graph(2048), {i: i * 1001 % 2048 for i in range(2048)})
    around = dag_of(many, 5 * 1001 % 2048, 4)  # sets that span several machine words
    ranges = ((a, b) for a in (2, 3, 4, 5) for b in (6, 7, 8, 9) if b - a <= 4)
    assert set(sets_of(around)) == {frozenset(i * 1001 % 2048 for i in range(a, b)) for a, b in ranges}
    assert [around.index_of(s) for s in sets_of(around)] == list(range(10))
    path = instance_of(nx.path_graph(7), Task.GRAPH)
    for nodes in ([], [0], [0, 3], [3, 99], [-1, 3], [1, 2, 3, 4]):
        with pytest.raises(UserError, match="connected set"):
            enumerate_states(path, 3, 3).index_of(nodes)
    for start, max_nodes, message in ((7, 2, "no node 7"), (-1, 2, "no node"), (0, 0, "got 0"), (None, 2, "name one")):
        with pytest.raises(UserError, match=message):
            enumerate_states(path, start, max_nodes)
    dataset = load_dataset("tree_cycles")
    instance = dataset.instance(int(dataset.explainable[0]))
    assert enumerate_states(instance, max_nodes=3).start == instance.target


@pytest.mark.parametrize(
    "graph",
    [nx.complete_graph(60), nx.star_graph(2047), nx.barabasi_albert_graph(700, 5, seed=0), nx.balanced_tree(2, 9)],
    ids=["complete", "star", "scale-free", "tree"],
)
def test_too_many_states_are_noticed_before_more_was_built_than_can_be_kept(
    graph: nx.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []

    def counted(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = set_bits(packed)
        built.append(len(found[0]))
        return found

    monkeypatch.setattr(enumeration, "set_bits", counted)
    with pytest.raises(TooManyStates, match="More than 100,000"):
        dag_of(graph, 0, 20)
    assert sum(built) <= enumeration.EDGES_PER_STATE * 100_000
    count = dag_of(GRAPHS["grid"], 0, 9).num_states  # the cap is exact
    assert dag_of(GRAPHS["grid"], 0, 9, cap=count).num_states == count
    with pytest.raises(TooManyStates):
        dag_of(GRAPHS["grid"], 0, 9, cap=count - 1)


def test_a_neighbourhood_is_the_part_of_the_whole_around_the_trajectory() -> None:
    instance = load_dataset("tree_grid").instance(601)
    whole = enumerate_states(instance, max_nodes=6)
    path = [0]
    for _ in range(5):
        path.append(int(whole.child[whole.parent == path[-1]][1]))
    order = [0] + [int(np.flatnonzero(whole.members[b] & ~whole.members[a])[0]) for a, b in itertools.pairwise(path)]
    part = neighbourhood(instance, order, 6)
    near = set(path)
    for state in path:
        near |= set(whole.parent[whole.child == state].tolist()) | set(whole.child[whole.parent == state].tolist())
    at = whole.indices_of(part.members)
    assert set(at.tolist()) == near
    assert len(at) == len(near)
    inside = np.isin(whole.parent, at) & np.isin(whole.child, at)
    expected = set(zip(*(each[inside].tolist() for each in (whole.parent, whole.child, whole.node)), strict=True))
    assert set(zip(at[part.parent].tolist(), at[part.child].tolist(), part.node.tolist(), strict=True)) == expected
    assert [part.index_of(order[: k + 1]) for k in range(len(order))] == [int(np.flatnonzero(at == s)[0]) for s in path]
    assert part.level_ptr.tolist() == [int((part.size <= k).sum()) for k in range(int(part.size.max()) + 1)]
    assert neighbourhood(instance, [0], 1).num_states == 1


def test_what_is_listed_and_in_which_parts() -> None:
    """Instances with too many states are left out, and what comes after enough; large ones stand alone."""
    dataset = load_dataset("tree_grid")
    instances = [dataset.instance(int(i)) for i in dataset.explainable[::80]]
    starts = [instance.target or 0 for instance in instances]
    dags = list_all(instances, starts, 5, cap=10_000)
    sizes = {number: dag.num_states for number, dag in dags.items()}
    assert list(sizes) == list(range(len(instances)))
    middle = sorted(sizes.values())[len(sizes) // 2]
    few = list_all(instances, starts, 5, cap=middle)
    assert set(few) == {number for number, count in sizes.items() if count <= middle}
    assert list(list_all(instances, starts, 5, cap=10_000, most=sizes[0])) == [0, 1]
    assert not list_all(instances, starts, 5, cap=1)
