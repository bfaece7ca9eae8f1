"""What the README and assets/docs say is true: their Python runs, and what they name is there."""

import contextlib
import io
import re
import shlex
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import pytest

from gfx_core.__main__ import parser
from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import DATASETS, listed
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.trace.schema import Verdict
from tests.conftest import ROOT

DOCS = ROOT / "assets" / "docs"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))}
README = TEXTS["README.md"]
RECIPES = "adding-things.md"  # whose Python is run by tests of their own
WITH_PYTHON = ("what-works.md", "library.md")


# All documents


@pytest.mark.usefixtures("students_learn_little")
@pytest.mark.parametrize("name", WITH_PYTHON)
def test_its_python_runs(name: str) -> None:
    """From top to bottom, each block with what those before it made."""
    names: dict[str, object] = {}
    with patch.dict(METHODS):  # one adds an explainer
        for code in re.findall(r"```python\n(.*?)```", TEXTS[name], re.DOTALL):
            exec(compile(code, name, "exec"), names)


def test_all_python_is_run() -> None:
    assert {name for name, text in TEXTS.items() if "```python\n" in text} == {"README.md", RECIPES, *WITH_PYTHON}


@pytest.mark.parametrize("name", TEXTS)
def test_its_links_paths_and_commands_are_there(name: str) -> None:
    text, folder = TEXTS[name], ROOT if name == "README.md" else DOCS
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        page = ROOT / "pages" / f"{link[1:].partition('?')[0]}.py"  # of the explorer, which shows some of the documents
        assert link.startswith("https://") or (page if link[0] == "/" else folder / link).exists(), link
    if name != RECIPES:  # which name files that are to be written
        for path in re.findall(r"`((?:gfx_core|pages|tests|assets)/[\w./-]+)`", text):
            assert (ROOT / path).exists(), path
    for line in re.findall(r"^python -m gfx_core (.*?)(?:\s+#.*)?$", text, re.MULTILINE):
        parser().parse_args(shlex.split(line))
    for module in re.findall(r"^python -m ([\w.]+)", text, re.MULTILINE):
        assert find_spec(module) is not None, module


def test_every_document_can_be_found_from_the_readme() -> None:
    assert TEXTS.keys() - {"README.md"} == set(re.findall(r"\(assets/docs/([\w.-]+)\)", README))


@pytest.mark.parametrize("name", listed())
def test_accuracies_are_the_headers(name: str) -> None:
    row = re.search(rf"^\| {DATASETS[name].title} \|.*\| ([\d.]+) \|$", TEXTS["tour.md"], re.MULTILINE)
    assert row is not None
    assert float(row[1]) == pytest.approx(read_header(model_path(name)).accuracy["test"], abs=5e-4)


# The README


def test_its_two_commands_are_the_ones_that_are_run() -> None:
    install = "pip install -r requirements.txt"
    assert f"\n{install} && streamlit run app.py\n" in README
    # .ci/run reads it there
    assert f"<!-- test command -->\n```\n{install} -r tests/requirements.txt && pytest\n```\n" in README


def test_its_counts_are_right_and_it_has_one_page() -> None:
    assert (len(METHODS), len(LESSONS)) == (14, 9)
    assert "thirteen other explainers" in README
    assert "nine short lessons" in README
    assert len(README.splitlines()) <= 130


def test_its_example_prints_what_it_shows() -> None:
    """The facts: the class, the nodes, and probabilities up to what another processor may round otherwise."""
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (shown,) = re.findall(r"<!-- answer -->\n```\n(.*?)```", README, re.DOTALL)
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), names)
    why = names["why"]
    assert (why.prediction, set(why.nodes)) == ("at risk", {9, 274, 289})
    assert shown.splitlines()[-1] == printed.getvalue().splitlines()[-1] == "ill: [274, 289] of 8 contacts"
    numbers = [[int(n) for n in re.findall(r"(\d+) %", text)] for text in (" ".join(shown.split()), why.sentence)]
    assert numbers[0] == pytest.approx(numbers[1], abs=5)
    assert why.trace.answer.verdict is Verdict.NEEDED
