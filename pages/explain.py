"""Explain: why the GNN says what it says of one prediction, and how a GFlowNet finds that out."""

from pages.ui.router import through_app

through_app()

from dataclasses import replace

import streamlit as st

from gfx_core.teaching.glossary import term
from pages.ui import jobs
from pages.ui.address import bind
from pages.ui.components.copy_link import copy_link
from pages.ui.components.player import PlayerView, alone, player
from pages.ui.explain import exports, watching
from pages.ui.explain.own_policy import say_own
from pages.ui.explain.present import fold_away
from pages.ui.explain.sampling import pick_sampling
from pages.ui.explorer import loaders, parameters, traces
from pages.ui.explorer.parameters import BY_HAND, ORDER, PRESENT
from pages.ui.fragments import stop
from pages.ui.jobs import show_storage_problem
from pages.ui.text import plain

if PRESENT.read():
    fold_away()
with st.container(key="explain-head"):
    st.title("Explain one prediction", anchor=False)
    st.markdown(
        f"Why does the GNN say so? Many subgraphs are drawn; what they {term('consensus', 'agree on')} is "
        f"**outlined**: the {term('answer')}. Play to watch one grow. Symbols are in the {term('state', 'glossary')}."
    )
brought = exports.loaded_trace()
if brought is not None:
    st.info(
        f"This trace was loaded from a file: {plain(brought.dataset_title)} {brought.index}. Remove the file to go "
        "back.",
        icon=":material/upload_file:",
    )
    watching.prediction_line(brought)
    watching.flows_line(brought)
    player(alone(brought), key="player", view=PlayerView(at_answer=True))
    exports.export_buttons(brought)
    exports.load_trace()
    stop()

# All that comes and goes has one place that stays, so that what is below keeps its own: an open list stays open.
with st.container(key="explained"):
    _, subject, kind = traces.pick_prediction()
    if subject is None or kind is None:
        stop()
    question = traces.question_about(subject, kind)
    if not say_own(question):
        stop()
    settings = traces.settings_of(question)
    if settings is None:
        traces.say_untrained(question)
        stop()
    shown = None
    found, waiting = traces.found_or_before(question)
    if found is not None:
        question = traces.as_found(replace(question, tuned=question.tuned and not waiting), found)
        with st.container(key="explain-said"):
            watching.prediction_line(found, loaders.readable_header(question.dataset, kind))
            watching.flows_line(found)
        shown = watching.show(found, question, waiting=waiting)
with st.container(horizontal=True, vertical_alignment="bottom", key="sampling"):
    usual = traces.usual_flows(question.dataset, kind, question.own)
    pick_sampling(question, settings, subject.instance.num_nodes, usual)
    bind(
        st.toggle,
        "Build by hand",
        BY_HAND,
        key="by-hand",
        drops=(ORDER,),
        help=f"Choose every step of the {term('trajectory')} yourself and see what the {term('policy')} would do.",
    )
    parameters.page_links("explain")
    copy_link()
if found is not None:
    watching.below(found, shown or found, question)
show_storage_problem()
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor watches
