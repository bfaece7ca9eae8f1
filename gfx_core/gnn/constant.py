"""A GNN that says the same of every graph: whoever explains it has nothing to explain.

What a method answers here comes from the graph and from the method's own habits. Where that finds the motif as well as
with the real GNN, finding the motif says nothing of the explanation.
"""

import copy

import torch

from gfx_core.gnn.models import GNN


@torch.no_grad()
def constant_gnn(model: GNN) -> GNN:
    """A GNN of the same shape with the same answer and the same embedding for whatever it is asked.

    All its weights are zero but the head's bias. So every way to ask it (sparse, dense, edge by edge) agrees.

    Args:
        model: The GNN whose shape it has; it is left as it is.
    """
    constant = copy.deepcopy(model)
    bias = constant.head.bias.clone()
    for weights in constant.parameters():
        weights.zero_()
    constant.head.bias.copy_(bias)
    return constant.eval()
