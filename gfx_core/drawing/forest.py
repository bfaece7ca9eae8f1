"""A forest plot as SVG: on each line one number beside others, with how far each may move.

The kind of a mark is its shape, so that colour is never needed; the picture follows a light or a dark page.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gfx_core.drawing.colours import FOUND, MISTAKE, PLAIN
from gfx_core.drawing.templates import render

Kind = Literal["own", "other", "control"]

_LEFT, _RIGHT = 14, 446  # of the axis
_COLOURS = {"own": FOUND.colour, "other": MISTAKE.colour, "control": PLAIN.colour}


@dataclass(frozen=True)
class Mark:
    """One number on a line: whose it is, what it is, how far it may move, and of what kind its owner is."""

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
    numbers = [mark for _, marks in lines for mark in marks]
    low, high = min((mark.low for mark in numbers), default=0), max((mark.high for mark in numbers), default=1)
    step = 0.1 if high - low < 0.5 else 0.2
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)

    def at(value: float) -> float:
        return round(_LEFT + (value / step - first) / (last - first) * (_RIGHT - _LEFT), 1)

    return render(
        "pages/forest.svg",
        title=title,
        description=description(lines, title),
        colours=_COLOURS,
        legend={kind: words for kind, words in legend.items() if any(mark.kind == kind for mark in numbers)},
        ticks=[tick * step for tick in range(first, last + 1)],
        lines=lines,
        at=at,
    )


def description(lines: Sequence[tuple[str, Sequence[Mark]]], title: str) -> str:
    """The picture in words."""
    values = (
        f"{name}: " + ", ".join(f"{m.name} {m.value:.3f} ({m.low:.3f} to {m.high:.3f})" for m in marks)
        for name, marks in lines
    )
    return f"{title}. {'; '.join(values)}."
