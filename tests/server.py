"""A server of its own, with the shipped settings."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
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


STREAMLIT = ("-m", "streamlit", "run", "app.py", "--server.headless=true", "--server.port")


@contextmanager
def running(data: Path, command: Sequence[str] = STREAMLIT, folder: Path = ROOT, **variables: str) -> Iterator[Server]:
    """The app, or a page of its own, on a free port of this computer, once it answers; it has ended afterwards.

    Args:
        data: The data folder, which also takes the server's log.
        command: What Python runs; the port follows.
        folder: Where it runs.
        variables: Of its environment.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ours = ("GFX_OWN", "PYTHONDONTWRITEBYTECODE")  # elsewhere only the very first start compiles
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment |= {"GFX_DATA": str(data), "PYTHONPATH": str(ROOT), **variables}
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
        process = subprocess.Popen(
            [sys.executable, *command, str(port)], cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            until(ready, between_s=0.1)
            yield Server(address, psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
