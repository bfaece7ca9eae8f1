"""The visitor's training: a live job, what it has said so far, and what came of it. It stays when it has ended.

One that goes on when its page is closed has a name that cannot be guessed, which is in the link: who has the link finds
it again.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from threading import Lock
from typing import Any

import streamlit as st

from gfx_core.crew.job import Job, JobState
from gfx_core.training.assembler import Assembler
from gfx_core.training.recording import Recording
from gfx_core.training.requests import Train, TrainedLane
from gfx_core.training.setting import LaneSetting, restarts
from gfx_core.training.setting_words import lane_names
from pages.ui import jobs
from pages.ui.train.link import RUN

_RUN = "train:run"  # session state: the visitor's training
SLOT = "train"
_KEPT = 16
_staying: "OrderedDict[str, Run]" = OrderedDict()  # those that go on without a page, by name; the oldest go first


@dataclass
class Run:
    """A training that was started here.

    Attributes:
        job: Answers with the policy of each lane.
        assembler: What it has said.
        lanes: How its lanes are set now.
        place: What it is shown for, see `Chosen.place`.
        stay: Whether it goes on when nobody looks.
        failed: Why it ended before its time; empty if it did not.
        pace: Steps a second, where it is held back; else 0.
        name: In the link, where it goes on without a page.
        policies: Of each lane, once it has ended: the bytes of its file, None for a table.
    """

    job: Job[tuple[TrainedLane, ...]]
    assembler: Assembler
    lanes: tuple[LaneSetting, ...]
    place: tuple[Any, ...]
    stay: bool = False
    failed: str = ""
    pace: float = 0.0
    policies: list[bytes | None] = field(default_factory=list)
    name: str = field(default_factory=lambda: token_hex(12))
    _hearing: Lock = field(default_factory=Lock)  # two pages may show it
    _recorded: tuple[int, Recording] | None = None

    @property
    def going(self) -> bool:
        """Whether it is waiting, running or paused."""
        return not self.job.status.finished

    @property
    def token(self) -> str:
        """Names what was recorded; another one where frames were taken back."""
        return f"run {id(self.job)} {self.assembler.generation}"

    def hear(self) -> None:
        """Take what it has said since, and how it ended."""
        with self._hearing:
            self._hear()

    def recording(self) -> Recording:
        """What was recorded so far, checked."""
        if self._recorded is None or self._recorded[0] != self.assembler.heard:
            self._recorded = (self.assembler.heard, self.assembler.recording())
        return self._recorded[1]

    def _hear(self) -> None:
        finished = self.job.status.finished  # asked first: what is said afterwards is heard next time
        self.assembler.feed(self.job.events(self.assembler.heard))
        if not finished or self.failed or self.policies:
            return
        status = self.job.status
        if status.state is JobState.DONE:
            self.policies = [None if lane.policy is None else lane.policy.tobytes() for lane in self.job.result()]
            return
        last = self.assembler.length
        kept = " What was recorded until then stays below." if last else ""
        cancelled = status.state is JobState.CANCELLED
        self.failed = f"The training was cancelled.{kept}" if cancelled else f"{status.sentence}{kept}"
        self.assembler.lose(self.failed)

    def send(self, command: dict[str, Any]) -> None:
        """Tell it to do something, if it still goes on."""
        if self.going:
            self.job.send(command)

    def end(self) -> None:
        """End it and keep what it has learnt; one that still waits is cancelled."""
        if self.job.status.state is JobState.QUEUED:
            self.job.cancel()
        else:
            self.send({"do": "end"})

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


def latest() -> Run | None:
    """The visitor's training, going or ended; without one, the one that the link names."""
    found: Run | None = st.session_state.get(_RUN)
    if found is None and RUN.read() in _staying:
        found = st.session_state[_RUN] = _staying[RUN.read()]
    return found


def stay(run: Run, on: bool) -> None:
    """Let a training go on when its page is closed, or not; the link finds it again."""
    run.stay = on
    run.send({"do": "stay", "on": on})
    _staying.pop(run.name, None)
    if on:
        _staying[run.name] = run
        while len(_staying) > _KEPT:
            _staying.popitem(last=False)
    RUN.write(run.name if on else None)


def begin(lanes: Sequence[LaneSetting], place: tuple[Any, ...], title: str) -> Run:
    """Start a training; the one before is cancelled and forgotten.

    Raises:
        UserError: Too many are waiting already.
    """
    job = jobs.start(Train(tuple(lanes)), slot=SLOT)
    run = Run(job, Assembler(title, lanes), tuple(lanes), place)
    run.send({"do": "run"})
    st.session_state[_RUN] = run
    return run
