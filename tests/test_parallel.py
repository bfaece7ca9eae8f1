"""Where many computations are done; whole runs are in ``tests/bench/test_run.py``."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from gfx_core import parallel
from gfx_core.errors import UserError
from gfx_core.parallel import Workers, computed, device_here, finished, keep


def test_tasks_that_are_computed_here_come_in_their_order() -> None:
    assert list(computed(pow, 2, [3, 1, 2], Workers())) == [(3, 8), (1, 2), (2, 4)]
    for workers in (0, -1, 1.5):
        with pytest.raises(UserError, match="at least 1"):
            Workers(workers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("process", "gpus", "expected"),
    [("LokyProcess-1", 4, [1]), ("LokyProcess-6", 4, [2]), ("LokyProcess-3", 1, [0]), ("MainProcess", 4, [])],
)
def test_each_process_has_a_gpu_of_its_own(
    process: str, gpus: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a dask cluster the first that a worker sees is its own."""
    chosen: list[int] = []
    monkeypatch.setattr(parallel, "choose_device", lambda choice: {"auto": "cuda"}.get(choice, choice))
    monkeypatch.setattr(parallel, "current_process", lambda: SimpleNamespace(name=process))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    assert device_here("cpu") == "cpu"
    assert not chosen
    assert device_here("auto") == "cuda"
    assert chosen == expected


def test_what_is_finished_is_kept_and_what_is_damaged_does_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "left"
    assert finished(folder) == []
    keep(folder / "a.json", {"rows": [1, "ü"]})
    keep(folder / "b.json", [2])
    (folder / "c.json").write_text(json.dumps([3])[:-1])
    assert finished(folder) == [{"rows": [1, "ü"]}, [2]]
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be kept"):
        keep(tmp_path / "file" / "a.json", 1)
