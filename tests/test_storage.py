"""Files that are whole or not there, and what is kept in memory where the disk cannot be written."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
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
    assert os.listdir(path.parent) == ["file"]


def test_two_may_write_the_same_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as one:
        one.write_text("one")
        with replacing(path) as other:
            assert one != other
            other.write_text("other")
        assert path.read_text() == "other"
    assert path.read_text() == "one"
    assert os.listdir(tmp_path) == ["file"]


def test_tensors_on_a_full_disk_are_a_sentence(tmp_path: Path) -> None:
    path, tensors = tmp_path / "weights.safetensors", {"x": torch.zeros(1000)}
    write_tensors(path, {"x": torch.ones(2)}, {})
    with (
        full_disk(),
        pytest.raises(UnwrittenError, match=r"^weights.safetensors cannot be written: the disk is full\.$"),
    ):
        write_tensors(path, tensors, {})
    assert read_tensors(path)["x"].tolist() == [1, 1]
    assert os.listdir(tmp_path) == ["weights.safetensors"]
    with pytest.raises(UnwrittenError, match="the folder cannot be written"):
        write_tensors(path / "a file is no folder", tensors, {})


def test_tensors_without_a_disk_are_the_same_bytes(tmp_path: Path) -> None:
    tensors, header = {"b": torch.ones(3), "a": torch.arange(4.0).reshape(2, 2).T}, {"schema": 1}
    write_tensors(tmp_path / "weights", tensors, header)
    assert tensor_bytes(tensors, header) == (tmp_path / "weights").read_bytes()


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


def test_what_cannot_be_written_is_kept_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "data" / "kind" / "one"
    assert storage.keep(path, lambda place: write(place, "on disk")) == storage.find(path) == path
    other = path.with_name("other")
    path.parent.chmod(0o500)
    if os.access(path.parent, os.W_OK):  # whoever may do anything is kept out another way
        path.unlink()
        path.parent.rmdir()
        path.parent.write_text("in the way")
    kept = storage.keep(other, lambda place: write(place, "in memory"))
    assert kept is not None
    assert kept.is_relative_to(tmp_path / "memory")
    assert storage.find(other) == kept
    assert kept in storage.kept_files(path.parent, "*")
    storage.drop(other)
    assert storage.find(other) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    def refuse(place: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert storage.keep(tmp_path / "data" / "file", refuse) is None


def test_another_data_folder_has_memory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_text("in the way")
    storage.keep(tmp_path / "data" / "file", lambda place: write(place, "x"))
    assert storage.find(tmp_path / "data" / "file") is not None
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "other"))
    assert storage.find(tmp_path / "other" / "file") is None


def test_only_the_newest_are_kept_and_no_remains(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.x").write_text("")
        os.utime(folder / f"{number}.x", (number, number))
    (folder / "5.x.1-2.part").write_text("somebody is at it")
    (folder / "6.x.3-4.part").write_text("somebody was killed")
    os.utime(folder / "6.x.3-4.part", (0, 0))
    storage.forget_old(folder, "*.x", 2)
    assert sorted(os.listdir(folder)) == ["2.x", "3.x", "5.x.1-2.part"]


def test_the_problem_in_a_sentence(tmp_path: Path) -> None:
    assert storage._problem(tmp_path / "data", -1) == ""
    assert os.listdir(tmp_path / "data") == []
    with full_disk():
        assert "until the server ends: the disk is full." in storage._problem(tmp_path / "data", -2)
    (tmp_path / "file").write_text("")
    assert "the folder cannot be written" in storage._problem(tmp_path / "file", -3)
    assert os.listdir(tmp_path / "data") == []


def test_what_did_not_fit_on_a_disk_with_some_room_is_told_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "_problem", lambda _root, _minute: "")  # a small file fits
    disk, policy = tmp_path / "data", tmp_path / "data" / "policies" / "policy"

    def write_large(place: Path) -> None:
        if place.is_relative_to(disk):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(place, "large")

    storage.keep(policy, lambda place: write(place, "small"))
    assert storage.problem() == ""
    kept = storage.keep(policy.with_name("other"), write_large)
    assert kept is not None
    assert kept.read_text() == "large"
    page = AppTest.from_string("from pages.ui.jobs import show_storage_problem\nshow_storage_problem()").run()
    assert "could not be written to the disk, so it is kept in memory until the server ends" in page.caption[0].value
    storage.drop(policy.with_name("other"))
    assert storage.problem() == ""


def test_memory_ends_with_the_process_and_is_shared_with_those_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GFX_MEMORY")
    told = "from gfx_core import storage; storage._WITHOUT_DISK = storage.Path({!r}); print(storage.memory_root())"
    (tmp_path / "gfx-memory-999999999-left").mkdir()  # no process has such a number
    code = told.format(str(tmp_path)) + "; import os; assert os.environ['GFX_MEMORY'] == str(storage.memory_root())"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert Path(found).parent == tmp_path
    assert os.listdir(tmp_path) == []
