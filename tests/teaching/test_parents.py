"""The puzzles of lesson 5: what may be removed, why, and what an answer is told."""

import networkx as nx
import pytest

from gfx_core.teaching import lab_graphs
from gfx_core.teaching.lab_graphs import (
    PUZZLES,
    Mark,
    check_picks,
    links_of,
    puzzle,
    removable,
    removal_reason,
    ring_with_a_tail,
)


@pytest.mark.parametrize("number", range(1, 40))
def test_what_may_be_removed_is_what_is_no_articulation_point(number: int) -> None:
    asked = puzzle(number)
    subgraph = nx.Graph(asked.graph.edges).subgraph(asked.order)
    assert nx.is_connected(subgraph)
    assert all(links_of(asked.graph.neighbours, asked.order)[1:])
    cut = set(nx.articulation_points(subgraph))
    assert removable(asked.graph, asked.order, asked.start) == set(asked.order) - cut - {asked.start}


def test_the_puzzles_grow_harder_and_differ() -> None:
    sizes = [len(asked.order) for asked in PUZZLES]
    assert sizes[0] == min(sizes)
    assert len({asked.order for asked in PUZZLES}) == len(PUZZLES)
    assert any(not set(nx.articulation_points(nx.Graph(p.graph.edges).subgraph(p.order))) for p in PUZZLES)


def test_the_reasons() -> None:
    asked = PUZZLES[1]  # a triangle a b c with a tail d e
    assert removal_reason(asked.graph, asked.order, 0, 2) == "without c the nodes d and e would hang in the air."
    assert removal_reason(asked.graph, asked.order, 0, 3) == "without d the node e would hang in the air."
    assert removal_reason(asked.graph, asked.order, 0, 1) == "without b the rest stays in one piece."
    assert "every set holds it" in removal_reason(asked.graph, asked.order, 0, 0)


def test_an_answer_that_is_right_wrong_and_incomplete() -> None:
    answer = check_picks(PUZZLES[1], {1, 2, 0, 5})  # f is not in the set
    assert answer.marks == {0: Mark.WRONG, 1: Mark.RIGHT, 2: Mark.WRONG, 4: Mark.MISSED}
    assert not answer.perfect
    assert set(answer.reasons) == set(answer.marks)
    assert check_picks(PUZZLES[1], {1, 4}).perfect
    assert not check_picks(PUZZLES[1], set()).perfect


@pytest.mark.parametrize("ring", range(3, 9))
def test_a_ring_with_a_tail_against_the_obvious_count(ring: int) -> None:
    graph = nx.cycle_graph(ring)
    graph.add_edge(2, ring)
    cut = set(nx.articulation_points(graph))
    assert cut == {2}
    assert ring_with_a_tail(ring) == len(set(graph) - cut - {0}) == ring - 1


def test_pieces_come_larger_first() -> None:
    assert lab_graphs.pieces_without(PUZZLES[1].graph, PUZZLES[1].order, 3) == [{0, 1, 2}, {4}]
