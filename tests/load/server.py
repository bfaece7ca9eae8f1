"""A server of its own to be measured, with the shipped settings: its memory, its workers, and what it leaves behind."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.conftest import ROOT

_START_S = 60
_END_S = 30


@dataclass(frozen=True)
class Use:
    """What a server takes at one moment.

    Attributes:
        server_mb: Memory of the pages' process.
        workers_mb: Memory of all processes below it.
        workers: How many these are.
        files: Open files and connections of the pages' process.
    """

    server_mb: float
    workers_mb: float
    workers: int
    files: int


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.address = address
        self._process = psutil.Process(process.pid)
        self._seen: set[psutil.Process] = set()

    def use(self) -> Use:
        """What it takes now."""
        workers = self._process.children(recursive=True)
        self._seen.update(workers)
        shared = [_megabytes(worker) for worker in workers]
        return Use(_megabytes(self._process), sum(shared), len(workers), self._process.num_fds())

    def left_behind(self) -> int:
        """How many of its processes are still there, once it has ended."""
        _, alive = psutil.wait_procs(list(self._seen), timeout=5)
        return len(alive)


def _megabytes(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss) / 1e6
    except psutil.Error:  # it has just ended
        return 0.0


@contextmanager
def running(data: Path) -> Iterator[Server]:
    """A server on a free port of this computer; it has ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    address, log = f"http://127.0.0.1:{port}", data / "server.log"
    with log.open("wb") as out:
        environment = {**os.environ, "GFX_DATA": str(data)}
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            _wait_for(address, log)
            yield Server(process, address)
        finally:
            process.terminate()
            process.wait(_END_S)


def _wait_for(address: str, log: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"The server did not start: {log.read_text(errors='replace')[-1000:]}")
