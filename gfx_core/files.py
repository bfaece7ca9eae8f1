"""Files that are written whole or not at all, and read once for as long as they are not replaced."""

import csv
import errno
import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, wraps
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar, cast

from gfx_core.errors import UserError

Reader = TypeVar("Reader", bound=Callable[..., Any])

DIGITS = 24
"""Of the name of a file that is named by what is in it."""
PART = ".part"
"""How the names of files end that are not whole yet."""


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, which change when it is replaced; zeros if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def read_once(most: int) -> Callable[[Reader], Reader]:
    """Keep what a function makes of a file, its first argument, for as long as that is not replaced.

    Args:
        most: So many answers are kept.
    """

    def decorated(read: Reader) -> Reader:
        @lru_cache(maxsize=most)
        def kept(_version: tuple[int, int], *args: Any) -> Any:
            return read(*args)

        @wraps(read)
        def reading(path: Path, *args: Any) -> Any:
            return kept(stamp(path), path, *args)

        return cast(Reader, reading)

    return decorated


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """A table for a spreadsheet."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


class UnwrittenError(UserError):
    """A file could not be written, for a reason that has nothing to do with what is in it."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write a file that takes the place of another once it is whole.

    It has a name of its own, so two processes may write the same file: one of them is kept, and it is whole. What could
    not be finished is removed: on a full disk it would be in the way.

    Raises:
        UnwrittenError: The disk is full, or the folder cannot be written.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}-{token_hex(4)}{PART}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())  # else a new name may outlive a power cut that the content does not
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        why = "the disk is full" if full else "the folder cannot be written"
        raise UnwrittenError(f"{path.name} cannot be written: {why}.") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text; an existing file is replaced only once the new one is whole."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


@read_once(64)
def fingerprint(path: Path) -> str:
    """Identifies the tensors of a file, whatever its header holds; without torch. Empty if the file is not there.

    Equal tensors are always written in the same order, so the bytes after the header are what counts.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return ""
    header = int.from_bytes(content[:8], "little")
    return hashlib.sha256(content[8 + header :]).hexdigest()[:32]


def content_digest(data: bytes) -> str:
    """The name of a file by what is in it."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def checked_digest(name: str) -> str:
    """Such a name as it is written; ``UserError`` if it can be none."""
    text = name.strip().lower()
    if len(text) != DIGITS or not set(text) <= set("0123456789abcdef"):
        raise UserError(f"“{name[:60]}” is not the name of a stored file: such a name has {DIGITS} digits from 0 to f.")
    return text
