"""A network drawn as a sentence: its nodes are words in reading order, its edges arcs above them."""

from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from gfx_core.drawing.marks import EdgeGroup, Network, NodeMark
from gfx_core.text.typesetting import EM, HIGH, arc, box_width, runs, top_of

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
        _word(mark, at(place), 2 * half * UNIT, network.focusable)
        for mark, place, half in zip(network.nodes, points, halves, strict=True)
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


def _word(mark: NodeMark, place: NDArray[np.float64], width: float, focusable: bool) -> str:
    x, y = place
    high = HIGH * _LETTERS
    focus = f' tabindex="0" role="button" aria-label={quoteattr(mark.tip)}' if focusable else ""
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
        f' x="{x - width / 2:.1f}" y="{y - high / 2:.1f}" width="{width:.1f}" height="{high:.1f}" rx="5"{focus}/>'
        f'<text class="{" ".join(mark.styles)}" x="{x:.1f}" y="{y:.1f}" font-size="{_LETTERS:.1f}">'
        f"{escape(mark.label)}</text>"
    )
