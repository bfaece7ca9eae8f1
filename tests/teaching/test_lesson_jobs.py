"""Lesson 7: what each loss comes to, from one start node and from several."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.gfn.settings import Loss
from gfx_core.job_context import JobContext, StoppedError
from gfx_core.jobs.requests import Race
from gfx_core.teaching import lab_graphs, lesson_jobs
from gfx_core.teaching.lab_graphs import GraphKind, LabGraph
from gfx_core.teaching.lesson_jobs import compare_balance
from gfx_core.teaching.practice import COMPARED_LOSSES, COMPARING_STEPS, true_log_z

TB = Loss.TRAJECTORY_BALANCE
OTHERS = [loss for loss in COMPARED_LOSSES if loss is not TB]


@pytest.fixture(scope="module")
def both() -> list[dict]:
    """From two start nodes, as it was emitted."""
    events: list[dict] = []
    shares: list[float] = []
    job = JobContext("cpu", lambda share, _: shares.append(share), emit=events.append)
    assert compare_balance(job, starts=(0, 4), lr=0.3, seed=0) == events
    assert shares == sorted(shares)
    return events


def test_from_one_start_node_all_arrive_also_with_a_learned_backward_policy() -> None:
    last = compare_balance(JobContext(), starts=(0,), lr=0.3, seed=0, learned_backward=True)[-1]
    for loss in COMPARED_LOSSES:
        assert last[loss]["log_z"] == pytest.approx([true_log_z("a")], abs=0.02)
        assert last[loss]["total_variation"][0] < 0.01


def test_from_two_only_trajectory_balance_fails(both: list[dict]) -> None:
    last = both[-1]
    assert last["log_partition"] == pytest.approx([true_log_z("a"), true_log_z("e")])
    for loss in OTHERS:
        assert last[loss]["log_z"] == pytest.approx(last["log_partition"], abs=0.02)
        assert max(last[loss]["total_variation"]) < 0.01
    one, other = last[TB]["log_z"]
    assert one == other
    assert min(last["log_partition"]) < one < max(last["log_partition"])
    assert np.mean(last[TB]["total_variation"]) > 0.015
    farthest = max(np.mean(last[loss]["total_variation"]) for loss in OTHERS)
    assert np.mean(last[TB]["total_variation"]) > 50 * farthest


def test_snapshots_go_from_the_first_step_to_the_last(both: list[dict]) -> None:
    steps = [snapshot["step"] for snapshot in both]
    assert (steps[0], steps[-1]) == (0, COMPARING_STEPS)
    assert steps == sorted(set(steps))
    with pytest.raises(StoppedError):
        compare_balance(JobContext("cpu", cancelled=lambda: True), starts=(0,), lr=0.3, seed=0)


# What the lab's workers compute, against plain searches and against the words that describe it.


JOB = JobContext()


def steps_of(graph: LabGraph, order: list[int]) -> list[dict[str, Any]]:
    edges = [list(each) for each in graph.edges]
    found = lesson_jobs.grow_steps(JOB, names=list(graph.names), edges=edges, order=order)
    assert found["agree"] == len(found["steps"]) == len(order)
    return found["steps"]


@pytest.mark.parametrize("kind", [kind for kind in GraphKind if kind is not GraphKind.INSTANCE])
def test_every_step_against_plain_searches(kind: GraphKind) -> None:
    graph = lab_graphs.lab_graph(kind, 11, 2)
    order = lab_graphs.growth_order(graph, [], 2)
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
    assert "b is a cut vertex now" in steps[2]["words"]
    assert steps[3]["words"] == "d touches a and c and joins their pieces: b is no longer a cut vertex."
    assert steps[3]["rows"][1].endswith("they become one, and the row becomes zeros again.")
    assert steps[3]["changed"] == [[1, 0], [1, 2]]


@pytest.mark.parametrize("order", [[], [0, 2], [0, 1, 1], [0, 1, 0]])
def test_an_order_that_is_no_growth_is_refused(order: list[int]) -> None:
    with pytest.raises(UserError):
        lesson_jobs.grow_steps(JOB, names=list("abc"), edges=[[0, 1], [1, 2]], order=order)
    (step,) = lesson_jobs.grow_steps(JOB, names=["a", "b", "c"], edges=[], order=[1])["steps"]
    assert (step["matrix"], step["z"], step["removable"], step["agrees"]) == ([[0]], [], [], True)


RACES = [{"kind": "cliques"}, {"kind": "instance", "dataset": "tree_cycles", "index": 612}]


@pytest.mark.parametrize("race", RACES)
def test_a_race_measures_both_and_compares_every_state(race: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_jobs, "RACE_SIZES", {1: (5, 12), 4: (5, 8)})
    found = Race(**race, seed=0).answer(JOB)
    assert [(row["sets"], row["size"]) for row in found["results"]] == [(1, 5), (1, 12), (4, 5), (4, 8)]
    assert all(row["tracker"] > 0 and row["tarjan"] > 0 for row in found["results"])
    assert found["states"] == 5 + 12 + 4 * 5 + 4 * 8
    monkeypatch.setattr(lesson_jobs, "RACE_SIZES", {1: (10, 40, 80)})
    found = Race("instance", 0, "ba_2motifs").answer(JOB)
    assert [row["size"] for row in found["results"]] == [10, 25]  # a small graph bounds the race
    with pytest.raises(StoppedError):
        Race("path", 0).answer(JobContext(cancelled=lambda: True))
