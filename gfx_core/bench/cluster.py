"""Cells on a dask cluster: on any number of machines, each of which can import this package."""

import contextlib
import threading
import uuid
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from gfx_core.bench.cells import Cell, Record, failure, one_sentence
from gfx_core.bench.computing import TRIES, Records, work
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S, RESULT_S, TICK_S = 10.0, 30.0, 1.0

_alone = threading.Lock()


def work_alone(cell: Cell) -> Record:
    """Compute a cell while no other thread of this process does: seeds and thread counts belong to the process."""
    with _alone:
        return work(cell)


def run_on_cluster(cells: Sequence[Cell], address: str) -> Records:
    """Compute cells on the workers of a cluster, begun in the given order. Workers may come and go.

    Left to itself, dask lets cells wait at busy workers, and a death is held against all that wait there
    (``allowed-failures``). So a cell is bound to one free worker. If that worker is gone, whether or not the scheduler
    has given the cell up, it is given to another, as often as in a pool.

    Args:
        cells: What to compute.
        address: Of the scheduler, e.g. ``tcp://10.0.0.1:8786``.
    """
    try:
        import distributed
    except ImportError as error:
        raise UserError('--dask needs dask, which is not installed: pip install "dask[distributed]".') from error
    waiting, tries, ended = deque(cells), Counter[str](), threading.Event()
    busy: dict[str, tuple[Cell, Future]] = {}  # by the worker's address; dask forgets what nobody holds
    with _connect(distributed, address) as client:
        try:
            while waiting or busy:
                workers = client.nthreads()
                for worker in workers:
                    if waiting and worker not in busy:
                        cell = waiting.popleft()
                        key = f"{cell.key}-{uuid.uuid4().hex}"  # never seen before, so nothing old is returned
                        future = client.submit(work_alone, cell, key=key, pure=False, workers=[worker])
                        future.add_done_callback(lambda _: ended.set())
                        busy[worker] = (cell, future)
                ended.wait(TICK_S)  # not for long: workers come and go without a word
                ended.clear()
                for worker, (cell, future) in list(busy.items()):
                    died = worker not in workers or isinstance(_error(future), distributed.KilledWorker)
                    record = None if died else _record(cell, future)
                    if died:
                        client.cancel([future], force=True)
                        tries[cell.key] += 1
                        if tries[cell.key] == TRIES:
                            record = failure(cell, f"Its worker died {TRIES} times (out of memory?).")
                        else:
                            waiting.append(cell)
                    if died or record is not None:
                        del busy[worker]
                    if record is not None:
                        yield record
        except (OSError, RuntimeError, CancelledError) as error:
            sentence = "The dask scheduler is gone. Finished cells are kept: start it and run the same command again."
            raise UserError(sentence) from error
        finally:
            with contextlib.suppress(Exception):  # a cluster that is gone needs no cancelling
                client.cancel([future for _, future in busy.values()], force=True)


def _error(future: "Future") -> BaseException | None:
    return future.exception() if future.status == "error" else None


def _record(cell: Cell, future: "Future") -> Record | None:
    """None if it is not there, or out of reach: its worker has died with it, or is slow to answer."""
    try:
        return future.result(timeout=RESULT_S) if future.done() else None
    except TimeoutError:
        return None
    except CancelledError:
        raise
    except Exception as error:  # the worker could not even begin, e.g. it lacks this package
        return failure(cell, one_sentence(error))


def _connect(distributed: Any, address: str) -> "Client":
    try:
        return distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(
            f"There is no dask scheduler at {address}: start one with “dask scheduler”, and workers on each machine "
            "with “dask worker ADDRESS --nworkers auto --nthreads 1”."
        ) from error
