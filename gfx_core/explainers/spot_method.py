"""GFlowExplainer as a method for a model that others wrote: nothing is learnt beforehand."""

import numpy as np

from gfx_core.datasets.instance import Instance
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
        scores = np.zeros(instance.edge_index.shape[1])
        scores[instance.undirected] = trace.edge_marginals or 0.0
        scores = np.maximum(scores, scores[np.lexsort(instance.edge_index)])  # both directions of each edge
        return Explanation(scores, np.array(trace.steps[-1].members))
