"""The queue: the jobs that wait, whose turn it is, what may start now, and how long the others wait.

Short and long jobs have queues of their own. In each of them the user who has least going and was served longest ago is
next: one with many jobs waits with all but one of them, and others do not.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from gfx_core import limits
from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, Request, Work
from gfx_core.parallel import cores

_MEMORY = 0.7  # the weight of earlier seconds when one more job was measured
_USERS = 1000  # that are remembered


def machine_memory() -> int:
    """The bytes of memory of this computer, or that a container lets this process have; 0 where none can be read."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a limit
        size = min(size, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return size


def memory_each() -> int:
    """The most bytes that a worker may have: a quarter of all, and never less than is needed.

    So one that goes wrong leaves room for the server and the other workers.
    """
    return max(limits.LEAST_MEMORY, machine_memory() // 4)


@dataclass(frozen=True)
class JobLimits:
    """How much a pool of workers may use, hold and let wait; what is left as it is suits a server of pages.

    Attributes:
        workers: How many long jobs compute at a time, by device: on the CPU one or two, so that a core is left for the
            pages; on a GPU one.
        spare: So many more for short jobs, so that a second's work does not wait for minutes.
        threads: How many the numerical libraries of a worker may use; by default the cores are shared out, less one.
        memory: The most bytes that a worker on the CPU may have of its own, on systems that can hold it to that; a job
            that wants more fails. 0: as many as there are.
        nice: How far workers stand back for others: where cores are few, the server that sends the pages goes first.
        waiting: The most long jobs in the queue.
        waiting_short: The most short ones.
        each_long: The most long jobs that one visitor may have at a time, running and waiting together.
        each_short: The most short ones.
        short_s: A short job that takes longer than this is ended; None: it may take as long as it wants.
        long_s: So is a long one that takes longer than this while another visitor waits for its place.
        stop_s: A live job whose time is up may finish what it does for so long.
        cached: The most answers that are kept.
        cached_s: For so long are they kept after the last request for them.
        warmup_s: A worker without work gets ready for more after so long.
        idle_s: It ends after so long.
        grace_s: A cancelled job may end by itself for so long; then its process is killed.
    """

    workers: Mapping[str, int] = field(default_factory=lambda: {"cpu": min(2, max(1, cores() - 1)), "cuda": 1})
    spare: int = 1
    threads: int | None = None
    memory: int = field(default_factory=memory_each)
    nice: int = 5
    waiting: int = 100
    waiting_short: int = 300
    each_long: int = 3
    each_short: int = 24
    short_s: float | None = 120.0
    long_s: float | None = 1200.0
    stop_s: float = 15.0
    cached: int = 64
    cached_s: float = 120.0
    warmup_s: float = 3.0
    idle_s: float = 600.0
    grace_s: float = 0.3

    def max_workers(self, device: str) -> int:
        """The most workers on a device."""
        return self.workers[device] + self.spare

    @property
    def threads_each(self) -> int:
        return self.threads or max(1, (cores() - 1) // self.workers.get("cpu", 1))


class Scheduler:
    """The jobs that wait. Only the pool uses it, and only under its lock; ``running`` are the jobs that do not wait.

    Args:
        limits: Of the pool.
    """

    def __init__(self, limits: JobLimits) -> None:
        self._limits = limits
        self.waiting: list[Work] = []
        self._served: dict[str, int] = {}  # by user, the latest last: the position of the last job that started
        self._seconds = {True: 2.0, False: 60.0}  # of a short or long job, about

    def admit(self, request: Request[Any], short: bool, client: Client, running: Sequence[Work]) -> None:
        """Refuse, in a sentence, what the limits do not allow."""
        limits = self._limits
        if client != NO_CLIENT:
            going = [work for work in (*self.waiting, *running) if client.user in work.users]
            going = [work for work in going if not work.finished.is_set()]  # else its process is about to end
            most = limits.each_short if short else limits.each_long
            if sum(work.short == short for work in going) >= most:
                kind = "" if short else "long "
                raise UserError(
                    f"You already have {most} {kind}computations running or waiting, the most for one visitor: wait "
                    "for one of them, or cancel it."
                )
            if request.live and any(work.request.live for work in going):
                raise UserError("You already have a training running, perhaps in another tab: end it first.")
        most = limits.waiting_short if short else limits.waiting
        alike = [work for work in self.waiting if work.short == short]
        near = [work for work in alike if any(other.address == client.address for other in work.clients)]
        if len(alike) >= most or (client.address and 2 * len(near) >= most):
            raise UserError(f"{most} computations are already waiting: try again in a few minutes.")

    def make_long(self, work: Work, running: Sequence[Work]) -> None:
        """One that stood among the short jobs takes long: it is a long one from now on.

        Raises:
            UserError: It is one too many for its first client.
        """
        self.admit(work.request, False, work.clients[0], running)
        work.short = False

    def queue(self, device: str, short: bool, running: Sequence[Work]) -> list[Work]:
        """The short or long jobs that wait for a device in the order in which they should start."""
        ahead = Counter(user for work in running if work.short == short for user in work.users)
        rank = {}
        waiting = (work for work in self.waiting if work.device == device and work.short == short)
        for work in sorted(waiting, key=attrgetter("position")):
            turns = min(((ahead[user], self._served.get(user, 0)) for user in work.users), default=(0, 0))
            rank[work] = (*turns, work.position)
            ahead.update(work.users)
        return sorted(rank, key=rank.__getitem__)

    def ready(self, device: str, running: Sequence[Work]) -> list[Work]:
        """Those that may start now.

        Long jobs never take the spare places, and short ones take those of long jobs only while no long one wants them.
        """
        limits = self._limits
        here = [work for work in running if work.device == device]
        short, long = (self.queue(device, kind, here) for kind in (True, False))
        room = max(0, limits.max_workers(device) - len(here))
        long = long[: max(0, limits.workers[device] - sum(not work.short for work in here))]
        return (short[: max(0, room - len(long))] + long)[:room]

    def start(self, work: Work) -> None:
        """Take one out: it starts."""
        self.waiting.remove(work)
        for user in work.users:
            self._served.pop(user, None)
            self._served[user] = 1 + max(self._served.values(), default=0)
        for user in list(self._served)[:-_USERS]:
            del self._served[user]

    def record(self, work: Work, seconds: float) -> None:
        """Learn how long short or long jobs take."""
        self._seconds[work.short] = _MEMORY * self._seconds[work.short] + (1 - _MEMORY) * seconds

    def queue_position(self, work: Work, running: Sequence[Work]) -> tuple[int, float | None]:
        """The place of a job among those of its kind, from 1, and how long it waits; None if for a worker alone.

        The time is about right: as if all that goes before it took as long as others of the last while.
        """
        limits, queue = self._limits, self.queue(work.device, work.short, running)
        place = 1 + queue.index(work)
        if work in self.ready(work.device, running):
            return place, None
        rows = limits.max_workers(work.device) if work.short else limits.workers[work.device]
        return place, self._seconds[work.short] * (1 + (place - 1) // rows)
