"""Charts of data sets, GNNs and benchmarks. Plotly is imported inside, so that pages without a chart open faster."""

import html
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.graph import GraphDataset
from gfx_core.drawing.colours import (
    CLASS_COLOURS,
    CLASS_SYMBOLS,
    PARENT,
    PLAIN,
    START,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_TICKS = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)


def _log_odds(share: NDArray[np.floating]) -> NDArray[np.float64]:
    clipped = np.clip(np.asarray(share, dtype=np.float64), _TICKS[0], _TICKS[-1])
    return np.log(clipped / (1 - clipped))


def _size_ticks(sizes: NDArray[np.integer]) -> list[int]:
    """Sizes to write on an axis: round ones, or where graphs are much of a size, some of those that there are."""
    low, high = int(sizes.min()), int(sizes.max())
    round_ones = [tick for tick in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if low <= tick <= high]
    return round_ones if len(round_ones) > 2 else np.unique(np.linspace(low, high, 6).round().astype(int)).tolist()


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
    import plotly.graph_objects as go

    names = [html.escape(name.replace("%{", "% {"), quote=False) for name in classes]  # a name is no template either
    sizes = np.diff(dataset.ptr)
    ids = np.arange(dataset.num_graphs)
    by_size = len(np.unique(sizes)) > 1
    nudge = np.random.RandomState(0).uniform(-0.35, 0.35, size=len(ids))  # equal sizes would hide one another
    x = sizes + nudge if by_size else ids.astype(float)
    y = _log_odds(probabilities[:, 1])
    figure = go.Figure()
    figure.add_hline(y=0, line={"color": PLAIN.colour, "width": 1, "dash": "dash"})
    for label, name in enumerate(names):
        chosen = np.flatnonzero(dataset.y == label)
        figure.add_scatter(
            x=x[chosen],
            y=y[chosen],
            mode="markers",
            name=f"true class: {name}",
            marker={"color": CLASS_COLOURS[label], "symbol": CLASS_SYMBOLS[2 * label], "size": 7, "opacity": 0.65},
            selected={"marker": {"opacity": 0.65}},
            unselected={"marker": {"opacity": 0.65}},
            customdata=np.stack([chosen, sizes[chosen], 100 * probabilities[chosen, 1]], axis=1).tolist(),
            hovertemplate=f"Graph %{{customdata[0]:d}} · {name} · %{{customdata[1]:d}} nodes<br>"
            f"GNN: %{{customdata[2]:.1f}} % {names[1]}<extra></extra>",
        )
    if selected is not None:
        ring = {"symbol": "circle-open", "size": 18, "color": START.colour, "line": {"width": 3}}
        figure.add_scatter(
            x=x[[selected]], y=y[[selected]], mode="markers", name="shown above", marker=ring, hoverinfo="skip"
        )
    figure.update_layout(
        height=430,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": -0.2, "x": 0},
        dragmode="pan",
        hovermode="closest",
        xaxis={
            "title": "nodes in the graph" if by_size else "graph",
            "type": "log" if by_size else "linear",
            "tickvals": _size_ticks(sizes) if by_size else None,
            "zeroline": False,
            "showgrid": False,
        },
        yaxis={
            "title": f"GNN’s probability of {names[1]}",
            "tickvals": _log_odds(np.array(_TICKS)).tolist(),
            "ticktext": [f"{100 * tick:g} %" for tick in _TICKS],
            "zeroline": False,
        },
    )
    return figure


# One number of every explainer as dots on a line.


OWN = "gflowexplainer"

_TICK = {"symbol": "line-ns-open", "size": 16, "line": {"width": 2}}  # longer than the marks that lie over it
_HOLLOW = {"symbol": "diamond-open", "size": 10, "color": PLAIN.colour, "line": {"width": 2}}


def dots_by_method(
    values: Mapping[str, Sequence[float]],
    paper: Mapping[str, float],
    labels: Mapping[str, str],
    quantity: str,
    title: str,
) -> "Figure":
    """A line for each method: a dot for each seed, a mark for the mean, the paper's figure hollow.

    Args:
        values: Shares, one for each seed, by method; one half is what chance gives.
        paper: The paper's figures, by method.
        labels: What the methods are called, in the order in which they are shown.
        quantity: What the numbers are.
        title: What they are of.
    """
    from plotly.subplots import make_subplots

    names = [name for name in labels if name in values]
    figure = make_subplots(1, 1, column_titles=[title])
    figure.add_vline(x=0.5, line={"color": PLAIN.colour, "width": 1, "dash": "dot"})
    for method in names:
        seeds, label = list(values[method]), labels[method]
        if seeds:
            mark, mean = _mark(method), statistics.fmean(seeds)
            hover = f"{label}: {mean:.3f}" + f", the mean of {len(seeds)}" * (len(seeds) > 1)
            tick = _TICK | {"color": mark["color"]}
            figure.add_scatter(x=seeds, y=[label] * len(seeds), **_dots(tick))
            figure.add_scatter(x=[mean], y=[label], **_dots(mark, hover))
        if method in paper:
            hover = f"{label} in the paper: {paper[method]:.3f}"
            figure.add_scatter(x=[paper[method]], y=[label], **_dots(_HOLLOW, hover))
    for words, marker in _legend(names, paper).items():
        figure.add_scatter(x=[None], y=[None], mode="markers", name=words, marker=marker)
    shown = [labels[name] for name in names]
    figure.update_yaxes(categoryorder="array", categoryarray=shown[::-1], showgrid=True, automargin=True)
    figure.update_xaxes(title=quantity, zeroline=False)
    figure.update_layout(
        height=150 + 30 * len(shown),
        legend={"orientation": "h", "y": -70 / (60 + 30 * len(shown))},
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        dragmode=False,
    )
    return figure


def _legend(names: Sequence[str], paper: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """What the marks that are there mean, each drawn as in the plot."""
    kinds = {
        "GFlowExplainer": [name for name in names if name == OWN],
        "asks the GNN": [name for name in names if name != OWN and name in METHODS and METHODS[name].uses_gnn],
        "a control, which cannot know its reasons": [
            name for name in names if name not in METHODS or not METHODS[name].uses_gnn
        ],
    }
    marks = {words: _mark(some[0]) for words, some in kinds.items() if some}
    if marks:
        marks["each seed"] = _TICK | {"color": PLAIN.colour}
    return marks | ({"the paper’s figure, for its own GNNs": _HOLLOW} if set(names) & set(paper) else {})


def _mark(method: str) -> dict[str, Any]:
    """GFlowExplainer stands out; what cannot know the GNN's reasons is a grey square."""
    if method == OWN:
        return {"symbol": "triangle-up", "size": 15, "color": START.colour}
    if method in METHODS and METHODS[method].uses_gnn:
        return {"symbol": "circle", "size": 11, "color": PARENT.colour}
    return {"symbol": "square", "size": 10, "color": PLAIN.colour}


def _dots(marker: dict[str, Any], hover: str = "") -> dict[str, Any]:
    tip = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"mode": "markers", "marker": marker, "showlegend": False} | tip


# Reliability diagrams: how often GNNs are right against how sure they are.


_LARGEST = 26


def reliability_figure(title: str, bins: Mapping[str, Sequence[float]]) -> "Figure":
    """Right against sure; the area of a mark is the share of the cases.

    Args:
        title: Of the GNN.
        bins: Its ``confidence``, ``accuracy`` and ``count``, by how sure it is.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    straight = {"x": [0, 1], "y": [0, 1], "mode": "lines", "hoverinfo": "skip", "showlegend": False}
    figure.add_scatter(**straight, line={"color": PLAIN.colour, "dash": "dot", "width": 1})
    most = max(bins["count"])
    marks = [6 + (_LARGEST - 6) * (count / most) ** 0.5 for count in bins["count"]]
    figure.add_scatter(
        x=list(bins["confidence"]),
        y=list(bins["accuracy"]),
        customdata=list(bins["count"]),
        name=title,
        mode="lines+markers",
        line={"color": PARENT.colour},
        marker={"size": marks, "symbol": "circle", "color": PARENT.colour, "opacity": 0.75},
        hovertemplate=f"{title}: %{{x:.2f}} sure, %{{y:.2f}} right, %{{customdata:,}} cases<extra></extra>",
        showlegend=True,
    )
    room = {"range": [-0.15, 1.15], "zeroline": False}  # for a whole mark at 0 or 1
    figure.update_xaxes(**room, title="how sure the GNN is")
    figure.update_yaxes(**room, title="how often it is right")
    return figure.update_layout(
        height=380,
        margin={"l": 10, "r": 10, "t": 20, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        dragmode=False,
    )


# Accumulated time of 𝒵 against searches for the cut vertices, and in words who wins where.


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
    import plotly.graph_objects as go

    figure, places = go.Figure(), np.arange(len(names))
    bar = {"symbol": "line-ew", "size": 44 if len(names) < 4 else 26, "line": {"width": 7, "color": PLAIN.colour}}
    figure.add_scatter(x=places, y=list(exact), name="the truth", mode="markers", marker=bar, opacity=0.55)
    beside = [series.name for series in learned if series.mark != "line"]
    for series in learned:
        if series.mark == "line":
            across = {"x": [-0.45, len(names) - 0.55], "y": [series.values[0]] * 2, "mode": "lines"}
            figure.add_scatter(**across, name=series.name, line={"color": series.colour, "dash": "dot", "width": 3})
        else:
            marker = {"color": series.colour, "symbol": series.mark, "size": 11}
            nudge = 0.14 * (beside.index(series.name) - (len(beside) - 1) / 2)  # equal ones would hide one another
            figure.add_scatter(x=places + nudge, y=list(series.values), name=series.name, mode="markers", marker=marker)
    axis = {"title": "start node", "tickvals": places, "ticktext": list(names)}
    levels = np.concatenate([np.asarray(exact), *(np.asarray(series.values) for series in learned)])
    middle, reach = (levels.min() + levels.max()) / 2, 0.55 * max(np.ptp(levels), LEAST_SPAN)
    figure.update_layout(xaxis=axis, yaxis={"title": "log Z", "range": [middle - reach, middle + reach]})
    return _small(figure)


def curves_figure(steps: Sequence[int], curves: Sequence[Series], last: int) -> "Figure":
    """Numbers from 0 to 1 over the training steps, as far as they go, by powers of ten, down to the least of them.

    Args:
        steps: Of all numbers that there may be.
        curves: Series of as many numbers, or fewer.
        last: The step at which the training ends.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for curve in curves:
        line = {"color": curve.colour, "dash": curve.mark, "width": 3}
        x = list(steps[: len(curve.values)])
        figure.add_scatter(x=x, y=list(curve.values), name=curve.name, mode="lines", line=line)
    some = [value for curve in curves for value in curve.values if value > 0]
    lowest = math.floor(math.log10(min([1e-4, *some])))
    figure.update_layout(
        xaxis={"title": "training step", "range": [0, last]},
        yaxis={"type": "log", "range": [lowest, 0], "dtick": 1, "tickformat": "~g"},
    )
    return _small(figure)


def _small(figure: "Figure") -> "Figure":
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    figure.update_layout(height=270, margin={"l": 10, "r": 10, "t": 10, "b": 10}, legend=legend)
    return figure
