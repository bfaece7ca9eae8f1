"""The link for teachers: it opens a lesson with parts hidden and with the settings that are seen now."""

from urllib.parse import urlencode

import streamlit as st

from pages.ui import membership
from pages.ui.address import read_link
from pages.ui.lessons.frame import DONE, HIDE, NUMBER, PARTS, alive, hidden
from pages.ui.wording import widget

_WHAT = {
    "controls": "Hide the controls",
    "question": "Hide the question",
    "theory": "Hide the explanations",
    "lessons": "Hide the other lessons",
}


def link_for_teachers() -> None:
    """A small popover with the lesson plans, in which the link is built."""
    # opened, it draws the page again: lessons change the address without that
    with st.popover(**widget("teach"), on_change="rerun"):
        st.page_link("pages/plans.py", label="Lesson plans", icon=":material/assignment:")
        st.page_link("pages/classroom.py", label="Open a class, or join one", icon=":material/groups:")
        st.caption("The key P presents this page: larger letters, no menu.")
        st.fragment(_builder)()


def _builder() -> None:
    st.markdown("Send your students this link: it opens the lesson as you see it here.")
    with st.container(gap=None):
        for part in PARTS:
            st.checkbox(_WHAT[part], value=hidden(part), key=f"teach-{part}")
    hide = alive([part for part in PARTS if st.session_state[f"teach-{part}"]])
    names = {NUMBER.name, DONE.name, HIDE.name, membership.PARAMETER}
    link = {NUMBER.name: str(NUMBER.read())} | ({HIDE.name: HIDE.spell(hide) or ""} if hide else {})
    link |= {name: text for name, text in read_link().items() if name not in names}
    room = membership.led_class()
    if room is not None:
        link[membership.PARAMETER] = room.code
    st.code(f"{membership.base_address()}/learn?{urlencode(link, safe=',')}", language=None, wrap_lines=True)
