"""The page of explainers side by side: a picture for each, names and counts below, and what is wrong."""

import html
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from gfx_core.__main__ import main
from gfx_core.drawing.qualitative import cells, figure_body, prediction_words, qualitative_html, shipped
from gfx_core.trace.schema import MethodMask, Trace
from tests.toys.traces import sentence_trace


@pytest.fixture
def trace() -> Trace:
    masks = (
        MethodMask("gflowexplainer", (0.1, 0.2, 0.9, 0.8), 0.1),
        MethodMask("subgraphx", (0.9, 0.2, 0.1, 0.1), 0.1),
    )
    return replace(sentence_trace(), masks=masks)


def test_the_page_has_a_picture_for_each_mask(trace: Trace, tmp_path: Path) -> None:
    page = qualitative_html([("A review", trace)])
    assert page.count("<svg") == 2
    assert main(["figure", "--out", str(tmp_path / "figure.html")]) == 0
    page += (tmp_path / "figure.html").read_text()
    assert not re.search(r"(src|href)=|<script|url\(", page)
    assert [cell.caption for cell in cells(trace) if cell.svg] == ["“of … film”", "“The end”"]


def test_bonds_are_counted_and_wrong_predictions_marked(trace: Trace) -> None:
    (title, molecule), *_ = shipped()
    assert title == "Mutagenicity Dimethylnitrosamine"
    assert all(re.fullmatch(r"1 bond kept|[2-9] bonds kept", cell.caption) for cell in cells(molecule))
    predicted = trace.prediction.predicted
    right, wrong = (
        replace(trace, prediction=replace(trace.prediction, true=true)) for true in (predicted, 1 - predicted)
    )
    assert "wrong" not in prediction_words(right)
    assert prediction_words(wrong).endswith(f"wrong: it is {trace.classes[1 - predicted]}")
    assert html.escape(prediction_words(wrong)) in figure_body([("A sentence", wrong)])
