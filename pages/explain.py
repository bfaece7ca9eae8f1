"""Explain: why the GNN says what it says of one prediction, and how a GFlowNet finds that out."""

from dataclasses import replace
from typing import Any

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.own_policies import own_policy
from gfx_core.teaching.glossary import term
from gfx_core.text.answers import trace_title
from gfx_core.trace.schema import SampledSubgraph, Trace
from pages.ui import jobs
from pages.ui.address import bind
from pages.ui.components.browser import copy_link
from pages.ui.explain import playback, trace_views, what_if
from pages.ui.explain.predictions import all_predictions
from pages.ui.explain.sampling import pick_sampling
from pages.ui.explorer import loaders, traces
from pages.ui.explorer.parameters import (
    BY_HAND,
    EXPLORER,
    ORDER,
    OWN,
    REASON,
    TAB,
    TABS,
    TOOLS,
    WHAT_IF,
    all_tools,
    page_links,
)
from pages.ui.explorer.pickers import Selection
from pages.ui.presenting import PRESENT
from pages.ui.text import plain

TITLE = "Explain one prediction"


def own_policy_line(question: Question) -> bool:
    """Say that a policy of the visitor's own explains; False, with the reason on the page, if it cannot."""
    problem, since = "", ""
    try:
        made = own_policy(question.own, question.dataset, question.gnn).made.get("date")
        since = f", of {made[:10]}" if isinstance(made, str) else ""
    except UserError as error:
        problem = str(error)
    with st.container(horizontal=True, vertical_alignment="center", key="own-policy"):
        if problem:
            st.error(plain(problem), icon=":material/model_training:")
        else:
            st.markdown(f":material/model_training: Explained by **your own policy**{plain(since)}.")
        st.button("Use the shipped policy", key="use-shipped", icon=":material/undo:", on_click=OWN.write, args=(None,))
    return not problem


def sampling_row(question: Question, settings: dict[str, Any], subject: Selection, kind: str) -> None:
    """How it is sampled, what else can be done with the prediction, and the ways on."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="sampling"):
        usual = traces.usual_flows(question.dataset, kind, question.own)
        pick_sampling(question, settings, subject.instance.num_nodes, usual)
        bind(
            st.toggle,
            "Build by hand",
            BY_HAND,
            key="by-hand",
            drops=(ORDER, WHAT_IF),
            help=f"Choose every step of the {term('trajectory')} yourself and see what the {term('policy')} would do.",
        )
        bind(
            st.toggle,
            "What if",
            WHAT_IF,
            key="what-if-on",
            drops=(BY_HAND,),
            help="Edit what is explained: remove, add or change a part, and see what the GNN predicts then, and why.",
        )
        page_links("explain")


def tabs_below(trace: Trace, shown: Trace, question: Question, requested: Question) -> None:
    """What was drawn, others in the same way, and what can be taken along of what the player shows."""
    st.session_state["below"] = TAB.read()
    with st.container(key="explain-below"):
        tabs = st.tabs(list(TABS), key="below", on_change=lambda: TAB.write(st.session_state["below"]))
    drawn, wide, every, files = tabs

    def start(sample: SampledSubgraph) -> None:
        EXPLORER.change({ORDER: sample.order, BY_HAND: None, REASON: None})

    with drawn:
        if drawn.open and trace.samples:  # what is not open need not be drawn
            trace_views.sampled_subgraphs(trace, tuple(sorted(shown.final.nodes)), start)
    with wide:
        if wide.open and trace.edge_marginals:
            trace_views.marginals(trace)
    with every:
        if every.open:
            all_predictions(requested, trace.index)
    with files:
        if files.open:
            trace_views.export_buttons(shown, playback.states_for_file(shown, question))
            trace_views.load_trace()


uploaded = trace_views.loaded_trace()
if uploaded is not None:
    st.title(TITLE, anchor=False)
    st.info(
        f"This trace was loaded from a file: {plain(trace_title(uploaded))}. Remove the file to go back.",
        icon=":material/upload_file:",
    )
    trace_views.show_loaded(uploaded, presenting=PRESENT.read())
    trace_views.load_trace()
    st.stop()

# All that comes and goes has one place that stays, so that what is below keeps its own: an open list stays open.
with st.container(key="explained"):
    row, subject, kind = traces.pick_prediction(title=TITLE)
    tools = all_tools()
    with row:
        bind(st.toggle, "All tools", TOOLS, shown=tools, drops=(TAB, BY_HAND, WHAT_IF))
        copy_link()
    if subject is None or kind is None:
        st.stop()
    question = traces.question_about(subject, kind)
    if question.own and not own_policy_line(question):
        st.stop()
    settings = traces.settings_of(question)
    if settings is None:
        traces.say_unreadable(question)
        st.stop()
    if not what_if.can_be_made(question):
        st.stop()
    shown, found, waiting = None, None, False
    if WHAT_IF.read():
        found = what_if.show(question)
    else:
        found, waiting = traces.found_or_before(question)
    if found is not None and not WHAT_IF.read():
        question = traces.as_found(replace(question, tuned=question.tuned and not waiting), found)
        with st.container(key="explain-prediction"):
            trace_views.question_line(found, loaders.readable_header(question.dataset, kind), tools)
            if tools:
                trace_views.flows_line(found)
            if question.edits:
                with st.container(horizontal=True, key="edited"):
                    what_if.way_back(question)
            trace_views.hints_line(found, tools)
        shown = playback.show(found, question, waiting=waiting, few=not tools)
if tools:
    sampling_row(question, settings, subject, kind)
    if found is not None:
        tabs_below(found, shown or found, question, traces.question_about(subject, kind))
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor watches
