"""Fidelity: does the GNN need the explanation (fidelity+), and is the explanation enough for it (fidelity−)?

Definitions of Yuan et al., "Explainability in Graph Neural Networks: A Taxonomic Survey" (2020), for the class that
the GNN itself predicts on the whole instance:

- fidelity+ = P(class | whole) − P(class | without the explanation's edges), high if the explanation is necessary;
- fidelity− = P(class | whole) − P(class | only the explanation's edges), low if it is sufficient, below zero if the
  GNN is surer of the class than on the whole.

The accuracy versions count 1 where the predicted class changes, 0 where it stays. Edges are deleted, not masked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import top_edges

if TYPE_CHECKING:
    from torch import nn

Doubles = NDArray[np.float64]

SPARSITIES = tuple(level / 20 for level in range(20))
"""0.0, 0.05 … 0.95."""

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

    def at(self, rows: slice) -> "Outcomes":
        """Of some of the sizes."""
        return Outcomes(self.whole, self.only[rows], self.without[rows])

    @property
    def explained_class(self) -> int:
        return int(self.whole.argmax())

    @property
    def plus(self) -> Doubles:
        return self.whole[self.explained_class] - self.without[:, self.explained_class]

    @property
    def minus(self) -> Doubles:
        return self.whole[self.explained_class] - self.only[:, self.explained_class]

    @property
    def plus_accuracy(self) -> Doubles:
        return (self.without.argmax(1) != self.explained_class).astype(np.float64)

    @property
    def minus_accuracy(self) -> Doubles:
        return (self.only.argmax(1) != self.explained_class).astype(np.float64)


def outcomes(
    model: "nn.Module", instance: Instance, scores: NDArray[np.floating], counts: Sequence[int] | Ints
) -> Outcomes:
    """Ask the GNN about the highest-scored edges, and about all the others, for several numbers of edges at once.

    Equal scores are ranked as :func:`gfx_core.metrics.edges.ranked_edges` says.
    """
    from gfx_core.gnn.kept_edges import predict_kept, predict_whole

    top = top_edges(instance, scores, counts)  # [n, E]
    whole = predict_whole(model, instance).probabilities[0].double().cpu().numpy()
    answers = predict_kept(model, instance, np.concatenate([top, ~top])).probabilities.double().cpu().numpy()
    return Outcomes(whole, answers[: len(top)], answers[len(top) :])


def kept_at(sparsities: Sequence[float], num_edges: int) -> Ints:
    """How many edges an explanation of some sparsity has: the smallest number that is a share of 1 − sparsity or more.

    So there is at least one edge at every sparsity below 1.
    """
    levels = np.asarray(sparsities, dtype=np.float64)
    if not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError("a sparsity lies between 0 and 1")
    return np.ceil((1 - levels) * num_edges - 1e-9).astype(np.int64)  # 0.05 · 20 edges is 1, not 1.0000000000000009


def fidelity_curve(model: "nn.Module", instance: Instance, scores: NDArray[np.floating]) -> tuple[Doubles, Doubles]:
    """Fidelity+ and fidelity− of the top edges at all :data:`SPARSITIES`, in one batch. [n], [n]

    Without edges there is nothing to take away, and both are 0.

    Args:
        model: The GNN; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge.
    """
    result = outcomes(model, instance, scores, kept_at(SPARSITIES, len(instance.undirected)))
    return result.plus, result.minus
