"""Theorem 1 in words: the case of each step, and equations by the numbers that the paper prints."""

import re

import pytest

from gfx_core.config import TRACES
from gfx_core.text.theorem import CASES, EQUATIONS, case_words, row_words, theorem_words
from gfx_core.trace.serialize import load
from tests.conftest import ROOT

STAR = [[0, 1, 2, 3], [0] * 4, [0] * 4, [0] * 4]  # a holds b, c and d apart
GROWN = [[0, 2, 2, 3, 2], [0] * 5, [0] * 5, [0] * 5, [0] * 5]


@pytest.mark.parametrize(
    ("row", "touched", "claims"),
    [
        (0, [1, 2], "joins pieces 1 and 2 of a: .* 2"),
        (0, [1], "piece 1 only"),
        (1, [0], "stays zeros"),
        (0, [0], "new piece, number 2"),
        (0, [1, 2, 3], "becomes zeros"),
    ],
)
def test_the_words_of_a_row(row: int, touched: list[int], claims: str) -> None:
    assert re.search(claims, row_words(row, STAR, GROWN, touched, list("abcde")))


def test_a_case_says_what_was_and_is_a_cut_vertex() -> None:
    names = list("abcde")
    assert "it was one" in case_words(1, names, 4, [0], [0], [0])
    assert "not one before" in case_words(1, names, 4, [0], [], [0])
    assert "no cut vertex" in case_words(2, names, 4, [0, 1], [0], [0])
    assert "a is no longer" in case_words(2, names, 4, [0, 1], [0], [])


def test_a_trace_has_a_sentence_for_each_step() -> None:
    trace = load(TRACES / "ba_shapes-423.json")
    words = theorem_words(trace)
    assert len(words) == len(trace.steps)
    for step, sentence in zip(trace.steps[2:], words[2:], strict=True):
        assert step.added is not None
        assert sentence.startswith(f"{CASES[step.theorem_case]}: {trace.nodes[step.added].label} touches ")
        if step.theorem_case == 1:
            assert any(f"so {trace.nodes[cut].label} is" in sentence for cut in step.cut_vertices)


def test_equations_have_the_numbers_that_the_paper_prints() -> None:
    """Its TeX labels count otherwise: eq8 to eq11 are printed as (14) to (17)."""
    patterns = ("gfx_core/**/*.py", "pages/**/*.*", "tests/**/*.py", "assets/player/*.js", "assets/*/*.toml", "**/*.md")
    files = {
        path for pattern in patterns for path in ROOT.glob(pattern) if path.suffix in {".py", ".js", ".toml", ".md"}
    }
    found = [(path.name, int(n)) for path in files for n in re.findall(r"[Ee]q\. (\d+)", path.read_text("utf-8"))]
    assert {("cut_vertices.py", EQUATIONS["z"]), ("objectives.py", EQUATIONS["flow_matching"])} <= set(found)
    assert [number for _, number in found if number not in EQUATIONS.values()] == []
