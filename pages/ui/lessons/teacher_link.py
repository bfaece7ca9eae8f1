"""The link for teachers: it opens a lesson with parts hidden and with the settings that are seen now."""

from urllib.parse import urlencode

import streamlit as st

from gfx_core.classroom.classes import Teacher
from gfx_core.classroom.room import ClassTarget, spell_code
from pages.ui import membership
from pages.ui.address import read_link
from pages.ui.lessons.frame import DONE, HIDE, NUMBER, PARTS, alive, hidden
from pages.ui.server import room_address

_WHAT = {
    "controls": "Hide the controls",
    "question": "Hide the question",
    "theory": "Hide the explanations",
    "lessons": "Hide the other lessons",
}


def link_for_teachers() -> None:
    """A small popover with the lesson plans, in which the link is built."""
    about = "Join a class or open one, lesson plans, and a link that opens this lesson for your students"
    # opened, it draws the page again: lessons change the address without that
    with st.popover("Class", icon=":material/co_present:", help=about, key="teach", on_change="rerun"):
        st.page_link("pages/plans.py", label="Lesson plans", icon=":material/assignment:")
        st.caption("The key P presents this page: larger letters, no menu.")
        st.fragment(_builder)()


def _builder() -> None:
    st.markdown("Send your students this link: it opens the lesson as you see it here.")
    with st.container(gap=None):
        for part in PARTS:
            st.checkbox(_WHAT[part], value=hidden(part), key=f"teach-{part}")
        st.checkbox("Start with the settings you see now", value=True, key="teach-preset")
    hide = alive([part for part in PARTS if st.session_state[f"teach-{part}"]])
    preset: bool = st.session_state["teach-preset"]
    teacher = membership.led_class()
    link = _parameters(hide, preset)
    to_class = {} if teacher is None else {membership.PARAMETER: teacher.code}
    address = f"{membership.base_address()}/learn?{urlencode(link | to_class, safe=',')}"
    st.code(address, language=None, wrap_lines=True)
    _class(teacher, link)


def _parameters(hide: frozenset[str], preset: bool) -> dict[str, str]:
    """What the link says: the lesson, what is hidden of it, and what is set in it now."""
    own = {NUMBER.name, DONE.name, HIDE.name, membership.PARAMETER}
    now = {name: text for name, text in read_link().items() if preset and name not in own}
    return {NUMBER.name: str(NUMBER.read()), **({HIDE.name: HIDE.spell(hide) or ""} if hide else {}), **now}


def _class(teacher: Teacher | None, link: dict[str, str]) -> None:
    """A class, where there is one, is sent to the same link; else there is a way to open one."""
    if teacher is None:
        if not room_address() and membership.reaches_only_here(membership.base_address()):
            st.caption("Only this computer can open it. For the room, start with `python app.py --class`.")
        st.page_link("pages/classroom.py", label="Open a class, or join one", icon=":material/groups:")
        return

    target, label = ClassTarget.of("learn", link), f"Send class {spell_code(teacher.code)} there"
    st.button(label, key="teach-send", icon=":material/pan_tool_alt:", on_click=membership.send, args=(teacher, target))
    membership.show_outcome()
