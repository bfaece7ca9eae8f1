"""The stories, each with what its sentence says; their shipped recordings, and recordings with fewer frames."""

from dataclasses import replace
from pathlib import Path

import pytest

from gfx_core.__main__ import main
from gfx_core.arrays import Doubles
from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import Stop
from gfx_core.training import codes, live, recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import MAX_BYTES, record
from gfx_core.training.stories import STORIES, TRAININGS, Story
from gfx_core.training.training import defaults_for

TABLE = defaults_for(LessonGraph("toy")).changed({"epochs": 30})


@pytest.mark.parametrize("shown", STORIES.values(), ids=lambda each: each.name)
def test_shipped_recordings_are_whole_small_and_of_their_story(shown: Story) -> None:
    found = recording.read(shown.path)
    assert shown.path.stat().st_size <= 1.05 * MAX_BYTES
    assert found.title == shown.title
    assert tuple(lane.training for lane in found.lanes) == shown.trainings
    assert len({training.config.epochs for training in shown.trainings}) == 1
    assert {"device", "date", "versions"} <= found.made.keys()
    assert {path.stem for path in TRAININGS.glob("*.json")} == set(STORIES)
    for lane in found.lanes:
        assert lane.frames[0].step == 0
        assert lane.end


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = replace(STORIES["epsilon"], trainings=(TABLE.changed({"epsilon": 0.0}), TABLE))
    monkeypatch.setitem(STORIES, "epsilon", short)
    assert main(["train", "record", "epsilon", "--out", str(tmp_path), "--epochs", "20", "--flow-model", "table"]) == 0
    made = recording.read(tmp_path / "epsilon.json")
    assert [lane.frames[-1].step for lane in made.lanes] == [20, 20]
    assert main(["train", "record", "epsilon", "--epsilon", "7"]) == 2
    assert main(["train", "record", "once upon a time"]) == 2


def test_large_frames_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_BYTES", 12_000)
    listed = record("", [TABLE])
    assert len(recording.to_json(listed)) <= 13_000
    assert 4 < len(listed.lanes[0].frames) < 28
    steps = [frame.step for frame in listed.lanes[0].frames]
    assert (steps[0], steps[-1]) == (0, TABLE.config.epochs)
    assert steps[3] - steps[0] < steps[-1] - steps[-4]  # more at the beginning
    growing = record("", [defaults_for(Question("ba_shapes", "301")).changed({"epochs": 6, "batch_size": 4})])
    assert recording.from_json(recording.to_json(growing)) == growing
    assert any(frame.states for frame in growing.lanes[0].frames)


def lanes(name: str) -> list[recording.Lane]:
    return recording.read(STORIES[name].path).lanes


def last(name: str) -> list[recording.Frame]:
    return [lane.frames[-1] for lane in lanes(name)]


def stop(frame: recording.Frame) -> Doubles:
    assert frame.stop is not None
    return codes.decode_probabilities(frame.stop)


def test_first_stops_at_the_cycle_of_six() -> None:
    (lane,) = lanes("first")
    scene, begin, end = lane.scenes[0], lane.frames[0], lane.frames[-1]
    best = int(stop(end).argmax())
    cycle = [a for a, b, _, motif in scene.edges if motif] + [b for a, b, _, motif in scene.edges if motif]
    assert set(scene.states[best]) == set(cycle)
    assert len(set(cycle)) == 6
    whole = next(number for number, state in enumerate(scene.states) if len(state) == len(scene.nodes))
    assert stop(begin)[whole] > 0.9
    assert min(stop(frame)[best] for frame in lane.frames if frame.step >= 40) > 0.95
    assert end.total_variation is not None
    assert end.total_variation < 0.05


def test_the_loss_of_sequence_falls_and_it_stays_far_from_its_target() -> None:
    right, wrong = last("sequence")
    lane = lanes("sequence")[1]
    assert right.total_variation < 0.05 < 0.15 < wrong.total_variation
    assert lane.frames[-1].loss < 0.2 * lane.frames[1].loss


def test_sequence_stops_too_often_where_there_are_many_orders() -> None:
    shown = lanes("orders")
    scene = shown[0].scenes[0]
    whole = next(number for number, state in enumerate(scene.states) if len(state) == 5)
    target = codes.decode_probabilities(scene.target)[whole]
    right, wrong = (stop(lane.frames[-1])[whole] for lane in shown)
    assert right == pytest.approx(target, abs=0.01)
    assert wrong > 1.2 * target
    assert max(lane.frames[-1].residual for lane in shown) < 0.02


def test_without_random_steps_a_mode_is_missed() -> None:
    missed, found = last("epsilon")
    assert (missed.modes, found.modes) == (0.5, 1.0)
    assert missed.total_variation > 0.4
    assert missed.residual < 0.001  # only visited states count
    assert found.total_variation < 0.01


def test_a_larger_beta_gathers_the_target() -> None:
    spread, sharp = (stop(frame) for frame in last("beta"))
    assert spread.max() < 0.1
    assert sharp.max() > 0.9
    assert last("beta")[1].auc > last("beta")[0].auc - 0.01


def test_a_gnn_that_knows_no_fragments_leads_astray() -> None:
    plain, known = last("gnn")
    scenes = [lane.scenes[0] for lane in lanes("gnn")]
    assert abs(scenes[0].probability - scenes[1].probability) < 0.05
    assert plain.auc < 0.6 < 0.95 < known.auc
    assert max(plain.total_variation, known.total_variation) < 0.05


def test_the_papers_network_cannot_tell_sets_apart() -> None:
    papers, ours = last("network")
    assert papers.total_variation > 0.5
    assert papers.residual > 5 * ours.residual
    assert ours.total_variation < 0.02


def test_exact_targets_end_nearer() -> None:
    sampled, exact = last("exact")
    assert sampled.total_variation / exact.total_variation == pytest.approx(10, rel=0.1)
    assert len(lanes("exact")[1].scenes[0].states) == 96  # all of them


def test_balances_follow_flow_matching() -> None:
    """Tables under the same learning rate and as many trajectories."""
    matching, trajectory = last("tb")
    ends = [last(name)[0].total_variation for name in ("tb", "subtb", "db")]
    assert max(ends) < 0.001
    assert round(trajectory.total_variation, 2) == 0.05
    assert lanes("tb")[1].frames[20].total_variation > 3 * trajectory.total_variation
    assert round(last("subtb")[1].total_variation, 2) == 0.02
    assert matching.total_variation < last("db")[1].total_variation < 0.01
    one, other = (min(lane.frames, key=lambda frame: abs(frame.step - 100)) for lane in lanes("db"))
    assert one.step == other.step
    assert other.total_variation > 2 * one.total_variation


def test_modified_detailed_balance_leaves_the_scale_free() -> None:
    assert all(training.config.stop is Stop.LEARNED for training in STORIES["mdb"].trainings)
    end = last("mdb")[1]
    assert end.total_variation < 0.03
    assert end.residual > 0.3


def test_a_learned_backward_policy_leads_to_the_same_ends() -> None:
    spread = []
    for lane in lanes("backward"):
        comes = {}
        for (_, child, _), flow in zip(
            lane.scenes[0].links, codes.decode_probabilities(lane.frames[-1].flow or ""), strict=True
        ):
            comes.setdefault(child, []).append(flow)
        spread.append(max(max(flows) - min(flows) for flows in comes.values()))
    assert spread[0] < 0.01 < 0.03 < spread[1]  # between the parents of a state
    uniform, learned = map(stop, last("backward"))
    assert abs(uniform - learned).sum() / 2 < 0.01
    assert max(frame.total_variation for frame in last("backward")) < 0.01


def test_first_child_only_stops_at_the_start_node() -> None:
    right, control = last("first-child")
    assert stop(control)[0] > 0.95
    assert stop(right)[0] < 0.1
    assert right.total_variation < 0.001 < 0.9 < control.total_variation
    assert right.residual < 0.001 < 1 < control.residual
