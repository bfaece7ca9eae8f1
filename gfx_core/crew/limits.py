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
        waiting: The most jobs in the queue.
        kept: The most answers that are kept.
        leisure_s: A worker without work gets ready for more after so long.
        idle_s: It ends after so long.
        grace_s: A cancelled job may end by itself for so long; then its process is killed.
    """

    places: Mapping[str, int] = field(default_factory=lambda: {"cpu": min(2, max(1, cores() - 1)), "cuda": 1})
    spare: int = 1
    threads: int | None = None
    nice: int = 5
    waiting: int = 100
    kept: int = 64
    leisure_s: float = 3.0
    idle_s: float = 600.0
    grace_s: float = 0.3

    def most(self, device: str) -> int:
        """The most workers on a device."""
        return self.places[device] + (self.spare if device == "cpu" else 0)

    @property
    def threads_each(self) -> int:
        return self.threads or max(1, (cores() - 1) // self.places.get("cpu", 1))
