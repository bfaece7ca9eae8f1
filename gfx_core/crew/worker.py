"""The life of a worker process: one job after the other, until the other side is gone.

It is started as ``python -m gfx_core.crew.worker``, not by `multiprocessing`: that would run the main script again, and
in a Streamlit server the main script is whatever page is being shown. Messages come in on stdin and go out on stdout.
"""

import contextlib
import os
import queue
import re
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any

from gfx_core.crew import wire
from gfx_core.crew.context import JobContext, TakesLongError
from gfx_core.errors import UserError

_RESERVE = 2**26  # bytes that a job cannot have, so that there is memory left to say that it had all the rest
_NO_MEMORY = re.compile("not enough memory|DefaultCPUAllocator|out of memory", re.IGNORECASE)  # torch's words


class _Worker:
    def __init__(self, device: str, modules: Sequence[str]) -> None:
        self._device, self._modules = device, modules
        self._jobs: queue.SimpleQueue[tuple[int, bool, bytes]] = queue.SimpleQueue()
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
                self._run(*self._jobs.get())
        finally:
            os._exit(1)  # at once: without memory Python would clear up for ever

    def _listen(self) -> None:
        """Take messages while a job runs; without a parent nobody wants an answer, so end at once."""
        try:
            while True:
                message = wire.unpack(wire.read(self._in))
                if message["kind"] == "cancel":
                    self._cancelled.add(message["job"])
                elif message["kind"] == "command":
                    self._told(message["job"]).put(message["command"])
                else:
                    request = wire.read(self._in)  # unpacked by its job: that may import much
                    self._jobs.put((message["job"], message["short"], request))
        except (EOFError, OSError):
            os._exit(0)
        except MemoryError:  # a worker that is deaf would never be given another job
            os._exit(1)

    def _told(self, number: int) -> "queue.SimpleQueue[dict[str, Any]]":
        """What was sent to a job; it may come before the job itself does."""
        return self._commands.setdefault(number, queue.SimpleQueue())

    def _run(self, number: int, short: bool, request: bytes) -> None:
        def cancelled() -> bool:
            return number in self._cancelled

        def tell(share: float, words: str) -> None:
            self._send(kind="progress", share=share, words=words)

        def emit(event: dict[str, Any]) -> None:
            self._send(kind="event", event=event)

        def commands() -> list[dict[str, Any]]:
            told, waiting = [], self._told(number)
            with contextlib.suppress(queue.Empty):
                while True:
                    told.append(waiting.get_nowait())
            return told

        reserve = bytes(_RESERVE)
        job = JobContext(self._device, tell, cancelled, emit, commands, short=short)
        answer: dict[str, Any] = {"value": None, "sentence": "", "details": ""}
        try:
            asked = wire.unpack(request, self._modules)  # imports what it needs, which is no time of the job's
            self._send(kind="started")
            value = asked.answer(job)
            packed = self._packed(**answer | {"kind": "done", "value": value, "retired": job.retired})
        except TakesLongError:
            packed = self._packed(**answer, kind="long", retired=job.retired)
        except Exception as error:
            del reserve  # what is said below needs some
            answer |= {"sentence": _sentence(error), "details": traceback.format_exc()}
            answer["kind"] = "refused" if isinstance(error, UserError) else "stopped" if cancelled() else "failed"
            spoilt = answer["kind"] == "failed" and self._device != "cpu"  # CUDA's errors stay
            packed = self._packed(**answer, retired=job.retired or spoilt or _lacks_memory(error))
        self._cancelled.discard(number)
        self._commands.pop(number, None)
        with self._sending:
            wire.write(self._out, packed)

    def _packed(self, **message: Any) -> bytes:
        return wire.pack(message, self._modules)

    def _send(self, **message: Any) -> None:
        packed = self._packed(**message)
        with self._sending:  # a job may emit from a thread of its own
            wire.write(self._out, packed)


def _sentence(error: Exception) -> str:
    if isinstance(error, UserError):
        return str(error)
    if _lacks_memory(error):
        return "This needs more memory than one computation may have here: choose a smaller instance or fewer samples."
    kind = type(error).__name__
    return f"The computation failed for a reason it did not expect ({kind}); the server's log has the details."


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


def main(device: str, nice: str, memory: str, *modules: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, whose end is this one's too
    if hasattr(os, "nice"):
        os.nice(int(nice))
    limit_memory(int(memory))
    _Worker(device, modules).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
