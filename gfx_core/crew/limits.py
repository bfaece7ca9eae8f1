"""Limits: how much a crew may use, hold and let wait. All of them are here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Limits:
    """What is left as it is suits a server of pages.

    Attributes:
        places: How many jobs compute at a time, by device: on the CPU one or two, so that a core is left for the
            pages; on a GPU one.
        spare: So many more on the CPU for short jobs, so that nobody waits minutes for a second's work.
        threads: How many the numerical libraries of a worker may use; by default the cores are shared out, less one.
        nice: How far workers stand back for others: where cores are few, the server that sends the pages goes first.
        waiting: The most long jobs in the queue.
        waiting_short: The most short ones.
        each_long: The most long jobs that one visitor may have in the queue.
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
