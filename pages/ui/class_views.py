"""What the teacher of a class sees and does, and what the projector shows of it."""

from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlencode

import streamlit as st

from gfx_core.classroom.classes import classroom
from gfx_core.classroom.room import AnswerCounts, Room, spell_code
from gfx_core.config import read_content
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted
from pages.ui.components.browser import save_button
from pages.ui.membership import POLL_S, base_address, reaches_only_here
from pages.ui.presenting import PRESENT_STYLE
from pages.ui.wording import widget

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
        st.link_button("Projector view", f"classroom?{projector}", icon=":material/cast:", type="secondary")
        st.caption(TEXTS["key"])
        st.page_link("pages/plans.py", label="Lesson plans", icon=":material/assignment:")
        if problem := classroom().problem:
            st.warning(problem, icon=":material/save:")
    with leading:
        _controls(room)
        st.fragment(_live, run_every=POLL_S)(room.code)


def _invitation(code: str) -> None:
    """What students are given: the link and its picture."""
    link = f"{base_address()}/learn?{urlencode({'class': code})}"
    if reaches_only_here(link):
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
    mark = st.toggle("Mark the right answers", key="class-mark")
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
        mark = st.toggle("Mark the right answer", key="class-mark")
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
