"""Finished cells on disk: a line each while a run goes on, one file for the table when it ends."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from gfx_core.bench.cells import Record
from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.files import replacing, why_unwritten

RESULTS = ASSETS / "results"
"""Where the shipped records are."""
_AGAIN = "put it back from git, move it away and measure again, or choose another folder with --out."


class Journal:
    """The records of a run that has not ended, safe on disk one by one (``<benchmark>.partial.jsonl``).

    The file is locked while it is open. The system lets go of the lock when the process ends, however it ends, so a
    killed run never blocks the next.

    Args:
        benchmark: The name of the table.
        folder: Where the table's file is.
        fresh: Compute everything anew: what the table's file or the journal of a usual run hold does not count. A
            fresh run that was stopped goes on, though.
    """

    def __init__(self, benchmark: str, folder: Path | None = None, fresh: bool = False) -> None:
        self.benchmark, self.folder, self.fresh = benchmark, folder or RESULTS, fresh
        self.path = self.folder / f"{benchmark}.partial.jsonl"
        self.result = self.folder / f"{benchmark}.json"
        self.cells, self.failed = read_table(self.result)
        self.records: dict[str, Record] = {}  # the newest by key, those of failed cells too
        self._ended = False
        self._file = self._open()
        self._load()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *error: object) -> None:
        if not self.records and not self._ended:
            self.path.unlink(missing_ok=True)  # nothing has come of this run
        with suppress(OSError):  # on a full disk a record is still on its way, and whoever made it was told
            self._file.close()

    def finished(self, key: str, config: str) -> Record | None:
        """The record of a cell that was computed with this very configuration before."""
        kept = None if self.fresh else self.cells.get(key)
        for record in (self.records.get(key), kept):
            if record is not None and record["config"] == config and record["status"] == "done":
                return record
        return None

    def add(self, record: Record) -> None:
        """Keep a record; it is on the disk when this returns."""
        self._append(record)
        self.records[record["key"]] = record

    def finish(self, records: Iterable[Record]) -> Path:
        """Write all records to the table's file and remove the journal.

        Cells that are only in the file or only in the journal are kept too. A failed cell is listed apart and takes
        nothing away: an older value of it stays, with its own configuration.

        Args:
            records: Of all cells of this run, whether they were computed now or before.
        """
        asked = {record["key"]: record for record in records}
        stopped = {key: record for key, record in self.records.items() if key not in asked}
        for key, record in (stopped | asked).items():
            if record["status"] == "done":
                self.cells[key] = record
                self.failed.pop(key, None)
            else:
                self.failed[key] = record
        table = {"benchmark": self.benchmark, "cells": list(self.cells.values()), "failed": list(self.failed.values())}
        try:
            with replacing(self.result) as part:
                part.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(
                f"The result cannot be written to {self.folder} ({why_unwritten(error)}): make room, or choose another "
                "folder with --out. What was computed is in the journal."
            ) from error
        self.path.unlink()
        self._ended = True
        return self.result

    def _open(self) -> IO[bytes]:
        """Open and lock the file."""
        import fcntl

        while True:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                file = self.path.open("ab+")
            except OSError as error:
                message = f"The journal {self.path} cannot be written: choose another folder with --out."
                raise UserError(message) from error
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self.path.exists() and os.path.samestat(os.fstat(file.fileno()), self.path.stat()):
                    return file
                file.close()  # the run that held it has just ended and removed it
            except BlockingIOError as error:
                file.close()
                raise UserError(
                    f"Another run of “{self.benchmark}” is writing to {self.folder}: wait for it, stop it, or choose "
                    "another folder with --out."
                ) from error

    def _load(self) -> None:
        """Read what an earlier run has left, and cut off a last line that it could not finish."""
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = [line for line in map(_parse, whole.splitlines()) if line is not None]
        was_fresh = bool(lines) and lines[0].get("fresh") is True
        if self.fresh and not was_fresh:
            whole, lines = b"", []
        self.fresh = self.fresh or was_fresh
        self._file.truncate(len(whole))
        if self.fresh and not lines:
            self._append({"fresh": True})
        self.records = {line["key"]: line for line in lines if "key" in line}

    def _append(self, line: Record) -> None:
        try:
            self._file.write(json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UserError(
                f"The journal {self.path.name} cannot be written: {why_unwritten(error)}. What it holds already counts "
                "when the command is run again."
            ) from error


def _parse(line: bytes) -> Record | None:
    """A line of the journal; None if it is damaged, and its cell is computed again."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def read_table(path: Path) -> tuple[dict[str, Record], dict[str, Record]]:
    """The records of a table's file by key: finished cells, failed ones."""
    try:
        table = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        json.dumps(table, allow_nan=False)  # ValueError where a number is none, or infinite: nothing can be made of it
        cells, failed = ({cell["key"]: cell for cell in table.pop(part, [])} for part in ("cells", "failed"))
        damaged = [key for key, cell in cells.items() if not _is_record(cell)]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UserError(f"{path.name} is not a table of cells: {_AGAIN}") from error
    if damaged:
        raise UserError(f"{path.name} holds something else than records (“{str(damaged[0])[:60]}”): {_AGAIN}")
    return cells, failed


def _is_record(cell: Record) -> bool:
    """Whether a finished cell has what every reader of records relies on."""
    texts = all(isinstance(cell.get(name), str) for name in ("key", "dataset", "method", "status"))
    parts = all(isinstance(cell.get(name), dict) for name in ("options", "made", "values"))
    return texts and parts and isinstance(cell["made"].get("versions"), dict) and "torch" in cell["made"]["versions"]
