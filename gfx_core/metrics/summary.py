"""All metrics of one explanation, and what to tell people about each."""

from typing import TYPE_CHECKING, NamedTuple

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


class MetricInfo(NamedTuple):
    """What to tell people about a metric: its name, and in one sentence what it says."""

    title: str
    sentence: str


METRICS: dict[str, MetricInfo] = {
    # Ying et al., GNNExplainer, NeurIPS 2019
    "auc_own": MetricInfo(
        "AUC, own motif", "Chance that an edge of the explained motif scores higher than an edge outside it."
    ),
    "auc_all": MetricInfo(
        "AUC, all motifs", "Chance that an edge of any motif in view scores higher than an edge of none."
    ),
    # Li et al., GFlowExplainer, ICLR 2023
    "topk_own": MetricInfo(
        "Top-k accuracy, own motif",
        "Share of the highest-scored edges, as many as the explained motif has, that belong to it.",
    ),
    "topk_all": MetricInfo(
        "Top-k accuracy, all motifs",
        "Share of the highest-scored edges, as many as the motifs in view have, that belong to one.",
    ),
    # Yuan et al., Explainability in Graph Neural Networks: A Taxonomic Survey, 2020
    "fidelity_plus": MetricInfo(
        "Fidelity+", "How much probability the predicted class loses when the explanation's edges are deleted."
    ),
    "fidelity_minus": MetricInfo(
        "Fidelity−", "How much probability the predicted class loses when only the explanation's edges are left."
    ),
    "fidelity_plus_accuracy": MetricInfo(
        "Fidelity+ (class)", "Whether the predicted class changes when the explanation's edges are deleted."
    ),
    "fidelity_minus_accuracy": MetricInfo(
        "Fidelity− (class)", "Whether the predicted class changes when only the explanation's edges are left."
    ),
    # Agarwal et al., Evaluating Explainability for Graph Neural Networks, 2023
    "unfaithfulness": MetricInfo(
        "Unfaithfulness",
        "How far the probabilities of all classes move when only the explanation's edges are left, from 0 to 1.",
    ),
    # Yuan et al., 2020; threshold: Amara et al., GraphFramEx, 2022
    "sparsity": MetricInfo(
        "Sparsity", "Share of the edges that the explanation, its k highest-scored edges, does without."
    ),
    "mask_sparsity": MetricInfo(
        "Sparsity of the scores", "Share of the edges that score no more than half of the highest score."
    ),
    # Li et al., 2023
    "connected": MetricInfo("Connected", "Whether the explanation's edges form one piece."),
    "components": MetricInfo("Pieces", "Number of pieces that the explanation's edges form."),
    "connected_share": MetricInfo(
        "Share in the main piece",
        "Share of the explanation's edges in the explained node's piece, or in the largest piece of a graph.",
    ),
}

BY_TRUTH = ("auc_own", "auc_all", "topk_own", "topk_all")
"""The metrics that hold an explanation against what is known to be true."""


def explanation_size(instance: Instance) -> int:
    """How many edges the explanation has: as many as the own motif, or 10; never more than there are."""
    return min(int(truth_edges(instance, "own").sum()) or DEFAULT_K, len(instance.undirected))


def summarise(
    model: "nn.Module", instance: Instance, scores: NDArray[np.floating], *, known: Outcomes | None = None
) -> dict[str, float | None]:
    """Every metric of one explanation, by the names of :data:`METRICS`.

    AUC and top-k accuracy are ``None`` where no motif is known or every edge is in it; without edges everything is.

    Args:
        model: The GNN, ours or any other; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge. [e]
        known: What the GNN says of an explanation of `explanation_size` edges, where that is known already.
    """
    size = explanation_size(instance)
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
