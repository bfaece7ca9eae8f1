"""AUC by hand."""

from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from gfx_core import load_dataset
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import instance_auc, pooled_auc, undirected_scores
from tests.toys.instances import instance_of
from tests.toys.motifs import Edge, directed, motif_instance


def path(marked: list[Edge], others: Sequence[Edge] = ()) -> Instance:
    """The path 0–1–2–3 with some edges in motif 0 (nodes 0 and 1 are in it) or in motif 1."""
    instance = motif_instance([(0, 1), (1, 2), (2, 3)], own=tuple(marked), others=tuple(others))
    return replace(instance, motif=np.array([0, 0, -1, -1]))


def test_pooling_compares_across_instances() -> None:
    one, two = path([(0, 1)]), path([(0, 1)])
    high = directed(one, {(0, 1): 0.9, (1, 2): 0.8, (2, 3): 0.7})
    low = directed(two, {(0, 1): 0.3, (1, 2): 0.2, (2, 3): 0.1})
    # positives .9 and .3, negatives .8 .7 .2 .1: of 8 pairs, .3 loses to .8 and .7
    assert pooled_auc([one, two], [high, low]) == pytest.approx(6 / 8)


def test_nothing_to_tell_apart() -> None:
    for marked in ([], [(0, 1), (1, 2), (2, 3)]):
        assert instance_auc(path(marked), np.zeros(6)) is pooled_auc([path(marked)], [np.zeros(6)]) is None
    assert instance_auc(instance_of(nx.empty_graph(1)), np.zeros(0)) is pooled_auc([], []) is None


def test_equal_to_counting_pairs() -> None:
    dataset = load_dataset("ba_community")
    rng = np.random.RandomState(0)
    for index in dataset.explainable[::150].tolist():
        instance = dataset.instance(index)
        scores = rng.randint(0, 5, size=instance.edge_index.shape[1]).astype(np.float64)  # many ties
        for truth in ("own", "all"):
            wanted = (instance.own_edges if truth == "own" else instance.all_edges)[instance.undirected]
            values = undirected_scores(instance, scores)
            right, wrong = values[wanted][:, None], values[~wanted][None, :]
            expected = ((right > wrong) + 0.5 * (right == wrong)).mean()
            assert instance_auc(instance, scores, truth) == pytest.approx(expected)
            assert instance_auc(instance, scores, truth) == pytest.approx(roc_auc_score(wanted, values))


def test_bad_arguments() -> None:
    instance = path([(0, 1)])
    for marked in (instance, path([])):
        with pytest.raises(ValueError, match="finite"):
            instance_auc(marked, np.full(6, np.nan))
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        pooled_auc([instance, instance], [np.ones(6)])
