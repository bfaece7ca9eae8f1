"""AUC by hand."""

import numpy as np
import pytest

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.auc import pooled_auc, undirected_scores


def path(marked: list[tuple[int, int]], others: list[tuple[int, int]] = ()) -> Instance:  # type: ignore[assignment]
    """The path 0–1–2–3 with some edges in motif 0 (nodes 0 and 1 are in it) or in motif 1."""
    edges = [(0, 1), (1, 2), (2, 3)]
    motif = [0 if edge in marked else 1 if edge in others else -1 for edge in edges]
    dataset = GraphDataset.from_edges(
        "path",
        Task.NODE,
        np.ones((4, 1), dtype=np.float32),
        np.array(edges).T,
        np.zeros(4, dtype=np.int64),
        motif=np.array([0, 0, -1, -1]),
        edge_motif=np.array(motif),
    )
    return dataset.instance(0)


def directed(instance: Instance, scores: dict[tuple[int, int], float]) -> np.ndarray:
    return np.array([scores[(min(s, t), max(s, t))] for s, t in instance.edge_index.T.tolist()])


def test_by_hand() -> None:
    instance = path([(0, 1)])
    right = directed(instance, {(0, 1): 0.9, (1, 2): 0.5, (2, 3): 0.1})
    middle = directed(instance, {(0, 1): 0.5, (1, 2): 0.9, (2, 3): 0.1})
    assert pooled_auc([instance], [right]) == 1.0
    assert pooled_auc([instance], [middle]) == 0.5
    assert pooled_auc([instance], [1 - right]) == 0.0  # below chance is reported as it is


def test_pooling_compares_across_instances() -> None:
    one, two = path([(0, 1)]), path([(0, 1)])
    high = directed(one, {(0, 1): 0.9, (1, 2): 0.8, (2, 3): 0.7})
    low = directed(two, {(0, 1): 0.3, (1, 2): 0.2, (2, 3): 0.1})
    # positives .9 and .3, negatives .8 .7 .2 .1: of 8 pairs, .3 loses to .8 and .7
    assert pooled_auc([one, two], [high, low]) == pytest.approx(6 / 8)


def test_both_ground_truths() -> None:
    instance = path([(0, 1)], [(2, 3)])
    scores = directed(instance, {(0, 1): 0.9, (1, 2): 0.5, (2, 3): 0.1})
    assert pooled_auc([instance], [scores], "own") == 1.0
    assert pooled_auc([instance], [scores], "all") == 0.5


def test_nothing_to_tell_apart() -> None:
    instance = path([(0, 1), (1, 2), (2, 3)])
    assert pooled_auc([instance], [np.zeros(6)]) is None


def test_the_two_directions_of_an_edge_are_averaged() -> None:
    instance = path([(0, 1)])
    scores = np.array([1.0 if s < t else 0.0 for s, t in instance.edge_index.T.tolist()])
    assert undirected_scores(instance, scores).tolist() == [0.5, 0.5, 0.5]
