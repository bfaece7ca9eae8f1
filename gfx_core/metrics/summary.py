"""All metrics of one explanation; their texts are in assets/content.

Fidelity: does the GNN need the explanation (fidelity+), and is the explanation enough for it (fidelity−)?

Definitions of Yuan et al., "Explainability in Graph Neural Networks: A Taxonomic Survey" (2020), for the class that
the GNN itself predicts on the whole instance:

- fidelity+ = P(class | whole) − P(class | without the explanation's edges), high if the explanation is necessary;
- fidelity− = P(class | whole) − P(class | only the explanation's edges), low if it is sufficient, below zero if the
  GNN is surer of the class than on the whole.

Edges are deleted, not masked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gfx_core.arrays import Doubles, Ints, Reals
from gfx_core.config import read_content
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import (
    best_edges,
    connected_share,
    pooled_auc,
    topk_accuracy,
    truth_edges,
    undirected_scores,
)

if TYPE_CHECKING:
    from torch import nn

COUNTED_EDGES = 60
"""Where fidelity is kept for explanations of 1, 2, … edges, it is for at most so many."""


@dataclass(frozen=True)
class Outcomes:
    """Class probabilities for explanations of n sizes, and what follows from them.

    Attributes:
        whole: On the whole instance. [C]
        only: With the explanation's edges alone. [n, C]
        without: With all edges but those. [n, C]
    """

    whole: Doubles
    only: Doubles
    without: Doubles

    @property
    def explained_class(self) -> int:
        return int(self.whole.argmax())

    @property
    def plus(self) -> Doubles:
        return self.whole[self.explained_class] - self.without[:, self.explained_class]

    @property
    def minus(self) -> Doubles:
        return self.whole[self.explained_class] - self.only[:, self.explained_class]


def outcomes(model: "nn.Module", instance: Instance, scores: Reals, counts: Sequence[int] | Ints) -> Outcomes:
    """Evaluate the GNN on the highest-scored edges, and on all the others, for several numbers of edges at once.

    Equal scores are ranked by :func:`gfx_core.metrics.edges.ranked`.
    """
    from gfx_core.user_models.predictor import predictor_on

    top = best_edges(undirected_scores(instance, scores), np.reshape(counts, (-1, 1)))  # [n, E]
    predictor = predictor_on(model, [instance])
    whole = predictor.whole.probabilities[0].double().cpu().numpy()
    answers = predictor.with_edges(instance, np.concatenate([top, ~top])).probabilities.double().cpu().numpy()
    return Outcomes(whole, *np.split(answers, 2))


DEFAULT_K = 10
"""Edges of an explanation where no motif gives their number."""


class MetricInfo(NamedTuple):
    """A metric in words: its name, and in one sentence what it means."""

    title: str
    sentence: str


METRICS = {name: MetricInfo(**texts) for name, texts in read_content("metrics").items()}

BY_TRUTH = ("auc_own", "topk_own")
"""The metrics that hold an explanation against what is known to be true."""


def explanation_size(instance: Instance) -> int:
    """How many edges the explanation has: as many as the own motif, or 10; never more than there are."""
    return min(int(truth_edges(instance).sum()) or DEFAULT_K, len(instance.undirected))


def summarise(model: "nn.Module", instance: Instance, scores: Reals) -> dict[str, float | None]:
    """Every metric of one explanation, by the names of :data:`METRICS`.

    AUC and top-k accuracy are ``None`` where no motif is known or every edge is in it; without edges everything is.

    Args:
        model: The GNN, ours or any other; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge. [e]
    """
    size = explanation_size(instance)
    kept = best_edges(undirected_scores(instance, scores), size)
    share = connected_share(instance, kept)
    if share is None:  # no edges
        return dict.fromkeys(METRICS)
    result = outcomes(model, instance, scores, [size])
    return {
        "auc_own": pooled_auc([instance], [scores]),
        "topk_own": topk_accuracy(instance, scores),
        "fidelity_plus": float(result.plus[0]),
        "fidelity_minus": float(result.minus[0]),
        "sparsity": float(1 - kept.mean()),
        "connected_share": share,
    }
