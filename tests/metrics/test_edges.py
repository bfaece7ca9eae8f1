"""Undirected scores, truth, and the order of the edges."""

import numpy as np
import pytest

from gfx_core import load_dataset
from gfx_core.metrics.edges import ranked_edges, top_edges, truth_edges, undirected_scores
from tests.toys.motifs import directed, motif_instance, names

STAR = [(0, leaf) for leaf in range(1, 9)]
PATH = [(0, 1), (1, 2), (2, 3)]


def test_the_mean_of_both_directions_edge_by_edge() -> None:
    instance = load_dataset("ba_shapes").instance(412)
    scores = np.random.RandomState(0).randn(instance.edge_index.shape[1])
    at = dict(zip(map(tuple, instance.edge_index.T.tolist()), scores, strict=True))
    for e, mean in zip(instance.undirected, undirected_scores(instance, scores), strict=True):
        u, v = instance.edge_index[:, e].tolist()
        assert mean == pytest.approx((at[u, v] + at[v, u]) / 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_refused(bad: float) -> None:
    scores = np.ones(6)
    scores[4] = bad
    with pytest.raises(ValueError, match="must be finite"):
        undirected_scores(motif_instance(PATH), scores)


@pytest.mark.parametrize("shape", [(3,), (7,), (6, 1), ()])
def test_one_score_for_each_directed_edge(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="each of the 6 directed edges"):
        undirected_scores(motif_instance(PATH), np.ones(shape))


def test_huge_scores_do_not_overflow() -> None:
    huge = np.full(6, np.finfo(np.float64).max)
    assert np.isfinite(undirected_scores(motif_instance(PATH), huge)).all()


def test_float32_and_whole_numbers_are_scores_too() -> None:
    instance = motif_instance(PATH)
    assert undirected_scores(instance, np.ones(6, dtype=np.float32)).tolist() == [1, 1, 1]
    assert undirected_scores(instance, np.ones(6, dtype=np.int64)).tolist() == [1, 1, 1]


def test_truths() -> None:
    instance = motif_instance(PATH, own=((0, 1),), others=((2, 3),))
    assert truth_edges(instance, "own").tolist() == [True, False, False]
    assert truth_edges(instance, "all").tolist() == [True, False, True]
    with pytest.raises(ValueError, match="'own' or 'all'"):
        truth_edges(instance, "both")


def test_from_the_highest_score_to_the_lowest() -> None:
    instance = motif_instance(PATH)
    order = ranked_edges(instance, directed(instance, {(0, 1): 0.2, (1, 2): -1, (2, 3): 0.9}))
    assert [names(instance)[e] for e in order] == [(2, 3), (0, 1), (1, 2)]


def test_equal_scores_come_in_a_fixed_order_that_is_not_their_own() -> None:
    instance = motif_instance(STAR)
    order = ranked_edges(instance, np.zeros(16))
    assert sorted(order) == list(range(8))
    assert order.tolist() != list(range(8))
    assert order.tolist() == ranked_edges(instance, np.full(16, 7.0)).tolist()


def test_top_edges_grow() -> None:
    instance = motif_instance(STAR)
    top = top_edges(instance, np.random.RandomState(3).rand(16), range(10))
    assert top.shape == (10, 8)
    assert top.sum(1).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]
    assert (top[:-1] <= top[1:]).all()
    with pytest.raises(ValueError, match="negative"):
        top_edges(instance, np.zeros(16), [-1])


def test_without_edges() -> None:
    instance = motif_instance([], num_nodes=1)
    assert undirected_scores(instance, np.zeros(0)).shape == (0,)
    assert ranked_edges(instance, np.zeros(0)).shape == (0,)
    assert top_edges(instance, np.zeros(0), [0, 3]).shape == (2, 0)
