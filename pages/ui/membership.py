"""Who is in a class and who leads one, on every page: membership, the class that is led, and the line at the top.

In which class a visitor is, the link tells (``class=KX7RQD``); it is kept for the visit, and in every link of it.
Behind the code stands how often the class was sent somewhere when this visitor last followed (``class=KX7RQD.3``):
whoever loads a page again is not sent where the class went long ago. Which class a visitor leads is known by the secret
in the teacher's link.

The line at the top of every page counts and leads students; teachers lead by it. It asks every few seconds how the
class is: thirty students cost the server some ten such runs a second, each of which reads one row.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st

from gfx_core.classroom import room as rooms
from gfx_core.classroom.classes import FullError, StudentPage, Teacher, classroom
from gfx_core.errors import UserError
from pages.ui import address, sessions
from pages.ui.components.browser import class_pause
from pages.ui.server import HERE, room_address
from pages.ui.text import plain

if TYPE_CHECKING:
    from gfx_core.teaching.questions import LessonQuestion  # what questions are made of takes a while to load

PARAMETER = "class"
POLL_S = 3.0
NEVER = -1
_JOINED = "class:joined"  # session state: the class that the visitor is in
_PROBLEM = "class:problem"  # session state: what is wrong with the requested class
_LEADS = "class:leads"  # session state: the code and the secret of the class that the visitor leads
_OUTCOME = "class:outcome"  # session state: what came of changing the class


@dataclass(frozen=True)
class Membership:
    """One visitor in one class.

    Attributes:
        code: Of the class.
        seat: Of this visitor; the server made it, and no browser is told.
        followed: How often the class had been sent somewhere when this visitor last followed. `NEVER` for those who
            have typed the code: they are to be led to wherever the class is.
    """

    code: str
    seat: str
    followed: int = 0

    @property
    def text(self) -> str:
        """As it stands in the link."""
        return f"{self.code}.{self.followed}" if self.followed > 0 else self.code


def read_membership(text: str) -> tuple[str | None, int]:
    """The code and the number that a link tells."""
    code, _, number = text.partition(".")
    return rooms.read_code(code), int(number) if number.isdecimal() and len(number) < 7 else 0


def join_by_link() -> None:
    """Join the class that the link tells, if the visitor is not in it already."""
    text = st.query_params.get(PARAMETER)
    if text is None:
        return
    code, followed = read_membership(str(text))
    now = joined()
    if now is None or now.code != code:
        try:
            join(code, followed)
        except UserError as error:
            st.session_state[_PROBLEM] = str(error)
            address.always(PARAMETER, None if now is None else now.text)


def join(code: str | None, followed: int = 0) -> None:
    """Take a seat in a class.

    Raises:
        UserError: There is none, or it was tried too often.
    """
    client = sessions.client()
    seat = None if code is None else classroom().join(code, client.user, client.address or client.user)
    if code is None or seat is None:
        named = f" {rooms.spell_code(code)}" if code else ""
        raise UserError(f"There is no class{named} here just now. Ask for its code: it has six letters and digits.")
    _keep(Membership(code, seat, followed))
    st.session_state.pop(_PROBLEM, None)


def joined() -> Membership | None:
    """The class that the visitor is in."""
    found: Membership | None = st.session_state.get(_JOINED)
    return found


def count_answer(lesson: int, question: "LessonQuestion", answer: int | None) -> None:
    """Count an answer, where the visitor is in a class."""
    now = joined()
    if now is None or answer is None:
        return
    shown = rooms.ClassQuestion(question.text, tuple(question.options), question.right)
    with suppress(FullError):  # the lesson goes on
        classroom().answer(now.code, now.seat, lesson, shown, int(answer))


def leave(message: str | None = None) -> None:
    """Be in no class any more; something may be said of it on the page that is drawn next."""
    now = joined()
    if now is None:
        return
    classroom().leave(now.code, now.seat)
    st.session_state.pop(_JOINED)
    st.session_state[_PROBLEM] = message
    address.always(PARAMETER, None)


def _keep(now: Membership) -> None:
    st.session_state[_JOINED] = now
    address.always(PARAMETER, now.text)


def lead(code: str, key: str) -> Teacher | None:
    """The class that a link with a secret opens; it is kept, so that other pages know who leads it."""
    found = classroom().teacher(code, key)
    if found is not None:
        st.session_state[_LEADS] = (code, key)
    return found


def led_class() -> Teacher | None:
    """The class that the visitor leads; None where there is none, or it is over."""
    code_and_key: tuple[str, str] | None = st.session_state.get(_LEADS)
    found = None if code_and_key is None else classroom().teacher(*code_and_key)
    if found is None:
        st.session_state.pop(_LEADS, None)
    return found


def teacher_link() -> dict[str, str]:
    """The parameters of the teacher's own page."""
    code, key = st.session_state[_LEADS]
    return {"class": code, "key": key}


def base_address() -> str:
    """The address of the explorer as students reach it, without a page; empty if nobody told it."""
    here = urlsplit(str(st.context.url or ""))
    if not here.netloc:
        return room_address()
    folder = here.path.rstrip("/").rpartition("/")[0]
    origin = f"{here.scheme}://{here.netloc}"
    return f"{room_address() if here.hostname in HERE and room_address() else origin}{folder}"


def reaches_only_here(address: str) -> bool:
    """Whether an address leads nowhere on other computers."""
    return urlsplit(address).hostname in (*HERE, None)


def strip(page: str) -> None:
    """Draw the line, where the visitor is in a class or leads one.

    Args:
        page: The page that is shown.
    """
    if found := st.session_state.pop(_PROBLEM, None):
        st.warning(plain(found), icon=":material/groups:")
    if joined() is not None:
        st.fragment(_student, run_every=POLL_S)(page)
    elif page != "classroom" and (teacher := led_class()) is not None:
        _teacher(page, teacher)


def _student(page: str) -> None:
    now = joined()
    if now is None:
        return
    try:
        room = classroom().look(now.code, now.seat, student_page(page))
    except FullError as error:
        with st.container(horizontal=True, vertical_alignment="center", key="class-strip"):
            st.warning(f"Class {rooms.spell_code(now.code)}: {plain(error)}", icon=":material/event_seat:")
            st.button("Leave", key="class-leave", type="tertiary", on_click=leave)
        return
    if room is None:
        leave(f"The class {rooms.spell_code(now.code)} is over. You can go on by yourself.")
        st.rerun()
    if room.sent != now.followed:  # from now on, this visitor has followed
        _keep(replace(now, followed=room.sent))
        target = room.target or rooms.ClassTarget("learn")
        if target.page != page:
            st.switch_page(f"pages/{target.page}.py", query_params=target.link)
        address.write_link(target.link)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="class-strip"):
        st.markdown(f":material/groups: You are in class **{rooms.spell_code(now.code)}**", width="content")
        st.button("Leave", key="class-leave", type="tertiary", on_click=leave)
        class_pause(frozen=room.frozen)


def student_page(page: str) -> StudentPage:
    """Where the visitor is."""
    return StudentPage(page, rooms.ClassTarget.of(page, address.read_link()).lesson)


def _teacher(page: str, teacher: Teacher) -> None:
    def bring() -> None:
        link = {name: text for name, text in address.read_link().items() if name != "done"}
        send(teacher, rooms.ClassTarget.of(page, link))

    with st.container(horizontal=True, vertical_alignment="center", key="class-strip"):
        st.markdown(f":material/co_present: You lead class **{rooms.spell_code(teacher.code)}**", width="content")
        st.button("Bring everybody here", key="class-bring", icon=":material/pan_tool_alt:", on_click=bring)
        st.page_link("pages/classroom.py", label="Your class", icon=":material/groups:", query_params=teacher_link())
        show_outcome()


def do(change: Callable[[], None], message: str = "") -> None:
    """Change the class; `show_outcome` tells what came of it."""
    try:
        change()
        st.session_state[_OUTCOME] = st.caption, message
    except UserError as error:
        st.session_state[_OUTCOME] = st.error, str(error)


def send(teacher: Teacher, target: rooms.ClassTarget) -> None:
    """Send the class somewhere."""
    do(lambda: teacher.send(target), "Students will follow within seconds.")


def show_outcome() -> bool:
    """Tell what came of changing the class, once; returns whether there was something."""
    show, words = st.session_state.pop(_OUTCOME, (None, ""))
    if words:
        show(plain(words))
    return bool(words)
