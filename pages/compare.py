"""Compare: the same instance, the same layout, explained by several methods side by side."""

from pages.ui.router import through_app

through_app()

from dataclasses import replace

import streamlit as st

from gfx_core.bench.side_by_side import reading
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.masks import truth_svg
from pages.ui import jobs
from pages.ui.compare import answers, choices, rows
from pages.ui.compare.legend import line_legend
from pages.ui.compare.paper_figure import paper_figure
from pages.ui.components.copy_link import copy_link
from pages.ui.components.gallery import Card, gallery
from pages.ui.explorer import parameters, traces
from pages.ui.explorer.parameters import FOLDED
from pages.ui.fragments import stop
from pages.ui.text import file_name

st.title("Compare explainers", anchor=False)
st.markdown("The same prediction, explained by several methods on the same layout: where do they agree?")
row, subject, kind = traces.pick_prediction()
with row:
    if subject is not None:
        parameters.page_links("compare")
    copy_link()
if subject is None or kind is None:
    stop()
asked = traces.question_about(subject, kind).prediction
question = replace(asked, flows=traces.usual_flows(asked.dataset, kind))
if traces.settings_of(question) is None:
    traces.say_untrained(question)
    stop()
trace = traces.find_trace(question)
if trace is None:
    answers.ask_ahead(choices.CHOSEN.read(), question)
    stop()
methods = choices.pick_methods()
columns = rows.columns_of(trace)
with st.container(horizontal=True, vertical_alignment="bottom", key="cuts"):
    cut = choices.pick_cut(trace)
    by = choices.pick_order(columns)

found = answers.gather(methods, trace, question)
truth = trace.has_truth
made = [rows.row(each.mask, subject.instance, cut.kept(each.mask.scores), truth) for each in found if each.mask]
shown = rows.sort(made, by)
waiting = [each for each in found if each.mask is None]
said = reading([rows.contender(each) for each in shown], trace.prediction.probabilities[trace.prediction.predicted])
if said:
    with st.container(border=True, key="findings"):
        st.markdown(said)
jobs.watch(answers.going(waiting), key="methods")
line_legend(truth)
seen = rows.nodes_of(shown, trace)
true = truth_svg(trace, "The true motif", folded=FOLDED.read(), also=seen)
cards = [Card(true, "Ground truth", (), "what should be found")] * truth
for each in shown:
    learnt = answers.learnt_words(each.mask.method, question)
    cards.append(rows.card(each, trace, seen, learnt, "Play" * (each.mask.method == choices.OWN)))
cards += [answers.card(each) for each in waiting]


def pick(number: int) -> None:
    """Play GFlowExplainer's answer, or let a method learn that waits for that."""
    late = number - len(cards) + len(waiting)
    if late >= 0:
        answers.begin(waiting[late])
    else:
        st.session_state["go-to-explain"] = True


gallery(cards, key="methods-gallery", on_pick=pick, wide=16.0)
if st.session_state.pop("go-to-explain", False):
    st.switch_page("pages/explain.py", query_params=parameters.prediction_link())
if shown:
    rows.show_table(shown, columns, file_name("comparison", question.dataset, question.called))
    if question.dataset in DATASETS and question.info.knows_reasons:  # else nothing is recorded
        st.page_link(
            "pages/results.py",
            label="Is that typical? All explainers on all predictions",
            icon=":material/leaderboard:",
            query_params={"dataset": question.dataset},
        )
paper_figure()
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor looks
