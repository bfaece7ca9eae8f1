"""What every lesson shares: its outline, its parts, what a teacher's link hides, and its question.

A link reads ``/learn?lesson=3&done=1.2&hide=controls&…``. All other parameters belong to the lesson that is shown,
which declares them in a `LessonAddress` of its own: the same name may mean other things in other lessons.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from gfx_core.teaching.questions import LessonQuestion
from pages.ui.address import Address, Parameter, bind, whole
from pages.ui.classroom import membership
from pages.ui.lessons import progress


@dataclass(frozen=True)
class Lesson:
    """One screen with one idea.

    Attributes:
        title: Its heading.
        idea: What it is about, in one sentence.
        task: The one thing to do.
        look: What to look at instead, where a teacher's link hides the controls.
        show: Draws it.
        explain: Says with which query parameters "Open this in Explain" opens, at this moment.
        train: The same for "See this in Train".
    """

    title: str
    idea: str
    task: str
    look: str
    show: Callable[[], None]
    explain: Callable[[], Mapping[str, str]] | None = None
    train: Callable[[], Mapping[str, str]] | None = None


def hidden(part: str) -> bool:
    """Whether a teacher's link hides a part of the lesson."""
    return part in progress.HIDE.read()


def part_of(address: Address, names: Sequence[str]) -> Parameter[int]:
    """Which part of a lesson is shown, from 0; links count them from 1."""
    count = whole(1, len(names))
    return address.parameter("part", 0, lambda text: count(text) - 1, spell=lambda part: str(part + 1))


def pick_part(key: str, part: Parameter[int], names: Sequence[str]) -> None:
    """The parts of a lesson side by side."""
    bind(
        st.segmented_control,
        "What to do",
        part,
        range(len(names)),
        key=key,
        format_func=lambda number: f"{number + 1} · {names[number]}",
        required=True,
        wrap=True,
        label_visibility="collapsed",
    )


def verdict(good: bool, text: str) -> None:
    """What came of something, in a line with a mark."""
    st.markdown(f"{':green[:material/check_circle:]' if good else ':orange[:material/warning:]'} {text}")


def ask(key: str, question: LessonQuestion) -> None:
    """The question of the lesson shown; every answer is told why it is right or wrong."""
    if hidden("question"):
        return
    text, number, kept = f"**Question.** {question.text}", progress.shown(), f"{key}:answer"

    def answered() -> None:  # it counts even if one goes on before it was told so
        st.session_state[kept] = st.session_state.get(key)
        membership.answered(number, question, st.session_state[kept])
        if st.session_state[kept] == question.right:
            progress.tick(number)

    if key not in st.session_state and st.session_state.get(kept) is not None:
        st.session_state[key] = st.session_state[kept]  # Streamlit forgets it when the lesson is left
    with st.container(border=True, key=f"question-{key}", gap="small"):
        if options := question.options:
            numbers = range(len(options))
            st.radio(text, numbers, format_func=options.__getitem__, index=None, key=key, on_change=answered)
        else:
            hint = "Type a number and press Enter"
            st.number_input(text, value=None, step=1, placeholder=hint, key=key, width=460, on_change=answered)
        with st.container(key=f"verdict-{key}"):
            _say(question, st.session_state.get(key))


def _say(question: LessonQuestion, answer: int | None) -> None:
    """What is said to an answer, in a place that has room for the longest that may be said: nothing below it moves."""
    st.html(f'<div class="verdict-room" aria-hidden="true">{html.escape(question.longest)}</div>')
    if answer is None:
        return
    if answer == question.right:
        st.success(question.say(answer), icon=":material/check_circle:")
    else:
        st.warning(question.say(answer), icon=":material/help:")
