"""Many computations that do not depend on each other: in this process, in several, or on a dask cluster."""

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any, TypeVar

from gfx_core.errors import UserError

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

CONNECT_S = 10
"""How long a dask scheduler, and its first worker, are waited for."""

_lock = threading.Lock()


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Workers:
    """Where to compute.

    Attributes:
        workers: Processes on this machine; 1: this one.
        dask: The address of a dask scheduler, to compute on its workers instead.
    """

    workers: int = 1
    dask: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.workers, int) or self.workers < 1:
            raise UserError(f"workers must be a whole number, at least 1 (got {self.workers}).")


def computed(
    compute: Callable[[S, T], R], shared: S, tasks: Sequence[T], where: Workers
) -> Generator[tuple[T, R | None], None, None]:
    """Tasks with their results, as they come. Closing the generator kills the processes.

    A worker that dies takes along nothing but the tasks that were handed out. Each of these is computed again while no
    other is, and has no result if its worker then dies twice: before, it may have died of another's fault.

    Args:
        compute: Computes a task; no other thread of its process computes one meanwhile.
        shared: What all of them need; each process unpacks it once.
        tasks: The tasks, in their order.
        where: Where to compute.
    """
    if where.workers == 1 and where.dask is None:
        yield from ((task, compute(shared, task)) for task in tasks)
        return
    from cloudpickle import dumps

    waiting, running, lost = iter(tasks), dict[Future[R], T](), list[T]()
    with _pool(where, dumps((compute, shared))) as (submit, width, died):
        while True:
            for task in islice(waiting, width - len(running)):
                try:
                    running[submit(task)] = task
                except died:  # the pool has just broken: the next task gets a new one
                    lost.append(task)
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                try:
                    yield task, future.result()
                except died:
                    lost.append(task)
        for task in lost:
            result = None
            for _ in range(2):
                with suppress(died):
                    result = submit(task).result()
                    break
            yield task, result


@lru_cache(maxsize=1)
def _unpacked(work: bytes) -> Any:
    from cloudpickle import loads

    return loads(work)


def _compute(work: bytes, task: Any) -> Any:
    """One task. Seeds and thread counts belong to the process, which a dask worker may give to several threads."""
    with _lock:
        compute, shared = _unpacked(work)
        return compute(shared, task)


@contextmanager
def _pool(where: Workers, work: bytes) -> Iterator[tuple[Callable[[Any], Future[Any]], int, type[Exception]]]:
    """A function that hands out a task, how many may be handed out at a time, and the error of a dead worker."""
    if where.dask is None:
        from joblib.externals.loky import BrokenProcessPool, get_reusable_executor

        threads = os.environ.get("OMP_NUM_THREADS", str(max(1, cores() // where.workers)))
        pool = partial(get_reusable_executor, where.workers, env={"OMP_NUM_THREADS": threads})  # a new one if it broke
        try:
            yield lambda task: pool().submit(_compute, work, task), where.workers, BrokenProcessPool
        finally:
            pool().shutdown(kill_workers=True)
        return
    try:
        from distributed import Client, KilledWorker

        with Client(where.dask, timeout=CONNECT_S, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=CONNECT_S)
            copy = client.submit(bytes, work, pure=False)  # not scattered: it is made again if its worker dies
            submit = partial(client.get_executor(pure=False).submit, _compute, copy)
            yield submit, 2 * sum(client.nthreads().values()), KilledWorker
    except UserError:  # of a task
        raise
    except (ImportError, OSError, ValueError, CancelledError) as error:
        reason = str(error) or type(error).__name__
        raise UserError(
            f"There is no dask scheduler with workers at {where.dask} ({reason}). Start one with “dask scheduler”, and "
            "on each machine “dask worker ADDRESS --nworkers auto --nthreads 1”, then this again: results that were "
            "written are kept."
        ) from error
