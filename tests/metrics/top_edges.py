"""Fidelity and unfaithfulness of the k highest-scored edges, one k at a time."""

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.metrics.fidelity import divergence_score, outcomes


def fidelity(model: GNN, instance: Instance, scores: NDArray[np.floating], k: int) -> tuple[float, float]:
    """Fidelity+ and fidelity− of the k highest-scored edges, in probability."""
    result = outcomes(model, instance, scores, [k])
    return float(result.plus[0]), float(result.minus[0])


def unfaithfulness(
    model: GNN, instance: Instance, scores: NDArray[np.floating], k: int, *, reverse: bool = False
) -> float:
    """Unfaithfulness of the k highest-scored edges: 0 if the prediction is that of the whole, 1 at the worst.

    Args:
        model: The GNN; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge.
        k: How many edges the explanation has.
        reverse: Whether to take KL(ŷ ‖ y), as PyG's code does.
    """
    result = outcomes(model, instance, scores, [k])
    y, y_hat = result.whole, result.only[0]
    return float(divergence_score(y_hat, y) if reverse else divergence_score(y, y_hat))
