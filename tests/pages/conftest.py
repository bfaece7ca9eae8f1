"""Open pages without a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gfx_core.datasets import mutagenicity, source
from gfx_core.gnn import checkpoint
from pages.ui import jobs
from tests.pages.page_reading import Open, opened


@pytest.fixture
def open_page() -> Open:
    """Open a page by its file name with some URL parameters, and check that it did not crash."""
    return opened


@pytest.fixture
def no_mutagenicity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and no way to download anything."""
    monkeypatch.setattr(mutagenicity, "URL", (tmp_path / "nowhere").as_uri())
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    source._kept.cache_clear()
    return tmp_path


@pytest.fixture
def model_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the shipped checkpoints."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(checkpoint, "MODELS", folder)
    return folder


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data folder, and workers of its own: those of other tests were started with another one."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    pools: list[jobs.WorkerPool] = []
    monkeypatch.setattr(jobs, "_pools", pools)
    yield tmp_path
    for pool in pools:
        pool.close()
