"""The queue: the jobs that wait, whose turn it is, and what may start now.

Short and long jobs have queues of their own. In each of them users take turns: one with many jobs waits with all but
one of them, and others do not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, JobState, Work
from gfx_core.limits import WORKER_MEMORY
from gfx_core.parallel import cores


@dataclass(frozen=True)
class JobLimits:
    """How much a pool of workers may use, hold and let wait; the defaults suit a server of pages.

    Attributes:
        workers: How many long jobs compute at a time, by device: on the CPU one or two, so that a core is left for the
            pages; on a GPU one.
        spare: So many more for short jobs, so that a second's work does not wait for minutes.
        memory: The most bytes that a worker on the CPU may have of its own, on systems that can hold it to that; a job
            that wants more fails.
        nice: How far workers stand back for others: where cores are few, the server that sends the pages goes first.
        waiting: The most jobs in the queue.
        user: The most jobs that one visitor may have at a time, running and waiting together.
        short_s: A short job that takes longer than this is ended.
        long_s: So is a long one that takes longer than this while another visitor waits for its place.
        stop_s: A live job whose time is up may finish what it does for so long.
        answers: The most answers that are kept.
        idle_s: A worker without work ends after so long.
        grace_s: A cancelled job may end by itself for so long; then its process is killed.
    """

    workers: Mapping[str, int] = field(default_factory=lambda: {"cpu": min(2, max(1, cores() - 1)), "cuda": 1})
    spare: int = 1
    memory: int = WORKER_MEMORY
    nice: int = 5
    waiting: int = 300
    user: int = 24
    short_s: float = 120.0
    long_s: float = 1200.0
    stop_s: float = 15.0
    answers: int = 64
    idle_s: float = 600.0
    grace_s: float = 0.3

    def max_workers(self, device: str) -> int:
        """The most workers on a device."""
        return self.workers[device] + self.spare


class Scheduler:
    """The jobs that wait and that run. Only the pool uses it, under its lock.

    Args:
        limits: Of the pool.
    """

    def __init__(self, limits: JobLimits) -> None:
        self._limits = limits
        self.waiting: list[Work] = []
        self.running: list[Work] = []
        self._round = {False: 0, True: 0}  # of short and of long jobs: that of the one that started last

    @property
    def unfinished(self) -> list[Work]:
        """All jobs but those whose process is about to end."""
        return [work for work in (*self.waiting, *self.running) if not work.answer.done()]

    def admit(self, client: Client) -> None:
        """Refuse, in a sentence, what the limits do not allow."""
        most, waiting = self._limits.user, self._limits.waiting
        if client != NO_CLIENT and sum(client.user in work.users for work in self.unfinished) >= most:
            raise UserError(
                f"You already have {most} computations running or waiting, the most for one visitor: wait for one of "
                "them, or cancel it."
            )
        addresses = [{other.address for other in work.clients} for work in self.waiting]
        near = sum(client.address in several for several in addresses) if client.address else 0
        if len(addresses) >= waiting or 2 * near >= waiting:
            raise UserError(f"{waiting} computations are already waiting: try again in a few minutes.")

    def add(self, work: Work) -> None:
        """Let a job wait, in the round of its first client."""
        work.state = JobState.QUEUED
        work.round = self.next_round(work.clients[0].user, work.long)
        self.waiting.append(work)

    def next_round(self, user: str, long: bool) -> int:
        """The first round in which a user has no job of a kind."""
        going = (work for work in (*self.waiting, *self.running) if work.long == long and user in work.users)
        return max([self._round[long], *(work.round + 1 for work in going)])

    def queue(self, device: str, long: bool) -> list[Work]:
        """The short or long jobs that wait for a device in the order in which they start."""
        alike = (work for work in self.waiting if work.device == device and work.long == long)
        return sorted(alike, key=attrgetter("round"))

    def ready(self, device: str) -> list[Work]:
        """Those that may start now.

        Long jobs never take the spare places, and short ones take those of long jobs only while no long one wants them.
        """
        running = [work for work in self.running if work.device == device]
        free = self._limits.max_workers(device) - len(running)
        long = self.queue(device, long=True)[: self._limits.workers[device] - sum(work.long for work in running)]
        return (self.queue(device, long=False)[: max(0, free - len(long))] + long)[:free]

    def start(self, work: Work) -> None:
        """Take one out of the queue."""
        self.waiting.remove(work)
        self.running.append(work)
        self._round[work.long] = work.round
        work.state = JobState.RUNNING

    def position(self, work: Work) -> int:
        """The place of a job among those of its kind, from 1; 0 where it does not wait."""
        return 1 + self.queue(work.device, work.long).index(work) if work in self.waiting else 0
