"""Temporary folders, and files of the data folder that are kept in memory where the disk cannot be written.

A temporary folder is private and ends with its process. A locked file beside it marks that the process lives: what a
killed one has left is removed when the next folder of its kind is made.

Memory is such a folder too, of a file system that has no disk where there is one: so all workers of a server find what
one of them has kept, also when that one is gone. It ends with the server.
"""

import atexit
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from filelock import FileLock

from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.files import PART, UnwrittenError, stamp

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

_log = logging.getLogger(__name__)

_MEMORY = "GFX_MEMORY"  # environment: the folder that is memory, for this process and those that it starts
_WITHOUT_DISK = Path("/dev/shm")
_STALE_NS = 3600 * 10**9  # a file that was not finished in so long never will be
_IN_MEMORY = (
    "Some results could not be written to the disk, so they stay in memory until the server stops. "
    "Download what you want to keep."
)
KEPT_IN_MEMORY = 16
"""Files of a kind in memory; the oldest go first."""

_locks: dict[Path, FileLock] = {}  # by the folder that each stands beside


def make_folder(prefix: str, base: Path | None = None) -> Path:
    """A new folder that no other user may read, removed when this process ends.

    Args:
        prefix: How the names of its kind begin; what killed processes left of that kind is removed.
        base: Where it is made; by default where the system has temporary files.

    Raises:
        OSError: It cannot be made there.
    """
    base = base or Path(tempfile.gettempdir())
    for file in base.glob(f".{prefix}*.lock"):
        with suppress(OSError):  # another process uses it, or it is another user's
            remove_folder(_acquire(file.with_name(file.stem[1:])))
    folder = _acquire(base / f"{prefix}{token_hex(8)}")
    folder.mkdir(mode=0o700)
    return folder


def _acquire(folder: Path) -> Path:
    """Lock a folder, which need not be there, for this process; ``OSError`` where another one has it."""
    lock = FileLock(folder.with_name(f".{folder.name}.lock"), timeout=0, thread_local=False)
    lock.acquire()
    _locks[folder] = lock
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder of this process with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)
    if lock := _locks.pop(folder, None):
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


@atexit.register
def remove_folders() -> None:
    """Remove all folders of this process: one that dies of a signal must do so itself."""
    for folder in tuple(_locks):
        remove_folder(folder)


def memory_root() -> Path | None:
    """The folder that is memory; made at the first call, which comes before processes that are to share it start."""
    for base in (_WITHOUT_DISK, None):
        if _MEMORY not in os.environ:
            with suppress(OSError):
                os.environ[_MEMORY] = str(make_folder("gfx-memory-", base))
    folder = os.environ.get(_MEMORY)
    return Path(folder) if folder else None


def keep(path: Path, write: Callable[[Path], None], most: int = 100) -> Path | None:
    """Have a file of the data folder written, there or in memory; where it is, ``None`` if it could not be kept at all.

    Args:
        path: Where it belongs.
        write: Writes it to a path, whole or not at all; raises ``UnwrittenError`` if it cannot.
        most: So many of its folder and ending are kept, fewer in memory, the newest; and no remains of unfinished ones.
    """
    for copy in _copies(path):
        try:
            write(copy)
        except UnwrittenError as error:
            _log.warning("%s", error)
            continue
        files = sorted(copy.parent.glob(f"*{path.suffix}"), key=_modified, reverse=True)
        stale = [part for part in copy.parent.glob(f"*{PART}") if time.time_ns() - _modified(part) > _STALE_NS]
        for file in (*files[most if copy == path else KEPT_IN_MEMORY :], *stale):
            with suppress(OSError):
                file.unlink(missing_ok=True)
        return copy
    return None


def find(path: Path) -> Path | None:
    """Where a file of the data folder is; ``None`` where it is not."""
    return max(filter(Path.is_file, _copies(path)), key=_modified, default=None)


def read_kept(path: Path, read: Callable[[Path], T]) -> T | None:
    """A file of the data folder as it is read; ``None`` where it is not, or is damaged: it is made anew."""
    with suppress(UserError):
        return None if (copy := find(path)) is None else read(copy)
    return None


def _copies(path: Path) -> list[Path]:
    """Where a file of the data folder may be: there, and in memory."""
    memory, data = memory_root(), data_root()
    return [path, memory / path.relative_to(data)] if memory and path.is_relative_to(data) else [path]


def _modified(path: Path) -> int:
    return stamp(path)[1]


def problem() -> str:
    """That something is in memory which belongs on disk, a sentence; empty where nothing is, of any process."""
    memory = memory_root()
    files = memory.rglob("*") if memory else ()
    return _IN_MEMORY if any(file.is_file() and file.suffix != PART for file in files) else ""


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


def digest_of(settings: Any, arrays: Iterable[Any]) -> str:
    """Names all that an outcome depends on but the computer's speed: plain settings, and arrays of numbers."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()[:40]
