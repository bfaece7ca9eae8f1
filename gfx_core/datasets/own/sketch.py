"""A graph that was drawn by hand, as the files that say the same."""

from collections.abc import Sequence

from gfx_core.datasets.own.read import Brought

MOST = 200
"""Nodes that can be drawn."""


def edge_list(classes: Sequence[int], edges: Sequence[tuple[int, int]]) -> tuple[Brought, Brought]:
    """A table of edges and one of nodes.

    Args:
        classes: Of each node; -1 for none. [N]
        edges: Pairs of nodes.
    """
    lines = [f"{one},{other}" for one, other in edges]
    nodes = [f"{node},{'' if label < 0 else 'ABCD'[label % 4]}" for node, label in enumerate(classes)]
    return (
        Brought("drawn edges.csv", "\n".join(["source,target", *lines]).encode()),
        Brought("drawn nodes.csv", "\n".join(["id,class", *nodes]).encode()),
    )
