"""Waiting for what comes, however busy the computer is.

Only what never comes fails by it: no test asserts how long anything takes. Benchmarks measure times.
"""

import time
from collections.abc import Callable

PATIENCE_S = 300.0


def until(condition: Callable[[], object], between_s: float = 0.01) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE_S:g} s in vain"
        time.sleep(between_s)
