"""Limits: how much a crew may use, hold and let wait. All of them are here."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

LEAST_MEMORY = 4 * 2**30
"""What a worker may have on any computer: to train a GNN for the largest data set that may be brought takes 1.4 GB."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_memory() -> int:
    """The bytes of memory that this computer has, or that a container lets this process have; 0 if nobody knows."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a limit
        found = min(found, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return found


def memory_each() -> int:
    """The most bytes that a worker may have: a quarter of all, and never less than is needed.

    So one that goes wrong leaves room for the server and the other workers.
    """
    return max(LEAST_MEMORY, machine_memory() // 4)


@dataclass(frozen=True)
class Limits:
    """What is left as it is suits a server of pages.

    Attributes:
        places: How many jobs compute at a time, by device: on the CPU one or two, so that a core is left for the
            pages; on a GPU one.
        spare: So many more on the CPU for short jobs, so that nobody waits minutes for a second's work.
        threads: How many the numerical libraries of a worker may use; by default the cores are shared out, less one.
        memory: The most bytes that a worker on the CPU may have of its own, on systems that can hold it to that; a job
            that wants more fails. 0: as many as there are.
        nice: How far workers stand back for others: where cores are few, the server that sends the pages goes first.
        waiting: The most long jobs in the queue.
        waiting_short: The most short ones.
        each_long: The most long jobs that one visitor may have at a time, running and waiting together.
        each_short: The most short ones.
        overtakes: Where short jobs have no place of their own, a long one is overtaken so often, and then is next.
        short_s: A short job that takes longer than this is ended; None: it may take as long as it wants.
        long_s: So is a long one that takes longer than this while somebody else waits for its place.
        farewell_s: A live job whose time is up may finish what it does for so long.
        kept: The most answers that are kept.
        kept_s: For so long are they kept after somebody asked for them last.
        leisure_s: A worker without work gets ready for more after so long.
        idle_s: It ends after so long.
        grace_s: A cancelled job may end by itself for so long; then its process is killed.
    """

    places: Mapping[str, int] = field(default_factory=lambda: {"cpu": min(2, max(1, cores() - 1)), "cuda": 1})
    spare: int = 1
    threads: int | None = None
    memory: int = field(default_factory=memory_each)
    nice: int = 5
    waiting: int = 100
    waiting_short: int = 300
    each_long: int = 3
    each_short: int = 24
    overtakes: int = 8
    short_s: float | None = 120.0
    long_s: float | None = 1200.0
    farewell_s: float = 15.0
    kept: int = 64
    kept_s: float = 120.0
    leisure_s: float = 3.0
    idle_s: float = 600.0
    grace_s: float = 0.3

    def most(self, device: str) -> int:
        """The most workers on a device."""
        return self.places[device] + (self.spare if device == "cpu" else 0)

    @property
    def threads_each(self) -> int:
        return self.threads or max(1, (cores() - 1) // self.places.get("cpu", 1))
