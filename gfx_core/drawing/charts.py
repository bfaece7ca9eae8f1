"""Charts of data sets, GNNs and benchmarks. Plotly is imported inside, so that pages without a chart open faster."""

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.arrays import Doubles, Reals
from gfx_core.datasets.graph import GraphDataset
from gfx_core.drawing.colours import CLASS_SYMBOLS, ROLES

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_GUIDE = {"color": ROLES["plain"], "width": 1, "dash": "dot"}  # where chance is
_TICKS = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
Ways = Sequence[Mapping[str, str]]
"""Of training: the ``short`` name, ``role``, ``mark`` and ``dash`` of each."""


def _laid_out(figure: "Figure", height: int, **layout: Any) -> "Figure":
    """A chart with room for its legend above it, and no narrower margins than it needs."""
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": ""}
    margin = {"l": 10, "r": 10, "t": 10, "b": 10}
    return figure.update_layout(height=height, margin=margin, legend=legend, dragmode=False, **layout)


def _log_odds(share: Reals | Sequence[float]) -> Doubles:
    clipped = np.clip(np.asarray(share, dtype=float), _TICKS[0], _TICKS[-1])
    return np.log(clipped / (1 - clipped))


def graph_map(
    dataset: GraphDataset, probabilities: Reals, classes: Sequence[str], selected: int | None = None
) -> "Figure":
    """Every graph of a two-class graph task as a point: how large it is, and what a GNN makes of it.

    Args:
        dataset: The graphs.
        probabilities: The GNN's class probabilities. [G, 2]
        classes: Names of the two classes.
        selected: A graph to ring.
    """
    import plotly.express as px

    names = [html.escape(name.replace("%{", "% {"), quote=False) for name in classes]  # a name is no template either
    sizes, share = np.diff(dataset.ptr), probabilities[:, 1]
    nudge = np.random.RandomState(0).uniform(-0.35, 0.35, size=len(sizes))  # equal sizes would hide one another
    x, y = sizes + nudge, _log_odds(share)
    size, likely, true = "nodes in the graph", f"GNN’s probability of {names[1]}", "true class"
    figure = px.scatter(
        {
            size: x,
            likely: y,
            true: [[*names, "not known"][label] for label in dataset.y.tolist()],
            "graph": np.arange(len(sizes)).astype(str),  # text: a click would report numbers in another form
            "nodes": sizes,
            "percent": 100 * share,
        },
        x=size,
        y=likely,
        color=true,
        symbol=true,
        log_x=True,
        opacity=0.65,
        category_orders={true: names},
        color_discrete_sequence=[ROLES["other"], ROLES["one"], ROLES["plain"]],
        symbol_sequence=CLASS_SYMBOLS[::2],
        custom_data=["graph"],
        hover_data={size: False, likely: False, "graph": True, "nodes": True, "percent": ":.1f"},
    )
    figure.update_traces(selected_marker_opacity=0.65, unselected_marker_opacity=0.65)
    figure.update_yaxes(tickvals=_log_odds(_TICKS), ticktext=[f"{100 * tick:g} %" for tick in _TICKS], zeroline=False)
    figure.update_xaxes(showticklabels=bool(np.ptp(sizes)))
    figure.add_hline(y=0, line=_GUIDE)
    if selected is not None:
        ring = {"symbol": "circle-open", "size": 18, "color": ROLES["start"], "line": {"width": 3}}
        at = {"x": x[[selected]], "y": y[[selected]]}
        figure.add_scatter(**at, mode="markers", name="shown above", marker=ring, hoverinfo="skip")
    return _laid_out(figure, 430)


LEAST_SPAN = 0.5
"""Of levels: what differs by less is drawn close together."""


def levels_figure(names: Sequence[str], exact: Sequence[float], ways: Ways, learned: Sequence[Any]) -> "Figure":
    """The learned log Z of each start node by each way to train, with a thick bar where it should be.

    Args:
        names: Of the start nodes. [k]
        exact: Their log Z. [k]
        ways: How each is drawn. [w]
        learned: What each has learned. [w, k]
    """
    import plotly.graph_objects as go

    levels = np.array([exact, *learned])
    middle, reach = (levels.min() + levels.max()) / 2, 0.55 * max(np.ptp(levels), LEAST_SPAN)
    places = np.arange(len(names))
    bar = {"symbol": "line-ew", "size": 44, "line": {"width": 7, "color": ROLES["plain"]}}
    figure = go.Figure().add_scatter(x=places, y=exact, name="the truth", mode="markers", marker=bar, opacity=0.55)
    for number, (way, values) in enumerate(zip(ways, learned, strict=True)):
        marker = {"color": ROLES[way["role"]], "symbol": way["mark"], "size": 11}
        nudge = 0.14 * (number - (len(ways) - 1) / 2)  # equal ones would hide one another
        figure.add_scatter(x=places + nudge, y=values, name=way["short"], mode="markers", marker=marker)
    figure.update_xaxes(title="start node", tickvals=places, ticktext=list(names))
    return _laid_out(figure, 270, yaxis={"title": "log Z", "range": [middle - reach, middle + reach]})


def curves_figure(steps: Sequence[int], ways: Ways, curves: Sequence[Any], last: int) -> "Figure":
    """A number of each way to train over the training steps, as far as they go, by powers of ten.

    Args:
        steps: Of all numbers that there may be.
        ways: How each is drawn. [w]
        curves: The numbers of each, or only the first of them. [w, …]
        last: The step at which the training ends.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for way, values in zip(ways, curves, strict=True):
        line = {"color": ROLES[way["role"]], "dash": way["dash"], "width": 3}
        figure.add_scatter(x=steps[: len(values)], y=values, name=way["short"], mode="lines", line=line)
    figure.update_yaxes(type="log", dtick=1, tickformat="~g")
    return _laid_out(figure, 270, xaxis={"title": "training step", "range": [0, last]})
