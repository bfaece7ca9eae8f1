"""Files that are whole or not there, what is kept in memory on a full disk, and folders that end with their process."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

from gfx_core import storage
from gfx_core.cli import written
from gfx_core.files import (
    UnwrittenError,
    disk_is_full,
    read_tensors,
    replacing,
    tensor_bytes,
    why_unwritten,
    write_tensors,
)
from tests.conftest import ROOT
from tests.patience import PATIENCE_S

_MAKES = """
import os, signal
from pathlib import Path
from gfx_core.storage import make_folder
(make_folder("gfx-test-", Path({base!r})) / "file").write_text("x")
os.kill(os.getpid(), {signal})
"""


@contextmanager
def full_disk(most: int = 100) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes: the system refuses as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GFX_MEMORY", str(tmp_path / "memory"))


def write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text)


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write(path, "first")
    with full_disk(3), pytest.raises(OSError, match="large") as caught:
        write(path, "second")
    assert disk_is_full(caught.value)
    assert why_unwritten(caught.value) == "the disk is full"
    assert path.read_text() == "first"
    with replacing(path) as one:  # two may write it at once
        one.write_text("one")
        write(path, "other")
        assert path.read_text() == "other"
    assert path.read_text() == "one"
    assert os.listdir(path.parent) == ["file"]


def test_tensors_on_a_full_disk_are_a_sentence(tmp_path: Path) -> None:
    path, tensors = tmp_path / "weights.safetensors", {"x": torch.zeros(1000)}
    write_tensors(path, {"x": torch.ones(2)}, {})
    assert tensor_bytes({"x": torch.ones(2)}, {}) == path.read_bytes()
    with (
        full_disk(),
        pytest.raises(UnwrittenError, match=r"^weights.safetensors cannot be written: the disk is full\.$"),
    ):
        write_tensors(path, tensors, {})
    assert read_tensors(path)["x"].tolist() == [1, 1]
    assert os.listdir(tmp_path) == ["weights.safetensors"]
    with pytest.raises(UnwrittenError, match="the folder cannot be written"):
        write_tensors(path / "a file is no folder", tensors, {})


def test_what_a_command_took_long_to_make_is_written_somewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "file").write_text("no folder")
    weights = partial(write_tensors, tensors={"x": torch.ones(2)}, header={})
    kept = written(weights, tmp_path / "file" / "weights")
    assert kept == tmp_path / "elsewhere" / "weights"
    assert read_tensors(kept)["x"].tolist() == [1, 1]
    assert "weights cannot be written: the folder cannot be written. It is in " in capsys.readouterr().err
    assert written(weights, tmp_path / "weights") == tmp_path / "weights"


def test_what_cannot_be_written_is_kept_in_memory_and_the_page_says_so(tmp_path: Path) -> None:
    path = tmp_path / "data" / "kind" / "one"
    assert storage.keep(path, lambda place: write(place, "on disk"), 2) == storage.find(path) == path
    assert storage.problem() == ""

    def write_large(place: Path) -> None:
        if not place.is_relative_to(tmp_path / "memory"):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(place, "in memory")

    def write_large_nowhere(place: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    other = path.with_name("other")
    kept = storage.keep(other, write_large, 2)
    assert kept is not None
    assert kept.is_relative_to(tmp_path / "memory")
    assert storage.find(other) == kept
    assert storage.keep(other, write_large_nowhere, 2) is None
    page = AppTest.from_string("from pages.ui.jobs import show_storage_problem\nshow_storage_problem()").run()
    assert "could not be written to the disk, so they stay in memory until the server stops" in page.caption[0].value


def test_only_the_newest_are_kept_and_no_remains(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.x").write_text("")
        os.utime(folder / f"{number}.x", (number, number))
    (folder / "5.x.1-2.part").write_text("is being written")
    (folder / "6.x.3-4.part").write_text("its process was killed")
    os.utime(folder / "6.x.3-4.part", (0, 0))
    storage.keep(folder / "new.x", lambda place: write(place, ""), 2)
    assert sorted(os.listdir(folder)) == ["3.x", "5.x.1-2.part", "new.x"]


def test_memory_ends_with_the_process_and_is_shared_with_those_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GFX_MEMORY")
    lines = "from gfx_core import storage; storage._WITHOUT_DISK = storage.Path({!r}); print(storage.memory_root())"
    (tmp_path / "gfx-memory-999999999-left").mkdir()  # no process has such a number
    code = lines.format(str(tmp_path)) + "; import os; assert os.environ['GFX_MEMORY'] == str(storage.memory_root())"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert Path(found).parent == tmp_path
    assert os.listdir(tmp_path) == []


def test_a_folder_is_private_and_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    made = storage.make_folder("gfx-test-", tmp_path)
    (made / "deep").mkdir()
    (made / "deep" / "file").write_text("x")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    other = storage.make_folder("gfx-test-", tmp_path)
    assert made.is_dir()  # it is no remainder
    storage.remove_folder(made)
    storage.remove_folder(made)
    assert os.listdir(tmp_path) == [other.name]
    storage.remove_folder(other)


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders there")
@pytest.mark.parametrize(("ended_by", "left"), [(signal.SIGKILL, 1), (signal.SIGTERM, 1), (signal.SIGINT, 0)])
def test_what_a_killed_process_left_goes_when_the_next_is_made(
    tmp_path: Path, ended_by: signal.Signals, left: int
) -> None:
    code = _MAKES.format(base=str(tmp_path), signal=int(ended_by))
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.DEVNULL, timeout=PATIENCE_S)
    assert len(os.listdir(tmp_path)) == left
    (tmp_path / "gfx-other-1").mkdir()
    made = storage.make_folder("gfx-test-", tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted(["gfx-other-1", made.name])
    storage.remove_folder(made)


def test_what_was_used_last_is_kept_whatever_other_threads_take_out() -> None:
    kept: storage.Recent[int, int] = storage.Recent(2)
    for key in (1, 2, 1, 3):
        assert kept.find(key, lambda key=key: -key) == -key
    assert list(kept) == [1, 3]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda at: kept.find(at % 5, lambda: at % 5), range(4000)))
    assert [abs(value) for value in found] == [at % 5 for at in range(4000)]
