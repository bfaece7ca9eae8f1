"""All classes of a server: opening one, joining it, and what those who have its secrets may do.

Only who has a class's secret is given a `Teacher`, and so can change it or see who is where; a `Watcher` has the same
view without the changes, for a projector whose address everybody can read.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from gfx_core import limits
from gfx_core.classroom.room import (
    AnswerCounts,
    ClassQuestion,
    ClassTarget,
    Room,
    is_secret,
    new_code,
    new_secret,
    screen_key,
    seal_of,
    seat_of,
)
from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.files import UnwrittenError, disk_is_full, replacing

_log = logging.getLogger(__name__)
ATTEMPTS_S = 60.0
"""Attempts are counted for so long."""
UNWRITABLE = "The data folder is read-only: the class ends when the server stops."
FULL = "The disk is full: the class ends when the server stops."


class FullError(UserError):
    """There is no seat left in a class."""


class StudentPage(NamedTuple):
    """Where a student is: a page, and on Learn a lesson (else 0)."""

    page: str
    lesson: int = 0


class _Presence(NamedTuple):
    """Where a student is, and since when that is known; it is in memory only."""

    place: StudentPage
    at: float


@dataclass(frozen=True)
class ClassKeys:
    """A class that was just opened.

    Attributes:
        code: By which students find it.
        key: The teacher's secret; it is given only here.
    """

    code: str
    key: str


class Watcher:
    """Sees a class; made by `Classroom.watcher`."""

    def __init__(self, school: "Classroom", code: str) -> None:
        self._school, self.code = school, code

    def room(self) -> Room | None:
        """The class and what was answered; None once it is over."""
        self._school.note_use(self.code)
        return self._school.room(self.code)

    def places(self) -> Mapping[StudentPage, int]:
        """How many are where just now."""
        return self._school.places(self.code)


class Teacher(Watcher):
    """Sees a class and leads it; made by `Classroom.teacher`."""

    def send(self, target: ClassTarget) -> None:
        """Bring everybody to a page."""
        with self._school.changing(self.code) as room:
            room.sent, room.target = room.sent + 1, target

    def freeze(self, frozen: bool) -> None:
        """Have everybody look up, or go on."""
        with self._school.changing(self.code) as room:
            room.frozen = frozen

    def end(self) -> None:
        """End the class; nothing of it is kept."""
        with self._school.changing(self.code) as room:
            room.ends = 0.0


class Classroom:
    """The classes of a server, in memory and, all of them whenever one changes, in a file: a restart loses nothing.

    What a visitor may do is limited by the address, or by the visitor's name where there is none; without either there
    is no limit, as in a benchmark. Neither is written to the file.

    Attributes:
        path: Of the file. One that cannot be read is put aside.
        problem: Why classes end when the server does, a sentence; empty where they are kept.
        now: The time, in seconds since 1970.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self.path, self.problem, self.now = path, "", now
        self._lock = threading.RLock()  # guards all below
        self._seats: dict[tuple[str, str], _Presence] = {}  # by class and seat
        self._openers: dict[str, str] = {}  # by class: who opened it
        self._attempts: Counter[str] = Counter()
        self._minute = 0.0  # in which attempts are counted
        self._rooms = {room.code: room for room in self._read()}
        self._used = dict.fromkeys(self._rooms, self.now())  # by class: when it was last visited

    def open(self, hours: float, visitor: str = "") -> ClassKeys:
        """Open a class that ends by itself after some hours.

        Args:
            hours: How many.
            visitor: The address, or a name.

        Raises:
            UserError: It should last too long, or there are too many, or it was tried too often.
        """
        if not 0 < hours <= limits.MAX_CLASS_HOURS:
            raise UserError(f"A class lasts at most {limits.MAX_CLASS_HOURS:g} hours.")
        self._count_attempt("opening", visitor, limits.OPENINGS)
        with self._lock:
            self._forget_ended()
            if visitor and [*self._openers.values()].count(visitor) >= limits.CLASSROOMS_PER_VISITOR:
                many = f"{limits.CLASSROOMS_PER_VISITOR} classes were opened from your address already."
                raise UserError(f"{many} One of them has to end before another begins.")
            if len(self._rooms) >= limits.MAX_CLASSROOMS:
                oldest = min(self._used, key=self._used.__getitem__)
                if self.now() - self._used[oldest] < limits.ABANDONED_S:
                    many = f"There are {limits.MAX_CLASSROOMS} classes already, and all are in use."
                    raise UserError(f"{many} Try again when one has ended.")
                del self._rooms[oldest]
                self._forget_ended()
            key, code = new_secret(), next(code for code in iter(new_code, None) if code not in self._rooms)
            self._rooms[code] = Room(code, seal_of(key), seal_of(screen_key(key)), self.now() + 3600 * hours)
            self._openers[code] = visitor
            self.note_use(code)
            self._write()
        return ClassKeys(code, key)

    def room(self, code: str) -> Room | None:
        """A class that goes on; None if there is none, or no longer."""
        found = self._rooms.get(code)
        return found if found is not None and found.ends > self.now() else None

    def teacher(self, code: str, key: str) -> Teacher | None:
        """What the teacher of a class may do; None for everybody else."""
        room = self.room(code)  # one that there is not takes as long as one whose key is wrong
        return Teacher(self, code) if is_secret(key, room.teacher if room else bytes(32)) and room else None

    def watcher(self, code: str, key: str) -> Watcher | None:
        """What the projector of a class may show; None for everybody else."""
        room = self.room(code)
        return Watcher(self, code) if is_secret(key, room.screen if room else bytes(32)) and room else None

    def join(self, code: str, user: str = "", visitor: str = "") -> str | None:
        """The seat of a visitor in a class, by which it is counted; None if there is no such class, or no longer.

        A visitor has one seat, however many pages are open and however often it comes back; one without a name has a
        new one each time. Seats stay on the server: no browser has one.

        Args:
            code: Of the class.
            user: The name of the visitor.
            visitor: The address, or the name again.

        Raises:
            UserError: It was tried too often.
        """
        self._count_attempt("joining", visitor, limits.JOINS)
        room = self.room(code)
        return seat_of(room.teacher, user or new_secret()) if room else None

    def look(self, code: str, seat: str, place: StudentPage) -> Room | None:
        """The class as a student sees it. By this they are noted to be there.

        Raises:
            FullError: There is no seat left.
        """
        room = self.room(code)
        if room is not None:
            self._take_seat(room, seat, place)
        return room

    def leave(self, code: str, seat: str) -> None:
        """A student is no longer there; what they answered stays in the counts."""
        with self._lock:
            self._seats.pop((code, seat), None)

    def answer(self, code: str, seat: str, lesson: int, question: ClassQuestion, answer: int) -> None:
        """Count an answer to a lesson's question, one for each seat, unless the class is frozen or over.

        Where a lesson has several questions, with other right answers, the first that is answered is the class's:
        answers to others do not count.

        Raises:
            FullError: There is no seat left: only who has one is counted.
        """
        room = self.room(code)
        if room is None or room.frozen or abs(answer) > limits.MAX_ANSWER:
            return
        with self._lock:
            self._take_seat(room, seat, StudentPage("learn", lesson))
            counts = room.answers.setdefault(lesson, AnswerCounts(question))
            if counts.question.right != question.right:
                return
            if seat not in counts.by_seat and len(counts.by_seat) >= limits.MAX_SEATS:  # a seat that answered and left
                del counts.by_seat[next(gone for gone in counts.by_seat if (code, gone) not in self._seats)]
            counts.count(seat, answer)
            self._write()

    def places(self, code: str) -> Mapping[StudentPage, int]:
        """How many students of a class are where just now."""
        with self._lock:
            self._forget_gone()
            return Counter(presence.place for (of, _), presence in self._seats.items() if of == code)

    def note_use(self, code: str) -> None:
        """A class is looked at, so it is not abandoned."""
        self._used[code] = self.now()

    @contextmanager
    def changing(self, code: str) -> Iterator[Room]:
        """A class that is changed, and then kept; ``UserError`` if it is over."""
        with self._lock:
            room = self.room(code)
            if room is None:
                raise UserError("This class is over.")
            yield room
            self._write()

    def _take_seat(self, room: Room, seat: str, place: StudentPage) -> None:
        """Give a seat to who comes or stays. In a full class it is one of a student who never answered anything."""
        with self._lock:
            self._forget_gone()
            taken = [other for code, other in self._seats if code == room.code and other != seat]
            if len(taken) >= limits.MAX_SEATS:
                silent = [other for other in taken if not any(other in of.by_seat for of in room.answers.values())]
                if not silent:
                    full = f"This class is full: it has {limits.MAX_SEATS} students."
                    raise FullError(f"{full} You get a seat when a student leaves.")
                del self._seats[room.code, silent[0]]
            self._seats[room.code, seat] = _Presence(place, self.now())
            self.note_use(room.code)

    def _forget_gone(self) -> None:
        since = self.now() - limits.PRESENT_S
        self._seats = {seat: presence for seat, presence in self._seats.items() if presence.at >= since}

    def _forget_ended(self) -> None:
        self._rooms = {code: room for code, room in self._rooms.items() if room.ends > self.now()}
        self._used = {code: at for code, at in self._used.items() if code in self._rooms}
        self._openers = {code: visitor for code, visitor in self._openers.items() if code in self._rooms}

    def _count_attempt(self, what: str, visitor: str, most: int) -> None:
        with self._lock:
            if self._minute != (minute := self.now() // ATTEMPTS_S):
                self._minute, self._attempts = minute, Counter()
            self._attempts[f"{what} by {visitor}"] += 1
            if visitor and self._attempts[f"{what} by {visitor}"] > most:
                raise UserError("This was tried too often within a minute. Wait a minute, then try again.")

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
            self.problem = FULL if disk_is_full(error.__cause__) else UNWRITABLE


@lru_cache(maxsize=8)
def _at(path: Path) -> Classroom:
    return Classroom(path)


def classroom() -> Classroom:
    """The classes that are kept in the data folder."""
    return _at(data_root() / "classes.json")
