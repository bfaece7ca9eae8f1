"""Hostile files end in a data set or one sentence, within the worker's time and memory; nothing else is lost."""

import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gfx_core import limits
from gfx_core.datasets import uploads
from gfx_core.errors import UserError
from gfx_core.jobs.job import JobError, Request
from gfx_core.jobs.pool import WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from gfx_core.user_data import store
from gfx_core.user_data.build import preview
from gfx_core.user_data.draft import DataFile
from tests.patience import PATIENCE_S
from tests.user_data.broken_files import BROKEN, SLOW, TU, broken, tu, zipped
from tests.user_data.test_reading import FORMATS, written


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """A worker that may have a quarter of the least memory of a server's."""
    store.open_store()
    with WorkerPool(JobLimits({"cpu": 1}, spare=0, nice=0, memory=limits.WORKER_MEMORY // 4)) as workers:
        yield workers


def sentence(
    pool: WorkerPool, files: tuple[DataFile, ...], visit: str, folder: Path, limit_s: float = PATIENCE_S
) -> str:
    """The sentence on files that a worker cannot use."""
    paths = [folder / str(number) for number in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.data)
    about = {"names": [file.name for file in files], "paths": paths, "visit": visit}
    request = Request("gfx_core.user_data.build:preview_files", about, tuple(paths), limit_s=limit_s)
    try:
        return pool.submit(request).result(PATIENCE_S).problem
    except (UserError, JobError) as error:
        return str(error)


@pytest.mark.parametrize("name", BROKEN)
def test_one_sentence_within_the_memory(name: str, pool: WorkerPool, visit: str, tmp_path: Path) -> None:
    files, word = broken(name)
    before = preview([DataFile("good.csv", b"source,target\na,b\nb,c\n")], visit)
    store.accept(before.name)
    said = sentence(pool, files, visit, tmp_path)
    assert word.lower() in said.lower()
    assert "\n" not in said
    assert said.endswith((".", "?", ")."))
    assert len(said) < 330
    assert "unexpected" not in said
    assert store.held(visit) == [before.name]


@pytest.mark.parametrize("name", SLOW)
def test_a_reader_that_takes_too_long_is_ended(name: str, pool: WorkerPool, visit: str, tmp_path: Path) -> None:
    assert "longer than 2 s" in sentence(pool, (DataFile(name, SLOW[name]().encode()),), visit, tmp_path, 2.0)
    assert sentence(pool, (DataFile("a.csv", b"a b\nb c\n"),), visit, tmp_path) == ""  # the next worker reads


def refusal(files: tuple[DataFile, ...], visit: str) -> str:
    """The same, in this process."""
    try:
        return preview(files, visit).problem
    except UserError as error:
        return str(error)


def test_a_file_has_a_short_name_and_is_never_taken_for_a_path(visit: str) -> None:
    said = refusal((DataFile("x" * 5000 + "\n\x1b[31m.csv", b"\x00"),), visit)
    assert len(said) < 200
    assert "\x1b" not in said
    found = preview([DataFile("../../../etc/passwd.csv", b"a b\nb c\n")], visit)
    assert found.name.startswith("own-")
    assert uploads.info(found.name).title == "passwd"


_PIECES = [*b'NaN -1 1e999 " < &amp; [ } , source null \xff'.split(), b"\n", b"9" * 30]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The same with a few bytes changed, put in or taken out."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(made) + 1)
        way = rng.random()
        if way < 0.4:
            made[at : at + 1] = rng.choice(_PIECES)
        elif way < 0.7:
            made[at:at] = rng.choice(_PIECES)
        else:
            del made[at : at + rng.randint(1, 40)]
    return bytes(made)


@pytest.mark.parametrize("form", [*FORMATS, "zip"])
def test_fuzz_of_files(form: str, visit: str) -> None:
    """Whatever is damaged in them, they are read or refused in a sentence; nothing else is raised."""
    rng = random.Random(form)
    files = (DataFile("t.zip", tu(node_labels="1\n2\n1\n1")),) if form == "zip" else written(form)
    for _ in range(40):
        said = refusal(tuple(DataFile(file.name, damaged(file.data, rng)) for file in files), visit)
        assert len(said) < 330
        assert "\n" not in said


_FIELDS = ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4))
"""Of an entry of an archive's directory: flags, method, checksum, both sizes, lengths of name and rest, place."""


def test_fuzz_of_archives(visit: str) -> None:
    """Archives that lie about methods, flags, sizes and places are read or refused in a sentence."""
    rng, told = random.Random(0), set()
    for _ in range(300):
        method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        files = {f"T_{part}.txt": text for part, text in TU.items() if rng.random() < 0.95}
        data = bytearray(zipped(files, method if rng.random() < 0.2 else zipfile.ZIP_DEFLATED))
        for _ in range(rng.randint(0, 3)):
            entry, width = rng.choice(_FIELDS)
            mark = b"PK\x01\x02" if rng.random() < 0.7 else b"PK\x03\x04"
            place = data.find(mark, rng.randrange(len(data)))
            if place >= 0:
                value = rng.choice((0, 1, 8, 12, 14, 99, 0xFF, rng.randrange(1 << 8 * width), (1 << 8 * width) - 1))
                at = place + entry - (0 if mark == b"PK\x01\x02" else 2)
                data[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
        said = refusal((DataFile("t.zip", bytes(data)),), visit)
        assert "\n" not in said
        assert len(said) < 330
        told.add(said)
    assert len(told) > 5
