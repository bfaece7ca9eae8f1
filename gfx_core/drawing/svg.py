"""SVG pictures of networks. Shape says a node's class, colour and rim its role; ``STYLE`` holds the colours.

A picture is a plain string in which every text is escaped. Each node carries its id in ``data-node`` and a
sentence about itself in ``data-tip``, so a page can make it clickable without knowing how it was drawn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.drawing.colours import ELEMENTS, FOUND, MISTAKE, MOTIF, OTHER_MOTIF, PLAIN, START, text_on
from gfx_core.layout.stress import Points
from gfx_core.text.typesetting import EM, HIGH, arc, box_width, runs, top_of

# A picture in terms of marks: what is known of nodes and edges before anything is drawn.


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
    """Edges that look alike: their ends [2, e], style class, width and dashes; bond orders and a text if any."""

    ends: Ints
    style: str = ""
    width: float = 1.3
    dashes: str = ""
    orders: Ints | None = None
    text: str = ""


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
    shown: NDArray[np.bool_] | None = None
    framed: NDArray[np.bool_] | None = None
    sentence: bool = False


# A network drawn as a sentence: its nodes are words in reading order, its edges arcs above them.


UNIT = 70.0
"""Pixels of a unit of the layout: letters are 15 pixels high."""
_PAD = 10.0
_LETTERS = EM * UNIT


def sentence_svg(network: Network) -> str:
    """Draw it; words of style ``held`` or ``start`` are underlined, and all of it is always shown."""
    points, words = network.points, [mark.label for mark in network.nodes]
    halves = np.array([box_width(word) / 2 for word in words])
    links = np.concatenate([np.zeros((2, 0), np.int64), *(group.ends for group in network.edges)], axis=1)
    left, right = float((points[:, 0] - halves).min()), float((points[:, 0] + halves).max())
    top, bottom = top_of(points, links), float(points[:, 1].min()) - HIGH * EM / 2
    width, height = (right - left) * UNIT + 2 * _PAD, (top - bottom) * UNIT + 2 * _PAD

    def at(place: NDArray[np.float64]) -> NDArray[np.float64]:
        """From the layout's units to pixels, y downwards. […, 2]"""
        return np.stack([(place[..., 0] - left) * UNIT + _PAD, (top - place[..., 1]) * UNIT + _PAD], axis=-1)

    arcs = [_arcs(group, [at(arc(points[a], points[b])) for a, b in group.ends.T]) for group in network.edges]
    held = [number for number, mark in enumerate(network.nodes) if {"held", "start"} & set(mark.styles)]
    lines = []
    for begin, end, middle in runs(held, points, words):
        x0, y = at(np.array([begin, middle - (HIGH / 2 + 0.16) * EM]))
        lines.append(f"M{x0:.1f} {y:.1f}h{(end - begin) * UNIT:.1f}")
    boxes = [
        _word(mark, at(place), 2 * half * UNIT) for mark, place, half in zip(network.nodes, points, halves, strict=True)
    ]
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="network sentence" viewBox="0 0 {width:.1f} {height:.1f}"'
            f' style="max-width: {1.4 * width:.0f}px" role="img" aria-label={quoteattr(network.title)}>',
            *(drawn for drawn, group in zip(arcs, network.edges, strict=True) if group.ends.size),
            *boxes,
            f'<path class="underline" d="{"".join(lines)}"/>' if lines else "",
            "</svg>",
        ]
    )


def _arcs(group: EdgeGroup, curves: list[NDArray[np.float64]]) -> str:
    path = "".join(
        f"M{a:.1f} {b:.1f}C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest) for (a, b), *rest in map(list, curves)
    )
    dashes = f' stroke-dasharray="{group.dashes}"' if group.dashes else ""
    return f'<path class="edge {group.style}" stroke-width="{0.8 * group.width:.2g}"{dashes} d="{path}"/>'


def _word(mark: NodeMark, place: NDArray[np.float64], width: float) -> str:
    x, y = place
    high = HIGH * _LETTERS
    out = 0.25 * _LETTERS
    ring = (
        f'<rect class="ring cut" x="{x - width / 2 - out:.1f}" y="{y - high / 2 - out:.1f}"'
        f' width="{width + 2 * out:.1f}" height="{high + 2 * out:.1f}" rx="8" stroke-width="2"/>'
        if "cut" in mark.styles
        else ""
    )
    return (
        f'{ring}<rect class="{" ".join(("node", "word", *mark.styles))}" data-node="{mark.id}"'
        f" data-tip={quoteattr(mark.tip)}"
        f' x="{x - width / 2:.1f}" y="{y - high / 2:.1f}" width="{width:.1f}" height="{high:.1f}" rx="5"/>'
        f'<text class="{" ".join(mark.styles)}" x="{x:.1f}" y="{y:.1f}" font-size="{_LETTERS:.1f}">'
        f"{escape(mark.label)}</text>"
    )


MAX_LABELLED = 120
"""Pictures of more nodes than this carry no text on the nodes."""

STYLE = f"""
.network {{ --paper: var(--st-background-color, #fff); font-family: var(--st-font, sans-serif); }}
.network path.edge {{ fill: none; stroke: {PLAIN.colour}; stroke-opacity: .55; stroke-linecap: round; }}
.network path.edge.motif {{ stroke: {MOTIF.colour}; stroke-opacity: 1; }}
.network path.edge.other {{ stroke: {OTHER_MOTIF.colour}; stroke-opacity: .75; }}
.network path.edge.atom {{ stroke-opacity: .8; }}
.network .node {{ fill: color-mix(in srgb, {PLAIN.colour} 24%, var(--paper)); stroke: {PLAIN.colour}; }}
.network .node.hollow {{ fill: var(--paper); }}
.network .node.motif {{ fill: color-mix(in srgb, {MOTIF.colour} 26%, var(--paper)); stroke: {MOTIF.colour}; }}
.network .node.other {{ fill: color-mix(in srgb, {OTHER_MOTIF.colour} 12%, var(--paper));
  stroke: {OTHER_MOTIF.colour}; }}
.network .node.motif.hollow, .network .node.other.hollow {{ fill: var(--paper); }}
.network .node.start {{ fill: {START.colour}; }}
.network .ring {{ fill: none; stroke: {START.colour}; pointer-events: none; }}
.network .cross {{ fill: none; stroke: {MISTAKE.colour}; stroke-linecap: round; pointer-events: none; }}
.network text {{ fill: var(--st-text-color, #222); text-anchor: middle; dominant-baseline: central;
  pointer-events: none; user-select: none; }}
.network .node.word {{ fill: var(--paper); fill-opacity: .85; stroke: none; }}
.network .underline {{ fill: none; stroke: var(--st-primary-color, {FOUND.colour}); stroke-width: 3.4;
  stroke-linecap: round; }}
.network .plate {{ fill: var(--paper); }}
.network text.beneath {{ paint-order: stroke; stroke: var(--st-background-color, #fff); stroke-width: 0.25em; }}
.network text.start {{ fill: #fff; font-weight: 700; }}
""" + "".join(
    f".network .node.{element} {{ fill: {colour}; }}\n.network text.{element} {{ fill: {text_on(colour)}; }}\n"
    for element, colour in ELEMENTS.items()
)
"""Style sheet for the pictures; follows the theme of the page through Streamlit's CSS variables."""


def network_svg(network: Network) -> str:
    """Draw a network."""
    if network.sentence and len(network.nodes):
        return sentence_svg(network)
    points = network.points
    shown = np.ones(len(points), dtype=bool) if network.shown is None else network.shown
    if not shown.any():
        return '<svg xmlns="http://www.w3.org/2000/svg" class="network" viewBox="0 0 10 10" role="img"></svg>'
    framed = points[shown if network.framed is None else network.framed]
    low, high = framed.min(0), framed.max(0)
    extent = np.maximum(high - low, 1e-9)
    share, least, most = network.radius
    gap = share * _typical_gap(framed)  # a node's radius in edge lengths
    unit = float(min(max(network.unit, most / gap), *(np.array(network.size) / extent)))
    radius = float(np.clip(gap * unit, least, most))
    thin = float(np.clip(radius / 10, 0.3, 1.0))  # lines go with the nodes
    pad = radius * 2.2 + 4
    x = (points[:, 0] - low[0]) * unit + pad
    y = (high[1] - points[:, 1]) * unit + pad
    width, height = (high - low) * unit + 2 * pad
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="network" viewBox="0 0 {width:.1f} {height:.1f}"'
        f' role="img" aria-label={quoteattr(network.title)}>'
    ]
    parts += [_edge_path(group, x, y, unit, thin) for group in network.edges if group.ends.size]
    for group in network.edges:
        parts += [_edge_text(group.text, x[ends].mean(), y[ends].mean()) for ends in group.ends.T if group.text]
    labels = shown.sum() <= MAX_LABELLED
    drawn = [node for node, visible in zip(zip(network.nodes, x, y, strict=True), shown, strict=True) if visible]
    placed = sorted(drawn, key=lambda node: "start" in node[0].styles)  # on top
    parts += [_node(mark, float(px), float(py), radius * mark.scale, labels) for mark, px, py in placed]
    arm = radius * 1.25
    parts += [
        f'<path class="cross" stroke-width="{max(1.2, radius * 0.45):.1f}" d="M{x[i] - arm:.1f} {y[i] - arm:.1f}'
        f"l{2 * arm:.1f} {2 * arm:.1f}M{x[i] + arm:.1f} {y[i] - arm:.1f}l{-2 * arm:.1f} {2 * arm:.1f}" + '"/>'
        for i in network.crossed
    ]
    return "".join([*parts, "</svg>"])


_CELLS = 1 << 20  # distances that are computed at a time


def _typical_gap(points: Points) -> float:
    """Distance to the nearest node, ignoring the most crowded quarter."""
    if len(points) < 2:
        return 1.0
    x, y = points.T
    nearest = np.empty(len(points))
    rows = max(1, _CELLS // len(points))
    for start in range(0, len(points), rows):
        part = np.arange(start, min(start + rows, len(points)))
        apart = (x[part, None] - x) ** 2 + (y[part, None] - y) ** 2  # [rows, n]
        apart[np.arange(len(part)), part] = np.inf
        nearest[part] = np.sqrt(apart.min(axis=1))
    return max(float(np.quantile(nearest, 0.25)), 1e-6)


def _edge_path(group: EdgeGroup, x: NDArray[np.float64], y: NDArray[np.float64], unit: float, thin: float) -> str:
    first, second = group.ends
    segments = np.stack([x[first], y[first], x[second], y[second]], axis=1)  # [e, 4]
    if group.orders is not None:
        segments = _bond_lines(segments, group.orders, unit)
    lines = "".join(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for a, b, c, d in segments.tolist())
    dashes = f' stroke-dasharray="{group.dashes}"' if group.dashes else ""
    return f'<path class="edge {group.style}" stroke-width="{group.width * thin:.2g}"{dashes} d="{lines}"/>'


def _edge_text(text: str, x: float, y: float) -> str:
    plate = f'<rect class="plate" x="{x - 16:.1f}" y="{y - 8.5:.1f}" width="32" height="17" rx="8"/>'
    return f'{plate}<text x="{x:.1f}" y="{y:.1f}" font-size="11.5">{escape(text)}</text>'


def _bond_lines(segments: NDArray[np.float64], orders: Ints, unit: float) -> NDArray[np.float64]:
    """One, two or three parallel lines for each bond."""
    along = segments[:, 2:] - segments[:, :2]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    across *= 0.1 * unit / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    shifts = {1: (0.0,), 2: (-0.5, 0.5), 3: (-1.0, 0.0, 1.0)}
    lines = [
        line + shift * np.concatenate([side, side])
        for line, side, order in zip(segments, across, orders, strict=True)
        for shift in shifts.get(int(order), (0.0,))
    ]
    return np.array(lines).reshape(-1, 4)


def _node(mark: NodeMark, x: float, y: float, radius: float, labels: bool) -> str:
    rim = min(2.6, max(0.8, radius * 0.2)) if "motif" in mark.styles else min(1.3, max(0.5, radius * 0.12))
    dashes = f' stroke-dasharray="{radius * 0.25:.1f}"' if "other" in mark.styles else ""
    shared = (
        f'class="{" ".join(("node", *mark.styles))}" data-node="{mark.id}" data-tip={quoteattr(mark.tip)}'
        f' stroke-width="{rim:.1f}"{dashes}'
    )
    parts = [shape(mark.symbol, x, y, radius, shared)]
    for role in (role for role in mark.styles if role in _RINGS):
        wide = radius * _RINGS[role]
        parts.append(f'<circle class="ring {role}" cx="{x:.1f}" cy="{y:.1f}" r="{wide:.1f}" stroke-width="2"/>')
    if mark.label and labels and radius >= 5:
        name = len(mark.label) > _INSIDE  # it would be too small to be read
        size = radius * 0.8 if name else min(radius * 1.05, radius * 2.9 / max(len(mark.label), 1))
        styles, down = (("beneath",), radius * 1.25 + size / 2) if name else (mark.styles, 0.0)
        parts.append(
            f'<text class="{" ".join(styles)}" x="{x:.1f}" y="{y + down:.1f}" font-size="{size:.1f}">'
            f"{escape(mark.label)}</text>"
        )
    return "".join(parts)


_RINGS = {"start": 1.45, "alone": 1.45, "cut": 1.75}  # how wide a ring is that says a role, in radii
_INSIDE = 4  # letters that are written on a node; longer names stand beneath it
_CORNERS = {"square": (4, 45.0), "diamond": (4, 0.0), "pentagon": (5, -90.0)}


def shape(symbol: str, x: float, y: float, radius: float, attributes: str) -> str:
    """One node symbol of about the area of a circle with this radius."""
    if symbol not in _CORNERS:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {attributes}/>'
    count, turn = _CORNERS[symbol]
    reach = radius * 1.22
    corners = [math.radians(turn + 360 * corner / count) for corner in range(count)]
    path = "L".join(f"{x + reach * math.cos(a):.1f} {y + reach * math.sin(a):.1f}" for a in corners)
    return f'<path d="M{path}Z" {attributes}/>'
