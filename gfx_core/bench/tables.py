"""Records of cells as tables: mean ± standard deviation over the seeds, by data set and method."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gfx_core.bench.cells import Record
from gfx_core.bench.protocol import TOLERANCE

Value = str | Callable[[Record], float | None]
"""A name in a record's values, or what finds the number in a record."""

Best = Literal["high", "low", ""]
"""Which numbers of a table are good; empty if none is better than another."""

NOTHING = "–"


@dataclass(frozen=True)
class Entry:
    """What the seeds of one place in a table came to.

    Attributes:
        values: One for each seed.
        mixed: Whether the seeds were computed with different options.
        instead: What to say where there is no value.
    """

    values: tuple[float, ...] = ()
    mixed: bool = False
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
        said = f"{self.mean:.{digits}f}"
        if self.deviation is not None:
            said += f" ± {self.deviation:.{digits}f}"
        return said + f" ({len(self.values)})" * count + " †" * self.mixed


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
        some: Whether only methods that have it get a row; without any there is no table.
    """

    value: Value
    title: str = ""
    best: Best = ""
    digits: int = 3
    paper: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    some: bool = False
    close: float = TOLERANCE


@dataclass(frozen=True)
class Row:
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
    entries: Mapping[str, Entry]
    digits: int | None = None
    ours: bool = True
    compared: bool = True
    control: bool = False


@dataclass(frozen=True)
class Table:
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
    rows: Sequence[Row]
    digits: int = 3
    best: Best = ""
    counts: bool = True
    half: str = ""
    notes: Sequence[str] = ()
    close: float = TOLERANCE

    @property
    def heading(self) -> str:
        """Its title, and what it is about."""
        return f"{self.title} ({self.half})" if self.title and self.half else self.title or self.half.capitalize()

    def text(self, row: Row, dataset: str) -> str:
        """What stands at one place."""
        entry = row.entries.get(dataset, Entry())
        return entry.text(
            self.digits if row.digits is None else row.digits, count=self.counts and row.ours and row.compared
        )

    def means(self, dataset: str, *, controls: bool = True) -> dict[str, float]:
        """What the rows that are compared came to in a column, by their labels."""
        rows = [row for row in self.rows if row.ours and (controls if row.control else row.compared)]
        found = {row.label: row.entries[dataset].mean for row in rows if dataset in row.entries}
        return {label: mean for label, mean in found.items() if mean is not None}

    def best_of(self, dataset: str) -> set[str]:
        """The rows that are best in a column, with all that are level with them: what is set off, and spoken of.

        Nobody is, where no number is better than another, where all are level, or where a control is as good as the
        best: such a column tells nothing.
        """
        every, compared = self.means(dataset), self.means(dataset, controls=False)
        if not self.best or len(every) < 2 or self._leaders(every) in (set(), set(every)):
            return set()
        return set() if self._leaders(every) - set(compared) else self._leaders(compared)

    def _leaders(self, means: Mapping[str, float]) -> set[str]:
        pick = min if self.best == "low" else max
        top = pick(means.values(), default=0.0)

        def level(mean: float) -> bool:
            return round(mean, self.digits) == round(top, self.digits) or abs(mean - top) <= self.close + 1e-9

        return {label for label, mean in means.items() if level(mean)}

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [["", *self.columns.values()]]
        lines += [[row.label, *(self.text(row, name) for name in self.columns)] for row in self.rows]
        text = [f"| {' | '.join(line)} |" for line in lines]
        text.insert(1, "|---|" + "---:|" * len(self.columns))
        if any(entry.mixed for row in self.rows for entry in row.entries.values()):
            text += ["", "† Its seeds were computed with different options."]
        text += [line for note in self.notes for line in ("", note)]
        return "\n".join([*([f"**{self.heading}**", ""] if self.heading else []), *text])


def value_of(record: Record, value: Value) -> float | None:
    """The number that a record holds; None if it has none, as a failed cell."""
    if record.get("status") != "done":
        return None
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


def entry_of(records: Iterable[Record], value: Value) -> Entry:
    """What the records of one place, one for each seed, came to; the last one counts where a seed comes twice."""
    numbers: dict[str, tuple[Any, float]] = {}
    for record in records:
        if (number := value_of(record, value)) is not None:
            numbers[record["key"]] = (record["options"], number)
    options = [each for each, _ in numbers.values()]
    return Entry(tuple(number for _, number in numbers.values()), any(each != options[0] for each in options))


def entries_of(records: Iterable[Record], quantity: Quantity) -> dict[str, Entry]:
    """What the records of one row came to, by data set."""
    return {name: entry_of(some, quantity.value) for (name,), some in grouped(records, "dataset").items()}
