"""Class: join one, or lead one.

A link reads ``/classroom?class=KX7RQD&key=…`` for the teacher, and ``/classroom?class=KX7RQD&screen=…`` for the
projector. Whoever has neither secret can join, and no more.
"""

from pathlib import Path

import streamlit as st

from gfx_core.classroom.classes import classroom
from gfx_core.classroom.room import read_code, spell_code
from gfx_core.errors import UserError
from pages.ui import membership, sessions
from pages.ui.address import Address
from pages.ui.class_views import projector_view, teacher_view
from pages.ui.lessons.frame import SHORT_TITLES
from pages.ui.shell import PAGES
from pages.ui.text import plain

HOURS = {0.75: "45 minutes", 1.5: "90 minutes", 3.0: "3 hours", 8.0: "a day (8 hours)"}

CLASSROOM = Address()
CLASS = CLASSROOM.parameter("class", None, read_code)
KEY = CLASSROOM.parameter("key", "", lambda text: text[:100], under=(CLASS,))
SCREEN = CLASSROOM.parameter("screen", "", lambda text: text[:100], under=(CLASS,))
_JOIN, _HOURS, _PROBLEM = "class-code", "class-hours", "class:entry-problem"


def show() -> None:
    """Draw the page for whoever has come."""
    code, key, screen = CLASS.read(), KEY.read(), SCREEN.read()
    if code and key and (teacher := membership.lead(code, key)) is not None:
        teacher_view(teacher, key, SHORT_TITLES, [file for file, _, _ in PAGES])
    elif code and screen and (watcher := classroom().watcher(code, screen)) is not None:
        projector_view(watcher)
    else:
        entrance(refused=bool(key or screen))


def entrance(*, refused: bool) -> None:
    """For those who join, and for those who teach."""
    st.title("Class", anchor=False)
    st.markdown("A class follows the same lesson together. Students give no names, and nothing personal is stored.")
    if not membership.show_outcome() and refused:
        st.warning("This class is over, or the link is not complete. Open a new one.", icon=":material/key_off:")
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(plain(problem), icon=":material/groups:")
    if (teacher := membership.led_class()) is not None:
        st.page_link(
            "pages/classroom.py",
            label=f"Back to your class {spell_code(teacher.code)}",
            icon=":material/co_present:",
            query_params=membership.teacher_link(),
        )
    if membership.joined() is not None:  # the line at the top tells the code, and how to leave
        st.page_link("pages/learn.py", label="To the lessons", icon=":material/school:")
        return
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.subheader("Join", anchor=False)
        st.text_input("Code", key=_JOIN, placeholder="six letters and digits", max_chars=20, on_change=join)
        st.button("Join the class", key="class-join", type="primary", icon=":material/login:", on_click=join)
    with right, st.container(border=True):
        st.subheader("Teach", anchor=False)
        st.selectbox("It ends by itself after", list(HOURS), index=1, key=_HOURS, format_func=HOURS.__getitem__)
        st.button("Open a class", key="class-open", icon=":material/co_present:", on_click=open_class)
        st.page_link("pages/plans.py", label="Lesson plans", icon=":material/assignment:")


def join() -> None:
    text = str(st.session_state.get(_JOIN) or "")
    if not text.strip():
        return
    try:
        membership.join(read_code(text), membership.NEVER)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)


def open_class() -> None:
    client = sessions.client()
    try:
        opened = classroom().open(float(st.session_state[_HOURS]), client.address or client.user)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    CLASSROOM.start_anew({CLASS: opened.code, KEY: opened.key})


st.html(Path(__file__).parent / "ui" / "classroom.css")
show()
