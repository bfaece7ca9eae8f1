"""The life of a worker process: one job after the other, until the other side is gone.

It is started as ``python -m gfx_core.crew.worker``, not by `multiprocessing`: that would run the main script again, and
in a Streamlit server the main script is whatever page is being shown. Messages come in on stdin and go out on stdout.
"""

import contextlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any

from gfx_core.crew import wire
from gfx_core.crew.context import JobContext, TakesLongError
from gfx_core.errors import UserError


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
        while True:
            self._run(*self._jobs.get())

    def _listen(self) -> None:
        """Take messages while a job runs; without a parent nobody wants an answer, so end at once."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                message = wire.unpack(wire.read(self._in))
                if message["kind"] == "cancel":
                    self._cancelled.add(message["job"])
                elif message["kind"] == "command":
                    self._told(message["job"]).put(message["command"])
                else:
                    request = wire.read(self._in)  # unpacked by its job: that may import much
                    self._jobs.put((message["job"], message["short"], request))
        os._exit(0)

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

        self._send(kind="started")
        job = JobContext(self._device, tell, cancelled, emit, commands, short=short)
        answer: dict[str, Any] = {"value": None, "sentence": "", "details": ""}
        try:
            value = wire.unpack(request, self._modules).answer(job)
            packed = self._packed(**answer | {"kind": "done", "value": value, "retired": job.retired})
        except TakesLongError:
            packed = self._packed(**answer, kind="long", retired=job.retired)
        except Exception as error:
            answer |= {"sentence": _sentence(error), "details": traceback.format_exc()}
            answer["kind"] = "refused" if isinstance(error, UserError) else "stopped" if cancelled() else "failed"
            spoilt = answer["kind"] == "failed" and self._device != "cpu"  # CUDA's errors stay
            packed = self._packed(**answer, retired=job.retired or spoilt)
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
    kind = type(error).__name__
    if isinstance(error, MemoryError) or "OutOfMemory" in kind:
        return "There is not enough memory for this: choose a smaller instance or fewer samples."
    return f"The computation failed for a reason it did not expect ({kind}); the server's log has the details."


def main(device: str, nice: str, *modules: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, whose end is this one's too
    if hasattr(os, "nice"):
        os.nice(int(nice))
    _Worker(device, modules).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
