"""Many computations that know nothing of each other: here, in several processes or on a dask cluster.

Each finished one can be kept in a JSON file of its own, until all are there. So a run that was stopped, however it was,
goes on where it was when it is started again.
"""

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import current_process
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.files import replacing, why_unwritten

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

CONNECT_S = 10
"""How long a dask scheduler, and its first worker, are waited for."""

_alone = threading.Lock()


@dataclass(frozen=True)
class Workers:
    """Where to compute.

    Attributes:
        workers: Processes on this machine; 1: this one, without joblib.
        dask: The address of a dask scheduler, to compute on its workers instead.
    """

    workers: int = 1
    dask: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.workers, int) or self.workers < 1:
            raise UserError(f"workers must be a whole number, at least 1 (got {self.workers}).")

    @property
    def elsewhere(self) -> bool:
        """Whether other processes compute."""
        return self.workers > 1 or self.dask is not None


def computed(
    compute: Callable[[S, T], R], shared: S, tasks: Sequence[T], where: Workers
) -> Generator[tuple[T, R | None], None, None]:
    """Tasks with what became of them, as they come. Closing the generator kills the processes.

    A worker that dies takes along nothing but the tasks that were handed out: each of these is tried by itself, and
    nothing comes of one that dies twice so.

    Args:
        compute: What is to be done with each task; no other thread of its process computes one meanwhile.
        shared: What all of them need; it goes to each process once.
        tasks: The tasks, in their order.
        where: Where to compute.
    """
    if not where.elsewhere:
        yield from ((task, compute(shared, task)) for task in tasks)
        return
    from joblib import Parallel, delayed

    waiting, begun, packed = deque(enumerate(tasks)), dict[int, T](), _packed(shared)

    def calls() -> Iterator[Any]:
        while waiting:
            number, task = waiting.popleft()
            begun[number] = task
            yield delayed(_computed)(compute, packed, number, task)

    with _backend(where) as died:
        parallel = partial(Parallel, batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")
        while waiting:
            try:
                for number, result in parallel()(calls()):
                    yield begun.pop(number), result
            except died:
                if where.dask is None:  # else the first of them may be given to what is left of the broken pool
                    _end_processes()
                for number, task in begun.items():
                    result = None
                    for _ in range(2):  # it may not have been begun when another one died
                        with suppress(died):
                            ((_, result),) = parallel()([delayed(_computed)(compute, packed, number, task)])
                            break
                    yield task, result
                begun.clear()


def _computed(compute: Callable[[Any, T], R], packed: NDArray[np.uint8], number: int, task: T) -> tuple[int, R]:
    """One task. Seeds and thread counts belong to the process, which a dask worker may give to several threads."""
    with _alone:
        return number, compute(_unpacked(packed), task)


_DIGEST = 32  # bytes
_received: dict[bytes, Any] = {}  # what this process was sent last, by its digest


def _packed(shared: Any) -> NDArray[np.uint8]:
    """Something as joblib would send it, behind its digest: of one large array each process is sent one copy."""
    from cloudpickle import dumps

    content = dumps(shared)
    return np.frombuffer(hashlib.sha256(content).digest() + content, dtype=np.uint8)


def _unpacked(packed: NDArray[np.uint8]) -> Any:
    from cloudpickle import loads

    digest = packed[:_DIGEST].tobytes()
    if digest not in _received:
        _received.clear()
        _received[digest] = loads(packed[_DIGEST:].tobytes())
    return _received[digest]


@contextmanager
def _backend(where: Workers) -> Iterator[type[BaseException]]:
    """Where joblib computes; the error by which it tells that a worker has died."""
    from joblib import parallel_config

    if where.dask is None:
        from joblib.externals.loky.process_executor import BrokenProcessPool

        try:
            with parallel_config("loky", n_jobs=where.workers):
                yield BrokenProcessPool
        finally:
            _end_processes()  # which joblib would keep, with all that they hold
        return
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise UserError('dask is not installed, which a cluster needs: pip install "dask[distributed]".') from error
    try:
        client = Client(where.dask, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(
            f"There is no dask scheduler at {where.dask}: start one with “dask scheduler”, and workers on each "
            "machine with “dask worker ADDRESS --nworkers auto --nthreads 1”."
        ) from error
    try:
        with client, parallel_config("dask", n_jobs=-1, client=client, wait_for_workers_timeout=CONNECT_S):
            yield KilledWorker
    except (OSError, CancelledError) as error:
        sentence = "The dask scheduler is gone. Results that were written are kept: start it again, then this command."
        raise UserError(sentence) from error


def _end_processes() -> None:
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def device_here(choice: str) -> str:
    """Where a worker computes, chosen where it is: of several GPUs each process of this machine has its own."""
    device = choose_device(choice)
    number = current_process().name.rpartition("LokyProcess-")[2]
    if device == "cuda" and number.isdecimal():
        import torch

        torch.cuda.set_device(int(number) % torch.cuda.device_count())
    return device


# What is finished


def finished(folder: Path) -> list[Any]:
    """What a run that was stopped has left; a file that is damaged does not count."""
    found = []
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError):
            found.append(json.loads(path.read_text(encoding="utf-8")))
    return found


def keep(path: Path, record: Any) -> None:
    """Write what is finished: plain JSON."""
    try:
        with replacing(path) as part:
            part.write_text(json.dumps(record, ensure_ascii=False, allow_nan=False), encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"Results cannot be kept in {path.parent}: {why_unwritten(error)}. Choose another place (out) and start "
            "again: what was already written there counts."
        ) from error
