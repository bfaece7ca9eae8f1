"""Record a training as a whole, without anybody watching. This module needs torch."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gfx_core.provenance import provenance
from gfx_core.training.assembler import Assembler
from gfx_core.training.lane import LaneDiverged
from gfx_core.training.live import make_lane
from gfx_core.training.pace import BYTES_A_SECOND
from gfx_core.training.recording import Recording, write
from gfx_core.training.setting import LaneSetting
from gfx_core.training.stories import STORIES, Story, story
from gfx_core.training.thinning import shown_steps, small_enough

FRAMES = 60
"""Of a recorded lane."""
MAX_BYTES = 250_000
"""Of a shipped recording."""


def record(title: str, settings: Sequence[LaneSetting], frames: int = FRAMES) -> Recording:
    """Train lanes one after the other and keep frames of them at the same steps.

    Args:
        title: What the recording is called.
        settings: Of its lanes.
        frames: About how many.
    """
    began, assembler = time.perf_counter(), Assembler(title, settings)
    for number, setting in enumerate(settings):
        lane = make_lane(setting, BYTES_A_SECOND / len(settings))
        _feed(assembler, "scene", number, scene=lane.scene(0))
        says = f"Done: {setting.steps} steps."
        for step in shown_steps(setting.steps, frames):
            try:
                lane.advance(step - lane.step)
            except LaneDiverged as error:
                says = str(error)
                break
            _feed(assembler, "frame", number, frame=lane.frame(0))
        _feed(assembler, "end", number, says=says)
    made = provenance("cpu", time.perf_counter() - began) | {"config": [setting.as_dict() for setting in settings]}
    return replace(assembler.recording(), made=made)


def _feed(assembler: Assembler, kind: str, lane: int, **more: Any) -> None:
    assembler.feed([{"is": kind, "lane": lane, **more}])


def record_story(told: Story) -> Recording:
    """A story, in no more bytes than are shipped."""
    return small_enough(record(told.title, told.lanes), MAX_BYTES)


def record_shipped(names: Sequence[str] = (), folder: Path | None = None) -> list[Path]:
    """Write the recordings that are shipped, or some stories; returns where."""
    chosen = [story(name) for name in names] or [each for each in STORIES.values() if each.recorded]
    paths = []
    for each in chosen:
        path = (folder or each.path.parent) / each.path.name
        write(record_story(each), path)
        paths.append(path)
    return paths
