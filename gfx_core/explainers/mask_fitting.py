"""Fit a soft mask over the edges of one small instance as GNNExplainer does: PyG's steps, without autograd.

What is free is in :class:`GNNExplainerConfig`.
"""

from dataclasses import dataclass

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.errors import UserError
from gfx_core.gnn.receptive import MaskedSums

_MOMENTUM, _SQUARES, _EPS = 0.9, 0.999, 1e-8  # Adam's usual ones


@dataclass(frozen=True)
class GNNExplainerConfig:
    """How GNNExplainer fits a mask; by default as in PyG.

    Attributes:
        epochs: Steps of gradient descent.
        lr: Of Adam.
        size: Price of each edge of the mask.
        entropy: Price of the mean entropy of the mask's values.
    """

    epochs: int = 100
    lr: float = 0.01
    size: float = 0.005
    entropy: float = 1.0

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.lr <= 0 or min(self.size, self.entropy) < 0:
            raise UserError("epochs must be at least 1, lr above 0, and prices not below 0.")


def fit_mask(gnn: MaskedSums, initial: Doubles, config: GNNExplainerConfig) -> Doubles:
    """The mask of one instance, so that the class survives that the GNN predicts; 0 where an edge has no influence.

    The prices have gradients that can be written down: with m = σ(w) that of the entropy of m is −w.

    Args:
        gnn: The GNN on the instance.
        initial: Where the mask starts, before the sigmoid. [e]
        config: How it is fitted.

    Returns:
        Values from 0 to 1. [e]
    """
    explained = int(gnn.ask(np.ones_like(initial))[0].argmax())
    mask, mean, squares = initial.copy(), np.zeros_like(initial), np.zeros_like(initial)
    heard, share = np.ones(len(initial), dtype=bool), 0.0  # edges with influence, and the weight of each in their mean
    for step in range(1, config.epochs + 1):
        m = 1 / (1 + np.exp(-mask))
        grad = gnn.gradient(m, explained)
        if step > 1:
            grad += heard * (config.size - config.entropy * share * mask)
        grad *= m * (1 - m)
        if step == 1:  # until then nothing is priced, as in PyG
            heard = grad != 0
            share = 1 / max(1, int(heard.sum()))
        mean += (1 - _MOMENTUM) * (grad - mean)
        squares += (1 - _SQUARES) * (grad * grad - squares)
        spread = np.sqrt(squares) / (1 - _SQUARES**step) ** 0.5 + _EPS
        mask -= config.lr / (1 - _MOMENTUM**step) * mean / spread
    found: Doubles = heard / (1 + np.exp(-mask))
    return found
