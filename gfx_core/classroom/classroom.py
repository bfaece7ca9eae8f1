"""All classes of a server: opening one, joining it, and what its teacher may do.

Only who has a class's secret is given a `Teacher`, and so can change it or see who is where; `watcher` gives the same
view without the changes, for a beamer whose address everybody can read.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from sqlite3 import Connection

from gfx_core.classroom.attempts import Attempts
from gfx_core.classroom.clock import SteadyClock
from gfx_core.classroom.codes import new_code, new_secret, opens, screen_key, sealed, seat_of
from gfx_core.classroom.database import Database
from gfx_core.classroom.room import Asked, Place, Room
from gfx_core.classroom.teacher import FullError, Teacher, Watcher, checked_hours, present, read_room
from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.limits import (
    ABANDONED_S,
    CLASSROOMS_PER_ADDRESS,
    CLASSROOMS_PER_USER,
    JOINS_PER_ADDRESS,
    JOINS_PER_USER,
    MAX_ANSWER,
    MAX_CLASSROOMS,
    MAX_SEATS,
    OPENINGS_PER_ADDRESS,
    OPENINGS_PER_USER,
    PRESENT_S,
    SEAT_REFRESH_S,
    SEATS_PER_ADDRESS,
)


@dataclass(frozen=True)
class Opened:
    """A class that was just opened.

    Attributes:
        code: By which students find it.
        key: The teacher's secret; it is told only here.
    """

    code: str
    key: str


@dataclass(frozen=True)
class _Heard:
    """What was last written of a student: where they were, when, and from which address (in memory only)."""

    place: Place
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
        self._heard: dict[tuple[str, str], _Heard] = {}  # what was written of whom, by class and seat
        self._began = self.now()
        self._used: dict[str, float] = {}  # by class: when its teacher or its beamer last looked
        self._openers: dict[str, tuple[str, str]] = {}  # by class: who opened it, and from which address
        self._attempts = Attempts(self.now)

    @property
    def problem(self) -> str:
        """Why classes end when the server does, a sentence; empty where they are kept."""
        self.database.rows("SELECT 1")
        return self.database.problem

    def open(self, hours: float, who: str = "", address: str = "") -> Opened:
        """Open a class that ends by itself after some hours.

        Args:
            hours: How many.
            who: Names the visitor.
            address: Where the visitor is.

        Raises:
            UserError: It should last too long, or there are too many, or too many of this visitor.
        """
        hours = checked_hours(hours)
        self._count_attempt("opening", who, address, OPENINGS_PER_USER, OPENINGS_PER_ADDRESS)
        key, now = new_secret(), self.now()

        def add(connection: Connection) -> str:
            connection.execute("DELETE FROM rooms WHERE ends <= ?", (now,))
            last_used = self._last_used(connection)
            in_use = [code for code, at in last_used.items() if now - at < ABANDONED_S]
            self._check_openers([self._openers[code] for code in in_use if code in self._openers], who, address)
            if len(last_used) >= MAX_CLASSROOMS:
                if len(in_use) == len(last_used):
                    raise UserError(
                        f"There are {MAX_CLASSROOMS} classes already, and all are in use. Try again when one has ended."
                    )
                oldest = min(last_used, key=last_used.__getitem__)
                connection.execute("DELETE FROM rooms WHERE code = ?", (oldest,))
            code = next(code for code in iter(new_code, None) if code not in last_used)
            row = (code, sealed(key), sealed(screen_key(key)), now, now + 3600 * hours)
            connection.execute("INSERT INTO rooms (code, teacher, screen, opened, ends) VALUES (?, ?, ?, ?, ?)", row)
            self._used = {each: at for each, at in self._used.items() if each in last_used} | {code: now}
            openers = {each: opener for each, opener in self._openers.items() if each in last_used}
            self._openers = openers | ({code: (who, address)} if who else {})
            return code

        return Opened(self.database.change(add), key)

    def room(self, code: str) -> Room | None:
        """A class that goes on; None if there is none, or no longer."""
        return read_room(self.database, code, self.now())

    def teacher(self, code: str, key: str) -> Teacher | None:
        """What the teacher of a class may do; None for everybody else."""
        opens = self._opens("teacher", code, key)
        return Teacher(self.database, code, self.now, self._note_use) if opens else None

    def watcher(self, code: str, key: str) -> Watcher | None:
        """What the beamer of a class may show; None for everybody else."""
        opens = self._opens("screen", code, key)
        return Watcher(self.database, code, self.now, self._note_use) if opens else None

    def join(self, code: str, who: str = "", address: str = "") -> str | None:
        """The seat of a visitor in a class, by which it is counted; None if there is no such class, or no longer.

        A visitor has one seat, however many pages are open and however often it comes back; whoever has no name has a
        new one each time. Seats stay on the server: no browser is told one, or asked for one.

        Raises:
            UserError: It was tried too often.
        """
        self._count_attempt("joining", who, address, JOINS_PER_USER, JOINS_PER_ADDRESS)
        found = self.database.rows("SELECT teacher FROM rooms WHERE code = ? AND ends > ?", (code, self.now()))
        return seat_of(found[0][0], who or new_secret()) if found else None

    def look(self, code: str, seat: str, place: Place, address: str = "") -> Room | None:
        """What a student is told: the class as it is. By this they are noted to be there.

        Raises:
            FullError: There is no seat left.
        """
        room = self.room(code)
        if room is not None:
            self._note(code, seat, place, address)
        return room

    def leave(self, code: str, seat: str) -> None:
        """A student is no longer there; what they answered stays in the counts."""
        self._heard.pop((code, seat), None)
        self.database.change(
            lambda connection: connection.execute("DELETE FROM seats WHERE code = ? AND seat = ?", (code, seat))
        )

    def answer(self, code: str, seat: str, lesson: int, asked: Asked, answer: int, address: str = "") -> None:
        """Count an answer to a lesson's question, one for each seat, unless the class is frozen or over.

        Raises:
            FullError: There is no seat left: only who has one is counted.
        """
        room = self.room(code)
        if room is None or room.frozen or abs(answer) > MAX_ANSWER:
            return
        told = json.dumps([asked.text, [*asked.options], asked.right])
        now, place = self.now(), Place("learn", lesson)

        def count(connection: Connection) -> None:
            self._sit(connection, code, seat, place, address, now)
            connection.execute("INSERT OR IGNORE INTO questions VALUES (?, ?, ?)", (code, lesson, told))
            (others,) = connection.execute(
                "SELECT COUNT(*) FROM answers WHERE code = ? AND lesson = ? AND seat <> ?", (code, lesson, seat)
            ).fetchone()
            if others >= MAX_SEATS:  # somebody has left who answered, or there would be no seat
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
        self._remember(code, seat, _Heard(place, now, address))

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _note(self, code: str, seat: str, place: Place, address: str) -> None:
        """Write down where a student is: not at every look, thirty of them look every few seconds."""
        now, before = self.now(), self._heard.get((code, seat))
        if before is not None and before.place == place and now - before.at < SEAT_REFRESH_S:
            return
        self.database.change(lambda connection: self._sit(connection, code, seat, place, address, now))
        self._remember(code, seat, _Heard(place, now, address))

    def _sit(self, connection: Connection, code: str, seat: str, place: Place, address: str, now: float) -> None:
        """Give a seat to who comes or stays; who left has none any more."""
        connection.execute(
            "DELETE FROM seats WHERE code = ? AND seat <> ? AND seen NOT BETWEEN ? AND ?", (code, seat, *present(now))
        )
        (others,) = connection.execute(
            "SELECT COUNT(*) FROM seats WHERE code = ? AND seat <> ?", (code, seat)
        ).fetchone()
        if others >= MAX_SEATS:
            raise FullError(
                f"This class is full: it has {MAX_SEATS} students. You get a seat as soon as somebody leaves."
            )
        near = [
            who
            for who, heard in self._heard.copy().items()
            if address and heard.address == address and who != (code, seat) and now - heard.at < PRESENT_S
        ]
        if len(near) >= SEATS_PER_ADDRESS:
            raise FullError(
                f"{SEATS_PER_ADDRESS} students at your network address are in classes already. "
                "You get a seat as soon as one of them leaves."
            )
        connection.execute(
            "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?)", (code, seat, place.page, place.lesson, now)
        )

    def _remember(self, code: str, seat: str, heard: _Heard) -> None:
        self._heard = {who: each for who, each in self._heard.copy().items() if heard.at - each.at < PRESENT_S}
        self._heard[code, seat] = heard

    def _note_use(self, code: str) -> None:
        self._used[code] = self.now()

    def _last_used(self, connection: Connection) -> dict[str, float]:
        """When somebody was last in each class; of one that another server has, at least when this one began."""
        seen = connection.execute("SELECT rooms.code, MAX(seen) FROM rooms LEFT JOIN seats USING (code) GROUP BY 1")
        return {code: max(self._used.get(code, self._began), at or 0.0) for code, at in seen}

    def _count_attempt(self, what: str, who: str, address: str, most: int, most_of_address: int) -> None:
        if who and not self._attempts.allow(f"{what} by {who}", most):
            raise UserError("You tried this too often within a minute. Wait a minute, then try again.")
        if who and not self._attempts.allow(f"{what} at {address}", most_of_address):
            raise UserError(
                "Many visitors at your network address tried this within a minute. Wait a minute, then try again."
            )

    def _check_openers(self, openers: Sequence[tuple[str, str]], who: str, address: str) -> None:
        if who and [name for name, _ in openers].count(who) >= CLASSROOMS_PER_USER:
            raise UserError(
                f"You have {CLASSROOMS_PER_USER} classes open already. End one of them before you open another."
            )
        if who and [place for _, place in openers].count(address) >= CLASSROOMS_PER_ADDRESS:
            raise UserError(
                f"{CLASSROOMS_PER_ADDRESS} classes were opened from your network address already. "
                "One of them has to end before another begins."
            )

    def _opens(self, lock: str, code: str, key: str) -> bool:
        """Whether a key opens a class; one that there is not takes as long as one whose key is wrong."""
        found = self.database.rows(f"SELECT {lock} FROM rooms WHERE code = ? AND ends > ?", (code, self.now()))
        return opens(key, found[0][0] if found else bytes(32)) and bool(found)


@lru_cache(maxsize=8)
def _at(path: Path) -> Classroom:
    return Classroom(path)


def classroom() -> Classroom:
    """The classes that are kept in the data folder."""
    return _at(data_root() / "classes.sqlite")
