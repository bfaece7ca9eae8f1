"""Coroutines in tests, also in a process whose thread has an event loop already, as a browser's has."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_alone(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end, in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
