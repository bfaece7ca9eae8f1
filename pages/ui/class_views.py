"""What the teacher of a class sees and does, and what the projector shows of it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from urllib.parse import urlencode

import streamlit as st

from gfx_core.classroom import room as rooms
from gfx_core.classroom.classes import StudentPage, Teacher, Watcher, classroom
from gfx_core.drawing.templates import render
from gfx_core.teaching.lesson_plans import opened
from gfx_core.text.numbers import counted, duration
from pages.ui.components.browser import save_button
from pages.ui.membership import POLL_S, base_address, do, reaches_only_here, show_outcome
from pages.ui.presenting import PRESENT_STYLE

MAX_QR = 900
"""Letters of a link: beyond that the squares of its picture are too small to be read from a wall."""
_LED = "class:led"  # session state: how often the class had been sent, and the question that the projector then showed


def teacher_view(teacher: Teacher, key: str, lessons: Sequence[str], pages: Sequence[str]) -> None:
    """The code and the link, what can be done, and live counts."""
    st.title(f"Your class {rooms.spell_code(teacher.code)}", anchor=False)
    invitation, leading = st.columns([2, 3], gap="large")
    with invitation:
        _invitation(teacher.code)
        projector = {"class": teacher.code, "screen": rooms.screen_key(key)}
        st.link_button("Projector view", f"classroom?{urlencode(projector)}", icon=":material/cast:", type="secondary")
        st.caption(
            "The address of *this* page is your key: do not share it, and use it to come back. The projector view has "
            "its own address, which everybody may see."
        )
        st.page_link("pages/plans.py", label="Lesson plans", icon=":material/assignment:")
        if problem := classroom().problem:
            st.warning(problem, icon=":material/save:")
    with leading:
        _controls(teacher, lessons, pages)
    st.fragment(_live, run_every=POLL_S)(teacher, lessons)


def _invitation(code: str) -> None:
    """What students are given: the link and its picture."""
    link = f"{base_address()}/learn?{urlencode({'class': code})}"
    if reaches_only_here(link):
        st.warning(
            "Only this computer can open that link. For the room, start the explorer with `python app.py --class`.",
            icon=":material/wifi_off:",
        )
    elif picture := qr_html(link):
        st.html(f'<div class="class-qr">{picture}</div>')
    st.code(link, language=None, wrap_lines=True)


def _controls(teacher: Teacher, lessons: Sequence[str], pages: Sequence[str]) -> None:
    room = classroom().room(teacher.code)

    def send_to(key: str) -> None:
        text = str(st.session_state[key] or "")
        if text.strip():
            do(lambda: teacher.send(rooms.read_target(text, pages)), "Students will follow within seconds.")

    def freeze() -> None:
        do(lambda: teacher.freeze(bool(st.session_state["class-freeze"])))

    with st.container(horizontal=True, vertical_alignment="bottom", key="class-send"):
        titles = {f"/learn?lesson={number}": f"{number} · {name}" for number, name in enumerate(lessons, 1)}
        titles |= {link: name for link, name in opened().items() if link not in titles}
        st.selectbox("Follow me to", list(titles), key="class-place", format_func=titles.__getitem__)
        icon = ":material/pan_tool_alt:"
        st.button("Send everybody", key="class-send-place", icon=icon, on_click=send_to, args=("class-place",))
    with st.container(horizontal=True, vertical_alignment="bottom", key="class-send-to-link"):
        placeholder = "a link copied from any page here"
        st.text_input("or to a link", key="class-link", placeholder=placeholder, max_chars=2000)
        st.button("Send to the link", key="class-send-link", on_click=send_to, args=("class-link",))
    st.session_state["class-freeze"] = room is not None and room.frozen
    hint = "Students see “Look up, please” and cannot press anything; answers do not count during this time."
    st.toggle("Freeze: everybody looks up", key="class-freeze", on_change=freeze, help=hint)
    show_outcome()
    with st.popover("End the class", icon=":material/logout:"):
        st.markdown("Students go on by themselves. Counts and answers are deleted.")
        save_button("Save the answers", partial(_answers, teacher), "answers.csv", key="class-save")
        st.button(
            "End it now", key="class-end", type="primary", on_click=do, args=(teacher.end, "You ended the class.")
        )


def _answers(teacher: Teacher) -> bytes:
    """The table of answers, made when it is asked for: until then more may come."""
    room = teacher.room()
    return b"" if room is None else room.answers_csv().encode()


def _live(teacher: Teacher, lessons: Sequence[str]) -> None:
    room, places = _room(teacher), teacher.places()
    if room is None:
        return
    st.subheader(f"{counted(sum(places.values()), 'student')} here", anchor=False)
    st.caption(f"The class ends in {duration(room.ends - classroom().now())}.")
    if places:
        st.html(places_html(places, lessons))
    mark = st.toggle("Mark the right answers", key="class-mark")
    for lesson, counts in sorted(room.answers.items()):
        with st.container(border=True, key=f"class-spread-{lesson}"):
            spread_view(lesson, counts, mark=mark)
    if not room.answers:
        st.info("Answers to the lessons’ questions appear here.", icon=":material/bar_chart:")


def places_html(places: Mapping[StudentPage, int], lessons: Sequence[str]) -> str:
    """How many are where, as bars."""

    def name(page: str, lesson: int) -> str:
        on_lesson = 1 <= lesson <= len(lessons)
        return f"Lesson {lesson} · {lessons[lesson - 1]}" if on_lesson else page.capitalize() or "Home"

    named = [(name(*page), count) for page, count in sorted(places.items())]
    return render("html/class.html", places=named, most=max(places.values()))


def projector_view(watcher: Watcher) -> None:
    """The code, how many are there, and the spread of one question: for everybody to see."""
    st.html(PRESENT_STYLE)
    with st.container(key="projector"):
        st.fragment(_projector, run_every=POLL_S)(watcher)


def _projector(watcher: Watcher) -> None:
    room = _room(watcher)
    if room is None:
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.title("Join this class", anchor=False)
        st.html(f'<div class="class-code">{rooms.spell_code(watcher.code)}</div>')
        _invitation(watcher.code)
        st.markdown(f"**{counted(sum(watcher.places().values()), 'student')}** here")
    with right:
        _shown_question(room)


def _shown_question(room: rooms.Room) -> None:
    """The question of the lesson that the class was sent to, else the one that came last; a click shows another."""
    sent_to = room.target.lesson if room.target else 0
    lessons = sorted({*room.answers, *([sent_to] if sent_to else [])})
    if not lessons:
        st.info("Answers appear here.", icon=":material/bar_chart:")
        return
    led = (room.sent, sent_to or list(room.answers)[-1])
    if st.session_state.get(_LED) != led or st.session_state.get("class-question") not in lessons:
        st.session_state[_LED], st.session_state["class-question"] = led, led[1]
    shown = st.segmented_control("Question of lesson", lessons, key="class-question", required=True)
    mark = st.toggle("Mark the right answer", key="class-mark")
    if counts := room.answers.get(shown):
        spread_view(shown, counts, mark=mark)
    else:
        st.info(f"Answers to the question of lesson {shown} appear here.", icon=":material/bar_chart:")


def _room(watcher: Watcher) -> rooms.Room | None:
    room = watcher.room()
    if room is None:
        st.info("This class is over.", icon=":material/logout:")
    return room


def spread_view(lesson: int, counts: rooms.AnswerCounts, *, mark: bool) -> None:
    """A question and how many gave which answer: bars are full for what was answered first, a line for what is now.

    A bar is as long as its share of all who answered.

    Args:
        lesson: Whose question it is.
        counts: The answers.
        mark: Whether the right one is marked.
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
