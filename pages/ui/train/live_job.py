"""A live job of the visitor's, and how it ended: what trainings on one prediction and on a data set share."""

from collections import OrderedDict
from secrets import token_hex
from threading import Lock
from typing import Any, Generic, TypeVar

from gfx_core.crew.job import Job, JobState

T = TypeVar("T")
_KEPT = 16
_staying: "OrderedDict[str, LiveJob[Any]]" = OrderedDict()  # those that go on without a page; the oldest go first


class LiveJob(Generic[T]):
    """A training that was started here.

    Args:
        job: What answers.

    Attributes:
        stay: Whether it goes on when nobody looks.
        failed: Why it ended before its time; empty if it did not.
        name: In the link, where it goes on without a page: it cannot be guessed.
    """

    def __init__(self, job: Job[T]) -> None:
        self.job = job
        self.stay, self.failed, self.name = False, "", token_hex(12)
        self._hearing = Lock()  # two pages may show it
        self._over = False

    @property
    def going(self) -> bool:
        """Whether it is waiting, running or paused."""
        return not self.job.status.finished

    def hear(self) -> None:
        """Take what it has said since, and how it ended."""
        with self._hearing:
            finished = self.job.status.finished  # asked first: what is said afterwards is heard next time
            self._take()
            if not finished or self._over:
                return
            self._over = True
            status = self.job.status
            if status.state is JobState.DONE:
                self._done(self.job.result())
                return
            said = "The training was cancelled." if status.state is JobState.CANCELLED else status.sentence
            self.failed = f"{said} What was recorded until then stays." if self._has_said else said
            self._lost()

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

    def set_stay(self, on: bool) -> None:
        """Let it go on when its page is closed, or not; its name finds it again."""
        self.stay = on
        self.send({"do": "stay", "on": on})
        self.job.outlive(on)
        _staying.pop(self.name, None)
        if on:
            _staying[self.name] = self
            while len(_staying) > _KEPT:
                _staying.popitem(last=False)

    @property
    def _has_said(self) -> bool:
        """Whether there is something to look at."""
        raise NotImplementedError

    def _take(self) -> None:
        """Take what the job has said."""
        raise NotImplementedError

    def _done(self, result: T) -> None:
        """Take what came of it."""
        raise NotImplementedError

    def _lost(self) -> None:
        """It ended without a result."""


def staying(name: str) -> LiveJob[Any] | None:
    """One that goes on without its page, by its name."""
    return _staying.get(name)
