"""The page of a class: joining one, opening one, its teacher's view, and what the beamer shows.

A link reads ``/classroom?class=KX7RQD&key=…`` for the teacher and ``/classroom?class=KX7RQD&screen=…`` for the beamer.
Whoever has neither secret can join, and no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from gfx_core.classroom.classroom import classroom
from gfx_core.classroom.codes import read_code, spell_code
from gfx_core.errors import UserError
from pages.ui.address import Address
from pages.ui.classroom import membership, teaching
from pages.ui.classroom.teacher_view import beamer_view, teacher_view
from pages.ui.session import client
from pages.ui.text import plain

HOURS = {0.75: "45 minutes", 1.5: "90 minutes", 3.0: "3 hours", 8.0: "a day (8 hours)"}

CLASSROOM = Address()
CLASS = CLASSROOM.parameter("class", None, read_code)
KEY = CLASSROOM.parameter("key", "", lambda text: text[:100], under=(CLASS,))
SCREEN = CLASSROOM.parameter("screen", "", lambda text: text[:100], under=(CLASS,))
_JOIN, _HOURS, _SAID = "class-code", "class-hours", "class:said"


@dataclass(frozen=True)
class Where:
    """What the pages above know: the lessons' short titles, and the names of all pages."""

    lessons: Sequence[str]
    pages: Sequence[str]


def show(where: Where) -> None:
    """Draw the page for whoever has come."""
    st.html(Path(__file__).with_name("classroom.css"))
    try:
        _show(where)
    except UserError as error:
        st.title("Class", anchor=False)
        st.error(plain(error), icon=":material/groups:")


def _show(where: Where) -> None:
    code, key, screen = CLASS.read(), KEY.read(), SCREEN.read()
    if code and key and (teacher := teaching.lead(code, key)) is not None:
        teacher_view(teacher, key, where.lessons, where.pages)
    elif code and screen and (watcher := classroom().watcher(code, screen)) is not None:
        beamer_view(watcher)
    else:
        _entrance(refused=bool(key or screen))


def _entrance(*, refused: bool) -> None:
    """For those who join, and for those who teach."""
    st.title("Class", anchor=False)
    st.markdown("A class looks at the same lesson together. Nobody gives a name, and nothing personal is kept.")
    if refused:
        st.warning("This class is over, or the link is not complete. Open a new one.", icon=":material/key_off:")
    if said := st.session_state.pop(_SAID, None):
        st.error(plain(said), icon=":material/groups:")
    if (teacher := teaching.led()) is not None:
        st.page_link(
            "pages/classroom.py",
            label=f"Back to your class {spell_code(teacher.code)}",
            icon=":material/co_present:",
            query_params=teaching.own_link(),
        )
    join, teach = st.columns(2, gap="large")
    with join, st.container(border=True):
        st.subheader("Join", anchor=False)
        if (now := membership.joined()) is not None:
            st.markdown(f"You are in class **{spell_code(now.code)}**.")
            st.page_link("pages/learn.py", label="To the lessons", icon=":material/school:")
        else:
            st.text_input("Code", key=_JOIN, placeholder="six letters and digits", max_chars=20, on_change=_join)
            st.button("Join the class", key="class-join", type="primary", icon=":material/login:", on_click=_join)
    with teach, st.container(border=True):
        st.subheader("Teach", anchor=False)
        st.selectbox("It ends by itself after", list(HOURS), index=1, key=_HOURS, format_func=HOURS.__getitem__)
        st.button("Open a class", key="class-open", icon=":material/co_present:", on_click=_open)


def _join() -> None:
    text = str(st.session_state.get(_JOIN) or "")
    if not text.strip():
        return
    try:
        membership.join(read_code(text))
    except UserError as error:
        st.session_state[_SAID] = str(error)


def _open() -> None:
    membership.leave()
    who = client()
    try:
        opened = classroom().open(float(st.session_state[_HOURS]), who.user, who.address)
    except UserError as error:
        st.session_state[_SAID] = str(error)
        return
    CLASSROOM.start_anew({CLASS: opened.code, KEY: opened.key})
