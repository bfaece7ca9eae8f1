"""One SQLite file for all classes: several threads and servers may use it at once, and a restart loses nothing."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from gfx_core.errors import UserError
from gfx_core.files import disk_is_full

T = TypeVar("T")
_log = logging.getLogger(__name__)
_VERSION = 1
_WAIT_S = 5.0  # for another server that is writing
_TABLES = """
CREATE TABLE rooms (
    code TEXT PRIMARY KEY, teacher BLOB NOT NULL, screen BLOB NOT NULL, opened REAL NOT NULL, ends REAL NOT NULL,
    frozen INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0, page TEXT NOT NULL DEFAULT '',
    query TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE seats (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, seat TEXT NOT NULL, page TEXT NOT NULL,
    lesson INTEGER NOT NULL, seen REAL NOT NULL, PRIMARY KEY (code, seat)
) WITHOUT ROWID;
CREATE TABLE questions (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, lesson INTEGER NOT NULL, asked TEXT NOT NULL,
    PRIMARY KEY (code, lesson)
) WITHOUT ROWID;
CREATE TABLE answers (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, lesson INTEGER NOT NULL, seat TEXT NOT NULL,
    first INTEGER NOT NULL, latest INTEGER NOT NULL, PRIMARY KEY (code, lesson, seat)
) WITHOUT ROWID;
"""
CANNOT = "The class cannot be kept just now: the data folder does not answer. Try again in a moment."
UNWRITABLE = "The data folder cannot be written: the class ends when the server does."
FULL = "The disk is full: the class ends when the server does."
_REFUSED = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_KIND = 0xFF  # the part of an error's code that names its kind


class Database:
    """The file, opened when it is first needed.

    A damaged file is put aside and a new one begun. Where nothing can be written, or not any more, classes are kept in
    memory, for as long as the server runs: see `problem`. A file that is removed meanwhile is written again.

    Args:
        path: Of the file; its folder is made.

    Attributes:
        problem: Why classes are kept in memory only, a sentence; empty where they are kept in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._lock = threading.Lock()  # SQLite's own connection is used by one thread at a time
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # which file is open: another one may have its name meanwhile

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Make several changes, all of them or none; where the disk refuses them, they are made in memory."""
        with self._at_work() as connection:
            try:
                return _all_or_none(connection, work)
            except sqlite3.OperationalError as error:
                if self.problem or error.sqlite_errorcode & _KIND not in _REFUSED:
                    raise
                return _all_or_none(self._go_on_in_memory(connection, error), work)

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that answer a question in SQL."""
        with self._at_work() as connection:
            return connection.execute(question, values).fetchall()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _at_work(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is not None and not self.problem and _identity(self.path) != self._file:
                    self._find_again(self._connection)
                if self._connection is None:
                    self._connection = self._open()
                yield self._connection
            except sqlite3.Error as error:
                _log.warning("The file of classes: %s", error)
                if not isinstance(error, sqlite3.OperationalError | sqlite3.IntegrityError):
                    self._let_go()  # damaged: the next one to ask finds that out and begins a new file
                raise UserError(CANNOT) from None

    def _open(self) -> sqlite3.Connection:
        self.problem = ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return self._opened()
        except (OSError, sqlite3.OperationalError) as error:  # read-only, full, no such folder
            _log.warning("Classes are kept in memory: %s", error)
            self.problem = _why(error)
        except sqlite3.DatabaseError as error:  # this is no file of ours
            _log.warning("The file of classes is put aside: %s", error)
            self.problem = UNWRITABLE
            with suppress(OSError, sqlite3.Error):
                self._remove_logs()
                self.path.replace(self.path.with_suffix(".damaged"))
                connection = self._opened()
                self.problem = ""
                return connection
        return _prepared(None)

    def _opened(self) -> sqlite3.Connection:
        connection = _prepared(self.path)
        self._file = _identity(self.path)
        return connection

    def _remove_logs(self) -> None:
        """Remove what SQLite keeps beside a file that is there no more: it would be taken for a part of a new one."""
        for ending in ("-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    def _go_on_in_memory(self, connection: sqlite3.Connection, why: Exception) -> sqlite3.Connection:
        """All classes as they were when the disk refused to take more."""
        _log.warning("Classes are kept in memory: %s", why)
        memory = _copy(connection, _prepared(None))
        self._let_go()
        self._connection, self.problem = memory, _why(why)
        return memory

    def _find_again(self, connection: sqlite3.Connection) -> None:
        """The file was removed, or replaced by another one.

        What was removed can still be read by whoever has it open, so nothing is lost. The old file is let go of before
        the new one is made, as both have the same name for SQLite.
        """
        if _identity(self.path) is not None:
            _log.warning("The file of classes was replaced by another one: classes are those in it.")
            self._let_go()
            return
        _log.warning("The file of classes was removed while the server ran: it is written again.")
        memory = _copy(connection, _prepared(None))
        self._let_go()
        with suppress(OSError):
            self._remove_logs()
        self._connection = self._open()
        _copy(memory, self._connection)
        memory.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells a file from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _why(error: Exception) -> str:
    """Why nothing can be written, a sentence."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return FULL if code == sqlite3.SQLITE_FULL or disk_is_full(error) else UNWRITABLE


def _copy(source: sqlite3.Connection, target: sqlite3.Connection) -> sqlite3.Connection:
    """The target, with all that is in the source; as it was where the source cannot be read any more."""
    try:
        source.backup(target)
    except sqlite3.Error as error:
        _log.warning("Classes were lost: %s", error)
    return target


def _all_or_none(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk may have ended it already
            connection.execute("ROLLBACK")
        raise
    return done


def _prepared(path: Path | None) -> sqlite3.Connection:
    """A connection to a file with all tables; to none but the memory where there is no path."""
    name = ":memory:" if path is None else str(path)
    connection = sqlite3.connect(name, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last second, never the file
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN IMMEDIATE")  # also tells whether it can be written at all
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError("written by another version")
        if version == 0:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection
