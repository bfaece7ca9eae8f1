"""What a request is answered with: its device, its progress, and whether it was cancelled.

A live one also emits events and receives commands while it is answered.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

_PAUSE_S = 0.05  # between two reports that are passed on


class StoppedError(Exception):
    """The job was cancelled: raised out of :meth:`JobContext.report` so that it ends at its next report."""


class TakesLongError(Exception):
    """A job that stands among the short ones takes long: it is put back, among the long ones."""


@contextmanager
def progress_bar(shown: bool | None = None) -> Iterator[Callable[[float, str], None]]:
    """A bar in a terminal or a notebook, as a function of the share that is done and a few words.

    Args:
        shown: Whether it is; by default in a terminal or a notebook.
    """
    from tqdm.auto import tqdm

    form = "{desc}{percentage:3.0f} % |{bar}| {remaining}"
    with tqdm(total=100, disable=None if shown is None else shown is not True, leave=False, bar_format=form) as bar:

        def tell(share: float, words: str) -> None:
            bar.set_description(words, refresh=False)
            bar.update(round(100 * share) - bar.n)

        yield tell


@dataclass
class JobContext:
    """A job on the side where it is computed.

    Attributes:
        device: Where to compute, ``cpu`` or ``cuda``; ``auto`` where that is still to be chosen.
        progress: Passes a share and words on.
        cancelled: Whether the job was cancelled. One that never checks is ended all the same.
        emit: Passes an event on, a JSON object: events arrive in order, also if this process dies.
        commands: What was sent to this job since the last call, JSON objects in order.
        watch: Receives the trainer of a policy that is trained for the job, before its first epoch and after each.
        short: Whether it stands among the short jobs.
    """

    device: str = "cpu"
    progress: Callable[[float, str], None] = lambda _share, _words: None
    cancelled: Callable[[], bool] = lambda: False
    emit: Callable[[dict[str, Any]], None] = lambda _event: None
    commands: Callable[[], list[dict[str, Any]]] = list
    watch: Callable[[Any], None] = lambda _trainer: None
    short: bool = False
    _last: tuple[float, str] = 0.0, ""  # when something was passed on, and its words

    def report(self, share: float, words: str = "") -> None:
        """Report which share (0 to 1) is done and, in a few words, what is being done; cheap to call often."""
        if self.cancelled():
            raise StoppedError
        now, (before, last_words) = time.monotonic(), self._last
        if now - before >= _PAUSE_S or words != last_words:
            self._last = now, words
            self.progress(min(1.0, max(0.0, float(share))), words)

    def take_long(self) -> None:
        """Declare, before much is computed, that this takes longer than a second or two: a short job begins anew later.

        Whether something must be trained first is often known only once the data and the policy are loaded.
        """
        if self.short:
            raise TakesLongError


class Deadline:
    """When an explanation is to be there.

    Args:
        seconds: From now on; ``None`` for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = inf if seconds is None else seconds
        self._end = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds, below 0 when they are over."""
        return self._end - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether none are left."""
        return self.left <= 0

    @property
    def spent(self) -> float:
        """The share of the time that is over; 0 where there is no limit."""
        return 0.0 if self.seconds == inf else 1 - self.left / self.seconds
