"""One SQLite file for all classes: several threads and servers may use it at once, and a restart loses nothing."""

import logging
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gfx_core.errors import UserError

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


class Database:
    """The file, opened when it is first needed.

    A damaged file is put aside and a new one begun. Where nothing can be written, classes are kept in memory, for as
    long as the server runs: see `kept`.

    Args:
        path: Of the file; its folder is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = True
        self._lock = threading.Lock()  # SQLite's own connection is used by one thread at a time
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """Several changes, all of them or none."""
        with self._at_work() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk may have ended it already
                    connection.execute("ROLLBACK")
                raise

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that answer a question in SQL."""
        with self._at_work() as connection:
            return connection.execute(question, values).fetchall()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _at_work(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                yield self._connection
            except sqlite3.Error as error:
                _log.warning("The file of classes: %s", error)
                if self._connection is not None and not isinstance(error, sqlite3.OperationalError):
                    self._connection.close()  # damaged: the next one to ask finds that out and begins a new file
                    self._connection = None
                raise UserError(CANNOT) from None

    def _open(self) -> sqlite3.Connection:
        self.kept = True
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return _prepared(self.path)
        except OSError:
            pass
        except sqlite3.OperationalError as error:  # read-only, full, no such folder
            _log.warning("Classes are kept in memory: %s", error)
        except sqlite3.DatabaseError:  # this is no file of ours
            with suppress(OSError, sqlite3.Error):
                for ending in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
                self.path.replace(self.path.with_suffix(".damaged"))
                return _prepared(self.path)
        self.kept = False
        return _prepared(None)


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
