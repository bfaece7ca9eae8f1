"""Small standalone pictures of motifs, for cards: mid-tones that read on light and on dark."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from gfx_core.datasets.info import Motif
from gfx_core.drawing.colours import ELEMENTS, MOTIF, PLAIN, text_on

_SIDE, _PAD, _GAP, _RADIUS = 64.0, 12.0, 28.0, 7.5
_SHOWN = 0.8  # the picture's own size, as a share of its coordinates


def motif_svg(motifs: Sequence[Motif], *, hollow_twin: bool = False) -> str:
    """Draw motifs side by side.

    Args:
        motifs: What to draw.
        hollow_twin: Repeat them with hollow nodes, as the second half of many classes is drawn everywhere.
    """
    drawn = [(motif, hollow) for hollow in ((False, True) if hollow_twin else (False,)) for motif in motifs]
    width = len(drawn) * (_SIDE + _GAP) - _GAP + 2 * _PAD
    height = _SIDE + 2 * _PAD
    names = " and ".join(motif.name for motif in motifs)
    content = "".join(
        _one(motif, _PAD + number * (_SIDE + _GAP), hollow) for number, (motif, hollow) in enumerate(drawn)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width * _SHOWN:g}"'
        f' height="{height * _SHOWN:g}" role="img" aria-label={quoteattr(names)}>{content}</svg>'
    )


def sentence_icon() -> str:
    """A sentence whose reasons nobody knows: words on a line, arcs above them, two of them underlined."""
    width, height = 4 * _SIDE, _SIDE + 2 * _PAD
    line = _SIDE - 2
    boxes = [(12.0, 34.0), (54.0, 44.0), (106.0, 30.0), (144.0, 56.0), (208.0, 34.0)]  # left end and width of each
    middle = [left + wide / 2 for left, wide in boxes]
    arcs = [(0, 1, 16.0), (1, 3, 36.0), (2, 3, 18.0), (3, 4, 20.0)]
    held, kept = {2, 3}, (2, 3, 18.0)
    parts = []
    for first, second, high in arcs:
        x, u, y = middle[first] + 3, middle[second] - 3, line - 12
        look = (MOTIF.colour, 4) if (first, second, high) == kept else (PLAIN.colour, 2.5)
        parts.append(
            f'<path d="M{x:.1f} {y}C{x:.1f} {y - high * 4 / 3:.1f} {u:.1f} {y - high * 4 / 3:.1f} {u:.1f} {y}"'
            f' stroke="{look[0]}" stroke-width="{look[1]}" fill="none"/>'
        )
    for number, (left, wide) in enumerate(boxes):
        fill = MOTIF.colour if number in held else PLAIN.colour
        parts.append(f'<rect x="{left}" y="{line - 8}" width="{wide}" height="14" rx="5" fill="{fill}"/>')
    under = f'<path d="M{boxes[2][0]} {line + 14}H{sum(boxes[3])}" stroke="{MOTIF.colour}" stroke-width="4"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width * _SHOWN:g}"'
        f' height="{height * _SHOWN:g}" role="img" aria-label="a sentence">{"".join([*parts, under])}</svg>'
    )


def _one(motif: Motif, left: float, hollow: bool) -> str:
    points = [(left + x * _SIDE, _PAD + (1 - y) * _SIDE) for x, y in motif.positions]
    parts = []
    if motif.labels[0]:  # an atom group: the bond to the rest of the molecule
        x, y = points[0]
        stub = f"M{x:.1f} {y:.1f}L{x:.1f} {_SIDE + 2 * _PAD - 2:.1f}"
        parts.append(f'<path d="{stub}" stroke="{PLAIN.colour}" stroke-width="2.5" stroke-dasharray="3 3"/>')
    radius = _RADIUS + 3 if motif.labels[0] else _RADIUS
    for i, j in motif.edges:
        parts.append(_edge(points[i], points[j], radius if hollow else 0.0))
    for (x, y), label in zip(points, motif.labels, strict=True):
        fill = ELEMENTS.get(label, MOTIF.colour)
        if hollow:
            look = f'r="{radius - 1.25:g}" fill="none" stroke="{fill}" stroke-width="2.5"'
        else:
            look = f'r="{radius:g}" fill="{fill}"'
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" {look}/>')
        if label:
            parts.append(
                f'<text x="{x:.1f}" y="{y:.1f}" fill="{text_on(fill)}" font-family="sans-serif" font-size="12"'
                f' font-weight="600" text-anchor="middle" dominant-baseline="central">{escape(label)}</text>'
            )
    return "".join(parts)


def _edge(start: tuple[float, float], end: tuple[float, float], trim: float) -> str:
    """A line between two nodes, cut short by ``trim`` at both ends so that it does not show in hollow nodes."""
    (x, y), (u, v) = start, end
    share = trim / ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    dx, dy = (u - x) * share, (v - y) * share
    line = f"M{x + dx:.1f} {y + dy:.1f}L{u - dx:.1f} {v - dy:.1f}"
    return f'<path d="{line}" stroke="{MOTIF.colour}" stroke-width="4" stroke-linecap="round" fill="none"/>'
