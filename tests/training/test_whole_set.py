"""A policy for a whole data set, watched while it learns."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.crew.context import JobContext, StoppedError
from gfx_core.errors import UserError
from gfx_core.explainers.answers import explain
from gfx_core.gfn.own_policies import keep_policy
from gfx_core.question import Question
from gfx_core.training import recording
from gfx_core.training.assembler import SetAssembler
from gfx_core.training.outcome import LEFT_S, TrainedSet
from gfx_core.training.requests import TrainPolicy
from gfx_core.training.whole_set import train_policy

ASKED = TrainPolicy("tree_cycles", epochs=3, limit=6)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    return tmp_path


class Heard:
    """A job of which everything is kept; commands come when it has listened so many times."""

    def __init__(self, commands: dict[int, list[dict[str, Any]]] | None = None, cancel_at: int = 10**9) -> None:
        self.events: list[dict[str, Any]] = []
        self.listened, self._commands, self._cancel_at = 0, commands or {}, cancel_at
        emit = lambda event: self.events.append(json.loads(json.dumps(event, allow_nan=False)))  # noqa: E731
        self.job = JobContext(emit=emit, commands=self._hear, cancelled=lambda: self.listened >= self._cancel_at)

    def _hear(self) -> list[dict[str, Any]]:
        self.listened += 1
        return self._commands.get(self.listened, [])

    def train(self, asked: TrainPolicy, **more: Any) -> TrainedSet:
        return train_policy(asked, self.job, asked.checkpoint("cpu"), **more)

    @property
    def assembled(self) -> SetAssembler:
        assembler = SetAssembler("Watched")
        assembler.feed(self.events)
        return assembler


def test_it_tells_what_it_does_and_can_be_used() -> None:
    heard = Heard()
    answer = heard.train(ASKED)
    told = heard.assembled
    assert (answer.epochs, answer.end, told.end) == (3, "Done: 3 epochs.", "Done: 3 epochs.")
    assert [report["epoch"] for report in told.epochs] == [1, 2, 3]
    assert len(told.residuals["values"]) == len(told.residuals["instances"]) == 6
    assert all(value >= 0 for value in told.residuals["values"])
    assert told.watched is not None
    made = told.watched.recording()
    assert recording.from_json(recording.to_json(made)) == made
    for lane in made.lanes:
        assert lane.scenes[0].listed
        assert (lane.frames[0].step, lane.frames[-1].step) == (0, 3)
    assert not ASKED.checkpoint("cpu").is_file()  # finished: nothing to resume
    kept = keep_policy(answer.policy.tobytes())
    trace = explain(Question("tree_cycles", "511", own=kept.name, samples=4))
    assert len(trace.final.nodes) >= 1


def test_what_is_watched_is_what_the_policy_does() -> None:
    heard = Heard()
    answer = heard.train(replace(ASKED, watched=(511,), epochs=2))
    assert heard.assembled.watched is not None
    (lane,) = heard.assembled.watched.recording().lanes
    kept = keep_policy(answer.policy.tobytes())
    trace = explain(Question("tree_cycles", "511", own=kept.name, samples=4))
    assert lane.frames[-1].total_variation == pytest.approx(trace.total_variation, abs=1e-4)


def test_ended_and_resumed_as_if_nothing_had_been() -> None:
    whole = Heard()
    expected = whole.train(ASKED)
    first = Heard({2: [{"do": "end"}]})
    part = first.train(ASKED)
    assert part.epochs < 3
    assert part.end == f"Ended after epoch {part.epochs}; it can be resumed."
    assert ASKED.resumable("cpu") == part.epochs
    again = Heard()
    answer = again.train(ASKED)
    assert [report["epoch"] for report in again.assembled.epochs] == [1, 2, 3]
    assert [report["loss"] for report in again.assembled.epochs] == pytest.approx(
        [report["loss"] for report in whole.assembled.epochs], rel=1e-4
    )
    assert answer.epochs == expected.epochs == 3
    assert ASKED.resumable("cpu") == 0


def test_pausing_leaving_and_cancelling() -> None:
    heard = Heard({1: [{"do": "pause"}], 3: [{"do": "run"}, {"do": "stay", "on": True}]})
    assert heard.train(replace(ASKED, epochs=1)).end == "Done: 1 epochs."
    assert any(not event["running"] for event in heard.events if event["is"] == "state")
    ticks = iter(np.arange(0.0, 1e6, LEFT_S / 3))
    left = Heard().train(replace(ASKED, resume=False), clock=lambda: float(next(ticks)))
    assert left.end.startswith("Nobody watched for 60 seconds")
    cancelled = Heard(cancel_at=3)
    with pytest.raises(StoppedError):
        cancelled.train(replace(ASKED, seed=1))
    assert cancelled.assembled.kept == replace(ASKED, seed=1).resumable("cpu")


@pytest.mark.parametrize(
    "wrong", [{"dataset": "moon"}, {"gnn": "none"}, {"epochs": 0}, {"limit": 0}, {"seed": -1}, {"epochs": 10**9}]
)
def test_bad_requests(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        TrainPolicy(**{"dataset": "tree_cycles"} | wrong)
