"""Fidelity: does the GNN need the explanation (fidelity+), and is the explanation enough for it (fidelity−)?

Definitions of Yuan et al., "Explainability in Graph Neural Networks: A Taxonomic Survey" (2020), for the class that
the GNN itself predicts on the whole instance:

- fidelity+ = P(class | whole) − P(class | without the explanation's edges), high if the explanation is necessary;
- fidelity− = P(class | whole) − P(class | only the explanation's edges), low if it is sufficient, below zero if the
  GNN is surer of the class than on the whole.

Edges are deleted, not masked.

Unfaithfulness: how far the whole prediction moves, all classes of it, when only the explanation is left.

Agarwal et al., "Evaluating Explainability for Graph Neural Networks" (2023), print GEF = 1 − exp(−KL(y ‖ ŷ)) with y
the class probabilities on the whole instance and ŷ those on the explanation; so does the documentation of
``torch_geometric.explain.unfaithfulness``. What that function computes is KL(ŷ ‖ y): the arguments of
``torch.nn.functional.kl_div`` are the other way round. We compute what is printed; with its
arguments changed round, :func:`divergence_score` gives PyG's number.

PyG also multiplies the messages with the mask and lets everything else be, while here the edges are deleted. For a hard
mask that is the same in a node task with the sum convolution. It differs with a normalised convolution, whose degrees
still count masked edges, and in graph tasks, where masked nodes still enter the pooling.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import best_edges, undirected_scores

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


def outcomes(
    model: "nn.Module", instance: Instance, scores: NDArray[np.floating], counts: Sequence[int] | Ints
) -> Outcomes:
    """Ask the GNN about the highest-scored edges, and about all the others, for several numbers of edges at once.

    Equal scores are ranked as :func:`gfx_core.metrics.edges.ranked` says.
    """
    from gfx_core.user_models.predictor import predictor_on

    top = best_edges(undirected_scores(instance, scores), np.reshape(counts, (-1, 1)))  # [n, E]
    predictor = predictor_on(model, [instance])
    whole = predictor.whole.probabilities[0].double().cpu().numpy()
    answers = predictor.with_edges(instance, np.concatenate([top, ~top])).probabilities.double().cpu().numpy()
    return Outcomes(whole, answers[: len(top)], answers[len(top) :])


_SMALLEST = np.finfo(np.float32).tiny  # probabilities come from float32 and may be 0 there


def divergence_score(y: Doubles, y_hat: Doubles) -> Doubles:
    """1 − exp(−KL(y ‖ ŷ)), between 0 (the same) and 1. [..., C] → [...]"""
    log_ratio = np.log(np.maximum(y, _SMALLEST)) - np.log(np.maximum(y_hat, _SMALLEST))
    divergence = (y * log_ratio).sum(-1)
    return -np.expm1(-np.maximum(divergence, 0))
