"""Pace: when the next frame is due. As many as an eye follows, no more than a line carries, one a second at least."""

import time
from collections.abc import Callable

FRAMES_A_SECOND = 8.0
BYTES_A_SECOND = 40_000.0
"""Of all lanes together."""
SLOWEST_S = 1.0
"""Who is killed loses no more than this, unless frames are so large that the line cannot carry them."""
SHARE = 0.07
"""Of the time that goes into frames, at most, as long as there is one a second."""


class Pace:
    """Says when frames are due.

    Args:
        clock: Tells the time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._next = clock, 0.0

    @property
    def due(self) -> bool:
        """Whether it is time for a frame."""
        return self._clock() >= self._next

    def sent(self, size: int, seconds: float = 0.0) -> None:
        """Frames of so many bytes together have just been sent, and it took so long to make them."""
        rest = min(SLOWEST_S - seconds, seconds / SHARE)
        self._next = self._clock() + max(1 / FRAMES_A_SECOND, size / BYTES_A_SECOND, rest)
