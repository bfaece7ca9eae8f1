"""Steps one by one make a trace that plays like any other; ways to sets."""

import math

import pytest
from msgspec.structs import replace

from gfx_core.config import TRACES
from gfx_core.errors import UserError
from gfx_core.trace import serialize
from gfx_core.trace.edit import along_reason, shown_reason, trace_by_hand, way_to
from gfx_core.trace.schema import Trace
from tests.toys.traces import with_two_reasons


@pytest.fixture
def base() -> Trace:
    return serialize.load(TRACES / "tree_cycles-513.json")


def test_all_steps_again_are_the_same_trajectory(base: Trace) -> None:
    again = trace_by_hand(base, base.steps)
    assert again.steps == base.steps
    assert again.final.edges == base.final.edges
    assert again.final.log_trajectory_probability == pytest.approx(base.final.log_trajectory_probability, abs=1e-3)
    assert again.made["choice"] == "by hand"


def test_the_last_step_takes_stop(base: Trace) -> None:
    some = trace_by_hand(base, base.steps[:3])
    assert some.steps[-1].chosen is None
    assert some.final.nodes == tuple(sorted(base.steps[2].members))
    assert some.final.log_reward == base.steps[2].reward.log_reward
    assert (some.samples, some.answer) == (base.samples, base.answer)  # the start node is the same


def test_steps_must_fit_the_trace(base: Trace) -> None:
    with pytest.raises(UserError, match="steps does not fit"):
        trace_by_hand(base, base.steps[1:])
    with pytest.raises(UserError, match="does not fit"):
        trace_by_hand(replace(base, nodes=base.nodes[:1], edges=()), base.steps)


def test_a_way_to_a_state_is_connected_and_complete() -> None:
    trace = serialize.load(TRACES / "tree_cycles-612.json")
    for step in trace.steps:
        assert way_to(trace, set(step.members)) == list(step.members)  # on the trajectory it is the trajectory
    neighbours = {frozenset((edge.source, edge.target)) for edge in trace.edges}
    for sample in trace.samples:
        way = way_to(trace, set(sample.nodes))
        assert sorted(way) == list(sample.nodes)
        for k, node in enumerate(way[1:], 1):
            assert any(frozenset((node, before)) in neighbours for before in way[:k])


def test_each_reason_is_played_by_a_trajectory_that_ends_there() -> None:
    trace = with_two_reasons()
    assert trace.answer is not None
    assert shown_reason(trace) == 1
    assert along_reason(trace, 1) is along_reason(trace, 3) is trace
    second = along_reason(trace, 2)
    assert set(second.final.nodes) == set(trace.answer.reasons[1].nodes)
    chances = ({action.node: action.probability for action in step.frontier} for step in second.steps)
    ways = zip(second.steps, chances, strict=True)
    expected = sum(math.log(step.stop.probability if step.chosen is None else to[step.chosen]) for step, to in ways)
    assert second.final.log_trajectory_probability == pytest.approx(expected)
    again = along_reason(second, 1)
    assert (again.steps, again.answer, again.start) == (trace.steps, trace.answer, trace.start)
