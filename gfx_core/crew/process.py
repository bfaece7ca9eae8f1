"""A worker process as its parent sees it."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gfx_core import temporary
from gfx_core.crew import wire
from gfx_core.crew.limits import Limits

_ROOT = Path(__file__).resolve().parents[2]


class WorkerProcess:
    """One running worker; it dies with this process.

    Args:
        device: Where it computes.
        limits: Of the crew that it belongs to.
        modules: Whose types may be sent, besides ours.
    """

    def __init__(self, device: str, limits: Limits, modules: Sequence[str]) -> None:
        path = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        environment = {"OMP_NUM_THREADS": str(limits.threads_each), **os.environ, "PYTHONPATH": path}
        self._folder: Path | None = None  # what its libraries leave there, as PyG does with code, goes with it
        with contextlib.suppress(OSError):
            self._folder = temporary.make_folder("gfx-worker-")
            environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._folder))
        memory = 0 if device == "cuda" else limits.memory  # CUDA maps far more than it uses
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gfx_core.crew.worker", device, str(limits.nice), str(memory), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # so that it never hears a Ctrl-C, not even before it can ignore it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._modules, self._sending = modules, threading.Lock()
        self._outbox: queue.SimpleQueue[bytes] | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, number: int, request: bytes, *, short: bool = False) -> Iterator[dict[str, Any]]:
        """Give it a packed request and wait for what it says, the answer last; ``EOFError`` or ``OSError`` on death.

        Args:
            number: Of the job.
            request: What is asked.
            short: Whether it stands among the short jobs: it says so where it finds that it takes long.
        """
        self._send(wire.pack({"kind": "job", "job": number, "short": short}), request)
        message: dict[str, Any] = {"kind": ""}
        while message["kind"] not in ("done", "refused", "failed", "stopped", "long"):
            message = wire.unpack(wire.read(self._from), self._modules)
            yield message

    def tell(self, number: int, command: dict[str, Any]) -> None:
        """Pass a command on to a live job. Returns at once; commands arrive in order."""
        if self._outbox is None:
            self._outbox = queue.SimpleQueue()
            threading.Thread(target=self._post, args=(self._outbox,), daemon=True).start()
        self._outbox.put(wire.pack({"kind": "command", "job": number, "command": command}))

    def _post(self, outbox: "queue.SimpleQueue[bytes]") -> None:
        with contextlib.suppress(OSError, ValueError):  # it may be dead, and its pipe closed
            while message := outbox.get():
                self._send(message)

    def ask_to_stop(self, number: int) -> None:
        """Tell it that nobody wants this job any more. Returns at once, even if it does not listen."""
        threading.Thread(target=self._ask_to_stop, args=(number,), daemon=True).start()

    def _ask_to_stop(self, number: int) -> None:
        with contextlib.suppress(OSError, ValueError):  # it may be dead, and its pipe closed
            self._send(wire.pack({"kind": "cancel", "job": number}))

    def _send(self, *messages: bytes) -> None:
        with self._sending:
            for message in messages:
                wire.write(self._to, message)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()

    def bury(self) -> str:
        """End it if it lives, wait for that, close the pipes, and say how it ended."""
        self._process.kill()
        code = self._process.wait()
        if self._outbox is not None:
            self._outbox.put(b"")  # its thread ends
        for pipe in (self._to, self._from):
            with contextlib.suppress(OSError):  # what was not sent has no reader any more
                pipe.close()
        if self._folder is not None:
            temporary.remove_folder(self._folder)
        if code >= 0:
            return f"with exit status {code}"
        name = signal.Signals(-code).name
        return "killed from outside (out of memory?)" if name == "SIGKILL" else f"by {name}"
