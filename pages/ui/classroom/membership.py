"""In which class a visitor is: told by the link (``class=KX7RQD``), kept for the visit, and in every link of it.

Behind the code stands how often the class was sent somewhere when this visitor last followed (``class=KX7RQD.3``):
whoever loads a page again is not sent where the class went long ago.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import streamlit as st

from gfx_core.classroom.classroom import classroom
from gfx_core.classroom.codes import read_code, spell_code
from gfx_core.classroom.room import Asked, Place, Room
from gfx_core.errors import UserError
from gfx_core.teaching.questions import LessonQuestion
from pages.ui import links
from pages.ui.session import client

PARAMETER = "class"
_JOINED = "class:joined"  # session state: the class that the visitor is in
_PROBLEM = "class:problem"  # session state: what is wrong with the class that was asked for


@dataclass(frozen=True)
class Membership:
    """One visitor in one class.

    Attributes:
        code: Of the class.
        seat: Of this visitor; the server made it, and no browser is told.
        followed: How often the class had been sent somewhere when this visitor last followed.
        address: Where the visitor is.
    """

    code: str
    seat: str
    followed: int = 0
    address: str = ""

    @property
    def text(self) -> str:
        """As it stands in the link."""
        return f"{self.code}.{self.followed}" if self.followed else self.code


def read(text: str) -> tuple[str | None, int]:
    """The code and the number that a link tells."""
    code, _, number = text.partition(".")
    return read_code(code), int(number) if number.isdecimal() and len(number) < 7 else 0


def arrive() -> None:
    """Join the class that the link tells, if the visitor is not in it already."""
    text = st.query_params.get(PARAMETER)
    if text is None:
        return
    code, followed = read(str(text))
    now = joined()
    if now is None or now.code != code:
        try:
            join(code, followed)
        except UserError as error:
            st.session_state[_PROBLEM] = str(error)
            links.always(PARAMETER, None if now is None else now.text)


def join(code: str | None, followed: int = 0) -> None:
    """Take a seat in a class.

    Raises:
        UserError: There is none, or it was tried too often.
    """
    who = client()
    seat = None if code is None else classroom().join(code, who.user, who.address)
    if code is None or seat is None:
        named = f" {spell_code(code)}" if code else ""
        raise UserError(f"There is no class{named} here just now. Ask for its code: it has six letters and digits.")
    _keep(Membership(code, seat, followed, who.address))
    st.session_state.pop(_PROBLEM, None)


def joined() -> Membership | None:
    """The class that the visitor is in."""
    found: Membership | None = st.session_state.get(_JOINED)
    return found


def problem() -> str | None:
    """What is wrong with the class that was asked for; it is told once."""
    said: str | None = st.session_state.pop(_PROBLEM, None)
    return said


def follow(room: Room) -> bool:
    """Whether the class was sent somewhere since this visitor last followed; from now on, not any more."""
    now = joined()
    if now is None or room.sent == now.followed or room.target is None:
        return False
    _keep(replace(now, followed=room.sent))
    return True


def look(place: Place) -> Room | None:
    """The class as it is; None if it is over.

    Raises:
        FullError: The visitor has no seat in it.
        UserError: It cannot be told just now.
    """
    now = joined()
    return None if now is None else classroom().look(now.code, now.seat, place, now.address)


def answered(lesson: int, question: LessonQuestion, answer: int | None) -> None:
    """Count an answer, where the visitor is in a class."""
    now = joined()
    if now is None or answer is None:
        return
    try:
        asked = Asked(question.text, tuple(question.options), question.right)
        classroom().answer(now.code, now.seat, lesson, asked, int(answer), now.address)
    except UserError:  # the lesson goes on
        return


def leave(said: str | None = None) -> None:
    """Be in no class any more; something may be said of it on the page that is drawn next."""
    now = joined()
    if now is None:
        return
    with suppress(UserError):
        classroom().leave(now.code, now.seat)
    st.session_state.pop(_JOINED)
    st.session_state[_PROBLEM] = said
    links.always(PARAMETER, None)


def _keep(now: Membership) -> None:
    st.session_state[_JOINED] = now
    links.always(PARAMETER, now.text)
