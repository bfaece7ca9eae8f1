"""Open pages without a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gfx_core.datasets import mutagenicity, source
from gfx_core.gnn import checkpoint
from gfx_core.jobs.pool import WorkerPool
from gfx_core.user_data import store
from pages.ui import jobs
from pages.ui.sessions import Visit
from tests.pages.page_reading import Open, opened


@pytest.fixture(scope="session", autouse=True)
def nothing_computed_ahead() -> Iterator[None]:
    """Workers load torch, and answer what tests ask alone, not what a visitor might ask next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "WARMUPS", jobs.WARMUPS[:1])
        yield


@pytest.fixture
def open_page() -> Open:
    """Open a page by its file name with some URL parameters, and check that it did not crash."""
    return opened


@pytest.fixture
def visit() -> Iterator[Visit]:
    """A browser that may have data sets of its own."""
    visit = Visit()
    yield visit
    store.forget_visit(visit.name)


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
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of the pages; workers that are there already keep the one they were started with."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody answers what pages ask, and no page waits for it."""
    monkeypatch.setattr(WorkerPool, "_add_slot", lambda *_, **__: None)
    monkeypatch.setattr(jobs, "PATIENCE_S", 0.0)
    with WorkerPool() as pool:
        monkeypatch.setattr(jobs.sessions, "pools", [pool])
        yield
