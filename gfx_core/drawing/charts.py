"""Charts of data sets, GNNs and benchmarks. Plotly is imported inside, so that pages without a chart open faster."""

import html
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.graph import GraphDataset
from gfx_core.drawing.colours import CLASS_COLOURS, CLASS_SYMBOLS, PARENT, PLAIN, START

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_GUIDE = {"color": PLAIN.colour, "width": 1, "dash": "dot"}  # where chance is, or where sure is as often right


def _chart(height: int, x: dict[str, Any], y: dict[str, Any], **layout: Any) -> "Figure":
    """An empty chart with its axes, and room for a legend above them."""
    import plotly.graph_objects as go

    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    margin = {"l": 10, "r": 10, "t": 10, "b": 10}
    return go.Figure(
        layout={"height": height, "margin": margin, "legend": legend, "dragmode": False, "xaxis": x, "yaxis": y}
        | layout
    )


# Every graph of a task as a point.


_TICKS = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)


def _log_odds(share: NDArray[np.floating] | Sequence[float]) -> NDArray[np.float64]:
    clipped = np.clip(np.asarray(share, dtype=np.float64), _TICKS[0], _TICKS[-1])
    return np.log(clipped / (1 - clipped))


def graph_map(
    dataset: GraphDataset, probabilities: NDArray[np.floating], classes: Sequence[str], selected: int | None = None
) -> "Figure":
    """Every graph of a two-class graph task as a point: how large it is, and what a GNN makes of it.

    Args:
        dataset: The graphs.
        probabilities: The GNN's class probabilities. [G, 2]
        classes: Names of the two classes.
        selected: A graph to ring.
    """
    names = [html.escape(name.replace("%{", "% {"), quote=False) for name in classes]  # a name is no template either
    sizes, ids = np.diff(dataset.ptr), np.arange(dataset.num_graphs)
    by_size = sizes.min() < sizes.max()
    nudge = np.random.RandomState(0).uniform(-0.35, 0.35, size=len(ids))  # equal sizes would hide one another
    x, y = sizes + nudge if by_size else ids, _log_odds(probabilities[:, 1])
    across = {"title": "nodes in the graph", "type": "log"} if by_size else {"title": "graph"}
    labels = {"tickvals": _log_odds(_TICKS), "ticktext": [f"{100 * tick:g} %" for tick in _TICKS]}
    upwards = {"title": f"GNN’s probability of {names[1]}", "zeroline": False, **labels}
    figure = _chart(430, across | {"zeroline": False, "showgrid": False}, upwards, dragmode="pan", hovermode="closest")
    figure.add_hline(y=0, line=_GUIDE)
    opaque = {"marker": {"opacity": 0.65}}
    for label, name in enumerate(names):
        members = np.flatnonzero(dataset.y == label)
        figure.add_scatter(
            x=x[members],
            y=y[members],
            mode="markers",
            name=f"true class: {name}",
            marker={"color": CLASS_COLOURS[label], "symbol": CLASS_SYMBOLS[2 * label], "size": 7, "opacity": 0.65},
            selected=opaque,
            unselected=opaque,
            customdata=np.stack([members, sizes[members], 100 * probabilities[members, 1]], axis=1).tolist(),
            hovertemplate=f"Graph %{{customdata[0]:d}} · {name} · %{{customdata[1]:d}} nodes<br>"
            f"GNN: %{{customdata[2]:.1f}} % {names[1]}<extra></extra>",
        )
    if selected is not None:
        ring = {"symbol": "circle-open", "size": 18, "color": START.colour, "line": {"width": 3}}
        at = {"x": x[[selected]], "y": y[[selected]]}
        figure.add_scatter(**at, mode="markers", name="shown above", marker=ring, hoverinfo="skip")
    return figure


# One number of every explainer as dots on a line.


OWN = "gflowexplainer"
_DOTS: dict[str, dict[str, Any]] = {
    "each seed": {"symbol": "line-ns-open", "size": 16, "line": {"width": 2}},  # longer than the marks over it
    "GFlowExplainer": {"symbol": "triangle-up", "size": 15, "color": START.colour},
    "asks the GNN": {"symbol": "circle", "size": 11, "color": PARENT.colour},
    "a control, which cannot know its reasons": {"symbol": "square", "size": 10, "color": PLAIN.colour},
}


def dots_by_method(values: Mapping[str, Sequence[float]], labels: Mapping[str, str], quantity: str) -> "Figure":
    """A line for each method: a dot for each seed, a mark for the mean.

    Args:
        values: Shares, one for each seed, by method; one half is what chance gives.
        labels: What the methods are called, in the order in which they are shown.
        quantity: What the numbers are.
    """
    seeds, own, gnn, control = _DOTS
    dots = defaultdict[str, list[tuple[float, str, str]]](list)
    methods = {name: label for name, label in labels.items() if name in values}
    for name, label in methods.items():
        numbers = values[name]
        dots[seeds] += [(number, label, "") for number in numbers]
        if numbers:
            mean, several = statistics.fmean(numbers), f", the mean of {len(numbers)}" * (len(numbers) > 1)
            kind = own if name == OWN else gnn if name in METHODS and METHODS[name].uses_gnn else control
            dots[kind].append((mean, label, f"{label}: {mean:.3f}{several}"))
    order = {"categoryorder": "array", "categoryarray": [*methods.values()][::-1], "showgrid": True, "automargin": True}
    figure = _chart(150 + 30 * len(methods), {"title": quantity, "zeroline": False}, order)
    figure.add_vline(x=0.5, line=_GUIDE)
    for kind, marker in _DOTS.items():
        if kind in dots:
            x, y, tips = zip(*dots[kind], strict=True)
            tip = {"hoverinfo": "skip"} if kind == seeds else {"hovertext": tips, "hoverinfo": "text"}
            figure.add_scatter(x=x, y=y, mode="markers", name=kind, marker=marker, **tip)
    return figure


# Lesson 7: log Z of each start node, and distances over the training steps


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers of one thing, and how they are drawn.

    Attributes:
        name: In the legend.
        colour: Of its mark.
        mark: A dash of Plotly's for a curve; a symbol for single numbers, or ``line`` for one that all share.
        values: The numbers.
    """

    name: str
    colour: str
    mark: str
    values: Sequence[float] | NDArray[np.float64]


LEAST_SPAN = 0.5
"""Of levels: what differs by less is drawn close together."""


def levels_figure(names: Sequence[str], exact: Sequence[float], learned: Sequence[Series]) -> "Figure":
    """Several learned values for each of a few things, with a thick bar where each should be.

    Args:
        names: Of the things. [k]
        exact: What is true of each. [k]
        learned: Series of as many numbers. [k]
    """
    levels = np.concatenate([exact, *(series.values for series in learned)])
    middle, reach = (levels.min() + levels.max()) / 2, 0.55 * max(np.ptp(levels), LEAST_SPAN)
    places = np.arange(len(names))
    axis = {"title": "start node", "tickvals": places, "ticktext": list(names)}
    figure = _chart(270, axis, {"title": "log Z", "range": [middle - reach, middle + reach]})
    bar = {"symbol": "line-ew", "size": 44 if len(names) < 4 else 26, "line": {"width": 7, "color": PLAIN.colour}}
    figure.add_scatter(x=places, y=exact, name="the truth", mode="markers", marker=bar, opacity=0.55)
    beside = [series.name for series in learned if series.mark != "line"]
    for series in learned:
        if series.mark == "line":
            across = {"x": [-0.45, len(names) - 0.55], "y": [series.values[0]] * 2, "mode": "lines"}
            figure.add_scatter(**across, name=series.name, line={"color": series.colour, "dash": "dot", "width": 3})
        else:
            marker = {"color": series.colour, "symbol": series.mark, "size": 11}
            nudge = 0.14 * (beside.index(series.name) - (len(beside) - 1) / 2)  # equal ones would hide one another
            figure.add_scatter(x=places + nudge, y=series.values, name=series.name, mode="markers", marker=marker)
    return figure


def curves_figure(steps: Sequence[int], curves: Sequence[Series], last: int) -> "Figure":
    """Numbers from 0 to 1 over the training steps, as far as they go, by powers of ten, down to the least of them.

    Args:
        steps: Of all numbers that there may be.
        curves: Series of as many numbers, or fewer.
        last: The step at which the training ends.
    """
    least = min([1e-4, *(value for curve in curves for value in curve.values if value > 0)])
    powers = {"type": "log", "range": [math.floor(math.log10(least)), 0], "dtick": 1, "tickformat": "~g"}
    figure = _chart(270, {"title": "training step", "range": [0, last]}, powers)
    for curve in curves:
        line = {"color": curve.colour, "dash": curve.mark, "width": 3}
        figure.add_scatter(x=steps[: len(curve.values)], y=curve.values, name=curve.name, mode="lines", line=line)
    return figure
