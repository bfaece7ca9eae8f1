"""Sparsity: how little of the instance an explanation needs.

For a hard explanation this is the definition of Yuan et al., "Explainability in Graph Neural Networks: A Taxonomic
Survey" (2020): 1 − |important edges| / |edges|. Soft scores have to be cut first; the cut at a threshold is one of the
ways of Amara et al., "GraphFramEx" (2022). Ours is relative to the largest score, because methods score on different
scales.
"""

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import undirected_scores


def sparsity(kept: NDArray[np.bool_]) -> float | None:
    """1 − share of the undirected edges that are kept; ``None`` without edges. [E]"""
    return float(1 - kept.mean()) if kept.size else None


def mask_sparsity(instance: Instance, scores: NDArray[np.floating], threshold: float = 0.5) -> float | None:
    """Sparsity of the edges that score above a share of the largest score; ``None`` without edges.

    Only positive scores count: where none is positive no edge is marked and the sparsity is 1. Equal positive scores
    mark every edge: 0.

    Args:
        instance: What was explained.
        scores: A score for each directed edge.
        threshold: Share of the largest score, at least 0 and below 1.
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold must be at least 0 and below 1 (got {threshold})")
    values = undirected_scores(instance, scores)
    if not values.size:
        return None
    return sparsity(values > threshold * values.max())
