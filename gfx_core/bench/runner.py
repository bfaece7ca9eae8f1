"""Computes the cells of a table, here or on a cluster, and keeps every finished one whatever happens."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.events import Kind
from gfx_core.bench.journal import Journal
from gfx_core.bench.pool import default_workers, run_in_pool
from gfx_core.bench.progress_table import ProgressTable
from gfx_core.bench.tables import Value
from gfx_core.errors import UserError


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


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options of a command that computes cells."""
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: cores; at most 8 share a GPU)")
    parser.add_argument("--dask", metavar="ADDRESS", help="compute on the cluster of this dask scheduler")
    parser.add_argument("--fresh", action="store_true", help="compute finished cells again")


def run_cells(
    cells: Sequence[Cell],
    function: str,
    *,
    workers: int | None = None,
    dask: str | None = None,
    fresh: bool = False,
    folder: Path | None = None,
    value: Value | None = None,
    cost: Callable[[Cell], float] | None = None,
    extra: Mapping[str, Any] | None = None,
    stream: TextIO | None = None,
) -> Outcome:
    """Compute all cells of a table that are not finished yet, and write the table's file.

    A cell is finished if the file or the journal of a stopped run holds it with the same configuration. Whatever else
    the file holds stays. Failed cells are tried again by the next run.

    Args:
        cells: Of one benchmark, all different.
        function: ``module:function``, which takes a cell and returns its values as plain JSON without NaN.
        workers: Processes on this machine.
        dask: The address of a dask scheduler, to compute on its workers instead.
        fresh: Compute finished cells again, e.g. after a change of the code, which no configuration tells of.
        folder: Where the file is (by default with the shipped results).
        value: The main value, for the progress table.
        cost: Expected cost of a cell in any unit; the costly are computed first.
        extra: What else the file is to hold, e.g. the paper's figures.
        stream: Where progress is shown (standard error).
    """
    _check(cells, workers)
    stream = stream or sys.stderr
    progress = ProgressTable(cells, stream, value, cost)
    with Journal(cells[0].benchmark, folder, fresh) as journal:
        done = {cell.key: journal.finished(cell.key, cell.config) for cell in cells}
        todo = [cell for cell in cells if done[cell.key] is None]
        for cell in cells:
            if (record := done[cell.key]) is not None:
                progress.reuse(cell, record)
        if cost is not None:
            todo.sort(key=cost, reverse=True)
        try:
            if todo:
                _compute(todo, function, workers, dask, journal, progress)
        except KeyboardInterrupt:
            kept = sum(journal.finished(cell.key, cell.config) is not None for cell in cells)
            stream.write(f"\n{kept} of {len(cells)} cells are finished and kept: run the same command to go on.\n")
            raise
        progress.draw(force=True)
        records = [done[cell.key] or journal.records[cell.key] for cell in cells]
        path = journal.finish(records, extra)
    failed = [record for record in records if record["status"] != "done"]
    for record in failed:
        stream.write(f"failed: {record['key']}: {record['error']}\n")
    return Outcome(path, [r for r in records if r["status"] == "done"], failed, len(cells) - len(todo))


def _compute(
    cells: list[Cell], function: str, workers: int | None, dask: str | None, journal: Journal, progress: ProgressTable
) -> None:
    """Compute cells and keep each record as it comes."""
    if dask is not None:
        from gfx_core.bench.cluster import run_on_cluster

        events = run_on_cluster(cells, function, dask)
    else:
        on_gpu = any(cell.device.startswith("cuda") for cell in cells)
        events = run_in_pool(cells, function, workers or default_workers("cuda" if on_gpu else "cpu"))
    with closing(events):
        for event in events:
            if event.kind is Kind.FINISHED and event.record is not None:
                journal.add(event.record)
            progress.hear(event)


def _check(cells: Sequence[Cell], workers: int | None) -> None:
    if not cells:
        raise UserError("There is nothing to compute: no data set, method or seed is left.")
    if workers is not None and workers < 1:
        raise UserError(f"--workers must be at least 1 (got {workers}).")
    if len({cell.benchmark for cell in cells}) > 1:
        raise ValueError("the cells of a run belong to one benchmark")
    key, count = Counter(cell.key for cell in cells).most_common(1)[0]
    if count > 1:
        raise ValueError(f"the cell {key} is asked for {count} times")
