"""Records of cells as tables: mean ± standard deviation over the seeds, by data set and method, and who is best.

Two numbers are level if the 95 % interval of their paired difference over motifs contains 0, or, where motifs were not
resampled and on the Compare page, if they are within one tolerance. What cannot know the GNN's reasons is never best.
Where such a control is level with the best explainer, or above it, a column cannot separate explainers.
"""

import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import DATASETS
from gfx_core.metrics.intervals import interval, level

Record = dict[str, Any]
"""What one cell came to, as plain JSON; see `gfx_core.bench.study.Cell`."""

Value = str | Callable[[Record], float | None]
"""A name in a record's values, or what finds the number in a record."""

Best = Literal["high", "low", ""]
"""Which numbers of a table are good; empty if none is better than another."""

NOTHING = "–"

SILENT = "§"
"""Marks a column that cannot separate explainers."""

_NARROW = 0.02  # intervals below it have as many digits as their mean
CLOSE = 0.01
"""Two AUCs, fidelities or other shares that differ by no more are called level."""

OWN, RG = "gflowexplainer", "rgexplainer"

SHIPPED = "gflow_shipped"
"""GFlowExplainer by the policy that is shipped for a data set, where the main tables have it as `explain` does it."""
UNTRAINED, CONSTANT = "untrained", "constant_gnn"
CONTROLS = {UNTRAINED: "GFlowExplainer, untrained", CONSTANT: "GFlowExplainer, constant GNN"}
"""Explainers that cannot know the GNN's reasons, beside those that never query it: a policy before its training, and
one that was trained on a GNN whose answer never changes."""

Means = dict[str, dict[str, float]]
"""By data set and method, in the registry's order of data sets."""


@dataclass(frozen=True)
class ResultEntry:
    """What the seeds of one place in a table came to.

    Attributes:
        values: One for each seed.
        instead: What to say where there is no value.
        resampled: The mean in each resample of the motifs, where that is known (`gfx_core.metrics.intervals`).
    """

    values: tuple[float, ...] = ()
    instead: str = NOTHING
    resampled: tuple[float, ...] = ()

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """The sample's standard deviation (n - 1), which a single value does not have."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The middle 95 % over the motifs."""
        return interval(self.resampled) if self.resampled else None

    def text(self, digits: int = 3, *, count: bool = True) -> str:
        """``mean [low, high]`` where motifs were resampled, else ``mean ± std (n)``."""
        if self.mean is None:
            return self.instead
        text = f"{self.mean:.{digits}f}"
        if (bounds := self.interval) is not None:
            near = 2 if bounds[1] - bounds[0] >= _NARROW else digits  # else the mean can seem to be outside
            return f"{text} [{bounds[0]:.{near}f}, {bounds[1]:.{near}f}]"
        if self.deviation is not None:
            text += f" ± {self.deviation:.{digits}f}"
        return text + f" ({len(self.values)})" * count


@dataclass(frozen=True)
class Quantity:
    """A number that tables show.

    Attributes:
        value: Which one.
        title: What people call it.
        best: Which numbers are good.
        digits: After the point.
        paper: The paper's figures by method and data set.
        close: Numbers that differ by no more are level; 0 for those that are not shares, such as seconds.
    """

    value: Value
    title: str = ""
    best: Best = ""
    digits: int = 3
    paper: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    close: float = CLOSE


@dataclass(frozen=True)
class ResultRow:
    """One line of a table.

    Attributes:
        label: What it is about.
        entries: By data set.
        digits: After the point, if not the table's.
        ours: Whether it was measured here, and is not a figure from the paper.
        compared: Whether it is an explainer's, to be compared with the others, and does not tell of the GNN.
        control: Whether it is of one that cannot know the GNN's reasons, and so is never best.
    """

    label: str
    entries: Mapping[str, ResultEntry]
    digits: int | None = None
    ours: bool = True
    compared: bool = True
    control: bool = False


@dataclass(frozen=True)
class ResultTable:
    """One quantity by data set.

    Attributes:
        title: What is shown.
        columns: Titles of the data sets by name.
        rows: What it is shown for.
        digits: After the point.
        best: Which numbers are good.
        counts: Whether the number of seeds is shown.
        half: Which half of the instances it is about, in words, where there are halves.
        notes: Sentences to be read with it.
        close: Numbers that differ by no more are level.
    """

    title: str
    columns: Mapping[str, str]
    rows: Sequence[ResultRow]
    digits: int = 3
    best: Best = ""
    counts: bool = True
    half: str = ""
    notes: Sequence[str] = ()
    close: float = CLOSE

    @property
    def heading(self) -> str:
        """Its title, and what it is about."""
        return f"{self.title} ({self.half})" if self.title and self.half else self.title or self.half.capitalize()

    def without(self, labels: Collection[str]) -> "ResultTable":
        """The table without some rows."""
        return replace(self, rows=[row for row in self.rows if row.label not in labels])

    def marked(self, mark: str, names: Collection[str], why: str) -> "ResultTable":
        """The table with a mark on some of its columns and a note that says why; as it is if it has none of them."""
        if not any(name in names for name in self.columns):
            return self
        columns = {name: title + f" {mark}" * (name in names) for name, title in self.columns.items()}
        return replace(self, columns=columns, notes=[*self.notes, f"{mark} {why}"])

    def text(self, row: ResultRow, dataset: str) -> str:
        """What stands at one place."""
        entry = row.entries.get(dataset, ResultEntry())
        return entry.text(
            self.digits if row.digits is None else row.digits, count=self.counts and row.ours and row.compared
        )

    def entries(self, dataset: str, *, controls: bool = True) -> dict[str, ResultEntry]:
        """What the rows that are compared came to in a column, by their labels."""
        rows = [row for row in self.rows if row.ours and (controls if row.control else row.compared)]
        found = {row.label: row.entries[dataset] for row in rows if dataset in row.entries}
        return {label: entry for label, entry in found.items() if entry.mean is not None}

    def means(self, dataset: str) -> dict[str, float]:
        """The means of a column, by label."""
        return {label: entry.mean for label, entry in self.entries(dataset).items() if entry.mean is not None}

    def silenced_by(self, dataset: str) -> str:
        """The best control that is as good as the best explainer of a column, which then cannot separate them."""
        every, compared = self.entries(dataset), self.entries(dataset, controls=False)
        if not self.best or not compared or len(compared) == len(every):
            return ""
        controls = {label: entry for label, entry in every.items() if label not in compared}
        best, control = self._first(compared), self._first(controls)
        return control if self._first(every) == control or self._level(every[best], every[control]) else ""

    @property
    def silent(self) -> list[str]:
        """The columns that cannot separate explainers."""
        return [name for name in self.columns if self.silenced_by(name)]

    def best_of(self, dataset: str) -> set[str]:
        """The rows that are best in a column, with all that are level with them: what is set off, and spoken of.

        None is, where no number is better than another, where all are level, or where a control is as good as the best.
        """
        every = self.entries(dataset)
        if not self.best or len(every) < 2 or self._leaders(every) == set(every) or self.silenced_by(dataset):
            return set()
        return self._leaders(self.entries(dataset, controls=False))

    def _first(self, entries: Mapping[str, ResultEntry]) -> str:
        sign = -1 if self.best == "low" else 1
        return max(entries, key=lambda label: sign * (entries[label].mean or 0.0))

    def _leaders(self, entries: Mapping[str, ResultEntry]) -> set[str]:
        first = entries[self._first(entries)] if entries else ResultEntry()
        return {label for label, entry in entries.items() if self._level(first, entry)}

    def _level(self, one: ResultEntry, other: ResultEntry) -> bool:
        if one.resampled and other.resampled:
            return level(one.resampled, other.resampled)
        a, b = one.mean or 0.0, other.mean or 0.0
        return abs(a - b) <= self.close + 1e-9 or round(a, self.digits) == round(b, self.digits)

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [["", *self.columns.values()]]
        lines += [[row.label, *(self.text(row, name) for name in self.columns)] for row in self.rows]
        text = [f"| {' | '.join(line)} |" for line in lines]
        text.insert(1, "|---|" + "---:|" * len(self.columns))
        text += [line for note in self.notes for line in ("", note)]
        return "\n".join([*([f"**{self.heading}**", ""] if self.heading else []), *text])


def value_of(record: Record, value: Value) -> float | None:
    """The number in a record; None if it has none."""
    return value(record) if callable(value) else record["values"].get(value)


def present(names: Iterable[str], records: Iterable[Record], field: Literal["dataset", "method"]) -> list[str]:
    """Those of the names that some record has, in this order; names that are not among them come last."""
    found = dict.fromkeys(record[field] for record in records)
    known = [name for name in names if name in found]
    return known + [name for name in found if name not in known]


def grouped(records: Iterable[Record], *fields: str) -> dict[tuple[str, ...], list[Record]]:
    """The records that agree in some fields, by these."""
    found: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        found.setdefault(tuple(record[field] for field in fields), []).append(record)
    return found


def entry_of(records: Iterable[Record], value: Value) -> ResultEntry:
    """What the records of one place, one for each seed, came to; the last one counts where a seed comes twice."""
    numbers = {record["key"]: number for record in records if (number := value_of(record, value)) is not None}
    return ResultEntry(tuple(numbers.values()))


def entries_of(records: Iterable[Record], quantity: Quantity) -> dict[str, ResultEntry]:
    """What the records of one row came to, by data set."""
    return {name: entry_of(some, quantity.value) for (name,), some in grouped(records, "dataset").items()}


def means(records: Sequence[Record], value: Value, variant: str = "") -> Means:
    """A number of one variant, the mean over the seeds."""
    found: Means = {name: {} for name in DATASETS}
    chosen = (record for record in records if record["variant"] == variant)
    for (dataset, method), seeds in grouped(chosen, "dataset", "method").items():
        if dataset in found and (mean := entry_of(seeds, value).mean) is not None:
            found[dataset][method] = mean
    return {dataset: by_method for dataset, by_method in found.items() if by_method}


def paired(records: Iterable[Record], one: str, other: str, value: str) -> Doubles:
    """A number of two methods, for each data set and seed that both have. [n, 2]"""
    by = {(r["dataset"], r["seed"], r["method"]): r["values"][value] for r in records if value in r["values"]}
    both = [(dataset, seed) for dataset, seed, method in by if method == one and (dataset, seed, other) in by]
    return np.array([[by[*place, one], by[*place, other]] for place in both]).reshape(-1, 2)


def is_control(method: str) -> bool:
    """Whether a method cannot know the GNN's reasons: untrained, trained on one without reasons, or never using it."""
    return method in CONTROLS or (method in METHODS and not METHODS[method].uses_gnn)


def leaders(by_name: Mapping[str, float], low: bool = False, close: float = CLOSE) -> set[str]:
    """Who has the highest number, or the lowest, and all that are level with it."""
    sign = -1 if low else 1
    top = max((sign * number for number in by_name.values()), default=0.0)
    return {name for name, number in by_name.items() if top - sign * number <= close + 1e-9}
