"""Classes: their codes and keys, their students, where they were sent, what was answered; and all those of a server.

A class can be sent to a page of this explorer; never anywhere else.
"""

import hashlib
import hmac
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from gfx_core import limits
from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.files import UnwrittenError, csv_text, replacing

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Of a code: none that is mistaken for another when it is read from a wall."""
CODE_LENGTH = 6
_MISREAD = str.maketrans({"0": "Q", "O": "Q", "1": "J", "I": "J", "L": "J"})
PRIVATE = ("class", "key", "screen")
"""Parameters of a link that are about its owner, not about what it shows."""


def read_code(text: str) -> str | None:
    """A code as it was typed, with blanks, dashes and small letters as they like; None if it cannot be one."""
    code = "".join(text[:40].split()).replace("-", "").upper().translate(_MISREAD)
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE_LETTERS) else None


def spell_code(code: str) -> str:
    """A code as it is read aloud: in two halves."""
    return f"{code[: CODE_LENGTH // 2]} {code[CODE_LENGTH // 2 :]}"


def seal_of(key: str) -> bytes:
    """What is kept of a teacher's key: the link cannot be made from the file."""
    return hashlib.sha256(key.encode("utf-8", errors="replace")).digest()


class FullError(UserError):
    """There is no seat left in a class."""


class StudentPage(NamedTuple):
    """Where a student is: a page, and on Learn a lesson (else 0)."""

    page: str
    lesson: int = 0


@dataclass(frozen=True)
class ClassTarget:
    """A page and what is set on it.

    Attributes:
        page: Its name, as in the address.
        link: Its parameters.
    """

    page: str
    link: dict[str, str]

    @property
    def lesson(self) -> int:
        """The lesson that it opens, 0 where it is not Learn."""
        text = self.link.get("lesson", "1")
        number = int(text) if text.isdecimal() and len(text) < 3 else 1
        return number if self.page == "learn" else 0

    @classmethod
    def of(cls, page: str, link: Mapping[str, str]) -> "ClassTarget":
        """A page with these parameters, without those about the owner of the link."""
        return cls(page, {name: text for name, text in link.items() if name not in PRIVATE})


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


@dataclass
class AnswerCounts:
    """The answers to a lesson's question.

    Attributes:
        question: Of the lesson.
        by_seat: What each student answered at first and by now.
    """

    question: ClassQuestion
    by_seat: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def bars(self) -> list[tuple[int, str, int, int]]:
        """For each answer its number, its words, and how many gave it first and give it now."""
        first, latest = (Counter(answers) for answers in zip(*self.by_seat.values(), strict=True))
        words = dict(enumerate(self.question.options)) or {number: str(number) for number in sorted({*first, *latest})}
        return [(answer, text, first[answer], latest[answer]) for answer, text in words.items()]


@dataclass
class Seat:
    """A student in a class.

    Attributes:
        page: Where they are.
        at: When that was noted.
        sent: How often the class had been sent somewhere then.
    """

    page: StudentPage
    at: float
    sent: int = 0


@dataclass
class Room:
    """One class. All times are in seconds since 1970.

    Attributes:
        code: By which it is found.
        seal: Of the teacher's key.
        ends: When it ends.
        used: When it was last visited.
        frozen: Whether everybody is to look up: nothing can be pressed, answers do not count.
        sent: How often the class was sent somewhere.
        target: Where to, the last time.
        answers: To each question that was answered, by lesson.
        seats: Who is there, by what the server alone can make of a visitor's name.
    """

    code: str
    seal: bytes
    ends: float
    used: float
    frozen: bool = False
    sent: int = 0
    target: ClassTarget | None = None
    answers: dict[int, AnswerCounts] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)

    def derived(self, purpose: str) -> str:
        """A secret of this class for a purpose: the projector's, or a visitor's seat. It leads to no other."""
        return hmac.new(self.seal, purpose.encode("utf-8", errors="replace"), hashlib.sha256).hexdigest()[:32]

    def is_led_by(self, key: str) -> bool:
        """Whether this is the teacher's key, found in the same time wherever it differs."""
        return hmac.compare_digest(seal_of(key), self.seal)

    def is_watched_by(self, screen: str) -> bool:
        """Whether this is the projector's secret."""
        return hmac.compare_digest(seal_of(screen), seal_of(self.derived("screen")))

    def send(self, target: ClassTarget) -> None:
        """Bring everybody to a page."""
        self.sent, self.target = self.sent + 1, target

    def present(self, now: float) -> Counter[StudentPage]:
        """How many students are where; those who were not noted for a while have left."""
        self.seats = {name: seat for name, seat in self.seats.items() if now - seat.at < limits.PRESENT_S}
        return Counter(seat.page for seat in self.seats.values())

    def take_seat(self, name: str, page: StudentPage, now: float) -> Seat:
        """Note a student. In a full class they get the seat of one who never answered anything.

        Raises:
            FullError: There is none.
        """
        self.present(now)
        if name not in self.seats and len(self.seats) >= limits.MAX_SEATS:
            answered = {seat for counts in self.answers.values() for seat in counts.by_seat}
            silent = [seat for seat in self.seats if seat not in answered]
            if not silent:
                full = f"This class is full: it has {limits.MAX_SEATS} students."
                raise FullError(f"{full} You get a seat when a student leaves.")
            del self.seats[silent[0]]
        seat = self.seats.setdefault(name, Seat(page, now))
        seat.page, seat.at = page, now
        return seat

    def count(self, name: str, lesson: int, question: ClassQuestion, answer: int) -> None:
        """Count an answer of a student who has a seat, unless the class is frozen.

        Where a lesson has several questions, with other right answers, the first that is answered is the class's:
        answers to others do not count.
        """
        counts = self.answers.get(lesson, AnswerCounts(question))
        if self.frozen or abs(answer) > limits.MAX_ANSWER or counts.question.right != question.right:
            return
        votes = counts.by_seat
        if name not in votes and len(votes) >= limits.MAX_SEATS:  # of a student who answered and left
            del votes[next(gone for gone in votes if gone not in self.seats)]
        votes[name] = votes.get(name, (answer,))[0], answer
        self.answers[lesson] = counts

    def answers_csv(self) -> str:
        """How many gave each answer, as a table to keep; without the asterisks of Markdown."""
        rows: list[tuple[object, ...]] = [("lesson", "question", "answer", "right", "first answers", "answers now")]
        for lesson, counts in sorted(self.answers.items()):
            question = counts.question
            rows += [(lesson, question.text, bar[1], bar[0] == question.right, *bar[2:]) for bar in counts.bars]
        return csv_text(rows).replace("*", "")


_log = logging.getLogger(__name__)
OPENINGS_S = 3600.0
"""Classes that one visitor opens are counted for so long."""
UNWRITABLE = "The disk is full or read-only: the class ends when the server stops."


class Classroom:
    """The classes of a server, in memory and, all of them whenever one changes, in a file: a restart loses nothing.

    Attributes:
        path: Of the file. One that cannot be read is put aside.
        problem: Why classes end when the server does, a sentence; empty where they are kept.
        now: The time, in seconds since 1970.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self.path, self.problem, self.now = path, "", now
        self._lock = threading.RLock()  # guards all below
        self._openings: Counter[str] = Counter()  # by visitor
        self._window = 0.0  # in which they are counted
        self._rooms = {room.code: room for room in self._read()}

    def open(self, visitor: str = "") -> tuple[str, str]:
        """Open a class.

        Args:
            visitor: The address, or a name where there is none; it is not written to the file.

        Returns:
            Its code, and the teacher's key, which is given only here.

        Raises:
            UserError: There are too many, or this visitor has opened too many.
        """
        with self._lock:
            now = self.now()
            if self._window != now // OPENINGS_S:
                self._window, self._openings = now // OPENINGS_S, Counter()
            self._openings[visitor] += 1
            if visitor and self._openings[visitor] > limits.OPENINGS:
                raise UserError("Too many classes were opened from your address. Wait an hour, then try again.")
            self._rooms = {code: room for code, room in self._rooms.items() if room.ends > now}
            if len(self._rooms) >= limits.MAX_CLASSROOMS:
                oldest = min(self._rooms.values(), key=lambda room: room.used)
                if now - oldest.used < limits.ABANDONED_S:
                    many = f"There are {limits.MAX_CLASSROOMS} classes already, and all are in use."
                    raise UserError(f"{many} Try again when one has ended.")
                del self._rooms[oldest.code]
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))  # one of 887 million
            key = secrets.token_urlsafe(24)
            self._rooms[code] = Room(code, seal_of(key), now + 3600 * limits.CLASS_HOURS, now)
            self._write()
        return code, key

    def room(self, code: str) -> Room | None:
        """A class that goes on; None if there is none, or no longer. What is looked at is not abandoned."""
        room, now = self._rooms.get(code), self.now()
        if room is None or room.ends <= now:
            return None
        room.used = now
        return room

    def present(self, room: Room) -> Counter[StudentPage]:
        """How many students of a class are where."""
        with self._lock:
            return room.present(self.now())

    def join(self, code: str, user: str = "") -> str | None:
        """The seat of a visitor in a class, by which it is counted; None if there is no such class, or no longer.

        A visitor has one seat, however many pages are open and however often it comes back; one without a name has a
        new one each time. Seats stay on the server: no browser has one.

        Args:
            code: Of the class.
            user: The name of the visitor.
        """
        room = self.room(code)
        return room.derived(f"seat {user or secrets.token_urlsafe()}") if room else None

    def look(self, room: Room, seat: str, page: StudentPage) -> int:
        """Note that a student is there; returns how often the class had been sent somewhere when they last looked.

        Raises:
            FullError: There is no seat left.
        """
        with self._lock:
            student = room.take_seat(seat, page, self.now())
            before, student.sent = student.sent, room.sent
            return before

    def answer(self, code: str, seat: str, lesson: int, question: ClassQuestion, answer: int) -> None:
        """Count an answer to a lesson's question, one for each seat.

        Raises:
            UserError: The class is over, or there is no seat left: only who has one is counted.
        """
        with self.changing(code) as room:
            room.take_seat(seat, StudentPage("learn", lesson), self.now())
            room.count(seat, lesson, question, answer)

    @contextmanager
    def changing(self, code: str) -> Iterator[Room]:
        """A class that is changed, and then kept; ``UserError`` if it is over."""
        with self._lock:
            room = self.room(code)
            if room is None:
                raise UserError("This class is over.")
            yield room
            self._write()

    def _read(self) -> list[Room]:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=list[Room])
        except OSError:  # there is none yet, or nothing can be kept
            return []
        except msgspec.DecodeError as error:
            _log.warning("The file of classes is put aside: %s", error)
            with suppress(OSError):
                self.path.replace(self.path.with_suffix(".damaged"))
            return []

    def _write(self) -> None:
        try:
            with replacing(self.path) as part:
                part.write_bytes(msgspec.json.encode([room for room in self._rooms.values() if room.ends > self.now()]))
            self.problem = ""
        except UnwrittenError as error:
            _log.warning("Classes are kept in memory: %s", error)
            self.problem = UNWRITABLE


_at = lru_cache(maxsize=8)(Classroom)


def classroom() -> Classroom:
    """The classes that are kept in the data folder."""
    return _at(data_root() / "classes.json")
