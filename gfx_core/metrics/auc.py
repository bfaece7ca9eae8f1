"""AUC of edge scores against the true motif, over the undirected edges of the instances."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import Bools, truth_edges, undirected_scores


def pooled_auc(
    instances: Sequence[Instance], scores: Sequence[NDArray[np.floating]], truth: str = "own"
) -> float | None:
    """AUC of the edges of all instances together; ``None`` if all edges, or none, belong to a motif.

    Args:
        instances: What was explained.
        scores: A score for each directed edge of each.
        truth: ``own`` (edges of the explained node's motif) or ``all`` (every motif edge in view).
    """
    given = [undirected_scores(i, s) for i, s in zip(instances, scores, strict=True)]
    if not given:
        return None
    return _auc(np.concatenate([truth_edges(i, truth) for i in instances]), np.concatenate(given))


def instance_auc(instance: Instance, scores: NDArray[np.floating], truth: str = "own") -> float | None:
    """AUC of the edges of one instance; ``None`` if all its edges, or none, belong to the motif."""
    return pooled_auc([instance], [scores], truth)


def _auc(wanted: Bools, values: NDArray[np.float64]) -> float | None:
    """Chance that a wanted value is above another one, ties half: the Mann–Whitney statistic, from ranks. [E], [E]"""
    right, wrong = int(wanted.sum()), int((~wanted).sum())
    if not right or not wrong:
        return None
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # the mean rank, from 1, of each value
    above = rank[group][wanted].sum() - right * (right + 1) / 2
    return float(above / (right * wrong))
