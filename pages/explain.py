"""Explain: watch a GFlowNet build the subgraph that explains one prediction."""

from dataclasses import replace

import streamlit as st

from gfx_core.teaching.glossary_links import term
from pages.ui import jobs
from pages.ui.address import bind
from pages.ui.components.copy_link import copy_link
from pages.ui.components.player import player
from pages.ui.explain import exports, traces, watching
from pages.ui.explain.sampling import pick_sampling
from pages.ui.explorer import loaders, travel
from pages.ui.explorer.link import BY_HAND, ORDER
from pages.ui.router import through_app
from pages.ui.text import plain

through_app()
st.title("Explain one prediction", anchor=False)
st.markdown(
    "Watch the GFlowNet grow a connected subgraph from the **pink** node until it takes STOP. "
    f"**Orange** nodes can come next. Every symbol is in the {term('state', 'glossary')}."
)
brought = exports.loaded_trace()
if brought is not None:
    st.info(
        f"This trace was loaded from a file: {plain(brought.dataset_title)} {brought.index}. "
        "Remove the file to go back.",
        icon=":material/upload_file:",
    )
    watching.prediction_line(brought)
    watching.flows_line(brought)
    player(replace(brought, masks=()), key="player")
    exports.export_buttons(brought)
    exports.load_trace()
    st.stop()

row, subject, kind = traces.pick_prediction()
with row:
    more = st.container(horizontal=True, vertical_alignment="bottom", width="content", key="sampling")
if subject is None or kind is None:
    st.stop()
question = traces.question_about(subject, kind)
settings = traces.settings_of(question)
if settings is None:
    traces.say_untrained(question)
    st.stop()
with more:
    pick_sampling(question, settings)
    bind(
        st.toggle,
        "Build by hand",
        BY_HAND,
        key="by-hand",
        drops=(ORDER,),
        help=f"Choose every step of the {term('trajectory')} yourself and see what the {term('policy')} would do.",
    )
    travel.ways_on("explain")
    copy_link()
found = traces.find_trace(question)
if found is None and question.tuned:  # the visitor need not look at nothing
    question = replace(question, tuned=False)
    found = traces.known_trace(question)
    if found is not None:
        st.caption("This is the explanation before the training on this one.")
if found is not None:
    question = traces.as_found(question, found)
    watching.prediction_line(found, loaders.readable_header(question.dataset, kind))
    watching.flows_line(found)
    watching.show(found, question)
jobs.crew()  # PyTorch is loaded in the background while the visitor watches
