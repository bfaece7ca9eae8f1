"""What all lessons share: their links, their questions, the views of the browser, and the link for teachers.

A link reads ``/learn?lesson=3&done=1.2&hide=controls&…``. All other parameters belong to the lesson that is shown,
which declares them in a `LessonAddress` of its own: the same name may mean other things in other lessons. A teacher's
link opens a lesson with parts hidden and with the settings that are seen now.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.lesson_views import view_data
from gfx_core.teaching.questions import QUESTIONS, LessonQuestion
from pages.ui import classes
from pages.ui.address import (
    VISIT,
    Address,
    Parameter,
    by_history,
    is_here,
    page_shown,
    pick_one,
    read_link,
    spell_nodes,
    whole,
    write_link,
)
from pages.ui.components.browser import reveal
from pages.ui.components.mount import component
from pages.ui.widgets import page_link, widget

PARTS = {
    "controls": "Hide the controls",
    "question": "Hide the question",
    "theory": "Hide the explanations",
    "lessons": "Hide the other lessons",
}
"""What a teacher's link can hide."""
_WORK = "learn:work"  # session state: the link of each lesson, as it was left
_NEXT = "learn:next"  # session state: the lesson that was gone to, until the page is drawn
OPENED = "learn:opened"  # session state: what the view was sent, and what it has reported since


def alive(hide: Collection[str]) -> frozenset[str]:
    """What is hidden of that which should be: where there is nothing to do in a lesson, the others stay in reach."""
    some = frozenset(PARTS) & {*hide}
    return some - {"lessons"} if {"controls", "question"} <= some else some


def _read_done(text: str) -> frozenset[int]:
    return frozenset(LESSONS) & {int(number) for number in text.split(".") if number.isdecimal()}


LEARN = Address()
NUMBER = LEARN.parameter("lesson", 1, whole(1, len(LESSONS)))
DONE = LEARN.parameter("done", frozenset(), _read_done, spell=lambda done: spell_nodes(sorted(done)))
"""The lessons whose question was answered."""
HIDE = LEARN.parameter(
    "hide",
    frozenset(),
    lambda text: alive(text.split(",")),
    spell=lambda hide: ",".join(part for part in PARTS if part in hide),
)
_SHARED = {"class", *VISIT, DONE.name, HIDE.name}


def hidden(part: str) -> bool:
    """Whether a teacher's link hides a part of the lesson."""
    return part in HIDE.read()


def go_to(number: int) -> None:
    """Have another lesson opened by `leave`, once this one has reported everything that was done in it.

    On a busy server a report and a click are one request, and Streamlit calls what a button does before it hands over
    what a component reports.
    """
    if is_here():
        st.session_state[_NEXT] = number


def leave() -> None:
    """Open the lesson that was gone to, as it was left; what was done and is hidden stays."""
    number = st.session_state.pop(_NEXT, None)
    if number is None or by_history():
        return
    work, link = st.session_state.setdefault(_WORK, {}), read_link()
    work[NUMBER.read()] = {name: text for name, text in link.items() if name not in _SHARED}
    stays = {name: text for name, text in link.items() if name in _SHARED}
    write_link({NUMBER.name: str(number), **stays, **work.get(number, {})})


class LessonAddress(Address):
    """The parameters of one lesson.

    Attributes:
        part: Which of its parts is shown, where each has a task of its own.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number, self.titles = number, LESSONS[number].get("parts", ("",))
        self.part = self.parameter("part", 1, whole(1, len(self.titles)))

    def change(self, values: Mapping[Parameter[Any], Any], page: str | None = None) -> None:
        """Write parameters, unless another lesson is shown meanwhile."""
        if not is_here() or NUMBER.read() == self.number:
            super().change(values, page)

    def pick_part(self) -> None:
        """The parts side by side."""
        titles = {number: f"{number} · {title}" for number, title in enumerate(self.titles, 1)}
        pick_one(**widget("lesson-part", number=self.number), parameter=self.part, titles=titles)


@dataclass(frozen=True)
class Lesson:
    """One screen with one idea. Its texts are in ``assets/content/lessons.toml``.

    Attributes:
        address: Its parameters.
        show: Draws it.
        links: The query parameters with which other pages open the same, by page, at this moment.
    """

    address: LessonAddress
    show: Callable[[], None]
    links: Callable[[], Mapping[str, Mapping[str, str]]] = dict


def ask(question: LessonQuestion, about: str = "") -> int | None:
    """The question of the lesson shown; every answer is told why it is right or wrong.

    Args:
        question: The question.
        about: Which one it is, in a lesson of several.

    Returns:
        What was answered, perhaps before the question was hidden.
    """
    number = NUMBER.read()
    key = f"lesson-{number}-question{about}"
    memory = f"{key}:answer"  # Streamlit forgets the widget when the lesson is left
    answer: int | None = st.session_state.get(memory)
    if hidden("question"):
        return answer

    def send() -> None:
        answer = st.session_state[memory] = st.session_state[key]
        classes.count_answer(number, question, answer)
        if is_here() and answer == question.right:
            DONE.write(DONE.read() | {number})

    with st.container(border=True, key=f"question-{key}", gap="small"):
        with st.form(f"{key}-form", border=False):
            if options := question.options:
                st.radio(question.text, range(len(options)), answer, options.__getitem__, key=key)
            else:
                st.number_input(question.text, value=answer, step=1, width=460, key=key)
            st.form_submit_button("Answer", key=f"{key}-send", on_click=send)
        if answer == question.right:
            st.success(question.reply(answer), icon=":material/check_circle:")
        elif answer is not None:
            st.warning(question.reply(answer), icon=":material/help:")
        reveal(f"{key}-hint", answer, f".st-key-question-{key} .stAlert")
    return answer


def browser_view(address: LessonAddress, view: str, names: Sequence[str]) -> Callable[..., None]:
    """A view of ``assets/lessons``, as a function of what it draws and of its key.

    Args:
        address: Of the lesson.
        view: Its name.
        names: The parameters of the link that it reads and reports.
    """
    parameters = {name: address.parameter(name, "", str) for name in names}
    draw = component(f"lessons/{view}", '<div class="lesson"></div>')

    def show(content: Mapping[str, Any], *, key: str) -> None:
        link = {name: parameter.text for name, parameter in parameters.items()}
        opened, page = st.session_state.get(OPENED), page_shown()
        if opened is None or opened["link"] != link:  # by Back, or by another link
            opened = st.session_state[OPENED] = {"link": link, "state": {**link, "turn": time.monotonic()}}

        def report(state: Mapping[str, Any]) -> None:
            opened["link"] = {name: str(state.get(name) or "") for name in parameters}
            address.change({parameters[name]: text for name, text in opened["link"].items()}, page)

        settings = {"fixed": hidden("controls"), "explorer": True, "state": opened["state"]}
        draw(key=key, data={**content, **settings}, heard={"state": report})

    return show


@cache
def browser_lesson(number: int) -> Lesson:
    """A lesson that needs no server: a view alone, as `LESSONS` lists it."""
    content, address = LESSONS[number], LessonAddress(number)
    view = browser_view(address, content["view"], content["link"])

    def show() -> None:
        view(view_data(content["view"]), key=f"lesson-{content['view']}")
        if "theory" in content and not hidden("theory"):
            st.markdown(content["theory"])
        ask(QUESTIONS[number]())

    return Lesson(address, show)


def link_for_teachers() -> None:
    """A small popover with the lesson plans, in which the link is built."""
    # opened, it draws the page again: lessons change the address without that
    with st.popover(**widget("teach"), on_change="rerun"):
        page_link("plans")
        page_link("classroom")
        st.caption("The key P presents this page: larger letters, no menu.")
        st.fragment(_builder)()


def _builder() -> None:
    st.markdown("Send your students this link: it opens the lesson as you see it here.")
    with st.container(gap=None):
        for part, label in PARTS.items():
            st.checkbox(label, value=hidden(part), key=f"teach-{part}")
    hide = alive([part for part in PARTS if st.session_state[f"teach-{part}"]])
    names = {NUMBER.name, DONE.name, HIDE.name, classes.PARAMETER}
    link = {NUMBER.name: str(NUMBER.read())} | ({HIDE.name: HIDE.spell(hide)} if hide else {})
    link |= {name: text for name, text in read_link().items() if name not in names}
    room = classes.led_class()
    if room is not None:
        link[classes.PARAMETER] = room.code
    st.code(f"{classes.base_address()}/learn?{urlencode(link, safe=',')}", language=None, wrap_lines=True)
