"""The stories, their shipped recordings, and recordings with fewer frames."""

from dataclasses import replace
from pathlib import Path

import pytest

from gfx_core.__main__ import main
from gfx_core.explanation.question import Question
from gfx_core.training import recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import MAX_BYTES, record, shrink
from gfx_core.training.stories import STORIES, Story
from gfx_core.training.training import defaults_for

TABLE = defaults_for(LessonGraph("toy")).changed({"epochs": 30})


@pytest.mark.parametrize("shown", [each for each in STORIES.values() if each.recorded], ids=lambda each: each.name)
def test_shipped_recordings_are_whole_small_and_of_their_story(shown: Story) -> None:
    found = recording.read(shown.path)
    assert shown.path.stat().st_size <= MAX_BYTES
    assert found.title == shown.title
    assert tuple(lane.training for lane in found.lanes) == shown.trainings
    assert len({training.config.epochs for training in shown.trainings}) == 1
    assert {"device", "date", "versions"} <= found.made.keys()
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


def test_more_frames_at_the_beginning() -> None:
    (lane,) = record("", [TABLE.changed({"epochs": 80})], frames=40).lanes
    steps = [frame.step for frame in lane.frames]
    assert (steps[0], steps[-1]) == (0, 80)
    assert len(steps) <= 41
    assert steps[10] - steps[0] < steps[-1] - steps[-11]


def test_a_smaller_recording_is_whole() -> None:
    listed = record("", [TABLE], frames=30)
    small = shrink(listed, 6000)
    assert len(recording.to_json(small)) <= 6000
    assert recording.from_json(recording.to_json(small)) == small
    assert [small.lanes[0].frames[at] for at in (0, -1)] == [listed.lanes[0].frames[at] for at in (0, -1)]
    growing = record("", [defaults_for(Question("ba_shapes", "301")).changed({"epochs": 6, "batch_size": 4})], frames=6)
    fewer = shrink(growing, 1)
    assert len(fewer.lanes[0].frames) < len(growing.lanes[0].frames)
    assert recording.from_json(recording.to_json(fewer)) == fewer  # each code is as long as it should be

    def states(one: recording.Recording) -> list[list[int]]:
        return [state for frame in one.lanes[0].frames for state in frame.states or []]

    assert states(fewer) == states(growing)
