"""What every lesson shares: its outline, its parts, what a teacher's link hides, and its question.

A link reads ``/learn?lesson=3&done=1.2&hide=controls&…``. All other parameters belong to the lesson that is shown,
which declares them in a `LessonAddress` of its own: the same name may mean other things in other lessons.
"""

import html
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.lesson_views import view_data
from gfx_core.teaching.questions import QUESTIONS, LessonQuestion
from pages.ui import membership
from pages.ui.address import (
    VISIT,
    Address,
    Parameter,
    bind,
    catch_up,
    one_of,
    pick_one,
    spell_number,
    whole,
    write_link,
)
from pages.ui.components.browser import reveal
from pages.ui.components.mount import component

SHORT_TITLES = tuple(lesson["short"] for lesson in LESSONS.values())
"""The lessons in the row at the top of the page."""


@dataclass(frozen=True)
class Lesson:
    """One screen with one idea. Its texts are in ``assets/content/lessons.toml``.

    Attributes:
        show: Draws it.
        links: The query parameters with which other pages open the same, by page, at this moment.
        part: Which part is shown, where each has a task of its own.
    """

    show: Callable[[], None]
    links: Callable[[], Mapping[str, Mapping[str, str]]] = dict
    part: Parameter[int] | None = None


def hidden(part: str) -> bool:
    """Whether a teacher's link hides a part of the lesson."""
    return part in HIDE.read()


def part_of(address: Address, names: Sequence[str]) -> Parameter[int]:
    """Which part of a lesson is shown, from 0; links count them from 1."""
    count = whole(1, len(names))
    return address.parameter("part", 0, lambda text: count(text) - 1, spell=lambda part: str(part + 1))


def pick_part(key: str, part: Parameter[int], names: Sequence[str]) -> None:
    """The parts of a lesson side by side."""
    titles = {number: f"{number + 1} · {name}" for number, name in enumerate(names)}
    pick_one("What to do", part, titles, key=key, wrap=True, unlabelled=True)


def verdict(good: bool, text: str) -> None:
    """What came of something, in a line with a mark."""
    st.markdown(f"{':green[:material/check_circle:]' if good else ':orange[:material/warning:]'} {text}")


def ask(key: str, question: LessonQuestion) -> None:
    """The question of the lesson shown; every answer is told why it is right or wrong."""
    if hidden("question"):
        return
    number, kept = shown(), f"{key}:answer"
    label = re.sub(r"\*+", "", question.text)  # it is read out as it is written

    def answered() -> None:
        answer = st.session_state[kept] = st.session_state.get(key)
        membership.count_answer(number, question, answer)
        if answer == question.right and number not in done():
            tick(number)

    if key not in st.session_state and st.session_state.get(kept) is not None:
        st.session_state[key] = st.session_state[kept]  # Streamlit forgets it when the lesson is left
    with st.container(border=True, key=f"question-{key}", gap="small"):
        st.markdown(f"**Question.** {question.text}")
        with st.form(f"{key}-form", border=False):
            if options := question.options:
                choose = options.__getitem__
                st.radio(label, range(len(options)), None, choose, key=key, label_visibility="collapsed")
            else:
                st.number_input(label, value=None, step=1, width=460, key=key, label_visibility="collapsed")
            st.form_submit_button("Answer", key=f"{key}-send", on_click=answered)
        answer: int | None = st.session_state.get(kept)
        with st.container(key=f"verdict-{key}"):  # with room for the longest reply: nothing below it moves
            st.html(f'<div class="verdict-room" aria-hidden="true">{html.escape(question.longest)}</div>')
            if answer == question.right:
                st.success(question.reply(answer), icon=":material/check_circle:")
            elif answer is not None:
                st.warning(question.reply(answer), icon=":material/help:")
        reveal(f"{key}-hint", answer, f".st-key-verdict-{key} .stAlert")


# A training that a lesson starts: what the link keeps of it, and the widgets that change it.

LEARNING_RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
MAX_SEED = 999


class TrainingControls:
    """The parameters of a training, for lessons 4 and 7.

    Args:
        address: Of the lesson.
        key: Begins the keys of its widgets.
        settings: What else the training depends on.

    Attributes:
        rate: The learning rate.
        seed: Of the trajectories.
        running: Whether "Train" was pressed, now or in the link.
        step: The training step that the link opens; another training begins anew.
    """

    def __init__(self, address: Address, key: str, *settings: Parameter[Any]) -> None:
        self.address, self.key = address, key
        self.rate = address.parameter("lr", 0.3, one_of(LEARNING_RATES), spell=spell_number)
        self.seed = address.parameter("seed", 0, whole(0, MAX_SEED))
        self.running = address.switch("run")
        under = (*settings, self.rate, self.seed)
        self.step: Parameter[int | None] = address.parameter("at", None, whole(0, 999), under=under)

    def train(self, changes: Mapping[Parameter[Any], Any] | None = None) -> None:
        """Start a training from its beginning, with other settings where some are given."""
        self.address.change({self.running: True, self.step: None, **(changes or {})})

    def train_button(self, label: str) -> None:
        icon = ":material/model_training:"
        st.button(label, key=f"{self.key}-train", type="primary", icon=icon, on_click=self.train)

    def pick(self) -> None:
        about = "How far one step changes the flows. Too small: training does not converge. Too large: it overshoots."
        bind(st.select_slider, "Learning rate", self.rate, LEARNING_RATES, key=f"{self.key}-lr", help=about)
        about = "The seed of the random trajectories. The same seed gives the same training."
        bind(st.number_input, "Seed", self.seed, 0, MAX_SEED, key=f"{self.key}-seed", help=about)


# What a visitor did in the lessons: going on, back or to another page loses nothing of it.
#
# The link tells the lesson that is shown and what was set in it. What was set in the others waits here, for as long as
# the session lasts. A late event of a lesson that was left, such as the end of a playback, changes nothing.


PARTS = ("controls", "question", "theory", "lessons")
"""What a teacher's link can hide."""
_SHOWN = "learn:shown"  # session state: the number of the lesson that is shown
_DONE = "learn:done"  # session state: the lessons whose question was answered
_WORK = "learn:work"  # session state: by lesson, the latest value of its part of the link


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
_SHARED = {"class", *VISIT, *(parameter.name for parameter in (NUMBER, DONE, HIDE))}


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
    now = st.session_state[_DONE] = done() | {number}
    if here:  # else the page was left at once; the tick is there when one returns
        DONE.write(now)


def open_lesson() -> int:
    """The lesson that the link tells; from now on it is the one that is shown."""
    write_link(st.query_params.to_dict())
    number = st.session_state[_SHOWN] = NUMBER.read()
    st.session_state.pop(_OPENED, None)
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
    link = {NUMBER.name: str(number)}
    if done():
        link[DONE.name] = str(DONE.spell(done()))
    link |= {name: text for name, text in st.query_params.to_dict().items() if name in (*VISIT, HIDE.name)}
    write_link({**link, **st.session_state[_WORK].get(number, {})})


def _keep(number: int) -> None:
    link = {name: text for name, text in st.query_params.to_dict().items() if name not in _SHARED}
    st.session_state.setdefault(_WORK, {})[number] = link


# Lessons that need no server: a view in the browser, which reports what the link is to keep of it.


_OPENED = "learn:opened"  # session state: what the view was sent, when, and what it has reported since
_MOST_TEXT = 200  # characters of a parameter


def browser_view(
    address: LessonAddress, view: str, names: Sequence[str], under: Sequence[Parameter[Any]] = ()
) -> Callable[..., None]:
    """A view of ``assets/lessons``, as a function of what it draws and of its key; `LESSONS` lists such lessons.

    Args:
        address: Of the lesson.
        view: Its name.
        names: The parameters of the link that it reads and reports.
        under: What these stand under.
    """
    parameters = {name: address.parameter(name, "", str, under=under) for name in names}
    draw = component(f"lessons/{view}", '<div class="lesson"></div>')

    def show(content: Mapping[str, Any], *, key: str) -> None:
        link = {name: parameter.text for name, parameter in parameters.items()}
        opened = st.session_state.get(_OPENED)
        if opened is None or opened["at"] != link:  # by Back, or by another link
            opened = st.session_state[_OPENED] = {"at": link, "state": link, "turn": time.monotonic()}

        def report(state: Mapping[str, Any]) -> None:
            opened["at"] = {name: str(state.get(name) or "")[:_MOST_TEXT] for name in parameters}
            address.change({parameters[name]: text or None for name, text in opened["at"].items()})

        settings = {"fixed": hidden("controls"), "explorer": True, "state": opened["state"], "turn": opened["turn"]}
        draw(key=key, data={**content, **settings}, heard={"state": report})

    return show


@cache
def browser_lesson(number: int) -> Lesson:
    """A lesson that is a view alone."""
    content = LESSONS[number]
    view = browser_view(LessonAddress(number), content["view"], content["link"])

    def show() -> None:
        view(view_data(content["view"]), key=f"lesson-{content['view']}")
        if "theory" in content and not hidden("theory"):
            st.markdown(content["theory"])
        ask(f"lesson-{number}-question", QUESTIONS[number]())

    return Lesson(show)
