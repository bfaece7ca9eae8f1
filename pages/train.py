"""Train: watch a policy learn one prediction, alone or two ideas side by side."""

from typing import Any

import streamlit as st

from gfx_core.jobs.job import JobState
from gfx_core.training.recording import Recording
from gfx_core.training.training import LEFT_S, training_names
from pages.ui import jobs, train
from pages.ui.components.browser import copy_link
from pages.ui.components.player import Live, train_view
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.presenting import PRESENT
from pages.ui.text import error_shown, plain
from pages.ui.train import AT, EXPLORER, PIN, RUN, TEXTS, VIEW, Plan, Run, read_plan
from pages.ui.widgets import in_row, widget

_POLL_S = 0.5


def show() -> None:
    """All of it."""
    st.html(train.STYLE)
    with in_row("train-head"):
        st.title("Watch a policy learn", anchor=False, width="content")
        buttons = st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center")
    with in_row("train-story-row"):
        train.pick_story()
        subject = train.pick_subject()
        watch = st.container(width="stretch")
    if subject is None:
        return
    plan, uploaded = read_plan(subject), train.uploaded_recording()
    run = train.current(plan) if uploaded is None else None
    if run is not None:
        run.update()
        if run.active and run.change(plan.trainings):
            st.toast("This change restarts the train.", icon=":material/restart_alt:")
    watch.markdown(_watch(plan, run, uploaded))
    columns, names = st.columns(len(plan.trainings), gap="small"), training_names(plan.trainings)
    for number, (column, name) in enumerate(zip(columns, names, strict=True), 1):
        with column:
            train.training_row(number, plan, name)
    live = run is not None and run.pending
    with buttons:
        if run is not None and live:
            _steer(run)
        else:
            st.button(**widget("train-live"), on_click=_start, args=(plan,))
        copy_link()
    with st.container(key="train-problems"):
        _problems(plan, run)
    with st.container(key="train-stage"):
        st.fragment(_views, run_every=_POLL_S if live else None)(plan, run, uploaded)
    if not live:  # what can be taken along is offered once there is something whole
        _, recording = _shown(plan, run, uploaded)
        with st.container(key="train-below"):
            if run is not None:
                train.policy_buttons(run)
            if recording is not None:
                train.export_buttons(Recording.from_dict(recording))
            train.open_again()


def _watch(plan: Plan, run: Run | None, uploaded: Recording | None) -> str:
    """What to watch."""
    if uploaded is not None:
        return TEXTS["uploaded"].format(title=plain(uploaded.title))
    if run is not None:
        return TEXTS["own"]
    return TEXTS["watch"] if plan.story is None else f"**Watch:** {plain(plan.story.watch)}"


def _start(plan: Plan) -> None:
    with error_shown("hourglass_disabled"):
        train.begin(plan)
        EXPLORER.change({AT: None, RUN: None})


def _steer(run: Run) -> None:
    """End a training, and what happens to it when one leaves."""
    st.button(**widget("train-end"), on_click=run.end)
    texts = widget("train-stay", name=run.name, seconds=LEFT_S)
    st.toggle(**texts, value=run.stay, on_change=run.set_stay, args=(not run.stay,))


def _problems(plan: Plan, run: Run | None) -> None:
    """What could not be done, and how what is seen below was trained otherwise than planned."""
    for problem in (*plan.problems, *([run.failure] if run is not None and run.failure else [])):
        st.warning(plain(problem), icon=":material/warning:")
    if run is not None and run.pending:
        return
    trained = run.trainings if run is not None else plan.story.trainings if plan.story else ()
    for letter, then, now in zip("AB", trained, plan.trainings, strict=False):
        if then != now:
            before, after = map(plain, training_names((then, now)))
            lane = f"in **{letter}**, " if len(plan.trainings) > 1 else ""
            st.caption(TEXTS["shown"].format(lane=lane, before=before, after=after))


def _views(plan: Plan, run: Run | None, uploaded: Recording | None) -> None:
    """The views; while a training goes on they ask for what is new."""
    live = None
    if run is not None and run.pending:
        run.update()
        run.send({"do": "alive"})
        if not run.pending:
            st.rerun()
        if run.assembler.length:
            state = run.assembler.state
            live = Live(bool(state.get("running", True)), str(state.get("words", "")))
        else:
            waiting = run.job.status.state is JobState.QUEUED
            words = plain(jobs.status_text(run.job.status)) if waiting else TEXTS["waiting"]
            st.info(words, icon=":material/hourglass_top:")
    token, recording = _shown(plan, run, uploaded)
    if recording is not None:
        heard = {"step": AT.write, "state": PIN.write, "view": VIEW.write}
        heard["command"] = lambda name: run and run.send({"do": name})
        opened = {"step": AT.read(), "state": PIN.read(), "view": VIEW.read()}
        looks = {"presenting": PRESENT.read(), **opened}
        train_view(recording, key="train-view", token=token, live=live, heard=heard, **looks)
    elif run is None:
        st.info(TEXTS["begin"], icon=":material/model_training:")


def _shown(plan: Plan, run: Run | None, uploaded: Recording | None) -> tuple[str, dict[str, Any] | None]:
    """A name for what is shown, and that as JSON; what is shipped stays until one's own training has frames."""
    if uploaded is not None:
        return f"file {id(uploaded)}", uploaded.as_dict()
    if run is not None and run.assembler.length:
        return run.token, run.as_dict()
    shipped = shipped_recording(plan.story.name) if plan.story else None
    return f"story {plan.key[0]}", None if shipped is None else shipped.as_dict()


show()
jobs.warm_up()  # PyTorch is loaded in the background while the visitor watches what is shipped
