"""Cells on the cores of this machine: a process each, and a new one for each that dies.

A worker has one cell at a time and a pipe of its own, so a death costs that one cell a try and the others nothing
(`concurrent.futures` would give up all workers with it).
"""

import contextlib
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from gfx_core.bench.cells import Cell, Record, failure, work
from gfx_core.bench.events import TICK_S, TRIES, Event, Events, Kind

GPU_WORKERS = 8
"""At most so many processes share a GPU by default."""


def default_workers(device: str) -> int:
    """A process for each core that this process may use; on a GPU not more than share it well."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(GPU_WORKERS, cores) if device.startswith("cuda") else cores


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    cell: Cell | None = None


def run_in_pool(cells: Iterable[Cell], workers: int) -> Events:
    """Compute cells in processes, in the given order, and tell what happens.

    Closing the iterator kills the workers at once.

    Args:
        cells: What to compute.
        workers: The number of processes.
    """
    waiting, tries = deque(cells), Counter[str]()
    crew: list[_Worker] = []
    try:
        while waiting or any(worker.cell for worker in crew):
            for worker in [worker for worker in crew if worker.cell is None]:
                if waiting:
                    yield _hand(worker, waiting.popleft(), tries)
            while waiting and len(crew) < workers:
                crew.append(_hire())
                yield _hand(crew[-1], waiting.popleft(), tries)
            pipes = {worker.pipe: worker for worker in crew}
            ready = connection.wait(list(pipes), TICK_S)
            for pipe in ready:
                worker = pipes[pipe]  # type: ignore[index]
                cell, record = worker.cell, _receive(worker)
                if record is not None and record["status"] == "done":
                    worker.cell = None
                    yield Event(Kind.FINISHED, cell, record)
                    continue
                crew.remove(worker)
                if record is not None:  # an error may have spoilt the process, as those of CUDA do
                    worker.process.kill()
                how = _bury(worker)
                if cell is None:
                    continue
                if record is not None:
                    yield Event(Kind.FINISHED, cell, record)
                elif tries[cell.key] < TRIES:
                    waiting.append(cell)  # last, when there may be more memory
                    yield Event(Kind.BACK, cell)
                else:
                    yield Event(Kind.FINISHED, cell, failure(cell, f"Its worker died {TRIES} times, {how}."))
            if not ready:
                yield Event(Kind.TICK)
    finally:
        for worker in crew:
            worker.process.kill()
        for worker in crew:
            _bury(worker)


def _hire() -> _Worker:
    context = get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    with _interrupts_ignored():
        process.start()
    theirs.close()  # so that the pipe ends when the worker does
    return _Worker(process, pipe)


def _hand(worker: _Worker, cell: Cell, tries: Counter[str]) -> Event:
    """Give a cell to a worker. One that is dead already is found out when its answer is awaited."""
    tries[cell.key] += 1
    worker.cell = cell
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        worker.pipe.send(cell)
    return Event(Kind.STARTED, cell)


def _receive(worker: _Worker) -> Record | None:
    """What a worker has computed; None if it is dead."""
    try:
        return worker.pipe.recv()
    except (EOFError, OSError):
        return None


def _bury(worker: _Worker) -> str:
    """Wait for the end of a worker and say how it ended."""
    worker.pipe.close()
    worker.process.join(5)
    worker.process.kill()  # it has closed its pipe and still lives: no use
    worker.process.join()
    code = worker.process.exitcode or 0
    worker.process.close()
    if code == -signal.SIGKILL:
        return "killed from outside (out of memory?)"
    return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit status {code}"


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes that start meanwhile do not hear Ctrl-C from their first moment on: it is meant for this one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(pipe: Connection) -> None:
    """A worker's life: a cell comes in, its record goes out, until the other end is gone."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send(work(pipe.recv()))


def _die_with_parent() -> None:
    """A run that is killed cannot stop its workers; they would go on for nobody."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
