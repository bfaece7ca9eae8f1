"""Get the trace that a page shows: shipped, or computed by a worker."""

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.own_policies import own_policy, policy_file
from gfx_core.gfn.settings import policy_config
from gfx_core.jobs import requests
from gfx_core.trace.schema import Trace
from gfx_core.training.recording import Assembler
from pages.ui import jobs
from pages.ui.components.train_view import Live, train_view
from pages.ui.explorer import loaders
from pages.ui.explorer.parameters import FLOWS, OPTIONS, OWN
from pages.ui.explorer.pickers import Selection
from pages.ui.text import plain
from pages.ui.wording import WORDS, widget


def question_about(selection: Selection, gnn: str) -> Question:
    """What the link is about: the prediction, the policy and how it is sampled."""
    chosen = {name: parameter.read() for name, parameter in OPTIONS.items()}
    return Question(selection.instance.dataset, selection.name, selection.source.parameter, gnn, **chosen)


def usual_flows(question: Question) -> FlowSource:
    """The flows that are used where the link has none: exact ones where there is no policy."""
    has_policy = policy_file(question.dataset, question.gnn, question.own).is_file()
    return FlowSource.LEARNED if has_policy else FlowSource.EXACT


def settings_of(question: Question) -> dict[str, Any] | None:
    """How the policy was trained; without one, how one would be.

    ``None`` where it is needed and cannot be read: then the page has the reason, and what else to use.
    """
    settings, problem = None, ""
    try:
        if question.own:
            settings = own_policy(question.own, question.dataset, question.gnn).config
        else:
            settings = loaders.policy_settings(question.dataset, question.gnn)
    except UserError as error:
        problem = plain(str(error))
    if question.own:
        with st.container(horizontal=True, vertical_alignment="center", key="own-policy"):
            st.markdown(WORDS["explain"]["own-policy"])
            st.button(**widget("use-shipped"), on_click=OWN.write, args=(None,))
    elif problem and question.flows is FlowSource.EXACT:
        problem = ""  # these need no policy
    elif problem:
        st.button(**widget("use-exact-flows"), on_click=FLOWS.write, args=(FlowSource.EXACT,))
    if problem:
        st.error(problem, icon=":material/broken_image:")
        return None
    return settings or policy_config(question.dataset).as_dict()


def answered(question: Question, trace: Trace) -> Question:
    """The question that a trace answers; where it answers another one than was requested, the page has a note."""
    if trace.notes:
        with st.container(key="notes"):
            st.markdown(f":material/functions: {plain(' '.join(trace.notes))}")
    return replace(question, flows=trace.flows, max_nodes=trace.made["config"]["max_nodes"])


def find_trace(question: Question, slot: str = "explain", patience: float | None = None) -> Trace | None:
    """The trace of a prediction, shipped or from a worker; ``None`` while it is computed (see `jobs.run_job`)."""
    is_shipped = question.is_plain and loaders.hops(question.dataset, question.gnn) == DEFAULT_HOPS
    if is_shipped and (trace := loaders.trace(question)) is not None:
        return trace
    request, title, meanwhile = requests.explain(question), f"Explaining {question.title}", None
    if question.tuned:
        title, meanwhile = f"Training on and explaining {question.title}", partial(_learning, request.key)
    return jobs.run_job(title, request, slot=slot, meanwhile=meanwhile, patience=patience)


def _learning(token: str, events: list[dict[str, Any]]) -> None:
    """A training on this one as far as it has come."""
    recording = Assembler("Training on this one")
    recording.feed(events)
    if recording.length:
        train_view(recording.as_dict(), key="learning", token=token, live=Live(running=True, steered=False))
