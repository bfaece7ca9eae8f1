"""The GNNs to explain: layers of one convolution, a node or a graph head, in a sparse and a dense form.

The sparse form (``forward``) is ordinary PyG message passing and serves training, whole graphs and any PyG
explainer. The dense form (``dense``) evaluates thousands of small padded subgraphs in a few matrix products.
Both run the same layers on another view of the graph.
"""

import copy
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pkgutil import resolve_name

import torch
from torch import Tensor, nn
from torch_geometric.nn import global_max_pool, global_mean_pool

from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gnn.convolutions import EdgeList, NeededEdges, Neighbours, PaddedGraphs, pooled
from gfx_core.gnn.kinds import kind_info
from gfx_core.gnn.refinement import ColouredNodes


class GNN(nn.Module):
    """Some convolutions whose outputs, side by side, are a node's embedding; a linear head on top.

    A node classifier reads the embedding of the node; a graph classifier reads the maximum and the mean of the
    embeddings over the graph's nodes.

    Args:
        task: Node or graph classification.
        kind: The convolution, by its name in `gfx_core.gnn.kinds`.
        in_channels: Node features.
        num_classes: Classes.
        hidden: Width of each convolution.
        num_layers: Convolutions.

    Attributes:
        name: Its name among the GNNs of its data set: its kind, or ``sum-plain``.
        word_table: The word vectors that it learned in training, see `gfx_core.gnn.word_vectors`; a GNN from a file has
            none. [buckets, in_channels]
    """

    word_table: Tensor | None = None

    def __init__(
        self, task: Task, kind: str, in_channels: int, num_classes: int, hidden: int = 20, num_layers: int = 3
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise UserError(f"A GNN has at least one layer (got {num_layers}).")
        self.task, self.kind = Task(task), kind_info(kind).name
        self.name = self.kind
        self.in_channels, self.num_classes, self.hidden, self.num_layers = in_channels, num_classes, hidden, num_layers
        conv = resolve_name(f"gfx_core.gnn.{kind_info(kind).convolution}")
        widths = [in_channels] + [hidden] * num_layers
        self.convs = nn.ModuleList(conv(before, after) for before, after in pairwise(widths))
        self.head = nn.Linear(hidden * num_layers * (1 if self.task is Task.NODE else 2), num_classes)

    @property
    def hops(self) -> int:
        """How far a node's prediction sees: instances are cut out so large that it stays the same."""
        return kind_info(self.kind).hops(self.num_layers)

    def layers(self, z: Tensor, graphs: Iterable[Neighbours]) -> list[Tensor]:
        """Every layer's output, with a ReLU after all but the last.

        Args:
            z: Node features. […, d]
            graphs: The graph for each layer.
        """
        outputs: list[Tensor] = []
        for conv, graph in zip(self.convs, graphs, strict=True):
            z = conv(z, graph)
            z = z if len(outputs) == self.num_layers - 1 else torch.relu(z)
            outputs.append(z)
        return outputs

    def embed(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Node embeddings. x [n, d], edge_index [2, e] → [n, layers · hidden]"""
        return torch.cat(self.layers(x, [EdgeList(conv, x, edge_index) for conv in self.convs]), dim=-1)

    def embed_needed(self, x: Tensor, needed: Sequence[NeededEdges]) -> Tensor:
        """Embeddings of the nodes that are wanted. [n, d] → [wanted, layers · hidden]"""
        outputs = self.layers(x[needed[0].read], needed)
        return torch.cat([output[layer.wanted] for output, layer in zip(outputs, needed, strict=True)], dim=-1)

    def pool(self, embedding: Tensor, batch: Tensor | None, num_graphs: int | None = None) -> Tensor:
        """Graph embeddings: maximum and mean over the nodes. [n, D] → [G, 2D]"""
        return torch.cat(
            [global_max_pool(embedding, batch, num_graphs), global_mean_pool(embedding, batch, num_graphs)],
            dim=-1,
        )

    def read(self, nodes: Tensor, explained: Tensor | None, owner: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Apply the head to the graphs of a disjoint union, or to one node in each.

        Args:
            nodes: Node embeddings. [n, D]
            explained: In a node task, the explained node of each graph. [G]
            owner: The graph of each node. [n]
            count: Graphs, G.

        Returns:
            Logits [G, C], and the embedding that the head read.
        """
        embedding = self.pool(nodes, owner, count) if explained is None else nodes[explained]
        return self.head(embedding), embedding

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """Logits of every node [n, C], or of every graph in the batch [G, C]."""
        return self.classify(self.embed(x, edge_index), batch)

    def classify(self, nodes: Tensor, batch: Tensor | None = None) -> Tensor:
        """Logits from the embeddings of nodes, of each or of their graphs. [n, D] → [n or G, C]"""
        return self.head(nodes if self.task is Task.NODE else self.pool(nodes, batch))

    def dense(self, x: Tensor, adjacency: Tensor, mask: Tensor, target: Tensor | None) -> tuple[Tensor, Tensor]:
        """Evaluate B padded subgraphs at once.

        Args:
            x: Features, zeros in padded rows. [B, K, d]
            adjacency: 0/1 floats, zeros at padded nodes. [B, K, K]
            mask: Which nodes are real. bool [B, K]
            target: In a node task, the position of the explained node in each row. [B]

        Returns:
            Logits [B, C], and the embedding that the head read [B, D].
        """
        outputs = self.layers(x, [PaddedGraphs(adjacency)] * self.num_layers)
        if target is None:
            embedding = pooled(outputs, mask)
        else:
            rows = torch.arange(len(x), device=x.device)
            embedding = torch.cat([output[rows, target] for output in outputs], dim=-1)
        return self.head(embedding), embedding

    def by_colour(self, x: Tensor, nodes: ColouredNodes, target: Tensor | None) -> tuple[Tensor, Tensor]:
        """`dense` for B subgraphs by the colours of their nodes.

        Args:
            x: The distinct features, by their numbers. [f, d]
            nodes: The nodes of the subgraphs.
            target: As in `dense`. [B]
        """
        rounds, colours = zip(*(nodes.refine() for _ in self.convs), strict=True)
        layers = list(zip(self.layers(x[nodes.features], rounds), colours, strict=True))
        if target is None:
            parts = [nodes.pooled(*layer, mode) for mode in ("max", "mean") for layer in layers]
        else:
            explained = nodes.number.gather(1, target[:, None])[:, 0]
            parts = [output[colour[explained]] for output, colour in layers]
        embedding = torch.cat(parts, dim=-1)
        return self.head(embedding), embedding


@torch.no_grad()
def constant_gnn(model: GNN) -> GNN:
    """A GNN of equal shape whose prediction and embedding are the same for every input.

    There is nothing to explain: an explanation of it comes from the graph and from the method's own habits. Where it
    contains the motif as often as with the real GNN, finding the motif is no sign of a good explanation. All weights
    are zero but the head's bias, so all forms (sparse, dense, edge by edge) agree.

    Args:
        model: The GNN of that shape; it is left as it is.
    """
    constant = copy.deepcopy(model)
    bias = constant.head.bias.clone()
    for weights in constant.parameters():
        weights.zero_()
    constant.head.bias.copy_(bias)
    return constant.eval()
