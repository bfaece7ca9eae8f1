"""A worker process as its parent sees it."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from gfx_core.jobs import wire

_ROOT = Path(__file__).resolve().parents[2]


class WorkerProcess:
    """One running worker; starting it does not wait until it is prepared.

    Args:
        device: Where it computes.
        prepare: ``module:function`` that it calls with its device before its first job, empty for nothing.
        threads: How many threads its numerical libraries may use.
    """

    def __init__(self, device: str, prepare: str, threads: int) -> None:
        path = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        environment = {"OMP_NUM_THREADS": str(threads), **os.environ, "PYTHONPATH": path}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gfx_core.jobs.worker", device, prepare],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self._sending = threading.Lock()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: bytes) -> None:
        """Give it a packed message; ``OSError`` if it is dead."""
        assert self._process.stdin is not None
        with self._sending:
            wire.send_packed(self._process.stdin, message)  # type: ignore[arg-type]

    def receive(self) -> dict[str, Any]:
        """Wait for a message; ``EOFError`` or ``OSError`` if it is dead."""
        assert self._process.stdout is not None
        message: dict[str, Any] = wire.receive(self._process.stdout)  # type: ignore[arg-type]
        return message

    def ask_to_stop(self, job: int) -> None:
        """Tell it that nobody wants this job any more. Returns at once, even if it does not listen."""
        threading.Thread(target=self._ask_to_stop, args=(job,), daemon=True).start()

    def _ask_to_stop(self, job: int) -> None:
        with contextlib.suppress(OSError, ValueError):  # it may be dead, and its pipe closed
            self.send(wire.pack({"kind": "cancel", "job": job}))

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()

    def bury(self) -> None:
        """End it, wait for that, and close the pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was not sent has no reader any more
                pipe.close()
