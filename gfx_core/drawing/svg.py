"""SVG pictures of graphs. Shape is a node's class, colour and rim for its role; ``STYLE`` holds the colours.

A picture is a plain string in which every text is escaped. Each node carries its id in ``data-node`` and a
sentence about itself in ``data-tip``, so a page can make it clickable without knowing how it was drawn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Ints
from gfx_core.drawing.colours import (
    ACTION,
    CUT_VERTEX,
    ELEMENTS,
    FOUND,
    FRONTIER,
    MISTAKE,
    MOTIF,
    OTHER_MOTIF,
    PARENT,
    PLAIN,
    START,
    text_on,
)
from gfx_core.drawing.templates import render
from gfx_core.layout.stress import Points
from gfx_core.text.typesetting import EM, HIGH, arc, box_width, runs, top_of

Bools = NDArray[np.bool_]


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
class Lines:
    """Edges that look alike: which [E], their style class, width, and a text on each."""

    edges: Bools
    style: str = ""
    width: float = 1.3
    text: str = ""


@dataclass(frozen=True)
class Marks:
    """Marks in pixels; points are x + iy.

    Attributes:
        width: Of the picture.
        height: Likewise.
        paths: Style, width and path of edges.
        texts: On edges, and where.
        nodes: How and where they are drawn.
        radius: Of a node of scale 1.
        labels: Whether nodes carry text.
        words: How and where words are drawn, and how wide.
        em: Size of their letters.
        underlines: Where they start and how long they are.
    """

    width: float
    height: float
    paths: Sequence[tuple[str, float, str]] = ()
    texts: Sequence[tuple[str, complex]] = ()
    nodes: Sequence[tuple[Look, complex]] = ()
    radius: float = 0.0
    labels: bool = False
    words: Sequence[tuple[Look, complex, float]] = ()
    em: float = 0.0
    underlines: Sequence[tuple[complex, float]] = ()


@dataclass(frozen=True)
class Picture:
    """A graph before it is drawn.

    Attributes:
        title: For screen readers.
        points: Where each node is. [n, 2]
        looks: Of each node; ``None`` hides the node and its edges.
        ends: Of each edge. [2, E]
        lines: Drawn in this order, below the nodes.
        orders: Bond orders, where edges are bonds. [E]
        view: The nodes that are drawn; of the others only edges to these are. ``None`` for all. [n]
        size: Largest width and height in pixels.
        unit: Pixels for an edge of length 1, at most; more where nodes would get too small.
        radius: Limits of a node's radius in pixels; between them it is a share of the closest nodes' distance.
        sentence: Whether nodes are words in reading order, and edges arcs above them.
    """

    title: str
    points: Points
    looks: Sequence[Look | None]
    ends: Ints
    lines: Sequence[Lines]
    orders: Ints | None = None
    view: Bools | None = None
    size: tuple[float, float] = (640.0, 480.0)
    unit: float = 62.0
    radius: tuple[float, float] = (2.6, 15.0)
    sentence: bool = False

    def svg(self) -> str:
        """The picture on its own."""
        return render("pages/picture.svg", title=self.title, marks=self.marks())

    def marks(self) -> Marks:
        """What ``assets/pages/marks.svg`` draws."""
        if not len(self.looks):
            return Marks(10.0, 10.0)
        return _sentence(self) if self.sentence else _network(self)


LEVELS = 5
"""Scores are drawn in so many widths."""
MAX_LABELLED = 120
"""Pictures of more nodes than this carry no text on the nodes."""

STYLE = (
    f"""
.network {{ --paper: var(--st-background-color, #fff); font-family: var(--st-font, sans-serif);
  --plain: color-mix(in srgb, {PLAIN.colour} 24%, var(--paper));
  --motif-fill: color-mix(in srgb, {MOTIF.colour} 26%, var(--paper));
  --other-fill: color-mix(in srgb, {MOTIF.colour} 12%, var(--paper)); }}
.network path.edge {{ fill: none; stroke: {PLAIN.colour}; stroke-opacity: .55; stroke-linecap: round; }}
.network path.edge.motif {{ stroke: {MOTIF.colour}; stroke-opacity: 1; }}
.network path.edge.other {{ stroke: {OTHER_MOTIF.colour}; stroke-opacity: .75; stroke-dasharray: 5 4; }}
.network path.edge.atom {{ stroke-opacity: .8; }}
.network .node {{ fill: var(--plain, #e2e5ea); stroke: {PLAIN.colour}; }}
.network .node.hollow {{ fill: var(--paper, #fff); }}
.network .node.motif {{ fill: var(--motif-fill, #bde6db); stroke: {MOTIF.colour}; }}
.network .node.other {{ fill: var(--other-fill, #e0f3ee); stroke: {OTHER_MOTIF.colour}; }}
.network .node.motif.hollow, .network .node.other.hollow {{ fill: var(--paper, #fff); }}
.network .node.start {{ fill: {START.colour}; }}
.network .ring {{ fill: none; stroke: {START.colour}; pointer-events: none; }}
.network .cross {{ fill: none; stroke: {MISTAKE.colour}; stroke-linecap: round; pointer-events: none; }}
.network text {{ fill: var(--st-text-color, #222); text-anchor: middle; dominant-baseline: central;
  pointer-events: none; user-select: none; }}
.network .node.word {{ fill: var(--paper, #fff); fill-opacity: .85; stroke: none; }}
.network .underline {{ fill: none; stroke: var(--st-primary-color, {FOUND.colour}); stroke-width: 3.4;
  stroke-linecap: round; }}
.network .plate {{ fill: var(--paper, #fff); }}
.network text.beneath {{ paint-order: stroke; stroke: var(--st-background-color, #fff); stroke-width: 0.25em; }}
.network text.start {{ fill: #fff; font-weight: 700; }}
"""
    + "".join(
        f".network .node.{element} {{ fill: {colour}; }}\n.network text.{element} {{ fill: {text_on(colour)}; }}\n"
        for element, colour in ELEMENTS.items()
    )
    + f"""
.network path.edge.score {{ stroke: {PLAIN.colour}; stroke-opacity: .9; }}
.network path.edge.hit {{ stroke: {MOTIF.colour}; stroke-opacity: 1; }}
.network path.edge.extra {{ stroke: {MISTAKE.colour}; stroke-opacity: 1; }}
.network path.edge.kept {{ stroke: var(--st-primary-color, {FOUND.colour}); stroke-opacity: 1; }}
.network path.edge.missed {{ stroke: {MOTIF.colour}; stroke-opacity: .9; stroke-dasharray: 5 4; }}
.network .node.held {{ fill: var(--st-text-color, {ACTION.colour}); stroke: var(--st-text-color, {ACTION.colour}); }}
.network text.held {{ fill: var(--st-background-color, #fff); }}
.network .node.away, .network text.away {{ opacity: .55; }}
.network .node.word.start {{ fill: {START.colour}; fill-opacity: 1; }}
.network .node.word.held {{ fill-opacity: 1; }}
.network path.edge.inside {{ stroke: {ACTION.colour}; stroke-opacity: 1; }}
.network .node.parent {{ stroke: {PARENT.colour}; stroke-width: 3; stroke-dasharray: 2.5 2; }}
.network .node.frontier {{ stroke: {FRONTIER.colour}; stroke-dasharray: 4 2; }}
.network .ring.cut {{ stroke: {CUT_VERTEX.colour}; }}
.network .ring.alone {{ stroke: var(--st-primary-color, {FOUND.colour}); }}
"""
    + "".join(f".network .node.chance-{at} {{ stroke-width: {2.2 + 0.8 * at:.2g}; }}\n" for at in range(LEVELS))
)
"""Style sheet for the pictures; follows the theme of the page through Streamlit's CSS variables."""

UNIT = 70.0
"""Pixels of a unit of a sentence's layout: letters are 15 pixels high."""
_PAD = 10.0


def _network(picture: Picture) -> Marks:
    view = np.ones(len(picture.looks), dtype=bool) if picture.view is None else picture.view
    points = picture.points[view]
    low, high = points.min(0), points.max(0)
    gap = 0.36 * _typical_gap(points)  # a node's radius in edge lengths
    unit = float(min(max(picture.unit, picture.radius[1] / gap), *(picture.size / np.maximum(high - low, 1e-9))))
    radius = float(np.clip(gap * unit, *picture.radius))
    pad = radius * 2.2 + 4
    width, height = (high - low) * unit + 2 * pad
    z = ((picture.points - [low[0], high[1]]) * unit) @ [1, -1j] + complex(pad, pad)  # x + iy in pixels
    hidden = np.array([look is None for look in picture.looks])
    visible = view[picture.ends].any(axis=0) & ~hidden[picture.ends].any(axis=0)
    thin = float(np.clip(radius / 10, 0.3, 1.0))  # lines go with the nodes
    paths, texts = [], []
    for lines in picture.lines:
        edges = np.flatnonzero(lines.edges & visible)
        ends = z[picture.ends[:, edges]].T  # [e, 2]
        texts += [(lines.text, middle) for middle in ends.mean(axis=1) if lines.text]
        bonds = list(ends) if picture.orders is None else _bonds(ends, picture.orders[edges], 0.1 * unit)
        paths.append((lines.style, lines.width * thin, _path(bonds)))
    nodes = [(look, at) for look, at, seen in zip(picture.looks, z, view, strict=True) if look is not None and seen]
    nodes.sort(key=lambda node: not {"start", "wrong"}.isdisjoint(node[0].styles))  # on top
    return Marks(width, height, paths, texts, nodes, radius, len(nodes) <= MAX_LABELLED)


def _typical_gap(points: Points) -> float:
    """Distance to the nearest node, ignoring the most crowded quarter."""
    if len(points) < 2:
        return 1.0
    z = points @ [1, 1j]
    gaps = np.abs(z[:, None] - z)
    np.fill_diagonal(gaps, np.inf)
    return max(float(np.quantile(gaps.min(axis=1), 0.25)), 1e-6)


def _path(curves: Iterable[Iterable[complex]]) -> str:
    """Straight lines through two points each, or cubic curves through four."""
    path = ""
    for curve in curves:
        start, *rest = (f"{point.real:.1f} {point.imag:.1f}" for point in curve)
        path += f"M{start}{'C' if len(rest) > 1 else 'L'}{' '.join(rest)}"
    return path


_SHIFTS = {2: (-0.5, 0.5), 3: (-1.0, 0.0, 1.0)}  # of the lines of a bond


def _bonds(ends: NDArray[np.complex128], orders: Ints, apart: float) -> list[NDArray[np.complex128]]:
    """One, two or three parallel lines for each bond. [e, 2] → so many pairs"""
    along = ends[:, 1] - ends[:, 0]
    across = 1j * apart * along / np.maximum(np.abs(along), 1e-9)
    bonds = zip(ends, across, orders.tolist(), strict=True)
    return [pair + shift * side for pair, side, order in bonds for shift in _SHIFTS.get(order, (0.0,))]


def _sentence(picture: Picture) -> Marks:
    """Words that are ``held`` or the ``start`` are underlined; all of a sentence is always in view."""
    looks = [look for look in picture.looks if look is not None]
    points, words = picture.points, [look.label for look in looks]
    halves = np.array([box_width(word) / 2 for word in words])
    left, right = float((points[:, 0] - halves).min()), float((points[:, 0] + halves).max())
    top, bottom = top_of(points, picture.ends), float(points[:, 1].min()) - HIGH * EM / 2

    def pixels(place: Points) -> Any:
        """x + iy, y downwards. […, 2] → […]"""
        return ((place - [left, top]) * UNIT) @ [1, -1j] + complex(_PAD, _PAD)

    paths = []
    for lines in picture.lines:
        arcs = [pixels(arc(points[one], points[other])) for one, other in picture.ends[:, lines.edges].T]
        paths.append((lines.style, 0.8 * lines.width, _path(arcs)))
    held = [number for number, look in enumerate(looks) if not {"held", "start"}.isdisjoint(look.styles)]
    underlines = []
    for begin, end, middle in runs(held, points, words):
        start = pixels(np.array([begin, middle - (HIGH / 2 + 0.16) * EM]))
        underlines.append((start, (end - begin) * UNIT))
    return Marks(
        width=(right - left) * UNIT + 2 * _PAD,
        height=(top - bottom) * UNIT + 2 * _PAD,
        paths=paths,
        words=list(zip(looks, pixels(points), 2 * UNIT * halves, strict=True)),
        em=EM * UNIT,
        underlines=underlines,
    )
