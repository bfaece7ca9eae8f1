"""A worker process: its life, one job after the other until the other side is gone, and how its parent sees it.

It is started as ``python -m gfx_core.jobs.worker``, not by `multiprocessing`: that would run the main script again, and
in a Streamlit server the main script is whatever page is being shown. Messages come in on stdin and go out on stdout.
"""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gfx_core import storage
from gfx_core.errors import UserError
from gfx_core.job_context import JobContext, TakesLongError
from gfx_core.jobs import messages
from gfx_core.jobs.messages import (
    Cancel,
    Command,
    Done,
    Event,
    Failed,
    FromWorker,
    Progress,
    RunJob,
    Started,
    TakesLong,
)
from gfx_core.limits import JobLimits

_ROOT = Path(__file__).resolve().parents[2]
_RESERVE = 2**26  # bytes that a job cannot have, so that there is memory left to say that it had all the rest
_NO_MEMORY = re.compile("not enough memory|DefaultCPUAllocator|out of memory", re.IGNORECASE)  # torch's words


class WorkerProcess:
    """One running worker; it dies with this process.

    Args:
        device: Where it computes.
        limits: Of the pool that it belongs to.
    """

    def __init__(self, device: str, limits: JobLimits) -> None:
        path = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        environment = {"OMP_NUM_THREADS": str(limits.threads_each), **os.environ, "PYTHONPATH": path}
        self._folder: Path | None = None  # what its libraries leave there, as PyG does with code, goes with it
        with contextlib.suppress(OSError):
            self._folder = storage.make_folder("gfx-worker-")
            environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._folder))
        memory = 0 if device == "cuda" else limits.memory  # CUDA maps far more than it uses
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gfx_core.jobs.worker", device, str(limits.nice), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # so that it never hears a Ctrl-C, not even before it can ignore it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._sending = threading.Lock()
        self._outbox: queue.SimpleQueue[Command | Cancel | None] = queue.SimpleQueue()
        threading.Thread(target=self._send_outbox, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self, number: int, request: bytes, *, short: bool = False) -> Iterator[FromWorker]:
        """Give it an encoded request and yield what it says, the answer last; ``EOFError`` or ``OSError`` on death.

        Args:
            number: Of the job.
            request: What is asked.
            short: Whether it stands among the short jobs: it says so where it finds that it takes long.
        """
        self._send(RunJob(number, short, request))
        message: FromWorker = Started()
        while not isinstance(message, Done | Failed | TakesLong):
            message = messages.read_message(self._from, FromWorker)
            yield message

    def post(self, message: Command | Cancel) -> None:
        """Send a message after those before it. Returns at once, even if nobody listens."""
        self._outbox.put(message)

    def _send_outbox(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # it may be dead, and its pipe closed
            while message := self._outbox.get():
                self._send(message)

    def _send(self, message: messages.ToWorker) -> None:
        with self._sending:
            messages.write_message(self._to, message)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()

    def terminate(self) -> str:
        """End it if it lives, wait for that, close the pipes, and say how it ended."""
        self._process.kill()
        code = self._process.wait()
        self._outbox.put(None)  # its thread ends
        for pipe in (self._to, self._from):
            with contextlib.suppress(OSError):  # what was not sent has no reader any more
                pipe.close()
        if self._folder is not None:
            storage.remove_folder(self._folder)
        if code >= 0:
            return f"with exit status {code}"
        name = signal.Signals(-code).name
        return "killed from outside (out of memory?)" if name == "SIGKILL" else f"by {name}"


class _Worker:
    def __init__(self, device: str) -> None:
        self._device = device
        self._jobs: queue.SimpleQueue[RunJob] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._commands: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}  # by job
        self._sending = threading.Lock()
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints must not get between the messages
        threading.Thread(target=self._listen, daemon=True).start()

    def serve(self) -> None:
        try:
            while True:
                self._run(self._jobs.get())
        finally:
            os._exit(1)  # at once: without memory Python would clear up for ever

    def _listen(self) -> None:
        """Take messages while a job runs; without a parent nobody wants an answer, so end at once."""
        try:
            while True:
                message = messages.read_message(self._in, messages.ToWorker)
                if isinstance(message, Cancel):
                    self._cancelled.add(message.job)
                elif isinstance(message, Command):
                    self._commands_of(message.job).put(message.command)
                else:
                    self._jobs.put(message)
        except (EOFError, OSError):
            os._exit(0)
        except MemoryError:  # a worker that is deaf would never be given another job
            os._exit(1)

    def _commands_of(self, number: int) -> "queue.SimpleQueue[dict[str, Any]]":
        """What was sent to a job; it may come before the job itself does."""
        return self._commands.setdefault(number, queue.SimpleQueue())

    def _run(self, run: RunJob) -> None:
        def cancelled() -> bool:
            return run.job in self._cancelled

        def commands() -> list[dict[str, Any]]:
            waiting = self._commands_of(run.job)
            return [waiting.get() for _ in range(waiting.qsize())]  # nobody else takes any

        reserve = bytes(_RESERVE)
        job = JobContext(
            self._device,
            lambda share, words: self._send(Progress(share, words)),
            cancelled,
            lambda event: self._send(Event(event)),
            commands,
            short=run.short,
        )
        answer: FromWorker
        try:
            request = messages.decode_request(run.request)  # its imports are no time of the job's
            self._send(Started())
            answer = Done(messages.encode(request.answer(job)))
        except TakesLongError:
            answer = TakesLong()
        except Exception as error:
            del reserve  # the answer below needs some
            failed = Failed("failed", _sentence(error), traceback.format_exc(), _lacks_memory(error))
            failed.kind = "refused" if isinstance(error, UserError) else "stopped" if cancelled() else "failed"
            failed.retired |= failed.kind == "failed" and self._device != "cpu"  # CUDA's errors stay
            answer = failed
        self._cancelled.discard(run.job)
        self._commands.pop(run.job, None)
        self._send(answer)

    def _send(self, message: FromWorker) -> None:
        with self._sending:  # a job may emit from a thread of its own
            messages.write_message(self._out, message)


def _sentence(error: Exception) -> str:
    if isinstance(error, UserError):
        return str(error)
    if _lacks_memory(error):
        return "This needs more memory than one computation may use here: choose a smaller instance or fewer samples."
    kind = type(error).__name__
    return f"The computation failed with an unexpected error ({kind}); the server's log has the details."


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether an error, or what it came of, says that there is no more memory; torch says so in words only."""
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


def main(device: str, nice: str, memory: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, whose end is this one's too
    if hasattr(os, "nice"):
        os.nice(int(nice))
    limit_memory(int(memory))
    _Worker(device).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
