"""Lesson 8: watch it learn. Two trainings on one clock, and why one of them finds the wrong probabilities."""

import streamlit as st

from gfx_core.gfn.settings import Parents
from gfx_core.teaching.practice import final_states, most_wrong, state_words
from gfx_core.teaching.questions import about_the_last_step
from gfx_core.training.recording import Recording
from pages.ui.address import nodes, spell_nodes, whole
from pages.ui.components.train_view import train_view
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden, verdict

SEQUENCE = "orders"
"""The story that is told."""

ADDRESS = LessonAddress(8)
AT = ADDRESS.parameter("at", None, whole(0, 99_999))
PIN = ADDRESS.parameter("pin", (), nodes, spell=spell_nodes)
"""The nodes of the state that was clicked."""


def show() -> None:
    """The recorded training, what is to be seen of the state that was clicked, and the question."""
    recording = shipped_recording(SEQUENCE)
    if recording is None:
        st.warning("The recording of this lesson is missing: make it with `python -m gfx_core train record`.")
        return
    states = final_states(recording)
    wrong = _sequence_lane(recording)
    worst = most_wrong(states, wrong)
    train_view(
        recording.as_dict(),
        key="l8-view",
        token=f"story {SEQUENCE}",
        step=AT.read(),
        state=PIN.read(),
        only=("dag", "stop"),
        heard={"step": AT.write, "state": PIN.write},
    )
    pinned = _pinned(recording)
    if pinned is None and hidden("controls"):
        pinned = worst
    found = pinned is not None and states[pinned].drawn[wrong] > states[pinned].target
    if pinned is not None and not hidden("theory"):
        words = state_words(states[pinned], tuple(lane.name for lane in recording.lanes))
        verdict(found, words if found else f"{words} **{recording.lanes[wrong].name} samples it too seldom.**")
    if not found:
        with st.container(horizontal=True, vertical_alignment="center", key="l8-click"):
            prompt = "Now click a" if pinned is None else "Choose another: a"
            st.markdown(f"{prompt} state of the second lane whose bar reaches beyond its mark.", width="content")
            nodes_of = tuple(recording.lanes[0].scenes[-1].states[worst])
            st.button(
                f"Show {states[worst].name}",
                key="l8-show",
                icon=":material/ads_click:",
                on_click=PIN.write,
                args=(nodes_of,),
            )
    ask("lesson-8-question", about_the_last_step(states[worst].name, states[worst].orders))


def _sequence_lane(recording: Recording) -> int:
    """The lane that counts only the last step."""
    return next(n for n, lane in enumerate(recording.lanes) if lane.training.config.parents is Parents.SEQUENCE)


def _pinned(recording: Recording) -> int | None:
    """The number of the state that was clicked."""
    wanted = sorted(PIN.read())
    scene = recording.lanes[0].scenes[-1]
    return next((number for number, state in enumerate(scene.states) if sorted(state) == wanted), None)


LESSON = Lesson(show)
