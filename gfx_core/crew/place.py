"""A place in the crew: a thread here, and the process that it looks after.

The thread takes the next job, hands it to its process and listens to it. A process that dies, is killed or retires is
replaced, and costs nobody but its own job.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any, Protocol

from gfx_core.crew.job import Work
from gfx_core.crew.process import WorkerProcess

_log = logging.getLogger(__name__)

_STARTS = 2  # tries to start a process


class Employer(Protocol):
    """What a place asks of its crew. Each call takes the crew's lock."""

    closed: bool

    def take(self, place: "Place") -> Work | bytes | None:
        """Wait for a job, or for the time to get ready for more (a packed request); None: the place is given up."""

    def hear(self, work: Work, message: dict[str, Any]) -> None:
        """What the process says of its job."""

    def bereave(self, work: Work, how: str) -> None:
        """The process of a job is dead, and how that came."""

    def leave(self, place: "Place") -> None:
        """A job is over; the place has no other yet."""

    def despair(self, place: "Place") -> None:
        """No process can be started here: the place is given up."""


class Place:
    """A place on a device.

    Args:
        device: Which.
        at_leisure: Packed requests that are to be answered while there is nothing to do.
        hire: Starts a process. It is called under ``lock``.
        prepare: The packed request that a process answers first, if any.
        lock: Guards ``process`` and ``work``: the crew's.
    """

    def __init__(
        self,
        device: str,
        at_leisure: list[bytes],
        hire: Callable[[str], WorkerProcess],
        prepare: bytes | None,
        lock: threading.Condition,
    ) -> None:
        self.device, self.at_leisure = device, at_leisure
        self.process: WorkerProcess | None = None
        self.work: Work | None = None
        self.thread: threading.Thread | None = None
        self._hire, self._prepare, self._lock = hire, prepare, lock

    def open(self, crew: Employer) -> None:
        """Begin to work for a crew, in a thread of its own."""
        self.thread = threading.Thread(target=self._serve, args=(crew,), name=f"crew-{self.device}", daemon=True)
        self.thread.start()

    def _serve(self, crew: Employer) -> None:
        while (process := self._staff(crew)) is not None and (taken := crew.take(self)) is not None:
            if isinstance(taken, bytes):
                self._get_ready(crew, process, taken)
                continue
            if not self._run(crew, process, taken):
                self._dismiss()
            crew.leave(self)
        self._dismiss()

    def _staff(self, crew: Employer) -> WorkerProcess | None:
        """The process of this place, prepared."""
        if self.process is not None:
            return self.process
        for _ in range(_STARTS):
            try:
                with self._lock:
                    if crew.closed:
                        break
                    process = self.process = self._hire(self.device)
                if self._prepare is not None:
                    _prepared(process, self._prepare)
                return process
            except Exception:
                if not crew.closed:
                    _log.warning("a worker could not be started", exc_info=True)
                self._dismiss()
        crew.despair(self)
        return None

    def _dismiss(self) -> None:
        with self._lock:
            process, self.process = self.process, None
        if process is not None:
            process.bury()

    def _get_ready(self, crew: Employer, process: WorkerProcess, request: bytes) -> None:
        """Use the time. A process that dies of it is replaced; the next one does not try the same."""
        try:
            _prepared(process, request)
        except Exception:
            if not crew.closed:
                _log.warning("a worker could not get ready", exc_info=True)
            self._dismiss()

    def _run(self, crew: Employer, process: WorkerProcess, work: Work) -> bool:
        """Have a job computed and listen; whether the process can take another one."""
        try:
            for message in process.ask(work.number, work.packed, short=work.short):
                crew.hear(work, message)
            return not message["retired"]
        except Exception as error:  # it is dead, or what it says cannot be read
            if not isinstance(error, EOFError | OSError):
                _log.exception("an answer to %s cannot be read", type(work.request).__name__)
            crew.bereave(work, process.bury())
            return False


def _prepared(process: WorkerProcess, request: bytes) -> None:
    """Have a process get ready; ``EOFError`` or ``OSError`` if it dies of that."""
    *_, answer = process.ask(0, request)
    if answer["kind"] != "done":  # a job will say what is wrong, to the one who asked
        _log.warning("a worker could not be prepared\n%s", answer["details"])
