"""A job as the one who asked for it sees it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic

from gfx_core.crew.request import Request, T
from gfx_core.crew.visitor import NOBODY, Visitor


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobError(RuntimeError):
    """The job failed for a reason that is not the user's; the message is one sentence, the details are in the log."""


class WorkerDiedError(JobError):
    """Each process that computed it died: so many ``tries``, and ``how`` the last one ended."""

    def __init__(self, tries: int, how: str) -> None:
        super().__init__("The computation was ended from outside, most likely for lack of memory: try a smaller one.")
        self.tries, self.how = tries, how


class TimeUpError(JobError):
    """It took longer than it may."""


class JobCancelledError(Exception):
    """The job was cancelled, so there is no result."""


@dataclass(frozen=True)
class JobStatus:
    """A job at one moment.

    Attributes:
        state: Where it is.
        place: Its place in the queue, 1 for the next one; 0 when it is not waiting.
        wait_s: Seconds until it starts, about; ``None`` where that cannot be told.
        share: How much is done, 0 to 1.
        words: What is being done, or waited for.
        seconds: For how long it has been computing.
        eta_s: Seconds that are left, ``None`` where that cannot be told yet.
        sentence: Why it failed.
    """

    state: JobState
    place: int = 0
    share: float = 0.0
    words: str = ""
    seconds: float = 0.0
    eta_s: float | None = None
    sentence: str = ""
    wait_s: float | None = None

    @property
    def finished(self) -> bool:
        return self.state not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(eq=False)
class Work:
    """One computation, however many wait for it. Only the crew changes it, and only under its lock."""

    number: int
    request: Request[Any]
    packed: bytes  # the same for the worker
    key: str
    device: str
    short: bool
    turn: int  # who has the lowest is next
    expected_s: float | None = None  # what the request tells
    asked: float = 0.0  # when somebody asked for it last, by time.monotonic like all times here
    state: JobState = JobState.QUEUED
    askers: list[Visitor] = field(default_factory=list)  # who waits for it
    outlives: bool = False  # whether it goes on when the visits end of those who asked
    alarm: threading.Timer | None = None  # rings when its time is up
    overtaken: int = 0  # by short ones, while it was the next long one
    tries: int = 0
    started: float | None = None
    first: tuple[float, float] | None = None  # share and time, from when on the speed is measured
    last: tuple[float, float] = (0.0, 0.0)
    words: str = ""
    value: Any = None
    error: Exception | None = None  # why there is no value
    finished: threading.Event = field(default_factory=threading.Event)  # nobody need wait any longer
    listeners: list[Callable[[JobState], None]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)  # what a live one has said
    commands: list[dict[str, Any]] = field(default_factory=list)  # what it will be told as soon as it has a process

    @property
    def whose(self) -> set[str]:
        """Who waits for it, by name."""
        return {asker.who for asker in self.askers}

    def become(self, state: JobState) -> None:
        self.state = state
        for listener in self.listeners:
            listener(state)

    def finish(self, value: Any, error: Exception | None) -> None:
        self.value, self.error, self.packed = value, error, b""
        failed = JobState.CANCELLED if isinstance(error, JobCancelledError) else JobState.FAILED
        self.become(JobState.DONE if error is None else failed)
        self.finished.set()

    def begin(self, now: float) -> None:
        self.started, self.words = now, ""
        self.first, self.last = None, (0.0, now)

    def progress(self, share: float, words: str, now: float) -> None:
        if share < self.last[0]:  # a new stage begins: its speed is its own
            self.first = None
        if self.first is None and share > 0:  # what came before was getting ready
            self.first = (share, now)
        self.last, self.words = (share, now), words

    def status(self, now: float) -> JobStatus:
        """How it stands, once it is no longer waiting."""
        sentence = str(self.error) if self.state is JobState.FAILED else ""
        if self.started is None:
            return JobStatus(self.state, sentence=sentence)
        share, then = self.last
        eta_s = None
        if self.first is not None and share > self.first[0] and then > self.first[1]:
            pace = (then - self.first[1]) / (share - self.first[0])  # seconds for the whole
            eta_s = max(0.0, (1 - share) * pace - (now - then))
        return JobStatus(self.state, 0, share, self.words, now - self.started, eta_s, sentence)


class Job(Generic[T]):
    """A handle on a computation; several handles may share one. The crew tells its status, and hears who leaves."""

    def __init__(
        self,
        work: Work,
        status: Callable[[Work], JobStatus],
        leave: Callable[[Work, Visitor], None],
        send: Callable[[Work, dict[str, Any]], None],
        visitor: Visitor = NOBODY,
    ) -> None:
        self._work, self._status, self._leave, self._send = work, status, leave, send
        self._visitor = visitor
        self._left = False
        self._lock = threading.Lock()

    @property
    def status(self) -> JobStatus:
        """How it stands, without waiting."""
        return JobStatus(JobState.CANCELLED) if self._left else self._status(self._work)

    @property
    def state(self) -> JobState:
        return self.status.state

    @property
    def finished(self) -> bool:
        """Whether it is, one way or another; what it costs to ask is nothing, unlike the status of one that waits."""
        return self._left or self._work.finished.is_set()

    @property
    def waits(self) -> bool:
        """Whether it waits for its turn; as cheap to ask."""
        return not self._left and self._work.state is JobState.QUEUED

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is finished, one way or another; whether it is."""
        return self._left or self._work.finished.wait(timeout)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the result.

        Raises:
            UserError: What was asked for cannot work; the same sentence as in the worker.
            JobError: It failed for another reason.
            JobCancelledError: It was cancelled.
            TimeoutError: It takes longer than that.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"the job is not finished after {timeout} s")
        if self._left:
            raise JobCancelledError
        if self._work.error is not None:
            raise self._work.error.with_traceback(None)  # which several may raise
        value: T = self._work.value
        return value

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        """What a live one has said, from one event on; without waiting, and whatever became of the job."""
        return self._work.events[since:]

    def send(self, command: dict[str, Any]) -> None:
        """Tell a live one something, in order, without waiting; nobody hears it once the job is finished."""
        if not self._left:
            self._send(self._work, command)

    def cancel(self) -> None:
        """Do without it. The computation stops at once, unless somebody else waits for it too."""
        with self._lock:
            if self._left or self._work.finished.is_set():
                return
            self._left = True
        self._leave(self._work, self._visitor)

    def outlive(self, on: bool) -> None:
        """Let it go on, or not, when the visit ends of the one who asked for it."""
        self._work.outlives = on
