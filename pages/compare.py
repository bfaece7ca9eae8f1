"""Compare: the same instance, the same layout, explained by several methods side by side."""

import streamlit as st

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.masks import nodes_at, trace_picture, truth_of
from gfx_core.drawing.templates import render
from gfx_core.text.answers import prediction_words, things
from gfx_core.text.numbers import counted, listed
from pages.ui import comparison, jobs
from pages.ui.components.browser import copy_link
from pages.ui.components.svg_views import Card, gallery
from pages.ui.explorer import pickers
from pages.ui.explorer.parameters import page_links, prediction_link, read_query
from pages.ui.text import error_shown, plain
from pages.ui.widgets import WORDS, page_link

row, subject, kind = pickers.pick_prediction(read_query(comparison.FIRST), "Compare explainers")
with row:
    if subject is not None:
        page_links("compare")
    copy_link()
with st.container(key="lede"):
    st.markdown(WORDS["compare"]["lede"])
if subject is None or kind is None:
    st.stop()
question = pickers.question_about(subject, kind).prediction
if pickers.settings_of(question) is None:
    st.stop()
trace = pickers.find_trace(question)
if trace is None:
    st.stop()
if trace.notes:
    st.caption(plain(f"GFlowExplainer: {' '.join(trace.notes)}"))

names, count = comparison.pick_comparison(trace)
results = comparison.gather(names, trace, question)
waiting = [result for result in results if result.mask is None]
rows = comparison.sort([comparison.row(result.mask, count, trace) for result in results if result.mask], trace)
with st.container(border=True, key="findings", gap="xsmall"):
    st.markdown(f"The GNN predicts **{plain(prediction_words(trace))}**. {comparison.reading(rows)}")
    sizes = (counted(size, things(trace).edge) for size in (count, comparison.answer_edges(trace)))
    st.markdown(WORDS["compare"]["size"].format(*sizes))
late = [result for result in waiting if result.computing]
titles = listed([METHODS[result.method].title for result in late], 4)
jobs.watch(titles, [result.request for result in late], key="methods")

st.html(render("html/compare.html", truth=trace.has_truth))
room = frozenset().union(*(nodes_at(trace, row.kept) for row in rows))  # all pictures show the same part of the graph
truth = trace_picture(trace, "The true motif", truth_of(trace), also=room).svg()
cards = [Card(truth, "Ground truth", (), "the expected edges")] * trace.has_truth
for row in sorted(rows, key=lambda row: row.mask.method != comparison.GFLOWEXPLAINER):  # the one that plays is in sight
    cards.append(comparison.card(row, trace, room, comparison.learned_words(row.mask.method, question, trace)))
cards += [result.card for result in waiting]


def pick(number: int) -> None:
    """Play GFlowExplainer's answer, or let a method learn that waits for that."""
    late = number - len(cards) + len(waiting)
    if late >= 0:
        with error_shown("hourglass_disabled"):
            jobs.submit(waiting[late].request)
    else:
        st.session_state["go-to-explain"] = True


gallery(cards, key="methods-gallery", on_pick=pick, wide=16.0)
if st.session_state.pop("go-to-explain", False):
    st.switch_page("pages/explain.py", query_params=prediction_link())
if rows:
    comparison.show_table(rows, question, trace)
    if question.dataset in DATASETS and question.info.knows_reasons:  # else nothing is recorded
        page_link("typical", {"study": "explainers"})
jobs.warm_up()  # PyTorch is loaded in the background while the visitor looks
