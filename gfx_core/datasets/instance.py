"""Instance: the part of a data set that one prediction depends on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gfx_core.config import Task
from gfx_core.datasets.graph import Floats, GraphDataset, Ints
from gfx_core.errors import UserError


@dataclass(frozen=True, eq=False)
class Instance:
    """The L-hop computation graph of a node, or a whole graph, under local node ids ``0 … m-1``.

    Attributes:
        dataset: Name of the data set it was cut from.
        task: Node or graph classification.
        index: The node or graph that is explained, by its id in the data set.
        nodes: Original id of each local node (in a graph task: its number within the graph).
        x: Node features.
        edge_index: Edges between local ids, both directions, sorted.
        y: The true class.
        motif: Motif of each node, -1 for none.
        edge_motif: Motif of each edge, -1 for none.
        target: Local id of the explained node, ``None`` in a graph task.
        hops: Distance of each node from the explained node (zeros in a graph task).
        reach: Within how many hops of the explained node it was cut out; ``None`` in a graph task.
        left_out: How many nodes within reach were left out because the neighbourhood was too large.
        node_names: What the feature columns mean (atoms), empty if they mean nothing.
        edge_order: Bond order of each edge, where known.
        pos: Drawing coordinates, where the data set has its own.
    """

    dataset: str
    task: Task
    index: int
    nodes: Ints  # [m]
    x: Floats  # [m, d]
    edge_index: Ints  # [2, e]
    y: int
    motif: Ints  # [m]
    edge_motif: Ints  # [e]
    target: int | None
    hops: Ints  # [m]
    reach: int | None = None
    left_out: int = 0
    node_names: tuple[str, ...] = ()
    edge_order: Ints | None = None  # [e]
    pos: Floats | None = None  # [m, 2]

    @property
    def num_nodes(self) -> int:
        return len(self.nodes)

    @cached_property
    def undirected(self) -> Ints:
        """Positions in ``edge_index`` of the edges with source < target: each undirected edge once."""
        return np.flatnonzero(self.edge_index[0] < self.edge_index[1])

    @cached_property
    def own_edges(self) -> NDArray[np.bool_]:
        """Ground truth ``own``: edges of the explained node's motif (in a graph task, every motif edge)."""
        if self.target is None:
            return self.all_edges
        own = self.motif[self.target]
        return (self.edge_motif == own) & (own >= 0)

    @cached_property
    def all_edges(self) -> NDArray[np.bool_]:
        """Ground truth ``all``: every motif edge in view."""
        return self.edge_motif >= 0

    @cached_property
    def own_nodes(self) -> NDArray[np.bool_]:
        """Nodes of the motif(s) that ``own_edges`` mark."""
        if self.target is None:
            return self.motif >= 0
        own = self.motif[self.target]
        return (self.motif == own) & (own >= 0)

    def check_reach(self, layers: int) -> None:
        """Refuse a GNN that sees farther than this instance goes."""
        if self.reach is None or self.reach >= layers:
            return
        if self.left_out or self.hops.max() == self.reach:  # else nothing lies farther away
            raise UserError(
                f"Node {self.index} was cut out with what is within {self.reach} hops of it, but this GNN has {layers} "
                f"layers and sees farther: cut it out with hops={layers}."
            )

    def node_label(self, node: int) -> str:
        """What to write on a node: its atom, or its original id."""
        if self.node_names:
            return self.node_names[int(self.x[node].argmax())]
        return str(self.nodes[node])


def _gather_rows(dataset: GraphDataset, rows: Ints) -> tuple[Ints, Ints]:
    """The CSR entries of some rows: edge positions, and which of ``rows`` each belongs to."""
    starts = dataset.indptr[rows]
    degree = dataset.indptr[rows + 1] - starts
    owner = np.repeat(np.arange(len(rows)), degree)
    ends = np.cumsum(degree)
    return np.arange(int(degree.sum())) - (ends - degree)[owner] + starts[owner], owner


def _neighbourhood(dataset: GraphDataset, node: int, hops: int, max_nodes: int) -> tuple[Ints, Ints, int]:
    """Nodes within some hops, nearest first, their distances, and how many known ones were left out."""
    found = np.array([node], dtype=np.int64)  # sorted, for membership tests
    shell, layers, distances, left_out = found, [found], [np.zeros(1, np.int64)], 0
    for hop in range(1, hops + 1):
        reached = np.unique(dataset.edge_index[1, _gather_rows(dataset, shell)[0]])
        at = np.minimum(np.searchsorted(found, reached), len(found) - 1)
        shell = reached[found[at] != reached]
        room = max_nodes - len(found)
        left_out += max(0, len(shell) - room)
        shell = shell[:room]
        if not shell.size:
            break
        layers.append(shell)
        distances.append(np.full(len(shell), hop, np.int64))
        found = np.union1d(found, shell)
        if left_out:
            break
    return np.concatenate(layers), np.concatenate(distances), left_out


def cut_out(dataset: GraphDataset, index: int, *, hops: int, max_nodes: int) -> Instance:
    """Cut one instance out of a data set, at a cost that depends on its own size only.

    Args:
        dataset: Where from.
        index: Node id (node task) or graph id (graph task).
        hops: How far the GNN sees: its number of layers.
        max_nodes: Computation graphs larger than this are cut off, nearest nodes first.
    """
    count, noun = dataset.num_instances, "node" if dataset.task is Task.NODE else "graph"
    if not 0 <= index < count:
        raise UserError(f"{dataset.name} has no {noun} {index}: choose one from 0 to {count - 1}.")
    if max_nodes < 1:
        raise UserError(f"max_nodes must be at least 1 (got {max_nodes}).")
    if dataset.task is Task.NODE:
        nodes, distance, left_out = _neighbourhood(dataset, index, hops, max_nodes)
        original, target = nodes, 0
    else:
        first, last = int(dataset.ptr[index]), int(dataset.ptr[index + 1])
        nodes = np.arange(first, min(last, first + max_nodes), dtype=np.int64)
        left_out = last - first - len(nodes)
        original, distance, target = nodes - first, np.zeros(len(nodes), np.int64), None

    edges, source = _gather_rows(dataset, nodes)
    order = np.argsort(nodes)
    reached = dataset.edge_index[1, edges]
    at = order[np.minimum(np.searchsorted(nodes, reached, sorter=order), len(nodes) - 1)]
    inside = nodes[at] == reached
    edges, edge_index = edges[inside], np.stack([source[inside], at[inside]])
    in_order = np.lexsort(edge_index[::-1])
    edges, edge_index = edges[in_order], edge_index[:, in_order]
    return Instance(
        dataset=dataset.name,
        task=dataset.task,
        index=index,
        nodes=original,
        x=dataset.x[nodes],
        edge_index=edge_index,
        y=int(dataset.y[index]),
        motif=dataset.motif[nodes],
        edge_motif=dataset.edge_motif[edges],
        target=target,
        hops=distance,
        reach=None if target is None else hops,
        left_out=left_out,
        node_names=dataset.node_names,
        edge_order=None if dataset.edge_order is None else dataset.edge_order[edges],
        pos=None if dataset.pos is None else dataset.pos[nodes],
    )
