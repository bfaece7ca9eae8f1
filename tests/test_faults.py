"""Damaged files, and disks that are full or may not be written: nothing that was whole is damaged or lost.

Whoever waits reads one sentence. What costs only a job is in ``tests/jobs``, and classes are in ``tests/classroom``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from gfx_core.baselines.registry import SETTINGS, read_settings
from gfx_core.bench.studies import Cell, read_records, records_path, to_record, write_records
from gfx_core.config import ASSETS, data_root
from gfx_core.errors import UserError
from gfx_core.gfn.own_policies import keep_policy
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.trace import serialize
from gfx_core.training import recording
from gfx_core.weights import read_tensors, write_tensors
from tests.toys.trainings import policy_of

POLICY = policy_of("tree_cycles")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    return tmp_path


def check_sentence(call: Callable[[], object]) -> None:
    """A call ends with a sentence in one line, which names no folder of the server."""
    with pytest.raises(UserError) as caught:
        call()
    words = str(caught.value)
    assert 0 < len(words) <= 400
    assert words.endswith((".", "?"))
    assert "\n" not in words
    assert str(data_root()) not in words


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes: the system refuses as it does on a full disk."""
    resource = pytest.importorskip("resource")  # which Windows has not
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def records(folder: Path) -> Path:
    path = records_path("faults", folder)
    write_records(path, [to_record(Cell("faults", "tree_cycles", "none"), {"value": 1.0}, 1.0)])
    return path


READERS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    "policy": (lambda _: POLICY, lambda path: keep_policy(path.read_bytes())),
    "GNN": (lambda _: model_path("tree_cycles"), read_header),
    "trace": (lambda _: min((ASSETS / "traces").glob("*.json")), serialize.load),
    "settings": (lambda _: SETTINGS, read_settings),
    "recording": (lambda _: min((ASSETS / "trainings").glob("*.json")), recording.read),
    "records": (records, lambda path: read_records(path.stem, path.parent)),
}
"""For each kind of file a whole one, and what reads it."""


@pytest.mark.parametrize("kind", READERS)
def test_a_file_is_cut_off_or_something_else(kind: str, folder: Path) -> None:
    whole, read = READERS[kind]
    path = whole(folder)
    data = path.read_bytes().rstrip()
    damaged = folder / f"damaged{path.suffix}"
    for length in (0, 1, 7, 8, 9, len(data) // 2, len(data) - 1):
        damaged.write_bytes(data[:length])
        check_sentence(lambda: read(damaged))
    damaged.write_bytes(bytes(range(256)) * 10)
    check_sentence(lambda: read(damaged))


def test_the_disk_is_full(folder: Path) -> None:
    weights, table = folder / "weights.safetensors", records(folder)
    write_tensors(weights, {"x": torch.ones(2)}, {})
    before = table.read_bytes()
    with full_disk(table.stat().st_size + 20):
        check_sentence(lambda: write_tensors(weights, {"x": torch.zeros(10_000)}, {}))
        check_sentence(lambda: write_records(table, [{"text": str(number) * 40} for number in range(9999)]))
        check_sentence(lambda: keep_policy(POLICY.read_bytes()))
    assert read_tensors(weights)["x"].tolist() == [1, 1]
    assert table.read_bytes() == before
    assert not list(folder.rglob("*.part"))


def test_the_data_folder_may_not_be_written(folder: Path) -> None:
    (folder / "policies").write_text("no folder can be made here")
    check_sentence(lambda: keep_policy(POLICY.read_bytes()))
