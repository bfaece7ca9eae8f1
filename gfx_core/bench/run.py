"""Computes the cells of a study here, in several processes or on a dask cluster, and keeps every finished one.

A finished cell is a JSON file of its own (``<study>.partial/<config>.json``) until the run ends and all are written
to the study's file. So a run that was stopped, however it was, goes on where it was when it is started again.
"""

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

from tqdm import tqdm

from gfx_core.bench.report import RESULTS, is_record, read_table, write_table
from gfx_core.bench.study import Cell, Study, failure, success
from gfx_core.bench.tables import Record
from gfx_core.errors import UserError
from gfx_core.parallel import Workers, computed, device_here, finished, keep


@dataclass(frozen=True)
class RunOptions(Workers):
    """Where cells are computed, and where their records go.

    Attributes:
        folder: Where the file is (by default with the shipped results).
    """

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
    """Have its study compute a cell on the device that this process has; a failure is a record too."""
    started = time.perf_counter()
    try:
        cell = replace(cell, options={**cell.options, "device": device_here(cell.device)})
        values = study.compute(cell)
        return success(cell, values, time.perf_counter() - started, study.made_from(cell))
    except (Exception, SystemExit) as error:
        lines = str(error).strip().splitlines()
        sentence = f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
        return failure(cell, sentence, time.perf_counter() - started)


def run_cells(study: Study, cells: Sequence[Cell], options: RunOptions) -> Outcome:
    """Compute all cells that are not finished yet, the costly first, and write the study's file.

    A cell is finished if the file or a stopped run has it with the same configuration, and neither the study's code nor
    the weights have changed since. Other cells of the file stay. Failed cells are tried again by
    the next run; an older value of one stays, with its own configuration.

    Args:
        study: The study.
        cells: Of its benchmark, all different.
        options: Where to compute and to write.
    """
    if not cells:
        raise UserError("There is nothing to compute: no data set, method or seed is left.")
    path = (options.folder or RESULTS) / f"{study.benchmark}.json"
    partial = path.with_suffix(".partial")
    known = read_table(path) | _finished(partial)
    found = {cell.key: known[cell.key] for cell in cells if _is_current(study, cell, known.get(cell.key))}
    reused = len(found)
    todo = {cell.key: cell for cell in sorted(cells, key=study.cost, reverse=True) if cell.key not in found}
    bar = tqdm(total=len(cells), initial=reused, desc=study.name, unit="cell", disable=None)
    try:
        with bar, closing(computed(compute, study, list(todo.values()), options)) as records:
            for cell, made in records:
                record = made or failure(cell, "Its worker died twice (out of memory?).")
                found[record["key"]] = record
                if record["status"] == "done":
                    keep(partial / f"{record['config']}.json", record)
                bar.update()
                if bar.disable or record["status"] != "done":  # no bar in a log; a failure stays to be read
                    words = f"{record['seconds']:.1f} s" if "values" in record else f"failed: {record['error']}"
                    line = f"[{len(found)}/{len(cells)}] {cell}: {words}\n"
                    tqdm.write(line, file=sys.stderr, end="")
    except KeyboardInterrupt:
        kept = sum(record["status"] == "done" for record in found.values())
        sys.stderr.write(f"\n{kept} of {len(cells)} cells are finished and kept: run the same command to go on.\n")
        raise
    every = [found[cell.key] for cell in cells]
    done, failed = ([r for r in every if (r["status"] == "done") is good] for good in (True, False))
    known = read_table(path) | {record["key"]: record for record in done}  # again: another run may have written it
    known |= {key: record for key, record in _finished(partial).items() if key not in found}
    write_table(path, study.benchmark, known.values())
    rmtree(partial, ignore_errors=True)
    return Outcome(path, done, failed, reused)


def _is_current(study: Study, cell: Cell, record: Record | None) -> bool:
    if record is None or record.get("config") != cell.config:
        return False
    return not (record.get("made_from") and study.stale(record))


def _finished(folder: Path) -> dict[str, Record]:
    """The cells that a run which was stopped has left, by key."""
    return {record["key"]: record for record in finished(folder) if isinstance(record, dict) and is_record(record)}
