"""Graphs of the lab: families, edits, and orders in which a connected set grows."""

import random

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
    links_of,
    puzzle,
    removable,
    removal_reason,
    ring_with_a_tail,
)

FAMILIES = [kind for kind in GraphKind if kind is not GraphKind.INSTANCE]


def as_networkx(graph: LabGraph) -> nx.Graph:
    found = nx.Graph(graph.edges)
    found.add_nodes_from(range(graph.num_nodes))
    return found


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("size", [3, 9, 26])
def test_a_family_is_connected_simple_and_drawn_apart(kind: GraphKind, size: int) -> None:
    graph = lab_graphs.lab_graph(kind, size, seed=5)
    assert graph.num_nodes == size == len(set(graph.names))
    assert len(set(graph.edges)) == len(graph.edges)
    assert all(0 <= a < b < size for a, b in graph.edges)
    assert nx.is_connected(as_networkx(graph))
    gaps = np.linalg.norm(graph.points[:, None] - graph.points[None], axis=-1) + 9 * np.eye(size)
    assert gaps.min() > 0.2


def test_what_the_families_are() -> None:
    def graph(kind: GraphKind, size: int) -> nx.Graph:
        return as_networkx(lab_graphs.lab_graph(kind, size))

    assert nx.is_isomorphic(graph(GraphKind.PATH, 7), nx.path_graph(7))
    assert nx.is_isomorphic(graph(GraphKind.CYCLE, 7), nx.cycle_graph(7))
    assert nx.is_isomorphic(graph(GraphKind.TREE, 7), nx.balanced_tree(2, 2))
    assert nx.is_isomorphic(graph(GraphKind.GRID, 9), nx.grid_2d_graph(3, 3))
    assert sorted(nx.articulation_points(graph(GraphKind.CLIQUES, 10))) == [3, 6]
    assert sorted(map(len, nx.find_cliques(graph(GraphKind.CLIQUES, 10)))) == [4, 4, 4]


def test_a_seed_makes_another_random_graph_and_the_same_again() -> None:
    first, again, other = (lab_graphs.lab_graph(GraphKind.RANDOM, 12, seed) for seed in (1, 1, 2))
    assert first.edges == again.edges != other.edges
    for size in (2, 27):
        with pytest.raises(UserError, match="between 3 and 26"):
            lab_graphs.lab_graph(GraphKind.PATH, size)


def test_an_edit_flips_edges_and_keeps_the_drawing() -> None:
    graph = lab_graphs.lab_graph(GraphKind.PATH, 5)
    changed = lab_graphs.flip_edges(graph, [(0, 1), (4, 0), (2, 2), (0, 99), (-1, 2)])
    assert set(changed.edges) == {(1, 2), (2, 3), (3, 4), (0, 4)}
    assert changed.points is graph.points
    assert lab_graphs.flip_edges(changed, [(0, 1), (0, 4)]).edges == graph.edges


@pytest.mark.parametrize("kind", FAMILIES)
def test_each_prefix_of_a_growth_is_connected(kind: GraphKind) -> None:
    graph = lab_graphs.lab_graph(kind, 14, 3)
    whole = as_networkx(graph)
    for seed in range(5):
        order = lab_graphs.growth_order(graph, [], seed)
        assert sorted(order) == list(range(14))
        assert all(nx.is_connected(whole.subgraph(order[:k])) for k in range(1, 15))
        links = links_of(graph.neighbours, order)
        assert {lab_graphs.edge(order[i], order[j]) for i, near in enumerate(links) for j in near} == set(graph.edges)
        assert all(j < i for i, near in enumerate(links) for j in near)


def test_chosen_nodes_come_first_as_far_as_they_fit() -> None:
    graph = lab_graphs.lab_graph(GraphKind.PATH, 8)
    assert lab_graphs.growth_order(graph, [3, 2, 4], 0)[:3] == [3, 2, 4]
    for broken in ([3, 2, 7], [3, 2, 3], [3, 2, -1], [3, 2, 99]):
        order = lab_graphs.growth_order(graph, broken, 0)
        assert order[:2] == [3, 2]
        assert sorted(order) == list(range(8))
    assert lab_graphs.growth_order(graph, [99], 0)[0] == graph.start
    assert len(lab_graphs.growth_order(graph, [], 0, most=4)) == 4
    apart = lab_graphs.flip_edges(graph, [(2, 3)])
    assert sorted(lab_graphs.growth_order(apart, [], 0)) == [0, 1, 2]  # it ends where the graph does


def test_an_instance_starts_at_the_explained_node() -> None:
    graph = lab_graphs.instance_graph("tree_cycles", 612)
    assert graph.names[graph.start] == "612"
    assert nx.is_connected(as_networkx(graph))
    with pytest.raises(UserError):
        lab_graphs.instance_graph("mutagenicity", 0)


def test_growths_for_the_race() -> None:
    for kind in (GraphKind.GRID, GraphKind.INSTANCE):
        made = lab_graphs.growths(kind, "tree_cycles", 612, 40, 1, 3)
        assert [len(each) for each in made] == [40, 40, 40]
        assert all(touched for each in made for touched in each[1:])
        assert made[0] != made[1]
    assert len(lab_graphs.growths(GraphKind.INSTANCE, "ba_2motifs", 0, 40, 1, 1)[0]) == 25


def test_a_random_order_takes_every_frontier_node_at_times() -> None:
    neighbours = lab_graphs.lab_graph(GraphKind.GRID, 9).neighbours
    second = {lab_graphs.random_order(neighbours, [4], 2, random.Random(seed))[1] for seed in range(60)}
    assert second == {1, 3, 5, 7}


# The puzzles of lesson 5: what may be removed, why, and what an answer is told.


@pytest.mark.parametrize("number", range(1, 2 * len(PUZZLES)))
def test_what_may_be_removed_is_what_is_no_articulation_point(number: int) -> None:
    one = puzzle(number)
    subgraph = nx.Graph(one.graph.edges).subgraph(one.order)
    assert nx.is_connected(subgraph)
    assert all(links_of(one.graph.neighbours, one.order)[1:])
    cut = set(nx.articulation_points(subgraph))
    assert removable(one.graph, one.order, one.start) == set(one.order) - cut - {one.start}


def test_the_reasons() -> None:
    one = PUZZLES[1]  # a triangle a b c with a tail d e
    assert removal_reason(one.graph, one.order, 0, 2) == "without c the nodes d and e would be cut off."
    assert removal_reason(one.graph, one.order, 0, 3) == "without d the node e would be cut off."
    assert removal_reason(one.graph, one.order, 0, 1) == "without b the rest stays in one piece."
    assert "every set contains it" in removal_reason(one.graph, one.order, 0, 0)
    assert lab_graphs.pieces_without(one.graph, one.order, 3) == [{0, 1, 2}, {4}]  # larger ones first


def test_an_answer_that_is_right_wrong_and_incomplete() -> None:
    answer = check_picks(PUZZLES[1], {1, 2, 0, 5})  # f is not in the set
    assert answer.marks == {0: PickMark.WRONG, 1: PickMark.RIGHT, 2: PickMark.WRONG, 4: PickMark.MISSED}
    assert not answer.perfect
    assert set(answer.reasons) == set(answer.marks)
    assert check_picks(PUZZLES[1], {1, 4}).perfect
    assert not check_picks(PUZZLES[1], set()).perfect


def test_a_ring_with_a_tail_against_the_obvious_count() -> None:
    assert [ring_with_a_tail(ring) for ring in range(3, 9)] == list(range(2, 8))  # all but the start and what holds it
