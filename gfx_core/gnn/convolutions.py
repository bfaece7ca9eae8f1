"""Convolutions: what one layer of a GNN computes, said once for every way in which the GNN is asked.

A convolution reads the graph through `Neighbours` alone. So the same few lines train on an edge list, evaluate
thousands of padded subgraphs, value coalitions and, because they are ordinary PyTorch, are split by DEGREE.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import MessagePassing
from torch_geometric.nn.dense import Linear

from gfx_core.gnn.neighbours import Neighbours


class Convolution(MessagePassing):
    """One layer, before its activation.

    It is PyG's, so that PyG's explainers can put masks on the messages that ``graph.sum`` sends along edges.

    Args:
        in_channels: Width of what it reads.
        out_channels: Width of what it computes.
    """

    propagate_type: ClassVar[dict[str, type]] = {"x": Tensor}

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(aggr="add")
        self.in_channels, self.out_channels = in_channels, out_channels

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        """The layer's output at the nodes it computes, from ``z`` at the nodes it reads.

        Features are the last dimension; which ones come before depends on who asks, so name none of them.

        Args:
            z: What the layer below computed. […, in]
            graph: The graph around it.

        Returns:
            […, out]
        """
        raise NotImplementedError


class SumConv(Convolution):
    """GNNExplainer's convolution: sum over the neighbours (not the node itself), linear map, L2 norm."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels)
        self.lin = nn.Linear(in_channels, out_channels)

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        return functional.normalize(self.lin(graph.sum(z)), dim=-1)


class SymmetricConv(Convolution):
    """The graph convolution of Kipf and Welling: self-loops, symmetric degree normalisation."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels)
        self.lin = Linear(in_channels, out_channels, bias=False, weight_initializer="glorot")
        self.lin.reset_parameters()  # drawn twice, as by PyG's GCNConv: a seed gives the weights it has always given
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        scale = (graph.degree + 1).rsqrt()
        scaled = scale * self.lin(z)
        return graph.own(scale) * (graph.sum(scaled) + graph.own(scaled)) + self.bias
