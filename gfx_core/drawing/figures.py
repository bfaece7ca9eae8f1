"""Plotly figures. Plotly is imported inside, so that pages without a chart open faster."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import GraphDataset
from gfx_core.drawing.colours import CLASS_COLOURS, CLASS_SYMBOLS, PLAIN, START

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

    said = [html.escape(name.replace("%{", "% {"), quote=False) for name in classes]  # a name is no template either
    sizes = np.diff(dataset.ptr)
    ids = np.arange(dataset.num_graphs)
    by_size = len(np.unique(sizes)) > 1
    nudge = np.random.RandomState(0).uniform(-0.35, 0.35, size=len(ids))  # equal sizes would hide one another
    x = sizes + nudge if by_size else ids.astype(float)
    y = _log_odds(probabilities[:, 1])
    figure = go.Figure()
    figure.add_hline(y=0, line={"color": PLAIN.colour, "width": 1, "dash": "dash"})
    for label, name in enumerate(said):
        chosen = np.flatnonzero(dataset.y == label)
        figure.add_scatter(
            x=x[chosen],
            y=y[chosen],
            mode="markers",
            name=f"truly {name}",
            marker={"color": CLASS_COLOURS[label], "symbol": CLASS_SYMBOLS[2 * label], "size": 7, "opacity": 0.65},
            selected={"marker": {"opacity": 0.65}},
            unselected={"marker": {"opacity": 0.65}},
            customdata=np.stack([chosen, sizes[chosen], 100 * probabilities[chosen, 1]], axis=1).tolist(),
            hovertemplate=f"Graph %{{customdata[0]:d}} · {name} · %{{customdata[1]:d}} nodes<br>"
            f"GNN: %{{customdata[2]:.1f}} % {said[1]}<extra></extra>",
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
            "title": f"GNN’s probability of {said[1]}",
            "tickvals": _log_odds(np.array(_TICKS)).tolist(),
            "ticktext": [f"{100 * tick:g} %" for tick in _TICKS],
            "zeroline": False,
        },
    )
    return figure
