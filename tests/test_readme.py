"""What the README says is true."""

import contextlib
import io
import re
from typing import Any

import pytest

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.documents import UNKNOWN, filled, number_of
from gfx_core.trace.schema import Verdict
from pages.ui.lessons.frame import SHORT_TITLES
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_has_one_page() -> None:
    assert len(README.splitlines()) <= 130


def test_its_two_commands_are_the_ones_that_are_run() -> None:
    tests = "<!-- test command -->\n```\npip install -r requirements.txt -r tests/requirements.txt && pytest\n```\n"
    assert "\npip install -r requirements.txt && streamlit run app.py\n" in README
    assert tests in README  # .ci/run reads it there


def test_its_counts_are_right() -> None:
    assert (len(METHODS), len(SHORT_TITLES)) == (17, 9)
    assert "with sixteen other explainers" in README
    assert "in nine short lessons" in README


def percentages(text: str) -> list[int]:
    """All of them, in their order."""
    return [int(number) for number in re.findall(r"(\d+) %", text)]


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
    assert percentages(" ".join(shown.split())) == pytest.approx(percentages(why.sentence), abs=5)
    assert why.trace.answer.verdict is Verdict.NEEDED


def test_its_results_are_those_of_the_records() -> None:
    text = README.partition("## Four results\n")[2].partition("\n## ")[0]
    assert len(re.findall(r"^- \*\*", text, re.MULTILINE)) == 4
    assert UNKNOWN not in text
    assert filled(text, number_of({})) == text
