"""The link for teachers: it opens a lesson with parts hidden and with the settings that are seen now."""

import streamlit as st

from pages.ui.components.component_files import read, script
from pages.ui.lessons.frame import hidden
from pages.ui.lessons.progress import NUMBER, PARTS

_WHAT = {"controls": "Hide the controls", "question": "Hide the question", "theory": "Hide the explanations"}
_HTML = """
<label><span>The link</span><input type="text" readonly /></label>
<button type="button"><span aria-live="polite">Copy</span></button>
"""
_link = st.components.v2.component(
    "teacher_link", html=_HTML, css=read("teacher_link.css"), js=script("teacher_link.js")
)


def link_for_teachers() -> None:
    """A small popover that builds the link."""
    with st.popover("Teach", icon=":material/co_present:", help="A link that opens this lesson for your students"):
        _builder()


@st.fragment
def _builder() -> None:
    st.markdown("Send your students a link to this lesson.")
    for part in PARTS:
        st.checkbox(_WHAT[part], value=hidden(part), key=f"teach-{part}")
    st.checkbox("Start with the settings you see now", value=True, key="teach-preset")
    hide = [part for part in PARTS if st.session_state[f"teach-{part}"]]
    _link(
        key="teach-link",
        data={"lesson": NUMBER.read(), "hide": ",".join(hide), "preset": st.session_state["teach-preset"]},
    )
