"""What workers compute for lessons: what each loss comes to from one start node and from several, 𝒵, and the race."""

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
from gfx_core.teaching.practice import COMPARED_LOSSES, true_log_z

TB, JOB, STEPS = Loss.TRAJECTORY_BALANCE, JobContext(), 120


@pytest.fixture
def fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_jobs, "COMPARING_STEPS", STEPS)


def test_from_one_start_node_trajectory_balance_arrives_also_with_a_learned_backward_policy(
    fewer_steps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson_jobs, "COMPARED_LOSSES", (TB,))
    last = compare_balance(JOB, starts=(0,), lr=0.3, seed=0, learned_backward=True)[-1][TB]
    assert last["log_z"] == pytest.approx([true_log_z("a")], abs=0.02)
    assert last["total_variation"][0] < 0.01


def test_from_two_only_trajectory_balance_fails(fewer_steps: None) -> None:
    events: list[dict] = []
    shares: list[float] = []
    job = JobContext("cpu", lambda share, _: shares.append(share), emit=events.append)
    assert compare_balance(job, starts=(0, 4), lr=0.3, seed=0) == events
    assert shares == sorted(shares)
    steps = [event["step"] for event in events]
    assert (steps[0], steps[-1]) == (0, STEPS)
    assert steps == sorted(set(steps))
    last = events[-1]
    truth = last["log_partition"]
    assert truth == pytest.approx([true_log_z("a"), true_log_z("e")])
    distances = {loss: np.mean(last[loss]["total_variation"]) for loss in COMPARED_LOSSES}
    for loss in set(COMPARED_LOSSES) - {TB}:
        assert last[loss]["log_z"] == pytest.approx(truth, abs=0.02)
        assert distances[loss] < min(0.01, distances[TB] / 20)
    one, other = last[TB]["log_z"]
    assert min(truth) < one == other < max(truth)
    with pytest.raises(StoppedError):
        compare_balance(JobContext("cpu", cancelled=lambda: True), starts=(0,), lr=0.3, seed=0)


def steps_of(graph: LabGraph, order: list[int]) -> list[dict[str, Any]]:
    edges = [list(ends) for ends in graph.edges]
    growth = lesson_jobs.grow_steps(JOB, names=list(graph.names), edges=edges, order=order)
    assert growth["agree"] == len(growth["steps"]) == len(order)
    return growth["steps"]


@pytest.mark.parametrize("kind", [GraphKind.CLIQUES, GraphKind.RANDOM])
def test_every_step_against_plain_searches(kind: GraphKind) -> None:
    graph = lab_graphs.lab_graph(kind, 11, 2)
    order = lab_graphs.growth_order(graph, [], 2)
    whole = nx.relabel_nodes(nx.Graph(graph.edges), {node: i for i, node in enumerate(order)})
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


@pytest.mark.parametrize("order", [[], [0, 2], [0, 1, 1], [0, 1, 0]])
def test_an_order_that_is_no_growth_is_refused(order: list[int]) -> None:
    with pytest.raises(UserError):
        lesson_jobs.grow_steps(JOB, names=list("abc"), edges=[[0, 1], [1, 2]], order=order)


def test_a_race_compares_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_jobs, "RACE_SIZES", {1: (5, 40), 4: (5, 8)})
    race = Race("instance", 0, "ba_2motifs").answer(JOB)  # a small graph bounds it
    assert [(row["sets"], row["size"]) for row in race["results"]] == [(1, 5), (1, 25), (4, 5), (4, 8)]
    assert all(row["tracker"] > 0 and row["tarjan"] > 0 for row in race["results"])
    assert race["states"] == 5 + 25 + 4 * 5 + 4 * 8
    with pytest.raises(StoppedError):
        Race("path", 0).answer(JobContext(cancelled=lambda: True))
