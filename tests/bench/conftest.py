"""A folder for real runs of tiny cells."""

from pathlib import Path

import pytest

from tests.bench.cell_bench import Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    monkeypatch.syspath_prepend(made.code)  # worker processes get the path of the one that starts them
    return made
