"""Compare: the same instance, the same layout, explained by several methods side by side."""

import streamlit as st

from gfx_core.drawing.masks import truth_svg
from pages.ui import jobs
from pages.ui.compare import choices, rows
from pages.ui.components.copy_link import copy_link
from pages.ui.components.gallery import Card, gallery
from pages.ui.explain import traces
from pages.ui.explorer import loaders, travel
from pages.ui.router import through_app
from pages.ui.text import file_name

through_app()
st.title("Compare explainers", anchor=False)
st.markdown(
    "The same prediction, the same layout: **green** edges of the true motif were found, **dashed** ones missed, "
    "**orange** ones should not be there."
)
row, subject, kind = traces.pick_prediction()
with row:
    if subject is not None:
        travel.ways_on("compare")
    copy_link()
if subject is None or kind is None:
    st.stop()
question = traces.question_about(subject, kind).prediction
if loaders.policy_settings(question.dataset, kind) is None:
    traces.say_untrained(question)
    st.stop()
trace = traces.find_trace(question)
if trace is None:
    st.stop()
methods = choices.pick_methods()
with st.container(horizontal=True, vertical_alignment="bottom", key="cuts"):
    cut = choices.pick_cut(trace)
    by = choices.pick_order()

found = [mask for method in methods if (mask := rows.mask_by(method, trace, question)) is not None]
shown = rows.sort([rows.row(mask, subject.instance, cut.kept(mask.scores)) for mask in found], by)
known = any(edge.in_motif is not None for edge in trace.edges)
truth = [Card(truth_svg(trace, "The true motif"), "Ground truth", (), "what should be found")] if known else []
cards = [rows.card(row, trace, "Play" if row.mask.method == "gflowexplainer" else "") for row in shown]


def go_and_play(_: int) -> None:
    st.session_state["go-to-explain"] = True


gallery([*truth, *cards], key="methods-gallery", on_pick=go_and_play, wide=16.0)
if st.session_state.pop("go-to-explain", False):
    st.switch_page("pages/explain.py", query_params=travel.link())
if shown:
    rows.show_table(shown, file_name("comparison", question.dataset, question.called))
    st.page_link(
        "pages/results.py",
        label="Is that typical? All explainers on all predictions",
        icon=":material/leaderboard:",
        query_params={"dataset": question.dataset},
    )
jobs.crew()  # PyTorch is loaded in the background while the visitor looks
