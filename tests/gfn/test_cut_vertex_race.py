"""The race of the cut vertices: its contestants agree, and it notices if they do not."""

import itertools
import random

import networkx as nx
import pytest

from gfx_core.gfn import cut_vertex_race
from gfx_core.gfn.cut_vertex_race import race, random_growths, tarjan_cut_vertices
from tests.toys.growing import FAMILIES


def test_all_take_part() -> None:
    seconds = race(random_growths(9, 3, seed=0), repeats=2)
    assert list(seconds) == ["tracker", "tarjan", "networkx"]
    assert all(each > 0 for each in seconds.values())
    assert list(race(random_growths(4, 1, seed=0), ("tracker", "tarjan"))) == ["tracker", "tarjan"]


def test_tarjan_agrees_with_networkx() -> None:
    rng = random.Random(1)
    for family, _ in itertools.product(FAMILIES.values(), range(20)):
        graph = nx.convert_node_labels_to_integers(family(rng))
        neighbours = [list(graph[node]) for node in range(graph.number_of_nodes())]
        assert tarjan_cut_vertices(neighbours) == set(nx.articulation_points(graph))


def test_a_disagreement_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut_vertex_race, "tarjan_cut_vertices", lambda neighbours: {0})
    with pytest.raises(RuntimeError, match="tracker and tarjan disagree"):
        race(random_growths(5, 1, seed=0))


def test_growths_are_connected_and_repeatable() -> None:
    growths = random_growths(12, 4, seed=7)
    assert growths == random_growths(12, 4, seed=7)
    assert all(len(growth) == 12 and not growth[0] and all(growth[1:]) for growth in growths)
    assert all(0 <= other < step for growth in growths for step, touched in enumerate(growth) for other in touched)
