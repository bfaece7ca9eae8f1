"""Learn: small lessons, one at a time, each with one thing to do and one question."""

import importlib
from functools import wraps
from pathlib import Path

import streamlit as st

from pages.ui import jobs, membership
from pages.ui.address import catch_up
from pages.ui.components.browser import reveal
from pages.ui.fragment import fragment
from pages.ui.lessons import teacher_link
from pages.ui.lessons.frame import NUMBER, SHORT_TITLES, Lesson, done, go_to, hidden, open_lesson

STYLE = Path(__file__).parent / "ui" / "lessons" / "learn.css"
LAST = len(SHORT_TITLES)
ACCENT = "background: #4650c0 !important; border-color: #4650c0 !important; color: #fff !important;"  # in both themes
_AROUND = "learn:around"  # session state: what the page around the lesson was drawn with


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


def around(number: int, lesson: Lesson) -> None:
    """Where to go from here. Each way has a place of its own, so that its button stays the same element."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="onward"):
        before, aside, onward = (
            st.container(horizontal=True, width="content", key=f"way-{name}") for name in ("back", "aside", "on")
        )
    alone = hidden("lessons")
    if number > 1 and not alone:
        before.button(
            "Previous", key="previous", icon=":material/arrow_back:", shortcut="B", on_click=go_to, args=(number - 1,)
        )
    for page, label, icon, link in (
        ("explain", "Open this in Explain", "play_circle", lesson.explain),
        ("train", "See this in Train", "model_training", lesson.train),
    ):
        if link is not None:
            aside.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=dict(link()))
    if number < LAST and not alone:
        onward.button(
            f"Next: {SHORT_TITLES[number]}",
            key="next",
            icon=":material/arrow_forward:",
            icon_position="right",
            shortcut="N",
            on_click=go_to,
            args=(number + 1,),
        )
    if number == LAST and number in done() and not alone:
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


def around_shows(lesson: Lesson) -> object:
    """What depends on the lesson and is drawn outside it."""
    return done(), lesson.to_do(), lesson.explain and lesson.explain(), lesson.train and lesson.train()


def inside(lesson: Lesson) -> None:
    """The lesson itself. What is done in it draws only it again, and the page around it where that is out of date."""

    @wraps(lesson.show)  # fragments differ by their names: what a lesson reports late must not reach the next
    def drawn() -> None:
        catch_up()
        if st.session_state[_AROUND] != around_shows(lesson):
            st.rerun()
        lesson.show()

    fragment(drawn)()


def show() -> None:
    number = open_lesson()
    lesson: Lesson = importlib.import_module(f"pages.ui.lessons.lesson_{number}").LESSON  # the others are not imported
    st.session_state[_AROUND] = around_shows(lesson)
    # Next stands out where the question was answered, by style alone: a button of another type would be another
    # element, and what is pressed or has the focus while the page is drawn would be lost
    st.html(f"<style>{'.st-key-next button' if number in done() else '.none'} {{ {ACCENT} }}</style>")
    head(number, lesson.title)
    if not NUMBER.in_link:
        st.caption(
            "Welcome. Nine small lessons, about 25 minutes: what a GFlowNet is, and how it explains a prediction."
        )
    if not hidden("theory"):
        st.markdown(lesson.idea)
    with st.container(key="task"):
        st.markdown(f"**To see:** {lesson.look}" if hidden("controls") else f"**To do:** {lesson.to_do()}")
    inside(lesson)
    around(number, lesson)


st.html(STYLE)
show()
jobs.warm_up_soon()  # PyTorch is loaded in the background: some lessons need it
