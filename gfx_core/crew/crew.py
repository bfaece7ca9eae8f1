"""Crew: a queue, and worker processes that stay warm.

Each place in the crew has a thread here that takes the next job, hands it to its process and listens to it. A process
that dies, is killed or retires is replaced by that thread, and costs nobody but its own job.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from time import monotonic as now
from typing import Any

from gfx_core.crew import wire
from gfx_core.crew.job import Job, JobCancelledError, JobError, JobState, JobStatus, Work, WorkerDiedError
from gfx_core.crew.limits import Limits
from gfx_core.crew.process import WorkerProcess
from gfx_core.crew.request import Request, T
from gfx_core.device import detect_device
from gfx_core.errors import UserError
from gfx_core.files import stamp

_log = logging.getLogger(__name__)

_STARTS = 2  # tries to start a process, or a job whose process died before it began
_END_S = 5.0  # a killed process is waited for so long
_LOADING = "loading PyTorch"
_ERRORS = {"refused": UserError, "failed": JobError, "stopped": JobCancelledError}  # by the worker's word
_NO_PROCESS = "No process could be started to compute this: is there enough memory?"


@dataclass(eq=False)
class _Place:
    """A place in the crew: a thread here and the process that it looks after."""

    device: str
    at_leisure: list[bytes]  # packed requests that are still to be answered while there is nothing to do
    thread: threading.Thread = field(init=False)
    process: WorkerProcess | None = None
    work: Work | None = None


class Crew(AbstractContextManager["Crew"]):
    """Has requests answered by worker processes, as many at a time as the limits say.

    Args:
        limits: How much it may use; by default what suits a server of pages.
        prepare: What each worker answers before its first job, e.g. so that torch is imported.
        at_leisure: What it answers when it has had nothing to do for a while, one after the other. Short things: a job
            that comes meanwhile waits for the one that is begun.
        modules: Beginnings of the names of modules whose types may be sent, besides ours.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        prepare: Request[Any] | None = None,
        at_leisure: Sequence[Request[Any]] = (),
        modules: Sequence[str] = (),
    ) -> None:
        self.limits, self._modules = limits or Limits(), tuple(modules)
        self._prepare = None if prepare is None else wire.pack(prepare, self._modules)
        self._at_leisure = [wire.pack(request, self._modules) for request in at_leisure]
        self._changed = threading.Condition()  # guards everything below
        self._numbers = count(1)
        self._queue: list[Work] = []
        self._shared: OrderedDict[str, Work] = OrderedDict()  # by key, the latest last
        self._places: list[_Place] = []
        self._closed = False

    def submit(
        self,
        request: Request[T],
        *,
        device: str | None = None,
        short: bool | None = None,
        listener: Callable[[JobState], None] | None = None,
    ) -> Job[T]:
        """Have a request answered.

        Args:
            request: What is asked.
            device: Somewhere else than the request says.
            short: Otherwise than the request says.
            listener: Told each new state from now on, by threads that it may not hold up.
        """
        device = device or request.device or detect_device().kind
        short = request.short if short is None else short
        packed, key = wire.pack(request, self._modules), self.key(request)
        shared = request.shared and not request.live
        with self._changed:
            work = self._shared.get(key) if shared else None
            if work is None:
                self._admit(device)
                number = next(self._numbers)
                work = Work(number, request, packed, key, device, short, turn=number)
                self._queue.append(work)
                self._hire(device)
                self._changed.notify_all()
            if shared:
                self._shared[key] = work
                self._shared.move_to_end(key)
            work.wanted += 1
            if listener is not None:
                work.listeners.append(listener)
        return Job(work, self._status, self._leave, self._tell)

    def key(self, request: Request[Any]) -> str:
        """Names a request: equal ones have the same name, until a file that they are answered from is replaced."""
        return wire.digest((request, [stamp(path) for path in request.files()]), self._modules)

    def warm_up(self, device: str | None = None) -> None:
        """See that one more job could start fast: prepare a worker, if none is idle. Returns at once."""
        with self._changed:
            if not self._closed:
                self._hire(device or detect_device().kind, more=1)

    def close(self) -> None:
        """End all workers and cancel all jobs."""
        with self._changed:
            self._closed = True
            places = tuple(self._places)
            for work in (*self._queue, *self._running()):
                self._finish(work, error=JobCancelledError())
            self._queue.clear()
            self._kill()
            self._changed.notify_all()
        for place in places:
            place.thread.join(_END_S)

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The worker processes."""
        with self._changed:
            return tuple(process.pid for process in self._processes())

    @property
    def staffed(self) -> bool:
        """Whether there is a worker, or one is being started."""
        with self._changed:
            return bool(self._places)

    # What handles ask for

    def _status(self, work: Work) -> JobStatus:
        with self._changed:
            if work.state is not JobState.QUEUED:
                return work.status(now())
            place = 1 + self._waiting(work.device).index(work)
            loading = work in self._ready(work.device)  # it could start, but no worker is ready
            return JobStatus(JobState.QUEUED, place, words=_LOADING if loading else "")

    def _leave(self, work: Work) -> None:
        with self._changed:
            work.wanted -= 1
            if work.wanted or work.finished.is_set():
                return
            if work.state is JobState.QUEUED:
                self._queue.remove(work)
            for process in self._processes(work):
                process.ask_to_stop(work.number)
                timer = threading.Timer(self.limits.grace_s, self._kill, (work,))
                timer.daemon = True
                timer.start()
            self._finish(work, error=JobCancelledError())

    def _tell(self, work: Work, command: dict[str, Any]) -> None:
        with self._changed:
            if not work.finished.is_set():
                work.commands.append(command)
                for process in self._processes(work):
                    self._pass_on(process, work)

    def _pass_on(self, process: WorkerProcess, work: Work) -> None:
        """Tell the process of a job what was sent to it so far."""
        for command in work.commands:
            process.tell(work.number, command)
        work.commands.clear()

    def _kill(self, work: Work | None = None) -> None:
        """End the process of a job, if it is still at it, or all processes."""
        with self._changed:
            for process in self._processes(work):
                process.kill()

    # The queue; all of this under the lock

    def _admit(self, device: str) -> None:
        """Refuse what the limits do not allow."""
        if device not in self.limits.places:
            raise UserError(f"There is no device “{device}”: choose one of {', '.join(self.limits.places)}.")
        if self._closed:
            raise UserError("Nothing can be computed any more: this server is shutting down.")
        if len(self._queue) >= self.limits.waiting:
            raise UserError(f"{self.limits.waiting} computations are waiting already: try again in a while.")

    def _processes(self, work: Work | None = None) -> list[WorkerProcess]:
        """All of them, or the one that is at a job."""
        return [place.process for place in self._places if place.process and work in (None, place.work)]

    def _running(self) -> list[Work]:
        return [place.work for place in self._places if place.work is not None]

    def _waiting(self, device: str) -> list[Work]:
        """The jobs for a device in the order in which they should start."""
        return sorted((w for w in self._queue if w.device == device), key=lambda work: (not work.short, work.turn))

    def _ready(self, device: str) -> list[Work]:
        """Those of them that may start now."""
        running = [work for work in self._running() if work.device == device]
        room = self.limits.most(device) - len(running)
        room_for_long = self.limits.places[device] - sum(not work.short for work in running)
        waiting = self._waiting(device)
        short = [work for work in waiting if work.short]
        return (short + waiting[len(short) :][: max(0, room_for_long)])[: max(0, room)]

    def _hire(self, device: str, more: int = 0) -> None:
        """Add a place to the crew if there is more to do, or soon will be, than idle ones can take."""
        here = [place for place in self._places if place.device == device]
        idle = sum(place.work is None for place in here)
        if len(self._ready(device)) + more > idle and len(here) < self.limits.most(device):
            place = _Place(device, list(self._at_leisure))
            self._places.append(place)
            place.thread = threading.Thread(target=self._serve, args=(place,), name=f"crew-{device}", daemon=True)
            place.thread.start()

    def _finish(self, work: Work, value: Any = None, error: Exception | None = None) -> None:
        if work.finished.is_set():
            return
        work.finish(value, error)
        if error is not None and self._shared.get(work.key) is work:
            del self._shared[work.key]
        kept = [key for key, known in self._shared.items() if known.finished.is_set()]
        for key in kept[: max(0, len(kept) - self.limits.kept)]:
            del self._shared[key]

    # The thread of one place in the crew

    def _serve(self, place: _Place) -> None:
        while (process := self._staff(place)) is not None and (taken := self._take(place)) is not None:
            if isinstance(taken, bytes):
                self._get_ready(place, process, taken)
                continue
            stays = self._run(process, taken)
            if not stays:
                self._dismiss(place)
            with self._changed:
                place.work = None
                self._hire(place.device)
                self._changed.notify_all()
        self._dismiss(place)

    def _staff(self, place: _Place) -> WorkerProcess | None:
        """The process of a place, prepared; where there can be none, those who wait are told."""
        if place.process is not None:
            return place.process
        for _ in range(_STARTS):
            try:
                with self._changed:
                    if self._closed:
                        break
                    process = place.process = WorkerProcess(place.device, self.limits, self._modules)
                if self._prepare is not None:
                    _prepared(process, self._prepare)
                return process
            except Exception:
                if not self._closed:
                    _log.warning("a worker could not be started", exc_info=True)
                self._dismiss(place)
        with self._changed:
            self._places.remove(place)
            if not any(other.device == place.device for other in self._places):
                for work in self._waiting(place.device):
                    self._queue.remove(work)
                    self._finish(work, error=JobError(_NO_PROCESS))
        return None

    def _dismiss(self, place: _Place) -> None:
        with self._changed:
            process, place.process = place.process, None
        if process is not None:
            process.bury()

    def _get_ready(self, place: _Place, process: WorkerProcess, request: bytes) -> None:
        """Use the time. A process that dies of it is replaced; the next one does not try the same."""
        try:
            _prepared(process, request)
        except Exception:
            if not self._closed:
                _log.warning("a worker could not get ready", exc_info=True)
            self._dismiss(place)

    def _take(self, place: _Place) -> Work | bytes | None:
        """Wait for a job, or for the time to get ready for more; ``None`` when there was no job for long.

        The place is then given up.
        """
        until = now() + (self.limits.leisure_s if place.at_leisure else self.limits.idle_s)
        with self._changed:
            while not self._closed:
                if ready := self._ready(place.device):
                    work = place.work = ready[0]
                    self._queue.remove(work)
                    work.tries += 1
                    work.become(JobState.RUNNING)
                    if place.process is not None:
                        self._pass_on(place.process, work)
                    return work
                if now() >= until:
                    if place.at_leisure:
                        return place.at_leisure.pop(0)
                    break
                self._changed.wait(until - now())
            self._places.remove(place)
            return None

    def _run(self, process: WorkerProcess, work: Work) -> bool:
        """Have a job computed and listen; whether the process can take another one."""
        try:
            for message in process.ask(work.number, work.packed):
                with self._changed:
                    self._hear(work, message)
            return not message["retired"]
        except Exception as error:  # it is dead, or what it says cannot be read
            if not isinstance(error, EOFError | OSError):
                _log.exception("an answer to %s cannot be read", type(work.request).__name__)
            how = process.bury()
            with self._changed:
                self._bereaved(work, how)
            return False

    def _hear(self, work: Work, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "started":
            work.begin(now())
        elif kind == "progress":
            work.progress(message["share"], message["words"], now())
        elif kind == "event":
            work.events.append(message["event"])
        else:
            if kind == "failed":
                _log.error("%s failed\n%s", type(work.request).__name__, message["details"])
            self._finish(work, message["value"], None if kind == "done" else _ERRORS[kind](message["sentence"]))

    def _bereaved(self, work: Work, how: str) -> None:
        """Its process is dead: it is tried again, or has failed."""
        if work.finished.is_set():
            return
        begun = work.started is not None
        if work.tries < max(work.request.tries, 1 if begun else _STARTS):
            if begun:
                work.turn = next(self._numbers)  # last, when there may be more memory
            work.started = None
            self._queue.append(work)
            work.become(JobState.QUEUED)
            return
        _log.error("the worker of %s died %s", type(work.request).__name__, how)
        self._finish(work, error=WorkerDiedError(work.tries, how))


def _prepared(process: WorkerProcess, request: bytes) -> None:
    """Have a process get ready; ``EOFError`` or ``OSError`` if it dies of that."""
    *_, answer = process.ask(0, request)
    if answer["kind"] != "done":  # a job will say what is wrong, to the one who asked
        _log.warning("a worker could not be prepared\n%s", answer["details"])
