"""What every lesson shares: its outline, its place in the URL, and questions with a checked answer.

The URL reads ``/learn?lesson=3&done=1.2&hide=controls&…``; all other parameters are presets of the lesson shown.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gfx_core.errors import UserError
from pages.ui.selection import choose

T = TypeVar("T")

PARTS = ("controls", "question", "theory")
"""What a teacher's link can hide."""
SHORT_TITLES = ("Water", "States", "Tree or DAG", "Balance", "Parents", "Rewards", "FM or TB")
"""The seven lessons in the row at the top of the page."""
_KEPT = ("done", "hide")  # parameters that stay when another lesson is opened
_SHOWN_DONE = "learn:shown-done"  # session state: the lessons that the row shows as done
_SENSELESS = (ValueError, TypeError, KeyError, IndexError, ArithmeticError, UserError)


@dataclass(frozen=True)
class Lesson:
    """One screen with one idea.

    Attributes:
        number: 1 to 7.
        slug: A short name, for keys.
        title: Its heading.
        idea: What it is about, in one sentence.
        task: The one thing to do.
        show: Draws it.
        explain: Query parameters of "Open this in Explain".
    """

    number: int
    slug: str
    title: str
    idea: str
    task: str
    show: Callable[[], None]
    explain: Mapping[str, str] | None = None


def lesson_number() -> int:
    """Which lesson the URL asks for; the first where it asks for none that exists."""
    return preset("lesson", 1, _number_of_a_lesson)


def go_to(number: int) -> None:
    """Open another lesson: what was set in this one goes, what was done and is hidden stays."""
    choose(**dict.fromkeys(name for name in list(st.query_params) if name not in _KEPT))
    choose(lesson=number)


def done() -> frozenset[int]:
    """The lessons whose question was answered."""
    parts = st.query_params.get("done", "").split(".")
    return frozenset(int(part) for part in parts if part in {str(n + 1) for n in range(len(SHORT_TITLES))})


def mark_done() -> None:
    """The question of the lesson shown was answered."""
    choose(done=".".join(str(n) for n in sorted(done() | {lesson_number()})))


def row_shows(lessons: frozenset[int]) -> None:
    """The page says which lessons its row shows as done, so that it is drawn again when there are more."""
    st.session_state[_SHOWN_DONE] = lessons


def preset(name: str, default: T, parse: Callable[[str], T]) -> T:
    """A value that a teacher's link, or the visitor's own last choice, put into the URL.

    Args:
        name: Of the URL parameter.
        default: Taken where it is absent or makes no sense.
        parse: Reads it; may raise ValueError, TypeError, KeyError, IndexError, ArithmeticError or UserError.
    """
    text = st.query_params.get(name)
    if text is None:
        return default
    try:
        value = parse(text)
    except _SENSELESS:
        return default
    return default if isinstance(value, float) and not math.isfinite(value) else value


def keep(**values: str | float | None) -> None:
    """Write values into the URL; ``None`` takes one out."""
    choose(**{name: None if value is None else str(value) for name, value in values.items()})


def hidden(part: str) -> bool:
    """Whether a teacher's link hides a part of the lesson."""
    return part in st.query_params.get("hide", "").split(",")


def pick_part(key: str, parts: Sequence[str], part: int) -> None:
    """Which part of a lesson is shown; the URL counts them from 1.

    Args:
        key: Widget key.
        parts: Their names.
        part: Number of the one that is shown, from 0.
    """
    st.session_state[key] = part
    st.segmented_control(
        "What to do",
        range(len(parts)),
        key=key,
        format_func=lambda number: f"{number + 1} · {parts[number]}",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: keep(part=st.session_state[key] + 1),
    )


def choice_question(key: str, text: str, options: Sequence[str], right: int, why: Sequence[str]) -> bool:
    """A question with given answers; each answer is told why it is right or wrong.

    Args:
        key: Widget key.
        text: The question.
        options: The answers.
        right: Number of the right one.
        why: What to say to each answer.

    Returns:
        Whether the right answer is chosen, or was before.
    """
    if hidden("question"):
        return lesson_number() in done()

    def answered() -> None:
        if st.session_state[key] == right:
            mark_done()

    with _box(key):
        st.radio(
            f"**Question.** {text}",
            range(len(options)),
            format_func=lambda i: options[i],
            index=None,
            key=key,
            on_change=answered,
        )
        chosen: int | None = st.session_state.get(key)
        if chosen is not None:
            _feedback(chosen == right, why[chosen])
    return _settled(chosen == right)


def number_question(
    key: str, text: str, answer: float, tolerance: float, hints: Callable[[float], str], unit: str = ""
) -> bool:
    """A question whose answer is a number.

    Args:
        key: Widget key.
        text: The question.
        answer: The right number.
        tolerance: How far off still counts as right.
        hints: What to say to a number, right or wrong.
        unit: Said behind the question.

    Returns:
        Whether the right number is there, or was before.
    """
    if hidden("question"):
        return lesson_number() in done()

    def right(value: float | None) -> bool:
        return value is not None and abs(value - answer) <= tolerance

    def answered() -> None:
        if right(st.session_state[key]):
            mark_done()

    whole = float(answer).is_integer() and tolerance < 1
    with _box(key):
        st.number_input(
            f"**Question.** {text}{f' ({unit})' if unit else ''}",
            value=None,
            step=1 if whole else None,
            format=None if whole else "%.4g",
            placeholder="Type a number and press Enter",
            key=key,
            on_change=answered,
            width=460,
        )
        value: float | None = st.session_state.get(key)
        if value is not None:
            _feedback(right(value), hints(value))
    return _settled(right(value))


def _number_of_a_lesson(text: str) -> int:
    return range(1, len(SHORT_TITLES) + 1).index(int(text)) + 1


def _box(key: str) -> DeltaGenerator:
    return st.container(border=True, key=f"question-{key}", gap="small")


def _feedback(right: bool, text: str) -> None:
    if right:
        st.success(text, icon=":material/check_circle:")
    else:
        st.warning(text, icon=":material/help:")


def _settled(right: bool) -> bool:
    """Whether the lesson is done. A question inside a fragment has the page drawn again, for the row above."""
    ready = lesson_number() in done()
    if right and ready and lesson_number() not in st.session_state.get(_SHOWN_DONE, {lesson_number()}):
        st.rerun()
    return right or ready
