"""The link for teachers: it opens a lesson with parts hidden and with the settings that are seen now."""

import streamlit as st

from gfx_core.classroom.classes import Teacher
from gfx_core.classroom.room import ClassTarget, spell_code
from pages.ui import membership
from pages.ui.components.component_files import read, script
from pages.ui.fragment import fragment
from pages.ui.lessons.frame import DONE, HIDE, NUMBER, PARTS, alive, hidden
from pages.ui.server import room_address

_WHAT = {
    "controls": "Hide the controls",
    "question": "Hide the question",
    "theory": "Hide the explanations",
    "lessons": "Hide the other lessons",
}
_NOTHING_LEFT = "There would be nothing left to do on the page: leave the controls or the question."
_HTML = """
<label><span>The link</span><input type="text" readonly /></label>
<button type="button"><span aria-live="polite">Copy</span></button>
<figure><figcaption>What your students will see</figcaption>
<div><iframe title="What your students will see" tabindex="-1" loading="lazy"></iframe></div></figure>
"""
_link = st.components.v2.component("teacher_link", html=_HTML, css=read("teacher_link.css"), js=script("teacher_link"))


def link_for_teachers() -> None:
    """A small popover with the lesson plans, in which the link is built."""
    about = "Join a class or open one, lesson plans, and a link that opens this lesson for your students"
    with st.popover("Class", icon=":material/co_present:", help=about):
        st.page_link("pages/plans.py", label="Lesson plans", icon=":material/assignment:")
        fragment(_builder)()


def _builder() -> None:
    st.markdown("Send your students this link: it opens the lesson as you see it here.")
    ticked = {part for part in PARTS if st.session_state.get(f"teach-{part}", hidden(part))}
    with st.container(gap=None):
        for part in PARTS:
            dead = part == "lessons" and {"controls", "question"} <= ticked
            why = _NOTHING_LEFT if dead else None
            st.checkbox(_WHAT[part], value=hidden(part), key=f"teach-{part}", disabled=dead, help=why)
        st.checkbox("Start with the settings you see now", value=True, key="teach-preset")
    hide = alive([part for part in PARTS if st.session_state[f"teach-{part}"]])
    preset: bool = st.session_state["teach-preset"]
    teacher = membership.led_class()
    data: dict[str, object] = {"lesson": NUMBER.read(), "hide": HIDE.spell(hide) or "", "preset": preset}
    if room := room_address():  # the teacher may be on this computer itself, whose own name leads students nowhere
        data["room"] = room
    if teacher is not None:
        data["class"] = teacher.code
    _link(key="teach-link", data=data)
    _class(teacher, hide, preset)


def _class(teacher: Teacher | None, hide: frozenset[str], preset: bool) -> None:
    """A class, where there is one, is sent to the same link; else there is a way to open one."""
    if teacher is None:
        if not room_address() and membership.reaches_only_here(membership.base_address()):
            st.caption("Only this computer can open it. For the room, start with `python app.py --class`.")
        st.page_link("pages/classroom.py", label="Open a class, or join one", icon=":material/groups:")
        return

    def send() -> None:
        own = {NUMBER.name, DONE.name, HIDE.name}
        now = {name: text for name, text in st.query_params.to_dict().items() if preset and name not in own}
        link = {NUMBER.name: str(NUMBER.read()), **now, **({HIDE.name: HIDE.spell(hide) or ""} if hide else {})}
        membership.send(teacher, ClassTarget.of("learn", link))

    label = f"Send class {spell_code(teacher.code)} there"
    st.button(label, key="teach-send", icon=":material/pan_tool_alt:", on_click=send)
    membership.show_outcome()
