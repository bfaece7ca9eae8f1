"""The paper's qualitative figure: predictions in rows, explainers in columns, one page that needs nothing else.

It is drawn from traces, which hold the masks of other explainers beside their own answer. All explainers keep equally
many edges of a prediction: as many as the true motif has, or, where none is known, as the answer.
"""

import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gfx_core.baselines.registry import METHODS
from gfx_core.drawing.colours import ACTION, FOUND
from gfx_core.drawing.export import OfflinePage, page_title
from gfx_core.drawing.masks import MASK_STYLE, ends_of, mask_svg
from gfx_core.drawing.svg import STYLE
from gfx_core.errors import UserError
from gfx_core.explanation.question import SHIPPED
from gfx_core.metrics.edges import Bools, best_edges
from gfx_core.text.answers import things
from gfx_core.text.numbers import about_percent, counted
from gfx_core.text.typesetting import phrase
from gfx_core.trace import serialize
from gfx_core.trace.schema import Trace

SHOWN = ("mutagenicity", "graph_sst2")
"""The data sets of the paper's figure."""
_EACH = 3  # examples of each
TITLE = "Explanations side by side"
COLUMNS = ("gflowexplainer", "gnnexplainer", "pgexplainer", "subgraphx")
"""The explainers of the figure, as far as a trace has their masks."""

_STYLE = (
    f":root {{ --st-text-color: {ACTION.colour}; --st-primary-color: {FOUND.colour}; }}"
    + """
:root { color-scheme: light dark; --st-background-color: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --st-background-color: #12161f; --st-text-color: #e6e9f2; --st-primary-color: #96a0ff; }
}
body { margin: 1.5rem; background: var(--st-background-color); color: var(--st-text-color); font: 15px/1.4 sans-serif; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .5rem; vertical-align: middle; text-align: left; border-bottom: 1px solid rgb(128 140 165 / 32%); }
td { min-width: 13rem; }
th[scope=row] { font-weight: 400; max-width: 15rem; }
svg { display: block; width: 100%; max-height: 15rem; }
small { opacity: .75; }
"""
)


class PictureCell(NamedTuple):
    """One explainer on one prediction: what it keeps, empty where the trace has no mask of it, and that in words."""

    title: str
    svg: str
    caption: str


def shipped() -> list[tuple[str, Trace]]:
    """The first examples of the figure's data sets: a title and a trace; those that cannot be read are left out."""
    found = []
    for dataset in SHOWN:
        for question in [each for each in SHIPPED if each.dataset == dataset][:_EACH]:
            try:
                trace = serialize.load(question.shipped_trace)
            except UserError:
                continue
            found.append((page_title(trace), trace))
    return found


def prediction_words(trace: Trace) -> str:
    """What the GNN predicts, and whether that is wrong."""
    prediction = trace.prediction
    predicted = f"{trace.classes[prediction.predicted]} ({about_percent(prediction.probability)})"
    if prediction.true in (None, prediction.predicted):
        return predicted
    return f"{predicted}, which is wrong: it is {trace.classes[prediction.true]}"


def cells(trace: Trace) -> list[PictureCell]:
    """A row of the figure, from a trace with the masks of the explainers.

    Each keeps as many edges as the true motif has, or the answer.
    """
    known = {mask.method: mask for mask in trace.masks}
    true = sum(bool(edge.in_motif) for edge in trace.edges)
    answer = 0 if trace.answer is None else len(trace.answer.first.edges)
    size = max(1, true or answer or len(trace.final.edges))
    kept = {name: best_edges(np.array(known[name].scores), size) for name in COLUMNS if name in known}
    ends = frozenset[int]().union(*(ends_of(trace, each) for each in kept.values()))
    row = []
    for name in COLUMNS:
        title = METHODS[name].title
        if name not in known:
            row.append(PictureCell(title, "", "not computed: it must be trained first"))
            continue
        caption = _caption(trace, kept[name])
        svg = mask_svg(trace, known[name].scores, kept[name], f"{title}: {caption}", also=ends)
        row.append(PictureCell(title, svg, caption))
    return row


def _caption(trace: Trace, kept: Bools) -> str:
    """The words that are kept, or how much of the motif."""
    if trace.is_sentence:
        return f"“{phrase({trace.nodes[word].id: trace.nodes[word].label for word in ends_of(trace, kept)})}”"
    if not trace.has_truth:
        return f"{counted(int(kept.sum()), things(trace).edge)} kept"
    true = np.array([bool(edge.in_motif) for edge in trace.edges])
    return f"{int((kept & true).sum())} of {counted(int(true.sum()), f'true {things(trace).edge}')}"


def figure_body(traces: Sequence[tuple[str, Trace]]) -> str:
    """The figure as markup, with a row for each title and its trace."""
    if not traces:
        raise UserError("The figure needs at least one trace.")
    heads = "".join(f'<th scope="col">{html.escape(METHODS[name].title)}</th>' for name in COLUMNS)
    rows = []
    for title, trace in traces:
        pictures = "".join(f"<td>{cell.svg}<small>{html.escape(cell.caption)}</small></td>" for cell in cells(trace))
        why = "" if trace.answer is None else f"<br><small>{html.escape(trace.answer.first.name)}</small>"
        head = f"{html.escape(title)}<br><b>{html.escape(prediction_words(trace))}</b>{why}"
        rows.append(f'<tr><th scope="row">{head}</th>{pictures}</tr>')
    return f"""<h1>{TITLE}</h1>
<p>Every explainer keeps the same number of bonds, or of links between words: that of the true motif or, where none is
known, that of GFlowExplainer’s answer. What is kept is thick; what is missed of a known motif is dashed.</p>
<div class="table"><table><thead><tr><th scope="col">Prediction</th>{heads}</tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>"""


def qualitative_html(traces: Sequence[tuple[str, Trace]]) -> str:
    """The figure as one page."""
    return str(OfflinePage(TITLE, f"{STYLE}{MASK_STYLE}{_STYLE}", figure_body(traces)))
