"""All classes of a server: opening one, joining it, and what its teacher and its projector see."""

import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import msgspec

from gfx_core import limits
from gfx_core.classroom.room import ClassQuestion, Room, StudentPage, new_code, seal_of
from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.files import UnwrittenError, replacing

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
            key, code = secrets.token_urlsafe(24), new_code()
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


@lru_cache(maxsize=8)
def _at(path: Path) -> Classroom:
    return Classroom(path)


def classroom() -> Classroom:
    """The classes that are kept in the data folder."""
    return _at(data_root() / "classes.json")
