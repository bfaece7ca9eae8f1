"""Robust fidelity: what is taken away, or left, is drawn at random, so that the GNN is not asked about the absurd.

Plain fidelity deletes the whole explanation, or everything else. A GNN may never have seen such graphs, and then its
answer says more of that than of the explanation. Zheng et al., "Towards Robust Fidelity for Evaluating
Explainability of Graph Neural Networks" (ICLR 2024), delete parts instead:

- RFid+ (their Fid α₁,+) = P(class | whole) − E P(class | without each of the explanation's edges with chance α₁);
- RFid− (their Fid α₂,−) = P(class | whole) − E P(class | the explanation and each other edge with chance α₂).

With α₁ = 1 and α₂ = 0 they are fidelity+ and fidelity−. The authors take α₁ = .1 and α₂ = .9; of a motif of six edges
that leaves five and a half, so here both are one half. F-Fidelity (Zheng et al., ICLR 2025) also asks a model which
knows inputs with parts missing, trained without a look at any explanation: a GNN trained on random fragments is one
(though its fragments are connected, and these graphs need not be).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import top_edges

if TYPE_CHECKING:
    from gfx_core.gnn.models import GNN


@dataclass(frozen=True)
class Removal:
    """How parts are drawn.

    Attributes:
        explanation: α₁, the chance of each edge of the explanation to be taken away for RFid+.
        others: α₂, the chance of each other edge to be left for RFid−.
        samples: How many times each is drawn.
        seed: Of what is drawn: the same edges for every explainer, so that luck is no difference between them.
    """

    explanation: float = 0.5
    others: float = 0.5
    samples: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.explanation <= 1 and 0 <= self.others <= 1):
            raise ValueError(f"α₁ and α₂ must lie between 0 and 1 (got {self.explanation} and {self.others})")
        if self.samples < 1:
            raise ValueError(f"samples must be at least 1 (got {self.samples})")


HALVES = Removal()


def robust_fidelity(
    model: "GNN", instance: Instance, scores: NDArray[np.floating], k: int, removal: Removal = HALVES
) -> tuple[float, float]:
    """RFid+ (high: necessary) and RFid− (low: sufficient) of the k highest-scored edges, all samples in one batch.

    Args:
        model: The GNN; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge. [e]
        k: How many edges the explanation has.
        removal: How parts are drawn.
    """
    from gfx_core.gnn.kept_edges import predict_kept, predict_whole

    top = top_edges(instance, scores, [k])[0]  # [E]
    luck = np.random.RandomState(removal.seed).random_sample((removal.samples, len(top)))  # [n, E]
    without = ~(top & (luck < removal.explanation))
    left = top | (luck < removal.others)
    whole = predict_whole(model, instance).probabilities[0]
    explained = int(whole.argmax())
    answers = predict_kept(model, instance, np.concatenate([without, left])).probabilities[:, explained].double()
    plus, minus = (float(whole[explained]) - answers.cpu().numpy().reshape(2, -1).mean(1)).tolist()
    return plus, minus
