"""The time that classes go by: nobody sets it while the server runs."""

import time
from collections.abc import Callable


class SteadyClock:
    """Seconds since 1970 as the computer had them when this was made, and from then on by a clock that only goes on.

    A computer's clock may jump, when it is set or hears from a time server: no class ends early or late by that, and
    nobody is taken for gone. Only a restart looks at it again, as what is kept of a class outlives the other clock.

    Args:
        wall: Tells the seconds since 1970.
        steady: Tells seconds that go on evenly.
    """

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._offset = wall() - steady()

    def __call__(self) -> float:
        return self._offset + self._steady()
