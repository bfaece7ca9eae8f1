"""Unfaithfulness: how far the whole prediction moves, all classes of it, when only the explanation is left.

Agarwal et al., "Evaluating Explainability for Graph Neural Networks" (2023), print GEF = 1 − exp(−KL(y ‖ ŷ)) with y
the class probabilities on the whole instance and ŷ those on the explanation; so does the documentation of
``torch_geometric.explain.unfaithfulness``. What that function computes is KL(ŷ ‖ y): the arguments of
``torch.nn.functional.kl_div`` are the other way round. We compute what is printed; with its
arguments changed round, :func:`divergence_score` gives PyG's number.

PyG also multiplies the messages with the mask and lets everything else be, while here the edges are deleted. For a hard
mask that is the same in a node task with the sum convolution. It differs with a normalised convolution, whose degrees
still count masked edges, and in graph tasks, where masked nodes still enter the pooling.
"""

import numpy as np

from gfx_core.metrics.fidelity import Doubles

_SMALLEST = np.finfo(np.float32).tiny  # probabilities come from float32 and may be 0 there


def divergence_score(y: Doubles, y_hat: Doubles) -> Doubles:
    """1 − exp(−KL(y ‖ ŷ)), between 0 (the same) and 1. [..., C] → [...]"""
    log_ratio = np.log(np.maximum(y, _SMALLEST)) - np.log(np.maximum(y_hat, _SMALLEST))
    divergence = (y * log_ratio).sum(-1)
    return -np.expm1(-np.maximum(divergence, 0))
