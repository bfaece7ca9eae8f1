"""One layer of a GNN, written once for every form of a graph.

A convolution reads the graph through `Neighbours` alone. So the same few lines train on an edge list, evaluate
thousands of padded subgraphs, value coalitions and, because they are ordinary PyTorch, are split by DEGREE. A graph is
a list of edges here, the part of one that some nodes need, or many small padded matrices; nodes of many subgraphs that
look alike are in `gfx_core.gnn.refinement`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import MessagePassing
from torch_geometric.nn.dense import Linear
from torch_geometric.utils import degree


class Neighbours(Protocol):
    """The graph as a convolution sees it.

    A layer reads the activations of some nodes and computes those of some of them: all, unless only one node's
    prediction is wanted.
    """

    @property
    def degree(self) -> Tensor:
        """Neighbours of each node that is read. […, 1]"""

    def sum(self, z: Tensor) -> Tensor:
        """At each computed node, the sum over its neighbours without itself. […, d] → […, d]"""

    def own(self, z: Tensor) -> Tensor:
        """At each computed node, its own row. […, d] → […, d]"""


@dataclass
class EdgeList:
    """A graph by its directed edges: PyG's message passing, masks on messages included.

    Attributes:
        conv: The layer that sends the messages.
        x: Node features, for their number and type. [n, d]
        edge_index: Edges. [2, e]
    """

    conv: MessagePassing
    x: Tensor
    edge_index: Tensor

    @property
    def degree(self) -> Tensor:
        return degree(self.edge_index[1], len(self.x), self.x.dtype)[:, None]  # [n, 1]

    def sum(self, z: Tensor) -> Tensor:
        messages: Tensor = self.conv.propagate(self.edge_index, x=z)
        return messages

    def own(self, z: Tensor) -> Tensor:
        return z


@dataclass
class PaddedGraphs:
    """B small graphs by their matrices. adjacency [B, K, K], 0/1 floats, zeros at padded nodes"""

    adjacency: Tensor

    @cached_property
    def degree(self) -> Tensor:
        return self.adjacency.sum(-1, keepdim=True)  # [B, K, 1]

    def sum(self, z: Tensor) -> Tensor:
        return self.adjacency @ z

    def own(self, z: Tensor) -> Tensor:
        return z


@dataclass(kw_only=True)
class Messages:
    """The messages from the Q nodes that a layer reads to the R nodes that it computes.

    Attributes:
        degree: Of the nodes that are read. [Q, 1]
        computed: The computed nodes among these. [R]
        source: The sender of each message, among the nodes that are read. [f]
        first: The first message to each computed node; the others follow. [R]
        weight: Of each message; 1 by default. [f]
    """

    degree: Tensor
    computed: Tensor
    source: Tensor
    first: Tensor
    weight: Tensor | None = None

    def sum(self, z: Tensor) -> Tensor:
        return functional.embedding_bag(self.source, z, self.first, mode="sum", per_sample_weights=self.weight)

    def own(self, z: Tensor) -> Tensor:
        return z[self.computed]


@dataclass(kw_only=True)
class NeededEdges(Messages):
    """What one layer computes of a graph where only some nodes' embeddings are wanted, see `needed_edges`.

    Attributes:
        edges: Which edges of the graph the messages go along. [f]
        read: The nodes that are read. [Q]
        wanted: The nodes whose embeddings are wanted, among the computed ones.
    """

    edges: Tensor
    read: Tensor
    wanted: Tensor


def needed_edges(
    x: Tensor, edge_index: Tensor, wanted: Tensor | list[int] | None, num_layers: int
) -> list[NeededEdges]:
    """The part of a graph that each layer computes so that the embeddings of some nodes are known.

    Args:
        x: Node features, for their number and type. [n, d]
        edge_index: Edges. [2, e]
        wanted: These nodes; all by default.
        num_layers: Layers.
    """
    source, target = edge_index
    degrees = degree(target, len(x), x.dtype)[:, None]  # [n, 1]
    needed = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    at = slice(None) if wanted is None else wanted
    needed[at] = True
    layers: list[NeededEdges] = []
    for _ in range(num_layers):
        edges = needed[target].nonzero()[:, 0]
        edges = edges[target[edges].argsort(stable=True)]
        read = needed.index_fill(0, source[edges], True)
        among_computed, among_read = needed.cumsum(0) - 1, read.cumsum(0) - 1  # new numbers of nodes
        layers.append(
            NeededEdges(
                edges=edges,
                read=read.nonzero()[:, 0],
                wanted=among_computed[at],
                degree=degrees[read],
                computed=among_read[needed],
                source=among_read[source[edges]],
                first=torch.searchsorted(target[edges], needed.nonzero()[:, 0]),
            )
        )
        needed = read
    return layers[::-1]


def pooled(outputs: list[Tensor], mask: Tensor) -> Tensor:
    """Maximum and mean over the real nodes, of every layer's output; zeros where there is none.

    Args:
        outputs: Of each layer. [B, K, h]
        mask: Which nodes are real. bool [B, K]

    Returns:
        The maxima, then the means. [B, 2 · layers · h]
    """
    real = mask.unsqueeze(-1)
    size = real.sum(1)  # [B, 1]
    largest = [output.masked_fill(~real, -torch.inf).amax(1).where(size > 0, 0.0) for output in outputs]
    mean = [(output * real).sum(1) / size.clamp(min=1) for output in outputs]
    return torch.cat([*largest, *mean], dim=-1)


# Convolutions


class Convolution(MessagePassing):
    """One layer, before its activation.

    It is PyG's, so that PyG's explainers can put masks on the messages that ``graph.sum`` sends along edges.

    Args:
        in_channels: Width of the input.
        out_channels: Width of the output.
    """

    propagate_type: ClassVar[dict[str, type]] = {"x": Tensor}

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(aggr="add")
        self.in_channels, self.out_channels = in_channels, out_channels

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        """The layer's output at the nodes it computes, from ``z`` at the nodes it reads.

        Features are the last dimension; the ones before depend on the form of the graph, so name none of them.

        Args:
            z: The output of the layer below. […, in]
            graph: The graph.

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
        self.lin.reset_parameters()  # twice, as PyG's GCNConv does: a seed gives the weights that it has always given
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        scale = (graph.degree + 1).rsqrt()
        scaled = scale * self.lin(z)
        return graph.own(scale) * (graph.sum(scaled) + graph.own(scaled)) + self.bias
