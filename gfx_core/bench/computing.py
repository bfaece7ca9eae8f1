"""Have the study of a cell compute it; whatever happens, there is a record."""

import os
import sys
import time
from collections.abc import Generator

from gfx_core.bench.cells import Cell, Record, failure, one_sentence, success
from gfx_core.bench.registry import STUDIES

Records = Generator[Record, None, None]
"""Of cells, well computed or not, as they come."""

TRIES = 3
"""How often a cell is begun at most, where its worker dies."""


def compute(cell: Cell) -> Record:
    """Have its study compute a cell; a failure is a record too."""
    started = time.perf_counter()
    try:
        values = STUDIES[cell.benchmark].compute(cell)
        return success(cell, values, time.perf_counter() - started)
    except (Exception, SystemExit) as error:
        return failure(cell, one_sentence(error), time.perf_counter() - started)


def work(cell: Cell) -> Record:
    """Compute a cell in a process that is there for cells only: one thread, since others use the other cores."""
    for library in ("OMP", "MKL", "OPENBLAS"):
        os.environ[f"{library}_NUM_THREADS"] = "1"  # heard by a torch that is not loaded yet
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    return compute(cell)
