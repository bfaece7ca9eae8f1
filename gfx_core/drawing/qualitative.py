"""The paper's qualitative figure: predictions in rows, explainers in columns, one page that needs nothing else.

It is drawn from traces, which hold the masks of other explainers beside their own answer. All explainers keep equally
many edges of a prediction: as many as the true motif has, or, where none is known, as the answer.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_core.baselines.registry import METHODS
from gfx_core.drawing.colours import ACTION, FOUND
from gfx_core.drawing.export import page_title
from gfx_core.drawing.masks import ends_of, trace_picture, truth_of
from gfx_core.drawing.svg import STYLE, Bools
from gfx_core.drawing.templates import asset, render
from gfx_core.errors import UserError
from gfx_core.explanation.question import SHIPPED
from gfx_core.metrics.edges import best_edges
from gfx_core.text.answers import things
from gfx_core.text.numbers import about_percent, counted
from gfx_core.text.typesetting import phrase
from gfx_core.trace import serialize
from gfx_core.trace.schema import Trace

DATASETS = ("mutagenicity", "graph_sst2")
"""The data sets of the paper's figure."""
_EXAMPLES = 3  # of each
TITLE = "Explanations side by side"
COLUMNS = ("gflowexplainer", "gnnexplainer", "pgexplainer", "subgraphx")
"""The explainers of the figure, as far as a trace has their masks."""


def shipped() -> list[tuple[str, Trace]]:
    """The first examples of the figure's data sets: a title and a trace; those that cannot be read are left out."""
    examples = []
    for dataset in DATASETS:
        for question in [question for question in SHIPPED if question.dataset == dataset][:_EXAMPLES]:
            try:
                trace = serialize.load(question.shipped_trace)
            except UserError:
                continue
            examples.append((page_title(trace), trace))
    return examples


def prediction_words(trace: Trace) -> str:
    """What the GNN predicts, and whether that is wrong."""
    prediction = trace.prediction
    predicted = f"{trace.classes[prediction.predicted]} ({about_percent(prediction.probability)})"
    if prediction.true in (None, prediction.predicted):
        return predicted
    return f"{predicted}, which is wrong: it is {trace.classes[prediction.true]}"


def cells(trace: Trace) -> list[dict[str, str]]:
    """The ``svg`` and ``caption`` of each column; no picture where the trace has no mask of the explainer."""
    scores = {mask.method: mask.scores for mask in trace.masks}
    true = int(truth_of(trace).sum())
    answer = 0 if trace.answer is None else len(trace.answer.first.edges)
    size = max(1, true or answer or len(trace.final.edges))
    kept = {name: best_edges(np.array(scores[name]), size) for name in COLUMNS if name in scores}
    also = set[int]().union(*(ends_of(trace, edges) for edges in kept.values()))
    row = [{"svg": "", "caption": "not computed: it must be trained first"} for _ in COLUMNS]
    for cell, name in zip(row, COLUMNS, strict=True):
        if name in kept:
            cell["caption"] = _caption(trace, kept[name])
            title = f"{METHODS[name].title}: {cell['caption']}"
            cell["svg"] = trace_picture(trace, title, kept[name], scores=scores[name], also=also).svg()
    return row


def _caption(trace: Trace, kept: Bools) -> str:
    """The words that are kept, or how much of the motif."""
    if trace.is_sentence:
        return f"“{phrase({trace.nodes[word].id: trace.nodes[word].label for word in ends_of(trace, kept)})}”"
    if not trace.has_truth:
        return f"{counted(int(kept.sum()), things(trace).edge)} kept"
    true = truth_of(trace)
    return f"{int((kept & true).sum())} of {counted(int(true.sum()), f'true {things(trace).edge}')}"


def figure(traces: Sequence[tuple[str, Trace]]) -> dict[str, Any]:
    """The values of ``pages/figure_table.html``, with a row for each title and its trace."""
    if not traces:
        raise UserError("The figure needs at least one trace.")
    rows = []
    for title, trace in traces:
        answer = "" if trace.answer is None else trace.answer.first.name
        rows.append({"title": title, "prediction": prediction_words(trace), "answer": answer, "cells": cells(trace)})
    return {"columns": [METHODS[name].title for name in COLUMNS], "rows": rows}


def qualitative_html(traces: Sequence[tuple[str, Trace]]) -> str:
    """The figure as one page."""
    colours = f":root {{ --st-text-color: {ACTION.colour}; --st-primary-color: {FOUND.colour}; }}\n"
    return render("pages/figure.html", title=TITLE, style=STYLE + colours + asset("pages/figure.css"), **figure(traces))
