"""“Train on this one” shows itself while it learns."""

import json
from pathlib import Path
from typing import Any

import pytest

from gfx_core.job_context import JobContext
from gfx_core.jobs.requests import Explain
from gfx_core.question import Question
from gfx_core.training import recording
from gfx_core.training.assembler import Assembler


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))


def explained(question: Question) -> tuple[Any, Assembler]:
    events: list[dict[str, Any]] = []
    trace = Explain(question).answer(JobContext(emit=lambda event: events.append(json.loads(json.dumps(event)))))
    told = Assembler("")
    told.feed(events)
    return trace, told


def test_the_last_frame_is_what_the_explanation_is_drawn_from() -> None:
    trace, told = explained(Question("tree_cycles", "612", tuned=True, beta=5.0, samples=4))
    made = told.recording()
    assert recording.from_json(recording.to_json(made)) == made
    (lane,) = made.lanes
    assert lane.frames[0].step == 0
    assert lane.frames[-1].step == lane.setting.steps
    tuned = trace.made["policy"]["tuned_on_this_instance"]["distances"]
    assert lane.frames[0].total_variation == pytest.approx(tuned[0], abs=1e-4)
    assert lane.frames[-1].total_variation == pytest.approx(tuned[1], abs=1e-4)


def test_nothing_is_emitted_where_nothing_is_trained() -> None:
    assert explained(Question("tree_cycles", "612", samples=4))[1].heard == 0
