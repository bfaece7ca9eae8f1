"""Explain: why the GNN says what it says of one prediction, and how a GFlowNet finds that out."""

from dataclasses import replace

import streamlit as st

from gfx_core.text.answers import trace_title
from gfx_core.trace.schema import SampledSubgraph
from pages.ui import explain, jobs, what_if
from pages.ui.address import bind
from pages.ui.components.browser import copy_link
from pages.ui.explorer import pickers
from pages.ui.explorer.parameters import (
    BY_HAND,
    EXPLORER,
    ORDER,
    REASON,
    TAB,
    TABS,
    TOOLS,
    WHAT_IF,
    all_tools,
    page_links,
    read_query,
)
from pages.ui.presenting import PRESENT
from pages.ui.text import plain
from pages.ui.widgets import in_row, widget

TITLE = "Explain one prediction"

uploaded = explain.loaded_trace()
if uploaded is not None:
    st.title(TITLE, anchor=False)
    title = plain(trace_title(uploaded))
    st.info(f"This trace was loaded from a file: {title}. Remove the file to go back.", icon=":material/upload_file:")
    explain.show_loaded(uploaded, presenting=PRESENT.read())
    explain.load_trace()
    st.stop()

tools, trace, trajectory = all_tools(), None, None
# All that comes and goes has one place that stays, so that what is below keeps its own: an open list stays open.
with st.container(key="explained"):
    row, subject, kind = pickers.pick_prediction(read_query(), TITLE)
    with row:
        bind(st.toggle, **widget("tools"), parameter=TOOLS, shown=tools, drops=(TAB, BY_HAND, WHAT_IF))
        copy_link()
    if subject is None or kind is None:
        st.stop()
    requested = question = pickers.question_about(subject, kind)
    settings = pickers.settings_of(question)
    if settings is None or not what_if.can_be_made(question):
        st.stop()
    if WHAT_IF.read():
        trace = what_if.show(question)
    else:
        with st.container(key="working"):
            trace = pickers.find_trace(question)
    if trace is not None and not WHAT_IF.read():
        question = replace(question, flows=trace.flows, max_nodes=trace.made["config"]["max_nodes"])
        with st.container(key="explain-prediction"):
            explain.question_line(trace)
            if question.edits:
                with in_row("edited"):
                    what_if.undo_buttons(question)
        trajectory = explain.show(trace, question, few=not tools)
        if trace.notes:
            with st.container(key="notes"):
                st.caption(plain(" ".join(trace.notes)))

if tools:
    with in_row("sampling", "bottom"):
        explain.pick_sampling(question, settings)
        bind(st.toggle, **widget("by-hand"), parameter=BY_HAND, drops=(ORDER, WHAT_IF))
        bind(st.toggle, **widget("what-if-on"), parameter=WHAT_IF, drops=(BY_HAND,))
        page_links("explain")


def start(sample: SampledSubgraph) -> None:
    """Play a sample."""
    EXPLORER.change({ORDER: sample.order, BY_HAND: None, REASON: None})


def change_tab() -> None:
    """Put the open tab into the link."""
    TAB.write(next(name for name, title in TABS.items() if title == st.session_state["below"]))


if tools and trace is not None:
    st.session_state["below"] = TABS[TAB.read()]
    with st.container(key="explain-below"):
        drawn, every, files = st.tabs(list(TABS.values()), key="below", on_change=change_tab)
    shown = trajectory or trace
    if drawn.open and trace.samples:  # what is not open need not be drawn
        with drawn:
            explain.sampled_subgraphs(trace, tuple(sorted(shown.final.nodes)), start)
    if every.open:
        with every:
            explain.all_predictions(requested, trace.index)
    if files.open:
        with files:
            explain.export_buttons(shown, explain.states_for_file(shown, question))
            explain.load_trace()
jobs.warm_up()  # PyTorch is loaded in the background while the visitor watches
