"""How often somebody has tried something within the last minute."""

import threading
from collections import deque
from collections.abc import Callable

PERIOD_S = 60.0
_MANY = 1000  # names; then those are forgotten who have not tried for a while


class Attempts:
    """Counts attempts by name; several threads may use it at once.

    Args:
        now: Tells the time, in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def allow(self, name: str, most: int) -> bool:
        """Whether this attempt is one of so many a minute; one that is not allowed does not count."""
        now = self._now()
        with self._lock:
            if len(self._times) > _MANY:
                self._times = {who: times for who, times in self._times.items() if now - times[-1] < PERIOD_S}
            times = self._times.setdefault(name, deque())
            while times and now - times[0] >= PERIOD_S:
                times.popleft()
            if len(times) >= most:
                return False
            times.append(now)
            return True
