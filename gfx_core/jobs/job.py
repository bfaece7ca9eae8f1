"""What a job is: a request, the clients that wait for it, and how its computation stands."""

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from pkgutil import resolve_name
from time import monotonic
from typing import Any, Generic, TypeVar

from gfx_core.files import stamp
from gfx_core.job_context import JobContext

T = TypeVar("T")


@dataclass(frozen=True)
class Request(Generic[T]):
    """A call of a function in a worker. What makes one needs no torch; arguments and answer are plain data.

    Requests with the same `repr` are equal: they are one computation, whose answer is kept for a while.

    Attributes:
        function: ``module:name``; it also takes ``job``, its `JobContext`.
        arguments: By name.
        files: What the answer is read from: once one of these is replaced, the request is another one.
        live: The command that ends it in order, where it emits events and obeys commands. It ends by itself when no
            page watches it, and a user has one at a time.
        device: Where it must be computed, ``cpu`` or ``cuda``; by default on the best that this computer has.
        limit_s: It is ended when it takes longer; by default what the pool allows a short or a long one.
        turn: Another one where an equal request is to be computed anew.
    """

    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    live: Mapping[str, Any] | None = None
    device: str | None = None
    limit_s: float | None = None
    turn: str = ""

    @property
    def key(self) -> str:
        """Names the request, until a file that it is answered from is replaced."""
        content = repr((self, [stamp(path) for path in self.files]))
        return hashlib.sha256(content.encode()).hexdigest()[:32]

    def load(self) -> Callable[..., T]:
        """What computes it, in a worker; its module is imported, and torch with it."""
        function: Callable[..., T] = resolve_name(self.function)
        return function

    def answer(self, job: JobContext) -> T:
        """Compute it."""
        return self.load()(**self.arguments, job=job)


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
        position: Its place in the queue, 1 for the next one; 0 when it is not waiting.
        share: How much is done, 0 to 1.
        words: What is being done.
        seconds: For how long it has been computing.
        sentence: Why it failed.
    """

    state: JobState
    position: int = 0
    share: float = 0.0
    words: str = ""
    seconds: float = 0.0
    sentence: str = ""

    @property
    def eta_s(self) -> float | None:
        """Seconds that are left, ``None`` where that is not known yet."""
        return self.seconds * (1 - self.share) / self.share if self.share else None


@dataclass(eq=False)
class Work:
    """One computation, however many clients wait for it. Only the pool changes it, under its lock.

    All times are by `time.monotonic`.

    Attributes:
        key: Of the request, when it was submitted.
        device: Where it is computed.
        long: Whether it takes more than a second or two, see `JobContext.take_long`: short ones overtake it.
        round: In which round of turns it is; the lowest comes first.
        started: When its worker began it.
        retried: Whether a worker died before it began it.
        stopped: When it got the command that ends it in order.
        events: What a live one has emitted.
        commands: What a live one was sent.
    """

    request: Request[Any]
    key: str
    device: str
    long: bool = False
    round: int = 0
    clients: list[Client] = field(default_factory=list)
    state: JobState = JobState.QUEUED
    started: float | None = None
    retried: bool = False
    stopped: float | None = None
    ended: float | None = None
    share: float = 0.0
    words: str = ""
    answer: Future[Any] = field(default_factory=Future)
    events: list[dict[str, Any]] = field(default_factory=list)
    commands: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def users(self) -> set[str]:
        return {client.user for client in self.clients}

    def finish(self, value: Any, error: Exception | None) -> None:
        self.ended = monotonic()
        failed = JobState.CANCELLED if isinstance(error, JobCancelledError) else JobState.FAILED
        self.state = JobState.DONE if error is None else failed
        if error is None:
            self.answer.set_result(value)
        else:
            self.answer.set_exception(error)

    def status(self, position: int) -> JobStatus:
        """How it stands; its position counts while it waits."""
        sentence = str(self.answer.exception()) if self.state is JobState.FAILED else ""
        seconds = 0.0 if self.started is None else monotonic() - self.started
        return JobStatus(self.state, position, self.share, self.words, seconds, sentence)
