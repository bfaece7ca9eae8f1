"""Temporary folders, and files of the data folder that are kept in memory where the disk cannot be written.

A temporary folder ends with the process that made it, however that ends. Each is private and locked by its process, so
what a killed one left is known for that, also where the system has given its number to another. It is removed when the
next folder of the same kind is made.

Memory is such a folder too, of a file system that has no disk where there is one: so all workers of a server find what
one of them has kept, also when that one is gone. It ends with the server.
"""

import atexit
import hashlib
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.files import PART, UnwrittenError

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

_log = logging.getLogger(__name__)

_MEMORY = "GFX_MEMORY"  # environment: the folder that is memory, for this process and those that it starts
_WITHOUT_DISK = Path("/dev/shm")
_STALE_S = 3600.0  # a file that was not finished in so long never will be
_IN_MEMORY = (
    "Some results could not be written to the disk, so they stay in memory until the server stops. "
    "Download what you want to keep."
)
KEPT_IN_MEMORY = 16
"""Files of a kind in memory; the oldest go first."""

_made: dict[Path, int] = {}  # by folder: the open file that holds its lock; -1 where the system has no such locks


def make_folder(prefix: str, base: Path | None = None) -> Path:
    """A new folder, removed when this process ends.

    Args:
        prefix: How the names of its kind begin.
        base: Where it is made; by default where the system has temporary files.

    Raises:
        OSError: It cannot be made there.
    """
    base = base or Path(tempfile.gettempdir())
    sweep(prefix, base)
    while True:
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=base))  # no other user may read it
        try:
            lock = _locked(made)
        except BlockingIOError:  # another process was faster, takes it for left behind and removes it
            continue
        except OSError:  # this disk has no locks
            lock = -1
        if made.is_dir():
            _made[made] = lock
            return made


def remove_folder(folder: Path) -> None:
    """Remove one that was made here, with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if (lock := _made.pop(folder, -1)) >= 0:
        os.close(lock)


@atexit.register
def remove_folders() -> None:
    """Remove all that were made here: a process that dies of a signal must do so itself."""
    for folder in tuple(_made):
        remove_folder(folder)


def sweep(prefix: str, base: Path | None = None) -> None:
    """Remove what killed processes left of a kind of folder."""
    for folder in (base or Path(tempfile.gettempdir())).glob(f"{prefix}*"):
        with suppress(OSError):  # another process uses it, or it is another user's
            if (lock := _locked(folder)) >= 0:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(folder: Path) -> int:
    """The open file that locks a folder for this process.

    Raises:
        OSError: Another process has locked it, or it cannot be.
    """
    if sys.platform == "win32":
        return -1
    import fcntl

    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def memory_root() -> Path | None:
    """The folder that is memory; made when it is first asked for, and removed when this process ends.

    Whoever starts processes that are to share it asks before.
    """
    if found := os.environ.get(_MEMORY):
        return Path(found)
    for base in (_WITHOUT_DISK, None):
        with suppress(OSError):
            made = make_folder("gfx-memory-", base)
            os.environ[_MEMORY] = str(made)
            return made
    return None


def keep(path: Path, write: Callable[[Path], None], most: int) -> Path | None:
    """Have a file of the data folder written, there or in memory; where it is, ``None`` if it could not be kept at all.

    Args:
        path: Where it belongs.
        write: Writes it to a path, whole or not at all; raises ``UnwrittenError`` or ``OSError`` if it cannot.
        most: So many of its folder and ending are kept, fewer in memory, the newest; and no remains of unfinished ones.
    """
    for place in _places(path):
        try:
            write(place)
        except (OSError, UnwrittenError) as error:
            _log.warning("%s", error)
            continue
        files = sorted(place.parent.glob(f"*{path.suffix}"), key=_modified, reverse=True)
        stale = [other for other in place.parent.glob(f"*{PART}") if time.time() - _modified(other) > _STALE_S]
        for other in (*files[most if place == path else KEPT_IN_MEMORY :], *stale):
            with suppress(OSError):
                other.unlink(missing_ok=True)
        return place
    return None


def find(path: Path) -> Path | None:
    """Where a file of the data folder is; ``None`` where it is not."""
    return max((place for place in _places(path) if place.is_file()), key=_modified, default=None)


class Recent(OrderedDict[K, V]):
    """What this process used last, by all that it depends on.

    Args:
        most: Entries that are kept; the one that was not used for longest goes first.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def find(self, key: K, make: Callable[[], V]) -> V:
        """What is kept under a key, or is made now; other threads may take it out at any moment."""
        try:
            value = self.pop(key)
        except KeyError:
            value = make()
        self[key] = value
        while len(self) > self.most:
            self.popitem(last=False)
        return value


class Cache(Generic[T]):
    """What takes long to make: on disk, by a name that says all it depends on.

    Every worker finds what is there, also after a restart. Where the disk is full or may not be written, it is kept in
    memory, and nothing is lost or made twice.

    Args:
        read: Reads one; raises ``UserError`` where the file is damaged: it is made anew.
        write: Writes one.
        most: Files of a folder; the oldest go first.
    """

    def __init__(self, read: Callable[[Path], T], write: Callable[[T, Path], None], most: int = 100) -> None:
        self._read, self._write, self.most = read, write, most

    def find(self, path: Path) -> T | None:
        """What was made before, from disk or from memory."""
        if (known := find(path)) is not None:
            with suppress(UserError):
                return self._read(known)
        return None

    def keep(self, path: Path, made: T) -> T:
        """Write it."""
        keep(path, lambda place: self._write(made, place), self.most)
        return made


def digest_of(settings: Any, arrays: Iterable[Any]) -> str:
    """Names all that an outcome depends on but the computer's speed: plain settings, and arrays of numbers."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()[:40]


def problem() -> str:
    """That something is in memory which belongs on disk, a sentence; empty where nothing is, whoever put it there."""
    memory = memory_root()
    held = os.walk(memory) if memory is not None else ()
    return _IN_MEMORY if any(Path(name).suffix != PART for _, _, names in held for name in names) else ""


def _places(path: Path) -> list[Path]:
    """Where something of the data folder may be: there, and in memory."""
    memory, data = memory_root(), data_root()
    return [path, *([memory / path.relative_to(data)] if memory is not None and path.is_relative_to(data) else [])]


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it meanwhile
        return 0.0
