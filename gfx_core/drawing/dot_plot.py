"""One number of every explainer as dots on a line. Plotly is imported inside, as in all charts."""

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import dataset_info
from gfx_core.drawing.colours import PARENT, PLAIN, START

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

OWN = "gflowexplainer"

_TICK = {"symbol": "line-ns-open", "size": 16, "line": {"width": 2}}  # longer than the marks that lie over it
_HOLLOW = {"symbol": "diamond-open", "size": 10, "color": PLAIN.colour, "line": {"width": 2}}


def dots_by_method(
    values: Mapping[str, Mapping[str, Sequence[float]]],
    paper: Mapping[str, Mapping[str, float]],
    title: str,
    reference: float | None = None,
    controls: Mapping[str, str] | None = None,
) -> "Figure":
    """A column for each data set, a line for each method: a dot for each seed, a mark for the mean, the paper's hollow.

    Args:
        values: One for each seed, by data set and method of the registry or among the controls.
        paper: The paper's figures, by method and data set.
        title: What the numbers are.
        reference: A number to compare with, drawn as a dotted line.
        controls: Titles of methods that are not in the registry: they stand below the others.
    """
    from plotly.subplots import make_subplots

    labels = {name: info.title for name, info in METHODS.items()} | dict(controls or {})
    names = [name for name in labels if any(name in by_method for by_method in values.values())]
    titles = [dataset_info(name).title for name in values]
    figure = make_subplots(1, max(1, len(titles)), shared_yaxes=True, column_titles=titles or None)
    for column, (dataset, by_method) in enumerate(values.items(), start=1):
        place = {"row": 1, "col": column}
        if reference is not None:
            figure.add_vline(x=reference, line={"color": PLAIN.colour, "width": 1, "dash": "dot"}, **place)
        for method in names:
            seeds, label = list(by_method.get(method, ())), labels[method]
            if seeds:
                mark, mean = _mark(method), statistics.fmean(seeds)
                hover = f"{label}: {mean:.3f}" + f", the mean of {len(seeds)}" * (len(seeds) > 1)
                tick = _TICK | {"color": mark["color"]}
                figure.add_scatter(x=seeds, y=[label] * len(seeds), **_dots(tick), **place)
                figure.add_scatter(x=[mean], y=[label], **_dots(mark, hover), **place)
            if dataset in paper.get(method, {}):
                number = paper[method][dataset]
                said = f"{label} in the paper: {number:.3f}"
                figure.add_scatter(x=[number], y=[label], **_dots(_HOLLOW, said), **place)
    for words, marker in _legend(names, paper).items():
        figure.add_scatter(x=[None], y=[None], mode="markers", name=words, marker=marker, row=1, col=1)
    shown = [labels[name] for name in names]
    figure.update_yaxes(categoryorder="array", categoryarray=shown[::-1], showgrid=True, automargin=True)
    figure.update_xaxes(title=title, zeroline=False)
    figure.update_layout(
        height=150 + 30 * len(shown),
        legend={"orientation": "h", "y": -70 / (60 + 30 * len(shown))},
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        dragmode=False,
    )
    return figure


def _legend(names: Sequence[str], paper: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, Any]]:
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
    said = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"mode": "markers", "marker": marker, "showlegend": False} | said
