"""A worker process: how its parent sees it, and its life, one job after the other until the parent is gone.

It is started as ``python -m gfx_core.jobs.worker``, not by `multiprocessing`: that would run the main script again, and
in a Streamlit server the main script is whatever page is being shown. Messages are pairs of a name and its content.
They come in on stdin and go out on stdout, pickled: both ends are processes of ours.
"""

import contextlib
import logging
import os
import pickle  # noqa: TID251
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from gfx_core import storage
from gfx_core.errors import UserError
from gfx_core.job_context import JobContext, TakesLongError
from gfx_core.jobs.job import JobCancelledError, JobError, Request
from gfx_core.jobs.scheduler import JobLimits

_log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_RESERVE = 2**26  # bytes that a job cannot have, so that there is memory left to report that it had all the rest
_NO_MEMORY = re.compile("not enough memory|DefaultCPUAllocator|out of memory", re.IGNORECASE)  # torch's words


class WorkerProcess:
    """One running worker; it dies with this process.

    Args:
        device: Where it computes.
        limits: Of the pool that it belongs to.
        warmups: What it answers for itself, see `WorkerPool`.
    """

    def __init__(self, device: str, limits: JobLimits, warmups: Sequence[Request[Any]]) -> None:
        path = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        environment = {"OMP_NUM_THREADS": str(limits.threads_each), **os.environ, "PYTHONPATH": path}
        self._folder = None  # what its libraries leave there, as PyG does with code, goes with it
        with contextlib.suppress(OSError):
            self._folder = storage.make_folder("gfx-worker-")
            environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._folder))
        memory = 0 if device == "cuda" else limits.memory  # CUDA maps far more than it uses
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gfx_core.jobs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # so that it never hears a Ctrl-C, not even before it can ignore it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self.pid = self._process.pid
        self.kill = self._process.kill
        self._messages: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.send("begin", (device, limits.nice, memory, limits.warmup_s, list(warmups)))

    def _listen(self) -> None:
        try:
            while True:
                self._messages.put(pickle.load(self._out))
        except Exception as error:  # it is dead, or its answer cannot be read
            self._messages.put(("lost", error))

    def send(self, name: str, content: Any = None) -> None:
        """Send a message; a dead process is noticed by what is received."""
        data = pickle.dumps((name, content))
        with contextlib.suppress(OSError):
            self._in.write(data)
            self._in.flush()

    def receive(self, timeout: float | None = None) -> tuple[str, Any]:
        """The next message, “lost” if there can be none any more, or an empty one if none comes in time."""
        try:
            return self._messages.get(timeout=timeout)
        except queue.Empty:
            return "", None

    def terminate(self) -> None:
        """End it if it lives, wait for that, and remove what it leaves."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):  # what was not sent has no reader any more
                pipe.close()
        if self._folder is not None:
            storage.remove_folder(self._folder)


class _Worker:
    """The other end: a thread that takes messages in while the main thread computes."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Request[Any], JobContext]] = queue.SimpleQueue()
        self._sending = threading.Lock()
        self._in: IO[bytes] = os.fdopen(os.dup(0), "rb")
        self._out: IO[bytes] = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints must not get between the messages

    def serve(self) -> None:
        _, (self._device, nice, memory, warmup_s, warmups) = pickle.load(self._in)
        if hasattr(os, "nice"):
            os.nice(nice)
        limit_memory(memory)
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self._warm_up(warmups)
            self._send("ready")
            while True:
                try:
                    request, job = self._jobs.get(timeout=warmup_s if warmups else None)
                except queue.Empty:
                    self._warm_up(warmups)
                else:
                    self._run(request, job)
        finally:
            os._exit(1)  # at once: without memory Python would clear up for ever

    def _warm_up(self, warmups: list[Request[Any]]) -> None:
        """Answer the next of these for no client; one that fails is in the log."""
        try:
            if warmups:
                warmups.pop(0).answer(JobContext(self._device))
        except Exception:
            _log.exception("a worker could not warm up")

    def _listen(self) -> None:
        """Take messages while a job runs; commands and cancels are for the one that came last."""
        cancelled: threading.Event
        commands: queue.SimpleQueue[dict[str, Any]]
        try:
            while True:
                name, content = pickle.load(self._in)
                if name == "run":
                    cancelled, commands = threading.Event(), queue.SimpleQueue()
                    self._jobs.put((content[0], self._context(content[1], cancelled, commands)))
                elif name == "cancel":
                    cancelled.set()
                else:
                    commands.put(content)
        finally:
            os._exit(0)  # the parent is gone, or there is no memory left to listen with

    def _context(
        self, short: bool, cancelled: threading.Event, commands: "queue.SimpleQueue[dict[str, Any]]"
    ) -> JobContext:
        return JobContext(
            self._device,
            progress=lambda share, words: self._send("progress", (share, words)),
            cancelled=cancelled.is_set,
            emit=lambda event: self._send("event", event),
            commands=lambda: [commands.get() for _ in range(commands.qsize())],
            short=short,
        )

    def _run(self, request: Request[Any], job: JobContext) -> None:
        reserve = bytes(_RESERVE)
        self._send("started")
        try:
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
            _log.exception("%s failed", type(request).__name__)
            on_gpu = self._device != "cpu"  # CUDA's errors stay with the process
            self._send("failed", (JobError(_sentence(error, no_memory)), no_memory or on_gpu))

    def _send(self, name: str, content: Any = None) -> None:
        data = pickle.dumps((name, content))
        with self._sending:  # a job may emit from a thread of its own
            self._out.write(data)
            self._out.flush()


def _sentence(error: Exception, no_memory: bool) -> str:
    if no_memory:
        return "This needs more memory than one computation may use here: choose a smaller instance or fewer samples."
    kind = type(error).__name__
    return f"The computation failed with an unexpected error ({kind}); the server's log has the details."


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
    _Worker().serve()
