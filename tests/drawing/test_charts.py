"""Dots by method: every seed, every mean and every figure of the paper has its place."""

import pytest

from gfx_core.drawing.charts import (
    LEAST_SPAN,
    Axes,
    Series,
    curve_panels,
    curves_figure,
    dots_by_method,
    levels_figure,
    reliability_figure,
)

LABELS = {"gflowexplainer": "GFlowExplainer", "degree": "DEGREE", "most_links": "Most links"}
VALUES = {"gflowexplainer": [0.5, 0.7], "most_links": [0.9], "degree": []}


def test_every_number_is_drawn_and_kinds_differ_without_colour() -> None:
    figure = dots_by_method(VALUES, {"gflowexplainer": 0.964, "degree": 0.902}, LABELS, "AUC", "Tree-Cycles")
    drawn = [(list(line.x), line.y[0], line) for line in figure.data if line.name is None]
    assert [(x, label) for x, label, line in drawn if line.hovertemplate is None] == [
        ([0.5, 0.7], "GFlowExplainer"),
        ([0.9], "Most links"),
    ]
    found = {line.hovertemplate: (x, line.marker.symbol) for x, _, line in drawn if line.hovertemplate}
    assert found == {
        "GFlowExplainer: 0.600, the mean of 2<extra></extra>": ([pytest.approx(0.6)], "triangle-up"),
        "GFlowExplainer in the paper: 0.964<extra></extra>": ([0.964], "diamond-open"),
        "DEGREE in the paper: 0.902<extra></extra>": ([0.902], "diamond-open"),
        "Most links: 0.900<extra></extra>": ([0.9], "square"),
    }
    samples = {line.name: line.marker for line in figure.data if line.name}
    assert all(line.showlegend is False for line in figure.data if not line.name)
    looks = {(line.marker.symbol, line.marker.color) for *_, line in drawn if line.hovertemplate}
    assert looks <= {(mark.symbol, mark.color) for words, mark in samples.items() if words != "each seed"}
    assert samples["each seed"].size > max(mark.size for mark in samples.values() if mark.symbol != "line-ns-open")


def test_a_line_without_the_first_quantity_is_in_the_legend_too() -> None:
    curves = {("a", ""): {"x": [1], "p": [1], "q": [2]}, ("b", ""): {"x": [1], "q": [2]}}
    figure = curve_panels(curves, Axes("x", "x", {"p": "p", "q": "q"}), "Tree-Cycles")
    assert sorted(line.name for line in figure.data if line.showlegend) == ["a", "b"]


@pytest.mark.parametrize(("learned", "span"), [(2.5257, LEAST_SPAN), (4.5256, 2.0)])
def test_levels_that_are_close_look_close(learned: float, span: float) -> None:
    figure = levels_figure(["a"], [2.5256], [Series("TB", "#000", "line", [learned])])
    low, high = figure.layout.yaxis.range
    assert low < 2.5256 < learned < high
    assert high - low == pytest.approx(1.1 * span)


def test_a_mark_at_the_end_of_a_reliability_diagram_is_whole() -> None:
    figure = reliability_figure("Sum", {"confidence": [0.0, 1.0], "accuracy": [0.0, 1.0], "count": [5, 5]})
    least = 125  # pixels of an axis where the diagram is smallest
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        low, high = axis.range
        radius = max(figure.data[1].marker.size) / 2 / least * (high - low)
        assert low <= -radius
        assert high >= 1 + radius


@pytest.mark.parametrize(("least", "lowest"), [(0.02, -4), (7e-6, -6), (0.0, -4)])
def test_no_curve_is_cut_off_below(least: float, lowest: int) -> None:
    figure = curves_figure([0, 1], [Series("FM", "#000", "solid", [0.5, least])], last=1)
    assert figure.layout.yaxis.range == (lowest, 0)
