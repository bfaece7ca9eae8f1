"""Folders that end with the process that made them."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gfx_core import temporary
from tests.conftest import ROOT
from tests.patience import PATIENCE_S

_MAKES = """
import os, signal
from pathlib import Path
from gfx_core.temporary import make_folder
(make_folder("gfx-test-", Path({base!r})) / "file").write_text("x")
os.kill(os.getpid(), {signal})
"""


def test_a_folder_is_private_and_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    made = temporary.make_folder("gfx-test-", tmp_path)
    (made / "deep").mkdir()
    (made / "deep" / "file").write_text("x")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    other = temporary.make_folder("gfx-test-", tmp_path)
    assert made.is_dir()  # it is no remainder
    temporary.remove_folder(made)
    temporary.remove_folder(made)
    assert os.listdir(tmp_path) == [other.name]
    temporary.remove_folder(other)


def test_it_can_be_made_nowhere(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        temporary.make_folder("gfx-test-", tmp_path / "missing")


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders there")
@pytest.mark.parametrize(("ended_by", "left"), [(signal.SIGKILL, 1), (signal.SIGTERM, 1), (signal.SIGINT, 0)])
def test_what_a_killed_process_left_goes_when_the_next_is_made(
    tmp_path: Path, ended_by: signal.Signals, left: int
) -> None:
    code = _MAKES.format(base=str(tmp_path), signal=int(ended_by))
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.DEVNULL, timeout=PATIENCE_S)
    assert len(os.listdir(tmp_path)) == left
    (tmp_path / "gfx-other-1").mkdir()
    made = temporary.make_folder("gfx-test-", tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted(["gfx-other-1", made.name])
    temporary.remove_folder(made)
