"""A pool of worker processes that stay warm: what they compute, and their life from start to end."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import count
from time import monotonic as now
from typing import Any, Generic

from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.jobs.job import (
    NO_CLIENT,
    Client,
    JobCancelledError,
    JobError,
    JobState,
    JobStatus,
    Request,
    T,
    Work,
)
from gfx_core.jobs.scheduler import JobLimits, Scheduler
from gfx_core.jobs.worker import WorkerProcess
from gfx_core.text.numbers import duration

_log = logging.getLogger(__name__)

_STARTS = 2  # tries to start a process, and to begin a job whose process died before it did
_END_S = 5.0  # a killed process is waited for so long
_LOOK_S = 0.05  # so often a thread looks whether its job is cancelled, has commands, or takes too long
_LOADING = "loading PyTorch"
_TIME_UP = "This took longer than {}{}, so we stopped it: try a smaller one."
_DIED = "The system ended the computation, perhaps for lack of memory: try again, or try a smaller one."
_NO_PROCESS = "The server could not start a process for this: is there enough memory?"


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
    def state(self) -> JobState:
        return self.status.state

    @property
    def finished(self) -> bool:
        """Whether it is, one way or another; cheap, unlike the status of one that waits."""
        return self._left or self._work.finished.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is finished, one way or another; whether it is."""
        return self._left or self._work.finished.wait(timeout)

    def result(self, timeout: float | None = None) -> T:
        """Wait for the result.

        Raises:
            UserError: It cannot be computed; the same sentence as in the worker.
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
        """What a live one has emitted, from one event on; without waiting, and whatever became of the job."""
        return self._work.events[since:]

    def send(self, command: dict[str, Any]) -> None:
        """Send a live one a command, in order, without waiting; it is lost once the job is finished."""
        if not self.finished:
            self._work.commands.append(command)

    def cancel(self) -> None:
        """Do without it. The computation stops at once, unless another client waits for it too."""
        with self._pool.changed:
            if not self.finished:
                self._left = True
                self._pool.leave(self._work, self._client)

    def detach(self, on: bool) -> None:
        """Let it go on, or not, when the session ends that requested it."""
        self._work.detached = on


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Has requests answered by worker processes, as many at a time as the limits allow.

    Args:
        limits: How much it may use; by default what suits a server of pages.
        warmups: What each worker answers for itself: the first one, e.g. so that torch is imported, before it takes a
            job, the others when it has had nothing to do for a while. Short things: a job that comes meanwhile waits.
    """

    def __init__(self, limits: JobLimits | None = None, warmups: Sequence[Request[Any]] = ()) -> None:
        self.limits, self.warmups = limits or JobLimits(), warmups
        self.changed = threading.Condition()  # guards everything below
        self._positions = count(1)
        self._scheduler = Scheduler(self.limits)
        self._shared: OrderedDict[str, Work] = OrderedDict()  # by key, the latest last
        self._slots: list[_Slot] = []
        self.closed = False

    def submit(self, request: Request[T], client: Client = NO_CLIENT) -> Job[T]:
        """Have a request answered.

        Args:
            request: What is to be computed.
            client: Who requests it: they have turns and caps of their own, and the job ends with their session.

        Raises:
            UserError: It cannot be computed, or too much is waiting already.
        """
        device, short, key = request.device or choose_device(), request.short, request.key
        if device not in self.limits.workers:
            raise UserError(f"There is no device “{device}”: choose one of {', '.join(self.limits.workers)}.")
        shared = request.shared and not request.live
        with self.changed:
            work = self._shared.get(key) if shared else None
            if work is not None:
                work.clients.append(client)
            else:
                if self.closed:
                    raise UserError("This server is shutting down: it accepts no more computations.")
                self._scheduler.admit(request, short, client, self._running())
                work = Work(request, device, short, next(self._positions), key, [client])
                self._scheduler.waiting.append(work)
                self._add_slot(device)
                self.changed.notify_all()
            work.requested = now()
            if shared:
                self._shared[key] = work
                self._shared.move_to_end(key)
        return Job(self, work, client)

    def warm_up(self, device: str | None = None) -> None:
        """See that one more job could start fast: prepare a worker, if none is idle. Returns at once."""
        with self.changed:
            if not self.closed:
                self._add_slot(device or choose_device(), more=1)

    def close(self) -> None:
        """End all workers and cancel all jobs."""
        with self.changed:
            self.closed = True
            slots = tuple(self._slots)
            for work in self._unfinished():
                self._finish(work, error=JobCancelledError())
            for slot in slots:
                if slot.process is not None:
                    slot.process.kill()
            self.changed.notify_all()
        for slot in slots:
            slot.thread.join(_END_S)

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The worker processes."""
        with self.changed:
            return tuple(slot.process.pid for slot in self._slots if slot.process is not None)

    @property
    def has_workers(self) -> bool:
        """Whether there is a worker, or one is being started."""
        return bool(self._slots)

    def sessions(self, user: str | None = None) -> set[str]:
        """The sessions, or those of one user, that something is waited for or computed for."""
        with self.changed:
            clients = {client for work in self._unfinished() for client in work.clients if client != NO_CLIENT}
        return {client.session for client in clients if user in (None, client.user)}

    def end_session(self, session: str, *, live: bool = False) -> None:
        """A session is over: what no other waits for ends too, unless it was detached.

        Args:
            session: Which.
            live: Whether live jobs that run end too. Else they notice by themselves that no page is open, and keep what
                they have.
        """
        with self.changed:
            for work in self._unfinished():
                if work.detached or (work.request.live and work.state is JobState.RUNNING and not live):
                    continue
                for client in [client for client in work.clients if client.session == session]:
                    self.leave(work, client)

    def evict(self) -> int:
        """Forget answers that were not requested in a while, and more than are kept; their number."""
        with self.changed:
            since = now() - self.limits.cached_s
            answered = [key for key, work in self._shared.items() if work.finished.is_set()]
            recent = [key for key in answered if self._shared[key].requested >= since][-self.limits.cached :]
            for key in set(answered).difference(recent):
                del self._shared[key]
        return len(answered) - len(recent)

    # For handles

    def status(self, work: Work) -> JobStatus:
        with self.changed:
            if work.state is not JobState.QUEUED:
                return work.status(now())
            place, wait_s = self._scheduler.queue_position(work, self._running())
            return JobStatus(JobState.QUEUED, place, wait_s=wait_s, words=_LOADING if wait_s is None else "")

    def leave(self, work: Work, client: Client) -> None:
        """A client waits no longer; without clients a computation stops."""
        with self.changed:
            if client in work.clients:  # else its session has ended meanwhile
                work.clients.remove(client)
            if not work.clients:
                self._finish(work, error=JobCancelledError())

    # The queue; all of this under the lock

    def _running(self) -> list[Work]:
        return [slot.work for slot in self._slots if slot.work is not None]

    def _unfinished(self) -> list[Work]:
        return [work for work in (*self._scheduler.waiting, *self._running()) if not work.finished.is_set()]

    def _add_slot(self, device: str, more: int = 0) -> None:
        """Add a worker if there is more to do, or soon will be, than idle ones can take."""
        here = [slot for slot in self._slots if slot.device == device]
        idle = sum(slot.work is None for slot in here)
        ready = len(self._scheduler.ready(device, self._running()))
        if ready + more > idle and len(here) < self.limits.max_workers(device):
            self._slots.append(_Slot(self, device))
            self._slots[-1].thread.start()

    def _requeue(self, work: Work) -> None:
        work.started = None
        work.state = JobState.QUEUED
        self._scheduler.waiting.append(work)

    def _finish(self, work: Work, value: Any = None, error: Exception | None = None) -> None:
        if work.finished.is_set():
            return
        if work in self._scheduler.waiting:
            self._scheduler.waiting.remove(work)
        work.finish(value, error, now())
        if error is not None and self._shared.get(work.key) is work:
            del self._shared[work.key]
        self.evict()

    # For slots

    def take(self, slot: "_Slot") -> Work | None:
        """Wait for a job; ``None`` when there was none for long: the slot is over."""
        until = now() + self.limits.idle_s
        with self.changed:
            while not self.closed and now() < until:
                if ready := self._scheduler.ready(slot.device, self._running()):
                    slot.work = ready[0]
                    self._scheduler.start(slot.work)
                    slot.work.state = JobState.RUNNING
                    slot.work.tries += 1
                    return slot.work
                self.changed.wait(until - now())
            self._slots.remove(slot)
            return None

    def on_idle(self, slot: "_Slot") -> None:
        """A slot has done its job: it can take another, or more slots are needed."""
        with self.changed:
            slot.work = None
            self._add_slot(slot.device)
            self.changed.notify_all()

    def on_start_failure(self, slot: "_Slot") -> None:
        """No process can be started in a slot; where there is no other, what waits has failed."""
        with self.changed:
            self._slots.remove(slot)
            if not any(other.device == slot.device for other in self._slots):
                for work in [work for work in self._scheduler.waiting if work.device == slot.device]:
                    self._finish(work, error=JobError(_NO_PROCESS))

    def on_message(self, work: Work, name: str, content: Any) -> None:
        with self.changed:
            match name:
                case "started":
                    work.started = now()
                case "progress":
                    work.share, work.words = content
                case "event":
                    work.events.append(content)
                case "done":
                    self._scheduler.record(work, now() - (work.started or now()))
                    self._finish(work, content)
                case "failed":
                    self._finish(work, error=content[0])
                case "long" if not work.finished.is_set():
                    try:
                        self._scheduler.make_long(work, self._running())
                        self._requeue(work)
                    except UserError as error:
                        self._finish(work, error=error)
                case "lost" if work.started is None and work.tries < _STARTS and not work.finished.is_set():
                    self._requeue(work)
                case "lost":
                    self._finish(work, error=JobError(_DIED))

    def check_time(self, work: Work) -> None:
        """End a job whose time is up, a long one only if others wait for its worker.

        A live one first gets its stop command, and some seconds to obey.
        """
        limits = self.limits
        limit = work.request.deadline_s or (limits.short_s if work.short else limits.long_s)
        if limit is None or work.started is None or now() - work.started < limit:
            return
        with self.changed:
            waiting = [other for other in self._scheduler.waiting if other.device == work.device and not other.short]
            if work.stopped is None and not work.short and all(other.users == work.users for other in waiting):
                return
            if work.stopped is None and work.request.stop_command is not None:
                work.commands.append(work.request.stop_command)
                work.stopped = now()
            elif work.stopped is None or now() - work.stopped > limits.stop_s:
                why = "" if work.short else " while others waited"
                self._finish(work, error=JobError(_TIME_UP.format(duration(limit), why)))


class _Slot:
    """One of the workers on a device: a thread here, and the process that it looks after.

    The thread takes the next job, hands it to its process and listens to it. A process that dies, is killed or retires
    is replaced, and costs its own job alone. The pool's lock guards ``process`` and ``work``.
    """

    def __init__(self, pool: WorkerPool, device: str) -> None:
        self.device = device
        self.process: WorkerProcess | None = None
        self.work: Work | None = None
        self.thread = threading.Thread(target=self._serve, name=f"worker-{device}", daemon=True)
        self._pool = pool

    def _serve(self) -> None:
        while (process := self._ensure_process()) is not None and (work := self._pool.take(self)) is not None:
            if not self._compute(process, work):
                self._end_process()
            self._pool.on_idle(self)
        self._end_process()

    def _ensure_process(self) -> WorkerProcess | None:
        """The process of this slot, ready for a job."""
        if self.process is not None:
            return self.process
        pool = self._pool
        for _ in range(_STARTS):
            try:
                with pool.changed:
                    if pool.closed:
                        break
                    process = self.process = WorkerProcess(self.device, pool.limits, pool.warmups)
            except OSError:
                _log.warning("a worker could not be started", exc_info=True)
                continue
            if process.receive()[0] == "ready":
                return process
            self._end_process()
        pool.on_start_failure(self)
        return None

    def _end_process(self) -> None:
        with self._pool.changed:
            process, self.process = self.process, None
        if process is not None:
            process.terminate()

    def _compute(self, process: WorkerProcess, work: Work) -> bool:
        """Have a job computed; whether the process can take another one."""
        pool, cancelled = self._pool, False
        process.send("run", (work.request, work.short))
        while True:
            while work.commands:
                process.send("command", work.commands.pop(0))
            name, content = process.receive(_LOOK_S)
            if name == "lost" and not pool.closed:
                _log.error("the worker of %s is lost", type(work.request).__name__, exc_info=content)
            pool.on_message(work, name, content)
            if name in ("done", "long", "failed", "lost"):
                return name != "lost" and not (name == "failed" and content[1])
            pool.check_time(work)
            if work.ended is not None:
                if not cancelled:
                    process.send("cancel")
                    cancelled = True
                elif now() - work.ended > pool.limits.grace_s:
                    return False
