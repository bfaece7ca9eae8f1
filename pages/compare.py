"""Compare: the same instance, the same layout, explained by several methods side by side."""

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.colours import FOUND, MISTAKE, MOTIF
from gfx_core.drawing.masks import trace_picture, truth_of
from gfx_core.drawing.qualitative import prediction_words
from pages.ui import jobs
from pages.ui.compare import method_jobs, table
from pages.ui.components.browser import copy_link
from pages.ui.components.svg_views import Card, gallery
from pages.ui.explorer import loaders, traces
from pages.ui.explorer.parameters import FOLDED, page_links, prediction_link
from pages.ui.text import plain

# What the lines of the pictures mean. Each sample is drawn as in the pictures, and no two differ by colour alone.
WITH_TRUTH = {
    "hit": "found: an edge of the true motif",
    "missed": "missed: in the motif, but not in the explanation",
    "extra": "extra: in the explanation, but not in the motif",
}
WITHOUT_TRUTH = {"kept": "in the explanation; what should be found is not known here, so nothing is right or wrong"}


def line_legend(truth: bool) -> None:
    """The legend of pictures over a known motif, or over none."""
    samples = "".join(
        f'<li><i class="{look}"></i>{words}</li>' for look, words in (WITH_TRUTH if truth else WITHOUT_TRUTH).items()
    )
    colours = f"--motif: {MOTIF.colour}; --mistake: {MISTAKE.colour}; --found: {FOUND.colour}"
    st.html(f'<ul class="line-legend" style="{colours}">{samples}</ul>')


row, subject, kind = traces.pick_prediction(table.FIRST, "Compare explainers")
with st.container(key="lede"):
    lede = st.empty()
lede.markdown("The same prediction, explained by several methods on the same layout: where do they agree?")
with row:
    if subject is not None:
        page_links("compare")
    copy_link()
if subject is None or kind is None:
    st.stop()
question = traces.question_about(subject, kind).prediction
if traces.settings_of(question) is None:
    traces.say_unreadable(question)
    st.stop()
trace = traces.find_trace(question)
if trace is None:
    method_jobs.begin_ahead(table.CHOSEN.read(), question)
    st.stop()
lede.markdown(f"The GNN predicts **{plain(prediction_words(trace))}**. Where do several explainers see the reason?")
if trace.notes:
    st.caption(plain(f"GFlowExplainer: {' '.join(trace.notes)}"))
columns = table.columns_of(trace)
with st.expander("Explainers, size and order", icon=":material/tune:", expanded=table.in_link(), type="compact"):
    names = table.pick_methods()
    with st.container(horizontal=True, vertical_alignment="bottom", key="cuts"):
        count = table.pick_count(trace)
        by = table.pick_order(columns)

found = method_jobs.gather(names, trace, question)
truth = trace.has_truth
instance = question.instance(loaders.hops(question.dataset, kind))
made = [table.row(each.mask, instance, count, trace) for each in found if each.mask]
shown = table.sort(made, by)
waiting = [each for each in found if each.mask is None]
with st.container(border=True, key="findings", gap="xsmall"):
    if finding := table.reading(shown, trace.flows is FlowSource.EXACT):
        st.markdown(finding)
    table.say_count(trace, count)
jobs.watch(method_jobs.going(waiting), key="methods")
line_legend(truth)
room = table.nodes_of(shown, trace)
true = trace_picture(trace, "The true motif", truth_of(trace), folded=FOLDED.read(), also=room).svg()
cards = [Card(true, "Ground truth", (), "what should be found")] * truth
for each in sorted(shown, key=lambda row: row.mask.method != table.GFLOWEXPLAINER):  # the one that plays is in sight
    learned = method_jobs.learned_words(each.mask.method, question, trace)
    cards.append(table.card(each, trace, room, learned, "Play" * (each.mask.method == table.GFLOWEXPLAINER)))
cards += [each.card for each in waiting]


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
if shown:
    table.show_table(shown, columns, question, trace)
    if question.dataset in DATASETS and question.info.knows_reasons:  # else nothing is recorded
        st.page_link(
            "pages/results.py",
            label="Is that typical? All explainers on all predictions",
            icon=":material/leaderboard:",
            query_params={"dataset": question.dataset},
        )
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor looks
