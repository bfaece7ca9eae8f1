"""One class: its code and secrets, where it was sent, and what was answered.

A class can be sent to a page of this explorer, opened by a link; never anywhere else.
"""

import csv
import hashlib
import hmac
import io
import secrets
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from gfx_core.errors import UserError

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Of a code: none that is mistaken for another when it is read from a wall."""
CODE_LENGTH = 6
_MISREAD = str.maketrans({"0": "Q", "O": "Q", "1": "J", "I": "J", "L": "J"})
_SEAT_DIGITS = 16
MAX_LINK = 2000
"""Letters in a link; the longest that the pages write are shorter."""
PRIVATE = ("class", "key", "screen")
"""Parameters of a link that are about who has it, not about what it shows."""


def new_code() -> str:
    """Six letters and digits: short enough to type, too many to guess (887 million)."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def read_code(text: str) -> str | None:
    """A code as it was typed, with blanks, dashes and small letters as they like; None if it cannot be one."""
    code = "".join(text[:40].split()).replace("-", "").upper().translate(_MISREAD)
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE_LETTERS) else None


def spell_code(code: str) -> str:
    """A code as it is read aloud: in two halves."""
    return f"{code[: CODE_LENGTH // 2]} {code[CODE_LENGTH // 2 :]}"


def new_secret() -> str:
    """What a teacher's link carries: 192 random bits."""
    return secrets.token_urlsafe(24)


def screen_key(key: str) -> str:
    """The secret of the projector's view, from the teacher's: it opens that view alone, and the way back is unknown."""
    return hmac.new(key.encode("utf-8", errors="replace"), b"screen", hashlib.sha256).hexdigest()[:32]


def seal_of(secret: str) -> bytes:
    """What is kept of a secret: the link cannot be made from the file."""
    return hashlib.sha256(secret.encode("utf-8", errors="replace")).digest()


def is_secret(secret: str, seal: bytes) -> bool:
    """Whether this is the secret, found in the same time wherever it differs."""
    return hmac.compare_digest(seal_of(secret), seal)


def seat_of(seal: bytes, user: str) -> str:
    """The seat of a visitor in a class: always the same there, and another one in every other class.

    Only the server can make it, as only the server has the seal; it is no clue to anybody.

    Args:
        seal: Of the class's secret.
        user: Names the visitor.
    """
    return hmac.new(seal, f"seat {user}".encode("utf-8", errors="replace"), hashlib.sha256).hexdigest()[:_SEAT_DIGITS]


@dataclass(frozen=True)
class ClassTarget:
    """A page and what is set on it.

    Attributes:
        page: Its name, as in the address.
        query: Its parameters, as in the address.
    """

    page: str
    query: str = ""

    @property
    def link(self) -> dict[str, str]:
        """The parameters by name."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def lesson(self) -> int:
        """The lesson that it opens, 0 where it is not Learn."""
        text = self.link.get("lesson", "1")
        number = int(text) if text.isdecimal() and len(text) < 3 else 1
        return number if self.page == "learn" else 0

    @classmethod
    def of(cls, page: str, link: Mapping[str, str]) -> "ClassTarget":
        """A page with these parameters, without those about who has the link."""
        shown = {name: text for name, text in link.items() if name not in PRIVATE}
        return cls(page, urlencode(shown, errors="replace"))


def read_target(text: str, pages: Collection[str]) -> ClassTarget:
    """The page that a link leads to, copied from the address bar or typed.

    A computer's name in the link is left out: students go to a page of the server that they are on.

    Args:
        text: The link.
        pages: The names of all pages.

    Raises:
        UserError: It leads to none of them.
    """
    words = text.strip()
    if len(words) > MAX_LINK:
        raise UserError(f"This link is too long: at most {MAX_LINK} letters.")
    try:
        parts = urlsplit(words)
    except ValueError:
        parts = urlsplit("")
    page = parts.path.strip("/").rsplit("/", 1)[-1]
    if page not in pages:
        raise UserError("This link leads to no page of the explorer. Copy it from the address bar of a page here.")
    return ClassTarget.of(page, dict(parse_qsl(parts.query, keep_blank_values=True)))


@dataclass(frozen=True)
class ClassQuestion:
    """A lesson's question as students saw it.

    Attributes:
        text: Of the question.
        options: The answers to choose from; none where the answer is a number.
        right: The number of the right one, or the right number.
    """

    text: str
    options: tuple[str, ...] = ()
    right: int = 0


def without_marks(text: str) -> str:
    """A question or an answer without the asterisks of Markdown."""
    return text.replace("*", "")


class SeatAnswers(NamedTuple):
    """What one student answered to a question, at first and by now."""

    first: int
    latest: int


@dataclass
class AnswerCounts:
    """The answers to a lesson's question.

    Attributes:
        question: Of the lesson.
        by_seat: The answers of each student.
    """

    question: ClassQuestion
    by_seat: dict[str, SeatAnswers] = field(default_factory=dict)

    def count(self, seat: str, answer: int) -> None:
        """Note an answer."""
        before = self.by_seat.get(seat)
        self.by_seat[seat] = SeatAnswers(answer if before is None else before.first, answer)

    @property
    def bars(self) -> list[tuple[int, str, int, int]]:
        """For each answer its number, its words, and how many gave it first and give it now."""
        first, latest = (Counter(answers) for answers in zip(*self.by_seat.values(), strict=True))
        words = dict(enumerate(self.question.options)) or {number: str(number) for number in sorted({*first, *latest})}
        return [(answer, text, first[answer], latest[answer]) for answer, text in words.items()]


@dataclass
class Room:
    """One class, with all that is kept of it.

    Attributes:
        code: By which it is found.
        teacher: The seal of the teacher's secret.
        screen: That of the projector's.
        ends: When it ends, in seconds since 1970.
        frozen: Whether everybody is to look up: nothing can be pressed, answers do not count.
        sent: How often the class was sent somewhere.
        target: Where to, the last time.
        answers: To each question that was answered, by lesson.
    """

    code: str
    teacher: bytes
    screen: bytes
    ends: float
    frozen: bool = False
    sent: int = 0
    target: ClassTarget | None = None
    answers: dict[int, AnswerCounts] = field(default_factory=dict)

    def answers_csv(self) -> str:
        """How many gave each answer, as a table to keep; without the marks of Markdown."""
        table = io.StringIO()
        rows = csv.writer(table)
        rows.writerow(("lesson", "question", "answer", "right", "first answers", "answers now"))
        for lesson, counts in sorted(self.answers.items()):
            for number, words, first, now in counts.bars:
                right = "yes" if number == counts.question.right else "no"
                rows.writerow((lesson, without_marks(counts.question.text), without_marks(words), right, first, now))
        return table.getvalue()
