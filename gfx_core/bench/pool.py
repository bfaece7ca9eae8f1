"""Cells on the cores of this machine, by a pool of their own: a process each, and a new one for each that dies."""

import queue
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from gfx_core.bench.cells import Cell, Record, failure
from gfx_core.bench.computing import TRIES, Records, work
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Job, JobError, JobState, Request, WorkerDiedError
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits, cores

GPU_WORKERS = 8
"""At most so many processes share a GPU by default."""


@dataclass(frozen=True)
class ComputeCell(Request[Record]):
    """Have a cell computed by its study."""

    cell: Cell
    shared = False
    tries = TRIES
    device = "cpu"  # its place in the pool: all cells have one kind of place, and each says itself where it computes

    def answer(self, job: JobContext) -> Record:
        record = work(self.cell)
        if record["status"] != "done" or self.cell.options.get("aside"):
            job.retire()  # an error may have spoilt the process, as those of CUDA do; some want one of their own
        return record


def default_workers(device: str) -> int:
    """A process for each core that this process may use; on a GPU not more than share it well."""
    return min(GPU_WORKERS, cores()) if device.startswith("cuda") else cores()


def run_in_pool(cells: Sequence[Cell], workers: int) -> Records:
    """Compute cells in so many processes, begun in the given order. Closing the iterator kills these at once."""
    ended: queue.SimpleQueue[Cell] = queue.SimpleQueue()

    def hear(cell: Cell, state: JobState) -> None:
        if state not in (JobState.QUEUED, JobState.RUNNING):
            ended.put(cell)

    limits = JobLimits(
        {"cpu": workers}, spare=0, threads=1, nice=0, waiting=len(cells), cached=0, long_s=None, memory=0
    )
    with WorkerPool(limits) as pool:
        jobs = {cell: pool.submit(ComputeCell(cell), listener=partial(hear, cell)) for cell in cells}
        for _ in cells:
            cell = ended.get()
            yield _record(cell, jobs[cell])


def _record(cell: Cell, job: Job[Record]) -> Record:
    try:
        return job.result()
    except WorkerDiedError as error:
        return failure(cell, f"Its worker died {error.tries} times, {error.how}.")
    except JobError as error:
        return failure(cell, str(error))
