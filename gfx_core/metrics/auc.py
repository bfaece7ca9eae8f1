"""AUC of edge scores against the true motif, over the undirected edges of the instances."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance


def undirected_scores(instance: Instance, scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """One score for each undirected edge: the mean of its two directions. [e] → [e / 2]"""
    source, target = instance.edge_index
    reverse = np.lexsort((source, target))  # edges are sorted by (source, target): this finds each one's reverse
    both = (scores + scores[reverse]) / 2
    return both[instance.undirected].astype(np.float64)


def pooled_auc(
    instances: Sequence[Instance], scores: Sequence[NDArray[np.floating]], truth: str = "own"
) -> float | None:
    """AUC of the edges of all instances together; ``None`` if all edges, or none, belong to a motif.

    Args:
        instances: What was explained.
        scores: A score for each directed edge of each.
        truth: ``own`` (edges of the explained node's motif) or ``all`` (every motif edge in view).
    """
    from sklearn.metrics import roc_auc_score

    wanted = [(i.own_edges if truth == "own" else i.all_edges)[i.undirected] for i in instances]
    y = np.concatenate(wanted)
    if y.all() or not y.any():
        return None
    given = np.concatenate([undirected_scores(i, s) for i, s in zip(instances, scores, strict=True)])
    return float(roc_auc_score(y, given))
