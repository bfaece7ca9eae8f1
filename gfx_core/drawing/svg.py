"""SVG pictures of networks. Shape says a node's class, colour and rim its role; ``STYLE`` holds the colours.

A picture is a plain string in which every text is escaped. Each node carries its id in ``data-node`` and a
sentence about itself in ``data-tip``, so a page can make it clickable without knowing how it was drawn.
"""

import math
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.drawing.colours import ELEMENTS, FOUND, MISTAKE, MOTIF, OTHER_MOTIF, PLAIN, START, text_on
from gfx_core.drawing.marks import EdgeGroup, Network, NodeMark
from gfx_core.drawing.sentence_svg import sentence_svg
from gfx_core.layout import Points

__all__ = ["MAX_LABELLED", "STYLE", "EdgeGroup", "Network", "NodeMark", "network_svg", "shape"]

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
    labels = shown.sum() <= MAX_LABELLED
    drawn = [node for node, seen in zip(zip(network.nodes, x, y, strict=True), shown, strict=True) if seen]
    placed = sorted(drawn, key=lambda node: "start" in node[0].styles)  # on top
    parts += [
        _node(mark, float(px), float(py), radius * mark.scale, network.focusable, labels) for mark, px, py in placed
    ]
    arm = radius * 1.25
    parts += [
        f'<path class="cross" stroke-width="{max(1.2, radius * 0.45):.1f}" d="M{x[i] - arm:.1f} {y[i] - arm:.1f}'
        f"l{2 * arm:.1f} {2 * arm:.1f}M{x[i] + arm:.1f} {y[i] - arm:.1f}l{-2 * arm:.1f} {2 * arm:.1f}" + '"/>'
        for i in network.crossed
    ]
    return "".join([*parts, "</svg>"])


_FEW = 3000  # points whose distances are computed sooner than scipy is loaded
_CELLS = 1 << 20  # as many of them at a time


def _typical_gap(points: Points) -> float:
    """Distance to the nearest node, ignoring the most crowded quarter."""
    if len(points) < 2:
        return 1.0
    if len(points) <= _FEW:
        nearest = _nearest(points)
    else:
        from scipy.spatial import cKDTree

        nearest = np.asarray(cKDTree(points).query(points, k=2)[0])[:, 1]  # the first is the node itself
    return max(float(np.quantile(nearest, 0.25)), 1e-6)


def _nearest(points: Points) -> NDArray[np.float64]:
    """How far the nearest other point is from each, by looking at all of them. [n]"""
    x, y = points.T
    nearest = np.empty(len(points))
    rows = max(1, _CELLS // len(points))
    for start in range(0, len(points), rows):
        part = np.arange(start, min(start + rows, len(points)))
        apart = (x[part, None] - x) ** 2 + (y[part, None] - y) ** 2  # [rows, n]
        apart[np.arange(len(part)), part] = np.inf
        nearest[part] = np.sqrt(apart.min(axis=1))
    return nearest


def _edge_path(group: EdgeGroup, x: NDArray[np.float64], y: NDArray[np.float64], unit: float, thin: float) -> str:
    first, second = group.ends
    segments = np.stack([x[first], y[first], x[second], y[second]], axis=1)  # [e, 4]
    if group.orders is not None:
        segments = _bond_lines(segments, group.orders, unit)
    lines = "".join(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for a, b, c, d in segments.tolist())
    dashes = f' stroke-dasharray="{group.dashes}"' if group.dashes else ""
    return f'<path class="edge {group.style}" stroke-width="{group.width * thin:.2g}"{dashes} d="{lines}"/>'


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


def _node(mark: NodeMark, x: float, y: float, radius: float, focusable: bool, labels: bool) -> str:
    rim = min(2.6, max(0.8, radius * 0.2)) if "motif" in mark.styles else min(1.3, max(0.5, radius * 0.12))
    dashes = f' stroke-dasharray="{radius * 0.25:.1f}"' if "other" in mark.styles else ""
    focus = f' tabindex="0" role="button" aria-label={quoteattr(mark.tip)}' if focusable else ""
    shared = (
        f'class="{" ".join(("node", *mark.styles))}" data-node="{mark.id}" data-tip={quoteattr(mark.tip)}'
        f' stroke-width="{rim:.1f}"{dashes}{focus}'
    )
    parts = [shape(mark.symbol, x, y, radius, shared)]
    if "start" in mark.styles:
        parts.append(f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius * 1.45:.1f}" stroke-width="2"/>')
    if "cut" in mark.styles:
        parts.append(f'<circle class="ring cut" cx="{x:.1f}" cy="{y:.1f}" r="{radius * 1.75:.1f}" stroke-width="2"/>')
    if mark.label and labels and radius >= 5:
        name = len(mark.label) > _INSIDE  # it would be too small to be read
        size = radius * 0.8 if name else min(radius * 1.05, radius * 2.9 / max(len(mark.label), 1))
        styles, down = (("beneath",), radius * 1.25 + size / 2) if name else (mark.styles, 0.0)
        parts.append(
            f'<text class="{" ".join(styles)}" x="{x:.1f}" y="{y + down:.1f}" font-size="{size:.1f}">'
            f"{escape(mark.label)}</text>"
        )
    return "".join(parts)


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
