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
from gfx_core.explanation import flows, look_ahead, run
from gfx_core.explanation.policy_check import FAR
from gfx_core.explanation.question import Choice, Question
from gfx_core.explanation.run import explain, follow
from gfx_core.gfn.checkpoint import save_policy
from gfx_core.look_ahead.policy import load_look_ahead
from gfx_core.storage import Recent
from gfx_core.text.answers import note
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


def test_a_policy_that_is_far_from_exact_flows_is_not_believed_unless_it_is_chosen() -> None:
    question = Question("tree_cycles", "0")  # a node of the tree; the policy was trained on nodes of cycles
    ahead = run.explain(question)
    learned = run.explain(replace(question, flows=FlowSource.LEARNED))
    exact = run.explain(replace(question, flows=FlowSource.EXACT))
    assert learned.total_variation is not None
    assert learned.total_variation > FAR
    assert learned.flows is FlowSource.LEARNED
    assert f"{learned.total_variation:.2f}" in learned.notes[0]  # what was chosen is given, with a warning
    assert (ahead.flows, ahead.notes) == (FlowSource.LOOK_AHEAD, (note("look_ahead"),))
    assert ahead.total_variation is not None
    assert ahead.total_variation < 0.15 < FAR
    assert (ahead.answer.first.nodes, ahead.answer.verdict) == (exact.answer.first.nodes, exact.answer.verdict)
    near = run.explain(TREE)
    assert (near.flows, near.notes) == (FlowSource.LEARNED, ())


@pytest.mark.parametrize(
    "question",
    [
        Question("tree_cycles", "316"),  # the policy of the data set is far
        Question("mutagenicity", "CC(=O)O", "smiles", flows=FlowSource.LOOK_AHEAD),
        Question("tree_cycles", "0", gnn="sum-plain", flows=FlowSource.LOOK_AHEAD),  # no policy, and a student
    ],
)
def test_look_ahead_flows_are_the_same_where_they_are_named(question: Question) -> None:
    trace = run.explain(question)
    assert trace.flows is FlowSource.LOOK_AHEAD
    named, order = replace(question, flows=trace.flows, max_nodes=10), trace.steps[-1].members
    for step, expected in zip(follow(named.policy, order), trace.steps, strict=True):
        assert step.log_out_flow == pytest.approx(expected.log_out_flow, abs=1e-4)
        assert step.stop.probability == pytest.approx(expected.stop.probability, abs=1e-5)
    assert trace.total_variation is not None
    assert trace.total_variation < 0.15
    assert policy_dag(named, order).total_variation == pytest.approx(trace.total_variation, abs=1e-6)


@pytest.mark.usefixtures("ahead_is_far")
def test_exact_flows_answer_where_the_look_ahead_policy_is_far_as_well() -> None:
    question = Question("tree_cycles", "0")
    found = run.explain(question)
    learned = run.explain(replace(question, flows=FlowSource.LEARNED))
    exact = run.explain(replace(question, flows=FlowSource.EXACT))
    assert found.flows is FlowSource.EXACT
    assert (found.answer, found.samples) == (exact.answer, exact.samples)
    assert f"{learned.total_variation:.2f}" in found.notes[0]
    stops = run.explain(replace(question, name="10"))  # it always stops at once there, all trajectories weigh the same
    assert (stops.flows, stops.num_states_exact) == (FlowSource.EXACT, 11_026)


def best(trace: Trace) -> float:
    return max(sample.log_reward for sample in trace.samples)


def test_where_too_many_subgraphs_are_to_list_the_look_ahead_policy_finds_as_much_reward() -> None:
    """There its own trajectories tell of a policy whether it is far: with a motif it is near, elsewhere far."""
    near = run.explain(Question("ba_shapes", "364"))
    assert near.total_variation is None  # it cannot be listed
    assert (near.flows, near.notes) == (FlowSource.LEARNED, ())
    learned = Question("ba_shapes", "100", flows=FlowSource.LEARNED)
    small = Question("ba_shapes", "0", flows=FlowSource.EXACT, max_nodes=3)  # all that can be listed around a hub
    for other in (learned, small):
        ahead = run.explain(Question("ba_shapes", other.name, samples=16))
        assert (ahead.flows, ahead.notes) == (FlowSource.LOOK_AHEAD, (note("look_ahead"),))
        assert best(ahead) >= best(run.explain(other)) - flows.ALMOST


@pytest.mark.usefixtures("ahead_is_far")
def test_a_policy_that_is_far_off_gives_way_to_small_subgraphs_or_says_so() -> None:
    far, hub = (run.explain(Question("ba_shapes", name)) for name in ("100", "0"))
    learned = run.explain(Question("ba_shapes", "100", flows=FlowSource.LEARNED))
    assert far.flows is FlowSource.EXACT
    assert max(len(sample.nodes) for sample in far.samples) <= 4
    assert best(far) >= best(learned) - flows.ALMOST

    small = run.explain(Question("ba_shapes", "0", flows=FlowSource.EXACT, max_nodes=3))  # all that can be listed there
    assert small.flows is FlowSource.EXACT
    assert hub.flows is FlowSource.LEARNED  # it found more reward than that
    assert best(small) < best(hub)
    assert hub.notes


EVERYDAY = (
    "caffeine", "aspirin", "paracetamol", "water", "alcohol", "nicotine", "ibuprofen", "nitrobenzene", "aniline", "TNT",
    "glucose",
)  # fmt: skip


def test_molecules_of_everyday_life_are_answered_by_learned_flows() -> None:
    """Most of them are no mutagens, of which alone the policy of the data set has seen some."""
    traces = [explain(Question("mutagenicity", name, "smiles", samples=16)) for name in EVERYDAY]
    learned = [trace for trace in traces if trace.flows is not FlowSource.EXACT]
    assert len(learned) >= 9
    assert max(trace.total_variation or 0 for trace in learned) <= FAR
    assert sum(trace.flows is FlowSource.LOOK_AHEAD for trace in learned) >= 5
