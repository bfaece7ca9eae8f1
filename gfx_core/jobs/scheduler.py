"""The queue: the jobs that wait, whose turn it is, what may start now, and how long the others wait.

Short and long jobs have queues of their own. In each of them whoever has least going and was served longest ago is
next, so somebody with many jobs waits with all but one of them, and nobody else does.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, Request, Work
from gfx_core.limits import JobLimits

_MEMORY = 0.7  # how much of what was known stays when one more was measured


class Scheduler:
    """The jobs that wait. Only the pool uses it, and only under its lock; ``running`` are the jobs that do not wait.

    Args:
        limits: Of the pool.
    """

    def __init__(self, limits: JobLimits) -> None:
        self._limits = limits
        self.waiting: list[Work] = []
        self._served: dict[str, int] = {}  # by user: when they were last served, counted in jobs
        self._started = 0
        self._seconds = {True: 2.0, False: 60.0}  # what a short or long job takes, about

    # Who may wait

    def admit(self, request: Request[Any], short: bool, client: Client, running: Sequence[Work]) -> None:
        """Refuse, in a sentence, what the limits do not allow."""
        limits = self._limits
        if client != NO_CLIENT:
            theirs = [work for work in (*self.waiting, *running) if client.user in work.users]
            theirs = [work for work in theirs if not work.finished.is_set()]  # else its process is about to end
            most = limits.each_short if short else limits.each_long
            if sum(work.short == short for work in theirs) >= most:
                kind = "" if short else "long "
                raise UserError(
                    f"You already have {most} {kind}computations running or waiting, the most for one visitor: wait "
                    "for one of them, or cancel it."
                )
            if request.live and any(work.request.live for work in theirs):
                raise UserError("You already have a training running, perhaps in another tab: end it first.")
        most = limits.waiting_short if short else limits.waiting
        alike = [work for work in self.waiting if work.short == short]
        near = [work for work in alike if any(other.address == client.address for other in work.clients)]
        if len(alike) >= most or (client.address and 2 * len(near) >= most):
            raise UserError(f"{most} computations are already waiting: try again in a few minutes.")

    def make_long(self, work: Work, running: Sequence[Work]) -> None:
        """One that stood among the short jobs takes long: it is a long one, or refused where nobody may have another.

        Raises:
            UserError: It is one too many for each of those who wait for it.
        """
        refused = None
        for client in work.clients:
            try:
                self.admit(work.request, False, client, running)
                break
            except UserError as error:
                refused = error
        else:
            if refused is not None:
                raise refused
        work.short = False

    # Whose turn it is

    def order(self, device: str, running: Sequence[Work]) -> list[Work]:
        """The jobs that wait for a device in the order in which they should start, short ones first."""
        here = [work for work in self.waiting if work.device == device]
        return [work for short in (True, False) for work in self._in_turn(here, short, running)]

    def _in_turn(self, here: Sequence[Work], short: bool, running: Sequence[Work]) -> list[Work]:
        ahead: dict[str, int] = {}  # by user: how many of theirs go before
        for work in running:
            for user in work.users if work.short == short else ():
                ahead[user] = ahead.get(user, 0) + 1
        places = {}
        for work in sorted((work for work in here if work.short == short), key=attrgetter("position")):
            users = work.users
            places[work] = min(((ahead.get(user, 0), self._served.get(user, 0)) for user in users), default=(0, 0))
            for user in users:
                ahead[user] = ahead.get(user, 0) + 1
        return sorted(places, key=lambda work: (*places[work], work.position))

    def ready(self, device: str, running: Sequence[Work]) -> list[Work]:
        """Those that may start now.

        Long jobs never take the spare places, and short ones take those of long jobs only while no long one wants them.
        Without a spare place short ones overtake, but not for ever.
        """
        limits, here = self._limits, [work for work in running if work.device == device]
        order = self.order(device, here)
        short, long = ([work for work in order if work.short is kind] for kind in (True, False))
        room = max(0, limits.max_workers(device) - len(here))
        room_for_long = max(0, limits.workers[device] - sum(not work.short for work in here))
        if limits.max_workers(device) > limits.workers[device]:
            return (short[: max(0, room - min(room_for_long, len(long)))] + long[:room_for_long])[:room]
        if long and long[0].overtaken >= limits.overtakes:
            return (long[:room_for_long] + short)[:room]
        return (short + long[:room_for_long])[:room]

    def start(self, work: Work, running: Sequence[Work]) -> None:
        """Take one out: it starts."""
        if work.short:
            long = [other for other in self.order(work.device, running) if not other.short]
            for other in long[:1]:
                other.overtaken += 1
        self.waiting.remove(work)
        self._started += 1
        for user in work.users:
            self._served[user] = self._started
        known = {user for other in (*self.waiting, *running, work) for user in other.users}
        if len(self._served) > 10 * len(known) + 100:  # who has nothing going is as good as new
            self._served = {user: at for user, at in self._served.items() if user in known}

    # How long they wait

    def record(self, work: Work, seconds: float) -> None:
        """Learn what short or long jobs take."""
        self._seconds[work.short] = _MEMORY * self._seconds[work.short] + (1 - _MEMORY) * seconds

    def queue_position(self, work: Work, running: Sequence[Work]) -> tuple[int, float | None]:
        """The place of a job that waits, from 1, and how long it still does; None if it waits for a worker alone.

        The time is about right: as if all that goes before it took as long as others of the last while.
        """
        limits, order = self._limits, self.order(work.device, running)
        if work in self.ready(work.device, running):
            return 1 + order.index(work), None
        ahead = [other for other in order if other.short == work.short].index(work)
        places = limits.max_workers(work.device) if work.short else limits.workers[work.device]
        return 1 + order.index(work), self._seconds[work.short] * (1 + ahead // places)
