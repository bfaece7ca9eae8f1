"""Get the trace that a page shows: shipped, computed by a worker, or along a trajectory that somebody chose."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gfx_core.config import FlowSource
from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.source import Listed, Typed
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.gfn.own_policies import own_policy, policy_file
from gfx_core.gfn.settings import policy_config
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.jobs.requests import Explain
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.numbers import counted
from gfx_core.trace.schema import Trace
from gfx_core.training.recording import Assembler
from pages.ui import jobs
from pages.ui.components.train_view import Live, train_view
from pages.ui.explorer import loaders, pickers
from pages.ui.explorer.parameters import (
    EXPLORER,
    FLOWS,
    OPTIONS,
    ORDER,
    go_to,
    read_query,
)
from pages.ui.explorer.pickers import Selection, pick_instance, say_how_read
from pages.ui.text import plain, plain_sentence


def pick_prediction(
    first: Question | None = None, title: str = ""
) -> tuple[DeltaGenerator, Selection | None, str | None]:
    """The pickers in a row: the row, which has room for more, the instance, and the kind of GNN.

    Args:
        first: What is shown where the link names no instance; the usual one without it.
        title: Of the page, where that stands in the row: then the pickers are behind a button that says what they
            pick, as long as that can be had.
    """
    view = read_query(first)
    row = st.container(horizontal=True, vertical_alignment="bottom", key="pickers")
    pickers.say_problems(view)
    with row:
        if title:
            st.title(title, anchor=False, width="content")
        with pickers.picker_popover(view) if title else nullcontext():
            pickers.pick_dataset(view)
            subject = pick_instance(view, offers=False)  # the row has no room for more
            kind = pickers.pick_gnn(view)
        example = st.container(key="next-example", width="content")
        with example:
            pick_example(view.info.name, subject)
    say_how_read(subject)
    with example:
        say_example(subject, kind)
    if subject is not None and kind is None:
        hint = loaders.training_hint(view.info)
        st.info(f"The GNN for {plain(view.info.title)} is {hint}", icon=":material/model_training:")
    return row, subject, kind


def question_about(subject: Selection, kind: str) -> Question:
    """What the link asks about a subject: the prediction, the policy and what is drawn from it."""
    chosen = {name: parameter.read() for name, parameter in OPTIONS.items()}
    return Question(subject.instance.dataset, subject.name, subject.source.parameter, kind, **chosen)


def usual_flows(dataset: str, kind: str, own: str = "") -> FlowSource:
    """The flows that are used where the link does not say: exact ones where there is no policy."""
    return FlowSource.LEARNED if policy_file(dataset, kind, own).is_file() else FlowSource.EXACT


def say_unreadable(question: Question) -> None:
    """Where there is a policy that cannot be read: what to do."""
    _, problem = loaders.policy_settings(question.dataset, question.gnn)
    st.error(f"{plain_sentence(problem)} Exact flows need no policy.", icon=":material/broken_image:")
    st.button(
        "Use exact flows",
        key="use-exact-flows",
        icon=":material/functions:",
        help=tooltip("exact-flows"),
        on_click=lambda: FLOWS.write(FlowSource.EXACT),
    )


def settings_of(question: Question) -> dict[str, Any] | None:
    """How the policy was trained; without a policy, how one would be. ``None`` where it is needed and unreadable."""
    if question.own:
        return own_policy(question.own, question.dataset).config
    found, problem = loaders.policy_settings(question.dataset, question.gnn)
    if problem and question.flows is not FlowSource.EXACT:
        return None
    return found or policy_config(question.dataset).as_dict()


def as_found(question: Question, found: Trace) -> Question:
    """The question that a trace answers; where something else was answered than asked for, the page says so."""
    most, wanted = found.made["config"]["max_nodes"], question.max_nodes or settings_of(question)["max_nodes"]
    if found.notes:
        with st.container(horizontal=True, vertical_alignment="center", key="notes"):
            st.markdown(f":material/functions: {plain(' '.join(found.notes))}", width="stretch")
            if FLOWS.read() is FlowSource.LEARNED and found.flows is FlowSource.LEARNED:
                st.button(
                    "Use exact flows", key="exact-again", icon=":material/undo:", on_click=FLOWS.write, args=(None,)
                )
            elif most < wanted:
                trained = usual_flows(question.dataset, question.gnn, question.own) is FlowSource.LEARNED
                st.button(
                    f"{'Learned flows' if trained else 'Train a policy'} for up to {counted(wanted, 'node')}",
                    key="flows-for-more",
                    icon=":material/functions:" if trained else ":material/model_training:",
                    on_click=lambda: FLOWS.write(FlowSource.LEARNED),
                )
    return replace(question, flows=found.flows, max_nodes=most if most < wanted else question.max_nodes)


def _shipped_trace(question: Question) -> Trace | None:
    """What is shipped is of the usual GNN, as far as it sees, and of no other question; it needs no torch."""
    plain_one = question.is_plain and loaders.hops(question.dataset, question.gnn) == DEFAULT_HOPS
    return loaders.trace(question) if plain_one else None


def find_trace(question: Question, slot: str = "explain", patience: float | None = None) -> Trace | None:
    """The trace of a prediction, shipped or from a worker; ``None`` while it is computed (see `jobs.run_job`)."""
    doing = "Training on and explaining" if question.tuned else "Explaining"
    request = Explain(question)
    meanwhile = partial(_learning, request.key) if question.tuned else None
    return _shipped_trace(question) or jobs.run_job(
        f"{doing} {question.title}", request, slot=slot, meanwhile=meanwhile, patience=patience
    )


def _learning(token: str, events: list[dict[str, Any]]) -> None:
    """A training on this one as far as it has come."""
    recording = Assembler("Training on this one")
    recording.feed(events)
    if recording.length:
        train_view(recording.as_dict(), key="learning", token=token, live=Live(running=True, steered=False))


def found_or_before(question: Question) -> tuple[Trace | None, bool]:
    """The trace of a prediction; while the policy is trained on it, the one before, and that it is only that.

    So nobody has to look at nothing: what was known plays on until the training is done.
    """
    with st.container(key="working"):
        found = find_trace(question)
        if found is not None or not question.tuned:
            return found, False
        before = find_trace(replace(question, tuned=False), slot="before")
        if before is not None:
            st.caption("This is the explanation before the training on this one; it plays on meanwhile.")
    return before, before is not None


def pick_example(dataset: str, subject: Selection | None) -> None:
    """A button that goes through the examples of a data set that have a shipped trace: they open at once."""
    chosen = [question for question in SHIPPED if question.dataset == dataset]
    if not chosen:
        return
    at = next((number for number, question in enumerate(chosen) if subject and _is_same(question, subject)), -1)
    after = chosen[(at + 1) % len(chosen)]

    def go() -> None:
        EXPLORER.change({ORDER: None})
        go_to(dataset, after.origin, after.name)

    st.button(
        "Next example",
        key="example-button",
        icon=":material/auto_awesome:",
        help=f"Open the next of {len(chosen)} examples.",
        on_click=go,
    )


def _is_same(question: Question, subject: Selection) -> bool:
    """Whether a question is about what is shown, by its name or as somebody types it."""
    origin, typed = question.origin, isinstance(subject.source, Typed)
    if typed and isinstance(origin, Listed):
        return origin.typed(question.name) == subject.name
    return (question.source, question.name) == (subject.source.parameter, subject.name)


def say_example(subject: Selection | None, kind: str | None) -> None:
    """Which example is shown, and what it is an example of; an empty place where it is none, so that nothing moves."""
    place = st.container(key="which-example")
    if subject is None or kind != DEFAULT_KIND:
        return
    chosen = examples(subject.instance.dataset, subject.source.parameter)
    for number, each in enumerate(chosen, 1):
        if each.name == subject.name:
            place.caption(plain(f"Example {number} of {len(chosen)}, {each.words}."))
