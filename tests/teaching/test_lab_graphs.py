"""Graphs of the lab: families, edits, orders in which a connected set grows, and puzzles of what may be removed."""

import networkx as nx
import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.teaching import lab_graphs
from gfx_core.teaching.lab_graphs import (
    PUZZLES,
    GraphKind,
    LabGraph,
    PickMark,
    check_picks,
    growth_order,
    lab_graph,
    links_of,
    puzzle,
    removable,
    removal_reason,
    ring_with_a_tail,
)

FAMILIES = [kind for kind in GraphKind if kind is not GraphKind.INSTANCE]


def as_networkx(graph: LabGraph) -> nx.Graph:
    whole = nx.Graph(graph.edges)
    whole.add_nodes_from(range(graph.num_nodes))
    return whole


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("size", [3, 9, 26])
def test_a_family_is_connected_simple_and_apart_and_every_prefix_of_a_growth_is_connected(
    kind: GraphKind, size: int
) -> None:
    graph = lab_graph(kind, size, seed=5)
    whole = as_networkx(graph)
    assert graph.num_nodes == size == len(set(graph.names))
    assert len(set(graph.edges)) == len(graph.edges)
    assert all(0 <= a < b < size for a, b in graph.edges)
    gaps = np.linalg.norm(graph.points[:, None] - graph.points[None], axis=-1) + 9 * np.eye(size)
    assert gaps.min() > 0.2
    for seed in range(3):
        order = growth_order(graph, [], seed, most=size)
        assert sorted(order) == list(range(size))
        assert all(nx.is_connected(whole.subgraph(order[:k])) for k in range(1, size + 1))
        links = [(order[i], order[j]) for i, near in enumerate(links_of(graph.neighbours, order)) for j in near]
        assert {lab_graphs.edge(*ends) for ends in links} == set(graph.edges)


@pytest.mark.parametrize(
    ("kind", "size", "expected"),
    [
        (GraphKind.PATH, 7, nx.path_graph(7)),
        (GraphKind.CYCLE, 7, nx.cycle_graph(7)),
        (GraphKind.TREE, 7, nx.balanced_tree(2, 2)),
        (GraphKind.GRID, 9, nx.grid_2d_graph(3, 3)),
    ],
)
def test_a_family_is_what_it_is_called(kind: GraphKind, size: int, expected: nx.Graph) -> None:
    assert nx.is_isomorphic(as_networkx(lab_graph(kind, size)), expected)


def test_cliques_share_nodes_and_a_seed_decides_a_random_graph() -> None:
    cliques = as_networkx(lab_graph(GraphKind.CLIQUES, 10))
    assert sorted(nx.articulation_points(cliques)) == [3, 6]
    assert sorted(map(len, nx.find_cliques(cliques))) == [4, 4, 4]
    first, again, other = (lab_graph(GraphKind.RANDOM, 12, seed).edges for seed in (1, 1, 2))
    assert first == again != other
    for size in (2, 27):
        with pytest.raises(UserError, match="between 3 and 26"):
            lab_graph(GraphKind.PATH, size)


def test_chosen_nodes_come_first_as_far_as_they_fit() -> None:
    graph = lab_graph(GraphKind.PATH, 8)
    assert growth_order(graph, [3, 2, 4], 0)[:3] == [3, 2, 4]
    for broken in ([3, 2, 7], [3, 2, 3], [3, 2, -1], [3, 2, 99]):
        order = growth_order(graph, broken, 0)
        assert (order[:2], sorted(order)) == ([3, 2], list(range(8)))
    assert growth_order(graph, [99], 0)[0] == graph.start
    assert len(growth_order(graph, [], 0, most=4)) == 4
    assert sorted(growth_order(lab_graphs.flip_edges(graph, [(2, 3)]), [], 0)) == [0, 1, 2]  # it ends with the graph


def test_an_instance_starts_at_the_explained_node_and_bounds_the_race() -> None:
    graph = lab_graphs.instance_graph("tree_cycles", 612)
    assert graph.names[graph.start] == "612"
    assert nx.is_connected(as_networkx(graph))
    with pytest.raises(UserError):
        lab_graphs.instance_graph("mutagenicity", 0)
    growths = lab_graphs.growths(GraphKind.INSTANCE, "tree_cycles", 612, 40, 1, 3)
    assert [len(growth) for growth in growths] == [40, 40, 40]
    assert all(touched for growth in growths for touched in growth[1:])
    assert growths[0] != growths[1]
    assert len(lab_graphs.growths(GraphKind.INSTANCE, "ba_2motifs", 0, 40, 1, 1)[0]) == 25


@pytest.mark.parametrize("number", range(1, 2 * len(PUZZLES)))
def test_all_but_articulation_points_and_the_start_may_be_removed(number: int) -> None:
    one = puzzle(number)
    subgraph = nx.Graph(one.graph.edges).subgraph(one.order)
    assert nx.is_connected(subgraph)
    cut = set(nx.articulation_points(subgraph))
    assert removable(one.graph, one.order, one.start) == set(one.order) - cut - {one.start}


def test_an_answer_is_marked_with_reasons() -> None:
    one = PUZZLES[1]  # a triangle a b c with a tail d e
    reasons = [removal_reason(one.graph, one.order, 0, node) for node in range(4)]
    for reason, words in zip(reasons, ("every set", "one piece", "nodes d and e", "node e"), strict=True):
        assert words in reason
    answer = check_picks(one, {1, 2, 0, 5})  # f is not in the set
    assert answer.marks == {0: PickMark.WRONG, 1: PickMark.RIGHT, 2: PickMark.WRONG, 4: PickMark.MISSED}
    assert set(answer.reasons) == set(answer.marks)
    assert [check_picks(one, picks).perfect for picks in ({1, 4}, {1, 2, 0, 5}, set())] == [True, False, False]
    assert [ring_with_a_tail(ring) for ring in range(3, 9)] == list(range(2, 8))  # all but the start and what holds it
