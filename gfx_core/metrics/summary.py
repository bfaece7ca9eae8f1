"""All metrics of one explanation, and what to tell people about each; the texts are in assets/content."""

import tomllib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gfx_core.config import ASSETS
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import (
    best_edges,
    connectedness,
    pooled_auc,
    topk_accuracy,
    truth_edges,
    undirected_scores,
)
from gfx_core.metrics.fidelity import Outcomes, divergence_score, outcomes

if TYPE_CHECKING:
    from torch import nn

DEFAULT_K = 10
"""Edges of an explanation where no motif says how many there should be."""


class MetricInfo(NamedTuple):
    """What to tell people about a metric: its name, and in one sentence what it says."""

    title: str
    sentence: str


_TEXTS = tomllib.loads((ASSETS / "content" / "metrics.toml").read_text(encoding="utf-8"))
METRICS: dict[str, MetricInfo] = {name: MetricInfo(**texts) for name, texts in _TEXTS.items()}

BY_TRUTH = ("auc_own", "topk_own")
"""The metrics that hold an explanation against what is known to be true."""


def explanation_size(instance: Instance) -> int:
    """How many edges the explanation has: as many as the own motif, or 10; never more than there are."""
    return min(int(truth_edges(instance).sum()) or DEFAULT_K, len(instance.undirected))


def summarise(
    model: "nn.Module", instance: Instance, scores: NDArray[np.floating], *, known: Outcomes | None = None
) -> dict[str, float | None]:
    """Every metric of one explanation, by the names of :data:`METRICS`.

    AUC and top-k accuracy are ``None`` where no motif is known or every edge is in it; without edges everything is.

    Args:
        model: The GNN, ours or any other; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge. [e]
        known: Outcomes where they were computed before; the first of explanations of `explanation_size` edges.
    """
    size = explanation_size(instance)
    kept = best_edges(undirected_scores(instance, scores), size)
    pieces = connectedness(instance, kept)
    if pieces is None:  # no edges
        return dict.fromkeys(METRICS)
    result = known or outcomes(model, instance, scores, [size])
    return {
        "auc_own": pooled_auc([instance], [scores]),
        "topk_own": topk_accuracy(instance, scores),
        "fidelity_plus": float(result.plus[0]),
        "fidelity_minus": float(result.minus[0]),
        "unfaithfulness": float(divergence_score(result.whole, result.only[0])),
        "sparsity": float(1 - kept.mean()),
        "connected": float(pieces[0]),
        "connected_share": pieces[1],
    }
