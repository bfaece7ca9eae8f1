"""What it costs to watch a training, and how soon one on a single prediction is right."""

import json
import time
from typing import Any

from gfx_core.job_context import JobContext
from gfx_core.question import Question
from gfx_core.training.assembler import Assembler
from gfx_core.training.session import Session
from gfx_core.training.setting import defaults_for

WATCHED = {"tree_cycles": ("511", "index"), "mutagenicity": ("Ethanol", "compound")}
"""Of each data set, a prediction that somebody may watch being learnt."""
NEAR = 0.05
"""A total variation from R/Z that counts as right."""


def watching_ratio(dataset: str, steps: int) -> dict[str, Any]:
    """Train on one prediction from scratch as the Train page does, at its pace, and take the time of both parts.

    Both are taken within one run: what the lane itself needs for its gradient steps, and all of it: steps, frames,
    events and what is kept so that it could be restarted.
    """
    name, source = WATCHED[dataset]
    setting = defaults_for(Question(dataset, name, source)).changed({"steps": steps})
    events: list[dict[str, Any]] = []
    live = Session([setting], True, JobContext(emit=events.append))
    began = time.perf_counter()
    live.run()
    watched = time.perf_counter() - began
    assembler = Assembler(setting.title, [setting])
    assembler.feed(events)
    (lane,) = assembler.recording().lanes
    last = lane.frames[-1]
    near = [frame.seconds for frame in lane.frames if (frame.total_variation or 0) <= NEAR]
    return {
        "prediction": setting.title,
        "steps": last.step,
        "seconds": {"training": last.seconds, "watched": watched},
        "ratio": watched / last.seconds,
        "frames": len(lane.frames),
        "bytes_a_second": len(json.dumps(assembler.as_dict()["lanes"][0]["frames"])) / watched,
        "total_variation": last.total_variation,
        "near_s": near[0] * watched / last.seconds if near else None,
    }
