"""Dots by method: every seed, every mean and every figure of the paper has its place."""

import pytest

from gfx_core.bench.quality import Auc
from gfx_core.bench.report import read_records
from gfx_core.drawing.charts import Axes, curve_panels, dots_by_method

VALUES = {
    "tree_cycles": {"gflowexplainer": [0.5, 0.7], "most_links": [0.9], "degree": []},
    "tree_grid": {"gflowexplainer": [0.8]},
}
PAPER = {"gflowexplainer": {"tree_cycles": 0.964}, "degree": {"tree_cycles": 0.902}}


def test_every_number_is_drawn() -> None:
    figure = dots_by_method(VALUES, PAPER, "AUC", reference=0.5)
    drawn = [
        (list(line.x), line.y[0], line.hovertemplate) for line in figure.data if line.xaxis == "x" and line.name is None
    ]
    assert [(x, label) for x, label, hover in drawn if hover is None] == [
        ([0.5, 0.7], "GFlowExplainer"),
        ([0.9], "Most links"),
    ]
    said = {hover: x for x, _, hover in drawn if hover}
    assert said["GFlowExplainer: 0.600, the mean of 2<extra></extra>"] == [pytest.approx(0.6)]
    assert said["GFlowExplainer in the paper: 0.964<extra></extra>"] == [0.964]
    assert said["DEGREE in the paper: 0.902<extra></extra>"] == [0.902]
    assert said["Most links: 0.900<extra></extra>"] == [0.9]
    assert [note.text for note in figure.layout.annotations] == ["Tree-Cycles", "Tree-Grid"]


def test_kinds_of_methods_differ_without_colour() -> None:
    figure = dots_by_method(VALUES, PAPER, "AUC")
    marks = {line.hovertemplate.split(":")[0]: line.marker.symbol for line in figure.data if line.hovertemplate}
    assert marks == {
        "GFlowExplainer": "triangle-up",
        "Most links": "square",
        "GFlowExplainer in the paper": "diamond-open",
        "DEGREE in the paper": "diamond-open",
    }


def test_every_mark_is_in_the_legend_as_it_is_drawn() -> None:
    figure = dots_by_method(VALUES, PAPER, "AUC")
    samples = {line.name: line.marker for line in figure.data if line.name}
    assert all(line.showlegend is False for line in figure.data if not line.name)
    drawn = {(line.marker.symbol, line.marker.color) for line in figure.data if not line.name and line.hovertemplate}
    shown = {(mark.symbol, mark.color) for words, mark in samples.items() if words != "each seed"}
    assert drawn <= shown
    assert samples["each seed"].size > max(mark.size for mark in samples.values() if mark.symbol != "line-ns-open")


def test_a_line_without_the_first_quantity_is_in_the_legend_too() -> None:
    curves = {"tree_cycles": {("a", ""): {"x": [1], "p": [1], "q": [2]}, ("b", ""): {"x": [1], "q": [2]}}}
    figure = curve_panels(curves, Axes("x", "x", {"p": "p", "q": "q"}))
    assert sorted(line.name for line in figure.data if line.showlegend) == ["a", "b"]


def test_the_shipped_records_are_drawn() -> None:
    records = read_records(Auc())
    figure = Auc().figure(records)
    seeds = sum(len(line.x) for line in figure.data if line.hovertemplate is None and line.name is None)
    assert seeds == len(records)
    assert not Auc().figure([]).data
