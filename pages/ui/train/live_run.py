"""The visitor's training on one prediction: a live job, what was recorded of it so far, and what came of it.

It stays when it has ended. One that goes on when its page is closed has a name that cannot be guessed, which is in the
link: who has the link finds it again.
"""

from collections.abc import Sequence
from secrets import token_hex
from threading import Lock
from typing import Any

import streamlit as st

from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.jobs.job import JobState
from gfx_core.jobs.pool import Job
from gfx_core.jobs.requests import Train
from gfx_core.storage import Recent
from gfx_core.text.numbers import listed
from gfx_core.training.recording import Assembler, Recording
from gfx_core.training.training import Training, restarts, training_names
from pages.ui import jobs
from pages.ui.train.link import RUN, Plan

_RUN = "train:run"  # session state: the visitor's training
_LATEST = 3  # so many changes of a training are named, the latest; the clock has marks for all
_pageless: "Recent[str, Run]" = Recent(16)  # those that go on without a page; the oldest go first


class Run:
    """A training that was started here.

    Args:
        job: Answers with the policy of each training.
        title: Of the recording.
        trainings: How they are set.
        key: What it is shown for, see `Plan.key`.
        before: One that has ended, whose training is the first of these: it stays, and the other is trained beside it.

    Attributes:
        assembler: What was recorded of it, without what came from before.
        stay: Whether it goes on when nobody looks.
        failure: Why it ended before its time; empty if it did not.
        name: In the link, where it goes on without a page: it cannot be guessed.
        policies: Of each training, once it has ended: the bytes of its file, None for a table.
        pending: Whether its end is still to come. Unlike `active` it changes in `update` alone, not while a page runs:
            one that drew half of it as active and half as ended would never look again.
    """

    def __init__(
        self,
        job: Job[tuple[bytes | None, ...]],
        title: str,
        trainings: Sequence[Training],
        key: tuple[Any, ...],
        before: "Run | None" = None,
    ) -> None:
        self.job, self.trainings, self.key = job, tuple(trainings), key
        self.assembler = Assembler(title)
        self.stay, self.failure, self.name = False, "", token_hex(12)
        self._kept: list[dict[str, Any]] = [] if before is None else list(before.assembler.lanes)
        self.policies: list[bytes | None] = [] if before is None else list(before.policies)
        self.pending = True
        self._recording: tuple[tuple[int, int], Recording] | None = None
        self._updating = Lock()  # two pages may show it

    @property
    def active(self) -> bool:
        """Whether it is waiting, running or paused."""
        return not self.job.status.finished

    @property
    def length(self) -> int:
        """Frames of the longest training."""
        return max(self.assembler.length, *(len(lane["frames"]) for lane in self._kept), 0)

    def token(self, count: int) -> str:
        """Names what was recorded of so many trainings; another one where frames were taken back, or a lane came."""
        lanes = min(count, len(self._kept) + len(self.assembler.lanes))
        return f"run {self.name} {self.assembler.generation} {lanes}"

    def as_dict(self, count: int) -> dict[str, Any]:
        """What was recorded so far of the first so many trainings, as JSON."""
        made, trainings = self.assembler.as_dict(), self.trainings[:count]
        lanes = [*self._kept, *made["lanes"]][:count]
        names = training_names(trainings)
        return {**made, "lanes": [lane | {"name": name} for lane, name in zip(lanes, names, strict=False)]}

    def recording(self, count: int) -> Recording:
        """The same, checked."""
        version = (self.assembler.num_events, count)
        if self._recording is None or self._recording[0] != version:
            self._recording = (version, Recording.from_dict(self.as_dict(count)))
        return self._recording[1]

    def update(self) -> None:
        """Take the events that have come since, and how it ended."""
        with self._updating:
            finished = self.job.status.finished  # first: events that come afterwards are taken next time
            self.assembler.feed(self.job.events(self.assembler.num_events))
            if not finished or not self.pending:
                return
            self.pending = False
            status = self.job.status
            if status.state is JobState.DONE:
                self.policies += self.job.result()
                return
            why = "The training was cancelled." if status.state is JobState.CANCELLED else status.sentence
            self.failure = f"{why} The recording until then stays." if self.assembler.length else why
            self.assembler.lose(self.failure)

    def change(self, trainings: Sequence[Training]) -> bool:
        """Set other knobs, of what has not ended before; returns whether that begins the training anew."""
        at = len(self._kept)
        before, after = self.trainings[at:], tuple(trainings[at:])
        if before == after:
            return False
        self.send({"do": "change", "trainings": [training.as_dict() for training in after]})
        self.trainings = (*self.trainings[:at], *after)
        return any(map(restarts, before, after))

    def departures(self, plan: Plan) -> str:
        """What was changed while it trained and at which step, or how it began otherwise than planned; in sentences."""
        known, sentences = knobs(GFNConfig), []
        lanes = self.as_dict(len(plan.trainings))["lanes"]
        for letter, lane, own, planned in zip("AB", lanes, self.trainings, plan.base, strict=False):
            where = f" in {letter}" if len(lanes) > 1 else ""
            changes = [
                f"Changed{where} at step {frame['step']:,}: "
                + listed([known[name].in_words(value) for name, value in frame["change"].items()])
                for frame in lane["frames"]
                if frame.get("change")
            ]
            if own != planned and not changes:
                changes = [f"Begun{where} with {training_names((planned, own))[1]}"]
            sentences += [f"{change}." for change in changes[-_LATEST:]]
        return " ".join(sentences)

    def stays_beside(self, plan: Plan) -> bool:
        """Whether it has ended and is the first of two trainings that are planned: then only the second is trained."""
        alone = not self.pending and bool(self.length) and len(self.trainings) == 1
        return alone and self.key == plan.key and plan.trainings[0] == self.trainings[0] and len(plan.trainings) == 2

    def send(self, command: dict[str, Any]) -> None:
        """Tell it to do something, if it still goes on."""
        if self.active:
            self.job.send(command)

    def end(self) -> None:
        """End it and keep what it has learnt; one that still waits is cancelled."""
        if self.job.status.state is JobState.QUEUED:
            self.job.cancel()
        else:
            self.send({"do": "end"})

    def set_stay(self, on: bool) -> None:
        """Let it go on when its page is closed, or not; its name finds it again."""
        self.stay = on
        self.send({"do": "stay", "on": on})
        self.job.detach(on)
        _pageless.pop(self.name, None)
        if on:
            _pageless.find(self.name, lambda: self)


def latest() -> Run | None:
    """The visitor's training, going or ended; without one, the one that the link names."""
    found: Run | None = st.session_state.get(_RUN)
    if found is None and (kept := _pageless.get(RUN.read())) is not None:
        found = st.session_state[_RUN] = kept
    return found


def current(plan: Plan) -> Run | None:
    """The visitor's training, if it is of what is planned; while it goes on, also by the number of trainings."""
    run = latest()
    if run is None or run.key != plan.key or (run.pending and len(run.trainings) != len(plan.trainings)):
        return None
    return run


def begin(plan: Plan) -> None:
    """Start a training; the one before is cancelled and forgotten, unless it stays beside this one.

    Raises:
        UserError: Too many are waiting already.
    """
    title = plan.story.title if plan.story else plan.subject.title
    before = latest()
    kept = before if before is not None and before.stays_beside(plan) else None
    trained = plan.trainings[1:] if kept else plan.trainings
    job = jobs.start_live(Train(tuple(trained)), slot="train")
    st.session_state[_RUN] = Run(job, title, plan.trainings, plan.key, kept)
