"""SVG pictures of graphs. Shape is a node's class, colour and rim for its role; ``STYLE`` holds the colours.

A picture is a plain string in which every text is escaped. Each node carries its id in ``data-node`` and a
sentence about itself in ``data-tip``, so a page can make it clickable without knowing how it was drawn.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Bools, Doubles, Ints
from gfx_core.drawing.templates import render
from gfx_core.layout.stress import Points
from gfx_core.text.typesetting import EM, HIGH, arc, box_width, top_of

Plane = NDArray[np.complex128]  # x + iy

STYLE = render("pages/picture.css")
"""Style sheet for the pictures."""
WIDTHS = {"motif": 4.0, "other": 2.0, "missed": 2.2, "inside": 2.6} | dict.fromkeys(("hit", "extra", "kept"), 4.2)
"""Of edges by their style, in a picture whose nodes are large."""
MAX_LABELLED = 120
"""Pictures of more nodes than this carry no text on the nodes."""
UNIT = 70.0
"""Pixels of a unit of a sentence's layout: letters are 15 pixels high."""


@dataclass(frozen=True)
class Look:
    """How one node is drawn.

    Attributes:
        id: What a click reports; None in a legend.
        tip: A sentence about the node.
        label: Text on the node.
        symbol: ``circle``, ``square``, ``diamond`` or ``pentagon``.
        styles: Style classes, such as ``motif``, ``start``, ``hollow`` or an element's symbol.
        scale: Size relative to the other nodes.
    """

    id: int | None
    tip: str
    label: str = ""
    symbol: str = "circle"
    styles: tuple[str, ...] = ()
    scale: float = 1.0


@dataclass(frozen=True)
class Picture:
    """A graph before it is drawn.

    Attributes:
        title: For screen readers.
        points: Where each node is. [n, 2]
        looks: Of each node.
        ends: Of each edge. [2, E]
        styles: The style class of each edge. [E]
        widths: Of each edge; by default those of `WIDTHS`. [E]
        orders: Bond orders, where edges are bonds. [E]
        view: The nodes that are drawn; of the others only edges to these are. ``None`` for all. [n]
        size: Largest width and height in pixels.
        unit: Pixels for an edge of length 1, at most; more where nodes would get too small.
        radius: Limits of a node's radius in pixels; between them it is a share of the closest nodes' distance.
        sentence: Whether nodes are words in reading order, and edges arcs above them.
    """

    title: str
    points: Points
    looks: Sequence[Look]
    ends: Ints
    styles: Sequence[str] | NDArray[np.str_]
    widths: Sequence[float] | Doubles | None = None
    orders: Ints | None = None
    view: Bools | None = None
    size: tuple[float, float] = (640.0, 480.0)
    unit: float = 62.0
    radius: tuple[float, float] = (2.6, 15.0)
    sentence: bool = False

    def svg(self, template: str = "pages/picture.svg", **values: Any) -> str:
        """Draw it: edges below nodes, wide edges above narrow ones."""
        view = np.ones(len(self.looks), dtype=bool) if self.view is None else self.view
        points = self.points[view]
        if self.sentence:
            words = [box_width(look.label) for look in self.looks]
            boxes = np.stack([words, np.full(len(words), HIGH * EM)], axis=1)
            low, high = (points - boxes / 2).min(axis=0), (points + boxes / 2).max(axis=0)
            high[1] = top_of(points, self.ends)
            unit, radius, pad = UNIT, EM * UNIT, 10.0
        else:
            low, high = points.min(axis=0), points.max(axis=0)
            gap = 0.36 * _typical_gap(points)  # a node's radius in edge lengths
            room = self.size / np.maximum(high - low, 1e-9)
            unit = float(min(max(self.unit, self.radius[1] / gap), *room))
            radius = float(np.clip(gap * unit, *self.radius))
            pad = radius * 2.2 + 4

        def pixels(points: Points) -> Plane:
            """x + iy, y downwards. […, 2] → […]"""
            z: Plane = ((points - [low[0], high[1]]) * unit) @ [1, -1j] + complex(pad, pad)
            return z

        width, height = ((high - low) * unit + 2 * pad).tolist()
        placed = zip(self.looks, pixels(self.points), view, strict=True)
        nodes = [(look, at) for look, at, visible in placed if visible]
        nodes.sort(key=lambda node: not {"start", "wrong"}.isdisjoint(node[0].styles))  # on top
        return render(
            template,
            title=self.title,
            size=(width, height),
            paths=self._paths(view, pixels, unit, min(max(radius / 10, 0.3), 1.0)),  # lines go with the nodes
            nodes=nodes,
            radius=radius,
            labels=len(nodes) <= MAX_LABELLED,
            word_width=(lambda word: UNIT * box_width(word)) if self.sentence else None,
            **values,
        )

    def _paths(
        self, view: Bools, pixels: Callable[[Points], Plane], unit: float, thin: float
    ) -> list[tuple[str, float, str]]:
        """Style, width and path of the edges that look alike, narrow ones first."""
        places = pixels(self.points).tolist()
        paths = defaultdict[tuple[float, str], str](str)
        for edge in np.flatnonzero(view[self.ends].any(axis=0)).tolist():
            style, (one, other) = str(self.styles[edge]), self.ends[:, edge].tolist()
            if self.sentence:
                curves = [pixels(arc(self.points[one], self.points[other])).tolist()]
            else:
                way = places[other] - places[one]
                aside = 1j * unit * way / max(abs(way), 1e-9)
                order = 1 if self.orders is None else int(self.orders[edge])
                shifts = [shift * aside for shift in _BONDS.get(order, (0.0,))]
                curves = [(places[one] + shift, places[other] + shift) for shift in shifts]
            width = WIDTHS.get(style, 1.3) if self.widths is None else float(self.widths[edge])
            for curve in curves:
                start, *rest = (f"{point.real:.1f} {point.imag:.1f}" for point in curve)
                paths[round(thin * width, 1), style] += f"M{start}{'C' if self.sentence else 'L'}{' '.join(rest)}"
        return [(style, width, path) for (width, style), path in sorted(paths.items())]


_BONDS = {2: (-0.05, 0.05), 3: (-0.1, 0.0, 0.1)}  # how far the lines of a bond lie beside it, in edge lengths


def _typical_gap(points: Points) -> float:
    """Distance to the nearest node, ignoring the most crowded quarter."""
    if len(points) < 2:
        return 1.0
    z = points @ [1, 1j]
    gaps = np.abs(z[:, None] - z)
    np.fill_diagonal(gaps, np.inf)
    return max(float(np.quantile(gaps.min(axis=1), 0.25)), 1e-6)
