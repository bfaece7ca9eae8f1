"""Fixtures that several folders of tests share."""

import gc
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gfx_core.config import data_root
from gfx_core.datasets.registry import load_dataset
from tests.chromium import install_chromium, launch
from tests.groups import Groups, order

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from xdist.remote import Producer

# Several threads may add numbers up in another order each time, and those of many processes wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
_ARCHIVE = ROOT.parent / "shared" / "data" / "Mutagenicity_raw.zip"


def pytest_configure(config: pytest.Config) -> None:
    """A browser is installed once, before any process begins with the tests."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        install_chromium(config.args, ROOT)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest is begun first."""
    items.sort(key=lambda item: order(item.nodeid))


def pytest_collection_finish() -> None:
    """What is loaded by then stays to the end: it is no garbage to look for."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # -p no:xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> Groups:
    """Tests that share something expensive are run by one process."""
    return Groups(config, log)


@pytest.fixture(scope="session")
def mutagenicity_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder that holds Mutagenicity's raw files; ``GFX_DATA`` points to it from then on.

    The files come from an archive next to the repository where there is one, else from the normal download.
    """
    with pytest.MonkeyPatch.context() as patch:
        if _ARCHIVE.is_file():
            root = tmp_path_factory.mktemp("data")
            with zipfile.ZipFile(_ARCHIVE) as archive:
                archive.extractall(root)
        else:
            root = data_root()
            load_dataset("mutagenicity")
        patch.setenv("GFX_DATA", str(root))
        yield root


@pytest.fixture
def students_learn_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a student must learn to be of use is tested with it; elsewhere it is enough that there is one."""
    from gfx_core.user_models.student import StudentConfig

    short = StudentConfig(steps=10, each=4, fragments=64)
    monkeypatch.setattr(StudentConfig, "of", classmethod(lambda _cls, _task: short))


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One Chromium for all tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's tests leave the page as ``__main__``, which processes that are started later would run."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
