"""The race of the cut vertices: its contestants agree, and it notices if they do not."""

import itertools
import random

import networkx as nx
import pytest

from gfx_core.gfn import cut_vertex_race
from gfx_core.gfn.cut_vertex_race import race, tarjan_cut_vertices
from tests.toys.growing import FAMILIES

GROWTHS = [[[], [0], [1], [2], [0, 3]], [[], [0], [0], [0], [1, 3]]]


def test_both_take_part_and_a_disagreement_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = race(GROWTHS, 2, 2.0)
    assert list(seconds) == ["tracker", "tarjan"]
    assert all(each > 0 for each in seconds.values())
    monkeypatch.setattr(cut_vertex_race, "tarjan_cut_vertices", lambda neighbours: {0})
    with pytest.raises(RuntimeError, match="tracker and tarjan disagree"):
        race(GROWTHS, 1, 2.0)


def test_tarjan_agrees_with_networkx() -> None:
    rng = random.Random(1)
    for family, _ in itertools.product(FAMILIES.values(), range(20)):
        graph = nx.convert_node_labels_to_integers(family(rng))
        neighbours = [list(graph[node]) for node in range(graph.number_of_nodes())]
        assert tarjan_cut_vertices(neighbours) == set(nx.articulation_points(graph))
