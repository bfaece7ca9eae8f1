"""Pools whose workers start fast: they prepare nothing."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits

Start = Callable[..., WorkerPool]


@pytest.fixture(scope="module")
def shared_pool() -> Iterator[WorkerPool]:
    """For tests that leave its worker as it was."""
    with WorkerPool(JobLimits({"cpu": 1, "cuda": 1})) as made:
        yield made


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts pools with one worker and some limits, and ends them."""
    with ExitStack() as stack:

        def started(limits: dict[str, Any] | None = None, **settings: Any) -> WorkerPool:
            made = WorkerPool(JobLimits({"cpu": 1, "cuda": 1}, **(limits or {})), **settings)
            return stack.enter_context(made)

        yield started


@pytest.fixture
def pool(start: Start) -> WorkerPool:
    return start()
