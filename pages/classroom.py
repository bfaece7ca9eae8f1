"""Class: join one, or lead one.

A link reads ``/classroom?class=KX7RQD&key=…`` for the teacher, and ``/classroom?class=KX7RQD&screen=…`` for the
projector. Without one of these secrets one can join, and no more.
"""

from pathlib import Path

import streamlit as st

from gfx_core.classroom.classes import classroom, read_code, spell_code
from pages.ui import classes, sessions
from pages.ui.address import Address
from pages.ui.text import error_shown
from pages.ui.widgets import page_link, widget

CLASSROOM = Address()
CLASS = CLASSROOM.parameter("class", None, read_code)
KEY = CLASSROOM.parameter("key", "", lambda text: text[:100], under=(CLASS,))
SCREEN = CLASSROOM.parameter("screen", "", lambda text: text[:100], under=(CLASS,))
_JOIN = "class-code"


def show() -> None:
    """Draw the page for a teacher, a projector or a visitor."""
    code, key, screen = CLASS.read(), KEY.read(), SCREEN.read()
    room = classroom().room(code) if code else None
    if code and key and (led := classes.lead(code, key)) is not None:
        classes.teacher_view(led)
    elif room is not None and room.is_watched_by(screen):
        classes.projector_view(room.code)
    else:
        entrance(refused=bool(key or screen))


def entrance(*, refused: bool) -> None:
    """For those who join, and for those who teach."""
    if classes.joined() is not None:
        st.switch_page("pages/learn.py")
    st.title("Class", anchor=False)
    st.markdown(classes.TEXTS["intro"])
    if refused:
        st.warning(classes.TEXTS["refused"], icon=":material/key_off:")
    if (room := classes.led_class()) is not None:
        page_link("class", classes.teacher_link(), code=spell_code(room.code))
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.subheader("Join", anchor=False)
        st.text_input(**widget(_JOIN), on_change=join)
        st.button(**widget("class-join"), on_click=join)
    with right, st.container(border=True):
        st.subheader("Teach", anchor=False)
        st.markdown(classes.TEXTS["teach"])
        st.button(**widget("class-open"), on_click=open_class)
        page_link("plans")


def join() -> None:
    if text := str(st.session_state.get(_JOIN) or "").strip():
        with error_shown("groups"):
            classes.join(text)


def open_class() -> None:
    client = sessions.client()
    with error_shown("groups"):
        code, key = classroom().open(client.address or client.user)
        CLASSROOM.change({CLASS: code, KEY: key})


st.html(Path(__file__).parent / "ui" / "classroom.css")
show()
