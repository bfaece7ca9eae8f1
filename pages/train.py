"""Train: watch a policy learn one prediction, alone or two ideas side by side."""

from typing import Any

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.jobs.job import JobState
from gfx_core.teaching.glossary import term
from gfx_core.training.recording import Recording
from gfx_core.training.training import LEFT_S, training_names
from pages.ui import jobs
from pages.ui.components.browser import copy_link
from pages.ui.components.train_view import Live, train_view
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.presenting import PRESENT
from pages.ui.text import plain
from pages.ui.train import exports, form
from pages.ui.train import live_run as runs
from pages.ui.train.link import AT, EXPLORER, PIN, RUN, VIEW, Plan, read_plan
from pages.ui.train.live_run import Run

_POLL_S = 0.5
_PROBLEM = "train:problem"  # session state: why a training could not be started


def show() -> None:
    """All of it."""
    st.html(form.STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="train-head"):
        st.title("Watch a policy learn", anchor=False, width="content")
        controls = st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center")
    with st.container(horizontal=True, vertical_alignment="center", key="train-story-row"):
        form.pick_story()
        subject = form.pick_subject()
        watch_for = st.container(width="stretch")
    if subject is None:
        return
    plan = read_plan(subject)
    uploaded = exports.uploaded_recording()
    with watch_for:
        if uploaded is None:
            learning = (run := runs.current(plan)) is not None and run.pending
            st.fragment(_say_story, run_every=_POLL_S if learning else None)(plan)
        else:
            st.caption(
                f"Below plays the recording that you opened, **{plain(uploaded[1].title)}**. Remove its file at the "
                "end of the page to go back to this training."
            )
    beside = st.columns(len(plan.trainings), gap="small")
    for number, name in enumerate(training_names(plan.trainings), 1):
        with beside[number - 1]:
            form.training_row(number, plan, name)
    run = _current_run(plan)
    with controls:
        _buttons(plan, run)
        copy_link()
    with st.container(key="train-problems"):
        _say_problems(plan, run)
        if uploaded is None:
            _say_shown(plan, run)
        if run is None or not run.active:
            form.say_size(plan)
    with st.container(key="train-stage"):
        live = run is not None and run.pending and uploaded is None
        st.fragment(_views, run_every=_POLL_S if live else None)(plan, uploaded, live)
    if not live:  # it is offered once there is something whole
        _below(plan, run, uploaded)


def _say_story(plan: Plan) -> None:
    """What to watch; a training that is no longer the story's says what was changed in it."""
    run = runs.current(plan)
    own = run is not None and bool(run.length)
    form.say_story(plan, own=own, departures=run.departures(plan) if own and run is not None else "")


def _current_run(plan: Plan) -> Run | None:
    """The visitor's training, if it is of what is planned; what was changed meanwhile is passed on to it."""
    run = runs.current(plan)
    if run is None:
        return None
    run.update()
    if run.active and run.change(plan.trainings):
        st.toast("This change restarts the training.", icon=":material/restart_alt:")
    return run


def _start(plan: Plan) -> None:
    try:
        runs.begin(plan)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    EXPLORER.change({AT: None, RUN: None})


def _buttons(plan: Plan, run: Run | None) -> None:
    """Train, end, and what happens to a training when one leaves."""
    if run is None or not run.pending:
        st.button(
            "Train live",
            key="train-live",
            type="primary",
            icon=":material/model_training:",
            on_click=_start,
            args=(plan,),
            help="A worker trains with these settings, beside the page, and the views move while it learns.",
        )
        return
    st.button(
        "End",
        key="train-end",
        icon=":material/stop_circle:",
        on_click=run.end,
        help="End the training; the policy and the recording stay.",
    )

    def stay() -> None:
        run.set_stay(not run.stay)
        RUN.write(run.name if run.stay else None)

    st.toggle(
        "Continue in the background",
        value=run.stay,
        key=f"train-stay-{id(run.job)}",
        on_change=stay,
        help="The training continues when this page is closed, and its link finds it again. Otherwise it ends "
        f"{LEFT_S:g} s after you close or leave its page.",
    )


def _say_problems(plan: Plan, run: Run | None) -> None:
    """What could not be done, in sentences."""
    for problem in plan.problems:
        st.warning(plain(problem), icon=":material/tune:")
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(plain(problem), icon=":material/hourglass_disabled:")
    if run is not None and run.failure:
        st.warning(plain(run.failure), icon=":material/warning:")
    if run is not None and run.stays_beside(plan):
        st.caption("**A** is the training that has ended. It stays: **Train live** trains **B** beside it.")
    other = runs.latest()
    if other is not None and other is not run and other.active:
        with st.container(horizontal=True, vertical_alignment="center", key="train-other"):
            ends = "It keeps running." if other.stay else f"It ends {LEFT_S:g} s after you leave it."
            st.caption(f"Another of your trainings is running: {plain(other.assembler.title)}. {ends}")
            st.button("End it", key="train-end-other", icon=":material/stop_circle:", on_click=other.end)


def _say_shown(plan: Plan, run: Run | None) -> None:
    """What the views below were trained with, where knobs were changed since."""
    if run is not None and run.pending:
        return
    shown = run.trainings if run is not None and run.length else plan.story.trainings if plan.story else ()
    for letter, was, now in zip("AB", shown, plan.trainings, strict=False):
        if was != now:
            before, after = map(plain, training_names((was, now)))
            lane = f"in **{letter}**, " if len(plan.trainings) > 1 else ""
            st.caption(f"Shown: {lane}trained with {before}. Press **Train live** for {after}.")


def _views(plan: Plan, uploaded: tuple[str, Recording] | None, live: bool) -> None:
    """The views; while a training goes on they ask for what is new."""
    run = runs.current(plan)
    if live and run is not None:
        run.update()
        run.send({"do": "alive"})
        if not run.pending:
            st.rerun()
    found = _shown(plan, run, uploaded)
    if found is None or (run is not None and uploaded is None and not run.length):
        _nothing_yet(run)
    if found is None:
        return
    token, recording = found
    standing = None
    if live and run is not None and run.length:
        state = run.assembler.state
        standing = Live(bool(state.get("running", True)), str(state.get("words", "")))

    def command(name: str) -> None:
        current = runs.current(plan)
        if current is not None:
            current.send({"do": name})

    train_view(
        recording,
        key="train-view",
        token=token,
        live=standing,
        presenting=PRESENT.read(),
        step=AT.read(),
        state=PIN.read(),
        view=VIEW.read(),
        heard={"command": command, "step": AT.write, "state": PIN.write, "view": VIEW.write},
    )


def _shown(plan: Plan, run: Run | None, uploaded: tuple[str, Recording] | None) -> tuple[str, dict[str, Any]] | None:
    """What is shown, and a name for it: what was uploaded, the visitor's own training, or what is shipped.

    What is shipped also stays in view until the visitor's own training has something to show.
    """
    if uploaded is not None:
        return f"file {uploaded[0]}", uploaded[1].as_dict()
    count = len(plan.trainings)
    if run is not None and run.length:
        return run.token(count), run.as_dict(count)
    shipped = shipped_recording(plan.story.name) if plan.story else None
    return None if shipped is None else (f"story {plan.story and plan.story.name}", shipped.as_dict())


def _nothing_yet(run: Run | None) -> None:
    if run is None:
        st.info(
            "Press **Train live**: a policy learns this prediction from scratch, and you watch it learn. A story from "
            "the list above plays at once.",
            icon=":material/model_training:",
        )
    elif run.active:
        waiting = run.job.status.state is JobState.QUEUED
        words = "Getting ready: loading PyTorch takes some seconds the first time."
        st.info(plain(jobs.status_text(run.job.status) if waiting else words), icon=":material/hourglass_top:")


def _below(plan: Plan, run: Run | None, uploaded: tuple[str, Recording] | None) -> None:
    """What can be taken along."""
    recording = uploaded[1] if uploaded is not None else None
    with st.container(key="train-below"):
        if uploaded is None and run is not None:
            recording = run.recording(len(plan.trainings)) if run.length else None
            names = [lane.name for lane in recording.lanes] if recording else []
            exports.policy_buttons(run.policies, run.trainings, names)
        elif uploaded is None and plan.story:
            recording = shipped_recording(plan.story.name)
        if recording is not None:
            exports.export_buttons(recording)
        exports.open_again()
        st.caption(f"What the symbols mean is in the {term('total variation', 'glossary')}.")


show()
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor watches what is shipped
