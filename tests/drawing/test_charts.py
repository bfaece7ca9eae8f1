"""Dots by method: every seed, every mean and every figure of the paper has its place."""

import pytest

from gfx_core.drawing.charts import LEAST_SPAN, Axes, Series, curve_panels, dots_by_method, levels_figure

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
