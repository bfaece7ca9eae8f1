"""The hidden GNNs of lesson 9: each knows its rule, and a graph that speaks against a wrong guess really does."""

import networkx as nx
import numpy as np
import pytest

from gfx_core.gnn.checkpoint import read_header
from gfx_core.job_context import JobContext
from gfx_core.teaching import hidden_gnns
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, MOST, RULES, all_graphs, hidden_gnn_path, read_graph, spell_graph
from gfx_core.teaching.lesson_jobs import ask_hidden_gnn, reveal_hidden_gnn

EVERY = all_graphs()


def test_all_small_connected_graphs_are_there_once() -> None:
    """OEIS A001349: 1, 2, 6, 21, 112, 853 connected graphs of 2 to 7 nodes."""
    assert np.bincount([len(graph) for graph in EVERY]).tolist() == [0, 0, 1, 2, 6, 21, 112, 853]


def test_rules_against_plain_searches() -> None:
    for graph in EVERY[:142]:
        rings, degrees = list(nx.simple_cycles(graph)), [degree for _, degree in graph.degree]
        expected = {
            "triangle": any(len(ring) == 3 for ring in rings),
            "ring": bool(rings),
            "hub": max(degrees) >= 4,
            "dead_end": 1 in degrees,
            "fork": 3 in degrees,
        }
        assert {name: bool(rule(graph)) for name, rule in RULES.items()} == expected


@pytest.mark.parametrize("name", HIDDEN_GNNS)
def test_a_hidden_gnn_knows_its_rule_and_tells_it_from_the_others(name: str) -> None:
    rule = RULES[HIDDEN_GNNS[name]]
    shares = hidden_gnns.probabilities(name, EVERY)
    right = [(share > 0.5) == rule(graph) for share, graph in zip(shares, EVERY, strict=True)]
    assert np.mean(right) == pytest.approx(read_header(hidden_gnn_path(name)).accuracy["all"])
    assert np.mean(right) >= 0.98
    assert all(right[: sum(len(graph) < 6 for graph in EVERY)])  # of small ones it is always right
    for other in RULES.keys() - {HIDDEN_GNNS[name]}:
        apart = hidden_gnns.difference(HIDDEN_GNNS[name], other)
        ((share),) = ask_hidden_gnn(JobContext(), name=name, graphs=[spell_graph(apart)])
        assert (share > 0.5) == rule(apart) != RULES[other](apart)


def test_graphs_in_links_are_read_or_refused() -> None:
    for graph in EVERY[::50]:
        assert set(read_graph(spell_graph(graph)).edges) == {(min(edge), max(edge)) for edge in graph.edges}
    apart = spell_graph(nx.disjoint_union(nx.path_graph(2), nx.path_graph(2)))
    large = spell_graph(nx.path_graph(MOST + 1))
    for text in ("", "?", "@", apart, large, "~~~~~~", "ÄÖ", "B", "x" * 4000):
        with pytest.raises(ValueError):  # noqa: PT011
            read_graph(text)


def test_the_reveal_finds_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GNN that looks for rings is explained by rings of each size, of which GFlowExplainer knows nothing."""
    monkeypatch.setattr(hidden_gnns, "all_graphs", lambda: EVERY[:142])  # of at most six nodes
    rules = reveal_hidden_gnn(JobContext(), name="B")["yes"]
    with_a_ring = sum(graph.number_of_edges() == len(graph) for graph in EVERY[:142])
    assert rules.predicted == rules.explained == with_a_ring == 21
    assert {rule.name for rule in rules.rules} == {"a triangle", *(f"a ring of {n}" for n in ("four", "five", "six"))}
