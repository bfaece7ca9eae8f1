"""The GNNs that are explained: three convolutions, a node or a graph head, in a sparse and a dense form.

The sparse form (``forward``) is ordinary PyG message passing and serves training, whole graphs and any PyG
explainer. The dense form (``dense``) evaluates thousands of small padded subgraphs in a few matrix products.
Both compute the same function.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GCNConv, MessagePassing, global_max_pool, global_mean_pool

from gfx_core.config import NUM_LAYERS, GNNKind, Task


class SumConv(MessagePassing):
    """GNNExplainer's convolution: sum over the neighbours (not the node itself), linear map, L2 norm."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(aggr="add")
        self.lin = nn.Linear(in_channels, out_channels)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return functional.normalize(self.lin(self.propagate(edge_index, x=x)), dim=-1)

    def dense(self, x: Tensor, adjacency: Tensor) -> Tensor:
        """The same on padded subgraphs: x [B, K, d], adjacency [B, K, K] (0/1 floats)."""
        return functional.normalize(self.lin(adjacency @ x), dim=-1)


class SymmetricConv(GCNConv):
    """The graph convolution of Kipf and Welling: self-loops, symmetric degree normalisation."""

    def dense(self, x: Tensor, adjacency: Tensor) -> Tensor:
        """The same on padded subgraphs: x [B, K, d], adjacency [B, K, K] (0/1 floats)."""
        scale = (adjacency.sum(-1, keepdim=True) + 1).rsqrt()  # [B, K, 1]
        scaled = scale * self.lin(x)  # [B, K, out]
        return scale * (adjacency @ scaled + scaled) + self.bias


_CONVOLUTIONS = {GNNKind.SUM: SumConv, GNNKind.GCN: SymmetricConv}


class GNN(nn.Module):
    """Three convolutions whose outputs, side by side, are a node's embedding; a linear head on top.

    A node classifier reads the embedding of the node; a graph classifier reads the maximum and the mean of the
    embeddings over the graph's nodes.

    Args:
        task: Node or graph classification.
        kind: Which convolution.
        in_channels: Node features.
        num_classes: Classes to tell apart.
        hidden: Width of each convolution.
    """

    def __init__(self, task: Task, kind: GNNKind, in_channels: int, num_classes: int, hidden: int = 20) -> None:
        super().__init__()
        self.task, self.kind = Task(task), GNNKind(kind)
        self.in_channels, self.num_classes, self.hidden = in_channels, num_classes, hidden
        widths = [in_channels] + [hidden] * NUM_LAYERS
        conv = _CONVOLUTIONS[self.kind]
        self.convs = nn.ModuleList(conv(before, after) for before, after in pairwise(widths))
        width = hidden * NUM_LAYERS * (1 if self.task is Task.NODE else 2)
        self.head = nn.Linear(width, num_classes)

    def embed(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Node embeddings. x [n, d], edge_index [2, e] → [n, 3 · hidden]"""
        outputs = []
        for number, conv in enumerate(self.convs, start=1):
            x = conv(x, edge_index)
            x = x.relu() if number < NUM_LAYERS else x
            outputs.append(x)
        return torch.cat(outputs, dim=-1)

    def pool(self, embedding: Tensor, batch: Tensor | None, num_graphs: int | None = None) -> Tensor:
        """Graph embeddings: maximum and mean over the nodes. [n, 3h] → [G, 6h]"""
        return torch.cat(
            [global_max_pool(embedding, batch, num_graphs), global_mean_pool(embedding, batch, num_graphs)],
            dim=-1,
        )

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """Logits of every node [n, C], or of every graph in the batch [G, C]."""
        embedding = self.embed(x, edge_index)
        if self.task is Task.GRAPH:
            embedding = self.pool(embedding, batch)
        return self.head(embedding)

    def dense(self, x: Tensor, adjacency: Tensor, mask: Tensor, target: Tensor | None) -> tuple[Tensor, Tensor]:
        """Evaluate B padded subgraphs at once.

        Args:
            x: Features, zeros in padded rows. [B, K, d]
            adjacency: 0/1 floats, zeros at padded nodes. [B, K, K]
            mask: Which nodes are real. [B, K]
            target: In a node task, the position of the explained node in each row. [B]

        Returns:
            Logits [B, C], and the embedding that the head read [B, D].
        """
        outputs = []
        for number, conv in enumerate(self.convs, start=1):
            x = conv.dense(x, adjacency)  # type: ignore[operator]
            x = x.relu() if number < NUM_LAYERS else x
            outputs.append(x)
        nodes = torch.cat(outputs, dim=-1)  # [B, K, 3h]
        if self.task is Task.NODE:
            assert target is not None
            embedding = nodes[torch.arange(len(nodes), device=nodes.device), target]
        else:
            real = mask.unsqueeze(-1)
            largest = nodes.masked_fill(~real, -torch.inf).amax(1)
            mean = (nodes * real).sum(1) / real.sum(1).clamp(min=1)
            embedding = torch.cat([largest, mean], dim=-1)
        return self.head(embedding), embedding
