"""What those who have a class's secrets may do: a beamer sees the class, its teacher also leads it."""

import json
from collections.abc import Callable
from sqlite3 import Connection

from gfx_core.classroom.database import Database
from gfx_core.classroom.room import Asked, Overview, Place, Room, Spread
from gfx_core.classroom.targets import Target
from gfx_core.errors import UserError
from gfx_core.limits import MAX_CLASS_HOURS, PRESENT_S


class FullError(UserError):
    """There is no seat left in a class."""


def checked_hours(hours: float) -> float:
    """How long a class lasts; ``UserError`` where that is too long."""
    if not 0 < hours <= MAX_CLASS_HOURS:
        raise UserError(f"A class lasts at most {MAX_CLASS_HOURS:g} hours.")
    return hours


def present(now: float) -> tuple[float, float]:
    """Between which times somebody who is there was last heard of; the other server's clock may be ahead a little."""
    return now - PRESENT_S, now + PRESENT_S


def read_room(database: Database, code: str, now: float) -> Room | None:
    """A class that goes on; None if there is none, or no longer."""
    found = database.rows("SELECT ends, frozen, sent, page, query FROM rooms WHERE code = ?", (code,))
    if not found or found[0][0] <= now:
        return None
    ends, frozen, sent, page, query = found[0]
    return Room(code, ends, bool(frozen), sent, Target(page, query) if page else None)


class Watcher:
    """Sees a class; made by `Classroom.watcher`."""

    def __init__(
        self, database: Database, code: str, now: Callable[[], float], note_use: Callable[[str], None]
    ) -> None:
        self._database, self.code, self._now, self._note_use = database, code, now, note_use

    def overview(self) -> Overview | None:
        """Who is where and what was answered; None once the class is over."""
        room = read_room(self._database, self.code, self._now())
        if room is None:
            return None
        self._note_use(self.code)
        rows = self._database.rows
        places = rows(
            "SELECT page, lesson, COUNT(*) FROM seats WHERE code = ? AND seen BETWEEN ? AND ? GROUP BY page, lesson "
            "ORDER BY COUNT(*) DESC, page, lesson",
            (self.code, *present(self._now())),
        )
        answers = rows(
            "SELECT lesson, first, latest, COUNT(*) FROM answers WHERE code = ? GROUP BY lesson, first, latest",
            (self.code,),
        )
        first: dict[int, dict[int, int]] = {}
        latest: dict[int, dict[int, int]] = {}
        for lesson, at_first, by_now, count in answers:
            for given, table in ((at_first, first), (by_now, latest)):
                of_lesson = table.setdefault(lesson, {})
                of_lesson[given] = of_lesson.get(given, 0) + count
        asked = rows("SELECT lesson, asked FROM questions WHERE code = ? ORDER BY lesson", (self.code,))
        spreads = [
            Spread(lesson, Asked(text, tuple(options), right), first.get(lesson, {}), latest.get(lesson, {}))
            for lesson, told in asked
            for text, options, right in (json.loads(told),)
        ]
        return Overview(room, {Place(page, lesson): count for page, lesson, count in places}, spreads)


class Teacher(Watcher):
    """Sees a class and leads it; made by `Classroom.teacher`."""

    def send(self, target: Target) -> None:
        """Bring everybody to a page."""
        self._change("sent = sent + 1, page = ?, query = ?", target.page, target.query)

    def freeze(self, frozen: bool) -> None:
        """Have everybody look up, or go on."""
        self._change("frozen = ?", int(frozen))

    def last(self, hours: float) -> None:
        """Have the class end so many hours from now."""
        self._change("ends = ?", self._now() + 3600 * checked_hours(hours))

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
