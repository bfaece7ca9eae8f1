"""Answers to questions about one prediction, as a worker gives them."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from gfx_core.config import FlowSource
from gfx_core.drawing.state_graph import policy_dag
from gfx_core.errors import UserError
from gfx_core.explanation import look_ahead, run
from gfx_core.explanation.flows import FAR
from gfx_core.explanation.question import Choice, Question
from gfx_core.explanation.run import explain, follow
from gfx_core.gfn.checkpoint import save_policy
from gfx_core.look_ahead.policy import load_look_ahead
from gfx_core.storage import Recent
from gfx_core.trace.edit import trace_by_hand
from gfx_core.trace.schema import Trace

TREE = Question("tree_cycles", "513", choice=Choice.SAMPLE)
ETHANOL = Question("mutagenicity", "CCO", "smiles", choice=Choice.SAMPLE)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return explain(replace(TREE, samples=16, seed=3, choice=Choice.BEST))


def test_steps_by_hand_are_those_of_the_trace(trace: Trace) -> None:
    steps = follow(TREE.policy, trace.steps[-1].members)
    for step, expected in zip(steps, trace.steps, strict=True):
        for field in ("members", "added", "cut_vertices", "matrix", "theorem_case", "child_groups"):
            assert getattr(step, field) == getattr(expected, field)
        assert step.log_out_flow == pytest.approx(expected.log_out_flow, abs=1e-4)
        assert step.reward.log_reward == pytest.approx(expected.reward.log_reward, rel=1e-4)
    base = explain(replace(ETHANOL, samples=8, start=0))  # from another start in a molecule
    elsewhere = trace_by_hand(base, follow(ETHANOL.policy, (2, 1, 0)))
    assert (elsewhere.start, elsewhere.final.nodes, elsewhere.samples) == (2, (0, 1, 2), ())
    assert math.isfinite(elsewhere.final.log_trajectory_probability)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: Question("tree_cycles", "CCO", "smiles"), "or choose Mutagenicity"),
        (lambda: replace(TREE, choice="worst"), "choice must be"),
        (lambda: replace(TREE, node_price=math.nan), "price per node"),
        (lambda: replace(TREE, max_nodes=1), "Kₘ, must be"),
        (lambda: explain(replace(ETHANOL, name="C(")), "not a valid SMILES"),
        (lambda: explain(replace(TREE, start=2)), "at that node"),
        (lambda: explain(replace(TREE, max_nodes=11)), "between 2 and 10"),
        (lambda: follow(TREE, (0, 999)), "no node 999"),
        (lambda: follow(TREE, (0, 0)), "Node 0 cannot"),
        (lambda: follow(TREE, tuple(range(11))), "at most 10 nodes"),
        (lambda: follow(ETHANOL, (0, 2)), "Node 2 cannot"),
    ],
)
def test_what_has_no_answer_costs_one_sentence(ask: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        ask()


@pytest.fixture
def ahead_is_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look-ahead policy that is shipped hardly ever stops."""
    trained, path = load_look_ahead(look_ahead.LOOK_AHEAD), tmp_path / "look_ahead.safetensors"
    *_, last = trained.policy.parameters()  # of the layer that compares actions
    with torch.no_grad():
        last += 50
    save_policy(trained, path)
    monkeypatch.setattr(look_ahead, "LOOK_AHEAD", path)
    monkeypatch.setattr(run, "_remembered", Recent(1))  # those of other tests came from the shipped one


@pytest.mark.usefixtures("ahead_is_far")
def test_flows_that_are_far_from_exact_ones_are_not_believed_unless_they_are_chosen() -> None:
    question = Question("tree_cycles", "0")
    found = run.explain(question)
    learned = run.explain(replace(question, flows=FlowSource.LEARNED))
    exact = run.explain(replace(question, flows=FlowSource.EXACT))
    assert learned.total_variation is not None
    assert learned.total_variation > FAR
    assert learned.flows is FlowSource.LEARNED
    assert f"{learned.total_variation:.2f}" in learned.notes[0]  # what was chosen is given, with a warning
    assert found.flows is FlowSource.EXACT
    assert (found.answer, found.samples) == (exact.answer, exact.samples)
    assert f"{learned.total_variation:.2f}" in found.notes[0]


@pytest.mark.parametrize(
    "question",
    [
        Question("tree_cycles", "316"),
        Question("mutagenicity", "CC(=O)O", "smiles"),
        Question("tree_cycles", "0", gnn="sum-plain", flows=FlowSource.LEARNED),  # through a student
    ],
)
def test_learned_flows_are_near_exact_ones_and_the_same_wherever_they_are_shown(question: Question) -> None:
    trace = run.explain(question)
    assert trace.flows is FlowSource.LEARNED
    named, order = replace(question, flows=trace.flows, max_nodes=10), trace.steps[-1].members
    for step, expected in zip(follow(named.policy, order), trace.steps, strict=True):
        assert step.log_out_flow == pytest.approx(expected.log_out_flow, abs=1e-4)
        assert step.stop.probability == pytest.approx(expected.stop.probability, abs=1e-5)
    assert trace.total_variation is not None
    assert trace.total_variation < 0.15
    assert policy_dag(named, order).total_variation == pytest.approx(trace.total_variation, abs=1e-6)


def test_where_too_many_subgraphs_are_to_list_samples_have_as_much_reward_as_small_ones() -> None:
    learned = run.explain(Question("ba_shapes", "0", samples=16))
    small = run.explain(Question("ba_shapes", "0", flows=FlowSource.EXACT, max_nodes=3))  # all that can be listed there
    assert (learned.flows, learned.total_variation) == (FlowSource.LEARNED, None)
    best = [max(sample.log_reward for sample in trace.samples) for trace in (learned, small)]
    assert best[0] >= best[1] - 1e-3


EVERYDAY = (
    "caffeine", "aspirin", "paracetamol", "water", "alcohol", "nicotine", "ibuprofen", "nitrobenzene", "aniline", "TNT",
    "glucose",
)  # fmt: skip


def test_molecules_of_everyday_life_are_answered_by_learned_flows() -> None:
    traces = [explain(Question("mutagenicity", name, "smiles", samples=16)) for name in EVERYDAY]
    learned = [trace for trace in traces if trace.flows is FlowSource.LEARNED]
    assert len(learned) >= 9
    assert max(trace.total_variation or 0 for trace in learned) <= FAR
