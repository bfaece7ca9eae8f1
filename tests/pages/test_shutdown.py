"""What visitors brought is gone with the server, however it ends."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.patience import PATIENCE_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def server(folder: Path, *command: str) -> "Iterator[subprocess.Popen[bytes]]":
    """A real one, whose temporary files are in this folder."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name not in ("GFX_OWN", "GFX_MEMORY")}
    environment |= {"TMPDIR": str(folder), "GFX_DATA": str(folder.parent / "data")}
    arguments = [sys.executable, *command, str(port)]
    process = subprocess.Popen(arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)

    def answers() -> bool:
        assert process.poll() is None
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=PATIENCE_S).close()
        except OSError:
            return False
        return True

    try:
        until(answers)
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)


STREAMLIT = ("-m", "streamlit", "run", "app.py", "--server.headless=true", "--server.port")


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("command", [STREAMLIT, ("app.py", "--headless", "--port")], ids=["streamlit", "python"])
def test_a_terminated_server_and_the_one_after_a_killed_one_leave_nothing(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()

    def brought() -> list[Path]:
        return list(folder.rglob("data.safetensors"))

    def bring() -> None:
        (room,) = (made for made in folder.glob("gfx-own-*") if not any(made.iterdir()))
        (room / "visit").mkdir()
        (room / "visit" / "data.safetensors").write_bytes(b"somebody's own")

    with server(folder, *command) as first:
        bring()
        first.send_signal(signal.SIGKILL)
        first.wait(PATIENCE_S)
    assert brought()
    with server(folder, *command) as second:
        assert not brought()
        bring()
        second.send_signal(signal.SIGTERM)
        second.wait(PATIENCE_S)
    assert os.listdir(folder) == []
