"""The paper's qualitative figure: a prediction explained by several explainers, side by side.

It is drawn from traces, which hold the masks of other explainers beside their own answer. All explainers keep equally
many edges of a prediction: as many as the true motif has, or, where none is known, as the answer.
"""

from typing import Any

import numpy as np

from gfx_core.baselines.registry import METHODS
from gfx_core.drawing.masks import nodes_at, trace_picture, truth_of
from gfx_core.metrics.edges import best_edges
from gfx_core.text.answers import trace_title
from gfx_core.text.numbers import about_percent
from gfx_core.trace.schema import Trace

DATASETS = ("mutagenicity", "graph_sst2")
"""The data sets of the paper's figure."""
COLUMNS = ("gflowexplainer", "gnnexplainer", "pgexplainer", "subgraphx")
"""The explainers of the figure, as far as a trace has their masks."""


def prediction_words(trace: Trace) -> str:
    """What the GNN predicts, and whether that is wrong."""
    prediction = trace.prediction
    predicted = f"{trace.classes[prediction.predicted]} ({about_percent(prediction.probability)})"
    if prediction.true in (None, prediction.predicted):
        return predicted
    return f"{predicted}, which is wrong: it is {trace.classes[prediction.true]}"


def figure_row(trace: Trace) -> dict[str, Any]:
    """A row of `site/figure.html`: of each column its picture, empty where the trace has no such mask."""
    answer = () if trace.answer is None else trace.answer.first.edges
    size = int(truth_of(trace).sum()) or len(answer) or max(1, len(trace.final.edges))
    masks = {mask.method: np.array(mask.scores) for mask in trace.masks if mask.method in COLUMNS}
    kept = {name: best_edges(scores, size) for name, scores in masks.items()}
    also = set[int]().union(*(nodes_at(trace, edges) for edges in kept.values()))
    pictures = dict.fromkeys(COLUMNS, "")
    for name, scores in masks.items():
        pictures[name] = trace_picture(trace, METHODS[name].title, kept[name], scores=scores, also=also).svg()
    name = trace.answer.first.name if trace.answer else ""
    words = {"title": trace_title(trace), "prediction": prediction_words(trace), "answer": name}
    return words | {"pictures": pictures.values()}
