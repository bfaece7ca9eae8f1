"""What happens to cells while they are computed, wherever that is."""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum

from gfx_core.bench.cells import Cell, Record

TRIES = 3
"""How often a cell is begun at most, where its worker dies."""

TICK_S = 1.0
"""Seconds after which one hears something even if nothing has happened."""


class Kind(StrEnum):
    """``BACK``: its worker died and it waits again; ``TICK``: time has passed."""

    STARTED = "started"
    BACK = "back"
    FINISHED = "finished"
    TICK = "tick"


@dataclass(frozen=True)
class Event:
    """Something happened to a cell; a finished one, well or not, has a record."""

    kind: Kind
    cell: Cell | None = None
    record: Record | None = None


Events = Generator[Event, None, None]
