"""Charts: every number has its mark, kinds differ without colour, and no axis cuts or exaggerates."""

import numpy as np
import pytest

from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing.charts import LEAST_SPAN, curves_figure, graph_map, levels_figure

WAY = {"short": "TB", "role": "extra", "mark": "x", "dash": "dot"}


@pytest.mark.parametrize(("learned", "span"), [(2.5257, LEAST_SPAN), (4.5256, 2.0)])
def test_levels_that_are_close_look_close(learned: float, span: float) -> None:
    figure = levels_figure(["a"], [2.5256], [WAY], [[learned]])
    low, high = figure.layout.yaxis.range
    assert low < 2.5256 < learned < high
    assert high - low == pytest.approx(1.1 * span)


def test_a_curve_goes_as_far_as_its_numbers() -> None:
    (curve,) = curves_figure([0, 10, 20], [WAY], [[0.5, 7e-6]], last=20).data
    assert (curve.name, curve.x, curve.y) == ("TB", (0, 10), (0.5, 7e-6))


def test_the_map_has_every_graph_and_rings_the_selected_one() -> None:
    dataset = load_dataset("ba_2motifs")
    share = np.linspace(0, 1, dataset.num_graphs)
    figure = graph_map(dataset, np.stack([1 - share, share], axis=1), DATASETS["ba_2motifs"].classes, selected=7)
    one, other, ring = figure.data
    assert len(one.x) + len(other.x) == dataset.num_graphs
    assert all(np.isfinite(line.y).all() for line in figure.data)
    assert one.marker.symbol != other.marker.symbol
    ids = np.concatenate([one.customdata, other.customdata])[:, 0]
    at = np.concatenate([one.x, other.x])[ids == "7"], np.concatenate([one.y, other.y])[ids == "7"]
    assert (ring.x[0], ring.y[0]) == (at[0][0], at[1][0])
