"""The visitor's training on one prediction: a live job, what was recorded of it so far, and what came of it.

It stays when it has ended. One that goes on when its page is closed has a name that cannot be guessed, which is in the
link: a visitor with the link gets it back.
"""

from collections.abc import Sequence
from secrets import token_hex
from threading import Lock
from typing import Any

import streamlit as st

from gfx_core.jobs.job import JobState, Request
from gfx_core.jobs.pool import Job
from gfx_core.storage import Recent
from gfx_core.training.recording import Assembler
from gfx_core.training.training import TIME_UP, Training, restarts, training_names
from pages.ui import jobs
from pages.ui.train.link import RUN, Plan

_RUN = "train:run"  # session state: the visitor's training
_pageless: "Recent[str, Run]" = Recent(16)  # those that go on without a page; the oldest go first


class Run:
    """A training that was started here.

    Args:
        job: Answers with the policy of each training.
        plan: What is trained.

    Attributes:
        assembler: What was recorded of it.
        stay: Whether it goes on when its page is closed.
        failure: Why it ended before its time; empty if it did not.
        name: In the link, where it goes on without a page: it cannot be guessed.
        policies: Of each training, once it has ended: the bytes of its file, None for a table.
        pending: Whether its end is still to come. Unlike `active` it changes in `update` alone, not while a page runs:
            one that drew half of it as active and half as ended would never look again.
    """

    def __init__(self, job: Job[tuple[bytes | None, ...]], plan: Plan) -> None:
        self.job, self.trainings, self.key = job, plan.trainings, plan.key
        self.assembler = Assembler(plan.story.title if plan.story else plan.subject.title)
        self.stay, self.failure, self.name, self.pending = False, "", token_hex(12), True
        self.policies: tuple[bytes | None, ...] = ()
        self._updating = Lock()  # two pages may show it

    @property
    def active(self) -> bool:
        """Whether it is waiting, running or paused."""
        return not self.job.finished

    @property
    def token(self) -> str:
        """Names what was recorded; another name where frames were taken back."""
        return f"run {self.name} {self.assembler.generation}"

    def as_dict(self) -> dict[str, Any]:
        """What was recorded so far, as JSON."""
        recording = self.assembler.as_dict()
        pairs = zip(recording["lanes"], training_names(self.trainings), strict=False)
        return {**recording, "lanes": [{**lane, "name": name} for lane, name in pairs]}

    def update(self) -> None:
        """Take the events that have come since, and how it ended."""
        with self._updating:
            finished = self.job.finished  # first: events that come afterwards are taken next time
            self.assembler.feed(self.job.events(self.assembler.num_events))
            if not finished or not self.pending:
                return
            self.pending = False
            status = self.job.status
            if status.state is JobState.DONE:
                self.policies = self.job.result()
                return
            why = "The training was cancelled." if status.state is JobState.CANCELLED else status.sentence
            self.failure = f"{why} The recording until then stays." if self.assembler.length else why
            self.assembler.lose(self.failure)

    def change(self, trainings: Sequence[Training]) -> bool:
        """Set other knobs; returns whether that begins the training anew."""
        before, self.trainings = self.trainings, tuple(trainings)
        if before == self.trainings:
            return False
        self.send({"do": "change", "trainings": [training.as_dict() for training in trainings]})
        return any(map(restarts, before, trainings))

    def send(self, command: dict[str, Any]) -> None:
        """Steer it, if it still goes on."""
        if self.active:
            self.job.send(command)

    def end(self) -> None:
        """End it and keep what it has learnt; one that still waits is cancelled."""
        if self.job.status.state is JobState.QUEUED:
            self.job.cancel()
        else:
            self.send({"do": "end"})

    def set_stay(self, on: bool) -> None:
        """Let it go on when its page is closed, or not; the link then has its name."""
        self.stay = on
        self.send({"do": "stay", "on": on})
        _pageless.pop(self.name, None)
        if on:
            _pageless[self.name] = self
        RUN.write(self.name if on else None)


def current(plan: Plan) -> Run | None:
    """The visitor's training, or the one that the link names, if it is of what is planned."""
    run: Run | None = st.session_state.get(_RUN) or _pageless.get(RUN.read())
    st.session_state[_RUN] = run
    return run if run is not None and run.key == plan.key else None


def begin(plan: Plan) -> None:
    """Start a training; the one before is cancelled and forgotten.

    Raises:
        UserError: Too many are waiting already.
    """
    request = Request[tuple[bytes | None, ...]](
        "gfx_core.training.live:train", {"trainings": plan.trainings}, live=TIME_UP, device="cpu", turn=token_hex(8)
    )
    st.session_state[_RUN] = Run(jobs.submit(request), plan)
