"""A folder for real runs of tiny cells."""

import sys
from pathlib import Path

import pytest

from tests.bench.cell_bench import TOY, Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    monkeypatch.syspath_prepend(made.code)  # worker processes get the path of the one that starts them
    monkeypatch.setenv("GFX_STUDIES", TOY)
    monkeypatch.delitem(sys.modules, TOY, raising=False)
    return made
