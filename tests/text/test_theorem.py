"""Theorem 1 in words."""

import re
from pathlib import Path

from gfx_core.config import TRACES
from gfx_core.text.numbers import listed
from gfx_core.text.theorem import CASES, EQUATIONS, case_words, row_words, theorem_words
from gfx_core.trace.serialize import load
from tests.toys.traces import with_two_reasons


def test_the_words_of_each_kind_of_row() -> None:
    star = [[0, 1, 2, 3], [0] * 4, [0] * 4, [0] * 4]  # a holds b, c and d
    grown = [[0, 2, 2, 3, 2], [0] * 5, [0] * 5, [0] * 5, [0] * 5]
    names = list("abcde")
    assert "joins pieces 1 and 2 of a: all are number 2" in row_words(0, star, grown, [1, 2], names)
    assert "joins it" in row_words(0, star, grown, [1], names)
    assert "stays zeros" in row_words(1, star, grown, [0], names)
    assert "a new piece, number 2" in row_words(0, star, grown, [0], names)
    assert "Two nodes" in row_words(0, [[0]], [[0, 0], [0, 0]], [0], ["a", "b"])
    assert "it was one before" in case_words(1, names, 4, [0], [0], [0])
    assert "no cut vertex is lost" in case_words(2, names, 4, [0, 1], [0], [0])
    assert [listed(names[:k]) for k in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert listed(names, most=3) == "a, b and 3 others"


def test_a_trace_says_what_each_step_was() -> None:
    trace = load(TRACES / "ba_shapes-423.json")
    words, of_reason = theorem_words(trace)
    assert len(words) == len(trace.steps)
    assert of_reason == []  # it is what the trace shows
    assert [len(each) for each in theorem_words(with_two_reasons())] == [4, 0, 3]
    assert words[:2] == ["Below three nodes there is nothing to cut: 𝒵 is all zeros."] * 2
    for step, sentence in zip(trace.steps[2:], words[2:], strict=True):
        assert step.added is not None
        assert sentence.startswith(f"{CASES[step.theorem_case]}: {trace.nodes[step.added].label} touches ")
        if step.theorem_case == 1:
            assert any(f"so {trace.nodes[cut].label} is a cut vertex" in sentence for cut in step.cut_vertices)


def test_equations_have_the_numbers_that_the_paper_prints() -> None:
    """Its TeX labels count otherwise: eq8 to eq11 are printed as (14) to (17)."""
    root = Path(__file__).resolve().parents[2]
    files = [path for name in ("gfx_core", "pages", "tests") for path in (root / name).rglob("*.py")]
    files += [*(root / "assets" / "player").glob("*.js"), *(root / "pages").rglob("*.js")]
    files += [
        *(root / "assets" / "content").glob("*.toml"),
        root / "README.md",
        *(root / "assets" / "docs").glob("*.md"),
    ]
    found = [(path.name, int(n)) for path in files for n in re.findall(r"[Ee]q\. (\d+)", path.read_text("utf-8"))]
    assert {("cut_vertices.py", EQUATIONS["z"]), ("objectives.py", EQUATIONS["flow_matching"])} <= set(found)
    assert [each for each in found if each[1] not in EQUATIONS.values()] == []
    of_theorem = {"cut_vertices.py", "test_cut_vertices.py", "lab.py", "lab_view.js", "schema.py"}
    assert [each for each in found if each[0] in of_theorem and each[1] < EQUATIONS["z"]] == []
