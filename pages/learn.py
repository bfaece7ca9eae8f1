"""Learn: small lessons, one at a time, each with one thing to do and one question."""

import importlib
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from gfx_core.teaching.lesson_texts import LESSONS
from pages.ui import classes, jobs
from pages.ui.components.browser import reveal
from pages.ui.lessons.frame import (
    DONE,
    NUMBER,
    OPENED,
    Lesson,
    browser_lesson,
    go_to,
    hidden,
    leave,
    link_for_teachers,
)
from pages.ui.widgets import in_row, page_link, widget

STYLE = Path(__file__).parent / "ui" / "lessons" / "learn.css"


def head(number: int, title: str) -> None:
    """The title, a list of all lessons in which those that are done are ticked, and what teachers need."""
    done = DONE.read()
    names = {n: f"{'✓ ' * (n in done)}{n} · {lesson['short']}" for n, lesson in LESSONS.items()}

    def go() -> None:
        if (chosen := st.session_state["lessons"]) is not None:
            go_to(chosen)

    with in_row("lesson-row"):
        st.title(f"{number} · {title}", anchor=False)
        reveal("lesson-title", number, ".st-key-lesson-row h1", focus=True)
        if hidden("lessons"):
            return
        label = f"Lesson {number} of {len(LESSONS)}" + (f" · {len(done)} done" if done else "")
        icon = ":material/list:"
        st.menu_button(label, list(names), key="lessons", icon=icon, format_func=names.__getitem__, on_click=go)
        if classes.joined() is None:
            link_for_teachers()


def around(number: int, links: Mapping[str, Mapping[str, str]]) -> None:
    """Where to go from here. Each way has a container of its own, so that its button stays the same element."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="onward"):
        back, aside, onward = (in_row(f"way-{name}", width="content") for name in ("back", "aside", "on"))
    with aside:
        for page, query in links.items():
            page_link(f"lesson-{page}", query)
    if hidden("lessons"):
        return
    if number > 1:
        back.button(**widget("previous"), on_click=go_to, args=(number - 1,))
    with onward:
        if number == len(LESSONS):
            page_link("own-explain")
        else:
            st.button(**widget("next", title=LESSONS[number + 1]["short"]), on_click=go_to, args=(number + 1,))


def show() -> None:
    """The lesson of the link. What is done in it draws only it again, and the page around it where that changes."""
    leave()
    number = NUMBER.read()
    content = LESSONS[number]
    module = f"pages.ui.lessons.lesson_{number}"  # the others are not imported
    lesson: Lesson = browser_lesson(number) if "view" in content else importlib.import_module(module).LESSON
    st.session_state.pop(OPENED, None)  # a view opens as the link says

    def surroundings() -> tuple[bool, str, dict[str, Mapping[str, str]]]:
        """Whether the question was answered, the one thing to do just now, and links that open the same elsewhere."""
        task = content["task"].splitlines()[lesson.address.part.read() - 1]
        return number in DONE.read(), task, {**content.get("links", {}), **lesson.links()}

    before = done, task, links = surroundings()

    def draw() -> None:
        if before != surroundings():
            st.rerun()
        lesson.show()

    draw.__qualname__ = f"lesson_{number}"  # what a lesson reports late must not reach the next, whose name differs
    st.html(f'<i class="lesson-{"done" if done else "open"}"></i>')  # Next stands out by style: it stays one element
    head(number, content["title"])
    if not NUMBER.in_link:
        st.caption(
            "Welcome. Nine small lessons, about 25 minutes: what a GFlowNet is, and how it explains a prediction."
        )
    if not hidden("theory"):
        st.markdown(content["idea"])
    with st.container(key="task"):
        st.markdown(f"**To see:** {content['look']}" if hidden("controls") else f"**To do:** {task}")
    st.fragment(draw)()
    around(number, links)


st.html(STYLE)
show()
jobs.warm_up()  # PyTorch is loaded in the background: some lessons need it
