"""Crew: a queue, and worker processes that stay warm; `gfx_core.crew.place` is where they work."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from time import monotonic as now
from typing import Any

from gfx_core.crew import wire
from gfx_core.crew.job import Job, JobCancelledError, JobError, JobState, JobStatus, TimeUpError, Work, WorkerDiedError
from gfx_core.crew.limits import Limits
from gfx_core.crew.line import Line
from gfx_core.crew.place import Place
from gfx_core.crew.process import WorkerProcess
from gfx_core.crew.request import Request, T
from gfx_core.crew.visitor import NOBODY, Visitor
from gfx_core.device import detect_device
from gfx_core.errors import UserError
from gfx_core.files import stamp
from gfx_core.number_words import duration

_log = logging.getLogger(__name__)

_STARTS = 2  # tries to begin a job whose process died before it did
_END_S = 5.0  # a killed process is waited for so long
_LOADING = "loading PyTorch"
_ERRORS = {"refused": UserError, "failed": JobError, "stopped": JobCancelledError}  # by the worker's word
_LOOK_AGAIN_S = 10.0  # after so long it is asked again whether somebody waits for a place
_TIME_UP = "This took longer than {}{}, so it was ended: choose a smaller instance, or less of it."
_NO_PROCESS = "No process could be started to compute this: is there enough memory?"


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
        self._line = Line(self.limits)
        self._shared: OrderedDict[str, Work] = OrderedDict()  # by key, the latest last
        self._places: list[Place] = []
        self.closed = False

    def submit(
        self,
        request: Request[T],
        *,
        device: str | None = None,
        short: bool | None = None,
        listener: Callable[[JobState], None] | None = None,
        visitor: Visitor = NOBODY,
    ) -> Job[T]:
        """Have a request answered.

        Args:
            request: What is asked.
            device: Somewhere else than the request says.
            short: Otherwise than the request says.
            listener: Told each new state from now on, by threads that it may not hold up.
            visitor: Who asks: they have turns and caps of their own, and the job ends with their visit.

        Raises:
            UserError: It cannot be computed, or too much is waiting already.
        """
        device = device or request.device or detect_device().kind
        short = request.short if short is None else short
        packed, key, expected_s = wire.pack(request, self._modules), self.key(request), request.expected_s
        shared = request.shared and not request.live
        with self._changed:
            work = self._shared.get(key) if shared else None
            if work is None:
                self._admit(device)
                self._line.admit(request, short, visitor, self._running())
                number = next(self._numbers)
                work = Work(number, request, packed, key, device, short, number, expected_s, asked=now())
                work.askers.append(visitor)
                self._line.waiting.append(work)
                self._hire(device)
                self._changed.notify_all()
            else:
                work.askers.append(visitor)
            if shared:
                self._shared[key] = work
                self._shared.move_to_end(key)
                work.asked = now()
            if listener is not None:
                work.listeners.append(listener)
        return Job(work, self._status, self._leave, self._tell, visitor)

    def key(self, request: Request[Any]) -> str:
        """Names a request: equal ones have the same name, until a file that they are answered from is replaced."""
        return wire.digest((request, [stamp(path) for path in request.files()]), self._modules)

    def warm_up(self, device: str | None = None) -> None:
        """See that one more job could start fast: prepare a worker, if none is idle. Returns at once."""
        with self._changed:
            if not self.closed:
                self._hire(device or detect_device().kind, more=1)

    def close(self) -> None:
        """End all workers and cancel all jobs."""
        with self._changed:
            self.closed = True
            places = tuple(self._places)
            for work in (*self._line.waiting, *self._running()):
                self._finish(work, error=JobCancelledError())
            self._line.waiting.clear()
            self._kill()
            self._changed.notify_all()
        for place in places:
            if place.thread is not None:
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

    def visits(self, who: str | None = None) -> set[str]:
        """The visits, or those of one visitor, that something is waited for or computed for."""
        with self._changed:
            askers = {asker for work in self._going() for asker in work.askers if asker != NOBODY}
        return {asker.visit for asker in askers if who in (None, asker.who)}

    def end_visit(self, visit: str, *, live: bool = False) -> None:
        """A visit is over: what nobody else waits for ends too, unless it was asked to go on.

        Args:
            visit: Which.
            live: Whether live jobs that run end too. Else they are left alone: they notice by themselves that nobody is
                heard, and keep what they have.
        """
        with self._changed:
            for work in self._going():
                if work.outlives or (work.request.live and work.state is JobState.RUNNING and not live):
                    continue
                for asker in [asker for asker in work.askers if asker.visit == visit]:
                    self._leave(work, asker)

    def forget_old(self, kept_s: float | None = None) -> int:
        """Forget the answers that nobody has asked for in a while, and say how many; who has one keeps it.

        Args:
            kept_s: The while, in seconds, where it is not the usual one.
        """
        with self._changed:
            since = now() - (self.limits.kept_s if kept_s is None else kept_s)
            old = [key for key, work in self._shared.items() if work.finished.is_set() and work.asked < since]
            for key in old:
                del self._shared[key]
        return len(old)

    # What handles ask for

    def _status(self, work: Work) -> JobStatus:
        with self._changed:
            if work.state is not JobState.QUEUED:
                return work.status(now())
            place, wait_s = self._line.standing(work, self._running(), now())
            return JobStatus(JobState.QUEUED, place, wait_s=wait_s, words=_LOADING if wait_s is None else "")

    def _leave(self, work: Work, visitor: Visitor) -> None:
        with self._changed:
            if visitor in work.askers:  # else its visit has ended meanwhile
                work.askers.remove(visitor)
            if not work.askers:
                self._end(work, JobCancelledError())

    def _end(self, work: Work, error: Exception) -> None:
        """Nobody gets an answer any more: whoever computes it stops."""
        with self._changed:
            if work.finished.is_set():
                return
            if work.state is JobState.QUEUED:
                self._line.waiting.remove(work)
            for process in self._processes(work):
                process.ask_to_stop(work.number)
                _later(self.limits.grace_s, self._kill, work)
            self._finish(work, error=error)

    def _set_alarm(self, seconds: float | None, work: Work, farewell: bool = False) -> None:
        """Look at a job after so long, or when its deadline comes, if that is sooner."""
        assert work.started is not None
        if work.request.deadline_s is not None:
            left = work.started + work.request.deadline_s - now()
            seconds = left if seconds is None else min(left, seconds)
        if seconds is not None:
            work.alarm = _later(max(0.0, seconds), self._time_up, work, work.tries, farewell)

    def _time_up(self, work: Work, tries: int, farewell: bool) -> None:
        """The time of a job is up: it ends, a long one without a deadline only if somebody else waits for its place."""
        with self._changed:
            if work.finished.is_set() or work.tries != tries or work.started is None:
                return
            limit = self.limits.short_s if work.short else self.limits.long_s
            if work.request.deadline_s is not None and now() >= work.started + work.request.deadline_s:
                self._end(work, UserError(work.request.deadline_words))
                return
            others = [other for other in self._line.waiting if other.device == work.device and not other.short]
            if not work.short and not farewell and not any(other.whose != work.whose for other in others):
                self._set_alarm(_LOOK_AGAIN_S, work)
            elif work.request.last_words is not None and not farewell:
                self._tell(work, work.request.last_words)
                self._set_alarm(self.limits.farewell_s, work, farewell=True)
            else:
                why = "" if work.short else " while others waited"
                self._end(work, TimeUpError(_TIME_UP.format(duration(limit or 0.0), why)))

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
        if self.closed:
            raise UserError("Nothing can be computed any more: this server is shutting down.")

    def _processes(self, work: Work | None = None) -> list[WorkerProcess]:
        """All of them, or the one that is at a job."""
        return [place.process for place in self._places if place.process and work in (None, place.work)]

    def _running(self) -> list[Work]:
        return [place.work for place in self._places if place.work is not None]

    def _going(self) -> list[Work]:
        """All that is waited for or computed."""
        return [work for work in (*self._line.waiting, *self._running()) if not work.finished.is_set()]

    def _hire(self, device: str, more: int = 0) -> None:
        """Add a place to the crew if there is more to do, or soon will be, than idle ones can take."""
        here = [place for place in self._places if place.device == device]
        idle = sum(place.work is None for place in here)
        if len(self._line.ready(device, self._running())) + more > idle and len(here) < self.limits.most(device):
            place = Place(device, list(self._at_leisure), self._process, self._prepare, self._changed)
            self._places.append(place)
            place.open(self)

    def _process(self, device: str) -> WorkerProcess:
        return WorkerProcess(device, self.limits, self._modules)

    def _finish(self, work: Work, value: Any = None, error: Exception | None = None) -> None:
        if work.finished.is_set():
            return
        work.finish(value, error)
        if work.alarm is not None:
            work.alarm.cancel()
        if error is not None and self._shared.get(work.key) is work:
            del self._shared[work.key]
        kept = [key for key, known in self._shared.items() if known.finished.is_set()]
        for key in kept[: max(0, len(kept) - self.limits.kept)]:
            del self._shared[key]

    # What places ask for

    def take(self, place: Place) -> Work | bytes | None:
        """Wait for a job, or for the time to get ready for more; ``None`` when there was no job for long.

        The place is then given up.
        """
        until = now() + (self.limits.leisure_s if place.at_leisure else self.limits.idle_s)
        with self._changed:
            while not self.closed:
                running = self._running()
                if ready := self._line.ready(place.device, running):
                    work = ready[0]
                    self._line.start(work, running)
                    place.work = work
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

    def leave(self, place: Place) -> None:
        """A place has done its job: it can take another, or more places are needed."""
        with self._changed:
            place.work = None
            self._hire(place.device)
            self._changed.notify_all()

    def despair(self, place: Place) -> None:
        """No process can be started at a place; where there is no other, those who wait are told."""
        with self._changed:
            self._places.remove(place)
            if not any(other.device == place.device for other in self._places):
                for work in self._line.order(place.device, self._running()):
                    self._line.waiting.remove(work)
                    self._finish(work, error=JobError(_NO_PROCESS))

    def hear(self, work: Work, message: dict[str, Any]) -> None:
        """What a process says of its job."""
        with self._changed:
            self._hear(work, message)

    def _hear(self, work: Work, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "started":
            work.begin(now())
            self._set_alarm(self.limits.short_s if work.short else self.limits.long_s, work)
        elif kind == "progress":
            work.progress(message["share"], message["words"], now())
        elif kind == "event":
            work.events.append(message["event"])
        elif kind == "long":
            if not work.finished.is_set():  # else nobody wants it any more
                try:
                    self._line.lengthen(work, self._running())
                    self._put_back(work)
                except UserError as error:
                    self._finish(work, error=error)
        else:
            if kind == "failed":
                _log.error("%s failed\n%s", type(work.request).__name__, message["details"])
            if kind == "done" and work.started is not None:
                self._line.took(work, now() - work.started)
            self._finish(work, message["value"], None if kind == "done" else _ERRORS[kind](message["sentence"]))

    def bereave(self, work: Work, how: str) -> None:
        """The process of a job is dead: it is tried again, or has failed."""
        with self._changed:
            if work.finished.is_set():
                return
            begun = work.started is not None
            if work.tries < max(work.request.tries, 1 if begun else _STARTS):
                if begun:
                    work.turn = next(self._numbers)  # last, when there may be more memory
                self._put_back(work)
                return
            _log.error("the worker of %s died %s", type(work.request).__name__, how)
            self._finish(work, error=WorkerDiedError(work.tries, how))

    def _put_back(self, work: Work) -> None:
        """A job waits again."""
        if work.alarm is not None:
            work.alarm.cancel()
        work.started = None
        self._line.waiting.append(work)
        work.become(JobState.QUEUED)


def _later(seconds: float, call: Callable[..., None], *arguments: Any) -> threading.Timer:
    timer = threading.Timer(seconds, call, arguments)
    timer.daemon = True
    timer.start()
    return timer
