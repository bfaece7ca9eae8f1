"""The state space on the Explain page: ways to a state, and what is said about it."""

import subprocess
import sys
from dataclasses import replace

import pytest

from gfx_core.config import ASSETS, FlowSource
from gfx_core.drawing.dag_picture import DagPicture, dag_picture
from gfx_core.drawing.state_space import PolicyDag
from gfx_core.gfn.state_dag import enumerate_states
from gfx_core.jobs import messages
from gfx_core.trace import serialize
from gfx_core.trace.edit import way_to
from gfx_core.trace.schema import Trace
from gfx_core.training.lesson_graphs import toy_instance
from pages.ui.explain.playback import state_space_text
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def trace() -> Trace:
    return serialize.load(ASSETS / "traces" / "tree_cycles-612.json")


def picture(whole: bool) -> DagPicture:
    instance = toy_instance()
    return replace(dag_picture(enumerate_states(instance), instance), whole=whole)


def test_a_way_to_every_state_of_the_trajectory_is_the_trajectory(trace: Trace) -> None:
    for step in trace.steps:
        assert way_to(trace, set(step.members)) == list(step.members)


def test_a_way_is_connected_and_complete(trace: Trace) -> None:
    neighbours = {frozenset((edge.source, edge.target)) for edge in trace.edges}
    for sample in trace.samples:
        way = way_to(trace, set(sample.nodes))
        assert sorted(way) == list(sample.nodes)
        for k, node in enumerate(way[1:], 1):
            assert any(frozenset((node, before)) in neighbours for before in way[:k])


def test_what_is_said() -> None:
    told = PolicyDag(picture(True), max_nodes=10, cap=4000, total_variation=0.123)
    assert "8 states of at most 10 nodes, all drawn" in state_space_text(told)
    assert "12.3 %" in state_space_text(told)
    assert "how likely the policy goes that way" in state_space_text(told)
    assert "how likely exact flows go that way" in state_space_text(replace(told, flows=FlowSource.EXACT))
    assert "too many to draw" in state_space_text(replace(told, picture=picture(False)))
    assert "More than 4,000 states" in state_space_text(replace(told, total_variation=None))


def test_the_page_reads_what_a_worker_sends_without_torch() -> None:
    """Importing torch would hold the page up for seconds and take hundreds of MB."""
    sent = messages.serialize(PolicyDag(picture(True), max_nodes=10, cap=4000, total_variation=0.123))
    code = (
        "import sys; from gfx_core.jobs import messages; found = messages.deserialize(sys.stdin.buffer.read()); "
        "sys.exit('torch' in sys.modules or found.max_nodes != 10)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=sent, cwd=ASSETS.parent, capture_output=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr[-2000:]
