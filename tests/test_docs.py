"""What the documents in assets/docs say is true: their Python runs, and what they name is there."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import DATASETS, listed
from gfx_core.gnn.checkpoint import model_path, read_header
from tests.conftest import ROOT

DOCS = ROOT / "assets" / "docs"
DOCUMENTS = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
RECIPES = "adding-things.md"  # whose Python is run by tests of their own
WITH_PYTHON = ("what-works.md", "library.md")


def read(name: str) -> str:
    """A document by its name."""
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.usefixtures("students_learn_little")
@pytest.mark.parametrize("name", WITH_PYTHON)
def test_its_python_runs(name: str) -> None:
    """From top to bottom, each block with what those before it made."""
    names: dict[str, object] = {}
    with patch.dict(METHODS):  # one adds an explainer
        for code in re.findall(r"```python\n(.*?)```", read(name), re.DOTALL):
            exec(compile(code, name, "exec"), names)


def test_all_python_is_run() -> None:
    found = {path.name for path in DOCUMENTS if "```python\n" in path.read_text(encoding="utf-8")}
    assert found == {"README.md", RECIPES, *WITH_PYTHON}  # README.md has a test of its own


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_its_links_and_paths_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        page = ROOT / "pages" / f"{link[1:].partition('?')[0]}.py"  # of the explorer, which shows some of the documents
        assert link.startswith("https://") or (page if link[0] == "/" else path.parent / link).exists(), link
    if path.name != RECIPES:  # which name files that are to be written
        for named in re.findall(r"`((?:gfx_core|pages|tests|assets)/[\w./-]+)`", text):
            assert (ROOT / named).exists(), named


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_it_names_is_there(path: Path) -> None:
    from gfx_core.__main__ import parser

    for line in re.findall(r"^python -m gfx_core (.*?)(?:\s+#.*)?$", path.read_text(encoding="utf-8"), re.MULTILINE):
        parser().parse_args(shlex.split(line))
    for module in re.findall(r"^python -m ([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
        assert find_spec(module) is not None


def test_every_document_can_be_found_from_the_readme() -> None:
    linked = re.findall(r"\(assets/docs/([\w.-]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {path.name for path in DOCS.glob("*.md")} == set(linked)


@pytest.mark.parametrize("name", listed())
def test_accuracies_are_the_headers(name: str) -> None:
    row = re.search(rf"^\| {DATASETS[name].title} \|.*\| ([\d.]+) \|$", read("tour.md"), re.MULTILINE)
    assert row is not None
    assert float(row[1]) == pytest.approx(read_header(model_path(name)).accuracy["test"], abs=5e-4)


def test_the_changelog_ends_with_this_version_or_what_is_not_released() -> None:
    from gfx_core import __version__

    titles = re.findall(r"^## (.+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert titles[:2] == ["Unreleased", __version__]
