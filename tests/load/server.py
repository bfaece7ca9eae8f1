"""A server of its own, with the shipped settings."""

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
class Server:
    """A running server: where it is, and its process, whose children are its workers."""

    address: str
    process: psutil.Process

    def megabytes(self) -> tuple[float, float]:
        """Memory of the pages' process, and of all its workers together."""
        workers = 0
        for worker in self.process.children(recursive=True):
            try:
                workers += worker.memory_info().rss
            except psutil.Error:  # it has just ended
                continue
        return self.process.memory_info().rss / 1e6, workers / 1e6


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
            yield Server(address, psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
