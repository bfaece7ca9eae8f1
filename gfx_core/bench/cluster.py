"""Cells on a dask cluster: on any number of machines, each of which can import this package."""

import contextlib
import queue
import threading
import uuid
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from gfx_core.bench.cells import Cell, Record, failure, one_sentence
from gfx_core.bench.computing import work
from gfx_core.bench.events import TICK_S, TRIES, Event, Events, Kind
from gfx_core.errors import UserError

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S, RESULT_S = 10.0, 30.0
_GONE = "The dask scheduler is gone. Finished cells are kept: start it and run the same command again."

_alone = threading.Lock()


def work_alone(cell: Cell) -> Record:
    """Compute a cell while no other thread of this process does: seeds and thread counts belong to the process."""
    with _alone:
        return work(cell)


def run_on_cluster(cells: Iterable[Cell], address: str) -> Events:
    """Compute cells on the workers of a cluster, in the given order, and tell what happens.

    Args:
        cells: What to compute.
        address: Of the scheduler, e.g. ``tcp://10.0.0.1:8786``.
    """
    with _connect(_dask(), address) as client:
        yield from _Run(client, cells).events()


class _Run:
    """The cells of one run, each at a worker that has no other.

    Left to itself, dask lets cells wait at busy workers, and a death is held against all that wait there
    (``allowed-failures``). So a cell is bound to one free worker. If that worker is gone, whether or not the scheduler
    has given the cell up, it is given to another, as often as in a pool. Workers may come and go.
    """

    def __init__(self, client: "Client", cells: Iterable[Cell]) -> None:
        self.client, self.waiting = client, deque(cells)
        self.tries = Counter[str]()
        self.busy: dict[str, tuple[Cell, Future]] = {}  # by the worker's address; dask forgets what nobody holds
        self.done: queue.SimpleQueue[tuple[str, Future]] = queue.SimpleQueue()

    def events(self) -> Events:
        """Give cells out and take records in until there are no more."""
        try:
            while self.waiting or self.busy:
                workers = self.living_workers()
                for worker in [worker for worker in self.busy if worker not in workers]:
                    yield self.bury(worker)
                for worker in [worker for worker in workers if worker not in self.busy]:
                    if self.waiting:
                        yield self.give(worker, self.waiting.popleft())
                try:
                    yield from self.take(*self.done.get(timeout=TICK_S))
                except queue.Empty:
                    yield Event(Kind.TICK)
        finally:
            with contextlib.suppress(Exception):  # a cluster that is gone needs no cancelling
                self.client.cancel([future for _, future in self.busy.values()], force=True)

    def living_workers(self) -> list[str]:
        """The addresses of all workers that the scheduler knows."""
        try:
            return list(self.client.nthreads())
        except (OSError, RuntimeError, CancelledError) as error:
            raise UserError(_GONE) from error

    def give(self, worker: str, cell: Cell) -> Event:
        """Have a worker compute a cell."""
        key = f"{cell.key}-{uuid.uuid4().hex}"  # a name that the cluster has never seen, so nothing old is returned
        future = self.client.submit(work_alone, cell, key=key, pure=False, workers=[worker])
        self.busy[worker] = (cell, future)
        self.await_end(worker, future)
        return Event(Kind.STARTED, cell)

    def await_end(self, worker: str, future: "Future") -> None:
        future.add_done_callback(lambda ended: self.done.put((worker, ended)))

    def bury(self, worker: str) -> Event:
        """A worker is gone: its cell waits again, or has been tried often enough."""
        cell, future = self.busy.pop(worker)
        self.client.cancel([future], force=True)
        self.tries[cell.key] += 1
        if self.tries[cell.key] < TRIES:
            self.waiting.append(cell)
            return Event(Kind.BACK, cell)
        return Event(Kind.FINISHED, cell, failure(cell, f"Its worker died {TRIES} times (out of memory?)."))

    def take(self, worker: str, future: "Future") -> Events:
        """Hear what became of a future that has ended."""
        from distributed import KilledWorker

        cell, current = self.busy.get(worker, (None, None))
        if cell is None or current is None or current.key != future.key:
            return  # its worker is known to be gone, and this is the end of the future by that
        try:
            if future.status in ("pending", "lost"):
                raise TimeoutError
            record = future.result(timeout=RESULT_S)
        except KilledWorker:
            yield self.bury(worker)
            return
        except CancelledError as error:
            raise UserError(_GONE) from error
        except TimeoutError:  # the record is out of reach: its worker has died with it, or is slow to answer
            self.await_end(worker, future)
            return
        except Exception as error:  # the worker could not even begin, e.g. it lacks this package
            record = failure(cell, one_sentence(error))
        del self.busy[worker]
        yield Event(Kind.FINISHED, cell, record)


def _dask() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise UserError('--dask needs dask, which is not installed: pip install "dask[distributed]".') from error
    return distributed


def _connect(distributed: Any, address: str) -> "Client":
    try:
        return distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(
            f"There is no dask scheduler at {address}: start one with “dask scheduler”, and workers on each machine "
            "with “dask worker ADDRESS --nworkers auto --nthreads 1”."
        ) from error
