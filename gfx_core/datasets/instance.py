"""Instance: the part of a data set that one prediction depends on."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Bools, Doubles, Floats, Ints
from gfx_core.config import Drawing, Task
from gfx_core.datasets.info import DatasetInfo
from gfx_core.errors import UserError

UNKNOWN_CLASS = -1
_OF_NODES = ("x", "motif", "pos", "node_texts", "node_notes", "node_attributes")
_OF_EDGES = ("edge_motif", "edge_order")
"""The fields of a data set, and of an instance of it, that have an entry for each node or edge, or none at all."""


def some(values: Any, positions: Ints) -> Any:
    """The entries of an array or a tuple at some positions; ``None`` and an empty tuple, for nothing known, stay."""
    if values is None or isinstance(values, np.ndarray):
        return None if values is None else values[positions]
    return tuple(values[position] for position in positions) if values else ()


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledGraph:
    """Nodes and edges with all that is known of each: of a data set, or of an instance of it.

    Attributes:
        info: The data set, in words.
        x: Node features.
        edge_index: Edges, both directions, sorted by (source, target), without self-loops or duplicates.
        motif: For each node the motif it belongs to, -1 for none. Ids are unique over the data set.
        edge_motif: For each edge the motif it belongs to, -1 for none.
        node_names: What the feature columns mean (atoms), empty if they mean nothing.
        edge_order: Bond order of each edge, 1 where there are no bonds.
        pos: Drawing coordinates, where the data set has its own.
        node_texts: What is written on each node, where that is a text of its own (a word). [N] or empty
        node_notes: What is known of each of these nodes besides, for people. [N] or empty
        node_attributes: Names and values of each node's attributes in uploaded data. [N] or empty
    """

    info: DatasetInfo
    x: Floats  # [N, d]
    edge_index: Ints  # [2, E]
    motif: Ints  # [N]
    edge_motif: Ints  # [E]
    edge_order: Ints  # [E]
    node_names: tuple[str, ...] = ()
    pos: Floats | None = None  # [N, 2]
    node_texts: tuple[str, ...] = ()
    node_notes: tuple[str, ...] = ()
    node_attributes: tuple[tuple[tuple[str, str], ...], ...] = ()

    @property
    def task(self) -> Task:
        return self.info.task

    @property
    def is_sentence(self) -> bool:
        """Whether nodes are words, drawn in reading order."""
        return self.info.drawing is Drawing.SENTENCE

    def entries(self, nodes: Ints, edges: Ints) -> dict[str, Any]:
        """What is known of some nodes and edges, by the names of these fields."""
        positions = dict.fromkeys(_OF_NODES, nodes) | dict.fromkeys(_OF_EDGES, edges)
        return {name: some(getattr(self, name), at) for name, at in positions.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Instance(LabelledGraph):
    """The L-hop computation graph of a node, or a whole graph, under local node ids ``0 … m-1``.

    Attributes:
        index: The node or graph that is explained, by its id in the data set.
        nodes: Original id of each local node (in a graph task: its number within the graph).
        y: The true class, :data:`UNKNOWN_CLASS` where it is not known.
        target: Local id of the explained node, ``None`` in a graph task.
        hops: Distance of each node from the explained node (zeros in a graph task).
        reach: Within how many hops of the explained node it was cut out; ``None`` in a graph task.
        left_out: How many nodes within reach were left out because the neighbourhood was too large.
        layout: Where its nodes are drawn, where that is known before: an edited instance keeps its places.
    """

    index: int
    nodes: Ints  # [m]
    y: int
    target: int | None
    hops: Ints  # [m]
    reach: int | None = None
    left_out: int = 0
    layout: Doubles | None = None  # [m, 2]

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.info.name

    @property
    def num_nodes(self) -> int:
        return len(self.nodes)

    @cached_property
    def undirected(self) -> Ints:
        """Positions in ``edge_index`` of the edges with source < target: each undirected edge once."""
        return np.flatnonzero(self.edge_index[0] < self.edge_index[1])

    @cached_property
    def reverse(self) -> Ints:
        """The position of each edge's other direction, found by sorting: edges are sorted by (source, target). [e]"""
        return np.lexsort(self.edge_index)

    def both_directions(self, values: ArrayLike) -> Doubles:
        """Values of the undirected edges, on both directions of each. [E] → [e]"""
        both = np.zeros(self.edge_index.shape[1])
        both[self.undirected] = values
        return both + both[self.reverse]

    @cached_property
    def own_edges(self) -> Bools:
        """Ground truth ``own``: edges of the explained node's motif (in a graph task, every motif edge)."""
        return self._own(self.edge_motif)

    @cached_property
    def own_nodes(self) -> Bools:
        """Nodes of the motif(s) that ``own_edges`` mark."""
        return self._own(self.motif)

    def _own(self, motif: Ints) -> Bools:
        marked = motif >= 0
        return marked if self.target is None else marked & (motif == self.motif[self.target])

    @cached_property
    def all_edges(self) -> Bools:
        """Ground truth ``all``: every motif edge in view."""
        return self.edge_motif >= 0

    def has_reason(self, predicted: int) -> bool:
        """Whether it is known which edges are the reason for a prediction.

        They are where the explained node or graph is known to be in, or to hold, a motif, and that is the reason for
        its class, which the GNN predicts: a wrong prediction has no known reason. Of a typed molecule the
        true class is not known, and so no reason.
        """
        reasons = self.info.reasons
        return predicted == self.y and bool(self.own_edges.any()) and (reasons is None or predicted in reasons)

    def check_reach(self, hops: int) -> None:
        """Refuse a GNN that sees farther than this instance goes."""
        if self.reach is None or self.reach >= hops:
            return
        if self.left_out or self.hops.max() == self.reach:  # else nothing lies farther away
            raise UserError(
                f"Node {self.index} was cut out with what is within {self.reach} hop{'s' * (self.reach > 1)} of it, "
                f"but this GNN sees {hops} hops far: cut it out with hops={hops}."
            )

    def check_start(self, start: int | None) -> None:
        """Refuse a start node that is not there, or that is not the explained node."""
        if start is None:
            return
        if not 0 <= start < self.num_nodes:
            raise UserError(f"The instance has no node {start}: choose one from 0 to {self.num_nodes - 1}.")
        if self.target is not None and start != self.target:
            raise UserError(f"The explanation of a node starts at that node, {self.target} (got {start}).")

    def node_label(self, node: int) -> str:
        """What to write on a node: its own text, its atom, or its original id."""
        if self.node_texts:
            return self.node_texts[node]
        if self.node_names:
            return self.node_names[int(self.x[node].argmax())]
        return str(self.nodes[node])

    def node_name(self, node: int) -> str:
        """What people call a node: all of its name, where what is written on it is cut short."""
        if self.node_notes and not self.is_sentence:
            return self.node_notes[node]
        return self.node_label(node)

    def part(self, shown: Bools) -> "Instance":
        """Some of the nodes and the edges among them, under local ids of their own."""
        if shown.all():
            return self
        local, nodes = np.cumsum(shown) - 1, np.flatnonzero(shown)
        edges = np.flatnonzero(shown[self.edge_index].all(axis=0))
        return replace(
            self,
            nodes=self.nodes[nodes],
            hops=self.hops[nodes],
            layout=some(self.layout, nodes),
            edge_index=local[self.edge_index[:, edges]],
            target=None if self.target is None else int(local[self.target]),
            **self.entries(nodes, edges),
        )
