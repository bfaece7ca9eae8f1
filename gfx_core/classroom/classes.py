"""All classes of a server: opening one, joining it, and what those who have its secrets may do.

Only who has a class's secret is given a `Teacher`, and so can change it or see who is where; a `Watcher` has the same
view without the changes, for a beamer whose address everybody can read.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from sqlite3 import Connection

from gfx_core import limits
from gfx_core.classroom.database import Database
from gfx_core.classroom.room import (
    AnswerCounts,
    ClassOverview,
    ClassQuestion,
    ClassState,
    ClassTarget,
    StudentPage,
    is_secret,
    new_code,
    new_secret,
    screen_key,
    seal_of,
    seat_of,
)
from gfx_core.config import data_root
from gfx_core.errors import UserError

ATTEMPTS_S = 60.0
"""Attempts are counted for so long."""
_MANY = 1000  # names; then those are forgotten who have not tried for a while


class SteadyClock:
    """Seconds since 1970 as the computer had them when this was made, and from then on by a clock that only goes on.

    A computer's clock may jump, when it is set or hears from a time server: no class ends early or late by that, and
    nobody is taken for gone. Only a restart looks at it again, as what is kept of a class outlives the other clock.

    Args:
        wall: Tells the seconds since 1970.
        steady: Tells seconds that go on evenly.
    """

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._offset = wall() - steady()

    def __call__(self) -> float:
        return self._offset + self._steady()


class AttemptCounter:
    """Counts attempts by name; several threads may use it at once.

    Args:
        now: Tells the time, in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def allow(self, name: str, most: int) -> bool:
        """Whether this attempt is one of so many a minute; one that is not allowed does not count."""
        now = self._now()
        with self._lock:
            if len(self._times) > _MANY:
                self._times = {other: times for other, times in self._times.items() if now - times[-1] < ATTEMPTS_S}
            times = self._times.setdefault(name, deque())
            while times and now - times[0] >= ATTEMPTS_S:
                times.popleft()
            if len(times) >= most:
                return False
            times.append(now)
            return True


class FullError(UserError):
    """There is no seat left in a class."""


def presence_window(now: float) -> tuple[float, float]:
    """Between which times somebody who is there was last heard of; the other server's clock may be ahead a little."""
    return now - limits.PRESENT_S, now + limits.PRESENT_S


def read_room(database: Database, code: str, now: float) -> ClassState | None:
    """A class that goes on; None if there is none, or no longer."""
    found = database.rows("SELECT ends, frozen, sent, page, query FROM rooms WHERE code = ?", (code,))
    if not found or found[0][0] <= now:
        return None
    ends, frozen, sent, page, query = found[0]
    return ClassState(code, ends, bool(frozen), sent, ClassTarget(page, query) if page else None)


class Watcher:
    """Sees a class; made by `Classroom.watcher`."""

    def __init__(
        self, database: Database, code: str, now: Callable[[], float], note_use: Callable[[str], None]
    ) -> None:
        self._database, self.code, self._now, self._note_use = database, code, now, note_use

    def overview(self) -> ClassOverview | None:
        """Who is where and what was answered; None once the class is over."""
        room = read_room(self._database, self.code, self._now())
        if room is None:
            return None
        self._note_use(self.code)
        rows = self._database.rows
        places = rows(
            "SELECT page, lesson, COUNT(*) FROM seats WHERE code = ? AND seen BETWEEN ? AND ? GROUP BY page, lesson "
            "ORDER BY COUNT(*) DESC, page, lesson",
            (self.code, *presence_window(self._now())),
        )
        answers = rows(
            "SELECT lesson, first, latest, COUNT(*) FROM answers WHERE code = ? GROUP BY lesson, first, latest",
            (self.code,),
        )
        first: dict[int, dict[int, int]] = {}
        latest: dict[int, dict[int, int]] = {}
        for lesson, at_first, by_now, count in answers:
            for answer, table in ((at_first, first), (by_now, latest)):
                of_lesson = table.setdefault(lesson, {})
                of_lesson[answer] = of_lesson.get(answer, 0) + count
        questions = rows("SELECT lesson, asked FROM questions WHERE code = ? ORDER BY lesson", (self.code,))
        spreads = [
            AnswerCounts(
                lesson, ClassQuestion(text, tuple(options), right), first.get(lesson, {}), latest.get(lesson, {})
            )
            for lesson, text_and_options in questions
            for text, options, right in (json.loads(text_and_options),)
        ]
        return ClassOverview(room, {StudentPage(page, lesson): count for page, lesson, count in places}, spreads)


class Teacher(Watcher):
    """Sees a class and leads it; made by `Classroom.teacher`."""

    def send(self, target: ClassTarget) -> None:
        """Bring everybody to a page."""
        self._change("sent = sent + 1, page = ?, query = ?", target.page, target.query)

    def freeze(self, frozen: bool) -> None:
        """Have everybody look up, or go on."""
        self._change("frozen = ?", int(frozen))

    def clear(self, lesson: int) -> None:
        """Forget the answers to a lesson's question: it is asked again."""

        def forget(connection: Connection) -> None:
            for table in ("answers", "questions"):
                connection.execute(f"DELETE FROM {table} WHERE code = ? AND lesson = ?", (self.code, lesson))

        self._database.change(forget)

    def end(self) -> None:
        """End the class; nothing of it is kept."""
        self._database.change(lambda each: each.execute("DELETE FROM rooms WHERE code = ?", (self.code,)))

    def _change(self, what: str, *values: object) -> None:
        self._database.change(
            lambda each: each.execute(f"UPDATE rooms SET {what} WHERE code = ?", (*values, self.code))
        )


@dataclass(frozen=True)
class ClassKeys:
    """A class that was just opened.

    Attributes:
        code: By which students find it.
        key: The teacher's secret; it is told only here.
    """

    code: str
    key: str


@dataclass(frozen=True)
class _Presence:
    """What was last written of a student: where they were, when, and from which address (in memory only)."""

    place: StudentPage
    at: float
    address: str


class Classroom:
    """The classes that are kept in one file.

    Visitors are told apart by a name, and by an address where it is known; a name that is empty is nobody's, as in a
    benchmark, and not limited. Neither is written to the file.
    """

    def __init__(self, path: Path, now: Callable[[], float] | None = None) -> None:
        self.database = Database(path)
        self.now = now or SteadyClock()
        self._presence: dict[tuple[str, str], _Presence] = {}  # what was written of whom, by class and seat
        self._began = self.now()
        self._used: dict[str, float] = {}  # by class: when its teacher or its beamer last looked
        self._openers: dict[str, tuple[str, str]] = {}  # by class: who opened it, and from which address
        self._attempts = AttemptCounter(self.now)

    @property
    def problem(self) -> str:
        """Why classes end when the server does, a sentence; empty where they are kept."""
        self.database.rows("SELECT 1")
        return self.database.problem

    def open(self, hours: float, user: str = "", address: str = "") -> ClassKeys:
        """Open a class that ends by itself after some hours.

        Args:
            hours: How many.
            user: Names the visitor.
            address: Where the visitor is.

        Raises:
            UserError: It should last too long, or there are too many, or too many of this visitor.
        """
        if not 0 < hours <= limits.MAX_CLASS_HOURS:
            raise UserError(f"A class lasts at most {limits.MAX_CLASS_HOURS:g} hours.")
        self._count_attempt("opening", user, address, limits.OPENINGS_PER_USER, limits.OPENINGS_PER_ADDRESS)
        key, now = new_secret(), self.now()

        def add(connection: Connection) -> str:
            connection.execute("DELETE FROM rooms WHERE ends <= ?", (now,))
            last_used = self._last_used(connection)
            in_use = [code for code, at in last_used.items() if now - at < limits.ABANDONED_S]
            self._check_openers([self._openers[code] for code in in_use if code in self._openers], user, address)
            if len(last_used) >= limits.MAX_CLASSROOMS:
                if len(in_use) == len(last_used):
                    many = f"There are {limits.MAX_CLASSROOMS} classes already, and all are in use."
                    raise UserError(f"{many} Try again when one has ended.")
                oldest = min(last_used, key=last_used.__getitem__)
                connection.execute("DELETE FROM rooms WHERE code = ?", (oldest,))
            code = next(code for code in iter(new_code, None) if code not in last_used)
            row = (code, seal_of(key), seal_of(screen_key(key)), now, now + 3600 * hours)
            connection.execute("INSERT INTO rooms (code, teacher, screen, opened, ends) VALUES (?, ?, ?, ?, ?)", row)
            self._used = {each: at for each, at in self._used.items() if each in last_used} | {code: now}
            openers = {each: opener for each, opener in self._openers.items() if each in last_used}
            self._openers = openers | ({code: (user, address)} if user else {})
            return code

        return ClassKeys(self.database.change(add), key)

    def room(self, code: str) -> ClassState | None:
        """A class that goes on; None if there is none, or no longer."""
        return read_room(self.database, code, self.now())

    def teacher(self, code: str, key: str) -> Teacher | None:
        """What the teacher of a class may do; None for everybody else."""
        return Teacher(self.database, code, self.now, self._note_use) if self._opens("teacher", code, key) else None

    def watcher(self, code: str, key: str) -> Watcher | None:
        """What the beamer of a class may show; None for everybody else."""
        return Watcher(self.database, code, self.now, self._note_use) if self._opens("screen", code, key) else None

    def join(self, code: str, user: str = "", address: str = "") -> str | None:
        """The seat of a visitor in a class, by which it is counted; None if there is no such class, or no longer.

        A visitor has one seat, however many pages are open and however often it comes back; whoever has no name has a
        new one each time. Seats stay on the server: no browser is told one, or asked for one.

        Raises:
            UserError: It was tried too often.
        """
        self._count_attempt("joining", user, address, limits.JOINS_PER_USER, limits.JOINS_PER_ADDRESS)
        found = self.database.rows("SELECT teacher FROM rooms WHERE code = ? AND ends > ?", (code, self.now()))
        return seat_of(found[0][0], user or new_secret()) if found else None

    def look(self, code: str, seat: str, place: StudentPage, address: str = "") -> ClassState | None:
        """What a student is told: the class as it is. By this they are noted to be there.

        Raises:
            FullError: There is no seat left.
        """
        room = self.room(code)
        if room is None:
            return None
        now, before = self.now(), self._presence.get((code, seat))
        # Not at every look is written where a student is: thirty of them look every few seconds.
        if before is None or before.place != place or now - before.at >= limits.SEAT_REFRESH_S:
            self.database.change(lambda connection: self._take_seat(connection, code, seat, place, address, now))
            self._remember(code, seat, _Presence(place, now, address))
        return room

    def leave(self, code: str, seat: str) -> None:
        """A student is no longer there; what they answered stays in the counts."""
        self._presence.pop((code, seat), None)
        self.database.change(
            lambda connection: connection.execute("DELETE FROM seats WHERE code = ? AND seat = ?", (code, seat))
        )

    def answer(
        self, code: str, seat: str, lesson: int, question: ClassQuestion, answer: int, address: str = ""
    ) -> None:
        """Count an answer to a lesson's question, one for each seat, unless the class is frozen or over.

        Where a lesson has several questions, with other right answers, the first that is answered is the class's, until
        its answers are cleared: answers to others do not count.

        Raises:
            FullError: There is no seat left: only who has one is counted.
        """
        room = self.room(code)
        if room is None or room.frozen or abs(answer) > limits.MAX_ANSWER:
            return
        packed = json.dumps([question.text, [*question.options], question.right])
        now, place = self.now(), StudentPage("learn", lesson)

        def count(connection: Connection) -> None:
            self._take_seat(connection, code, seat, place, address, now)
            connection.execute("INSERT OR IGNORE INTO questions VALUES (?, ?, ?)", (code, lesson, packed))
            (first,) = connection.execute(
                "SELECT asked FROM questions WHERE code = ? AND lesson = ?", (code, lesson)
            ).fetchone()
            if json.loads(first)[2] != question.right:
                return
            (others,) = connection.execute(
                "SELECT COUNT(*) FROM answers WHERE code = ? AND lesson = ? AND seat <> ?", (code, lesson, seat)
            ).fetchone()
            if others >= limits.MAX_SEATS:  # somebody has left who answered, or there would be no seat
                connection.execute(
                    "DELETE FROM answers WHERE code = ? AND lesson = ? AND seat = (SELECT seat FROM answers "
                    "WHERE code = ? AND lesson = ? AND seat NOT IN (SELECT seat FROM seats WHERE code = ?) LIMIT 1)",
                    (code, lesson, code, lesson, code),
                )
            connection.execute(
                "INSERT INTO answers VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (code, lesson, seat) DO UPDATE SET latest = excluded.latest",
                (code, lesson, seat, answer, answer),
            )

        self.database.change(count)
        self._remember(code, seat, _Presence(place, now, address))

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _take_seat(
        self, connection: Connection, code: str, seat: str, place: StudentPage, address: str, now: float
    ) -> None:
        """Give a seat to who comes or stays; who left has none any more."""
        connection.execute(
            "DELETE FROM seats WHERE code = ? AND seat <> ? AND seen NOT BETWEEN ? AND ?",
            (code, seat, *presence_window(now)),
        )
        (others,) = connection.execute(
            "SELECT COUNT(*) FROM seats WHERE code = ? AND seat <> ?", (code, seat)
        ).fetchone()
        if others >= limits.MAX_SEATS:
            raise FullError(
                f"This class is full: it has {limits.MAX_SEATS} students. You get a seat as soon as somebody leaves."
            )
        near = [
            other
            for other, presence in self._presence.copy().items()
            if address
            and presence.address == address
            and other != (code, seat)
            and now - presence.at < limits.PRESENT_S
        ]
        if len(near) >= limits.SEATS_PER_ADDRESS:
            raise FullError(
                f"{limits.SEATS_PER_ADDRESS} students at your network address are in classes already. "
                "You get a seat as soon as one of them leaves."
            )
        connection.execute(
            "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?)", (code, seat, place.page, place.lesson, now)
        )

    def _remember(self, code: str, seat: str, presence: _Presence) -> None:
        self._presence = {
            other: each for other, each in self._presence.copy().items() if presence.at - each.at < limits.PRESENT_S
        }
        self._presence[code, seat] = presence

    def _note_use(self, code: str) -> None:
        self._used[code] = self.now()

    def _last_used(self, connection: Connection) -> dict[str, float]:
        """When somebody was last in each class; of one that another server has, at least when this one began."""
        rows = connection.execute("SELECT rooms.code, MAX(seen) FROM rooms LEFT JOIN seats USING (code) GROUP BY 1")
        return {code: max(self._used.get(code, self._began), at or 0.0) for code, at in rows}

    def _count_attempt(self, what: str, user: str, address: str, most: int, most_of_address: int) -> None:
        if user and not self._attempts.allow(f"{what} by {user}", most):
            raise UserError("You tried this too often within a minute. Wait a minute, then try again.")
        if user and not self._attempts.allow(f"{what} at {address}", most_of_address):
            raise UserError(
                "Many visitors at your network address tried this within a minute. Wait a minute, then try again."
            )

    def _check_openers(self, openers: Sequence[tuple[str, str]], user: str, address: str) -> None:
        if user and [name for name, _ in openers].count(user) >= limits.CLASSROOMS_PER_USER:
            raise UserError(
                f"You have {limits.CLASSROOMS_PER_USER} classes open already. End one of them before you open another."
            )
        if user and [place for _, place in openers].count(address) >= limits.CLASSROOMS_PER_ADDRESS:
            raise UserError(
                f"{limits.CLASSROOMS_PER_ADDRESS} classes were opened from your network address already. "
                "One of them has to end before another begins."
            )

    def _opens(self, lock: str, code: str, key: str) -> bool:
        """Whether a key opens a class; one that there is not takes as long as one whose key is wrong."""
        found = self.database.rows(f"SELECT {lock} FROM rooms WHERE code = ? AND ends > ?", (code, self.now()))
        return is_secret(key, found[0][0] if found else bytes(32)) and bool(found)


@lru_cache(maxsize=8)
def _at(path: Path) -> Classroom:
    return Classroom(path)


def classroom() -> Classroom:
    """The classes that are kept in the data folder."""
    return _at(data_root() / "classes.sqlite")
