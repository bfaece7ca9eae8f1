"""Files that are whole or not there, the newest that are kept, and folders that end with their process."""

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import torch

from gfx_core import storage
from gfx_core.cli import written
from gfx_core.files import UnwrittenError, replacing
from gfx_core.weights import read_tensors, tensor_bytes, write_tensors


def write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text)


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write(path, "first")
    with pytest.raises(UnicodeEncodeError):
        write(path, "half of \ud800")
    assert path.read_text() == "first"
    with replacing(path) as one:  # two may write it at once
        one.write_text("one")
        write(path, "other")
        assert path.read_text() == "other"
    assert path.read_text() == "one"
    assert os.listdir(path.parent) == ["file"]
    tensors = {"x": torch.ones(2)}
    write_tensors(path, tensors, {})
    assert path.read_bytes() == tensor_bytes(tensors, {})


def test_a_command_writes_elsewhere_where_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It took long to make."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "file").write_text("no folder")
    weights = partial(write_tensors, tensors={"x": torch.ones(2)}, header={})
    kept = written(weights, tmp_path / "file" / "weights")
    assert kept == tmp_path / "elsewhere" / "weights"
    assert read_tensors(kept)["x"].tolist() == [1, 1]
    assert str(kept) in capsys.readouterr().err
    assert written(weights, tmp_path / "weights") == tmp_path / "weights"


def test_only_the_newest_are_kept_and_no_remains(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.x").write_text("")
        os.utime(folder / f"{number}.x", (number, number))
    (folder / "5.x.1-2.part").write_text("is being written")
    (folder / "6.x.3-4.part").write_text("its process was killed")
    os.utime(folder / "6.x.3-4.part", (0, 0))
    assert storage.keep(folder / "new.x", lambda place: write(place, ""), 2)
    assert sorted(os.listdir(folder)) == ["3.x", "5.x.1-2.part", "new.x"]

    def full(_: Path) -> None:
        raise UnwrittenError("newer.x cannot be written: the disk is full.")

    assert not storage.keep(folder / "newer.x", full, 2)
    assert storage.read_kept(folder / "newer.x", Path.read_text) is None


def test_a_folder_is_private_and_goes_with_all_that_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = storage.make_folder("gfx-test-")
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("x")
    assert sys.platform == "win32" or stat.S_IMODE(folder.stat().st_mode) == 0o700
    other = storage.make_folder("gfx-test-")
    assert folder.is_dir()  # it is no remainder
    for _ in range(2):
        storage.remove_folder(folder)
    assert list(tmp_path.glob("gfx*")) == [other]
    storage.remove_folder(other)
    assert os.listdir(tmp_path) == []


def test_the_last_used_are_kept_also_among_threads() -> None:
    kept: storage.Recent[int, int] = storage.Recent(2)
    for key in (1, 2, 1, 3):
        assert kept.find(key, lambda key=key: -key) == -key
    assert list(kept) == [1, 3]
    with ThreadPoolExecutor(4) as threads:
        values = list(threads.map(lambda at: kept.find(at % 5, lambda: at % 5), range(4000)))
    assert [abs(value) for value in values] == [at % 5 for at in range(4000)]
