"""The Compare page: shipped masks at once, k and threshold, sorting, and the same numbers as the metrics."""

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.config import ASSETS
from gfx_core.trace import io
from pages.ui.compare import rows
from tests.metrics.top_edges import fidelity
from tests.pages.page_reading import Open, component

TRACE = io.load(ASSETS / "traces" / "ba_shapes-301.json")
LINK = {"dataset": "ba_shapes", "index": "301", "methods": "gflowexplainer,degree,most_links,random"}


def titles(cards: list[dict]) -> list[str]:
    return [card["title"] for card in cards]


def test_the_same_instance_side_by_side(open_page: Open) -> None:
    cards = component(open_page("compare", **LINK), "methods-gallery")["cards"]
    assert cards[0]["title"] == "Ground truth"
    assert set(titles(cards)) == {"Ground truth", "GFlowExplainer", "DEGREE", "Most links", "Random"}
    places = {card["svg"].split("viewBox=")[1].split('"')[1] for card in cards}
    assert len(places) == 1  # one layout for all


def test_sorted_by_what_is_asked_for(open_page: Open) -> None:
    for by in ("auc_own", "fidelity_minus"):
        cards = component(open_page("compare", **LINK, sort=by), "methods-gallery")["cards"][1:]
        values = [float(dict(card["facts"])[rows.TITLES[by]]) for card in cards]
        assert values == sorted(values, reverse=by not in rows.LOWER_IS_BETTER)


def test_k_and_threshold() -> None:
    scores = [0.1, 0.9, 0.5, 0.5, 0.0]
    assert rows.Cut(best=1).kept(scores).tolist() == [False, True, False, False, False]
    assert rows.Cut(best=3).kept(scores).tolist() == [False, True, True, True, False]
    assert rows.Cut(threshold=0.5).kept(scores).tolist() == [False, True, True, True, False]
    assert rows.Cut(threshold=0.0).kept(scores).all()
    assert rows.Cut(threshold=0.7).kept([1.0, 1.0]).all()
    assert rows.Cut(threshold=0.5).kept([]).shape == (0,)


@pytest.mark.parametrize("k", [1, 6, 20])
def test_the_numbers_are_those_of_the_metrics(k: int) -> None:
    instance, model = load_dataset("ba_shapes").instance(301), load_model("ba_shapes")
    mask = next(mask for mask in TRACE.masks if mask.method == "degree")
    row = rows.row(mask, instance, rows.Cut(best=k).kept(mask.scores))
    directed = np.zeros(instance.edge_index.shape[1])
    ends = {
        tuple(sorted(pair)): score
        for pair, score in zip(instance.edge_index[:, instance.undirected].T.tolist(), mask.scores, strict=True)
        for pair in [tuple(pair)]
    }
    for at, pair in enumerate(instance.edge_index.T.tolist()):
        directed[at] = ends[tuple(sorted(pair))]
    plus, minus = fidelity(model, instance, directed, k)
    assert row.values["fidelity_plus"] == pytest.approx(plus, abs=1e-5)
    assert row.values["fidelity_minus"] == pytest.approx(minus, abs=1e-5)
    assert row.values["sparsity"] == pytest.approx(1 - k / len(mask.scores))


def test_the_table_can_be_taken_along(open_page: Open) -> None:
    at = open_page("compare", **LINK, edges="4")
    frame = at.dataframe[0].value
    assert list(frame["Method"]) != []
    assert set(frame.columns) == {"Method", *rows.TITLES.values()}
    assert len(frame) == 4


@pytest.mark.parametrize("link", [{"methods": "nobody"}, {"edges": "-3"}, {"threshold": "nan"}, {"sort": "<b>"}])
def test_a_link_that_makes_no_sense(open_page: Open, link: dict[str, str]) -> None:
    at = open_page("compare", **{**LINK, "methods": "degree,random"} | link)
    assert len(component(at, "methods-gallery")["cards"]) >= 3
