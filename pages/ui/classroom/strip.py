"""The line at the top of every page for those in a class: students are counted and led by it, teachers lead by it.

It asks every few seconds how the class is: thirty students cost the server some ten such runs a second, each of which
reads one row.
"""

import streamlit as st

from gfx_core.classroom.codes import spell_code
from gfx_core.classroom.room import Place, Room
from gfx_core.classroom.targets import PRIVATE, Target
from gfx_core.classroom.teacher import FullError, Teacher
from gfx_core.errors import UserError
from pages.ui.classroom import membership, teaching
from pages.ui.components.class_strip import class_strip
from pages.ui.fragments import fragment
from pages.ui.links import write_link
from pages.ui.text import plain

POLL_S = 3.0
_SENT = "class:sent"  # session state: the teacher just brought everybody here


def strip(page: str) -> None:
    """Draw the line, where the visitor is in a class or leads one.

    Args:
        page: The page that is shown.
    """
    if said := membership.problem():
        st.warning(plain(said), icon=":material/groups:")
    if membership.joined() is not None:
        fragment(_student, run_every=POLL_S)(page)
    elif page != "classroom" and (teacher := teaching.led()) is not None:
        _teacher(page, teacher)


def _student(page: str) -> None:
    now = membership.joined()
    if now is None:
        return
    try:
        room = membership.look(place(page))
    except FullError as error:
        with st.container(horizontal=True, vertical_alignment="center", key="class-strip"):
            st.warning(f"Class {spell_code(now.code)}: {plain(error)}", icon=":material/event_seat:")
            st.button("Leave", key="class-leave", type="tertiary", on_click=membership.leave)
        return
    except UserError:
        st.caption(f":material/groups: Class {spell_code(now.code)} · it cannot be reached just now")
        return
    if room is None:
        membership.leave(f"The class {spell_code(now.code)} is over. You can go on by yourself.")
        st.rerun()
    if membership.follow(room):
        go(page, room)
    with st.container(horizontal=True, vertical_alignment="center", key="class-strip"):
        st.markdown(f":material/groups: Class **{spell_code(now.code)}**", width="content")
        st.button("Leave", key="class-leave", type="tertiary", on_click=membership.leave)
        class_strip(frozen=room.frozen)


def place(page: str) -> Place:
    """Where the visitor is."""
    lesson = str(st.query_params.get("lesson", "1"))
    number = int(lesson) if lesson.isdecimal() and len(lesson) < 3 else 1
    return Place(page, number if page == "learn" else 0)


def go(page: str, room: Room) -> None:
    """Follow the class to where it was sent."""
    if room.target is None:
        return
    if room.target.page != page:
        st.switch_page(f"pages/{room.target.page}.py", query_params=room.target.link)
    write_link(room.target.link)
    st.rerun()


def _teacher(page: str, teacher: Teacher) -> None:
    def bring() -> None:
        link = {name: text for name, text in st.query_params.to_dict().items() if name not in (*PRIVATE, "done")}
        try:
            teacher.send(Target.of(page, link))
            st.session_state[_SENT] = True
        except UserError as error:
            st.session_state[_SENT] = str(error)

    with st.container(horizontal=True, vertical_alignment="center", key="class-strip"):
        st.markdown(f":material/co_present: You lead class **{spell_code(teacher.code)}**", width="content")
        st.button("Bring everybody here", key="class-bring", icon=":material/pan_tool_alt:", on_click=bring)
        st.page_link(
            "pages/classroom.py", label="Your class", icon=":material/groups:", query_params=teaching.own_link()
        )
        if (sent := st.session_state.pop(_SENT, None)) is not None:
            st.caption("They come, within seconds." if sent is True else plain(sent), width="content")
