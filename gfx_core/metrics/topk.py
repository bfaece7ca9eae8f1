"""Top-k accuracy: how many of the highest-scored edges belong to the motif."""

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import truth_edges, undirected_scores


def topk_accuracy(
    instance: Instance, scores: NDArray[np.floating], truth: str = "own", k: int | None = None
) -> float | None:
    """Share of the k highest-scored undirected edges that belong to the motif.

    Where several edges share the k-th score, this is the expected share if the places left were drawn among them at
    random, so constant scores get the motif's share of all edges.

    Args:
        instance: What was explained.
        scores: A score for each directed edge.
        truth: ``own`` or ``all``.
        k: How many edges; by default as many as the motif has. Never more than there are.

    Returns:
        A share; ``None`` if all edges, or none, belong to the motif.
    """
    wanted = truth_edges(instance, truth)
    values = undirected_scores(instance, scores)
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1 (got {k})")
    if wanted.all() or not wanted.any():
        return None
    k = int(wanted.sum()) if k is None else min(k, len(values))
    last = np.partition(values, len(values) - k)[len(values) - k]  # the k-th highest score
    above, tied = values > last, values == last
    hits = wanted[above].sum() + (k - above.sum()) * wanted[tied].mean()
    return float(hits / k)
