"""The life of a worker process: prepare once, then one job after the other, until the other side is gone.

It is started as ``python -m gfx_core.jobs.worker``, not by `multiprocessing`: that would run the main script again, and
in a Streamlit server the main script is whatever page is being shown. Messages come in on stdin and go out on stdout.
"""

import contextlib
import logging
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

from gfx_core.errors import UserError
from gfx_core.jobs import wire
from gfx_core.jobs.context import JobContext

_log = logging.getLogger(__name__)

Message = dict[str, Any]

_BEHIND_PAGES = 5  # how nice a worker is: where cores are few, the server that sends the pages goes first


class _Worker:
    def __init__(self, device: str) -> None:
        self._device = device
        self._incoming: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints must not get between the messages
        threading.Thread(target=self._listen, daemon=True).start()

    def serve(self, prepare: str) -> None:
        if prepare:
            try:
                _function(prepare)(self._device)
            except Exception:  # a job will say what is wrong, to the one who asked
                _log.warning("a worker could not be prepared", exc_info=True)
        wire.send(self._out, {"kind": "ready"})
        while True:
            self._run(self._incoming.get())

    def _listen(self) -> None:
        """Take messages while a job runs; without a parent nobody wants an answer, so end at once."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                message = wire.receive(self._in)
                if message["kind"] == "cancel":
                    self._cancelled.add(message["job"])
                else:
                    self._incoming.put(message)
        os._exit(0)

    def _run(self, message: Message) -> None:
        number = message["job"]

        def cancelled() -> bool:
            return number in self._cancelled

        def tell(share: float, words: str) -> None:
            wire.send(self._out, {"kind": "progress", "share": share, "words": words})

        wire.send(self._out, {"kind": "started"})
        context = JobContext(self._device, tell, cancelled)
        try:
            value = _function(message["function"])(context, **message["arguments"])
            answer = wire.pack({"kind": "done", "value": value})
        except UserError as error:
            answer = wire.pack({"kind": "refused", "sentence": str(error)})
        except Exception as error:
            about = {"kind": "failed", "sentence": _sentence(error), "details": traceback.format_exc()}
            answer = wire.pack({"kind": "stopped"} if cancelled() else about)
        self._cancelled.discard(number)
        wire.send_packed(self._out, answer)


def _sentence(error: Exception) -> str:
    kind = type(error).__name__
    if isinstance(error, MemoryError) or "OutOfMemory" in kind:
        return "There is not enough memory for this: choose a smaller instance or fewer samples."
    return f"The computation failed for a reason it did not expect ({kind}); the server's log has the details."


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def main(device: str, prepare: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, whose end is this one's too
    if hasattr(os, "nice"):
        os.nice(_BEHIND_PAGES)
    _Worker(device).serve(prepare)


if __name__ == "__main__":
    main(*sys.argv[1:])
