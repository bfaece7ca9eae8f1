"""Occlusion: how much surer the GNN is of its class with an edge than without it (Zeiler and Fergus, ECCV 2014).

They cover parts of a picture; here the part is one edge, which is deleted as fidelity deletes edges
(`gfx_core.metrics.fidelity`): it also leaves the degrees, and a node without any other edge leaves the graph.
Nothing is drawn, nothing is learnt and there is nothing to choose.
"""

import numpy as np
import torch

from gfx_core.baselines.method import Explanation, Method
from gfx_core.datasets.instance import Instance
from gfx_core.user_models.predictor import predictor_on

_TOGETHER = 1 << 24  # pairs of a deleted and another edge that are looked at together


class Occlusion(Method):
    """By how much the log-probability of the predicted class falls when an edge, and no other, is deleted.

    It rises without an edge that speaks against the class, which then scores below zero. Logarithms are taken in double
    precision: in single precision a sure answer has log p = 0 with and without the edge.
    """

    any_model = True

    def explain(self, instance: Instance) -> Explanation:
        edge = np.arange(len(instance.undirected))
        if not len(edge):
            return Explanation(np.zeros(0))
        predictor = predictor_on(self.model, [instance], self.device)
        without = np.append(-1, edge)  # the first is without none
        parts = np.array_split(without, 1 + len(without) ** 2 // _TOGETHER)
        logits = [predictor.with_edges(instance, part[:, None] != edge).logits.double() for part in parts]
        log_p = torch.cat(logits).log_softmax(-1)[:, predictor.whole.predicted[0]].cpu().numpy()  # [1 + E]
        return Explanation(instance.both_directions(log_p[0] - log_p[1:]))
