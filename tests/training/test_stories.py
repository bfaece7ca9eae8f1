"""The stories, each with what its sentence says; their shipped recordings, and recordings with fewer frames."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gfx_core.__main__ import main
from gfx_core.arrays import Doubles
from gfx_core.training import codes, recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import record
from gfx_core.training.recording import Frame
from gfx_core.training.training import STORIES, TRAININGS, Story, defaults_for

TABLE = defaults_for(LessonGraph("toy")).changed({"epochs": 30})


@pytest.mark.parametrize("shown", STORIES.values(), ids=lambda each: each.name)
def test_shipped_recordings_are_whole_small_and_of_their_story(shown: Story) -> None:
    found = recording.read(shown.path)
    assert shown.path.stat().st_size <= 262_500
    assert found.title == shown.title
    assert tuple(lane.training for lane in found.lanes) == shown.trainings
    assert len({training.config.epochs for training in shown.trainings}) == 1
    assert {"device", "date", "versions"} <= found.made.keys()
    assert {path.stem for path in TRAININGS.glob("*.json")} == set(STORIES)
    for lane in found.lanes:
        assert lane.frames[0].step == 0
        assert lane.end


def test_the_command_records_more_frames_at_the_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = replace(STORIES["epsilon"], trainings=(TABLE.changed({"epsilon": 0.0}), TABLE))
    monkeypatch.setitem(STORIES, "epsilon", short)
    assert main(["train", "record", "epsilon", "--out", str(tmp_path), "--epochs", "20", "--flow-model", "table"]) == 0
    made = recording.read(tmp_path / "epsilon.json")
    assert [lane.frames[-1].step for lane in made.lanes] == [20, 20]
    assert main(["train", "record", "epsilon", "--epsilon", "7"]) == 2
    assert main(["train", "record", "once upon a time"]) == 2
    steps = [frame.step for frame in record("", [TABLE.changed({"epochs": 150})]).lanes[0].frames]
    assert (steps[0], steps[-1]) == (0, 150)
    assert steps[3] - steps[0] < steps[-1] - steps[-4]  # more at the beginning


def stop(frame: Frame) -> Doubles:
    assert frame.stop is not None
    return codes.decode_probabilities(frame.stop)


def lanes(name: str) -> list[recording.Lane]:
    return recording.read(STORIES[name].path).lanes


def last(name: str) -> list[Frame]:
    return [lane.frames[-1] for lane in lanes(name)]


def distances(name: str) -> list[float]:
    """Total variation from the target at the end of each lane."""
    return [frame.total_variation for frame in last(name) if frame.total_variation is not None]


CLAIMS: dict[str, Callable[[Frame, Frame], bool]] = {
    # without random steps a mode is missed; only visited states count for the residual
    "epsilon": lambda missed, both: (
        (missed.modes, both.modes) == (0.5, 1.0)
        and both.total_variation < 0.01 < 0.4 < missed.total_variation
        and missed.residual < 0.001
    ),
    # a larger β gathers the target
    "beta": lambda spread, sharp: (
        stop(spread).max() < 0.1 and stop(sharp).max() > 0.9 and sharp.auc > spread.auc - 0.01
    ),
    # a GNN that knows no fragments leads astray, however near its own target the policy is
    "gnn": lambda plain, known: (
        plain.auc < 0.6 < 0.95 < known.auc and max(plain.total_variation, known.total_variation) < 0.05
    ),
    # the paper's network cannot tell sets apart
    "network": lambda paper, ours: (
        paper.total_variation > 0.5 and paper.residual > 5 * ours.residual and ours.total_variation < 0.02
    ),
    # exact targets end nearer, by the factor that is told
    "exact": lambda sampled, exact: 5.5 < sampled.total_variation / exact.total_variation < 7,
    # modified detailed balance leaves the scale free
    "mdb": lambda _, balance: balance.total_variation < 0.03 and balance.residual > 0.3,
    # first child only stops at the start node
    "first-child": lambda right, control: (
        stop(right)[0] < 0.1 < 0.95 < stop(control)[0]
        and right.total_variation < 0.001 < 0.9 < control.total_variation
        and right.residual < 0.002 < 1 < control.residual
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_the_last_frames_show_what_the_sentence_says(name: str) -> None:
    assert CLAIMS[name](*last(name))


def test_first_stops_at_the_cycle_of_six() -> None:
    (lane,) = lanes("first")
    scene, begin, end = lane.scenes[0], lane.frames[0], lane.frames[-1]
    best = int(stop(end).argmax())
    cycle = {node for a, b, _, motif in scene.edges if motif for node in (a, b)}
    assert set(scene.states[best]) == cycle
    assert len(cycle) == 6
    whole = next(number for number, state in enumerate(scene.states) if len(state) == len(scene.nodes))
    assert stop(begin)[whole] > 0.9
    assert min(stop(frame)[best] for frame in lane.frames if frame.step >= 40) > 0.95
    assert distances("first")[0] < 0.05


def test_sequence_falls_in_loss_far_from_its_target_and_stops_too_often_where_there_are_many_orders() -> None:
    right, wrong = distances("sequence")
    lane, shown = lanes("sequence")[1], lanes("orders")
    assert right < 0.05 < 0.15 < wrong
    assert lane.frames[-1].loss < 0.2 * lane.frames[1].loss
    scene = shown[0].scenes[0]
    whole = next(number for number, state in enumerate(scene.states) if len(state) == 5)
    target = codes.decode_probabilities(scene.target)[whole]
    right, wrong = (stop(lane.frames[-1])[whole] for lane in shown)
    assert right == pytest.approx(target, abs=0.01)
    assert wrong > 1.2 * target
    assert max(lane.frames[-1].residual for lane in shown) < 0.02


def test_balances_follow_flow_matching() -> None:
    """Tables under the same learning rate and as many trajectories."""
    matching, trajectory = distances("tb")
    assert max(distances(name)[0] for name in ("tb", "subtb", "db")) < 0.001
    assert round(trajectory, 2) == 0.05
    assert lanes("tb")[1].frames[20].total_variation > 3 * trajectory
    assert round(distances("subtb")[1], 2) == 0.02
    assert matching < distances("db")[1] < 0.01
    one, other = (min(lane.frames, key=lambda frame: abs(frame.step - 100)) for lane in lanes("db"))
    assert one.step == other.step
    assert other.total_variation > 2 * one.total_variation


def test_a_learned_backward_policy_leads_to_the_same_ends() -> None:
    spread = []
    for lane in lanes("backward"):
        comes: dict[int, list[float]] = {}
        flows = codes.decode_probabilities(lane.frames[-1].flow or "")
        for (_, child, _), flow in zip(lane.scenes[0].links, flows, strict=True):
            comes.setdefault(child, []).append(flow)
        spread.append(max(max(into) - min(into) for into in comes.values()))
    assert spread[0] < 0.01 < 0.03 < spread[1]  # between the parents of a state
    uniform, learned = map(stop, last("backward"))
    assert abs(uniform - learned).sum() / 2 < 0.01
    assert max(distances("backward")) < 0.01
