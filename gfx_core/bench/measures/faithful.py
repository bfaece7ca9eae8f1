"""What an explainer's edges are to the GNN: the part of a cell of Table 1 that the study of fidelity reads."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_core.arrays import spread
from gfx_core.bench.cells import Cell
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.edge_scores import Scores
from gfx_core.gnn.models import GNN
from gfx_core.metrics.fidelity import SPARSITIES, fidelity_curve, robust_fidelity
from gfx_core.metrics.summary import explanation_size, summarise

SUBSET = 100
"""Instances, evenly spread, on which the metrics that ask the GNN are computed."""

CONTROL = "random"
"""The method whose first cell also holds what the true motif itself comes to: once for each data set."""


def faithfulness(model: GNN, instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """Means over some instances of what needs the GNN, and the fidelity curves."""
    chosen = spread(np.arange(len(instances)), SUBSET)
    curves = [fidelity_curve(model, instances[i], scores[i]) for i in chosen]
    plus, minus = np.mean(curves, axis=0).round(5).tolist()
    curve = {"plus": plus, "minus": minus, "sparsity": list(SPARSITIES), "instances": len(chosen)}
    return faithful_means(model, instances, scores) | {"curve": curve}


def control(cell: Cell, model: GNN, instances: Sequence[Instance]) -> dict[str, Any]:
    """The same means of the true motif, as if an explainer had found it, in one cell of each data set."""
    if (cell.method, cell.seed) != (CONTROL, 0):
        return {}
    return {"truth": faithful_means(model, instances, [one.own_edges.astype(np.float64) for one in instances])}


def faithful_means(model: GNN, instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, float | None]:
    """Means of fidelity, robust fidelity and the other metrics that need no truth, over some instances."""
    each = []
    for i in spread(np.arange(len(instances)), SUBSET):
        one = summarise(model, instances[i], scores[i])
        k = explanation_size(instances[i])
        one |= zip(("robust_plus", "robust_minus"), robust_fidelity(model, instances[i], scores[i], k), strict=True)
        each.append(one)
    found: dict[str, float | None] = {}
    for name in (name for name in each[0] if not name.startswith(("auc", "topk"))):
        known = [value for one in each if (value := one[name]) is not None]
        found[name] = float(np.mean(known)) if known else None
    return found
