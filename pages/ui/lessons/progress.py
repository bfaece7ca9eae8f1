"""What a visitor did in the lessons: going on, back or to another page loses nothing of it.

The link tells the lesson that is shown and what was set in it. What was set in the others waits here, for as long as
the session lasts. A late event of a lesson that was left, such as the end of a playback, changes nothing.
"""

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from pages.ui.address import Address, Parameter, whole
from pages.ui.links import catch_up, write_link

PARTS = ("controls", "question", "theory", "lessons")
"""What a teacher's link can hide."""
SHORT_TITLES = ("Water", "States", "Tree or DAG", "Balance", "Parents", "Rewards", "FM or TB", "Watch")
"""The lessons in the row at the top of the page."""

_SHOWN = "learn:shown"  # session state: the number of the lesson that is shown
_DONE = "learn:done"  # session state: the lessons whose question was answered
_WORK = "learn:work"  # session state: by lesson, what its part of the link said last


def _read_done(text: str) -> frozenset[int]:
    return frozenset(number for number in range(1, len(SHORT_TITLES) + 1) if str(number) in text.split("."))


def alive(hide: Collection[str]) -> frozenset[str]:
    """What is hidden of that which should be: where there is nothing to do in a lesson, the others stay in reach."""
    some = frozenset(PARTS) & {*hide}
    return some - {"lessons"} if {"controls", "question"} <= some else some


LEARN = Address()
NUMBER = LEARN.parameter("lesson", 1, whole(1, len(SHORT_TITLES)))
DONE = LEARN.parameter("done", frozenset(), _read_done, spell=lambda done: ".".join(map(str, sorted(done))) or None)
"""The lessons whose question was answered."""
HIDE = LEARN.parameter(
    "hide",
    frozenset(),
    lambda text: alive(text.split(",")),
    spell=lambda hide: ",".join(part for part in PARTS if part in hide),
)
_SHARED = {"class", *(parameter.name for parameter in (NUMBER, DONE, HIDE))}


class LessonAddress(Address):
    """The parameters of one lesson: the same name may mean other things in others."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def change(self, values: Mapping[Parameter[Any], Any]) -> None:
        if shown() != self.number or not catch_up():
            return  # the lesson was left before this was heard of
        super().change(values)
        _keep(self.number)


def shown() -> int:
    """The lesson that is shown."""
    number: int = st.session_state.get(_SHOWN, NUMBER.read())
    return number


def done() -> frozenset[int]:
    """The lessons whose question was answered, in this session or as the link says."""
    before: frozenset[int] = st.session_state.get(_DONE, frozenset())
    return DONE.read() | before


def tick(number: int) -> None:
    """Note that a lesson's question was answered."""
    here = catch_up()
    st.session_state[_DONE] = done() | {number}
    if here:  # else the page was left at once; the tick is there when one returns
        DONE.write(done())


def open_lesson() -> int:
    """The lesson that the link tells; from now on it is the one that is shown."""
    write_link(st.query_params.to_dict())
    number = st.session_state[_SHOWN] = NUMBER.read()
    if done() != DONE.read():
        DONE.write(done())  # the link of an earlier moment
    st.session_state[_DONE] = done()
    _keep(number)
    return number


def go_to(number: int) -> None:
    """Open another lesson, as it was left; what was done and is hidden stays."""
    if not catch_up():
        return  # Learn was left before this was heard of
    _keep(shown())
    st.session_state[_SHOWN] = number
    shared = {NUMBER: number, DONE: done() or None, HIDE: HIDE.read() or None}
    spelt = {parameter.name: parameter.spell(value) for parameter, value in shared.items() if value is not None}
    write_link({**spelt, **_work().get(number, {})})


def _work() -> dict[int, dict[str, str]]:
    kept: dict[int, dict[str, str]] = st.session_state.setdefault(_WORK, {})
    return kept


def _keep(number: int) -> None:
    _work()[number] = {name: text for name, text in st.query_params.to_dict().items() if name not in _SHARED}
