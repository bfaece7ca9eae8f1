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
    import networkx as nx

    edges = instance.edge_index[:, instance.undirected[kept]]
    if not edges.size:
        return None
    pieces = list(nx.connected_components(nx.Graph(edges.T.tolist())))
    sizes = [int(np.isin(edges[0], list(piece)).sum()) for piece in pieces]  # edges of each
    if instance.target is not None:
        sizes = [size for size, piece in zip(sizes, pieces, strict=True) if instance.target in piece]
    return Connectedness(len(pieces), max(sizes, default=0) / edges.shape[1])
