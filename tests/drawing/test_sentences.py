"""Sentences in still pictures: SVG, GIF, and the page that puts explainers side by side."""

import html
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gfx_core.__main__ import main
from gfx_core.datasets.sentences import OwnSentences, TypedSentence
from gfx_core.drawing.export import player_html
from gfx_core.drawing.masks import mask_svg, scores_svg, subgraph_svg
from gfx_core.drawing.pictures import instance_svg
from gfx_core.drawing.qualitative import cells, figure_body, prediction_words, shipped
from gfx_core.layout import instance_layout
from gfx_core.text.answers import node_names, trace_title
from gfx_core.text.typesetting import word_places
from gfx_core.trace import serialize as trace_io
from gfx_core.trace.schema import MethodMask, Trace
from tests.toys.sentences import sentence_trace

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def trace() -> Trace:
    return sentence_trace()


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def test_words_in_reading_order_with_arcs_and_an_underline(trace: Trace) -> None:
    found = drawn(subgraph_svg(trace, (2, 3), "two words"))
    assert [text.text for text in found.iter(f"{SVG}text")] == [node.label for node in trace.nodes]
    lefts = [float(box.get("x", "nan")) for box in found.iter(f"{SVG}rect")]
    assert lefts == sorted(lefts)
    paths = {path.get("class"): path.get("d", "") for path in found.iter(f"{SVG}path")}
    assert sum(path.count("C") for look, path in paths.items() if look != "underline") == len(trace.edges)
    assert paths["underline"].count("M") == 1
    assert found.get("aria-label") == "two words"


@pytest.mark.parametrize("kept", [[True, False, False, True], [False] * 4])
def test_masks(trace: Trace, kept: list[bool]) -> None:
    held = drawn(mask_svg(trace, [0.1, 0.2, 0.3, 0.9], np.array(kept), "mask"))
    assert len(list(held.iter(f"{SVG}text"))) == len(trace.nodes)
    assert ('class="underline"' in mask_svg(trace, [0.1, 0.2, 0.3, 0.9], np.array(kept), "mask")) == any(kept)
    assert drawn(scores_svg(trace, [0.1, 0.2, 0.3, 0.9], "scores")).get("viewBox")


def test_hostile_words_stay_words() -> None:
    instance = TypedSentence().instance("<script>alert(1)</script> is \"bad\" & 'ugly'")
    found = drawn(instance_svg(instance, instance_layout(instance)))
    assert [text.text for text in found.iter(f"{SVG}text")] == list(instance.node_texts)
    assert not list(found.iter(f"{SVG}script"))


def test_what_words_and_traces_are_called(trace: Trace) -> None:
    assert node_names(trace) == ["The", "end", "of", "the₂", "film"]
    assert trace_title(trace) == "Graph-SST2 “The end of the film”"
    assert "<title>Graph-SST2 “The end of the film”</title>" in player_html(trace)
    assert trace_io.from_json(trace_io.to_json(trace)) == trace


def test_the_page_of_explainers_side_by_side(trace: Trace, tmp_path: Path) -> None:
    masks = (
        MethodMask("gflowexplainer", (0.1, 0.2, 0.9, 0.8), 0.1),
        MethodMask("subgraphx", (0.9, 0.2, 0.1, 0.1), 0.1),
    )
    path = tmp_path / "trace.json"
    trace_io.save(replace(trace, masks=masks), path)
    out = tmp_path / "figure.html"
    assert main(["figure", str(path), "--out", str(out)]) == 0
    page = out.read_text()
    assert page.count("<svg") == 2
    assert "it must be trained first" in page
    assert not re.search(r"(src|href)=|<script|url\(", page)
    row = cells(replace(trace, masks=masks))
    assert [cell.caption for cell in row if cell.svg] == ["“of … film”", "“The end”"]


def test_the_figure_names_molecules_counts_bonds_and_says_what_is_wrong(trace: Trace) -> None:
    (title, molecule), *_ = shipped()
    assert title == "Mutagenicity Dimethylnitrosamine"
    assert all(re.fullmatch(r"1 bond kept|[2-9] bonds kept", cell.caption) for cell in cells(molecule))
    made = trace.prediction
    right, wrong = (
        replace(trace, prediction=replace(made, true=true)) for true in (made.predicted, 1 - made.predicted)
    )
    assert prediction_words(right).endswith(" %)")
    assert prediction_words(wrong).endswith(f"which is wrong: it is {trace.classes[1 - made.predicted]}")
    assert html.escape(prediction_words(wrong)) in figure_body([("A sentence", wrong)])


def test_our_own_sentences_are_drawn_whole() -> None:
    for name in OwnSentences.names:
        instance = OwnSentences().instance(name)
        svg = instance_svg(instance, instance_layout(instance))
        assert drawn(svg).get("aria-label") == f"Sentence: {' '.join(instance.node_texts)}"
        assert word_places(instance.node_texts, instance.edge_index).shape == (instance.num_nodes, 2)
