"""The page Train from top to bottom."""

from pathlib import Path

import streamlit as st

from gfx_core.teaching.glossary import term
from gfx_core.training.recording import Recording
from gfx_core.training.setting_words import lane_names
from pages.ui.address import bind
from pages.ui.components.copy_link import copy_link
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.train import exports, stage
from pages.ui.train.chosen import Chosen, chosen
from pages.ui.train.knobs import lane_row
from pages.ui.train.link import COUNT, WHOLE
from pages.ui.train.run import Run
from pages.ui.train.size import say_size
from pages.ui.train.story import pick_story, say_story
from pages.ui.train.subject import pick_subject
from pages.ui.train.whole import show_whole

STYLE = Path(__file__).with_name("train.css")
_WHAT = {False: "One prediction", True: "A whole data set"}


def show() -> None:
    """All of it."""
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="train-head"):
        st.title("Watch a policy learn", anchor=False, width="content")
        bind(
            st.segmented_control,
            "What is trained",
            WHOLE,
            list(_WHAT),
            key="train-what",
            format_func=_WHAT.__getitem__,
            required=True,
            label_visibility="collapsed",
        )
        controls = st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center")
    if WHOLE.read():
        show_whole()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="train-story-row"):
        pick_story()
        subject = pick_subject()
        second = st.container(width="content")
        said = st.container(width="stretch")
    if subject is None:
        return
    made = chosen(subject)
    with second:
        _pick_count(made)
    with said:
        say_story(made)
    beside = st.columns(len(made.lanes), gap="small")
    for number, (lane, told, name) in enumerate(zip(made.lanes, made.told, lane_names(made.lanes), strict=True), 1):
        with beside[number - 1]:
            lane_row(number, lane, told, name)
    run = stage.shown_run(made)
    with controls:
        stage.buttons(made, run)
        copy_link()
    with st.container(key="train-problems"):
        stage.say_problems(made, run)
        if run is None or not run.going:
            say_size(made)
    brought = exports.loaded()
    with st.container(key="train-stage"):
        stage.watch(made, run, brought)
    _below(made, run, brought)


def _pick_count(made: Chosen) -> None:
    key = "train-two"
    st.session_state[key] = len(made.lanes) > 1
    usual = len(made.story.lanes) if made.story else 1

    def change() -> None:
        count = 2 if st.session_state[key] else 1
        COUNT.write(None if count == usual else count)

    st.toggle("Two lanes", key=key, on_change=change, help="The same prediction under two settings, on one clock.")


def _below(made: Chosen, run: Run | None, brought: tuple[str, Recording] | None) -> None:
    """What can be taken along."""
    if run is not None and run.awaited and brought is None:
        return  # it is offered once there is something whole
    shown = _shown(made, run, brought)
    with st.container(key="train-below"):
        if run is not None and brought is None:
            exports.policy_buttons(run.policies, run.lanes, [lane["name"] for lane in run.assembler.lanes])
        if shown is not None:
            exports.export_buttons(shown)
        exports.open_again()
        st.caption(f"What the symbols mean is in the {term('total variation', 'glossary')}.")


def _shown(made: Chosen, run: Run | None, brought: tuple[str, Recording] | None) -> Recording | None:
    if brought is not None:
        return brought[1]
    if run is not None:
        return run.recording() if run.assembler.length else None
    return shipped_recording(made.story.name) if made.story and made.own else None
