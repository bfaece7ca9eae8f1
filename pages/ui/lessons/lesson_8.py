"""Lesson 8: watch it learn. Two trainings on one clock, and why one of them finds the wrong probabilities."""

import streamlit as st

from gfx_core.gfn.settings import Parents
from gfx_core.teaching.practice import final_states, most_wrong, state_words
from gfx_core.teaching.questions import about_the_last_step
from pages.ui.address import nodes, spell_nodes, whole
from pages.ui.components.player import train_view
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden
from pages.ui.widgets import in_row, widget

STORY = "orders"
"""Of the recording."""

ADDRESS = LessonAddress(8)
AT = ADDRESS.parameter("at", None, whole(0, 99_999))
PIN = ADDRESS.parameter("pin", (), nodes, spell=spell_nodes)
"""The nodes of the state that was clicked."""


def show() -> None:
    """The recorded training, what is to be seen of the state that was clicked, and the question."""
    recording = shipped_recording(STORY)
    if recording is None:
        st.warning("The recording of this lesson is missing: make it with `python -m gfx_core train record`.")
        return
    lanes, states = recording.lanes, final_states(recording)
    wrong = next(n for n, lane in enumerate(lanes) if lane.training.config.parents is Parents.SEQUENCE)
    worst = most_wrong(states, wrong)
    heard = {"step": AT.write, "state": PIN.write}
    opened = {"step": AT.read(), "state": PIN.read(), "only": ("dag", "stop")}
    train_view(recording.as_dict(), key="l8-view", token=f"story {STORY}", heard=heard, **opened)
    sets = [sorted(state) for state in lanes[0].scenes[-1].states]
    pinned = sets.index(sorted(PIN.read())) if sorted(PIN.read()) in sets else worst if hidden("controls") else None
    too_often = pinned is not None and states[pinned].drawn[wrong] > states[pinned].target
    if pinned is not None and not hidden("theory"):
        rarely = "" if too_often else f" **{lanes[wrong].name} samples it too seldom.**"
        st.markdown(state_words(states[pinned], tuple(lane.name for lane in lanes)) + rarely)
    if not too_often:
        with in_row("l8-click"):
            st.markdown("Click a state of the second lane whose bar reaches beyond its mark.", width="content")
            st.button(**widget("l8-show", name=states[worst].name), on_click=PIN.write, args=(tuple(sets[worst]),))
    ask(about_the_last_step(states[worst]))


LESSON = Lesson(ADDRESS, show)
