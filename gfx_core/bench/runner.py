"""Computes the cells of a study here, in several processes or on a dask cluster, and keeps every finished one.

A finished cell is a JSON file of its own (``<study>.partial/<config>.json``) until the run ends and all are written
to the study's file. So a run that was stopped, however it was, goes on where it was when it is started again.
"""

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

from tqdm import tqdm

from gfx_core.bench.report import RESULTS, is_record, read_table, write_table
from gfx_core.bench.study import Cell, Study, failure, success
from gfx_core.bench.tables import Record
from gfx_core.errors import UserError
from gfx_core.files import replacing, why_unwritten

CONNECT_S = 10
"""How long a dask scheduler, and its first worker, are waited for."""

_alone = threading.Lock()


@dataclass(frozen=True)
class RunOptions:
    """Where cells are computed, and where their records go.

    Attributes:
        workers: Processes on this machine; 1: this one, without joblib.
        dask: The address of a dask scheduler, to compute on its workers instead.
        folder: Where the file is (by default with the shipped results).
    """

    workers: int = 1
    dask: str | None = None
    folder: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        path: The table's file.
        records: Of this run's finished cells, in their order.
        failed: Records of the cells that have no values.
        reused: How many cells an earlier run had finished.
    """

    path: Path
    records: list[Record]
    failed: list[Record]
    reused: int


def compute(study: Study, cell: Cell) -> Record:
    """Have its study compute a cell; a failure is a record too.

    No other thread of the process computes one meanwhile: seeds and thread counts belong to the process.
    """
    with _alone:
        started = time.perf_counter()
        try:
            values = study.compute(cell)
            return success(cell, values, time.perf_counter() - started)
        except (Exception, SystemExit) as error:
            lines = str(error).strip().splitlines()
            sentence = f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
            return failure(cell, sentence, time.perf_counter() - started)


def run_cells(study: Study, cells: Sequence[Cell], options: RunOptions) -> Outcome:
    """Compute all cells that are not finished yet, the costly first, and write the study's file.

    A cell is finished if the file or a stopped run holds it with the same configuration: after a change of the code,
    which no configuration tells of, move the file away. Other cells of the file stay. Failed cells are tried again by
    the next run; an older value of one stays, with its own configuration.

    Args:
        study: The study.
        cells: Of its benchmark, all different.
        options: Where to compute and to write.
    """
    if not cells:
        raise UserError("There is nothing to compute: no data set, method or seed is left.")
    if options.workers < 1:
        raise UserError(f"--workers must be at least 1 (got {options.workers}).")
    path = (options.folder or RESULTS) / f"{study.benchmark}.json"
    partial = path.with_suffix(".partial")
    known = read_table(path) | _finished(partial)
    found = {cell.key: known[cell.key] for cell in cells if known.get(cell.key, {}).get("config") == cell.config}
    reused = len(found)
    todo = {cell.key: cell for cell in sorted(cells, key=study.cost, reverse=True) if cell.key not in found}
    bar = tqdm(total=len(cells), initial=reused, desc=study.name, unit="cell", disable=None)
    try:
        with bar, closing(_computed(study, list(todo.values()), options)) as records:
            for record in records:
                found[record["key"]] = record
                if record["status"] == "done":
                    _keep(partial / f"{record['config']}.json", record)
                bar.update()
                if bar.disable or record["status"] != "done":  # no bar in a log; a failure stays to be read
                    words = f"{record['seconds']:.1f} s" if "values" in record else f"failed: {record['error']}"
                    line = f"[{len(found)}/{len(cells)}] {todo[record['key']]}: {words}\n"
                    tqdm.write(line, file=sys.stderr, end="")
    except KeyboardInterrupt:
        kept = sum(record["status"] == "done" for record in found.values())
        sys.stderr.write(f"\n{kept} of {len(cells)} cells are finished and kept: run the same command to go on.\n")
        raise
    every = [found[cell.key] for cell in cells]
    done, failed = ([r for r in every if (r["status"] == "done") is good] for good in (True, False))
    known = read_table(path) | {record["key"]: record for record in done}  # anew: another run may have written it
    known |= {key: record for key, record in _finished(partial).items() if key not in found}
    write_table(path, study.benchmark, known.values())
    rmtree(partial, ignore_errors=True)
    return Outcome(path, done, failed, reused)


def _computed(study: Study, cells: Sequence[Cell], options: RunOptions) -> Generator[Record, None, None]:
    """Records of cells as they come. Closing the generator kills the processes.

    A worker that dies takes along nothing but the cells that were handed out: each of these is tried by itself, and
    the one that dies twice so is named.
    """
    if options.workers == 1 and options.dask is None:
        yield from (compute(study, cell) for cell in cells)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    waiting, begun = deque(cells), dict[str, Cell]()

    def tasks() -> Iterator[Any]:
        while waiting:
            cell = waiting.popleft()
            begun[cell.key] = cell
            yield delayed(compute)(study, cell)

    with _backend(options) as died:
        parallel = partial(Parallel, batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")
        while waiting:
            try:
                for record in parallel()(tasks()):
                    del begun[record["key"]]
                    yield record
            except died:
                if options.dask is None:  # else the first of them may be given to what is left of the broken pool
                    get_reusable_executor().shutdown(wait=True, kill_workers=True)
                for cell in begun.values():
                    record = failure(cell, "Its worker died twice (out of memory?).")
                    for _ in range(2):  # it may not have been begun when another one died
                        with suppress(died):
                            (record,) = parallel()([delayed(compute)(study, cell)])
                            break
                    yield record
                begun.clear()


@contextmanager
def _backend(options: RunOptions) -> Iterator[type[BaseException]]:
    """Where joblib computes; the error by which it tells that a worker has died."""
    from joblib import parallel_config

    if options.dask is None:
        from joblib.externals.loky.process_executor import BrokenProcessPool

        with parallel_config("loky", n_jobs=options.workers):
            yield BrokenProcessPool
        return
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise UserError('--dask needs dask, which is not installed: pip install "dask[distributed]".') from error
    try:
        client = Client(options.dask, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UserError(
            f"There is no dask scheduler at {options.dask}: start one with “dask scheduler”, and workers on each "
            "machine with “dask worker ADDRESS --nworkers auto --nthreads 1”."
        ) from error
    try:
        with client, parallel_config("dask", n_jobs=-1, client=client, wait_for_workers_timeout=CONNECT_S):
            yield KilledWorker
    except (OSError, CancelledError) as error:
        sentence = "The dask scheduler is gone. Finished cells are kept: start it and run the same command again."
        raise UserError(sentence) from error


def _finished(folder: Path) -> dict[str, Record]:
    """What a run that was stopped has left, by key; a file that is damaged does not count."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(record, dict) and is_record(record):
            found[record["key"]] = record
    return found


def _keep(path: Path, record: Record) -> None:
    try:
        with replacing(path) as part:
            part.write_text(json.dumps(record, ensure_ascii=False, allow_nan=False), encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"A finished cell cannot be kept in {path.parent}: {why_unwritten(error)}. Those that are there already "
            "count when the command is run again; --out chooses another folder."
        ) from error
