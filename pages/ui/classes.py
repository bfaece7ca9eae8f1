"""Classes: who is in one and who leads one, on every page, and what a teacher and the projector see.

In which class a visitor is, the link tells (``class=KX7RQD``); it is kept for the visit, and in every link of it. Which
class a visitor leads is known by the key in the teacher's link.

The line at the top of every page counts and leads students; teachers lead by it. It is drawn again every few seconds:
thirty students cost the server some ten such runs a second.
"""

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode, urlsplit

import streamlit as st

from gfx_core.classroom.classes import (
    AnswerCounts,
    ClassQuestion,
    ClassTarget,
    FullError,
    Room,
    StudentPage,
    classroom,
    read_code,
    spell_code,
)
from gfx_core.config import read_content
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted
from pages.ui import address, sessions
from pages.ui.components.browser import class_pause, save_button
from pages.ui.presenting import PRESENT_STYLE
from pages.ui.server import HERE, room_address
from pages.ui.text import plain
from pages.ui.widgets import in_row, page_link, widget

if TYPE_CHECKING:
    from gfx_core.teaching.questions import LessonQuestion

PARAMETER = "class"
POLL_S = 3.0
_JOINED = "class:joined"  # session state: the class that the visitor is in
_FOLLOWED = "class:followed"  # session state: how often the class had been sent somewhere when this page followed
_PROBLEM = "class:problem"  # session state: what is to be read on the next page about the requested class
_LEADS = "class:leads"  # session state: the code and the key of the class that the visitor leads


class Membership(NamedTuple):
    """One visitor in one class.

    Attributes:
        code: Of the class.
        seat: Of this visitor; the server made it, and no browser has it.
    """

    code: str
    seat: str


def join_by_link() -> None:
    """Join the class that the link tells, if the visitor is not in it already."""
    text, now = st.query_params.get(PARAMETER), joined()
    if text is None or (now is not None and now.code == read_code(text)):
        return
    try:
        join(text)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)
        address.always(PARAMETER, None if now is None else now.code)


def join(text: str) -> None:
    """Take a seat in the class with a code.

    Raises:
        UserError: There is none.
    """
    code = read_code(text)
    seat = None if code is None else classroom().join(code, sessions.client().user)
    if code is None or seat is None:
        raise UserError("There is no class with this code here just now. Ask again: it has six letters and digits.")
    st.session_state[_JOINED] = Membership(code, seat)
    st.session_state.pop(_FOLLOWED, None)
    st.session_state.pop(_PROBLEM, None)
    address.always(PARAMETER, code)


def joined() -> Membership | None:
    """The class that the visitor is in."""
    return st.session_state.get(_JOINED)


def leave(message: str = "") -> None:
    """Be in no class any more; a message is read on the page that is drawn next."""
    st.session_state.pop(_JOINED, None)
    st.session_state[_PROBLEM] = message
    address.always(PARAMETER, None)


def count_answer(lesson: int, question: "LessonQuestion", answer: int | None) -> None:
    """Count an answer, where the visitor is in a class."""
    now = joined()
    if now is None or answer is None:
        return
    text = ClassQuestion(question.text, tuple(question.options), question.right)
    with suppress(UserError):  # the lesson goes on
        classroom().answer(now.code, now.seat, lesson, text, int(answer))


def lead(code: str, key: str) -> Room | None:
    """The class that a link with a key opens; it is kept, so that other pages know who leads it."""
    st.session_state[_LEADS] = {"class": code, "key": key}
    return led_class()


def led_class() -> Room | None:
    """The class that the visitor leads; None where there is none, or it is over."""
    link = teacher_link()
    room = classroom().room(link["class"]) if link else None
    return room if room is not None and room.is_led_by(link["key"]) else None


def teacher_link() -> dict[str, str]:
    """The parameters of the teacher's own page; none where the visitor leads no class."""
    return st.session_state.get(_LEADS, {})


def base_address() -> str:
    """The address of the explorer as students reach it, without a page; empty if none is known."""
    here = urlsplit(str(st.context.url or ""))
    if not here.netloc:
        return room_address()
    origin = f"{here.scheme}://{here.netloc}"
    return ((here.hostname in HERE and room_address()) or origin) + here.path.rstrip("/").rpartition("/")[0]


def strip(page: str) -> None:
    """Draw the line, where the visitor is in a class or leads one.

    Args:
        page: The page that is shown.
    """
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.warning(plain(problem), icon=":material/groups:")
    if joined() is not None:
        st.fragment(_student, run_every=POLL_S)(page)
    elif page != "classroom" and (room := led_class()) is not None:
        _teacher(page, room.code)


def _student(page: str) -> None:
    now = joined()
    if now is None:
        return
    room, name, text = classroom().room(now.code), spell_code(now.code), ""
    if room is None:
        leave(f"The class {name} is over. You can go on by yourself.")
        st.rerun()
    try:
        student = StudentPage(page, ClassTarget.of(page, address.read_link()).lesson)
        _follow(room, classroom().look(room, now.seat, student), page)
    except FullError as error:
        text = plain(error)
    with in_row("class-strip"):
        st.markdown(text or f":material/groups: You are in class **{name}**", width="content")
        st.button(**widget("class-leave"), on_click=leave)
        class_pause(frozen=room.frozen and not text)


def _follow(room: Room, before: int, page: str) -> None:
    """Go where the class was sent, once; a page that was loaded again has followed already."""
    followed = st.session_state.setdefault(_FOLLOWED, before)
    if followed != room.sent and room.target is not None:
        st.session_state[_FOLLOWED] = room.sent
        if room.target.page != page:
            st.switch_page(f"pages/{room.target.page}.py", query_params=room.target.link)
        address.write_link(room.target.link)
        st.rerun()


def _teacher(page: str, code: str) -> None:
    def bring() -> None:
        link = {name: text for name, text in address.read_link().items() if name != "done"}
        with suppress(UserError), classroom().changing(code) as room:  # one that is over has nobody to bring
            room.send(ClassTarget.of(page, link))
            st.toast("Students will follow within seconds.")

    with in_row("class-strip"):
        st.markdown(f":material/co_present: You lead class **{spell_code(code)}**", width="content")
        st.button(**widget("class-bring"), on_click=bring)
        page_link("your-class", teacher_link())


TEXTS = read_content("class")
MAX_QR = 900
"""Letters of a link: beyond that the squares of its picture are too small to be read from a wall."""


def teacher_view(room: Room) -> None:
    """The code and the link, what can be done, and live counts."""
    st.title(f"Your class {spell_code(room.code)}", anchor=False)
    invitation, leading = st.columns([2, 3], gap="large")
    with invitation:
        _invitation(room.code)
        projector = urlencode({"class": room.code, "screen": room.derived("screen")})
        st.link_button(**widget("class-projector"), url=f"classroom?{projector}")
        st.caption(TEXTS["key"])
        page_link("plans")
        if problem := classroom().problem:
            st.warning(problem, icon=":material/save:")
    with leading:
        _controls(room)
        st.fragment(_live, run_every=POLL_S)(room.code)


def _invitation(code: str) -> None:
    """What students are given: the link and its picture."""
    link = f"{base_address()}/learn?{urlencode({'class': code})}"
    if urlsplit(link).hostname in (*HERE, None):  # it leads nowhere on other computers
        st.warning(TEXTS["only-here"], icon=":material/wifi_off:")
    elif picture := qr_html(link):
        st.html(f'<div class="class-qr">{picture}</div>')
    st.code(link, language=None, wrap_lines=True)


def _controls(room: Room) -> None:
    def change(name: str, value: object) -> None:
        with suppress(UserError), classroom().changing(room.code) as changed:
            setattr(changed, name, value)

    st.markdown(TEXTS["lead"])
    st.session_state["class-freeze"] = room.frozen
    st.toggle(**widget("class-freeze"), on_change=change, args=("frozen", not room.frozen))
    with st.container(horizontal=True):
        save_button("Save the answers", lambda: room.answers_csv().encode(), "answers.csv", key="class-save")
        st.button(**widget("class-end"), on_click=change, args=("ends", 0.0))


def _live(code: str) -> None:
    room = _room(code)
    if room is None:
        return
    places = classroom().present(room)
    st.subheader(f"{counted(places.total(), 'student')} here", anchor=False)
    if places:
        st.html(render("html/class.html", places=sorted(places.items()), most=max(places.values())))
    mark = st.toggle(**widget("class-mark"))
    for lesson, counts in sorted(room.answers.items()):
        with st.container(border=True, key=f"class-spread-{lesson}"):
            _spread(lesson, counts, mark)
    if not room.answers:
        st.info(TEXTS["no-answers"], icon=":material/bar_chart:")


def projector_view(code: str) -> None:
    """The code, how many are there, and the spread of one question: for everybody to see."""
    st.html(PRESENT_STYLE)
    with st.container(key="projector"):
        st.fragment(_projector, run_every=POLL_S)(code)


def _projector(code: str) -> None:
    """The question of the lesson that the class was sent to, else the one that came last."""
    room = _room(code)
    if room is None:
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.title("Join this class", anchor=False)
        st.html(f'<div class="class-code">{spell_code(code)}</div>')
        _invitation(code)
        st.markdown(f"**{counted(classroom().present(room).total(), 'student')}** here")
    with right:
        lesson = room.target.lesson if room.target and room.target.lesson else max(room.answers, default=0)
        mark = st.toggle(**widget("class-mark"))
        if counts := room.answers.get(lesson):
            _spread(lesson, counts, mark)
        else:
            st.info(TEXTS["no-answer"], icon=":material/bar_chart:")


def _room(code: str) -> Room | None:
    room = classroom().room(code)
    if room is None:
        st.info(TEXTS["over"], icon=":material/logout:")
    return room


def _spread(lesson: int, counts: AnswerCounts, mark: bool) -> None:
    """A question and how many gave which answer: bars are full for what was answered first, a line for what is now.

    A bar is as long as its share of all who answered.
    """
    marked = counts.question.right if mark else None
    st.markdown(f"**{lesson}** · {counts.question.text}")
    st.html(render("html/class.html", bars=counts.bars, all=len(counts.by_seat), marked=marked))


@lru_cache(maxsize=64)
def qr_html(link: str) -> str:
    """The picture for a page, dark on white whatever the page's colours are; empty where the link is too long."""
    import segno

    if len(link) > MAX_QR:
        return ""
    picture = segno.make(link, error="m", micro=False)
    address = picture.svg_data_uri(border=3, dark="#111", light="#fff", omitsize=True)  # SVG itself would be taken out
    return render("html/class.html", picture=address, link=link)
