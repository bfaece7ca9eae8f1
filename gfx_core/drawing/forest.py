"""A forest plot as SVG: on each line one number beside others, with how far each may move.

Shape tells the kind of a mark, so that colour is never needed; the picture follows a light or a dark page.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from gfx_core.drawing.colours import FOUND, MISTAKE, PLAIN

Kind = Literal["own", "other", "control"]

_WIDTH, _LEFT, _RIGHT, _LINE, _HEAD = 460, 14, 446, 46, 26  # of the picture, its axis, a line, and what stands above
_STYLE = f"""
:root {{ color-scheme: light dark; font: 13px system-ui, sans-serif; }}
text {{ fill: light-dark(#222a3a, #e6e9f0); }}
.small {{ font-size: 11.5px; fill: light-dark(#566074, #aab3c5); }}
.name {{ font-weight: 600; }}
.grid {{ stroke: light-dark(#dfe4ee, #303848); }}
.own {{ color: light-dark({FOUND.colour}, #8f98ff); }}
.other {{ color: light-dark({MISTAKE.colour}, #ff9a4d); }}
.control {{ color: {PLAIN.colour}; }}
"""


@dataclass(frozen=True)
class Mark:
    """One number on a line: who has it, what it is, how far it may move, and of what kind its owner is."""

    name: str
    value: float
    low: float
    high: float
    kind: Kind = "other"


def forest_svg(lines: Sequence[tuple[str, Sequence[Mark]]], title: str, legend: dict[Kind, str]) -> str:
    """The picture.

    Args:
        lines: Of each its name and its marks.
        title: What the numbers are.
        legend: What each kind of mark is.
    """
    every = [mark for _, marks in lines for mark in marks]
    low, high = min((mark.low for mark in every), default=0), max((mark.high for mark in every), default=1)
    step = 0.1 if high - low < 0.5 else 0.2
    ticks = range(math.floor(low / step + 1e-9), max(math.ceil(high / step - 1e-9), math.floor(low / step) + 1) + 1)
    first, last = ticks[0] * step, ticks[-1] * step
    bottom = _HEAD + 20 + _LINE * len(lines)

    def at(value: float) -> float:
        return round(_LEFT + (value - first) / (last - first) * (_RIGHT - _LEFT), 1)

    shown = {kind: words for kind, words in legend.items() if kind in {mark.kind for mark in every}}
    parts = [f'<text class="name" x="{_LEFT}" y="16">{escape(title)}</text>', _legend(shown)]
    for tick in ticks:
        x = at(tick * step)
        parts.append(f'<path class="grid" d="M{x} {_HEAD + 20}V{bottom}"/>')
        parts.append(f'<text class="small" x="{x}" y="{bottom + 14}" text-anchor="middle">{tick * step:.1f}</text>')
    for number, (name, marks) in enumerate(lines):
        top = _HEAD + 20 + _LINE * number
        values = ", ".join(f"{mark.name} {mark.value:.2f}" for mark in marks if mark.kind != "control")
        if 8 * len(name) + 6.2 * len(values) > _RIGHT - _LEFT:  # the marks tell whose numbers they are
            values = ", ".join(f"{mark.value:.2f}" for mark in marks if mark.kind != "control")
        label = f'<tspan class="name">{escape(name)}</tspan><tspan class="small" dx="8">{escape(values)}</tspan>'
        parts.append(f'<text x="{_LEFT}" y="{top + 17}">{label}</text>')
        for place, mark in enumerate(marks):
            y = top + 27 + 6 * place
            whisker = f'<path d="M{at(mark.low)} {y}H{at(mark.high)}" stroke="currentColor" stroke-width="2"/>'
            parts.append(f'<g class="{mark.kind}">{whisker}{_shape(mark.kind, at(mark.value), y)}</g>')
    height = bottom + 22
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}">'
        f"<title>{escape(description(lines, title))}</title><style>{_STYLE}</style>{''.join(parts)}</svg>"
    )


def description(lines: Sequence[tuple[str, Sequence[Mark]]], title: str) -> str:
    """The same in words, for those who hear the page."""
    values = (
        f"{name}: " + ", ".join(f"{m.name} {m.value:.3f} ({m.low:.3f} to {m.high:.3f})" for m in marks)
        for name, marks in lines
    )
    return f"{title}. {'; '.join(values)}."


def _legend(kinds: dict[Kind, str]) -> str:
    parts, x = [], float(_LEFT + 6)
    for kind, words in kinds.items():
        parts.append(f'<g class="{kind}">{_shape(kind, x, _HEAD + 8)}</g>')
        parts.append(f'<text class="small" x="{x + 9}" y="{_HEAD + 12}">{escape(words)}</text>')
        x += 30 + 6.2 * len(words)
    return "".join(parts)


def _shape(kind: Kind, x: float, y: float) -> str:
    if kind == "own":
        return f'<circle cx="{x}" cy="{y}" r="5" fill="currentColor"/>'
    if kind == "other":
        return f'<path d="M{x} {y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z" fill="currentColor"/>'
    return f'<path d="M{x - 4.5} {y - 4.5}h9v9h-9z" fill="none" stroke="currentColor" stroke-width="1.6"/>'
