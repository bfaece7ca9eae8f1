"""What is kept in the data folder; where that cannot be written, in the memory of this computer.

Memory is a folder too, of a file system that has no disk where there is one: so all workers of a server find what one
of them has kept, also when that one is gone. It ends with the server.
"""

import logging
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from secrets import token_hex

from gfx_core.config import data_root
from gfx_core.files import PART, UnwrittenError, digest_of, why_unwritten
from gfx_core.temporary import make_folder

_log = logging.getLogger(__name__)

_MEMORY = "GFX_MEMORY"  # environment: the folder that is memory, for this process and those that it starts
_WITHOUT_DISK = Path("/dev/shm")
_PREFIX = "gfx-memory-"
_STALE_S = 3600.0  # a file that was not finished in so long never will be
_PROBED_S = 60.0
_FALLEN_BACK = (
    "Some of what was made here could not be written to the disk, so it is kept in memory until the server ends. "
    "Download what you want to keep."
)
KEPT_IN_MEMORY = 16
"""Files of a kind in memory; the oldest go first."""


def memory_root() -> Path | None:
    """The folder that is memory; made when it is first asked for, and removed when this process ends.

    Whoever starts processes that are to share it asks before.
    """
    if found := os.environ.get(_MEMORY):
        return Path(found)
    for base in (_WITHOUT_DISK, Path(tempfile.gettempdir())):
        try:
            made = make_folder(_PREFIX, base)
        except OSError:
            continue
        os.environ[_MEMORY] = str(made)
        return made
    return None


def keep(path: Path, write: Callable[[Path], None]) -> Path | None:
    """Have a file of the data folder written, there or in memory; where it is, ``None`` if it could not be kept at all.

    Args:
        path: Where it belongs.
        write: Writes it to a path, whole or not at all; raises ``UnwrittenError`` or ``OSError`` if it cannot.
    """
    for place in filter(None, (path, _in_memory(path))):
        try:
            write(place)
        except (OSError, UnwrittenError) as error:
            _log.warning("%s", error)
            continue
        return place
    return None


def find(path: Path) -> Path | None:
    """Where a file of the data folder is; ``None`` where it is not."""
    places = [place for place in (path, _in_memory(path)) if place is not None and place.is_file()]
    return max(places, key=lambda place: place.stat().st_mtime, default=None)


def drop(path: Path) -> None:
    """Remove a file of the data folder, wherever it is."""
    for place in filter(None, (path, _in_memory(path))):
        with suppress(OSError):
            place.unlink(missing_ok=True)


def kept_files(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder of the data folder, wherever they are, the newest first."""
    found = [path for place in _places(folder) for path in place.glob(pattern)]
    return sorted(found, key=_modified, reverse=True)


def forget_old(folder: Path, pattern: str, kept: int) -> None:
    """Keep so many files of a folder, fewer in memory, the newest; and no remains of any that were not finished."""
    for place in _places(folder):
        files = sorted(place.glob(pattern), key=_modified, reverse=True)
        stale = [path for path in place.glob(f"*{PART}") if time.time() - _modified(path) > _STALE_S]
        for path in (*files[kept if place == folder else KEPT_IN_MEMORY :], *stale):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def problem() -> str:
    """Why what is computed is not kept on disk, a sentence; empty where it is. It is tried once a minute.

    A disk may have room for what is tried and none for something larger: what was kept in memory meanwhile is told.
    """
    return _problem(data_root(), int(time.monotonic() // _PROBED_S)) or (_FALLEN_BACK if _holds_some() else "")


def _holds_some() -> bool:
    """Whether a file of the data folder is in memory, whichever process has put it there."""
    folder = _in_memory(data_root())
    return folder is not None and any(
        Path(place, name).suffix != PART for place, _, names in os.walk(folder) for name in names
    )


@lru_cache(maxsize=1)
def _problem(root: Path, minute: int) -> str:
    probe = root / f"{token_hex(8)}{PART}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(bytes(2**16))
    except OSError as error:
        return f"What is computed here is kept in memory only, until the server ends: {why_unwritten(error)}."
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
    return ""


def _in_memory(path: Path) -> Path | None:
    """Where a file of the data folder is in memory."""
    memory, data = memory_root(), data_root()
    if memory is None or not path.is_relative_to(data):
        return None
    return memory / digest_of(str(data.absolute()).encode()) / path.relative_to(data)


def _places(folder: Path) -> list[Path]:
    return [place for place in (folder, _in_memory(folder)) if place is not None]


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it meanwhile
        return 0.0
