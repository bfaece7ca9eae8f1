"""Charts: every number has its mark, kinds differ without colour, and no axis cuts or exaggerates."""

import numpy as np
import pytest

from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing.charts import LEAST_SPAN, Series, curves_figure, dots_by_method, graph_map, levels_figure

LABELS = {"gflowexplainer": "GFlowExplainer", "degree": "DEGREE", "most_links": "Most links"}
VALUES = {"gflowexplainer": [0.5, 0.7], "most_links": [0.9], "degree": []}


def test_every_seed_and_mean_has_a_dot() -> None:
    figure = dots_by_method(VALUES, LABELS, "AUC")
    seeds, *means = figure.data
    assert list(zip(seeds.x, seeds.y, strict=True)) == [
        (0.5, "GFlowExplainer"),
        (0.7, "GFlowExplainer"),
        (0.9, "Most links"),
    ]
    assert sorted((x, y, dots.marker.symbol) for dots in means for x, y in zip(dots.x, dots.y, strict=True)) == [
        (pytest.approx(0.6), "GFlowExplainer", "triangle-up"),
        (0.9, "Most links", "square"),
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
