"""Temporary folders that end with the process that made them, however it ends.

Each is private and locked by its process, so what a killed one left is known for that, also where the system has given
its number to another. It is removed when the next folder of the same kind is made.
"""

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

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
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=base))  # nobody else may look into it
        try:
            lock = _locked(made)
        except BlockingIOError:  # another process was faster, takes it for left behind and removes it
            continue
        except OSError:  # no locks on this disk, for nobody
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
        with suppress(OSError):  # somebody is at it, or it is another user's
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
