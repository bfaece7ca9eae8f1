"""The training on show: live, ended, shipped or brought along; its buttons, and the views that draw it."""

from typing import Any

import streamlit as st

from gfx_core.crew.job import JobState
from gfx_core.errors import UserError
from gfx_core.training.recording import Recording
from gfx_core.training.requests import LEFT_S
from pages.ui import jobs
from pages.ui.address import bind, catch_up
from pages.ui.components.train_view import Live, TrainActions, TrainView, train_view
from pages.ui.delivery import fragment
from pages.ui.explorer.loaders import pinned_key, pinned_nodes, shipped_recording
from pages.ui.text import plain
from pages.ui.train import run as runs
from pages.ui.train.chosen import Chosen
from pages.ui.train.link import AT, EXPLORER, PACE, PACES, PIN, RUN, VIEW
from pages.ui.train.run import Run

_POLL_S = 0.5
_PROBLEM = "train:problem"  # session state: why a training could not be started


def shown_run(chosen: Chosen) -> Run | None:
    """The visitor's training, if it is of what is chosen; what was changed meanwhile is passed on to it."""
    run = runs.latest()
    if run is None or run.place != chosen.place:
        return None
    run.hear()
    if run.going and run.lanes != chosen.lanes and run.change(chosen.lanes):
        st.toast("This change begins the training anew.", icon=":material/restart_alt:")
    return run


def start(chosen: Chosen) -> None:
    """Begin a training of what is chosen."""
    title = chosen.story.title if chosen.story else chosen.lanes[0].title
    try:
        runs.begin(chosen.lanes, chosen.place, title)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    EXPLORER.change({AT: None, RUN: None})


def buttons(chosen: Chosen, run: Run | None) -> None:
    """Train, end, and what happens to a training when one leaves."""
    going = run is not None and run.awaited
    if not going:
        st.button(
            "Train live",
            key="train-live",
            type="primary",
            icon=":material/model_training:",
            on_click=start,
            args=(chosen,),
            help="A worker trains with these settings, beside the page, and the views move while it learns.",
        )
        return
    assert run is not None
    st.button(
        "End",
        key="train-end",
        icon=":material/stop_circle:",
        on_click=run.end,
        help="End the training; what was learnt and recorded stays.",
    )
    _pick_pace(run)
    st.toggle(
        "Keep running",
        value=run.stay,
        key=f"train-stay-{id(run.job)}",
        on_change=runs.stay,
        args=(run, not run.stay),
        help=f"Also when this page is closed: its link finds it again. Else a training ends {LEFT_S:g} s after its "
        "page was closed or left.",
    )


def _pick_pace(run: Run) -> None:
    bind(
        st.selectbox,
        "Speed",
        PACE,
        PACES,
        key="train-pace",
        format_func=lambda pace: f"{pace:g} steps/s" if pace else "full speed",
        label_visibility="collapsed",
        width=130,
    )
    if PACE.read() != run.pace:
        run.pace = PACE.read()
        run.send({"do": "speed", "steps_per_second": run.pace or None})


def _offer_restart(run: Run) -> None:
    """Where somebody scrubbed back in a training that goes on: go on from there."""
    step = AT.read()
    if step is None or step >= run.assembler.state.get("step", 0):
        return

    def restart() -> None:
        run.send({"do": "restart", "step": step})
        AT.write(None)

    with st.container(horizontal=True, vertical_alignment="center", key="train-restart-row"):
        st.button(
            f"Train on from step {step:,}",
            key="train-restart",
            icon=":material/restart_alt:",
            on_click=restart,
            help="What came after it is forgotten.",
        )
        st.caption("Weights are kept at some moments: it goes on from the last of them that is not after this step.")


def say_problems(chosen: Chosen, run: Run | None) -> None:
    """What could not be done, in sentences."""
    for problem in chosen.problems:
        st.warning(plain(problem), icon=":material/tune:")
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(plain(problem), icon=":material/hourglass_disabled:")
    if run is not None and run.failed:
        st.warning(plain(run.failed), icon=":material/warning:")
    other = runs.latest()
    if other is not None and other is not run and other.going:
        with st.container(horizontal=True, vertical_alignment="center", key="train-other"):
            ends = "It stays as you asked." if other.stay else f"It ends by itself {LEFT_S:g} s after you left it."
            st.caption(f"Another training of yours goes on: {plain(other.assembler.title)}. {ends}")
            st.button("End it", key="train-end-other", icon=":material/stop_circle:", on_click=other.end)


def watch(chosen: Chosen, run: Run | None, brought: tuple[str, Recording] | None) -> None:
    """The views; while a training goes on they ask for what is new."""
    going = run is not None and run.awaited and brought is None
    fragment(_views, run_every=_POLL_S if going else None)(chosen, brought, going)


def _views(chosen: Chosen, brought: tuple[str, Recording] | None, going: bool) -> None:
    catch_up()
    run = runs.latest()
    run = run if run is not None and run.place == chosen.place else None
    if going and run is not None:
        run.hear()
        run.send({"do": "alive"})
        if not run.awaited:
            st.rerun()
    found = _recorded(chosen, run, brought)
    if found is None or (run is not None and brought is None and not run.assembler.length):
        _nothing_yet(run)
    if found is None:
        return
    token, recording = found
    live = None
    if going and run is not None and run.assembler.length:
        _offer_restart(run)
        live = _live(run)
    view = TrainView(step=AT.read(), state=pinned_key(PIN.read()), name=VIEW.read())
    train_view(recording, key="train-view", token=token, live=live, view=view, actions=_actions(chosen))


def _recorded(
    chosen: Chosen, run: Run | None, brought: tuple[str, Recording] | None
) -> tuple[str, dict[str, Any]] | None:
    """What is shown, and a name for it: what was brought along, the visitor's own training, or what is shipped.

    What is shipped also stays in view until the visitor's own training has something to show.
    """
    if brought is not None:
        return f"file {brought[0]}", brought[1].as_dict()
    if run is not None and run.assembler.length:
        return run.token, run.assembler.as_dict()
    shipped = shipped_recording(chosen.story.name) if chosen.story and chosen.own else None
    return None if shipped is None else (f"story {chosen.story and chosen.story.name}", shipped.as_dict())


def _nothing_yet(run: Run | None) -> None:
    if run is None:
        st.info(
            "Press **Train live**: a policy learns this prediction from scratch, and all that is known of it is drawn "
            "while it does.",
            icon=":material/model_training:",
        )
    elif run.going:
        status = run.job.status
        words = jobs.in_words(status) if status.state is JobState.QUEUED else "Getting ready: the first time it takes "
        words += "" if status.state is JobState.QUEUED else "some seconds until PyTorch is there."
        st.info(plain(words), icon=":material/hourglass_top:")


def _live(run: Run) -> Live:
    state = run.assembler.state
    return Live(bool(state.get("running", True)), str(state.get("words", "")))


def _actions(chosen: Chosen) -> TrainActions:
    def command(name: str) -> None:
        run = runs.latest()
        if run is not None and run.going and run.place == chosen.place:
            run.send({"do": name})

    return TrainActions(command=command, step=AT.write, state=lambda key: PIN.write(pinned_nodes(key)), view=VIEW.write)
