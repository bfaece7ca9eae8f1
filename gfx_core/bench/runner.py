"""Computes the cells of a study, here or on a cluster, and keeps every finished one whatever happens."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.computing import Records
from gfx_core.bench.journal import Journal
from gfx_core.bench.pool import default_workers, run_in_pool
from gfx_core.bench.progress import Progress
from gfx_core.bench.study import Study
from gfx_core.errors import UserError


@dataclass(frozen=True)
class RunOptions:
    """Where cells are computed, and where their records go.

    Attributes:
        workers: Processes on this machine.
        dask: The address of a dask scheduler, to compute on its workers instead.
        fresh: Compute finished cells again, e.g. after a change of the code, which no configuration tells of.
        folder: Where the file is (by default with the shipped results).
    """

    workers: int | None = None
    dask: str | None = None
    fresh: bool = False
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

    @property
    def status(self) -> int:
        """For the shell: 0 if the table is whole, 1 if a cell has failed."""
        return 1 if self.failed else 0


def run_cells(
    study: Study, cells: Sequence[Cell], options: RunOptions | None = None, stream: TextIO | None = None
) -> Outcome:
    """Compute all cells that are not finished yet, and write the study's file.

    A cell is finished if the file or the journal of a stopped run holds it with the same configuration. Other cells of
    the file stay. Failed cells are tried again by the next run.

    Args:
        study: The study.
        cells: Of its benchmark, all different.
        options: Where to compute and to write.
        stream: Where progress is shown (standard error).
    """
    options, stream = options or RunOptions(), stream or sys.stderr
    _check(study, cells, options)
    progress = Progress(cells, study, stream)
    with Journal(study.benchmark, options.folder, options.fresh) as journal:
        found = {cell.key: record for cell in cells if (record := journal.finished(cell.key, cell.config)) is not None}
        reused = len(found)
        todo = {cell.key: cell for cell in sorted(cells, key=study.cost, reverse=True) if cell.key not in found}
        for cell in cells:
            if cell.key in found:
                progress.reuse(cell)
        try:
            if todo:
                if stream.isatty():
                    progress.say("computing …")
                with closing(_records(list(todo.values()), options)) as records:
                    for record in records:
                        journal.add(record)
                        found[record["key"]] = record
                        progress.add(todo[record["key"]], record)
        except KeyboardInterrupt:
            kept = sum(record["status"] == "done" for record in found.values())
            stream.write(f"\n{kept} of {len(cells)} cells are finished and kept: run the same command to go on.\n")
            raise
        every = [found[cell.key] for cell in cells]
        path = journal.finish(every)
    failed = [record for record in every if record["status"] != "done"]
    for record in failed:
        stream.write(f"failed: {record['key']}: {record['error']}\n")
    return Outcome(path, [record for record in every if record["status"] == "done"], failed, reused)


def _records(cells: list[Cell], options: RunOptions) -> Records:
    """Cells being computed, here or elsewhere."""
    if options.dask is not None:
        from gfx_core.bench.cluster import run_on_cluster

        return run_on_cluster(cells, options.dask)
    on_gpu = any(cell.device.startswith("cuda") for cell in cells)
    return run_in_pool(cells, options.workers or default_workers("cuda" if on_gpu else "cpu"))


def _check(study: Study, cells: Sequence[Cell], options: RunOptions) -> None:
    if not cells:
        raise UserError("There is nothing to compute: no data set, method or seed is left.")
    if options.workers is not None and options.workers < 1:
        raise UserError(f"--workers must be at least 1 (got {options.workers}).")
    if {cell.benchmark for cell in cells} != {study.benchmark}:
        raise ValueError("the cells of a run belong to one benchmark")
    key, count = Counter(cell.key for cell in cells).most_common(1)[0]
    if count > 1:
        raise ValueError(f"the cell {key} is asked for {count} times")
