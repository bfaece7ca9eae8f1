"""Learn: seven small lessons, one at a time, each with one thing to do and one question."""

import importlib
from pathlib import Path

import streamlit as st

from pages.ui import jobs
from pages.ui.lessons import frame, teacher
from pages.ui.lessons.frame import SHORT_TITLES, Lesson
from pages.ui.router import through_app

STYLE = Path(__file__).parent / "ui" / "lessons" / "learn.css"
LAST = len(SHORT_TITLES)


def load(number: int) -> Lesson:
    """A lesson; the others are not imported."""
    lesson: Lesson = importlib.import_module(f"pages.ui.lessons.lesson_{number}").LESSON
    return lesson


def row(number: int) -> None:
    """All lessons; those that are done are ticked."""
    ready = frame.done()
    frame.row_shows(ready)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-row"):
        for n, title in enumerate(SHORT_TITLES, 1):
            st.button(
                f"**{n}** {title}",
                key=f"lesson-{n}",
                type="primary" if n == number else "secondary",
                icon=":material/check:" if n in ready else None,
                on_click=frame.go_to,
                args=(n,),
            )
        teacher.link_for_teachers()


def around(number: int, lesson: Lesson) -> None:
    """Where to go from here."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="onward"):
        if number > 1:
            st.button(
                "Previous",
                key="previous",
                icon=":material/arrow_back:",
                shortcut="P",
                on_click=frame.go_to,
                args=(number - 1,),
            )
        if lesson.explain is not None:
            st.page_link(
                "pages/explain.py",
                label="Open this in Explain",
                icon=":material/play_circle:",
                query_params=dict(lesson.explain),
            )
        if number < LAST:
            st.button(
                f"Next: {SHORT_TITLES[number]}",
                key="next",
                type="primary" if number in frame.done() else "secondary",
                icon=":material/arrow_forward:",
                icon_position="right",
                shortcut="N",
                on_click=frame.go_to,
                args=(number + 1,),
            )
    if number == LAST:
        where_next()


def where_next() -> None:
    """The last lesson ends with what there is beyond the lessons."""
    st.markdown(
        "**Where to go next.** You have met everything that the explorer shows. Watch it on real predictions, "
        "or try to break the cut-vertex rule."
    )
    with st.container(horizontal=True, key="where-next"):
        st.page_link("pages/explain.py", label="Explain a prediction", icon=":material/play_circle:")
        st.page_link("pages/lab.py", label="Cut-vertex lab", icon=":material/content_cut:")
        st.page_link("pages/compare.py", label="Compare methods", icon=":material/compare:")
        st.page_link("pages/glossary.py", label="Glossary", icon=":material/dictionary:")


def show() -> None:
    number = frame.lesson_number()
    row(number)
    lesson = load(number)
    st.title(f"{number} · {lesson.title}", anchor=False)
    if "lesson" not in st.query_params:
        st.caption(
            "Welcome. Seven small lessons, about 15 minutes: what a GFlowNet is, and how it explains a prediction."
        )
    st.markdown(lesson.idea)
    with st.container(key="task"):
        st.markdown(f"**To do:** {lesson.task}")
    lesson.show()
    around(number, lesson)


through_app()
st.html(STYLE)
show()
jobs.crew()  # PyTorch is loaded in the background: some lessons need it
