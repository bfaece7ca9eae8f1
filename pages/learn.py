"""Learn: small lessons, one at a time, each with one thing to do and one question."""

import importlib
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from gfx_core.teaching.lesson_texts import LESSONS
from pages.ui import jobs, membership
from pages.ui.address import catch_up
from pages.ui.components.browser import reveal
from pages.ui.fragment import fragment
from pages.ui.lessons import teacher_link
from pages.ui.lessons.frame import NUMBER, SHORT_TITLES, Lesson, browser_lesson, done, go_to, hidden, open_lesson

STYLE = Path(__file__).parent / "ui" / "lessons" / "learn.css"
LAST = len(SHORT_TITLES)
ACCENT = "background: #4650c0 !important; border-color: #4650c0 !important; color: #fff !important;"  # in both themes
ELSEWHERE = {
    "explain": ("Open this in Explain", "play_circle"),
    "train": ("See this in Train", "model_training"),
}


def head(number: int, title: str) -> None:
    """The title, a list of all lessons in which those that are done are ticked, and what teachers need."""
    ready = done()
    names = {n: f"{'✓ ' if n in ready else ''}{n} · {name}" for n, name in enumerate(SHORT_TITLES, 1)}

    def go() -> None:
        if (chosen := st.session_state["lessons"]) is not None:
            go_to(chosen)

    with st.container(horizontal=True, vertical_alignment="center", key="lesson-row"):
        st.title(f"{number} · {title}", anchor=False)
        reveal("lesson-title", number, ".st-key-lesson-row h1", focus=True)
        if hidden("lessons"):
            return
        label = f"Lesson {number} of {LAST}" + (f" · {len(ready)} done" if ready else "")
        icon = ":material/list:"
        st.menu_button(label, list(names), key="lessons", icon=icon, format_func=names.__getitem__, on_click=go)
        if membership.joined() is None:
            teacher_link.link_for_teachers()


def around(number: int, links: Mapping[str, Mapping[str, str]]) -> None:
    """Where to go from here. Each way has a container of its own, so that its button stays the same element."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="onward"):
        before, aside, onward = (
            st.container(horizontal=True, width="content", key=f"way-{name}") for name in ("back", "aside", "on")
        )
    for page, (label, icon) in ELSEWHERE.items():
        if page in links:
            aside.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=dict(links[page]))
    if hidden("lessons"):
        return
    if number > 1:
        icon = ":material/arrow_back:"
        before.button("Previous", key="previous", icon=icon, shortcut="B", on_click=go_to, args=(number - 1,))
    if number < LAST:
        icon = {"icon": ":material/arrow_forward:", "icon_position": "right"}
        label = f"Next: {SHORT_TITLES[number]}"
        onward.button(label, key="next", shortcut="N", on_click=go_to, args=(number + 1,), **icon)
    elif number in done():
        where_next()


def where_next() -> None:
    """The last lesson ends with what there is beyond the lessons."""
    st.markdown(
        "**Where to go next.** You have met everything that the explorer shows. Watch it on real predictions, "
        "or try to break the cut-vertex rule."
    )
    with st.container(horizontal=True, key="where-next"):
        st.page_link("pages/explain.py", label="Explain a prediction", icon=":material/play_circle:")
        st.page_link("pages/train.py", label="Train a policy", icon=":material/model_training:")
        st.page_link("pages/lab.py", label="Cut-vertex lab", icon=":material/content_cut:")
        st.page_link("pages/compare.py", label="Compare methods", icon=":material/compare:")
        st.page_link("pages/glossary.py", label="Glossary", icon=":material/dictionary:")


def to_do(number: int, lesson: Lesson) -> str:
    """The one thing to do just now."""
    task: str = LESSONS[number]["task"]
    return task.splitlines()[lesson.part.read() if lesson.part else 0]


def links_of(number: int, lesson: Lesson) -> dict[str, Mapping[str, str]]:
    """The links that open the same on other pages, by page."""
    return {**LESSONS[number].get("links", {}), **lesson.links()}


def inside(number: int, lesson: Lesson) -> None:
    """The lesson itself. What is done in it draws only it again, and the page around it where that is out of date."""

    def around_it() -> object:
        return done(), to_do(number, lesson), links_of(number, lesson)

    before = around_it()

    def draw() -> None:
        catch_up()
        if before != around_it():
            st.rerun()
        lesson.show()

    draw.__qualname__ = f"lesson_{number}"  # what a lesson reports late must not reach the next, whose name differs
    fragment(draw)()


def show() -> None:
    number = open_lesson()
    content = LESSONS[number]
    module = f"pages.ui.lessons.lesson_{number}"  # the others are not imported
    lesson: Lesson = browser_lesson(number) if "view" in content else importlib.import_module(module).LESSON
    # Next stands out where the question was answered, by style alone: a button of another type would be another
    # element, and what is pressed or has the focus while the page is drawn would be lost
    st.html(f"<style>{'.st-key-next button' if number in done() else '.none'} {{ {ACCENT} }}</style>")
    head(number, content["title"])
    if not NUMBER.in_link:
        st.caption(
            "Welcome. Nine small lessons, about 25 minutes: what a GFlowNet is, and how it explains a prediction."
        )
    if not hidden("theory"):
        st.markdown(content["idea"])
    with st.container(key="task"):
        fixed = hidden("controls")
        st.markdown(f"**To see:** {content['look']}" if fixed else f"**To do:** {to_do(number, lesson)}")
    inside(number, lesson)
    around(number, links_of(number, lesson))


st.html(STYLE)
show()
jobs.warm_up_soon()  # PyTorch is loaded in the background: some lessons need it
