"""Charts: every number has its mark, kinds differ without colour, and no axis cuts or exaggerates."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing.charts import LEAST_SPAN, Series, curves_figure, dots_by_method, graph_map, levels_figure
from gfx_core.drawing.forest import Mark, description, forest_svg

LABELS = {"gflowexplainer": "GFlowExplainer", "degree": "DEGREE", "most_links": "Most links"}
VALUES = {"gflowexplainer": [0.5, 0.7], "most_links": [0.9], "degree": []}


def test_every_seed_mean_and_figure_of_the_paper_has_a_dot() -> None:
    figure = dots_by_method(VALUES, {"gflowexplainer": 0.964, "degree": 0.902}, LABELS, "AUC")
    seeds, *means = figure.data
    assert list(zip(seeds.x, seeds.y, strict=True)) == [
        (0.5, "GFlowExplainer"),
        (0.7, "GFlowExplainer"),
        (0.9, "Most links"),
    ]
    assert sorted((x, y, dots.marker.symbol) for dots in means for x, y in zip(dots.x, dots.y, strict=True)) == [
        (pytest.approx(0.6), "GFlowExplainer", "triangle-up"),
        (0.9, "Most links", "square"),
        (0.902, "DEGREE", "diamond-open"),
        (0.964, "GFlowExplainer", "diamond-open"),
    ]
    assert all(dots.name for dots in figure.data)  # each has its words in the legend


@pytest.mark.parametrize(("learned", "span"), [(2.5257, LEAST_SPAN), (4.5256, 2.0)])
def test_levels_that_are_close_look_close(learned: float, span: float) -> None:
    figure = levels_figure(["a"], [2.5256], [Series("TB", "#000", "line", [learned])])
    low, high = figure.layout.yaxis.range
    assert low < 2.5256 < learned < high
    assert high - low == pytest.approx(1.1 * span)


@pytest.mark.parametrize(("least", "lowest"), [(0.02, -4), (7e-6, -6), (0.0, -4)])
def test_no_curve_is_cut_off_below(least: float, lowest: int) -> None:
    figure = curves_figure([0, 1], [Series("FM", "#000", "solid", [0.5, least])], last=1)
    assert figure.layout.yaxis.range == (lowest, 0)


def test_the_map_has_every_graph_and_rings_the_selected_one() -> None:
    dataset = load_dataset("ba_2motifs")
    share = np.linspace(0, 1, dataset.num_graphs)
    figure = graph_map(dataset, np.stack([1 - share, share], axis=1), DATASETS["ba_2motifs"].classes, selected=7)
    one, other, ring = figure.data
    assert len(one.x) + len(other.x) == dataset.num_graphs
    assert all(np.isfinite(line.y).all() for line in figure.data)
    assert one.marker.symbol != other.marker.symbol
    assert ring.x[0] == 7


# The forest plot


LEGEND = {"own": "ours", "other": "theirs", "control": "blind"}
LINES = [
    ("<b>A</b>", [Mark("one & only", 0.75, 0.7, 0.8, "own"), Mark("two", 0.5, 0.4, 0.6)]),
    ("B", [Mark("one", 1.0, 0.9, 1.0, "own"), Mark("none", 0.0, 0.0, 0.0, "control")]),
]


def test_marks_are_where_their_numbers_are_and_kinds_differ_in_shape() -> None:
    svg = forest_svg(LINES, "F1", LEGEND)
    ElementTree.fromstring(svg)
    ticks = {float(t): float(x) for x, t in re.findall(r'x="([\d.]+)" y="\d+" text-anchor="middle">([\d.]+)<', svg)}
    assert (min(ticks), max(ticks)) == (0, 1)
    place = {number: ticks[0] + number * (ticks[1] - ticks[0]) for number in (0.75, 0.7, 0.8, 0.4, 0.6, 1.0)}
    circles = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', svg)][1:]  # the first one is the legend's
    assert circles == pytest.approx([place[0.75], place[1.0]], abs=0.1)
    spans = [tuple(map(float, pair)) for pair in re.findall(r'd="M([\d.]+) \d+H([\d.]+)"', svg)]
    assert spans[:2] == [pytest.approx((place[a], place[b]), abs=0.1) for a, b in ((0.7, 0.8), (0.4, 0.6))]
    for kind, shape in (("own", "<circle"), ("other", "l5.5 5.5"), ("control", "h9v9")):
        assert all(shape in mark for mark in re.findall(rf'<g class="{kind}">.*?</g>', svg))
    assert "<b>A" not in svg
    assert "two 0.500 (0.400 to 0.600)" in description(LINES, "F1")
    ElementTree.fromstring(forest_svg([], "nothing yet", {}))
