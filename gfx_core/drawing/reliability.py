"""Reliability diagrams: how often GNNs are right against how sure they are. Plotly is imported inside."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gfx_core.datasets.registry import dataset_info
from gfx_core.drawing.colours import MISTAKE, PARENT, PLAIN

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_LOOKS = ((MISTAKE.colour, "dash", "square"), (PARENT.colour, "solid", "circle"))
_LARGEST = 26

Bins = Mapping[str, Mapping[str, Sequence[float]]]
"""``bins`` and ``sizes`` of a GNN, as the study of calibration records them."""


def reliability_figure(found: Mapping[str, Mapping[str, Bins]]) -> "Figure":
    """A row for each data set: right against sure, and both by the size of the fragment.

    Args:
        found: By data set and title of the GNN, the one that never saw a fragment first.
    """
    from plotly.subplots import make_subplots

    rows = max(1, len(found))
    figure = make_subplots(rows, 2, row_titles=[dataset_info(name).title for name in found] if rows > 1 else None)
    for row, by_gnn in enumerate(found.values(), start=1):
        straight = {"x": [0, 1], "y": [0, 1], "mode": "lines", "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(**straight, line={"color": PLAIN.colour, "dash": "dot", "width": 1}, row=row, col=1)
        for (title, values), look in zip(by_gnn.items(), _LOOKS, strict=False):
            _add_gnn(figure, title, values, look, row)
    figure.update_xaxes(range=[0, 1.02], title="how sure the GNN is", col=1)
    figure.update_yaxes(range=[0, 1.02], title="how often it is right", col=1)
    figure.update_xaxes(title="nodes of the fragment", col=2)
    figure.update_yaxes(range=[0, 1.02], title="right (line), sure (marks)", col=2)
    return figure.update_layout(
        height=80 + 300 * rows,
        margin={"l": 10, "r": 10, "t": 20, "b": 10},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        dragmode=False,
    )


def _add_gnn(figure: "Figure", title: str, values: Bins, look: tuple[str, str, str], row: int) -> None:
    """One GNN in the two panels of a data set; the area of a mark is the share of the fragments."""
    colour, dash, symbol = look
    bins, sizes = values["bins"], values["sizes"]
    most = max(bins["count"])
    marks = [6 + (_LARGEST - 6) * (count / most) ** 0.5 for count in bins["count"]]
    line: dict[str, Any] = {"color": colour, "dash": dash}
    figure.add_scatter(
        x=list(bins["confidence"]),
        y=list(bins["accuracy"]),
        customdata=list(bins["count"]),
        name=title,
        legendgroup=title,
        showlegend=row == 1,
        mode="lines+markers",
        line=line,
        marker={"size": marks, "symbol": symbol, "color": colour, "opacity": 0.75},
        hovertemplate=f"{title}: %{{x:.2f}} sure, %{{y:.2f}} right, %{{customdata:,}} fragments<extra></extra>",
        row=row,
        col=1,
    )
    for name, mode in (("accuracy", "lines"), ("confidence", "markers")):
        said = "right" if name == "accuracy" else "sure"
        figure.add_scatter(
            x=list(sizes["nodes"]),
            y=list(sizes[name]),
            name=f"{title}, {said}",
            legendgroup=title,
            showlegend=False,
            mode=mode,
            line=line,
            marker={"symbol": symbol, "color": colour, "size": 7},
            hovertemplate=f"{title}, %{{x}} nodes: %{{y:.2f}} {said}<extra></extra>",
            row=row,
            col=2,
        )
