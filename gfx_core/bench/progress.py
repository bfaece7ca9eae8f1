"""How far a run is, live: a row for each data set and a column for each method."""

import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.events import Event, Kind
from gfx_core.bench.study import Study
from gfx_core.bench.tables import value_of

REDRAW_S = 0.2
DATASET_WIDTH, METHOD_WIDTH = 13, 11


@dataclass
class _Group:
    """The cells of one method on one data set: seeds and variants."""

    total: int = 0
    done: int = 0
    running: int = 0
    failed: int = 0
    values: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Like ``3/5+1!1 0.987``: 3 of 5 done, 1 running, 1 failed, and the mean of the main value."""
        text = f"{self.done}/{self.total}" if self.total else "-"
        text += f"+{self.running}" if self.running else ""
        text += f"!{self.failed}" if self.failed else ""
        return text + (f" {statistics.fmean(self.values):.3f}" if self.values else "")


class ProgressTable:
    """Draws over itself on a terminal; elsewhere it writes a line for each finished cell.

    Args:
        cells: All cells of the run.
        study: Theirs: tells which value is shown and what each cell costs, which makes the estimate of the time left
            better.
        stream: Where to draw.
        clock: Tells the seconds.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        study: Study,
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cells, self.study, self.stream, self.clock = cells, study, stream, clock
        self.live = stream.isatty()
        self.groups: dict[tuple[str, str], _Group] = {}
        for cell in cells:
            self._group(cell).total += 1
        self.begun = clock()
        self.waiting = {cell.key: cell for cell in cells}  # running ones too
        self.running: dict[str, float] = {}  # since when
        self.most_running = 1
        self.spent, self.spent_cost = 0.0, 0.0  # of the cells that are done
        self._drawn_lines, self._drawn_at = 0, float("-inf")

    def reuse(self, cell: Cell, record: Record) -> None:
        """A cell that an earlier run has computed."""
        self._count(cell, record)

    def hear(self, event: Event) -> None:
        """Something has happened."""
        cell = event.cell
        if event.kind is Kind.STARTED and cell is not None and cell.key not in self.running:
            self.running[cell.key] = self.clock()
            self._group(cell).running += 1
            self.most_running = max(self.most_running, len(self.running))
        elif event.kind is not Kind.STARTED and cell is not None and self.running.pop(cell.key, None) is not None:
            self._group(cell).running -= 1
        if event.kind is Kind.FINISHED and cell is not None and event.record is not None:
            self._count(cell, event.record)
            if not self.live:
                self.stream.write(self._line(cell, event.record) + "\n")
                self.stream.flush()
        self.draw()

    def draw(self, force: bool = False) -> None:
        """Draw the table over the last one, not too often."""
        if not self.live or (not force and self.clock() - self._drawn_at < REDRAW_S):
            return
        columns, rows = shutil.get_terminal_size((80, 24))
        lines = [line[: columns - 1] for line in self.lines(columns)]
        if len(lines) > rows - 1:  # what has left the screen cannot be drawn over
            lines = [*lines[: rows - 3], "...", lines[-1]]
        up = f"\x1b[{self._drawn_lines}A" if self._drawn_lines else ""
        self.stream.write(up + "".join(f"\x1b[2K{line}\n" for line in lines) + "\x1b[J")
        self.stream.flush()
        self._drawn_lines, self._drawn_at = len(lines), self.clock()

    def lines(self, width: int = 80) -> list[str]:
        """The table; methods that do not fit in the width come below the others."""
        datasets = list(dict.fromkeys(dataset for dataset, _ in self.groups))
        methods = list(dict.fromkeys(method for _, method in self.groups))
        columns = []
        for method in methods:
            texts = [_clip(method, METHOD_WIDTH)] + [
                str(self.groups.get((dataset, method), "-")) for dataset in datasets
            ]
            columns.append([text.rjust(max(map(len, texts))) for text in texts])
        heads = [_clip(name, DATASET_WIDTH) for name in (self.study.value, *datasets)]
        left = [head.ljust(max(map(len, heads))) for head in heads]
        lines: list[str] = []
        while columns:
            fit = 1
            while fit < len(columns) and len(left[0]) + sum(2 + len(c[0]) for c in columns[: fit + 1]) < width:
                fit += 1
            lines += ["  ".join(texts) for texts in zip(left, *columns[:fit], strict=True)]
            columns = columns[fit:]
        return [*lines, self.summary()]

    def summary(self) -> str:
        """All cells in one line."""
        groups = self.groups.values()
        done, running, failed = (sum(getattr(g, part) for g in groups) for part in ("done", "running", "failed"))
        left = self.seconds_left()
        text = f"{done}/{len(self.cells)} done, +{running} running, !{failed} failed; "
        text += f"{duration(self.clock() - self.begun)} elapsed"
        return text + (f", about {duration(left)} left" if left is not None and self.waiting else "")

    def seconds_left(self) -> float | None:
        """Expected time until all is done, from the time that cells have taken; None before one is known."""
        if not self.spent:
            return None
        now, work = self.clock(), 0.0
        for key, cell in self.waiting.items():
            known = self._group(cell).seconds
            expected = statistics.fmean(known) if known else self.spent / self.spent_cost * self.study.cost(cell)
            work += max(0.0, expected - (now - self.running[key] if key in self.running else 0.0))
        return work / min(self.most_running, max(1, len(self.waiting)))

    def _count(self, cell: Cell, record: Record) -> None:
        self.waiting.pop(cell.key, None)
        group = self._group(cell)
        if record["status"] != "done":
            group.failed += 1
            return
        group.done += 1
        seconds = record.get("seconds", 0.0)
        group.seconds.append(seconds)
        self.spent += seconds
        self.spent_cost += self.study.cost(cell)
        if (number := value_of(record, self.study.value)) is not None:
            group.values.append(number)

    def _line(self, cell: Cell, record: Record) -> str:
        if record["status"] != "done":
            text = f"failed: {record['error']}"
        else:
            number = value_of(record, self.study.value)
            text = (f"{self.study.value} {number:.4f} " if number is not None else "") + f"({record['seconds']:.1f} s)"
        left = self.seconds_left()
        rest = f", about {duration(left)} left" if left is not None and self.waiting else ""
        return f"[{len(self.cells) - len(self.waiting)}/{len(self.cells)}] {cell}: {text}{rest}"

    def _group(self, cell: Cell) -> _Group:
        return self.groups.setdefault((cell.dataset, cell.method), _Group())


def duration(seconds: float) -> str:
    """Like ``2:03`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _clip(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 1] + "~"
