"""What the lab's workers compute, against plain searches and against the words that describe it."""

from typing import Any

import networkx as nx
import pytest

from gfx_core.errors import UserError
from gfx_core.job_context import JobContext, StoppedError
from gfx_core.teaching import cut_lab, lab_graphs
from gfx_core.teaching.lab_graphs import GraphKind, LabGraph

JOB = JobContext("cpu", lambda _share, _words: None, lambda: False)


def steps_of(graph: LabGraph, order: list[int]) -> list[dict[str, Any]]:
    edges = [list(each) for each in graph.edges]
    found = cut_lab.grow_steps(JOB, names=list(graph.names), edges=edges, order=order)
    assert found["agree"] == len(found["steps"]) == len(order)
    return found["steps"]


@pytest.mark.parametrize("kind", [kind for kind in GraphKind if kind is not GraphKind.INSTANCE])
@pytest.mark.parametrize("seed", range(3))
def test_every_step_against_plain_searches(kind: GraphKind, seed: int) -> None:
    graph = lab_graphs.lab_graph(kind, 11, seed)
    order = lab_graphs.growth_order(graph, [], seed)
    place = {node: i for i, node in enumerate(order)}
    whole = nx.relabel_nodes(nx.Graph(graph.edges), place)
    before: list[list[int]] = []
    for t, step in enumerate(steps_of(graph, order)):
        subgraph = whole.subgraph(range(t + 1))
        assert step["z"] == [int(subgraph.has_edge(t, i)) for i in range(t)]
        assert step["case"] == (0 if t < 2 else min(2, sum(step["z"])))
        assert step["cut"] == step["searched"] == sorted(nx.articulation_points(subgraph))
        assert step["removable"] == [i for i in range(1, t + 1) if i not in step["cut"]]
        for i, groups in step["groups"]:
            pieces = [sorted(piece) for piece in nx.connected_components(subgraph.subgraph(set(subgraph) - {i}))]
            assert sorted(groups) == sorted(pieces)
            assert {step["matrix"][i][j] for group in groups for j in group} == set(step["matrix"][i]) - {0}
        padded = [[*row, 0] for row in before] + [[0] * (t + 1)]
        cells = [(i, j) for i in range(t + 1) for j in range(t + 1)]
        assert step["changed"] == [[i, j] for i, j in cells if step["matrix"][i][j] != padded[i][j]]
        assert len(step["rows"]) == t
        before = step["matrix"]


def test_the_words_of_a_path_that_becomes_a_cycle() -> None:
    graph = lab_graphs.lab_graph(GraphKind.CYCLE, 4)
    steps = steps_of(graph, [0, 1, 2, 3])
    assert "nothing to cut" in steps[1]["words"]
    assert steps[2]["words"] == "c touches only b and hangs on it alone, so b is a cut vertex now (it was none before)."
    assert steps[3]["words"] == "d touches a and c and ties their pieces together: b is no cut vertex any more."
    assert steps[3]["rows"][1].endswith("they become one, and the row falls back to zeros.")
    assert steps[3]["changed"] == [[1, 0], [1, 2]]


@pytest.mark.parametrize("order", [[], [0, 2], [0, 1, 1], [0, 1, 0]])
def test_an_order_that_is_no_growth_is_refused(order: list[int]) -> None:
    with pytest.raises(UserError):
        cut_lab.grow_steps(JOB, names=list("abc"), edges=[[0, 1], [1, 2]], order=order)


def test_a_single_node() -> None:
    (step,) = cut_lab.grow_steps(JOB, names=["a", "b", "c"], edges=[], order=[1])["steps"]
    assert (step["matrix"], step["z"], step["removable"], step["agrees"]) == ([[0]], [], [], True)


@pytest.mark.parametrize("asked", [{"kind": "cliques"}, {"kind": "instance", "dataset": "tree_cycles", "index": 612}])
def test_a_race_measures_both_and_compares_every_state(asked: dict[str, Any]) -> None:
    found = cut_lab.race(JOB, **asked, sizes={"1": [5, 12], "4": [5, 8]})
    assert [(row["sets"], row["size"]) for row in found["results"]] == [(1, 5), (1, 12), (4, 5), (4, 8)]
    assert all(row["tracker"] > 0 and row["tarjan"] > 0 for row in found["results"])
    assert found["states"] == 5 + 12 + 4 * 5 + 4 * 8


def test_a_small_graph_bounds_the_race() -> None:
    found = cut_lab.race(JOB, kind="instance", dataset="ba_2motifs", index=0, sizes={"1": [10, 40, 80]})
    assert [row["size"] for row in found["results"]] == [10, 25]


def test_a_race_can_be_cancelled() -> None:
    with pytest.raises(StoppedError):
        cut_lab.race(JobContext("cpu", lambda _share, _words: None, lambda: True), kind="path")
