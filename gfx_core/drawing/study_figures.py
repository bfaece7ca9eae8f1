"""Figures of the benchmark studies. Plotly is imported inside, as in all charts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gfx_core.datasets.registry import dataset_info
from gfx_core.drawing.colours import CUT_VERTEX, FRONTIER, MISTAKE, MOTIF, PARENT, PLAIN, START

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HUES = tuple(role.colour for role in (START, PARENT, MOTIF, FRONTIER, MISTAKE, CUT_VERTEX, PLAIN))
_DASHES = ("solid", "dash", "dot", "dashdot")
_MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")


def _columns(datasets: Iterable[str], rows: Sequence[str], x: str) -> "Figure":
    """An empty figure: a column for each data set, a row for each quantity."""
    from plotly.subplots import make_subplots

    titles = [dataset_info(name).title for name in datasets]
    if not titles:
        return make_subplots(1, 1)
    # an axis for each column: data sets differ in how long they take and how large their rewards are
    figure = make_subplots(len(rows), len(titles), shared_xaxes="columns", column_titles=titles)
    figure.update_xaxes(title=x, row=len(rows))
    for number, row in enumerate(rows, start=1):
        figure.update_yaxes(title=row, row=number, col=1)
    figure.update_layout(height=160 + 240 * len(rows), legend={"orientation": "h", "y": -0.2})
    return figure


def _order(names: Iterable[str]) -> dict[str, int]:
    """A number for each different name, as they come: the same hue, dash or mark in every panel."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _by_method(curves: Mapping[str, Mapping[str, Any]], y: str, x: str, points: Callable[[Any], Any]) -> "Figure":
    """A column for each data set with a line for each method; ``points`` turns what is given for one into its trace."""
    figure = _columns(curves, [y], x)
    order, shown = _order(method for lines in curves.values() for method in lines), set()
    for column, lines in enumerate(curves.values(), start=1):
        for method, line in lines.items():
            number = order[method]
            figure.add_scatter(
                **points(line),
                name=method,
                mode="lines+markers",
                line={"color": _HUES[number % len(_HUES)]},
                marker={"symbol": _MARKS[number % len(_MARKS)]},
                legendgroup=method,
                showlegend=method not in shown,
                row=1,
                col=column,
            )
            shown.add(method)
    return figure


def auc_along_training(curves: Mapping[str, Mapping[str, Sequence[Mapping[str, float]]]]) -> "Figure":
    """AUC against seconds of training, a column for each data set.

    Args:
        curves: Points with ``seconds``, ``auc`` and ``epoch``, by data set and method.
    """

    def points(line: Sequence[Mapping[str, float]]) -> dict[str, Any]:
        names = {"x": "seconds", "y": "auc", "customdata": "epoch"}
        values = {axis: [point[name] for point in line] for axis, name in names.items()}
        return values | {"hovertemplate": "%{x:.3g} s, epoch %{customdata}: AUC %{y:.3f}"}

    return _by_method(curves, "AUC", "seconds of training", points).update_xaxes(type="log")


def auc_by_share(curves: Mapping[str, Mapping[str, Mapping[float, float]]]) -> "Figure":
    """AUC on instances that were not trained on against the share that was, a column for each data set.

    Args:
        curves: AUC by data set, method and share.
    """
    title = "AUC, not trained on"
    figure = _by_method(curves, title, "share trained on", lambda line: {"x": list(line), "y": list(line.values())})
    return figure.update_xaxes(tickformat=".0%", range=[0, 1])


def training_curves(curves: Mapping[str, Mapping[tuple[str, str], Mapping[str, Sequence[float]]]]) -> "Figure":
    """Loss, residual and mean log R by epoch, a column for each data set; a hue for each training, a dash by setting.

    Args:
        curves: ``epoch``, ``loss``, ``residual`` and ``log_reward`` by data set and (training, setting).
    """
    rows = {"loss": "loss", "residual": "|residual|", "log_reward": "mean log R"}
    figure = _columns(curves, list(rows.values()), "epoch")
    pairs = [pair for lines in curves.values() for pair in lines]
    hue, dash = _order(training for training, _ in pairs), _order(setting for _, setting in pairs)
    shown: set[tuple[str, str]] = set()
    for column, lines in enumerate(curves.values(), start=1):
        for (training, setting), curve in lines.items():
            line = {"color": _HUES[hue[training] % len(_HUES)], "dash": _DASHES[dash[setting] % len(_DASHES)]}
            for row, name in enumerate(rows, start=1):
                figure.add_scatter(
                    x=list(curve["epoch"]),
                    y=list(curve[name]),
                    name=f"{training} ({setting})",
                    mode="lines",
                    line=line,
                    legendgroup=f"{training} ({setting})",
                    showlegend=row == 1 and (training, setting) not in shown,
                    row=row,
                    col=column,
                )
            shown.add((training, setting))
    for row in (1, 2):
        figure.update_yaxes(type="log", row=row)
    return figure
