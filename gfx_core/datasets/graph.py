"""GraphDataset: one big graph or many small ones, as plain numpy arrays with ground truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance, LabelledGraph
from gfx_core.errors import UserError

DEFAULT_HOPS = 3
"""How far an instance goes where no GNN is at hand: all shipped GNNs have three layers."""

MAX_INSTANCE_NODES = 2048
"""Computation graphs are cut off at this many nodes, nearest first; an instance has the number of those left out."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphDataset(LabelledGraph):
    """A data set of ``G`` graphs with ``N`` nodes and ``E`` directed edges in all.

    Edges are between global node ids: ``edge_index[1]`` split at ``indptr`` is a CSR adjacency.

    Attributes:
        y: The class of each node (node task) or of each graph (graph task).
        ptr: Graph ``g`` owns the nodes ``ptr[g] … ptr[g+1]-1``.
        parts: The data set's own parts for training, validation and test, by these names; empty if it has none.
    """

    y: Ints  # [N] or [G]
    ptr: Ints  # [G + 1]
    parts: Mapping[str, Ints] = field(default_factory=dict)

    @classmethod
    def from_edges(
        cls,
        info: DatasetInfo,
        x: Floats,
        edge_index: Ints,
        y: Ints,
        *,
        motif: Ints | None = None,
        edge_motif: Ints | None = None,
        ptr: Ints | None = None,
        edge_order: Ints | None = None,
        **more: Any,
    ) -> "GraphDataset":
        """Build a data set from any list of edges: directed, duplicated or looping ones are put in order.

        An edge given in one direction only counts in both. Where duplicates disagree on ``edge_motif`` or
        ``edge_order``, the highest value wins. All further attributes stay as they are given.
        """
        num_nodes = len(x)
        source, target = np.asarray(edge_index, dtype=int)
        if source.size and (min(source.min(), target.min()) < 0 or max(source.max(), target.max()) >= num_nodes):
            raise UserError(f"An edge names a node outside 0 … {num_nodes - 1}; check the edge list.")
        if not np.isfinite(x).all():
            raise UserError("The node features contain NaN or infinity; replace them before loading the graph.")
        keep = source != target
        source, target = source[keep], target[keep]
        both = np.append(source * num_nodes + target, target * num_nodes + source)
        keys, position = np.unique(both, return_inverse=True)

        def merged(values: Ints | None, default: int) -> Ints:
            out = np.full(len(keys), default)
            if values is not None:
                np.maximum.at(out, position, np.tile(np.asarray(values)[keep], 2))
            return out

        return cls(
            info=info,
            x=np.ascontiguousarray(x, dtype=np.float32),
            edge_index=np.stack(np.divmod(keys, max(num_nodes, 1))),
            y=np.asarray(y, dtype=int),
            motif=np.full(num_nodes, -1) if motif is None else np.asarray(motif, dtype=int),
            edge_motif=merged(edge_motif, -1),
            ptr=np.array([0, num_nodes]) if ptr is None else np.asarray(ptr, dtype=int),
            edge_order=merged(edge_order, 1),
            **more,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What the nodes of a node task are called, all of it; empty where they go by number. [N]"""
        return (self.node_notes or self.node_texts) if self.task is Task.NODE else ()

    @property
    def name(self) -> str:
        """Registry name."""
        return self.info.name

    @property
    def num_nodes(self) -> int:
        return len(self.x)

    @property
    def num_classes(self) -> int:
        """As many as have names; without names, as many as occur."""
        return len(self.info.classes) or int(self.y.max()) + 1

    @property
    def num_edges(self) -> int:
        """Undirected edges."""
        return self.edge_index.shape[1] // 2

    @property
    def num_graphs(self) -> int:
        return len(self.ptr) - 1

    @cached_property
    def indptr(self) -> Ints:
        """CSR row starts: node ``v``'s neighbours are ``edge_index[1, indptr[v]:indptr[v + 1]]``."""
        return np.searchsorted(self.edge_index[0], np.arange(self.num_nodes + 1))

    @cached_property
    def explainable(self) -> Ints:
        """Indices with a known answer: every motif node; or every graph that holds a motif that is its class's reason.

        Where no reason is known of anything, all of them: each can be explained, and none is compared with a truth.
        """
        marked = np.flatnonzero(self.motif >= 0)
        if not self.info.knows_reasons and not marked.size:
            return np.arange(self.num_instances)
        if self.task is Task.NODE:
            return marked
        graphs = np.unique(np.searchsorted(self.ptr, marked, side="right") - 1)
        reasons = self.info.reasons
        return graphs if reasons is None else graphs[np.isin(self.y[graphs], reasons)]

    @cached_property
    def statistics(self) -> dict[str, int]:
        """Counts for people, edges counted once."""
        return {
            "graphs": self.num_graphs,
            "nodes": self.num_nodes,
            "edges": self.num_edges,
            "features": self.x.shape[1],
            "classes": self.num_classes,
            "motifs": len(np.unique(self.motif[self.motif >= 0])),
            "explainable": len(self.explainable),
        }

    @property
    def num_instances(self) -> int:
        """How many predictions can be explained: nodes in a node task, graphs in a graph task."""
        return self.num_nodes if self.task is Task.NODE else self.num_graphs

    @cached_property
    def example(self) -> int:
        """The index to show first: an instance of readable size with as much of its motif in view as possible."""

        def score(index: int) -> tuple[bool, int, int]:
            instance = self.instance(index)
            return 9 <= instance.num_nodes <= 40, int(instance.own_edges.sum()), -index

        return max((int(index) for index in self.explainable[:120]), key=score, default=0)

    def instance(self, index: int, hops: int = DEFAULT_HOPS) -> Instance:
        """Cut out what the GNN can see of one node or graph.

        Args:
            index: Node id (node task) or graph id (graph task).
            hops: How far the GNN sees: its ``hops``. One that sees farther than an instance goes refuses it.
        """
        count = self.num_instances
        if not 0 <= index < count:
            raise UserError(f"{self.name} has no {self.task} {index}: choose one from 0 to {count - 1}.")
        if self.task is Task.NODE:
            nodes, distance, left_out = neighbourhood(self.indptr, self.edge_index[1], index, hops)
            original, target = nodes, 0
        else:
            first, last = self.ptr[index : index + 2].tolist()
            nodes = np.arange(first, min(last, first + MAX_INSTANCE_NODES))
            left_out = last - first - len(nodes)
            original, distance, target = nodes - first, np.zeros(len(nodes), int), None
        edges, edge_index = induced(self.indptr, self.edge_index[1], nodes)
        return Instance(
            info=self.info,
            index=index,
            nodes=original,
            edge_index=edge_index,
            y=int(self.y[index]),
            target=target,
            hops=distance,
            reach=None if target is None else hops,
            left_out=left_out,
            node_names=self.node_names,
            **self.entries(nodes, edges),
        )

    def to_pyg(self) -> Any:
        """The data set as PyG sees it: one ``Data`` (node task) or a list of them (graph task)."""
        import torch
        from torch_geometric.data import Data

        x, edge_index, y = (torch.from_numpy(array) for array in (self.x, self.edge_index, self.y))
        if self.task is Task.NODE:
            return Data(x=x, edge_index=edge_index, y=y)
        edge_ptr = self.indptr[self.ptr]
        return [
            Data(
                x=x[self.ptr[g] : self.ptr[g + 1]],
                edge_index=edge_index[:, edge_ptr[g] : edge_ptr[g + 1]] - int(self.ptr[g]),
                y=y[g : g + 1],
            )
            for g in range(self.num_graphs)
        ]


# Neighbourhoods by rows (CSR), at a cost that depends on their own size only


def entries(indptr: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The entries of some rows: their positions, and which of ``rows`` each belongs to."""
    starts = indptr[rows]
    degree = indptr[rows + 1] - starts
    owner = np.repeat(np.arange(len(rows)), degree)
    ends = np.cumsum(degree)
    return np.arange(int(degree.sum())) - (ends - degree)[owner] + starts[owner], owner


def neighbourhood(indptr: Ints, neighbours: Ints, node: int, hops: int) -> tuple[Ints, Ints, int]:
    """Nodes within some hops, nearest first, their distances, and how many known ones were left out."""
    distance = np.full(len(indptr) - 1, -1)
    distance[node], count, left_out = 0, 1, 0
    shells = [np.array([node])]
    for hop in range(1, hops + 1):
        reached = np.unique(neighbours[entries(indptr, shells[-1])[0]])
        reached = reached[distance[reached] < 0]
        shell = reached[: MAX_INSTANCE_NODES - count]
        distance[shell] = hop
        shells.append(shell)
        count += len(shell)
        left_out = len(reached) - len(shell)
        if left_out or not shell.size:
            break
    nodes = np.concatenate(shells)
    return nodes, distance[nodes], left_out


def induced(indptr: Ints, neighbours: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """The edges among some nodes, under local ids, sorted: their positions in the graph, and ``edge_index``. [2, e]"""
    edges, source = entries(indptr, nodes)
    local = np.full(len(indptr) - 1, -1)
    local[nodes] = np.arange(len(nodes))
    target = local[neighbours[edges]]
    order = np.lexsort((target, source))
    order = order[target[order] >= 0]
    return edges[order], np.stack([source, target])[:, order]


# Halves of the explainable instances


class Half(StrEnum):
    """Which of the explainable instances are meant: one half is to choose settings on, one to report.

    A setting that is chosen by its AUC is fitted to the instances of that AUC. So settings are chosen on
    the tuning half, and tables come from the reporting half, which stays unseen until then.
    """

    REPORTING = "reporting"
    TUNING = "tuning"


def half_of(explainable: Ints, half: str = Half.REPORTING) -> Ints:
    """The instances of a half, in their usual order.

    The first half of one fixed shuffle is for tuning, the rest for reporting; no seed of a run changes it.

    Args:
        explainable: ``dataset.explainable``. [n]
        half: ``reporting`` or ``tuning``.
    """
    shuffled = np.random.RandomState(0).permutation(explainable)
    middle = len(shuffled) // 2
    return np.sort(shuffled[:middle] if half == Half.TUNING else shuffled[middle:])
