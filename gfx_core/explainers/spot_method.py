"""GFlowExplainer as a method for a model that others wrote: nothing is learnt beforehand."""

import numpy as np
import torch

from gfx_core.datasets.instance import Instance
from gfx_core.explainers.explained import on_given_edges
from gfx_core.explainers.explanation import Explanation
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.explainers.method import Method


class SpotMethod(Method):
    """Edge marginals of exact flows, or of a policy that is trained on the instance.

    Args:
        model: The GNN.
        seed: Of what is drawn.
        device: Where to compute.
    """

    any_model = True

    def explain(self, instance: Instance) -> Explanation:
        explainer = GFlowExplainer(seed=self.seed, device=str(self.device))
        trace = explainer.trace(self.model, instance)
        local = {int(node): number for number, node in enumerate(instance.nodes)}
        number = np.array([local[node.id] for node in trace.nodes])  # a part of the instance may have been looked at
        one_way = number[
            np.array([(edge.source, edge.target) for edge in trace.edges], dtype=np.int64).reshape(-1, 2).T
        ]
        marginals = np.array(trace.edge_marginals or np.zeros(one_way.shape[1]))
        both = np.concatenate([one_way, one_way[::-1]], axis=1)
        scores = on_given_edges(both, np.concatenate([marginals, marginals]), torch.from_numpy(instance.edge_index))
        return Explanation(scores.double().numpy(), number[list(trace.steps[-1].members)])
