"""Steps one by one make a trace that plays like any other; ways to sets."""

import pytest

from gfx_core.config import TRACES
from gfx_core.errors import UserError
from gfx_core.trace import serialize
from gfx_core.trace.edit import trace_by_hand, way_to
from gfx_core.trace.schema import Trace


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


def test_steps_must_follow_from_each_other(base: Trace) -> None:
    with pytest.raises(UserError, match="except at the first step"):
        trace_by_hand(base, base.steps[1:])


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
