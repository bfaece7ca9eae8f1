"""A server whose workers start fast: they prepare nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gfx_core.jobs.job import Job
from gfx_core.jobs.server import JobServer

WORK = "tests.jobs.work_for_tests"

Submit = Callable[..., Job]


@pytest.fixture
def server() -> Iterator[JobServer]:
    made = JobServer(limits={"cpu": 1, "cuda": 1}, prepare="", kept=3)
    yield made
    made.close()


@pytest.fixture
def submit(server: JobServer) -> Submit:
    """Submit one of the tests' own functions."""

    def do(function: str, *, key: str | None = None, device: str = "cpu", short: bool = False, **arguments: Any) -> Job:
        return server.submit(f"{WORK}:{function}", arguments, device=device, key=key, short=short)

    return do
