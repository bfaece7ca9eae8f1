"""Records of cells as tables: mean ± standard deviation over the seeds, by data set and method, and who is best.

One rule holds in all tables, on the Compare page too: numbers within one tolerance are level, and what cannot know the
GNN's reasons is never best. Where such a control is level with the best explainer, or above it, a column tells nothing.
"""

import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gfx_core.baselines.registry import METHODS
from gfx_core.datasets.registry import DATASETS

Record = dict[str, Any]
"""What one cell came to, as plain JSON; see `gfx_core.bench.study.Cell`."""

Value = str | Callable[[Record], float | None]
"""A name in a record's values, or what finds the number in a record."""

Best = Literal["high", "low", ""]
"""Which numbers of a table are good; empty if none is better than another."""

NOTHING = "–"

ALL, FIRST = "all", "first"
"""Of an answer: all its reasons together, and the first one."""
CLOSE = 0.01
"""Two AUCs, fidelities or other shares that differ by no more are called level."""

OWN, RG = "gflowexplainer", "rgexplainer"

UNTRAINED, CONSTANT = "untrained", "constant_gnn"
CONTROLS = {UNTRAINED: "GFlowExplainer, untrained", CONSTANT: "GFlowExplainer, constant GNN"}
"""Explainers that cannot know the GNN's reasons, beside those that never ask it: a policy before its training, and one
that was trained on a GNN whose answer never changes."""

Means = dict[str, dict[str, float]]
"""By data set and method, in the registry's order of data sets."""


@dataclass(frozen=True)
class ResultEntry:
    """What the seeds of one place in a table came to.

    Attributes:
        values: One for each seed.
        instead: What to say where there is no value.
    """

    values: tuple[float, ...] = ()
    instead: str = NOTHING

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """The sample's standard deviation (n - 1), which a single value does not have."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    def text(self, digits: int = 3, *, count: bool = True) -> str:
        """``mean ± std (n)``."""
        if self.mean is None:
            return self.instead
        text = f"{self.mean:.{digits}f}"
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
        counts: Whether the number of seeds is told.
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

    def text(self, row: ResultRow, dataset: str) -> str:
        """What stands at one place."""
        entry = row.entries.get(dataset, ResultEntry())
        return entry.text(
            self.digits if row.digits is None else row.digits, count=self.counts and row.ours and row.compared
        )

    def means(self, dataset: str, *, controls: bool = True) -> dict[str, float]:
        """What the rows that are compared came to in a column, by their labels."""
        rows = [row for row in self.rows if row.ours and (controls if row.control else row.compared)]
        found = {row.label: row.entries[dataset].mean for row in rows if dataset in row.entries}
        return {label: mean for label, mean in found.items() if mean is not None}

    def silenced_by(self, dataset: str) -> str:
        """The best of the controls that are as good as the best explainer of a column, which then tells nothing."""
        every, compared = self.means(dataset), self.means(dataset, controls=False)
        if not self.best or not compared or len(compared) == len(every):
            return ""
        sign = -1 if self.best == "low" else 1
        control = max((label for label in every if label not in compared), key=lambda label: sign * every[label])
        return control if control in self._leaders(every) else ""

    def best_of(self, dataset: str) -> set[str]:
        """The rows that are best in a column, with all that are level with them: what is set off, and spoken of.

        Nobody is, where no number is better than another, where all are level, or where a control is as good as the
        best: such a column tells nothing.
        """
        every = self.means(dataset)
        if not self.best or len(every) < 2 or self._leaders(every) == set(every) or self.silenced_by(dataset):
            return set()
        return self._leaders(self.means(dataset, controls=False))

    def _leaders(self, means: Mapping[str, float]) -> set[str]:
        low, shown = self.best == "low", {label: round(mean, self.digits) for label, mean in means.items()}
        return leaders(means, low, self.close) | leaders(shown, low, 0.0)

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [["", *self.columns.values()]]
        lines += [[row.label, *(self.text(row, name) for name in self.columns)] for row in self.rows]
        text = [f"| {' | '.join(line)} |" for line in lines]
        text.insert(1, "|---|" + "---:|" * len(self.columns))
        text += [line for note in self.notes for line in ("", note)]
        return "\n".join([*([f"**{self.heading}**", ""] if self.heading else []), *text])


def value_of(record: Record, value: Value) -> float | None:
    """The number that a record holds; None if it has none."""
    return value(record) if callable(value) else record["values"].get(value)


def value_at(values: Any, path: Sequence[str]) -> Any:
    """What stands at a path of names in the values of a record; ``None`` if nothing does."""
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


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


def is_control(method: str) -> bool:
    """Whether a method cannot know the GNN's reasons: it never asks, has not learnt, or asked one without reasons."""
    return method in CONTROLS or (method in METHODS and not METHODS[method].uses_gnn)


def ahead(one: float, other: float) -> bool:
    """Whether a number is above another by more than what is called level."""
    return one - other > CLOSE + 1e-9  # .71 is level with .70, whatever their last binary digit


def leaders(by_name: Mapping[str, float], low: bool = False, close: float = CLOSE) -> set[str]:
    """Who has the highest number, or the lowest, and all that are level with it."""
    sign = -1 if low else 1
    top = max((sign * number for number in by_name.values()), default=0.0)
    return {name for name, number in by_name.items() if top - sign * number <= close + 1e-9}
