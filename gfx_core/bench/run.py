"""Computes the cells of a study here, in several processes or on a dask cluster, and keeps every finished one.

A finished cell is a JSON file of its own (``<study>.partial/<hash>.json``) until the run ends and all are written to
the study's file. So a run that was stopped, however it was, goes on where it was when it is started again.
"""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from tqdm import tqdm

from gfx_core.bench.cells import RESULTS, Cell, read_records, record_of, records_path, to_record, write_records
from gfx_core.bench.studies import Study
from gfx_core.errors import UserError
from gfx_core.parallel import Workers, computed, device_here, finished, keep


def compute(study: Study, cell: Cell) -> dict[str, Any] | str:
    """The record of a cell as plain JSON, computed on the device that this process has, or why there is none."""
    started = time.perf_counter()
    try:
        cell = replace(cell, options={**cell.options, "device": device_here(cell.device)})
        record = to_record(cell, study.compute(cell), time.perf_counter() - started)
        return json.loads(json.dumps(record, allow_nan=False))
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def run_cells(study: Study, cells: Sequence[Cell], where: Workers, folder: Path = RESULTS) -> int:
    """Compute all cells that have no record with the same options, and write the study's file; the number that failed.

    Other records of the file stay. Failed cells are tried again by the next run.
    """
    if not cells:
        raise UserError("There is nothing to compute: no data set, method, GNN or seed is left.")
    path = records_path(study.name, folder)
    partial = path.with_suffix(".partial")
    records = _records(path) | {record["key"]: record for record in finished(partial)}
    todo = [cell for cell in cells if records.get(cell.key, {}).get("grid") != cell.grid]
    bar, failed = tqdm(total=len(cells), initial=len(cells) - len(todo), desc=study.name, unit="cell", disable=None), 0
    with bar, closing(computed(compute, study, todo, where)) as outcomes:
        for cell, outcome in outcomes:
            if isinstance(outcome, dict):
                records[cell.key] = outcome
                keep(partial / f"{cell.grid}.json", outcome)
            else:
                failed += 1
                tqdm.write(f"{cell.key}: {outcome or 'its worker died twice (out of memory?)'}", file=sys.stderr)
            bar.update()
    write_records(path, (_records(path) | records).values())  # again: another run may have written it
    rmtree(partial, ignore_errors=True)
    return failed


def _records(path: Path) -> dict[str, dict[str, Any]]:
    frame = read_records(path.stem, path.parent)
    return {str(key): record_of(frame, key) for key in frame.index}


def compare(study: Study, cell: Cell, tolerance: float = 1e-3) -> list[str]:
    """Compute a cell again and compare its numbers with its record; those that differ. Times are not compared.

    Args:
        study: The study.
        cell: A cell of it that has a record.
        tolerance: The largest difference that counts as equal.
    """
    record, values = record_of(read_records(study.name), cell.key), study.compute(cell)
    return [
        f"{name}: {record[name]} in the records, {value} now"
        for name, value in values.items()
        if isinstance(value, int | float | list)
        and name in record
        and not name.endswith(("_s", "_ms"))
        and not _is_close(record[name], value, tolerance)
    ]


def _is_close(one: Any, other: Any, tolerance: float) -> bool:
    a, b = (np.asarray(side, dtype=np.float64) for side in (one, other))
    return a.shape == b.shape and np.allclose(a, b, atol=tolerance, rtol=0, equal_nan=True)
