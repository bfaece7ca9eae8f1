"""All metrics of one explanation, and what to tell people about each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import (
    connectedness,
    instance_auc,
    mask_sparsity,
    sparsity,
    top_edges,
    topk_accuracy,
    truth_edges,
)
from gfx_core.metrics.fidelity import Outcomes, divergence_score, outcomes

if TYPE_CHECKING:
    from torch import nn

DEFAULT_K = 10
"""Edges of an explanation where no motif says how many there should be."""


@dataclass(frozen=True)
class MetricInfo:
    """What to tell people about a metric.

    Attributes:
        name: Its key.
        title: Its name for people.
        sentence: What it says, in one sentence.
        citation: Where it is from.
    """

    name: str
    title: str
    sentence: str
    citation: str


_YING = "Ying et al., GNNExplainer, NeurIPS 2019"
_LI = "Li et al., GFlowExplainer, ICLR 2023"
_YUAN = "Yuan et al., Explainability in Graph Neural Networks: A Taxonomic Survey, 2020"
_AMARA = "Amara et al., GraphFramEx, 2022"
_AGARWAL = "Agarwal et al., Evaluating Explainability for Graph Neural Networks, 2023"

METRICS: dict[str, MetricInfo] = {
    info.name: info
    for info in (
        MetricInfo(
            "auc_own",
            "AUC, own motif",
            "Chance that an edge of the explained motif scores higher than an edge outside it.",
            _YING,
        ),
        MetricInfo(
            "auc_all",
            "AUC, all motifs",
            "Chance that an edge of any motif in view scores higher than an edge of none.",
            _YING,
        ),
        MetricInfo(
            "topk_own",
            "Top-k accuracy, own motif",
            "Share of the highest-scored edges, as many as the explained motif has, that belong to it.",
            _LI,
        ),
        MetricInfo(
            "topk_all",
            "Top-k accuracy, all motifs",
            "Share of the highest-scored edges, as many as the motifs in view have, that belong to one.",
            _LI,
        ),
        MetricInfo(
            "fidelity_plus",
            "Fidelity+",
            "How much probability the predicted class loses when the explanation's edges are deleted.",
            _YUAN,
        ),
        MetricInfo(
            "fidelity_minus",
            "Fidelity−",
            "How much probability the predicted class loses when only the explanation's edges are left.",
            _YUAN,
        ),
        MetricInfo(
            "fidelity_plus_accuracy",
            "Fidelity+ (class)",
            "Whether the predicted class changes when the explanation's edges are deleted.",
            _YUAN,
        ),
        MetricInfo(
            "fidelity_minus_accuracy",
            "Fidelity− (class)",
            "Whether the predicted class changes when only the explanation's edges are left.",
            _YUAN,
        ),
        MetricInfo(
            "unfaithfulness",
            "Unfaithfulness",
            "How far the probabilities of all classes move when only the explanation's edges are left, from 0 to 1.",
            _AGARWAL,
        ),
        MetricInfo(
            "sparsity",
            "Sparsity",
            "Share of the edges that the explanation, its k highest-scored edges, does without.",
            _YUAN,
        ),
        MetricInfo(
            "mask_sparsity",
            "Sparsity of the scores",
            "Share of the edges that score no more than half of the highest score.",
            f"{_YUAN}; threshold: {_AMARA}",
        ),
        MetricInfo(
            "connected",
            "Connected",
            "Whether the explanation's edges form one piece.",
            _LI,
        ),
        MetricInfo(
            "components",
            "Pieces",
            "Number of pieces that the explanation's edges form.",
            _LI,
        ),
        MetricInfo(
            "connected_share",
            "Share in the main piece",
            "Share of the explanation's edges in the explained node's piece, or in the largest piece of a graph.",
            _LI,
        ),
    )
}


BY_TRUTH = ("auc_own", "auc_all", "topk_own", "topk_all")
"""The metrics that hold an explanation against what is known to be true."""


def explanation_size(instance: Instance, k: int | None = None) -> int:
    """How many edges the explanation has: k, or as many as the own motif, or 10; never more than there are."""
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1 (got {k})")
    wanted = int(truth_edges(instance, "own").sum()) or DEFAULT_K
    return min(wanted if k is None else k, len(instance.undirected))


def summarise(
    model: "nn.Module",
    instance: Instance,
    scores: NDArray[np.floating],
    *,
    k: int | None = None,
    known: Outcomes | None = None,
) -> dict[str, float | None]:
    """Every metric of one explanation, by the names of :data:`METRICS`.

    AUC and top-k accuracy are ``None`` where no motif is known or every edge is in it; without edges everything is.

    Args:
        model: The GNN, ours or any other; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge. [e]
        k: How many of the highest-scored edges are the explanation; see :func:`explanation_size`. AUC and top-k
            accuracy do not depend on it.
        known: What the GNN says of an explanation of that size, where that is known already.
    """
    size = explanation_size(instance, k)
    kept = top_edges(instance, scores, [size])[0]
    pieces = connectedness(instance, kept)
    if pieces is None:  # no edges
        return dict.fromkeys(METRICS)
    result = known or outcomes(model, instance, scores, [size])
    return {
        "auc_own": instance_auc(instance, scores, "own"),
        "auc_all": instance_auc(instance, scores, "all"),
        "topk_own": topk_accuracy(instance, scores, "own"),
        "topk_all": topk_accuracy(instance, scores, "all"),
        "fidelity_plus": float(result.plus[0]),
        "fidelity_minus": float(result.minus[0]),
        "fidelity_plus_accuracy": float(result.plus_accuracy[0]),
        "fidelity_minus_accuracy": float(result.minus_accuracy[0]),
        "unfaithfulness": float(divergence_score(result.whole, result.only[0])),
        "sparsity": sparsity(kept),
        "mask_sparsity": mask_sparsity(instance, scores),
        "connected": float(pieces.connected),
        "components": float(pieces.components),
        "connected_share": pieces.share,
    }
