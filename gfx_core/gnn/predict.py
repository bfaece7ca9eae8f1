"""Predictions for thousands of subgraphs at once.

For a node set s, Φ reads the induced subgraph G[s] and nothing else: one function for rewards, fidelity and display.
Our own GNNs are evaluated in their dense form; any other model (`gfx_core.user_models`) in one pass over the disjoint
union of all the subgraphs.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch_geometric.data import Batch

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.convolutions import needed_edges
from gfx_core.gnn.models import GNN
from gfx_core.gnn.refinement import ColouredNodes

DENSE_CELLS = 1 << 26
"""Adjacency is kept as one byte per node pair while all pairs together are no more than this (64 MiB)."""


class InstanceBatch:
    """Several instances as one set of tensors, with a fast lookup of edges.

    The nodes of all instances are rows of one table: instance ``i`` owns ``offset[i] … offset[i] + size[i] - 1``.

    Attributes:
        x: Features of all nodes. [M, d]
        offset: First row of each instance. [I]
        size: Nodes of each instance. [I]
        sizes: ``size`` on the CPU. [I]
        target: Local id of the explained node, -1 in a graph task. [I]
        edge_index: Edges of all instances between rows of ``x``. [2, e]
        owner: The instance of each row of ``x``. [M]
        explained: The row of each explained node; ``None`` in a graph task. [I]
        block: First cell of each instance, whose node pairs have a cell each. [I]
        num_cells: Cells of all instances.
    """

    def __init__(self, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        self.device = torch.device(device)
        self.sizes = np.array([instance.num_nodes for instance in instances], dtype=np.int64)
        self.num_cells = int((self.sizes**2).sum())
        offset = np.cumsum(self.sizes) - self.sizes
        targets = [-1 if instance.target is None else instance.target for instance in instances]
        edges = [instance.edge_index + first for instance, first in zip(instances, offset, strict=True)]
        self.x = self._tensor(np.concatenate([instance.x for instance in instances]))
        self.offset, self.size, self.target = map(self._tensor, (offset, self.sizes, np.array(targets)))
        self.edge_index = self._tensor(np.concatenate(edges, axis=1))
        self.owner = self._tensor(np.repeat(np.arange(len(instances)), self.sizes))
        self.explained = None if instances[0].target is None else self.offset + self.target

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def __len__(self) -> int:
        return len(self.size)

    @cached_property
    def block(self) -> Tensor:
        return self.size.square().cumsum(0) - self.size.square()

    @cached_property
    def edge_cells(self) -> Tensor:
        """The cell of every edge, sorted. [e]"""
        owner = self.owner[self.edge_index[0]]
        source, target = self.edge_index - self.offset[owner]
        return self.block[owner] + source * self.size[owner] + target

    @cached_property
    def _table(self) -> Tensor | None:
        """Whether a cell is an edge; ``None`` where that would take too much memory. bool [cells]"""
        if self.num_cells > DENSE_CELLS:
            return None
        table = torch.zeros(self.num_cells, dtype=torch.bool, device=self.device)
        table[self.edge_cells] = True
        return table

    def joined(self, instance: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """Whether two local nodes of an instance share an edge; all three broadcast. Ids must be in range."""
        cells = self.block[instance] + source * self.size[instance] + target
        if self._table is not None:
            return self._table[cells]
        if not len(self.edge_cells):
            return torch.zeros_like(cells, dtype=torch.bool)
        # sorted, because instances and their edges are
        at = torch.searchsorted(self.edge_cells, cells).clamp(max=len(self.edge_cells) - 1)
        return self.edge_cells[at] == cells

    def rows(self, instance: Tensor, nodes: Tensor) -> Tensor:
        """Rows of ``x`` for local nodes; both broadcast."""
        return self.offset[instance] + nodes


_log = logging.getLogger(__name__)

MANY = 128
"""From so many subgraphs of one instance on, nodes that look alike to the GNN are computed once."""
_COMPARED = 1 << 16  # the most numbers in features that are compared
_CHUNK_CELLS = 1 << 22  # node pairs of one pass: bounds its memory
_UNION_CELLS = 1 << 18  # nodes and edges of all parts of one pass over a union, present or not


@dataclass(frozen=True)
class Predictions:
    """Of B subgraphs: logits [B, C] and the embeddings that the GNN's head read [B, D]."""

    logits: Tensor
    embedding: Tensor

    @classmethod
    def join(cls, parts: "Sequence[Predictions]") -> "Predictions":
        return cls(torch.cat([part.logits for part in parts]), torch.cat([part.embedding for part in parts]))

    @property
    def log_probabilities(self) -> Tensor:
        return self.logits.log_softmax(-1)

    @property
    def probabilities(self) -> Tensor:
        return self.logits.softmax(-1)

    @property
    def predicted(self) -> Tensor:
        return self.logits.argmax(-1)

    @cached_property
    def embedding_norm(self) -> Tensor:
        """‖z‖, never quite 0. [B]"""
        return self.embedding.norm(dim=-1).clamp(min=1e-12)


@dataclass(frozen=True)
class Subgraphs:
    """B induced subgraphs, padded to K nodes."""

    adjacency: Tensor  # bool [B, K, K], False at padded nodes
    mask: Tensor  # bool [B, K]
    target: Tensor | None  # [B], position of the explained node (node tasks)
    rows: Tensor  # [B, K], in the features of all instances; of any node where padded
    instance: Tensor  # [B]


class Predictor(ABC):
    """Predictions of many node subsets of some instances.

    Args:
        task: Node or graph classification.
        instances: The graphs the subsets are taken from.
        device: Where to compute.
    """

    def __init__(self, task: Task, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        self.task, self.instances = task, instances
        self.graphs = InstanceBatch(instances, device)
        self.device = self.graphs.device
        self._chunk_cells = _CHUNK_CELLS

    @abstractmethod
    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        """Predict padded subgraphs; no argument is checked."""

    @property
    def features(self) -> Tensor:
        """What a policy reads of each node of each instance. [M, f]"""
        return self.graphs.x

    @cached_property
    def whole(self) -> Predictions:
        """Predictions of the whole instances. [I, …]"""
        raise NotImplementedError

    @torch.no_grad()
    def with_edges(self, instance: Instance, kept: Tensor | NDArray[np.bool_], keep_nodes: bool = False) -> Predictions:
        """Predictions of the first instance with only some of its undirected edges.

        An edge that is not kept is deleted: it also leaves the degrees, which masking its messages would not do. An
        edge that was given in one direction, or several times, stays or goes as a whole; a self-loop stays with its
        node. A node without a kept edge leaves the graph, as it is not in G[s] either, even if it had no edge to begin
        with. There are two exceptions: the explained node of a node task always stays, and in a graph task where no
        edge is kept all nodes stay, without edges, because a graph without nodes has no prediction. Nodes may be
        kept, too: where that turns the verdict of an answer, it is undecided.

        Args:
            instance: The first instance of the predictor.
            kept: Rows of choices among the undirected edges (``instance.undirected``, in that order). bool [B, E]
            keep_nodes: Whether all nodes stay.
        """
        kept, m = torch.as_tensor(kept).to(self.device), instance.num_nodes
        if not len(kept):
            return Predictions(self.whole.logits[:0], self.whole.embedding[:0])
        ends = torch.from_numpy(instance.edge_index[:, instance.undirected]).to(self.device)  # ascending, lower first
        source, target = self.first_edges
        loop = source == target  # [e]
        number = torch.searchsorted(ends[0] * m + ends[1], source.minimum(target) * m + source.maximum(target))
        number[loop] = ends.shape[1]  # in no row
        predictions = []
        for rows in kept.split(self._most_parts):
            row, edge = rows.nonzero(as_tuple=True)
            nodes = torch.full((len(rows), m), keep_nodes, device=self.device)  # [b, m]
            nodes[row, ends[0, edge]] = nodes[row, ends[1, edge]] = True
            if instance.target is None:
                nodes |= ~rows.any(1, keepdim=True)
            else:
                nodes[:, instance.target] = True
            edges = functional.pad(rows, (0, 1))[:, number] | (nodes[:, source] & loop)
            predictions.append(self.union(nodes, edges))
        return Predictions.join(predictions)

    @torch.no_grad()
    def sets(self, members: Tensor) -> Predictions:
        """Predictions of node sets of the first instance, of any size. bool [B, m]"""
        source, target = self.first_edges
        passes = members.split(self._most_parts)
        return Predictions.join([self.union(nodes, nodes[:, source] & nodes[:, target]) for nodes in passes])

    @property
    def _most_parts(self) -> int:
        """Parts of the first instance in one pass."""
        return max(1, _UNION_CELLS // max(1, self.first_edges.shape[1] + int(self.graphs.sizes[0])))

    @cached_property
    def first_edges(self) -> Tensor:
        """The edges of the first instance between its local nodes, as the GNN reads them. [2, e]"""
        return self.graphs.edge_index[:, self.graphs.owner[self.graphs.edge_index[0]] == 0]

    def union(self, nodes: Tensor, edges: Tensor) -> Predictions:
        """Predictions of parts of the first instance: some nodes with some edges. bool [B, m], bool [B, e]"""
        raise NotImplementedError

    @cached_property
    @abstractmethod
    def node_embedding(self) -> Tensor:
        """The GNN's embedding of each node of each instance. [M, D]"""

    def induced(self, subsets: Tensor, instance: Tensor) -> Subgraphs:
        """The induced subgraphs of some subsets; no argument is checked."""
        mask = subsets >= 0  # [B, K]
        nodes = subsets.clamp(min=0)
        rows = self.graphs.rows(instance[:, None], nodes)
        adjacency = self.graphs.joined(instance[:, None, None], nodes[:, :, None], nodes[:, None, :])
        adjacency = adjacency & mask[:, :, None] & mask[:, None, :]  # [B, K, K]
        target = None
        if self.task is Task.NODE:
            target = (subsets == self.graphs.target[instance, None]).to(torch.uint8).argmax(1)  # [B]
        return Subgraphs(adjacency, mask, target, rows, instance)

    @torch.no_grad()
    def __call__(self, subsets: Tensor, instance: Tensor | None = None) -> Predictions:
        """Predict the induced subgraph of every subset.

        Where the device's memory does not suffice, smaller batches are tried until they fit.

        Args:
            subsets: Local node ids, padded with -1, at least one to a subset. In a node task each must contain the
                explained node. [B, K]
            instance: The instance of each subset; the first by default. [B]
        """
        subsets = subsets.to(self.device)
        if instance is None:
            instance = torch.zeros(len(subsets), dtype=torch.long, device=self.device)
        instance = instance.to(self.device)
        predictions, start = [], 0
        while start < max(1, len(subsets)):
            count = max(1, self._chunk_cells // max(1, subsets.shape[1] ** 2))
            rows = slice(start, start + count)
            try:
                predictions.append(self.evaluate(self.induced(subsets[rows], instance[rows])))
                start += count
            except torch.OutOfMemoryError:
                if count == 1:
                    raise
                self._chunk_cells //= 2
                _log.warning("the device's memory is full: going on with batches of %d subgraphs", count // 2)
        return Predictions.join(predictions)


class SubgraphPredictor(Predictor):
    """Predictions of one of our own GNNs, in its dense form.

    Args:
        model: The GNN; it is moved to the device.
        instances: The graphs the subsets are taken from.
        device: Where to compute.
    """

    def __init__(self, model: GNN, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        for instance in instances:
            instance.check_reach(model.hops)
        super().__init__(model.task, instances, device)
        if next(model.parameters()).device != self.device:  # to() takes as long as all the rest here
            model.to(device)
        self.model = model.eval() if model.training else model

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        if len(subgraphs.mask) >= MANY and len(self.graphs) == 1 and self.device.type == "cpu":
            features, number = self._distinct_features
            nodes = ColouredNodes(number[subgraphs.rows], subgraphs.adjacency, subgraphs.mask)
            return Predictions(*self.model.by_colour(features, nodes, subgraphs.target))
        x = self.graphs.x[subgraphs.rows] * subgraphs.mask[..., None]  # [B, K, d], zeros in padded rows
        return Predictions(*self.model.dense(x, subgraphs.adjacency.to(x.dtype), subgraphs.mask, subgraphs.target))

    @cached_property
    def _distinct_features(self) -> tuple[Tensor, Tensor]:
        """The distinct features, and the number of each node's; a large graph's are not compared."""
        x = self.graphs.x
        return x.unique(dim=0, return_inverse=True) if x.numel() <= _COMPARED else (x, torch.arange(len(x)))

    @cached_property
    @torch.no_grad()
    def node_embedding(self) -> Tensor:
        return self.model.embed(self.graphs.x, self.graphs.edge_index)

    @cached_property
    @torch.no_grad()
    def whole(self) -> Predictions:  # from embeddings that are used elsewhere, too
        graphs = self.graphs
        return Predictions(*self.model.read(self.node_embedding, graphs.explained, graphs.owner, len(graphs)))

    def union(self, nodes: Tensor, edges: Tensor) -> Predictions:
        rows, (edge_index, _), owner, explained = disjoint_parts(self, nodes, edges)
        x = self.graphs.x[rows]
        if explained is None:
            return Predictions(*self.model.read(self.model.embed(x, edge_index), None, owner, len(nodes)))
        embedding = self.model.embed_needed(x, needed_edges(x, edge_index, explained, self.model.num_layers))
        return Predictions(self.model.head(embedding), embedding)


def disjoint_parts(
    predictor: Predictor, nodes: Tensor, edges: Tensor
) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor, Tensor | None]:
    """The disjoint union of parts of the first instance.

    Args:
        predictor: The predictor of the instance.
        nodes: The nodes of each part. bool [B, m]
        edges: Its edges among `Predictor.first_edges`. bool [B, e]

    Returns:
        The node of each row [n]; the edges between rows and which of the first edges each is ([2, c], [c]); the part
        of each row [n]; and in a node task the row of each part's explained node [B].
    """
    number = nodes.flatten().cumsum(0).view_as(nodes) - 1  # [B, m]
    owner, rows = nodes.nonzero(as_tuple=True)
    part, edge = edges.nonzero(as_tuple=True)
    source, target = predictor.first_edges[:, edge]
    edge_index = torch.stack([number[part, source], number[part, target]])
    explained = number[:, predictor.graphs.target[0]] if predictor.task is Task.NODE else None
    return rows, (edge_index, edge), owner, explained


def predict_instance(model: GNN, instance: Instance) -> NDArray[np.float32]:
    """Class probabilities of one whole instance. [C]"""
    predictor = SubgraphPredictor(model, [instance], next(model.parameters()).device)
    return predictor.whole.probabilities[0].cpu().numpy()


@torch.no_grad()
def predict_all(model: GNN, dataset: GraphDataset) -> NDArray[np.float32]:
    """Class probabilities of every node (node task) or graph (graph task). [num_instances, C]"""
    data = dataset.to_pyg()
    data = (data if dataset.task is Task.NODE else Batch.from_data_list(data)).to(next(model.parameters()).device)
    return model(data.x, data.edge_index, data.batch).softmax(-1).cpu().numpy()
