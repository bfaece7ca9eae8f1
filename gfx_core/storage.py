"""Temporary folders, the newest files of the data folder, and what a process used last.

A temporary folder is private and ends with its process. A locked file beside it marks that the process lives: what a
killed one has left is removed when the next folder of its kind is made.
"""

import atexit
import hashlib
import json
import logging
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

from gfx_core.errors import UserError
from gfx_core.files import PART, UnwrittenError, stamp

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

_log = logging.getLogger(__name__)

_STALE_NS = 3600 * 10**9  # a file that was not finished in so long never will be

_locks: dict[Path, FileLock] = {}  # by the folder that each stands beside


def make_folder(prefix: str) -> Path:
    """A new temporary folder that no other user may read, removed when this process ends.

    Args:
        prefix: How the names of its kind begin; what killed processes left of that kind is removed.

    Raises:
        OSError: It cannot be made there.
    """
    base = Path(tempfile.gettempdir())
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


def keep(path: Path, write: Callable[[Path], None], most: int = 100) -> bool:
    """Have a file of the data folder written; whether it could be.

    Args:
        path: Where it belongs.
        write: Writes it to a path, whole or not at all; raises ``UnwrittenError`` if it cannot.
        most: So many of its folder and ending are kept, the newest; and no remains of unfinished ones.
    """
    try:
        write(path)
    except UnwrittenError as error:
        _log.warning("%s", error)
        return False
    files = sorted(path.parent.glob(f"*{path.suffix}"), key=_modified, reverse=True)
    stale = [part for part in path.parent.glob(f"*{PART}") if time.time_ns() - _modified(part) > _STALE_NS]
    for file in (*files[most:], *stale):
        with suppress(OSError):
            file.unlink(missing_ok=True)
    return True


def read_kept(path: Path, read: Callable[[Path], T]) -> T | None:
    """A file of the data folder as it is read; ``None`` where it is not, or is damaged: it is made anew."""
    with suppress(UserError):
        return read(path) if path.is_file() else None
    return None


def _modified(path: Path) -> int:
    return stamp(path)[1]


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
