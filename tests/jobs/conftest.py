"""A pool whose workers start fast: they prepare nothing."""

from collections.abc import Iterator

import pytest

from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from tests.patience import PATIENCE_S

MODULES = ("tests.",)


@pytest.fixture
def patient_pool() -> Iterator[WorkerPool]:
    """It never kills a worker that does not look up at once, as one may beside other work."""
    with WorkerPool(JobLimits({"cpu": 1}, grace_s=PATIENCE_S), modules=MODULES) as made:
        yield made


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(JobLimits({"cpu": 1, "cuda": 1}, cached=3), modules=MODULES) as made:
        yield made
