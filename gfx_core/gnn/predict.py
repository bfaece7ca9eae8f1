"""Ask a GNN about thousands of subgraphs at once.

What Φ sees for a node set s is the induced subgraph G[s] and nothing else: one function for rewards, fidelity
and display. Our own GNNs are evaluated in their dense form; any other model (`gfx_core.user_models`) in one pass over
the disjoint union of all the subgraphs.
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
from gfx_core.gnn.models import GNN
from gfx_core.gnn.refinement import ColouredNodes

DENSE_CELLS = 1 << 26
"""Adjacency is kept as one byte per node pair while all pairs together are no more than this (64 MiB)."""


class InstanceBatch:
    """Several instances as one set of tensors, with a fast answer to "are these two joined?".

    The nodes of all instances in one row of ids: instance ``i`` owns ``offset[i] … offset[i] + size[i] - 1``.

    Attributes:
        x: Features of all nodes. [M, d]
        offset: First row of each instance. [I]
        size: Nodes of each instance. [I]
        sizes: The same where no device has to be asked. [I]
        target: Local id of the explained node, -1 in a graph task. [I]
        edge_index: Edges of all instances between rows of ``x``. [2, e]
        owner: The instance of each row of ``x``. [M]
        explained: The row of each explained node; ``None`` in a graph task. [I]
        block: Every instance has a table with a cell for each pair of its nodes; where each table starts. [I]
        num_cells: Cells of all tables.
    """

    def __init__(self, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        if not instances:
            raise ValueError("an InstanceBatch needs at least one instance")
        size = np.array([instance.num_nodes for instance in instances], dtype=np.int64)
        offset = np.cumsum(size) - size
        self.device = torch.device(device)
        self.x = self._tensor(np.concatenate([instance.x for instance in instances]))
        self.offset, self.size = self._tensor(offset), self._tensor(size)
        self.target = self._tensor(
            np.array([-1 if instance.target is None else instance.target for instance in instances])
        )
        self.sizes = size
        edge_index = np.concatenate([instance.edge_index for instance in instances], axis=1)
        owner = np.repeat(np.arange(len(size)), [instance.edge_index.shape[1] for instance in instances])
        self.edge_index = self._tensor(edge_index + offset[owner])  # [2, e], rows of x
        self.edge_owner = owner  # [e], the instance of each edge, without waiting for the device
        self.owner = self._tensor(np.repeat(np.arange(len(size)), size))  # [M], the instance of each row
        self.explained = None if instances[0].target is None else self.offset + self.target
        self.num_cells = int((size**2).sum())

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
        """Whether there is an edge, cell by cell; ``None`` where that would take too much memory. bool [cells]"""
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
        # sorted, because the instances and the edges of each are
        at = torch.searchsorted(self.edge_cells, cells).clamp(max=len(self.edge_cells) - 1)
        return self.edge_cells[at] == cells

    def rows(self, instance: Tensor, nodes: Tensor) -> Tensor:
        """Rows of ``x`` for local nodes; both broadcast."""
        return self.offset[instance] + nodes


_log = logging.getLogger(__name__)

MAX_SUBSET = 64
MANY = 128
"""From so many subgraphs of one instance on, nodes that look alike to the GNN are looked for."""
_COMPARED = 1 << 16  # numbers of all features, as long as it is looked for equal ones
_CHUNK_CELLS = 1 << 22  # node pairs evaluated in one go: bounds the memory of one pass
_UNION_CELLS = 1 << 18  # nodes and edges of all parts of one pass over a union, whether they are there or not


@dataclass(frozen=True)
class Predictions:
    """What a GNN says of B subgraphs: logits [B, C] and the embeddings its head read [B, D]."""

    logits: Tensor
    embedding: Tensor

    @classmethod
    def join(cls, parts: "Sequence[Predictions]") -> "Predictions":
        """All of some parts, one after the other."""
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

    x: Tensor  # [B, K, d], zeros in padded rows
    adjacency: Tensor  # bool [B, K, K], False at padded nodes
    mask: Tensor  # bool [B, K]
    target: Tensor | None  # [B], position of the explained node (node tasks)
    rows: Tensor  # [B, K], of the features of all instances; that of some node at padded places
    instance: Tensor  # [B], what each is a part of

    def part(self, chosen: slice) -> "Subgraphs":
        """Some of them."""
        values = (self.x, self.adjacency, self.mask, self.target, self.rows, self.instance)
        x, adjacency, mask, target, rows, instance = (None if each is None else each[chosen] for each in values)
        return Subgraphs(x, adjacency, mask, target, rows, instance)  # type: ignore[arg-type]


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
        edge is kept all nodes stay, without edges, because a graph without nodes has no prediction. One may also say
        that nodes stay: where that turns the verdict of an answer, it is undecided.

        Args:
            instance: The first of those that are asked about.
            kept: For each choice, which of the undirected edges (``instance.undirected``, in that order) are there.
                bool [B, E]
            keep_nodes: Whether all nodes stay.
        """
        kept, m, E = torch.as_tensor(kept).to(self.device), instance.num_nodes, len(instance.undirected)
        if kept.dtype != torch.bool or kept.ndim != 2 or kept.shape[1] != E:
            raise ValueError(f"kept must be bool [B, {E}] (got {kept.dtype} {list(kept.shape)})")
        if not len(kept):
            return Predictions(self.whole.logits[:0], self.whole.embedding[:0])
        ends = torch.from_numpy(instance.edge_index[:, instance.undirected]).to(self.device)  # ascending, lower first
        source, target = self.first_edges
        loop = source == target  # [e]
        number = torch.searchsorted(ends[0] * m + ends[1], source.minimum(target) * m + source.maximum(target))
        number[loop] = E  # behind all of them
        parts = []
        for rows in kept.split(self._most_parts):
            row, edge = rows.nonzero(as_tuple=True)
            held = torch.full((len(rows), m), keep_nodes, device=self.device)  # [b, m]
            held[row, ends[0, edge]] = held[row, ends[1, edge]] = True
            if instance.target is None:
                held |= ~rows.any(1, keepdim=True)
            else:
                held[:, instance.target] = True
            chosen = functional.pad(rows, (0, 1))[:, number] | (held[:, source] & loop)
            parts.append(self.union(held, chosen))
        return Predictions.join(parts)

    @torch.no_grad()
    def sets(self, members: Tensor) -> Predictions:
        """Predictions of node sets of the first instance, of any size. bool [B, m]"""
        source, target = self.first_edges
        parts = members.split(self._most_parts)
        return Predictions.join([self.union(held, held[:, source] & held[:, target]) for held in parts])

    @property
    def _most_parts(self) -> int:
        """Parts of the first instance that are asked about in one pass."""
        return max(1, _UNION_CELLS // max(1, self.first_edges.shape[1] + int(self.graphs.sizes[0])))

    @cached_property
    def first_edges(self) -> Tensor:
        """The edges of the first instance between its local nodes, as the GNN reads them. [2, e]"""
        return self.graphs.edge_index[:, self.graphs.owner[self.graphs.edge_index[0]] == 0]

    def union(self, held: Tensor, chosen: Tensor) -> Predictions:
        """Predictions of some nodes of the first instance with some of its edges. bool [B, m], bool [B, e]"""
        raise NotImplementedError

    @cached_property
    @abstractmethod
    def node_embedding(self) -> Tensor:
        """What the GNN knows of each node of each instance. [M, D]"""

    def induced(self, subsets: Tensor, instance: Tensor) -> Subgraphs:
        """The induced subgraphs of some subsets; no argument is checked."""
        mask = subsets >= 0  # [B, K]
        nodes = subsets.clamp(min=0)
        rows = self.graphs.rows(instance[:, None], nodes)
        x = self.graphs.x[rows] * mask[..., None]  # [B, K, d]
        adjacency = self.graphs.joined(instance[:, None, None], nodes[:, :, None], nodes[:, None, :])
        adjacency = adjacency & mask[:, :, None] & mask[:, None, :]  # [B, K, K]
        target = None
        if self.task is Task.NODE:
            target = (subsets == self.graphs.target[instance, None]).to(torch.uint8).argmax(1)  # [B]
        return Subgraphs(x, adjacency, mask, target, rows, instance)

    @torch.no_grad()
    def __call__(self, subsets: Tensor, instance: Tensor | None = None) -> Predictions:
        """Predict the induced subgraph of every subset.

        Where the device's memory does not suffice, smaller parts are tried until they fit.

        Args:
            subsets: Local node ids, padded with -1, at most 64 to a subset. In a node task each must hold the
                explained node. [B, K]
            instance: Which instance each subset belongs to; the first by default. [B]
        """
        subsets = subsets.to(self.device)
        if instance is None:
            instance = torch.zeros(len(subsets), dtype=torch.long, device=self.device)
        instance = instance.to(self.device)
        self._check(subsets, instance)
        parts, start = [], 0
        while start < max(1, len(subsets)):
            rows = max(1, self._chunk_cells // max(1, subsets.shape[1] ** 2))
            try:
                part = slice(start, start + rows)
                parts.append(self.evaluate(self.induced(subsets[part], instance[part])))
            except torch.OutOfMemoryError:
                if rows == 1:
                    raise
                self._chunk_cells //= 2
                _log.warning("the device's memory is full: going on with batches of %d subgraphs", rows // 2)
                continue
            start += rows
        return Predictions.join(parts)

    def _check(self, subsets: Tensor, instance: Tensor) -> None:
        if subsets.ndim != 2 or subsets.shape[1] > MAX_SUBSET:
            raise ValueError(f"subsets must be [B, K] with K ≤ {MAX_SUBSET} (got {tuple(subsets.shape)})")
        if instance.shape != subsets.shape[:1]:
            raise ValueError(f"instance must be [{len(subsets)}] (got {tuple(instance.shape)})")
        if len(instance) and not 0 <= int(instance.min()) <= int(instance.max()) < len(self.graphs):
            raise ValueError(f"instance must name one of the {len(self.graphs)} instances")
        if bool((subsets >= self.graphs.size[instance, None]).any() | (subsets < -1).any()):
            raise ValueError("a subset names a node that its instance does not have")
        if self.task is Task.NODE:
            holds_target = (subsets == self.graphs.target[instance, None]).any(1)
            if not bool(holds_target.all()):
                raise ValueError("in a node task every subset must contain the explained node")
        elif not bool((subsets >= 0).any(1).all()):
            raise ValueError("a subset must contain at least one node")


class SubgraphPredictor(Predictor):
    """Predictions of one of our own GNNs, in its dense form.

    Args:
        model: The GNN; it is moved to the device.
        instances: The graphs the subsets are taken from.
        device: Where to compute.
    """

    def __init__(self, model: GNN, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        for instance in instances:
            if model.task != instance.task:
                raise ValueError(f"the GNN classifies a {model.task}, the instance is a {instance.task}")
            instance.check_reach(model.hops)
        super().__init__(model.task, instances, device)
        if next(model.parameters()).device != self.device:  # else not called: it takes as long as all the rest here
            model.to(device)
        self.model = model.eval() if model.training else model

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        if len(subgraphs.mask) >= MANY and len(self.graphs) == 1 and self.device.type == "cpu":
            different, number = self._features
            nodes = ColouredNodes(number[subgraphs.rows], subgraphs.adjacency, subgraphs.mask)
            return Predictions(*self.model.by_colour(different, nodes, subgraphs.target))
        x, adjacency = subgraphs.x, subgraphs.adjacency.to(subgraphs.x.dtype)
        return Predictions(*self.model.dense(x, adjacency, subgraphs.mask, subgraphs.target))

    @cached_property
    def _features(self) -> tuple[Tensor, Tensor]:
        """The different features, and the number of each node's; of a large graph each node's count as different."""
        x = self.graphs.x
        if x.numel() > _COMPARED:
            return x, torch.arange(len(x))
        different, number = x.unique(dim=0, return_inverse=True)
        return different, number

    @cached_property
    @torch.no_grad()
    def node_embedding(self) -> Tensor:
        return self.model.embed(self.graphs.x, self.graphs.edge_index)

    @cached_property
    @torch.no_grad()
    def whole(self) -> Predictions:  # from embeddings that are wanted anyway
        graphs = self.graphs
        return Predictions(*self.model.read(self.node_embedding, graphs.explained, graphs.owner, len(graphs)))

    def union(self, held: Tensor, chosen: Tensor) -> Predictions:
        nodes, edges, owner, explained = disjoint_parts(self, held, chosen)
        embedding = self.model.embed(self.graphs.x[nodes], edges[0])
        return Predictions(*self.model.read(embedding, explained, owner, len(held)))


def disjoint_parts(
    predictor: Predictor, held: Tensor, chosen: Tensor
) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor, Tensor | None]:
    """Parts of the first instance as one graph: their disjoint union.

    Args:
        predictor: Who is asked.
        held: The nodes of each part. bool [B, m]
        chosen: Its edges. bool [B, e]

    Returns:
        The nodes [n], the edges between them and which of the given ones each is ([2, c], [c]), the part of each node
        [n], and in a node task the explained node of each part [B].
    """
    number = held.flatten().cumsum(0).view_as(held) - 1  # [B, m]
    owner, nodes = held.nonzero(as_tuple=True)
    row, edge = chosen.nonzero(as_tuple=True)
    source, target = predictor.first_edges[:, edge]
    edges = torch.stack([number[row, source], number[row, target]])
    explained = number[:, predictor.graphs.target[0]] if predictor.task is Task.NODE else None
    return nodes, (edges, edge), owner, explained


def predict_instance(model: GNN, instance: Instance) -> NDArray[np.float32]:
    """Class probabilities of one whole instance. [C]"""
    predictor = SubgraphPredictor(model, [instance], next(model.parameters()).device)
    return predictor.whole.probabilities[0].cpu().numpy()


@torch.no_grad()
def predict_all(model: GNN, dataset: GraphDataset) -> NDArray[np.float32]:
    """Class probabilities of every node (node task) or graph (graph task). [num_instances, C]"""
    device = next(model.parameters()).device
    data = dataset.to_pyg()
    if dataset.task is Task.NODE:
        logits = model(data.x.to(device), data.edge_index.to(device))
    else:
        batch = Batch.from_data_list(data).to(device)
        logits = model(batch.x, batch.edge_index, batch.batch)
    return logits.softmax(-1).cpu().numpy()
