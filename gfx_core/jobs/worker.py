"""A worker process: how its parent sees it, and its life, one job after the other until the parent is gone.

It is started as ``python -m gfx_core.jobs.worker``, not as a process of `multiprocessing`: that would run the main
script again, and in a Streamlit server the main script is whatever page is being shown. Messages are pairs of a name
and its content on a connection of `multiprocessing`, which pickles them: both ends are processes of ours.
"""

import contextlib
import logging
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gfx_core import storage
from gfx_core.errors import UserError
from gfx_core.job_context import JobContext, TakesLongError
from gfx_core.jobs.job import JobCancelledError, JobError, Request
from gfx_core.jobs.scheduler import JobLimits
from gfx_core.parallel import cores

_log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_RESERVE = 2**26  # bytes that a job cannot have, so that there is memory left to report that it had all the rest
_GIVEN_BACK = str(2**22)  # bytes of an array from which on its memory returns to the system; glibc would keep more
_REST_S = 2.0  # a worker without work gets ready for more after so long
_NO_MEMORY = re.compile("not enough memory|DefaultCPUAllocator|out of memory", re.IGNORECASE)  # torch's words
_starting = threading.Lock()  # one process at a time: it inherits all connections that can be inherited


class WorkerProcess:
    """One running worker; it dies with this process.

    Args:
        device: Where it computes.
        limits: Of the pool that it belongs to.
        warmups: See `WorkerPool`.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, device: str, limits: JobLimits, warmups: Sequence[Request[Any]]) -> None:
        threads = max(1, (cores() - 1) // limits.workers.get("cpu", 1))
        path = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        environment = {"OMP_NUM_THREADS": str(threads), "MALLOC_MMAP_THRESHOLD_": _GIVEN_BACK, **os.environ}
        environment["PYTHONPATH"] = path
        self._folder: Path | None = None  # what its libraries leave there, as PyG does with code, goes with it
        with contextlib.suppress(OSError):
            self._folder = storage.make_folder("gfx-worker-")
            environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._folder))
        with _starting:
            ours, theirs = socket.socketpair()
            with theirs:
                theirs.set_inheritable(True)
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "gfx_core.jobs.worker", str(theirs.fileno())],
                    env=environment,
                    close_fds=False,
                    process_group=0,  # so that it never hears a Ctrl-C, not even before it can ignore it
                )
        self._line = Connection(ours.detach())
        self.pid = self._process.pid
        memory = 0 if device == "cuda" else limits.memory  # CUDA maps far more than it uses
        self.send("begin", (device, limits.nice, memory, list(warmups)))

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, name: str, content: Any = None) -> None:
        """Send a message; a dead process is noticed by what is received."""
        with contextlib.suppress(OSError):
            self._line.send((name, content))

    def receive(self, timeout: float) -> tuple[str, Any]:
        """The next message, an empty one if none comes in time, or “lost” if there can be none any more."""
        try:
            return self._line.recv() if self._line.poll(timeout) else ("", None)
        except Exception as error:  # it is dead, or its answer cannot be read
            return "lost", error

    def end(self) -> None:
        """Kill it if it lives, and remove what it leaves."""
        self._process.kill()
        self._process.wait()
        self._line.close()
        if self._folder is not None:
            storage.remove_folder(self._folder)


class _Worker:
    """The other end: a thread that takes messages in while the main thread computes.

    Args:
        line: To the parent.
    """

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._sending = threading.Lock()
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._cancelled = False
        self._commands: list[dict[str, Any]] = []

    def serve(self) -> None:
        _, (self._device, nice, memory, warmups) = self._line.recv()
        if hasattr(os, "nice"):
            os.nice(nice)
        limit_memory(memory)
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            while True:
                if warmups:
                    try:
                        warmups.pop(0).answer(JobContext(self._device))
                    except Exception:
                        _log.exception("a worker could not warm up")
                with contextlib.suppress(queue.Empty):
                    while True:
                        name, content = self._inbox.get(timeout=_REST_S if warmups else None)
                        if name == "run":  # else it came too late for the job before
                            self._run(*content)
        finally:
            os._exit(1)  # at once: without memory Python would clear up for ever

    def _listen(self) -> None:
        try:
            while True:
                self._inbox.put(self._line.recv())
        finally:
            os._exit(0)  # the parent is gone, or there is no memory left to listen with

    def _run(self, request: Request[Any], long: bool) -> None:
        self._cancelled, self._commands = False, []
        job = JobContext(
            self._device,
            progress=lambda share, words: self._send("progress", (share, words)),
            cancelled=self._is_cancelled,
            emit=lambda event: self._send("event", event),
            commands=self._take_commands,
            short=not long,
        )
        reserve = bytes(_RESERVE)
        try:
            request.load()  # what is imported for the first time is none of the job's time
            self._send("started")
            self._send("done", request.answer(job))
        except TakesLongError:
            self._send("long")
        except UserError as error:
            self._send("failed", (error, False))
        except Exception as error:
            del reserve  # the answer below needs some
            no_memory = _lacks_memory(error)
            if job.cancelled():
                self._send("failed", (JobCancelledError(), no_memory))
                return
            _log.exception("%s failed", request.function)
            sentence = f"The computation failed with an unexpected error ({type(error).__name__})"
            sentence += "; the server's log has the details."
            if no_memory:
                sentence = "This needs more memory than one computation may use here"
                sentence += ": choose a smaller instance or fewer samples."
            on_gpu = self._device != "cpu"  # CUDA's errors stay with the process
            self._send("failed", (JobError(sentence), no_memory or on_gpu))

    def _is_cancelled(self) -> bool:
        while not self._inbox.empty():
            name, content = self._inbox.get()
            if name == "cancel":
                self._cancelled = True
            else:
                self._commands.append(content)
        return self._cancelled

    def _take_commands(self) -> list[dict[str, Any]]:
        self._is_cancelled()
        commands, self._commands = self._commands, []
        return commands

    def _send(self, name: str, content: Any = None) -> None:
        with self._sending:  # a job may emit from a thread of its own
            self._line.send((name, content))


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether there was no memory for an error, or for what it came of; torch has no type for that, only words."""
    while error is not None:
        words = str(error) if isinstance(error, RuntimeError) else ""
        if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__ or _NO_MEMORY.search(words):
            return True
        error = error.__cause__ or error.__context__
    return False


def limit_memory(most: int) -> None:
    """Let this process have no more bytes of its own, where the system can hold it to that; 0: as many as it wants.

    What is counted is what it can write to: the address space would also count libraries, and what is only reserved.
    """
    if sys.platform == "linux" and most:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, whose end is this one's too
    _Worker(Connection(int(sys.argv[1]))).serve()
