"""What one layer of a GNN computes, written once for every way in which the GNN is asked.

A convolution reads the graph through `Neighbours` alone. So the same few lines train on an edge list, evaluate
thousands of padded subgraphs, value coalitions and, because they are ordinary PyTorch, are split by DEGREE. A graph is
a list of edges here, or many small padded matrices; a third way, nodes of many subgraphs that look alike, is in
`gfx_core.gnn.refinement`.
"""

from functools import cached_property
from typing import ClassVar, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import MessagePassing
from torch_geometric.nn.dense import Linear


class Neighbours(Protocol):
    """What a convolution may ask.

    A layer reads the activations of some nodes and computes those of some of them: all, unless only one node's
    prediction is wanted.
    """

    @property
    def degree(self) -> Tensor:
        """How many neighbours each node has that is read. […, 1]"""

    def sum(self, z: Tensor) -> Tensor:
        """At each computed node, the sum over its neighbours, itself not among them. […, d] → […, d]"""

    def own(self, z: Tensor) -> Tensor:
        """At each computed node, its own row. […, d] → […, d]"""


class EdgeList:
    """A graph by its directed edges: PyG's message passing, masks on messages included.

    Args:
        conv: The layer that asks; the messages are its own.
        x: Node features, for their number and type. [n, d]
        edge_index: Edges. [2, e]
    """

    def __init__(self, conv: MessagePassing, x: Tensor, edge_index: Tensor) -> None:
        self._conv, self._x, self._edge_index = conv, x, edge_index

    @property
    def degree(self) -> Tensor:
        ones = self._x.new_ones(self._edge_index.shape[1])
        return self._x.new_zeros(len(self._x)).index_add(0, self._edge_index[1], ones)[:, None]  # [n, 1]

    def sum(self, z: Tensor) -> Tensor:
        gathered: Tensor = self._conv.propagate(self._edge_index, x=z)
        return gathered

    def own(self, z: Tensor) -> Tensor:
        return z


class PaddedGraphs:
    """B small graphs by their matrices. adjacency [B, K, K], 0/1 floats, zeros at padded nodes"""

    def __init__(self, adjacency: Tensor) -> None:
        self._adjacency = adjacency

    @cached_property
    def degree(self) -> Tensor:
        return self._adjacency.sum(-1, keepdim=True)  # [B, K, 1]

    def sum(self, z: Tensor) -> Tensor:
        return self._adjacency @ z

    def own(self, z: Tensor) -> Tensor:
        return z


class PaddedTargets(PaddedGraphs):
    """The same where a layer computes one node of each only: the last one, if only that node's prediction is wanted.

    Args:
        adjacency: As in `Padded`. [B, K, K]
        target: The position of the node. [B]
    """

    def __init__(self, adjacency: Tensor, target: Tensor) -> None:
        super().__init__(adjacency)
        self._at = torch.arange(len(target), device=target.device), target

    def sum(self, z: Tensor) -> Tensor:
        return self._adjacency[self._at][:, None] @ z  # [B, 1, d]

    def own(self, z: Tensor) -> Tensor:
        return z[self._at][:, None]  # [B, 1, d]


def pooled(outputs: list[Tensor], there: Tensor, dim: int) -> Tensor:
    """Maximum and mean over the nodes that are there, of every layer's output; zeros where nobody is.

    Args:
        outputs: Of each layer, nodes along ``dim``. […, h]
        there: Which nodes count. bool, as the outputs without the last dimension
        dim: 0 or 1.

    Returns:
        The maxima, then the means. [B, 2 · layers · h]
    """
    real = there.unsqueeze(-1)
    size = real.sum(dim)  # [B, 1]
    largest = [output.masked_fill(~real, -torch.inf).amax(dim).where(size > 0, 0.0) for output in outputs]
    mean = [(output * real).sum(dim) / size.clamp(min=1) for output in outputs]
    return torch.cat([*largest, *mean], dim=-1)


# Convolutions


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
