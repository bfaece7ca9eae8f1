"""How far a run is: a line for each finished cell; on a terminal each takes the place of the last."""

import shutil
import time
from collections.abc import Callable, Sequence
from typing import TextIO

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import value_of


class Progress:
    """Says what has come of each cell, and how long the others will take.

    Args:
        cells: All cells of the run.
        study: Theirs: tells which value is shown, and what each cell costs.
        stream: Where to write.
        clock: Tells the seconds.
    """

    def __init__(
        self, cells: Sequence[Cell], study: Study, stream: TextIO, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.study, self.stream, self.clock, self.begun = study, stream, clock, clock()
        self.total, self.finished, self.failed = len(cells), 0, 0
        self.waiting, self.computed = sum(map(study.cost, cells)), 0.0  # what they cost

    def reuse(self, cell: Cell) -> None:
        """A cell that an earlier run has computed."""
        self.finished += 1
        self.waiting -= self.study.cost(cell)

    def add(self, cell: Cell, record: Record) -> None:
        """A cell has been computed, well or not."""
        self.reuse(cell)
        self.computed += self.study.cost(cell)
        if record["status"] == "done":
            number = value_of(record, self.study.value)
            text = (f"{self.study.value} {number:.4f} " if number is not None else "") + f"({record['seconds']:.1f} s)"
        else:
            self.failed += 1
            text = f"failed: {record['error']}"
        self.say(f"{cell}: {text}")

    def say(self, text: str) -> None:
        """Write a line: the counts, a text, and the time left if every cell takes as long as it costs."""
        line = f"[{self.finished}/{self.total}{f', {self.failed} failed' * bool(self.failed)}] {text}"
        if self.computed and self.finished < self.total:
            line += f", about {duration((self.clock() - self.begun) * self.waiting / self.computed)} left"
        if self.stream.isatty():
            line = f"\r\x1b[2K{line[: shutil.get_terminal_size().columns - 1]}"
        self.stream.write(line + "\n" * (self.finished == self.total or not self.stream.isatty()))
        self.stream.flush()


def duration(seconds: float) -> str:
    """Like ``2:03`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
