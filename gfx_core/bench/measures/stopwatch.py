"""How long some work takes, and how much memory."""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from gfx_core.limits import cores

T = TypeVar("T")


def clock(device: str | torch.device) -> float:
    """Seconds, once the device has done all it was told to."""
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def timed(work: Callable[[], T], device: str | torch.device = "cpu") -> tuple[float, T]:
    """Seconds that some work takes, the device's share included, and what comes of it."""
    started = clock(device)
    result = work()
    return clock(device) - started, result


@contextlib.contextmanager
def threads(count: int | None = None) -> Iterator[None]:
    """A process that computes cells has one thread; what is measured here may have one for each core, as on a page."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)


def median(work: Callable[[], object], repeats: int, device: str, warm_up: int = 1) -> float:
    """Seconds that some work takes in the middle of several times."""
    return float(np.median([timed(work, device)[0] for _ in range(warm_up + repeats)][warm_up:]))


def peak_memory(work: Callable[[], object], device: str) -> int | None:
    """The most bytes that some work needs beyond what is held already; None where that cannot be told.

    On the CPU it is the resident memory, whoever allocates it, as Linux counts it. The high-water mark is set back
    before the work, because building a large graph leaves a higher one.
    """
    if device != "cpu":
        held = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        work()
        return torch.cuda.max_memory_allocated() - held
    try:
        Path("/proc/self/clear_refs").write_text("5")
        before = _high_water()
        work()
        return _high_water() - before
    except OSError:
        work()
        return None


def _high_water() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    if found is None:
        raise OSError("this system does not tell a process its peak memory")
    return int(found[1]) * 1024
