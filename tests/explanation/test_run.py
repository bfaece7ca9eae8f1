"""Answers to questions about one prediction, as a worker gives them."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gfx_core.config import FlowSource
from gfx_core.errors import UserError
from gfx_core.explanation import flows, run
from gfx_core.explanation.policy_check import FAR
from gfx_core.explanation.question import Choice, Question
from gfx_core.explanation.run import explain, follow
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


def test_a_policy_that_is_far_from_exact_flows_is_not_believed_unless_it_is_chosen() -> None:
    question = Question("tree_cycles", "0")  # a node of the tree; the policy was trained on nodes of cycles
    found = run.explain(question)
    learned = run.explain(replace(question, flows=FlowSource.LEARNED))
    exact = run.explain(replace(question, flows=FlowSource.EXACT))
    assert learned.total_variation is not None
    assert learned.total_variation > FAR
    assert (found.flows, learned.flows) == (FlowSource.EXACT, FlowSource.LEARNED)
    assert f"{learned.total_variation:.2f}" in learned.notes[0]  # what was chosen is given, with a warning
    assert (found.answer, found.samples) == (exact.answer, exact.samples)
    assert f"{learned.total_variation:.2f}" in found.notes[0]
    near = run.explain(TREE)
    assert (near.flows, near.notes) == (FlowSource.LEARNED, ())
    stops = run.explain(replace(question, name="10"))  # it always stops at once there, all trajectories weigh the same
    assert (stops.flows, stops.num_states_exact) == (FlowSource.EXACT, 11_026)


def test_a_policy_that_is_far_off_gives_way_to_small_subgraphs_or_says_so() -> None:
    """Where there are too many subgraphs to list, its own trajectories tell: with a motif it is near, elsewhere far."""
    near, far, hub = (run.explain(Question("ba_shapes", name)) for name in ("364", "100", "0"))
    assert near.total_variation is None  # it cannot be listed
    assert (near.flows, near.notes) == (FlowSource.LEARNED, ())

    learned = run.explain(Question("ba_shapes", "100", flows=FlowSource.LEARNED))
    assert far.flows is FlowSource.EXACT
    assert max(len(sample.nodes) for sample in far.samples) <= 4
    assert (
        max(each.log_reward for each in far.samples) >= max(each.log_reward for each in learned.samples) - flows.ALMOST
    )

    small = run.explain(Question("ba_shapes", "0", flows=FlowSource.EXACT, max_nodes=3))  # all that can be listed there
    assert small.flows is FlowSource.EXACT
    assert hub.flows is FlowSource.LEARNED  # it found more reward than that
    assert max(each.log_reward for each in small.samples) < max(each.log_reward for each in hub.samples)
    assert hub.notes
