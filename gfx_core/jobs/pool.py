"""A pool of worker processes that stay warm: what they compute, and their life from start to end."""

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from time import monotonic as now
from typing import Any, Generic

from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, JobCancelledError, JobError, JobState, JobStatus, Request, T, Work
from gfx_core.jobs.scheduler import JobLimits, Scheduler
from gfx_core.jobs.worker import WorkerProcess
from gfx_core.text.numbers import duration

_log = logging.getLogger(__name__)

_END_S = 5.0  # a thread whose process was killed is waited for so long
_LOOK_S = 0.05  # so often a thread looks whether its job is cancelled, has commands, or takes too long
_DIED = "The system ended the computation, perhaps for lack of memory: try again, or try a smaller one."


class Job(Generic[T]):
    """A client's handle on a computation; several may share one."""

    def __init__(self, pool: "WorkerPool", work: Work, client: Client) -> None:
        self._pool, self._work, self._client = pool, work, client
        self._left = False

    @property
    def status(self) -> JobStatus:
        """How it stands, without waiting."""
        return JobStatus(JobState.CANCELLED) if self._left else self._pool.status(self._work)

    @property
    def finished(self) -> bool:
        """Whether it is, one way or another."""
        return self._left or self._work.answer.done()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is finished, one way or another; whether it is."""
        return self._left or bool(wait([self._work.answer], timeout).done)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the result.

        Raises:
            UserError: It cannot be computed; the same sentence as in the worker.
            JobError: It failed for another reason.
            JobCancelledError: It was cancelled.
            TimeoutError: It takes longer than that.
        """
        if self._left:
            raise JobCancelledError
        if error := self._work.answer.exception(timeout):
            raise error.with_traceback(None)  # which several may raise
        return self._work.answer.result()

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        """What a live one has emitted, from one event on; without waiting, and whatever became of the job."""
        return self._work.events[since:]

    def send(self, command: Mapping[str, Any]) -> None:
        """Send a live one a command, in order, without waiting; it is lost once the job is finished."""
        self._work.commands.append(command)

    def cancel(self) -> None:
        """Do without it. The computation stops at once, unless another client waits for it too."""
        with self._pool.changed:
            if not self.finished:
                self._left = True
                self._pool.leave(self._work, self._client)


@dataclass(eq=False)
class _Slot:
    """One of the workers on a device: the thread that looks after it, and its process if it has one."""

    device: str
    thread: threading.Thread = field(init=False)
    process: WorkerProcess | None = None


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Has requests answered by worker processes, as many at a time as the limits allow.

    Each worker is a process, and a thread here that takes the next job, hands it over and listens. A process that dies
    or is killed costs its own job alone: the thread starts another one.

    Args:
        limits: How much it may use; by default what suits a server of pages.
        warmups: What each worker answers for itself: the first one, e.g. so that torch is imported, before it takes a
            job, the others when it has had nothing to do for a while. Short things: a job that comes meanwhile waits.
    """

    def __init__(self, limits: JobLimits | None = None, warmups: Sequence[Request[Any]] = ()) -> None:
        self.limits, self.warmups = limits or JobLimits(), warmups
        self.changed = threading.Condition()  # guards everything below
        self._scheduler = Scheduler(self.limits)
        self._works: dict[str, Work] = {}  # by key: unfinished or answered, the latest last
        self._slots: list[_Slot] = []
        self._closed = False

    def submit(self, request: Request[T], client: Client = NO_CLIENT) -> Job[T]:
        """Have a request answered.

        Args:
            request: What is to be computed.
            client: Who requests it: they have turns and caps of their own, and the job ends with their session.

        Raises:
            UserError: Too much is waiting already.
        """
        device, key = request.device or choose_device(), request.key
        with self.changed:
            work = self._works.pop(key, None)
            if work is None:
                if self._closed:
                    raise UserError("This server is shutting down: it accepts no more computations.")
                for other in self._scheduler.unfinished:
                    if request.live and other.request.live and client.user in other.users:
                        self._finish(other, error=JobCancelledError())  # a user has one live job
                self._scheduler.admit(client)
                work = Work(request, key, device, clients=[client])
                self._wait(work)
            else:
                work.round = min(work.round, self._scheduler.next_round(client.user, work.long))
                work.clients.append(client)
            self._works[key] = work
        return Job(self, work, client)

    def warm_up(self) -> None:
        """See that a job could start fast: have a worker, if there is none. Returns at once."""
        with self.changed:
            if not self._slots and not self._closed:
                self._add_slot(choose_device(), more=1)

    def close(self) -> None:
        """End all workers and cancel all jobs."""
        with self.changed:
            self._closed = True
            slots = tuple(self._slots)
            for work in self._scheduler.unfinished:
                self._finish(work, error=JobCancelledError())
            self.changed.notify_all()
        for slot in slots:
            slot.thread.join(_END_S)

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The worker processes."""
        return tuple(slot.process.pid for slot in self._slots if slot.process is not None)

    def end_session(self, session: str) -> None:
        """A session is over: what no other waits for ends too. Live jobs notice by themselves that no page is open."""
        with self.changed:
            for work in self._scheduler.unfinished:
                for client in work.clients[:]:
                    if client.session == session and work.request.live is None:
                        self.leave(work, client)

    # For handles

    def status(self, work: Work) -> JobStatus:
        with self.changed:
            return work.status(self._scheduler.position(work))

    def leave(self, work: Work, client: Client) -> None:
        """A client waits no longer; without clients a computation stops."""
        with self.changed:
            if client in work.clients:  # else its session has ended meanwhile
                work.clients.remove(client)
            if not work.clients:
                self._finish(work, error=JobCancelledError())

    # The queue; all of this under the lock

    def _wait(self, work: Work) -> None:
        """Put a job into the queue."""
        self._scheduler.add(work)
        self._add_slot(work.device)
        self.changed.notify_all()

    def _add_slot(self, device: str, more: int = 0) -> None:
        """Add a worker if there is more to do, or soon will be, than idle ones can take."""
        slots = sum(slot.device == device for slot in self._slots)
        idle = slots - sum(work.device == device for work in self._scheduler.running)
        if len(self._scheduler.ready(device)) + more <= idle or slots >= self.limits.max_workers(device):
            return
        slot = _Slot(device)
        slot.thread = threading.Thread(target=self._serve, args=(slot,), name=f"worker-{device}", daemon=True)
        self._slots.append(slot)
        slot.thread.start()

    def _finish(self, work: Work, value: Any = None, error: Exception | None = None) -> None:
        if work.answer.done():
            return
        work.finish(value, error)
        if work in self._scheduler.waiting:
            self._scheduler.waiting.remove(work)
        if error is not None:
            del self._works[work.key]
        answered = [key for key, other in self._works.items() if other.answer.done()]
        for key in answered[: -self.limits.answers]:
            del self._works[key]

    # A worker's thread

    def _serve(self, slot: _Slot) -> None:
        with suppress(OSError):  # the first job that needs it fails
            self._ensure_process(slot)
        while (work := self._take(slot)) is not None:
            try:
                reusable = self._compute(self._ensure_process(slot), work)
            except Exception:
                _log.exception("a worker could not be started")
                reusable = False
                with self.changed:
                    sentence = "The server could not start a process for this: is there enough memory?"
                    self._finish(work, error=JobError(sentence))
            if not reusable:
                self._end_process(slot)
            with self.changed:
                self._scheduler.running.remove(work)
                if not work.answer.done():  # it takes long, or was not even begun
                    self._wait(work)
                self.changed.notify_all()
        self._end_process(slot)

    def _ensure_process(self, slot: _Slot) -> WorkerProcess:
        if slot.process is None or not slot.process.alive:
            self._end_process(slot)
            slot.process = WorkerProcess(slot.device, self.limits, self.warmups)
        return slot.process

    def _end_process(self, slot: _Slot) -> None:
        process, slot.process = slot.process, None
        if process is not None:
            process.end()

    def _take(self, slot: _Slot) -> Work | None:
        """Wait for a job; ``None`` when there was none for long: the slot is over."""
        until = now() + self.limits.idle_s
        with self.changed:
            while not self._closed:
                for work in self._scheduler.ready(slot.device):
                    self._scheduler.start(work)
                    work.words = "loading PyTorch"
                    if work.long:
                        self._add_slot(slot.device, more=1)  # for short ones that come meanwhile
                    return work
                if not self.changed.wait(until - now()):
                    break
            self._slots.remove(slot)
            return None

    def _compute(self, process: WorkerProcess, work: Work) -> bool:
        """Have a job computed; whether the process can take another one."""
        process.send("run", (work.request, work.long))
        sent, cancelled = 0, False
        while True:
            for command in work.commands[sent:]:
                process.send("command", command)
                sent += 1
            name, content = process.receive(_LOOK_S)
            with self.changed:
                match name:
                    case "started":
                        work.started, work.words = now(), ""
                    case "progress":
                        work.share, work.words = content
                    case "event":
                        work.events.append(content)
                    case "done":
                        self._finish(work, content)
                        return True
                    case "failed":
                        error, broken = content
                        self._finish(work, error=error)
                        return not broken
                    case "long":
                        work.long, work.started, work.share = True, None, 0.0
                        return True
                    case "lost":
                        if work.started is None and not work.retried:
                            work.retried = True
                        elif not work.answer.done():
                            _log.error("the worker of %s is lost", work.request.function, exc_info=content)
                            self._finish(work, error=JobError(_DIED))
                        return False
                self._check_time(work)
            if work.ended is not None and not cancelled:
                process.send("cancel")
                cancelled = True
            elif work.ended is not None and (self._closed or now() - work.ended > self.limits.grace_s):
                return False

    def _check_time(self, work: Work) -> None:
        """End a job whose time is up, a long one only if others wait for its worker.

        A live one first gets its last command, and some seconds to obey.
        """
        limits, request = self.limits, work.request
        limit = request.limit_s or (limits.long_s if work.long else limits.short_s)
        if work.started is None or now() - work.started < limit:
            return
        waiting = self._scheduler.queue(work.device, long=True)
        if work.stopped is None and work.long and all(other.users == work.users for other in waiting):
            return
        if request.live is not None and work.stopped is None:
            work.commands.append(request.live)
            work.stopped = now()
        elif work.stopped is None or now() - work.stopped > limits.stop_s:
            why = " while others waited" if work.long else ""
            sentence = f"This took longer than {duration(limit)}{why}, so we stopped it: try a smaller one."
            self._finish(work, error=JobError(sentence))
