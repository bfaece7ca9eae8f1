"""What a job is: a request, the clients that wait for it, and how its computation stands."""

import hashlib
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from gfx_core.files import stamp
from gfx_core.job_context import JobContext

T = TypeVar("T")


class Request(Generic[T]):
    """Derive a frozen dataclass from it, in a module that needs no torch: pages make requests, workers answer them.

    Fields and answer are plain data. Requests with the same `repr` are equal.
    """

    shared: ClassVar[bool] = True
    """Whether equal requests are one computation, whose answer is kept for those who come later."""

    live: ClassVar[bool] = False
    """Whether it emits events while it is answered, and obeys commands; then it is never shared."""

    stop_command: ClassVar[dict[str, Any] | None] = None
    """The command that a live one gets when its time is up: it may still end by itself and keep what it has."""

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
        """What the answer is read from: a request is another one once one of these is replaced."""
        return ()

    @property
    def key(self) -> str:
        """Names the request: equal ones have the same name, until a file that they are answered from is replaced."""
        content = repr((type(self), self, [stamp(path) for path in self.files()]))
        return hashlib.sha256(content.encode()).hexdigest()[:32]

    def answer(self, job: JobContext) -> T:
        """Compute it, in a worker, by its function, unless it does so itself; torch is imported in here."""
        module, _, name = self.function.rpartition(".")
        value: T = getattr(import_module(module), name)(job=job, **vars(self))
        return value


@dataclass(frozen=True)
class Client:
    """Who requests something: a session, whose jobs end with it, and its user, whose turn it is in the queue.

    Attributes:
        session: Names an open page: what only it waits for ends when it does.
        user: Names who visits, however many pages they have open: turns and caps go by it.
        address: Where they are; empty where that is not known. One address can never fill the whole queue.
    """

    session: str
    user: str
    address: str = ""


NO_CLIENT = Client("", "")
"""Requests where there is no server, as in a benchmark; nothing is capped."""


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobError(RuntimeError):
    """The job failed for a reason that is not the user's; the message is one sentence, the details are in the log."""


class JobCancelledError(Exception):
    """The job was cancelled, so there is no result."""


@dataclass(frozen=True)
class JobStatus:
    """A job at one moment.

    Attributes:
        state: Where it is.
        place: Its place in the queue, 1 for the next one; 0 when it is not waiting.
        wait_s: Seconds until it starts, about; ``None`` where that is not known.
        share: How much is done, 0 to 1.
        words: What is being done, or waited for.
        seconds: For how long it has been computing.
        eta_s: Seconds that are left, ``None`` where that is not known yet.
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
    """One computation, however many clients wait for it. Only the pool changes it, under its lock.

    All times are by `time.monotonic`.
    """

    request: Request[Any]
    device: str
    short: bool
    position: int = 0  # the lowest is next
    key: str = ""
    clients: list[Client] = field(default_factory=list)
    requested: float = 0.0  # the last time
    detached: bool = False  # whether it goes on when the sessions of its clients end
    state: JobState = JobState.QUEUED
    tries: int = 0
    started: float | None = None
    stopped: float | None = None  # when it got its stop command
    ended: float | None = None
    share: float = 0.0
    words: str = ""
    value: Any = None
    error: Exception | None = None  # why there is no value
    finished: threading.Event = field(default_factory=threading.Event)
    events: list[dict[str, Any]] = field(default_factory=list)  # of a live one
    commands: list[dict[str, Any]] = field(default_factory=list)  # that its worker has yet to get

    @property
    def users(self) -> set[str]:
        return {client.user for client in self.clients}

    def finish(self, value: Any, error: Exception | None, now: float) -> None:
        self.value, self.error, self.ended = value, error, now
        failed = JobState.CANCELLED if isinstance(error, JobCancelledError) else JobState.FAILED
        self.state = JobState.DONE if error is None else failed
        self.finished.set()

    def status(self, now: float) -> JobStatus:
        """How it stands, once it is no longer waiting."""
        sentence = str(self.error) if self.state is JobState.FAILED else ""
        if self.started is None:
            return JobStatus(self.state, sentence=sentence)
        seconds = now - self.started
        eta_s = seconds * (1 - self.share) / self.share if self.share else None
        return JobStatus(self.state, 0, self.share, self.words, seconds, eta_s, sentence)
