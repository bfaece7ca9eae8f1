"""JobServer: a queue, and a small crew of worker processes that stay warm.

Each place in the crew has a thread here that takes the next job, hands it to its process and listens to it. A process
that dies or has to be killed is replaced by that thread, and costs nobody but its own job.
"""

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from itertools import count
from typing import Any

from gfx_core.device import detect_device
from gfx_core.errors import UserError
from gfx_core.jobs import wire
from gfx_core.jobs.job import Job, JobState, JobStatus, Work, now
from gfx_core.jobs.process import WorkerProcess

_log = logging.getLogger(__name__)

PREPARE = "gfx_core.jobs.tasks:prepare"
"""What a worker does before its first job: import torch."""

GRACE_S = 0.3
"""A cancelled job may end by itself for so long; then its process is killed."""

IDLE_S = 600.0
"""A worker without work ends after so long."""

MAX_WAITING = 100
_TRIES = 2  # to start a process, or a job whose process died before it began
_LOADING = "loading PyTorch"
_NO_PROCESS = "No process could be started to compute this: is there enough memory?"
_DIED = "The computation was ended from outside, most likely for lack of memory: try a smaller one."


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_limits() -> dict[str, int]:
    """How many jobs compute at a time: on the CPU one or two, so that a core is left for the pages; on a GPU one."""
    return {"cpu": min(2, max(1, cores() - 1)), "cuda": 1}


class JobServer:
    """Runs functions in worker processes.

    On the CPU, jobs that are said to be short may use one worker more, so that nobody waits minutes for a second's
    work; a GPU has one job at a time.

    Args:
        limits: How many jobs compute at a time, by device.
        prepare: ``module:function`` that a worker calls with its device before its first job; empty for nothing.
        idle_s: Workers without work end after so long.
        grace_s: How long a cancelled job may take to end by itself.
        kept: How many results are kept.
    """

    def __init__(
        self,
        *,
        limits: Mapping[str, int] | None = None,
        prepare: str = PREPARE,
        idle_s: float = IDLE_S,
        grace_s: float = GRACE_S,
        kept: int = 64,
    ) -> None:
        self._limits = dict(limits or default_limits())
        self._prepare, self._idle_s, self._grace_s, self._kept = prepare, idle_s, grace_s, kept
        self._threads_each = max(1, (cores() - 1) // self._limits.get("cpu", 1))
        self._changed = threading.Condition()  # guards everything below
        self._numbers = count(1)
        self._queue: list[Work] = []
        self._running: list[Work] = []
        self._live: dict[str, Work] = {}  # queued or running, by key
        self._done: OrderedDict[str, Work] = OrderedDict()  # by key, the latest last
        self._processes: set[WorkerProcess] = set()
        self._crew = dict.fromkeys(self._limits, 0)  # places in it, by device
        self._idle = dict.fromkeys(self._limits, 0)  # of them, those without a job
        self._closed = False

    def submit(
        self,
        function: str,
        arguments: Mapping[str, Any],
        *,
        device: str | None = None,
        key: str | None = None,
        short: bool = False,
    ) -> Job:
        """Have a function computed.

        Args:
            function: ``module:function``; it is called as ``function(context, **arguments)`` with a
                :class:`gfx_core.jobs.context.JobContext`, and returns what can be sent (see `gfx_core.jobs.wire`).
            arguments: Likewise of what can be sent.
            device: ``cpu`` or ``cuda``; by default what this computer has.
            key: The same key means the same result: who asks while it is queued or running joins in, and who asks
                later gets the result that was kept.
            short: Whether it takes about a second: it may overtake others.
        """
        device = device or detect_device().kind
        if device not in self._limits:
            raise UserError(f"There is no device “{device}”: choose one of {', '.join(self._limits)}.")
        with self._changed:
            work = self._known(key)
            if work is None:
                if self._closed:
                    raise UserError("Nothing can be computed any more: this server is shutting down.")
                if len(self._queue) >= MAX_WAITING:
                    raise UserError(f"{MAX_WAITING} computations are waiting already: try again in a while.")
                number = next(self._numbers)
                message = {"kind": "job", "job": number, "function": function, "arguments": dict(arguments)}
                work = Work(number, function, wire.pack(message), device, key, short)
                self._queue.append(work)
                if key is not None:
                    self._live[key] = work
                self._hire(device)
                self._changed.notify_all()
            work.wanted += 1
        return Job(work, self._status, self._leave)

    def warm_up(self, device: str | None = None) -> None:
        """See that one more job could start fast: let a worker import torch, if none is idle. Returns at once."""
        with self._changed:
            if not self._closed:
                self._hire(device or detect_device().kind, more=1)

    def close(self) -> None:
        """End all workers and cancel all jobs."""
        with self._changed:
            self._closed = True
            for work in (*self._queue, *self._running):
                self._finish(work, JobState.CANCELLED)
            self._queue.clear()
            for process in self._processes:
                process.kill()
            self._changed.notify_all()

    @property
    def pids(self) -> tuple[int, ...]:
        """The worker processes."""
        with self._changed:
            return tuple(process.pid for process in self._processes)

    # What handles ask for

    def _status(self, work: Work) -> JobStatus:
        with self._changed:
            if work.state is not JobState.QUEUED:
                return work.status(now())
            place = 1 + sum(self._before(other, work) for other in self._queue)
            loading = work in self._ready(work.device)  # it could start, but no worker is ready
            return JobStatus(JobState.QUEUED, place, words=_LOADING if loading else "")

    def _leave(self, work: Work) -> None:
        with self._changed:
            work.wanted -= 1
            if work.wanted or work.finished.is_set():
                return
            if work.state is JobState.QUEUED:
                self._queue.remove(work)
            elif work.process is not None:
                work.process.ask_to_stop(work.number)
                timer = threading.Timer(self._grace_s, self._kill, (work, work.process))
                timer.daemon = True
                timer.start()
            self._finish(work, JobState.CANCELLED)

    def _kill(self, work: Work, process: WorkerProcess) -> None:
        """End the process of a cancelled job, unless it has ended the job itself by now."""
        with self._changed:
            if not work.answered:
                process.kill()

    # The queue; all of this under the lock

    def _known(self, key: str | None) -> Work | None:
        if key is None:
            return None
        if key in self._done:
            self._done.move_to_end(key)
            return self._done[key]
        return self._live.get(key)

    @staticmethod
    def _before(one: Work, other: Work) -> bool:
        """Whether one is started before the other."""
        return one.device == other.device and (not one.short, one.number) < (not other.short, other.number)

    def _spare(self, device: str) -> int:
        return 1 if device == "cpu" else 0

    def _ready(self, device: str) -> list[Work]:
        """The jobs that may start now, in the order in which they should."""
        running = [work for work in self._running if work.device == device]
        room = self._limits[device] + self._spare(device) - len(running)
        room_for_long = self._limits[device] - sum(not work.short for work in running)
        waiting = sorted((w for w in self._queue if w.device == device), key=lambda w: (not w.short, w.number))
        short = [work for work in waiting if work.short]
        return (short + [work for work in waiting if not work.short][: max(0, room_for_long)])[: max(0, room)]

    def _hire(self, device: str, more: int = 0) -> None:
        """Add a place to the crew if there is more to do, or soon will be, than idle ones can take."""
        most = self._limits[device] + self._spare(device)
        if len(self._ready(device)) + more > self._idle[device] and self._crew[device] < most:
            self._add_place(device)

    def _add_place(self, device: str) -> None:
        self._crew[device] += 1
        self._idle[device] += 1
        threading.Thread(target=self._serve, args=(device,), name=f"jobs-{device}", daemon=True).start()

    def _finish(self, work: Work, state: JobState, value: Any = None, sentence: str = "", user: bool = False) -> None:
        if work.finished.is_set():
            return
        work.state, work.value, work.sentence, work.user_error = state, value, sentence, user
        work.message = b""
        if work.key is not None and self._live.get(work.key) is work:
            del self._live[work.key]
            if state is JobState.DONE:
                self._done[work.key] = work
                while len(self._done) > self._kept:
                    self._done.popitem(last=False)
        work.finished.set()

    # The thread of one place in the crew

    def _serve(self, device: str) -> None:
        process: WorkerProcess | None = None
        while True:
            if process is None:
                process = self._start(device)
                if process is None:
                    return
            work = self._take(device, process)
            lives = work is not None and self._run(process, work)
            if not lives:
                self._end(process)
                process = None
            if work is None:
                return
            with self._changed:
                self._running.remove(work)
                self._idle[device] += 1
                self._hire(device)
                self._changed.notify_all()

    def _start(self, device: str) -> WorkerProcess | None:
        """A new process that is prepared; where there can be none, those who wait are told."""
        for _ in range(_TRIES):
            if self._closed:
                break
            process = None
            try:
                process = WorkerProcess(device, self._prepare, self._threads_each)
                with self._changed:
                    self._processes.add(process)
                process.receive()  # it is ready
                return process
            except (EOFError, OSError):
                if not self._closed:
                    _log.warning("a worker could not be started", exc_info=True)
                if process is not None:
                    self._end(process)
        with self._changed:
            self._crew[device] -= 1
            self._idle[device] -= 1
            for work in [work for work in self._queue if work.device == device and not self._crew[device]]:
                self._queue.remove(work)
                self._finish(work, JobState.FAILED, sentence=_NO_PROCESS)
        return None

    def _end(self, process: WorkerProcess) -> None:
        with self._changed:
            self._processes.discard(process)
        process.bury()

    def _take(self, device: str, process: WorkerProcess) -> Work | None:
        """Wait for a job; ``None`` when there was none for long, and the place is given up."""
        until = now() + self._idle_s
        with self._changed:
            while not self._closed:
                ready = self._ready(device)
                if ready:
                    work = ready[0]
                    self._queue.remove(work)
                    self._running.append(work)
                    self._idle[device] -= 1
                    work.state, work.process = JobState.RUNNING, process
                    work.tries += 1
                    return work
                if now() >= until:
                    break
                self._changed.wait(until - now())
            self._crew[device] -= 1
            self._idle[device] -= 1
            return None

    def _run(self, process: WorkerProcess, work: Work) -> bool:
        """Have a job computed and listen; whether the process can take another one."""
        try:
            process.send(work.message)
            while True:
                message = process.receive()
                with self._changed:
                    if message["kind"] == "started":
                        work.begin(now())
                    elif message["kind"] == "progress":
                        work.progress(message["share"], message["words"], now())
                    else:
                        self._answer(work, message)
                        return not (message["kind"] == "failed" and work.device != "cpu")  # CUDA's errors stay
        except (EOFError, OSError):
            with self._changed:
                self._bereaved(work)
            return False

    def _answer(self, work: Work, message: dict[str, Any]) -> None:
        work.answered = True
        if message["kind"] == "done":
            self._finish(work, JobState.DONE, message["value"])
        elif message["kind"] == "stopped":
            self._finish(work, JobState.CANCELLED)
        else:
            if "details" in message:
                _log.error("%s failed\n%s", work.function, message["details"])
            self._finish(work, JobState.FAILED, None, message["sentence"], message["kind"] == "refused")

    def _bereaved(self, work: Work) -> None:
        """Its process is dead: one that had not begun is tried again, another one has failed."""
        work.answered = True
        if work.finished.is_set():
            return
        if work.started is None and work.tries < _TRIES and not self._closed:
            work.state, work.process, work.answered = JobState.QUEUED, None, False
            self._queue.insert(0, work)
            return
        _log.error("the worker of %s died", work.function)
        self._finish(work, JobState.FAILED, sentence=_DIED)
