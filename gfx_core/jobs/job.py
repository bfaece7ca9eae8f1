"""A job: what is requested and for whom, how the computation stands, and the handle of whoever waits for it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from gfx_core.job_context import JobContext

T = TypeVar("T")


class Request(Generic[T]):
    """Derive a frozen dataclass from it, in a module that needs no torch: pages make requests, workers answer them.

    Fields and answer are of types that can be sent and read (see `gfx_core.jobs.messages`).
    """

    shared: ClassVar[bool] = True
    """Whether equal requests are one computation: who asks meanwhile joins in, who asks later gets what was kept."""

    live: ClassVar[bool] = False
    """Whether it emits events while it is answered, and obeys commands; then it is never shared."""

    stop_command: ClassVar[dict[str, Any] | None] = None
    """The command that a live one is given when its time is up: it may still end by itself and keep what it has."""

    deadline_s: ClassVar[float | None] = None
    """It is ended when it takes longer; None for what the pool allows a short or a long one."""

    function: ClassVar[str] = ""
    """What computes it, by its whole name; the fields are its arguments."""

    @property
    def short(self) -> bool:
        """Whether it takes about a second: it may overtake others."""
        return False

    @property
    def device(self) -> str | None:
        """Where it must be computed, ``cpu`` or ``cuda``; None for the best that this computer has."""
        return None

    def files(self) -> tuple[Path, ...]:
        """What the answer is read from: a request is not the same any more once one of these is replaced."""
        return ()

    def answer(self, job: JobContext) -> T:
        """Compute it, in a worker, by its function, unless it does so itself; torch is imported in here."""
        module, _, name = self.function.rpartition(".")
        found: T = getattr(import_module(module), name)(job=job, **vars(self))
        return found

    @classmethod
    def answer_type(cls) -> Any:
        """What the answer is read as when it comes: the T of its class."""
        bases = cls.__orig_bases__  # type: ignore[attr-defined]
        return next(get_args(base)[0] for base in bases if issubclass(get_origin(base) or object, Request))


@dataclass(frozen=True)
class Client:
    """Who requests something: a session, whose jobs end with it, and its user, whose turn it is in the queue.

    Attributes:
        session: Names an open page: what only it waits for ends when it does.
        user: Names who visits, however many pages they have open: turns and caps go by it.
        address: Where they are; empty where that is not known or of no account. Nobody can fill the whole queue from
            one address, whatever names they invent.
    """

    session: str
    user: str
    address: str = ""


NO_CLIENT = Client("", "")
"""Requests where there is no server, as in a benchmark; nothing is capped."""


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobError(RuntimeError):
    """The job failed for a reason that is not the user's; the message is one sentence, the details are in the log."""


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
    """One computation, however many wait for it. Only the pool changes it, and only under its lock."""

    number: int
    request: Request[Any]
    packed: bytes  # the same for the worker
    key: str
    device: str
    short: bool
    position: int  # the lowest is next
    requested: float = 0.0  # when it was requested last, by time.monotonic like all times here
    state: JobState = JobState.QUEUED
    clients: list[Client] = field(default_factory=list)  # who waits for it
    detached: bool = False  # whether it goes on when the sessions end of those who wait for it
    timer: threading.Timer | None = None  # looks whether its time is up
    overtaken: int = 0  # by short ones, while it was the next long one
    tries: int = 0
    started: float | None = None
    first: tuple[float, float] | None = None  # share and time, from when on the speed is measured
    last: tuple[float, float] = (0.0, 0.0)
    words: str = ""
    value: Any = None
    error: Exception | None = None  # why there is no value
    finished: threading.Event = field(default_factory=threading.Event)  # no one need wait any longer
    events: list[dict[str, Any]] = field(default_factory=list)  # the events of a live one
    commands: list[dict[str, Any]] = field(default_factory=list)  # what it gets as soon as it has a process

    @property
    def users(self) -> set[str]:
        """Who waits for it, by name."""
        return {client.user for client in self.clients}

    def finish(self, value: Any, error: Exception | None) -> None:
        self.value, self.error, self.packed = value, error, b""
        failed = JobState.CANCELLED if isinstance(error, JobCancelledError) else JobState.FAILED
        self.state = JobState.DONE if error is None else failed
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
    """A handle on a computation; several handles may share one. The pool tells its status, and hears who leaves."""

    def __init__(
        self,
        work: Work,
        status: Callable[[Work], JobStatus],
        leave: Callable[[Work, Client], None],
        send: Callable[[Work, dict[str, Any]], None],
        client: Client = NO_CLIENT,
    ) -> None:
        self._work, self._status, self._leave, self._send = work, status, leave, send
        self._client = client
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
        self._leave(self._work, self._client)

    def detach(self, on: bool) -> None:
        """Let it go on, or not, when the session ends that requested it."""
        self._work.detached = on
