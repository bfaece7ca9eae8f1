"""Cells on the cores of this machine, by a crew of their own: a process each, and a new one for each that dies."""

import queue
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gfx_core.bench.cells import Cell, Record, failure
from gfx_core.bench.computing import work
from gfx_core.bench.events import TICK_S, TRIES, Event, Events, Kind
from gfx_core.crew.context import JobContext
from gfx_core.crew.crew import Crew
from gfx_core.crew.job import Job, JobError, JobState, WorkerDiedError
from gfx_core.crew.limits import Limits, cores
from gfx_core.crew.request import Request

GPU_WORKERS = 8
"""At most so many processes share a GPU by default."""


@dataclass(frozen=True)
class ComputeCell(Request[Record]):
    """Have a cell computed by its study."""

    cell: Cell
    shared = False
    tries = TRIES
    device = "cpu"  # its place in the crew: all cells have one kind of place, and each says itself where it computes

    def answer(self, job: JobContext) -> Record:
        record = work(self.cell)
        if record["status"] != "done" or self.cell.options.get("aside"):
            job.retire()  # an error may have spoilt the process, as those of CUDA do; some want one of their own
        return record


def default_workers(device: str) -> int:
    """A process for each core that this process may use; on a GPU not more than share it well."""
    return min(GPU_WORKERS, cores()) if device.startswith("cuda") else cores()


def run_in_pool(cells: Iterable[Cell], workers: int) -> Events:
    """Compute cells in processes, in the given order, and tell what happens.

    Closing the iterator kills the workers at once.

    Args:
        cells: What to compute.
        workers: The number of processes.
    """
    cells = list(cells)
    limits = Limits({"cpu": workers}, spare=0, threads=1, nice=0, waiting=len(cells), kept=0)
    heard: queue.SimpleQueue[tuple[Cell, JobState]] = queue.SimpleQueue()

    def listener(cell: Cell) -> Callable[[JobState], None]:
        return lambda state: heard.put((cell, state))

    with Crew(limits) as crew:
        jobs = {cell.key: crew.submit(ComputeCell(cell), listener=listener(cell)) for cell in cells}
        while jobs:
            try:
                cell, state = heard.get(timeout=TICK_S)
            except queue.Empty:
                yield Event(Kind.TICK)
                continue
            if state is JobState.RUNNING:
                yield Event(Kind.STARTED, cell)
            elif state is JobState.QUEUED:
                yield Event(Kind.BACK, cell)
            else:
                yield Event(Kind.FINISHED, cell, _record(cell, jobs.pop(cell.key)))


def _record(cell: Cell, job: Job[Record]) -> Record:
    try:
        return job.result()
    except WorkerDiedError as error:
        return failure(cell, f"Its worker died {error.tries} times, {error.how}.")
    except JobError as error:
        return failure(cell, str(error))
