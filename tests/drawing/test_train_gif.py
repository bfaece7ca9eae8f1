"""A recorded training as a GIF."""

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from PIL import Image

from gfx_core.drawing.train_gif import LANE_SIZE, MOST_FRAMES, train_gif
from gfx_core.training.recording import Recording, read
from gfx_core.training.stories import shipped_stories
from gfx_core.training.thinning import thinned

STORIES = shipped_stories()


def opened(recording: Recording) -> Image.Image:
    return Image.open(io.BytesIO(train_gif(recording)))


@pytest.mark.parametrize("story", [STORIES[0], STORIES[-1]], ids=lambda story: story.name)
def test_lanes_stand_side_by_side_and_move(story) -> None:  # type: ignore[no-untyped-def]
    recording = thinned(read(story.path), 4)
    found = opened(recording)
    assert found.size == (LANE_SIZE[0] * len(recording.lanes), LANE_SIZE[1])
    assert 2 <= found.n_frames <= MOST_FRAMES + 1
    pictures = []
    for number in range(found.n_frames):
        found.seek(number)
        pictures.append(found.convert("RGB").tobytes())
    assert len(set(pictures)) == len(pictures)
    assert found.info["duration"] >= 2000


def test_unfinished_and_odd_recordings() -> None:
    recording = thinned(read(STORIES[0].path), 3)
    (lane,) = recording.lanes
    for frames in ((), lane.frames[:1], (replace(lane.frames[0], total_variation=None, loss=None), lane.frames[1])):
        assert opened(replace(recording, lanes=(replace(lane, frames=frames, name="a — long " * 30),))).n_frames >= 1


def test_needs_no_torch() -> None:
    script = "import sys, gfx_core.drawing.train_gif; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
