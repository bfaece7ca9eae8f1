"""Curves of the benchmark studies. Plotly is imported inside, as in all charts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gfx_core.datasets.registry import dataset_info
from gfx_core.drawing.colours import CUT_VERTEX, FRONTIER, MISTAKE, MOTIF, PARENT, PLAIN, START

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HUES = tuple(role.colour for role in (START, PARENT, MOTIF, FRONTIER, MISTAKE, CUT_VERTEX, PLAIN))
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SAMPLE_PX = 56  # of a legend's lines: shorter ones show less than one period of the longest dashes
_MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")

Curves = Mapping[str, Mapping[tuple[str, str], Mapping[str, Sequence[float]]]]
"""Columns of numbers by data set and by what a line is called: a name, and a variant of it or nothing."""


@dataclass(frozen=True)
class Axes:
    """What is drawn against what.

    Attributes:
        x: The column to the right.
        x_title: What people call it.
        rows: Titles of the columns upwards, a row of panels for each.
        points: Whether each number has a mark; otherwise lines without a variant differ by dash.
        hover: What a point says; the column ``epoch`` is its data.
        shared: Whether all data sets have one scale. (They differ in how long they take and in their rewards.)
        variants: Whether each variant is a line of its own.
        logarithmic: Which of the columns.
    """

    x: str
    x_title: str
    rows: Mapping[str, str]
    points: bool = False
    hover: str | None = None
    shared: bool = False
    variants: bool = False
    logarithmic: Sequence[str] = ()


def curve_panels(curves: Curves, axes: Axes) -> "Figure":
    """A column for each data set, a row for each quantity, and in each a line of one look for each name and variant."""
    from plotly.subplots import make_subplots

    titles = [dataset_info(name).title for name in curves]
    figure = make_subplots(
        len(axes.rows),
        max(1, len(titles)),
        shared_xaxes="columns",
        shared_yaxes="rows" if axes.shared else False,
        column_titles=titles or None,
    )
    names = [name for lines in curves.values() for name in lines]
    hue, dash = (_order(part) for part in zip(*names, strict=True)) if names else ({}, {})
    shown: set[tuple[str, str]] = set()
    for column, lines in enumerate(curves.values(), start=1):
        for (name, variant), curve in lines.items():
            number, label = hue[name], f"{name} ({variant})" if variant else name
            style = 0 if axes.points else dash[variant] if variant else number
            look: dict[str, Any] = {
                "name": label,
                "legendgroup": label,
                "mode": "lines+markers" if axes.points else "lines",
                "line": {"color": _HUES[number % len(_HUES)], "dash": _DASHES[style % len(_DASHES)]},
                "marker": {"symbol": _MARKS[number % len(_MARKS)]},
                "hovertemplate": axes.hover,
                "customdata": curve.get("epoch"),
            }
            for row, quantity in enumerate(axes.rows, start=1):
                if quantity not in curve:  # not every line has every quantity
                    continue
                look["showlegend"] = (name, variant) not in shown
                figure.add_scatter(x=list(curve[axes.x]), y=list(curve[quantity]), **look, row=row, col=column)
                shown.add((name, variant))
    figure.update_xaxes(title=axes.x_title, row=len(axes.rows))
    figure.update_xaxes(type="log" if axes.x in axes.logarithmic else "linear")
    for row, (quantity, title) in enumerate(axes.rows.items(), start=1):
        figure.update_yaxes(title=title, row=row, col=1)
        figure.update_yaxes(type="log" if quantity in axes.logarithmic else "linear", row=row)
    legend = {"orientation": "h", "y": -0.2 / len(axes.rows), "itemwidth": SAMPLE_PX}
    return figure.update_layout(height=160 + 240 * len(axes.rows), legend=legend)


def _order(names: Iterable[str]) -> dict[str, int]:
    """A number for each different name, as they come: the same hue, dash or mark in every panel."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
