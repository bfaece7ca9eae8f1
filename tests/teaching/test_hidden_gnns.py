"""The hidden GNNs of lesson 9: each knows its rule, and what is said to a wrong guess is what it predicts."""

import networkx as nx
import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import read_header
from gfx_core.job_context import JobContext
from gfx_core.teaching import hidden_gnns
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, MOST, RULES, all_graphs, hidden_gnn_path, read_graph, spell_graph
from gfx_core.teaching.lesson_jobs import ask_hidden_gnn, reveal_hidden_gnn

EVERY = all_graphs()


def test_all_small_connected_graphs_are_there_once() -> None:
    """OEIS A001349: 1, 2, 6, 21, 112, 853 connected graphs of 2 to 7 nodes."""
    assert np.bincount([len(graph) for graph in EVERY]).tolist() == [0, 0, 1, 2, 6, 21, 112, 853]


def test_rules_are_what_their_options_say() -> None:
    for graph in EVERY[:142]:
        rings = list(nx.simple_cycles(graph))
        assert RULES["triangle"](graph) == any(len(ring) == 3 for ring in rings)
        assert RULES["ring"](graph) == bool(rings)
        assert RULES["hub"](graph) == any(len(graph[node]) >= 4 for node in graph)
        assert RULES["dead_end"](graph) == any(len(graph[node]) == 1 for node in graph)
        assert RULES["fork"](graph) == any(len(graph[node]) == 3 for node in graph)


@pytest.mark.parametrize("name", HIDDEN_GNNS)
def test_a_hidden_gnn_predicts_what_its_header_says_of_its_rule(name: str) -> None:
    rule = RULES[HIDDEN_GNNS[name]]
    agrees = [
        (share > 0.5) == rule(graph) for share, graph in zip(hidden_gnns.probabilities(name, EVERY), EVERY, strict=True)
    ]
    assert np.mean(agrees) == pytest.approx(read_header(hidden_gnn_path(name)).accuracy["all"])
    assert np.mean(agrees) >= 0.98
    assert all(agrees[: sum(len(graph) < 6 for graph in EVERY)])  # of small ones it is always right


@pytest.mark.parametrize("name", HIDDEN_GNNS)
def test_a_graph_that_tells_rules_apart_does(name: str) -> None:
    """As the GNN itself predicts it, not only as its rule says."""
    for other in RULES.keys() - {HIDDEN_GNNS[name]}:
        apart = hidden_gnns.difference(HIDDEN_GNNS[name], other)
        ((share),) = ask_hidden_gnn(JobContext(), name=name, graphs=[spell_graph(apart)])
        assert (share > 0.5) == RULES[HIDDEN_GNNS[name]](apart) != RULES[other](apart)


def test_graphs_in_links() -> None:
    for graph in EVERY[::50]:
        assert set(read_graph(spell_graph(graph)).edges) == {(min(edge), max(edge)) for edge in graph.edges}
    apart = spell_graph(nx.disjoint_union(nx.path_graph(2), nx.path_graph(2)))
    large = spell_graph(nx.path_graph(MOST + 1))
    for text in ("", "?", "@", apart, large, "~~~~~~", "ÄÖ", "B", "x" * 4000):
        with pytest.raises(ValueError):  # noqa: PT011
            read_graph(text)
    with pytest.raises(UserError, match="2 to 7 nodes"):
        ask_hidden_gnn(JobContext(), name="A", graphs=[apart])
    with pytest.raises(UserError, match="no hidden GNN “Z”"):
        ask_hidden_gnn(JobContext(), name="Z", graphs=["Bw"])


def test_the_reveal_finds_the_rule() -> None:
    """A GNN that looks for rings is explained by rings of each size: GFlowExplainer was never told."""
    found = reveal_hidden_gnn(JobContext(), name="B")["yes"]
    assert found.predicted == found.explained == 54  # all graphs with one ring
    assert {rule.name for rule in found.rules} == {
        "a triangle",
        *(f"a ring of {n}" for n in ("four", "five", "six", "seven")),
    }
    assert [len(rule.forms) for rule in found.rules] == [1] * 5
