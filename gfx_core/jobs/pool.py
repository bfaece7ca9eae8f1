"""A pool of worker processes that stay warm: what they compute, and their life from start to end."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from time import monotonic as now
from typing import Any

from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.files import stamp
from gfx_core.jobs import messages
from gfx_core.jobs.job import (
    NO_CLIENT,
    Client,
    Job,
    JobCancelledError,
    JobError,
    JobState,
    JobStatus,
    Request,
    T,
    TimeUpError,
    Work,
)
from gfx_core.jobs.messages import Cancel, Command, Done, Event, Failed, Progress, Started, TakesLong
from gfx_core.jobs.scheduler import Scheduler
from gfx_core.jobs.worker import WorkerProcess
from gfx_core.limits import JobLimits
from gfx_core.text.numbers import duration

_log = logging.getLogger(__name__)

_STARTS = 2  # tries to start a process, and to begin a job whose process died before it did
_END_S = 5.0  # a killed process is waited for so long
_LOADING = "loading PyTorch"
_ERRORS = {"refused": UserError, "failed": JobError, "stopped": JobCancelledError}  # by the kind of the worker's answer
_LOOK_AGAIN_S = 10.0  # after so long we look again whether a job waits for a worker
_TIME_UP = "This took longer than {}{}, so we stopped it: try a smaller one."
_DIED = "The system ended the computation, probably because memory ran out: try a smaller one."
_NO_PROCESS = "The server could not start a process for this: is there enough memory?"


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Has requests answered by worker processes, as many at a time as the limits say.

    Args:
        limits: How much it may use; by default what suits a server of pages.
        prepare: What each worker answers before its first job, e.g. so that torch is imported.
        warmups: What it answers when it has had nothing to do for a while, one after the other. Short things: a job
            that comes meanwhile waits for the one that is begun.
    """

    def __init__(
        self,
        limits: JobLimits | None = None,
        *,
        prepare: Request[Any] | None = None,
        warmups: Sequence[Request[Any]] = (),
    ) -> None:
        self.limits = limits or JobLimits()
        self.prepare = None if prepare is None else messages.encode_request(prepare)
        self.warmups = [messages.encode_request(request) for request in warmups]
        self.changed = threading.Condition()  # guards everything below
        self._numbers = count(1)
        self._scheduler = Scheduler(self.limits)
        self._shared: OrderedDict[str, Work] = OrderedDict()  # by key, the latest last
        self._slots: list[_WorkerSlot] = []
        self.closed = False

    def submit(self, request: Request[T], client: Client = NO_CLIENT) -> Job[T]:
        """Have a request answered.

        Args:
            request: What is asked.
            client: Who asks: they have turns and caps of their own, and the job ends with their session.

        Raises:
            UserError: It cannot be computed, or too much is waiting already.
        """
        device, short = request.device or choose_device(), request.short
        packed, key = messages.encode_request(request), self.key(request)
        shared = request.shared and not request.live
        with self.changed:
            work = self._shared.get(key) if shared else None
            if work is None:
                if device not in self.limits.workers:
                    raise UserError(f"There is no device “{device}”: choose one of {', '.join(self.limits.workers)}.")
                if self.closed:
                    raise UserError("This server is shutting down: it accepts no more computations.")
                self._scheduler.admit(request, short, client, self._running())
                number = next(self._numbers)
                work = Work(number, request, packed, key, device, short, number, requested=now())
                work.clients.append(client)
                self._scheduler.waiting.append(work)
                self._add_slot(device)
                self.changed.notify_all()
            else:
                work.clients.append(client)
            if shared:
                self._shared[key] = work
                self._shared.move_to_end(key)
                work.requested = now()
        return Job(work, self._status, self._leave, self._send, client)

    def key(self, request: Request[Any]) -> str:
        """Names a request: equal ones have the same name, until a file that they are answered from is replaced."""
        return messages.digest((str(type(request)), request, [stamp(path) for path in request.files()]))

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
            for work in (*self._scheduler.waiting, *self._running()):
                self._finish(work, error=JobCancelledError())
            self._scheduler.waiting.clear()
            self._kill()
            self.changed.notify_all()
        for slot in slots:
            slot.thread.join(_END_S)

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The worker processes."""
        with self.changed:
            return tuple(process.pid for process in self._processes())

    @property
    def has_workers(self) -> bool:
        """Whether there is a worker, or one is being started."""
        with self.changed:
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
            live: Whether live jobs that run end too. Else they are left alone: they notice by themselves that nobody is
                heard, and keep what they have.
        """
        with self.changed:
            for work in self._unfinished():
                if work.detached or (work.request.live and work.state is JobState.RUNNING and not live):
                    continue
                for client in [client for client in work.clients if client.session == session]:
                    self._leave(work, client)

    def evict(self, cached_s: float | None = None) -> int:
        """Forget the answers that nobody has requested in a while, and say how many; who has one keeps it.

        Args:
            cached_s: The while, in seconds, where it is not the usual one.
        """
        with self.changed:
            since = now() - (self.limits.cached_s if cached_s is None else cached_s)
            old = [key for key, work in self._shared.items() if work.finished.is_set() and work.requested < since]
            for key in old:
                del self._shared[key]
        return len(old)

    # What handles ask for

    def _status(self, work: Work) -> JobStatus:
        with self.changed:
            if work.state is not JobState.QUEUED:
                return work.status(now())
            place, wait_s = self._scheduler.queue_position(work, self._running())
            return JobStatus(JobState.QUEUED, place, wait_s=wait_s, words=_LOADING if wait_s is None else "")

    def _leave(self, work: Work, client: Client) -> None:
        with self.changed:
            if client in work.clients:  # else its session has ended meanwhile
                work.clients.remove(client)
            if not work.clients:
                self._end(work, JobCancelledError())

    def _end(self, work: Work, error: Exception) -> None:
        """Nobody gets an answer any more: whoever computes it stops."""
        with self.changed:
            if work.finished.is_set():
                return
            if work.state is JobState.QUEUED:
                self._scheduler.waiting.remove(work)
            for process in self._processes(work):
                process.post(Cancel(work.number))
                _call_later(self.limits.grace_s, self._kill, work)
            self._finish(work, error=error)

    def _deadline_s(self, work: Work) -> float | None:
        """How long a job may take."""
        return work.request.deadline_s or (self.limits.short_s if work.short else self.limits.long_s)

    def _start_timer(self, seconds: float | None, work: Work, stopping: bool = False) -> None:
        """Look at a job after so long."""
        if seconds is not None:
            work.timer = _call_later(seconds, self._on_timer, work, work.tries, stopping)

    def _on_timer(self, work: Work, tries: int, stopping: bool) -> None:
        """The time of a job is up: it ends, a long one only if others wait for its worker.

        A live one is first sent its stop command, and gets some seconds to obey.
        """
        with self.changed:
            if work.finished.is_set() or work.tries != tries or work.started is None:
                return
            limit = self._deadline_s(work)
            others = [other for other in self._scheduler.waiting if other.device == work.device and not other.short]
            if not work.short and not stopping and not any(other.users != work.users for other in others):
                self._start_timer(_LOOK_AGAIN_S, work)
            elif work.request.stop_command is not None and not stopping:
                self._send(work, work.request.stop_command)
                self._start_timer(self.limits.stop_s, work, stopping=True)
            else:
                why = "" if work.short else " while others waited"
                self._end(work, TimeUpError(_TIME_UP.format(duration(limit or 0.0), why)))

    def _send(self, work: Work, command: dict[str, Any]) -> None:
        with self.changed:
            if not work.finished.is_set():
                work.commands.append(command)
                for process in self._processes(work):
                    self._flush_commands(process, work)

    def _flush_commands(self, process: WorkerProcess, work: Work) -> None:
        """Send the process of a job what it was sent so far."""
        for command in work.commands:
            process.post(Command(work.number, command))
        work.commands.clear()

    def _kill(self, work: Work | None = None) -> None:
        """End the process of a job, if it is still at it, or all processes."""
        with self.changed:
            for process in self._processes(work):
                process.kill()

    # The queue; all of this under the lock

    def _processes(self, work: Work | None = None) -> list[WorkerProcess]:
        """All of them, or the one that is at a job."""
        return [slot.process for slot in self._slots if slot.process and work in (None, slot.work)]

    def _running(self) -> list[Work]:
        return [slot.work for slot in self._slots if slot.work is not None]

    def _unfinished(self) -> list[Work]:
        """All that is waited for or computed."""
        return [work for work in (*self._scheduler.waiting, *self._running()) if not work.finished.is_set()]

    def _add_slot(self, device: str, more: int = 0) -> None:
        """Add a worker if there is more to do, or soon will be, than idle ones can take."""
        here = [slot for slot in self._slots if slot.device == device]
        idle = sum(slot.work is None for slot in here)
        ready = len(self._scheduler.ready(device, self._running()))
        if ready + more > idle and len(here) < self.limits.max_workers(device):
            slot = _WorkerSlot(self, device)
            self._slots.append(slot)
            slot.thread.start()

    def _finish(self, work: Work, value: Any = None, error: Exception | None = None) -> None:
        if work.finished.is_set():
            return
        work.finish(value, error)
        if work.timer is not None:
            work.timer.cancel()
        if error is not None and self._shared.get(work.key) is work:
            del self._shared[work.key]
        cached = [key for key, known in self._shared.items() if known.finished.is_set()]
        for key in cached[: max(0, len(cached) - self.limits.cached)]:
            del self._shared[key]

    # What slots ask for

    def take(self, slot: "_WorkerSlot") -> Work | bytes | None:
        """Wait for a job, or for the time of a warm-up (an encoded request); ``None`` when there was no job for long.

        The slot is then given up.
        """
        until = now() + (self.limits.warmup_s if slot.warmups else self.limits.idle_s)
        with self.changed:
            while not self.closed:
                running = self._running()
                if ready := self._scheduler.ready(slot.device, running):
                    work = ready[0]
                    self._scheduler.start(work, running)
                    slot.work = work
                    work.tries += 1
                    work.state = JobState.RUNNING
                    if slot.process is not None:
                        self._flush_commands(slot.process, work)
                    return work
                if now() >= until:
                    if slot.warmups:
                        return slot.warmups.pop(0)
                    break
                self.changed.wait(until - now())
            self._slots.remove(slot)
            return None

    def on_idle(self, slot: "_WorkerSlot") -> None:
        """A slot has done its job: it can take another, or more slots are needed."""
        with self.changed:
            slot.work = None
            self._add_slot(slot.device)
            self.changed.notify_all()

    def on_start_failure(self, slot: "_WorkerSlot") -> None:
        """No process can be started in a slot; where there is no other, what waits has failed."""
        with self.changed:
            self._slots.remove(slot)
            if not any(other.device == slot.device for other in self._slots):
                for work in self._scheduler.order(slot.device, self._running()):
                    self._scheduler.waiting.remove(work)
                    self._finish(work, error=JobError(_NO_PROCESS))

    def on_message(self, work: Work, message: messages.FromWorker) -> None:
        """What a process says of its job."""
        # read before the lock is taken: an answer may be large, and its type imported first
        value = messages.decode(message.value, work.request.answer_type()) if isinstance(message, Done) else None
        with self.changed:
            if isinstance(message, Started):
                work.begin(now())
                self._start_timer(self._deadline_s(work), work)
            elif isinstance(message, Progress):
                work.progress(message.share, message.words, now())
            elif isinstance(message, Event):
                work.events.append(message.event)
            elif isinstance(message, TakesLong):
                if not work.finished.is_set():  # else no one wants it any more
                    try:
                        self._scheduler.make_long(work, self._running())
                        self._requeue(work)
                    except UserError as error:
                        self._finish(work, error=error)
            elif isinstance(message, Failed):
                if message.kind == "failed":
                    _log.error("%s failed\n%s", type(work.request).__name__, message.details)
                self._finish(work, error=_ERRORS[message.kind](message.sentence))
            else:
                if work.started is not None:
                    self._scheduler.record(work, now() - work.started)
                self._finish(work, value)

    def on_worker_death(self, work: Work, how: str) -> None:
        """The process of a job is dead: what had not begun is tried again, all else has failed."""
        with self.changed:
            if work.finished.is_set():
                return
            if work.started is None and work.tries < _STARTS:
                self._requeue(work)
                return
            _log.error("the worker of %s died %s", type(work.request).__name__, how)
            self._finish(work, error=JobError(_DIED))

    def _requeue(self, work: Work) -> None:
        """A job waits again."""
        if work.timer is not None:
            work.timer.cancel()
        work.started = None
        self._scheduler.waiting.append(work)
        work.state = JobState.QUEUED


class _WorkerSlot:
    """One of the workers on a device: a thread here, and the process that it looks after.

    The thread takes the next job, hands it to its process and listens to it. A process that dies, is killed or retires
    is replaced, and costs nobody but its own job. The pool's lock guards ``process`` and ``work``.
    """

    def __init__(self, pool: WorkerPool, device: str) -> None:
        self.device, self.warmups = device, list(pool.warmups)
        self.process: WorkerProcess | None = None
        self.work: Work | None = None
        self.thread = threading.Thread(target=self._serve, name=f"worker-{device}", daemon=True)
        self._pool = pool

    def _serve(self) -> None:
        while (process := self._ensure_process()) is not None and (taken := self._pool.take(self)) is not None:
            if isinstance(taken, bytes):
                self._warm_up(process, taken)
                continue
            if not self._run(process, taken):
                self._end_process()
            self._pool.on_idle(self)
        self._end_process()

    def _ensure_process(self) -> WorkerProcess | None:
        """The process of this slot, prepared."""
        if self.process is not None:
            return self.process
        pool = self._pool
        for _ in range(_STARTS):
            try:
                with pool.changed:
                    if pool.closed:
                        break
                    process = self.process = WorkerProcess(self.device, pool.limits)
                if pool.prepare is not None:
                    _prepare(process, pool.prepare)
                return process
            except Exception:
                if not pool.closed:
                    _log.warning("a worker could not be started", exc_info=True)
                self._end_process()
        pool.on_start_failure(self)
        return None

    def _end_process(self) -> None:
        with self._pool.changed:
            process, self.process = self.process, None
        if process is not None:
            process.terminate()

    def _warm_up(self, process: WorkerProcess, request: bytes) -> None:
        """Use the time. A process that dies of it is replaced; the next one does not try the same."""
        try:
            _prepare(process, request)
        except Exception:
            if not self._pool.closed:
                _log.warning("a worker could not get ready", exc_info=True)
            self._end_process()

    def _run(self, process: WorkerProcess, work: Work) -> bool:
        """Have a job computed and listen; whether the process can take another one."""
        try:
            for message in process.run(work.number, work.packed, short=work.short):
                self._pool.on_message(work, message)
            return not (isinstance(message, Failed) and message.retired)
        except Exception as error:  # it is dead, or what it says cannot be read
            if not isinstance(error, EOFError | OSError):
                _log.exception("an answer to %s cannot be read", type(work.request).__name__)
            self._pool.on_worker_death(work, process.terminate())
            return False


def _prepare(process: WorkerProcess, request: bytes) -> None:
    """Have a process get ready; ``EOFError`` or ``OSError`` if it dies of that."""
    *_, answer = process.run(0, request)
    if isinstance(answer, Failed) and answer.kind == "failed":  # else a job says why, to the one who submitted it
        _log.warning("a worker could not be prepared\n%s", answer.details)


def _call_later(seconds: float, call: Callable[..., None], *arguments: Any) -> threading.Timer:
    timer = threading.Timer(seconds, call, arguments)
    timer.daemon = True
    timer.start()
    return timer
