"""The visitor's training on one prediction: a live job, what it has said so far, and what came of it.

It stays when it has ended. One that goes on when its page is closed has a name that cannot be guessed, which is in the
link: who has the link finds it again.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gfx_core.crew.job import Job
from gfx_core.training.assembler import Assembler
from gfx_core.training.recording import Recording
from gfx_core.training.requests import Train, TrainedLane
from gfx_core.training.setting import LaneSetting, restarts
from gfx_core.training.setting_words import lane_names
from pages.ui import jobs
from pages.ui.train.link import RUN
from pages.ui.train.live_job import LiveJob, staying

_RUN = "train:run"  # session state: the visitor's training
SLOT = "train"


class Run(LiveJob[tuple[TrainedLane, ...]]):
    """A training that was started here.

    Args:
        job: Answers with the policy of each lane.
        title: Of the recording.
        lanes: How they are set.
        place: What it is shown for, see `Chosen.place`.

    Attributes:
        assembler: What it has said.
        pace: Steps a second, where it is held back; else 0.
        policies: Of each lane, once it has ended: the bytes of its file, None for a table.
    """

    def __init__(
        self, job: Job[tuple[TrainedLane, ...]], title: str, lanes: Sequence[LaneSetting], place: tuple[Any, ...]
    ) -> None:
        super().__init__(job)
        self.assembler, self.lanes, self.place = Assembler(title, lanes), tuple(lanes), place
        self.pace = 0.0
        self.policies: list[bytes | None] = []
        self._recorded: tuple[int, Recording] | None = None

    @property
    def token(self) -> str:
        """Names what was recorded; another one where frames were taken back."""
        return f"run {self.name} {self.assembler.generation}"

    def recording(self) -> Recording:
        """What was recorded so far, checked."""
        if self._recorded is None or self._recorded[0] != self.assembler.heard:
            self._recorded = (self.assembler.heard, self.assembler.recording())
        return self._recorded[1]

    def change(self, lanes: Sequence[LaneSetting]) -> bool:
        """Set other knobs of the same lanes; returns whether that begins the training anew."""
        anew = any(map(restarts, self.lanes, lanes))
        for number, (before, after) in enumerate(zip(self.lanes, lanes, strict=True)):
            now, then = after.as_dict(), before.as_dict()
            values = {name: value for name, value in now.items() if value != then[name] and name != "question"}
            values |= {"plain": after.plain} if after.plain != before.plain else {}
            if values:
                self.send({"do": "change", "lane": number, "values": values})
        self.lanes = tuple(lanes)
        for lane, name in zip(self.assembler.lanes, lane_names(lanes), strict=True):
            lane["name"] = name
        return anew

    @property
    def _has_said(self) -> bool:
        return self.assembler.length > 0

    def _take(self) -> None:
        self.assembler.feed(self.job.events(self.assembler.heard))

    def _done(self, result: tuple[TrainedLane, ...]) -> None:
        self.policies = [None if lane.policy is None else lane.policy.tobytes() for lane in result]

    def _lost(self) -> None:
        self.assembler.lose(self.failed)


def latest() -> Run | None:
    """The visitor's training, going or ended; without one, the one that the link names."""
    found: Run | None = st.session_state.get(_RUN)
    if found is None and isinstance(kept := staying(RUN.read()), Run):
        found = st.session_state[_RUN] = kept
    return found


def stay(run: Run, on: bool) -> None:
    """Let a training go on when its page is closed, or not; the link finds it again."""
    run.set_stay(on)
    RUN.write(run.name if on else None)


def begin(lanes: Sequence[LaneSetting], place: tuple[Any, ...], title: str) -> Run:
    """Start a training; the one before is cancelled and forgotten.

    Raises:
        UserError: Too many are waiting already.
    """
    run = Run(jobs.start(Train(tuple(lanes)), slot=SLOT), title, lanes, place)
    st.session_state[_RUN] = run
    return run
