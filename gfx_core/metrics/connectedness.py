"""Connectedness: is the explanation one piece, and does it hang on the explained node?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.instance import Instance


@dataclass(frozen=True)
class Connectedness:
    """The pieces of a set of edges.

    Attributes:
        components: Number of pieces; nodes without an edge of the set are none.
        share: In a node task the share of the edges in the piece that holds the explained node, 0 if none does; in a
            graph task the share of the edges in the piece with the most.
    """

    components: int
    share: float

    @property
    def connected(self) -> bool:
        return self.components == 1


def connectedness(instance: Instance, kept: NDArray[np.bool_]) -> Connectedness | None:
    """The pieces of some undirected edges; ``None`` if there are no edges among them. [E]"""
    edges = instance.edge_index[:, instance.undirected[kept]]  # [2, k]
    if not edges.size:
        return None
    piece = _pieces(edges, instance.num_nodes)  # [n]
    _, sizes = np.unique(piece[edges[0]], return_counts=True)  # edges of each
    mine = int((piece[edges[0]] == piece[instance.target]).sum()) if instance.target is not None else int(sizes.max())
    return Connectedness(len(sizes), mine / edges.shape[1])


def _pieces(edges: NDArray[np.integer], num_nodes: int) -> NDArray[np.int64]:
    """The lowest node of each node's piece. (networkx would be loaded for this alone when Compare opens.)

    Args:
        edges: Their two ends. [2, k]
        num_nodes: How many nodes there are.
    """
    piece = np.arange(num_nodes)
    while True:
        lowest = piece[edges].min(axis=0)  # [k]
        after = piece.copy()
        for ends in edges:
            np.minimum.at(after, ends, lowest)
        after = after[after]  # what its lowest node has found counts too
        if np.array_equal(after, piece):
            return piece
        piece = after
