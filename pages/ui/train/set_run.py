"""The visitor's training on a whole data set: a live job, its epochs and watched instances, and the policy."""

import streamlit as st

from gfx_core.crew.job import Job
from gfx_core.training.assembler import SetAssembler
from gfx_core.training.requests import TrainedSet, TrainPolicy
from pages.ui import jobs
from pages.ui.train.link import RUN
from pages.ui.train.live_job import LiveJob, staying

_RUN = "train:set"  # session state: the visitor's training
SLOT = "train-set"


class SetRun(LiveJob[TrainedSet]):
    """A training that was started here.

    Args:
        job: Answers with the policy.
        asked: What is trained.
        title: Of the data set.

    Attributes:
        assembler: What it has said.
        policy: The bytes of its file, once it has ended.
    """

    def __init__(self, job: Job[TrainedSet], asked: TrainPolicy, title: str) -> None:
        super().__init__(job)
        self.assembler, self.asked = SetAssembler(title), asked
        self.policy: bytes | None = None

    @property
    def token(self) -> str:
        """Names what was recorded of the watched instances."""
        return f"set {self.name}"

    @property
    def _has_said(self) -> bool:
        return bool(self.assembler.epochs)

    def _take(self) -> None:
        self.assembler.feed(self.job.events(self.assembler.heard))

    def _done(self, result: TrainedSet) -> None:
        self.policy = result.policy.tobytes()


def latest() -> SetRun | None:
    """The visitor's training, going or ended; without one, the one that the link names."""
    found: SetRun | None = st.session_state.get(_RUN)
    if found is None and isinstance(kept := staying(RUN.read()), SetRun):
        found = st.session_state[_RUN] = kept
    return found


def begin(asked: TrainPolicy, title: str) -> SetRun:
    """Start a training; the one before is cancelled and forgotten.

    Raises:
        UserError: Too many are waiting already.
    """
    run = SetRun(jobs.start(asked, slot=SLOT), asked, title)
    st.session_state[_RUN] = run
    return run
