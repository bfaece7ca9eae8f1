"""Edge scores: their order, AUC, top-k accuracy and pieces, by hand and against slow references."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from gfx_core import UserError, load_dataset
from gfx_core.metrics.summary import (
    best_edges,
    connected_share,
    pooled_auc,
    ranked,
    topk_accuracy,
    truth_edges,
    undirected_scores,
)
from tests.toys.motifs import Edge, directed, motif_instance, names

PATH = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
MARKED = motif_instance(PATH, own=((0, 1), (1, 2)), others=((4, 5),))
SCORES = directed(MARKED, {(0, 1): 0.9, (1, 2): 0.3, (2, 3): 0.8, (3, 4): 0.1, (4, 5): 0.2})
ALONE = motif_instance([], num_nodes=1)


def test_the_mean_of_both_directions_edge_by_edge() -> None:
    instance = load_dataset("ba_shapes").instance(412)
    scores = np.random.RandomState(0).randn(instance.edge_index.shape[1])
    at = dict(zip(map(tuple, instance.edge_index.T.tolist()), scores, strict=True))
    for e, mean in zip(instance.undirected, undirected_scores(instance, scores), strict=True):
        u, v = instance.edge_index[:, e].tolist()
        assert mean == pytest.approx((at[u, v] + at[v, u]) / 2)
    assert np.isfinite(undirected_scores(MARKED, np.full(10, np.finfo(np.float64).max))).all()
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(UserError, match="must be finite"):
            undirected_scores(MARKED, np.where(np.arange(10) == 4, bad, 1.0))


def test_equal_scores_come_in_a_fixed_order_that_is_not_their_own_and_top_edges_grow() -> None:
    assert [names(MARKED)[e] for e in ranked(undirected_scores(MARKED, SCORES))[:2]] == [(0, 1), (2, 3)]
    order = ranked(np.zeros(8)).tolist()
    assert sorted(order) == list(range(8)) != order
    assert order == ranked(np.full(8, 7.0)).tolist()
    top = best_edges(np.random.RandomState(3).rand(8), np.arange(10)[:, None])
    assert top.sum(1).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]
    assert (top[:-1] <= top[1:]).all()


# AUC and top-k accuracy


def test_auc_is_counting_pairs_also_across_instances() -> None:
    one = motif_instance(PATH[:3], own=((0, 1),))
    high = directed(one, {(0, 1): 0.9, (1, 2): 0.8, (2, 3): 0.7})
    low = directed(one, {(0, 1): 0.3, (1, 2): 0.2, (2, 3): 0.1})
    # positives .9 and .3, negatives .8 .7 .2 .1: of 8 pairs, .3 loses to .8 and .7
    assert pooled_auc([one, one], [high, low]) == pytest.approx(6 / 8)
    dataset, rng = load_dataset("ba_community"), np.random.RandomState(0)
    for index in dataset.explainable[::150].tolist():
        instance = dataset.instance(index)
        scores = rng.randint(0, 5, size=instance.edge_index.shape[1]).astype(np.float64)  # many ties
        wanted, values = truth_edges(instance), undirected_scores(instance, scores)
        assert pooled_auc([instance], [scores]) == pytest.approx(roc_auc_score(wanted, values))


def test_ties_are_what_random_breaking_gives_on_average() -> None:
    instance = motif_instance(PATH, own=((0, 1), (1, 2), (3, 4)))
    rng, wanted = np.random.RandomState(0), truth_edges(instance)
    for _ in range(5):
        scores = directed(instance, dict(zip(PATH, rng.randint(0, 3, size=5).tolist(), strict=True)))
        values = undirected_scores(instance, scores)
        drawn = [wanted[np.lexsort((rng.rand(5), -values))[:3]].mean() for _ in range(3000)]
        assert topk_accuracy(instance, scores) == pytest.approx(np.mean(drawn), abs=0.03)


@pytest.mark.parametrize("own", [(), tuple(PATH)])
def test_nothing_to_tell_apart(own: tuple[Edge, ...]) -> None:
    instance = motif_instance(PATH, own=own)
    assert topk_accuracy(instance, SCORES) is topk_accuracy(ALONE, np.zeros(0)) is None
    assert pooled_auc([instance, ALONE], [SCORES, np.zeros(0)]) is pooled_auc([], []) is None


# Pieces


@pytest.mark.parametrize(("name", "share"), [("ba_shapes", 0.1), ("ba_shapes", 0.5), ("ba_2motifs", 0.4)])
def test_pieces_are_networkxs(name: str, share: float) -> None:
    dataset, rng = load_dataset(name), np.random.RandomState(0)
    for index in dataset.explainable[::97].tolist():
        instance = dataset.instance(index)
        chosen = rng.rand(len(instance.undirected)) < share
        graph: nx.Graph = nx.Graph(instance.edge_index[:, instance.undirected[chosen]].T.tolist())
        pieces = [graph.subgraph(piece) for piece in nx.connected_components(graph)]
        found = connected_share(instance, chosen)
        if found is None:
            assert not pieces
            continue
        mine = [piece.size() for piece in pieces if instance.target is None or instance.target in piece]
        assert found == pytest.approx(max(mine, default=0) / chosen.sum())
