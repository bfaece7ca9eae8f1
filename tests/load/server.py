"""A server of its own, with the shipped settings: its memory, its workers, and what it leaves behind."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.conftest import ROOT
from tests.patience import PATIENCE_S, until


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
        self.process = psutil.Process(process.pid)
        self._seen: set[psutil.Process] = set()

    def use(self) -> Use:
        """What it takes now."""
        workers = self.process.children(recursive=True)
        self._seen.update(workers)
        shared = [_megabytes(worker) for worker in workers]
        return Use(_megabytes(self.process), sum(shared), len(workers), self.process.num_fds())

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
def running(data: Path, page: Path | str = "app.py", installed: Path | None = None) -> Iterator[Server]:
    """The app, or a page of its own, on a free port of this computer, once it answers; it has ended afterwards.

    Args:
        data: The data folder, which also takes the server's log.
        page: What is served.
        installed: A folder of packages with ours: it is started as `gfx-explorer` starts it, from the data folder.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(page), "--server.headless=true", f"--server.port={port}"]
    if installed is not None:
        start = "from gfx_core.__main__ import explorer; explorer()"
        command = [sys.executable, "-c", start, "--headless", "--port", str(port)]
    environment = {**os.environ, "GFX_DATA": str(data), "PYTHONPATH": str(installed or ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # on anybody's computer only the very first start compiles
    address, log = f"http://127.0.0.1:{port}", data / "server.log"

    def ready() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"The server did not start: {log.read_text(errors='replace')[-2000:]}")
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE_S).close()
        except OSError:
            return False
        return True

    with log.open("wb") as out:
        folder = data if installed else ROOT
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            until(ready, between_s=0.1)
            yield Server(process, address)
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
