"""All classes of a server: opening one, joining it, and what its teacher may do.

Only who has a class's secret is given a `Teacher`, and so can change it or see who is where; `watcher` gives the same
view without the changes, for a beamer whose address everybody can read.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gfx_core.classroom.codes import is_seat, new_code, new_secret, opens, screen_key, sealed
from gfx_core.classroom.database import Database
from gfx_core.classroom.limits import HEARD_S, LARGEST, MOST_ROOMS, MOST_SEATS, PRESENT_S, checked_hours
from gfx_core.classroom.room import Asked, Place, Room
from gfx_core.classroom.teacher import Teacher, Watcher, read_room
from gfx_core.config import data_root
from gfx_core.errors import UserError


@dataclass(frozen=True)
class Opened:
    """A class that was just opened.

    Attributes:
        code: By which students find it.
        key: The teacher's secret; it is told only here.
    """

    code: str
    key: str


class Classroom:
    """The classes that are kept in one file."""

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self.database, self.now = Database(path), now
        self._heard: dict[tuple[str, str], tuple[Place, float]] = {}  # what was written of whom, and when

    @property
    def survives(self) -> bool:
        """Whether classes survive a restart of the server: not where the data folder cannot be written."""
        self.database.rows("SELECT 1")
        return self.database.kept

    def open(self, hours: float) -> Opened:
        """Open a class that ends by itself after some hours.

        Raises:
            UserError: It should last too long, or there are too many.
        """
        hours = checked_hours(hours)
        key, now = new_secret(), self.now()
        with self.database.changing() as connection:
            connection.execute("DELETE FROM rooms WHERE ends <= ?", (now,))
            (count,) = connection.execute("SELECT COUNT(*) FROM rooms").fetchone()
            if count >= MOST_ROOMS:
                raise UserError(f"There are {MOST_ROOMS} classes already. One has to end before another begins.")
            taken = {code for (code,) in connection.execute("SELECT code FROM rooms")}
            code = next(code for code in iter(new_code, None) if code not in taken)
            row = (code, sealed(key), sealed(screen_key(key)), now, now + 3600 * hours)
            connection.execute("INSERT INTO rooms (code, teacher, screen, opened, ends) VALUES (?, ?, ?, ?, ?)", row)
        return Opened(code, key)

    def room(self, code: str) -> Room | None:
        """A class that goes on; None if there is none, or no longer."""
        return read_room(self.database, code, self.now())

    def teacher(self, code: str, key: str) -> Teacher | None:
        """What the teacher of a class may do; None for everybody else."""
        return Teacher(self.database, code, self.now) if self._opens("teacher", code, key) else None

    def watcher(self, code: str, key: str) -> Watcher | None:
        """What the beamer of a class may show; None for everybody else."""
        return Watcher(self.database, code, self.now) if self._opens("screen", code, key) else None

    def look(self, code: str, seat: str, place: Place) -> Room | None:
        """What a student is told: the class as it is. By this they are noted to be there."""
        room = self.room(code)
        if room is not None:
            self._note(code, seat, place)
        return room

    def leave(self, code: str, seat: str) -> None:
        """A student is no longer there; what they answered stays in the counts."""
        self._heard.pop((code, seat), None)
        with self.database.changing() as connection:
            connection.execute("DELETE FROM seats WHERE code = ? AND seat = ?", (code, seat))

    def answer(self, code: str, seat: str, lesson: int, asked: Asked, answer: int) -> None:
        """Count an answer to a lesson's question, unless the class is frozen or over."""
        room = self.room(code)
        if room is None or room.frozen or not is_seat(seat) or abs(answer) > LARGEST:
            return
        told = json.dumps([asked.text, [*asked.options], asked.right])
        with self.database.changing() as connection:
            connection.execute("INSERT OR IGNORE INTO questions VALUES (?, ?, ?)", (code, lesson, told))
            (seats,) = connection.execute(
                "SELECT COUNT(*) FROM answers WHERE code = ? AND lesson = ? AND seat <> ?", (code, lesson, seat)
            ).fetchone()
            if seats < MOST_SEATS:
                connection.execute(
                    "INSERT INTO answers VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT (code, lesson, seat) DO UPDATE SET latest = excluded.latest",
                    (code, lesson, seat, answer, answer),
                )

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _note(self, code: str, seat: str, place: Place) -> None:
        """Write down where a student is: not at every look, thirty of them look every few seconds."""
        now = self.now()
        before, at = self._heard.get((code, seat), (None, 0.0))
        if not is_seat(seat) or (before == place and now - at < HEARD_S):
            return
        with self.database.changing() as connection:
            (others,) = connection.execute(
                "SELECT COUNT(*) FROM seats WHERE code = ? AND seat <> ? AND seen > ?", (code, seat, now - PRESENT_S)
            ).fetchone()
            if others >= MOST_SEATS:
                return
            if before is None:
                connection.execute("DELETE FROM seats WHERE code = ? AND seen <= ?", (code, now - PRESENT_S))
            connection.execute(
                "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?)", (code, seat, place.page, place.lesson, now)
            )
        self._heard = {who: said for who, said in self._heard.items() if now - said[1] < PRESENT_S}
        self._heard[code, seat] = (place, now)

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
