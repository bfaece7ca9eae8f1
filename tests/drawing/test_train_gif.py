"""The GIF of a training, and the small curves: frames, sizes, and that nothing breaks them."""

import io
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from PIL import Image

from gfx_core.drawing.small_curves import bars_svg, curve_svg
from gfx_core.drawing.train_gif import HIGH, WIDE, train_gif
from gfx_core.training.recording import Recording, read
from gfx_core.training.stories import STORIES


def shipped(name: str) -> Recording:
    return read(STORIES[name].path)


@pytest.mark.parametrize("name", ["first", "sequence"])
def test_lanes_stand_side_by_side_and_it_ends_later_than_it_moves(name: str) -> None:
    recording = shipped(name)
    short = replace(recording, lanes=tuple(replace(lane, frames=lane.frames[-3:]) for lane in recording.lanes))
    image = Image.open(io.BytesIO(train_gif(short)))
    assert image.size == (WIDE * len(recording.lanes), HIGH)
    assert image.n_frames == 3
    image.seek(2)
    assert image.info["duration"] > 3000


def test_any_label_can_be_drawn() -> None:
    recording = shipped("first")
    lane = recording.lanes[0]
    scene = replace(lane.scenes[0], nodes=[{**node, "label": "βε∝"} for node in lane.scenes[0].nodes])
    odd = replace(lane, name="β → ∞ 🙂", scenes=(scene,), frames=lane.frames[:1])
    assert train_gif(replace(recording, lanes=(odd,)))[:3] == b"GIF"


@pytest.mark.parametrize("values", [[], [None], [1.0], [1.0, 1.0], [3.0, None, 2.0, 1.0]])
def test_curves_are_whole_pictures(values: list[float | None]) -> None:
    picture = ElementTree.fromstring(curve_svg(values, 'Loss <&"'))
    assert picture.get("aria-label") == 'Loss <&"'
    lines = picture.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert sum(len((line.get("points") or "").split()) for line in lines) == sum(value is not None for value in values)


def test_bars_begin_with_the_largest() -> None:
    picture = ElementTree.fromstring(bars_svg([1.0, 3.0, 2.0], "Residuals"))
    heights = [float(bar.get("height") or 0) for bar in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert heights == sorted(heights, reverse=True)
    assert len(heights) == 3
