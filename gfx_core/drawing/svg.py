"""SVG pictures of graphs. Shape says a node's class, colour and rim its role; ``STYLE`` holds the colours.

A picture is a plain string in which every text is escaped. Each node carries its id in ``data-node`` and a
sentence about itself in ``data-tip``, so a page can make it clickable without knowing how it was drawn.
"""

import cmath
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

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
from gfx_core.layout.stress import Points
from gfx_core.text.typesetting import EM, HIGH, arc, box_width, runs, top_of

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """How one node is drawn.

    Attributes:
        id: What a click reports.
        tip: A sentence about the node.
        label: Text on the node.
        symbol: ``circle``, ``square``, ``diamond`` or ``pentagon``.
        styles: Style classes, such as ``motif``, ``start``, ``hollow`` or an element's symbol.
        scale: Size relative to the other nodes.
    """

    id: int
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
class Picture:
    """A graph before it is drawn.

    Attributes:
        title: What a screen reader says.
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
        width, height, content = self.content()
        looks = f'network sentence" style="max-width: {1.4 * width:.0f}px' if self.sentence else "network"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{looks}" viewBox="0 0 {width:.1f} {height:.1f}"'
            f' role="img" aria-label={quoteattr(self.title)}>{content}</svg>'
        )

    def content(self) -> tuple[float, float, str]:
        """Width, height and what is inside the SVG element."""
        if not len(self.looks):
            return 10.0, 10.0, ""
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


def _network(picture: Picture) -> tuple[float, float, str]:
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
    paths, texts = [], []
    for lines in picture.lines:
        edges = np.flatnonzero(lines.edges & visible)
        ends = z[picture.ends[:, edges]].T  # [e, 2]
        if lines.text:
            texts += [_edge_text(lines.text, middle) for middle in ends.mean(axis=1)]
        bonds = list(ends) if picture.orders is None else _bonds(ends, picture.orders[edges], 0.1 * unit)
        paths.append(_path(lines, float(np.clip(radius / 10, 0.3, 1.0)), bonds))  # lines go with the nodes
    nodes = [(look, at) for look, at, seen in zip(picture.looks, z, view, strict=True) if look is not None and seen]
    nodes.sort(key=lambda node: not {"start", "wrong"}.isdisjoint(node[0].styles))  # on top
    labels = len(nodes) <= MAX_LABELLED
    marks = [node_svg(look, at, radius * look.scale, labels) for look, at in nodes]
    return width, height, "".join([*paths, *texts, *marks])


def _typical_gap(points: Points) -> float:
    """Distance to the nearest node, ignoring the most crowded quarter."""
    if len(points) < 2:
        return 1.0
    z = points @ [1, 1j]
    gaps = np.abs(z[:, None] - z)
    np.fill_diagonal(gaps, np.inf)
    return max(float(np.quantile(gaps.min(axis=1), 0.25)), 1e-6)


def _path(lines: Lines, thin: float, curves: Iterable[Iterable[complex]]) -> str:
    """Straight lines through two points each, or cubic curves through four."""
    path = ""
    for curve in curves:
        start, *rest = (f"{point.real:.1f} {point.imag:.1f}" for point in curve)
        path += f"M{start}{'C' if len(rest) > 1 else 'L'}{' '.join(rest)}"
    return path and f'<path class="edge {lines.style}" stroke-width="{lines.width * thin:.2g}" d="{path}"/>'


def _edge_text(text: str, at: complex) -> str:
    plate = f'<rect class="plate" x="{at.real - 16:.1f}" y="{at.imag - 8.5:.1f}" width="32" height="17" rx="8"/>'
    return plate + _text(text, at, 11.5)


def _text(text: str, at: complex, size: float, styles: str = "") -> str:
    return f'<text class="{styles}" x="{at.real:.1f}" y="{at.imag:.1f}" font-size="{size:.1f}">{escape(text)}</text>'


_SHIFTS = {2: (-0.5, 0.5), 3: (-1.0, 0.0, 1.0)}  # of the lines of a bond


def _bonds(ends: NDArray[np.complex128], orders: Ints, apart: float) -> list[NDArray[np.complex128]]:
    """One, two or three parallel lines for each bond. [e, 2] → so many pairs"""
    along = ends[:, 1] - ends[:, 0]
    across = 1j * apart * along / np.maximum(np.abs(along), 1e-9)
    bonds = zip(ends, across, orders.tolist(), strict=True)
    return [pair + shift * side for pair, side, order in bonds for shift in _SHIFTS.get(order, (0.0,))]


_RINGS = {"start": 1.45, "alone": 1.45, "cut": 1.75, "selected": 1.6}  # how wide a ring is that says a role, in radii
_INSIDE = 4  # letters that are written on a node; longer names stand beneath it
_CORNERS = {"square": (4, 45.0), "diamond": (4, 0.0), "pentagon": (5, -90.0)}


def _attributes(look: Look, *more: str) -> str:
    styles = " ".join(("node", *more, *look.styles))
    return f'class="{styles}" data-node="{look.id}" data-tip={quoteattr(look.tip)}'


def node_svg(look: Look, at: complex, radius: float, labels: bool = False) -> str:
    """A node at x + iy, with what stands around and on it."""
    rim = min(2.6, max(0.8, radius * 0.2)) if "motif" in look.styles else min(1.3, max(0.5, radius * 0.12))
    dashes = f' stroke-dasharray="{radius * 0.25:.1f}"' if "other" in look.styles else ""
    parts = [_shape(look.symbol, at, radius, f'{_attributes(look)} stroke-width="{rim:.1f}"{dashes}')]
    for role, wide in _RINGS.items():
        if role in look.styles:
            ring = f'cx="{at.real:.1f}" cy="{at.imag:.1f}" r="{radius * wide:.1f}"'
            parts.append(f'<circle class="ring {role}" {ring} stroke-width="2"/>')
    if len(look.label) > _INSIDE and labels and radius >= 5:  # it would be too small to be read
        parts.append(_text(look.label, at + 1.65j * radius, radius * 0.8, "beneath"))
    elif look.label and labels and radius >= 5:
        size = min(radius * 1.05, radius * 2.9 / len(look.label))
        parts.append(_text(look.label, at, size, " ".join(look.styles)))
    if "wrong" in look.styles:
        arm, across = radius * 1.25, f"{radius * 2.5:.1f}"
        path = f"M{at.real - arm:.1f} {at.imag - arm:.1f}l{across} {across}m-{across} 0l{across} -{across}"
        parts.append(f'<path class="cross" stroke-width="{max(1.2, radius * 0.45):.1f}" d="{path}"/>')
    return "".join(parts)


def _shape(symbol: str, at: complex, radius: float, attributes: str) -> str:
    """One node symbol of about the area of a circle with this radius."""
    if symbol not in _CORNERS:
        return f'<circle cx="{at.real:.1f}" cy="{at.imag:.1f}" r="{radius:.1f}" {attributes}/>'
    count, turn = _CORNERS[symbol]
    corners = [at + cmath.rect(radius * 1.22, math.radians(turn + 360 * corner / count)) for corner in range(count)]
    return f'<path d="M{"L".join(f"{corner.real:.1f} {corner.imag:.1f}" for corner in corners)}Z" {attributes}/>'


def _sentence(picture: Picture) -> tuple[float, float, str]:
    """Words that are ``held`` or the ``start`` are underlined; all of a sentence is always in view."""
    looks = [look for look in picture.looks if look is not None]
    points, words = picture.points, [look.label for look in looks]
    halves = np.array([box_width(word) / 2 for word in words])
    left, right = float((points[:, 0] - halves).min()), float((points[:, 0] + halves).max())
    top, bottom = top_of(points, picture.ends), float(points[:, 1].min()) - HIGH * EM / 2

    def pixels(place: Points) -> Any:
        """x + iy, y downwards. […, 2] → […]"""
        return ((place - [left, top]) * UNIT) @ [1, -1j] + complex(_PAD, _PAD)

    parts = []
    for lines in picture.lines:
        arcs = [pixels(arc(points[one], points[other])) for one, other in picture.ends[:, lines.edges].T]
        parts.append(_path(lines, 0.8, arcs))
    parts += [_word(*word) for word in zip(looks, pixels(points), 2 * UNIT * halves, strict=True)]
    held = [number for number, look in enumerate(looks) if not {"held", "start"}.isdisjoint(look.styles)]
    for begin, end, middle in runs(held, points, words):
        at = pixels(np.array([begin, middle - (HIGH / 2 + 0.16) * EM]))
        parts.append(f'<path class="underline" d="M{at.real:.1f} {at.imag:.1f}h{(end - begin) * UNIT:.1f}"/>')
    return (right - left) * UNIT + 2 * _PAD, (top - bottom) * UNIT + 2 * _PAD, "".join(parts)


def _word(look: Look, at: complex, width: float) -> str:
    def box(out: float) -> str:
        wide, high = width + 2 * out, HIGH * EM * UNIT + 2 * out
        return (
            f'x="{at.real - wide / 2:.1f}" y="{at.imag - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="5"'
        )

    ring = f'<rect class="ring cut" {box(0.25 * EM * UNIT)} stroke-width="2"/>' if "cut" in look.styles else ""
    text = _text(look.label, at, EM * UNIT, " ".join(look.styles))
    return f"{ring}<rect {_attributes(look, 'word')} {box(0)}/>{text}"
