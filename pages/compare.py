"""Compare: the same instance, the same layout, explained by several methods side by side."""

import streamlit as st

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.masks import nodes_at, trace_picture, truth_of
from gfx_core.drawing.qualitative import prediction_words
from gfx_core.drawing.templates import render
from gfx_core.text.numbers import listed
from pages.ui import jobs
from pages.ui.compare import method_jobs, table
from pages.ui.components.browser import copy_link
from pages.ui.components.svg_views import Card, gallery
from pages.ui.explorer import traces
from pages.ui.explorer.parameters import page_links, prediction_link, read_query
from pages.ui.explorer.pickers import pick_prediction
from pages.ui.text import plain
from pages.ui.wording import WORDS

row, subject, kind = pick_prediction(read_query(table.FIRST), "Compare explainers")
with row:
    if subject is not None:
        page_links("compare")
    copy_link()
with st.container(key="lede"):
    st.markdown(WORDS["compare"]["lede"])
if subject is None or kind is None:
    st.stop()
question = traces.question_about(subject, kind).prediction
if traces.settings_of(question) is None:
    st.stop()
trace = traces.find_trace(question)
if trace is None:
    st.stop()
if trace.notes:
    st.caption(plain(f"GFlowExplainer: {' '.join(trace.notes)}"))

names, count = table.pick_comparison(trace)
results = method_jobs.gather(names, trace, question)
waiting = [result for result in results if result.mask is None]
rows = table.sort([table.row(result.mask, count, trace) for result in results if result.mask], trace)
with st.container(border=True, key="findings", gap="xsmall"):
    st.markdown(f"The GNN predicts **{plain(prediction_words(trace))}**. {table.reading(rows)}")
    st.markdown(table.size_sentence(trace, count))
late = [result for result in waiting if result.computing]
titles = listed([METHODS[result.method].title for result in late], 4)
jobs.watch(titles, [result.request for result in late], key="methods")

st.html(render("html/compare.html", truth=trace.has_truth))
room = frozenset().union(*(nodes_at(trace, row.kept) for row in rows))  # all pictures show the same part of the graph
truth = trace_picture(trace, "The true motif", truth_of(trace), also=room).svg()
cards = [Card(truth, "Ground truth", (), "the expected edges")] * trace.has_truth
for row in sorted(rows, key=lambda row: row.mask.method != table.GFLOWEXPLAINER):  # the one that plays is in sight
    cards.append(table.card(row, trace, room, method_jobs.learned_words(row.mask.method, question, trace)))
cards += [result.card for result in waiting]


def pick(number: int) -> None:
    """Play GFlowExplainer's answer, or let a method learn that waits for that."""
    late = number - len(cards) + len(waiting)
    if late >= 0:
        method_jobs.begin(waiting[late])
    else:
        st.session_state["go-to-explain"] = True


gallery(cards, key="methods-gallery", on_pick=pick, wide=16.0)
if st.session_state.pop("go-to-explain", False):
    st.switch_page("pages/explain.py", query_params=prediction_link())
if rows:
    table.show_table(rows, question, trace)
    if question.dataset in DATASETS and question.info.knows_reasons:  # else nothing is recorded
        st.page_link("pages/results.py", **WORDS["links"]["typical"], query_params={"study": "explainers"})
jobs.warm_up()  # PyTorch is loaded in the background while the visitor looks
