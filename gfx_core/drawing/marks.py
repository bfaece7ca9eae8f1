"""A picture in terms of marks: what is said of nodes and edges before anything is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.layout import Points


@dataclass(frozen=True)
class NodeMark:
    """How one node is drawn.

    Attributes:
        id: What a click reports.
        tip: A sentence about the node.
        label: Text on the node; empty for none.
        symbol: ``circle``, ``square``, ``diamond`` or ``pentagon``.
        styles: Style classes: ``motif``, ``other``, ``start``, ``hollow`` or an element's symbol.
        scale: Size relative to the other nodes.
    """

    id: int
    tip: str
    label: str = ""
    symbol: str = "circle"
    styles: tuple[str, ...] = ()
    scale: float = 1.0


@dataclass(frozen=True)
class EdgeGroup:
    """Edges that look alike: their ends [2, e], style class, width and dashes, and bond orders if they have any."""

    ends: Ints
    style: str = ""
    width: float = 1.3
    dashes: str = ""
    orders: Ints | None = None


@dataclass(frozen=True)
class Network:
    """A picture in terms of marks, before it is drawn.

    Attributes:
        title: What a screen reader says.
        points: Place of each node. [n, 2]
        nodes: Mark of each node.
        edges: Drawn in this order, below the nodes.
        crossed: Nodes that get a cross.
        size: Largest width and height in pixels.
        unit: Pixels for an edge of length 1, at most; more where nodes would get too small.
        radius: Node radius as a share of the closest nodes' distance, and its limits in pixels.
        focusable: Whether nodes can be reached with the Tab key.
        shown: Which nodes are drawn; of the others only edges to these are seen. ``None`` for all. [n]
        framed: Which nodes the picture has room for; those that are drawn, by default. [n]
        sentence: Whether the nodes are words, on a line in reading order, and edges are arcs above them.
    """

    title: str
    points: Points
    nodes: Sequence[NodeMark]
    edges: Sequence[EdgeGroup]
    crossed: Sequence[int] = ()
    size: tuple[float, float] = (640.0, 480.0)
    unit: float = 62.0
    radius: tuple[float, float, float] = (0.36, 3.0, 15.0)
    focusable: bool = True
    shown: NDArray[np.bool_] | None = None
    framed: NDArray[np.bool_] | None = None
    sentence: bool = False
