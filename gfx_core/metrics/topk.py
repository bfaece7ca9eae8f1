"""Top-k accuracy: how many of the highest-scored edges, or nodes, belong to the motif."""

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import Bools, truth_edges, truth_nodes, undirected_scores


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
    return _share(wanted, values, k)


def topk_nodes(instance: Instance, scores: NDArray[np.floating], truth: str = "own") -> float | None:
    """Share of the k highest-scored nodes that belong to the motif, k as many as the motif has: the paper's count.

    A node scores what the best of its edges does, the same for every method; one without edges comes last. Ties and
    ``None`` are as in :func:`topk_accuracy`.

    Args:
        instance: What was explained.
        scores: A score for each directed edge.
        truth: ``own`` or ``all``.
    """
    wanted = truth_nodes(instance, truth)
    values = undirected_scores(instance, scores)
    best = np.full(instance.num_nodes, -np.inf)
    for ends in instance.edge_index[:, instance.undirected]:
        np.maximum.at(best, ends, values)
    return _share(wanted, best, None)


def _share(wanted: Bools, values: NDArray[np.float64], k: int | None) -> float | None:
    """The expected share of the k best that are wanted, by default as many as there are wanted ones."""
    if wanted.all() or not wanted.any():
        return None
    k = int(wanted.sum()) if k is None else min(k, len(values))
    last = np.partition(values, len(values) - k)[len(values) - k]  # the k-th highest score
    above, tied = values > last, values == last
    hits = wanted[above].sum() + (k - above.sum()) * wanted[tied].mean()
    return float(hits / k)
