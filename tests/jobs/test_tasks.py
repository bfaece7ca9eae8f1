"""The three computations of the pages, by a worker that has torch."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gfx_core.crew.crew import Crew
from gfx_core.crew.limits import Limits
from gfx_core.errors import UserError
from gfx_core.jobs import requests, tasks
from gfx_core.jobs.by_hand import trace_by_hand
from gfx_core.metrics.summary import METRICS
from gfx_core.trace import io
from gfx_core.trace.schema import MethodMask, Trace

Compute = Callable[..., Any]
TREE = {"dataset": "tree_cycles", "index": 513}
ETHANOL = {"dataset": "mutagenicity", "smiles": "CCO"}


@pytest.fixture(scope="module")
def compute() -> Iterator[Compute]:
    kinds = {
        "explain_trace": requests.ExplainTrace,
        "method_mask": requests.MethodMask,
        "steps_by_hand": requests.StepsByHand,
    }
    with closing(Crew(Limits({"cpu": 1}), prepare=requests.Prepare())) as crew:
        yield lambda task, **arguments: crew.submit(kinds[task](**arguments), device="cpu").result(90)


@pytest.fixture(scope="module")
def trace(compute: Compute) -> Trace:
    return io.from_json(compute("explain_trace", **TREE, samples=16, seed=3, choice="best"))


def steps_by_hand(compute: Compute, order: tuple[int, ...], **subject: Any) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = compute("steps_by_hand", **subject, order=list(order))
    return steps


def test_a_trace(trace: Trace) -> None:
    assert (trace.dataset, trace.index, trace.model) == ("tree_cycles", 513, "sum")
    assert (trace.made["seed"], trace.made["samples"], trace.made["choice"]) == (3, 16, "best")
    assert sum(sample.count for sample in trace.samples) == 16
    assert "policy_trained_with" not in trace.made


def test_a_molecule(compute: Compute) -> None:
    trace = io.from_json(compute("explain_trace", **ETHANOL, samples=8, start=1, choice="greedy"))
    assert [node.element for node in trace.nodes][:3] == ["C", "C", "O"]
    assert trace.start == 1


def test_another_beta_changes_stop_and_says_so(compute: Compute, trace: Trace) -> None:
    milder = io.from_json(compute("explain_trace", **TREE, samples=16, seed=3, beta=3.0))
    before, after = trace.steps[0], milder.steps[0]
    assert after.reward.log_reward == pytest.approx(before.reward.log_reward / 10)
    assert after.stop.log_flow == pytest.approx(after.reward.log_reward)
    assert [a.log_flow for a in after.frontier] == pytest.approx([a.log_flow for a in before.frontier])
    assert milder.made["config"]["reward"]["beta"] == 3
    assert milder.made["policy_trained_with"] == {"beta": 30.0, "max_nodes": 10}


def test_a_smaller_k_m_leaves_the_flows_alone(compute: Compute, trace: Trace) -> None:
    smaller = io.from_json(compute("explain_trace", **TREE, samples=16, seed=3, max_nodes=3))
    assert all(len(sample.nodes) <= 3 for sample in smaller.samples)
    assert [a.log_flow for a in smaller.steps[0].frontier] == pytest.approx(
        [a.log_flow for a in trace.steps[0].frontier], abs=1e-5
    )


@pytest.mark.parametrize("method", ["gflowexplainer", "saliency", "bfs"])
def test_a_mask_in_the_order_of_the_trace(compute: Compute, trace: Trace, method: str) -> None:
    found = compute("method_mask", **TREE, method=method)
    assert found.pop("learning_seconds") >= 0
    mask = MethodMask(**found)
    again = io.from_json(io.to_json(replace(trace, masks=(mask,))))
    assert again.masks[0].method == method
    assert set(mask.metrics) <= set(METRICS)
    assert "fidelity_plus" in mask.metrics
    if method == "bfs":  # the nearest first
        at_target = [trace.target in (edge.source, edge.target) for edge in trace.edges]
        near = [score for score, at in zip(mask.scores, at_target, strict=True) if at]
        assert min(near) > max(score for score, at in zip(mask.scores, at_target, strict=True) if not at)


def test_steps_by_hand_are_those_of_the_trace(compute: Compute, trace: Trace) -> None:
    steps = steps_by_hand(compute, trace.steps[-1].members, **TREE)
    told = json.loads(io.to_json(trace))["steps"]
    for step, expected in zip(steps, told, strict=True):
        for field in ("members", "added", "cut_vertices", "matrix", "theorem_case", "child_groups"):
            assert step[field] == expected[field]
        assert step["log_out_flow"] == pytest.approx(expected["log_out_flow"], abs=1e-4)
        assert step["reward"]["log_reward"] == pytest.approx(expected["reward"]["log_reward"], rel=1e-4)
    by_hand = trace_by_hand(trace, steps)
    assert by_hand.final.log_trajectory_probability == pytest.approx(trace.final.log_trajectory_probability, abs=1e-3)
    assert by_hand.final.log_probability == trace.final.log_probability
    assert by_hand.samples == trace.samples
    assert by_hand.made["choice"] == "by hand"


def test_another_start_by_hand_in_a_molecule(compute: Compute) -> None:
    base = io.from_json(compute("explain_trace", **ETHANOL, samples=8, start=0))
    by_hand = trace_by_hand(base, steps_by_hand(compute, (2, 1, 0), **ETHANOL))
    assert by_hand.start == 2
    assert by_hand.final.nodes == (0, 1, 2)
    assert not by_hand.samples
    assert math.isfinite(by_hand.final.log_trajectory_probability)
    with pytest.raises(UserError, match="except at the first step"):
        trace_by_hand(base, steps_by_hand(compute, (2, 1), **ETHANOL)[1:])
    (first,) = compute("steps_by_hand", **ETHANOL, order=[])
    assert first["members"] == [io.from_json(compute("explain_trace", **ETHANOL, samples=1)).start]


@pytest.mark.parametrize(
    ("task", "arguments", "sentence"),
    [
        ("explain_trace", {"dataset": "tree_cycles", "index": 9999}, "choose one from 0 to 870"),
        ("explain_trace", {"dataset": "tree_cycles"}, "one of the two"),
        ("explain_trace", {"dataset": "tree_cycles", "smiles": "CCO"}, "by the GNN of Mutagenicity"),
        ("explain_trace", {"dataset": "mutagenicity", "smiles": "C("}, "not a valid SMILES"),
        ("explain_trace", {**TREE, "kind": "gat"}, "no GNN kind “gat”"),
        ("explain_trace", {**TREE, "choice": "worst"}, "no choice “worst”"),
        ("explain_trace", {**TREE, "samples": 0}, "Between 1 and 1000"),
        ("explain_trace", {**TREE, "seed": -1}, "seed must be"),
        ("explain_trace", {**TREE, "start": 2}, "starts at that node"),
        ("explain_trace", {**TREE, "beta": -1}, "β must be"),
        ("explain_trace", {**TREE, "beta": math.inf}, "β must be"),
        ("explain_trace", {**TREE, "max_nodes": 11}, "between 2 and 10"),
        ("method_mask", {**TREE, "method": "saliancy"}, "Did you mean saliency"),
        ("method_mask", {**TREE, "method": "saliency", "kind": "gat"}, "no GNN kind “gat”"),
        ("steps_by_hand", {**TREE, "order": [0, 999]}, "no node 999"),
        ("steps_by_hand", {**TREE, "order": [0, 0]}, "Node 0 cannot be added"),
        ("steps_by_hand", {**TREE, "order": list(range(11))}, "at most 10 nodes"),
        ("steps_by_hand", {**ETHANOL, "order": [0, 2]}, "Node 2 cannot be added"),
    ],
)
def test_bad_requests_cost_one_sentence(compute: Compute, task: str, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        compute(task, **arguments)


def test_a_missing_policy_costs_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("gfx_core.gfn.paths.POLICIES", tmp_path)
    with pytest.raises(UserError, match="no policy for the gcn GNN of Tree-Cycles"):
        tasks._policy("tree_cycles", "gcn")
