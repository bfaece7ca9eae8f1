"""Records as tables: one value by method and data set, with intervals over motifs or ± over seeds, and which is best.

Two numbers are level if the 95 % interval of their difference contains 0, paired: over the same resampled motifs of the
instances that both have. Where motifs were not resampled they are level within a tolerance. What cannot know the GNN's
reasons is never best. Where such a control is level with the best explainer, or above it, a column cannot separate
explainers.
"""

import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.baselines.registry import METHODS, OWN
from gfx_core.bench.studies import CONTENT, CONTROLS, RESULTS, STUDIES, TITLES, read_records
from gfx_core.config import FragmentModel
from gfx_core.metrics.intervals import interval, level, resampled_means, resampling
from gfx_core.text.numbers import listed

if TYPE_CHECKING:
    from pandas import DataFrame

CLOSE = 0.01
"""Two AUCs, distances or other shares that differ by no more are called level."""
ENOUGH = 0.5
"""The motif is called a GNN's reason if, seeing it alone, the GNN gives the same class at least this probability, more
than the class's share of the data set, and more than without the motif."""
SILENT, OTHER_REASON = "§", "‡"
"""Mark columns that cannot separate explainers, and those where the motif is not the GNN's reason."""
_WHY = {
    SILENT: "A control, which cannot know the GNN's reasons, is level with the best explainer or above it",
    OTHER_REASON: "The motif is not the reason of these GNNs",
}
_NARROW = 0.02  # intervals below it have as many digits as their mean


@dataclass(frozen=True)
class Entry:
    """One place of a table.

    Attributes:
        values: One for each GNN and seed.
        records: Those whose lists have a number for each instance, where motifs are resampled.
        value: The column of these numbers.
    """

    values: Sequence[float]
    records: Sequence[Mapping[Any, Any]] = ()
    value: str = ""

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    def resampled(self, most: int | None = None) -> Doubles:
        """The mean of the first so many instances in each resample of their motifs, all of them by default. [B]"""
        means = []
        for record in self.records:
            resampled = record.get(f"{self.value}_resampled")
            if resampled is None:
                right = record["right"][:most].astype(bool)  # only these have a number
                counts = _counts(tuple(record["owners"][:most]))[:, right]
                resampled = resampled_means(record[self.value][: right.sum()], counts)
            means.append(resampled)
        return np.nanmean(means, axis=0)

    def text(self, digits: int) -> str:
        """``mean [low, high]``, the middle 95 % where motifs were resampled; else ``mean ± std`` (n - 1)."""
        text = f"{self.mean:.{digits}f}"
        if self.records and (bounds := interval(self.resampled())):
            digits = 2 if bounds[1] - bounds[0] >= _NARROW else digits  # else the mean can seem to be outside
            return f"{text} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"
        return f"{text} ± {statistics.stdev(self.values):.{digits}f}" if len(self.values) > 1 else text


_counts = cache(resampling)


@dataclass(frozen=True)
class TableRow:
    """One line of a table: what it is about, its numbers by data set, and its method."""

    label: str
    entries: Mapping[str, Entry]
    method: str


@dataclass(frozen=True)
class Table:
    """One quantity by data set: an entry of ``assets/content/studies.toml``, with what its records come to.

    Attributes:
        name: Of the entry.
        study: Whose records it shows.
        title: What is shown.
        value: Its column of the records.
        otherwise: The column that is shown where a record has no value.
        kind: Of the GNNs whose records it shows; all by default.
        variant: Of the cells it shows; by default each variant has rows of its own. ``chosen``: what `explain` chooses.
        over: What brackets are intervals over: ``motifs``, or nothing.
        best: Whether ``high`` or ``low`` numbers are good; empty if none is better than another.
        digits: After the point.
        notes: Sentences to be read with it.
        records: Those that are shown.
        columns: Titles of the data sets by name, with their marks.
        rows: What it is shown for.
    """

    name: str
    study: str
    title: str
    value: str
    otherwise: str = ""
    kind: str = ""
    variant: str = ""
    over: str = ""
    best: str = ""
    digits: int = 3
    notes: Sequence[str] = ()
    records: Any = None
    columns: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[TableRow] = ()

    def text(self, row: TableRow, dataset: str) -> str:
        """What stands at one place."""
        return row.entries[dataset].text(self.digits) if dataset in row.entries else "–"

    def leaders(self, dataset: str) -> tuple[set[str], bool]:
        """The labels that are best in a column, and whether a control is level with the best explainer or above it.

        All that are level with the best explainer are best. None is, where no number is better than another, where all
        are level, or where a control is as good as the best.
        """
        rows = [row for row in self.rows if dataset in row.entries]
        rows.sort(key=lambda row: row.entries[dataset].mean, reverse=self.best == "high")
        explainers = [row for row in rows if not is_control(row.method)]
        if not self.best or not explainers:
            return set(), False
        best = explainers[0].entries[dataset]
        leading = [row for row in rows if _are_level(best, row.entries[dataset])]
        silent = any(is_control(row.method) for row in (rows[0], *leading))
        return {row.label for row in leading} if not silent and len(leading) < len(rows) else set(), silent

    def markdown(self) -> str:
        """The table as Markdown."""
        rows = [[row.label, *(self.text(row, name) for name in self.columns)] for row in self.rows]
        return "\n\n".join([markdown_table(["", *self.columns.values()], rows), *self.notes])


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text as a table in Markdown, numbers to the right."""
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---|" + "---:|" * (len(head) - 1), *lines[1:]])


def is_control(method: str) -> bool:
    """Whether a method cannot know the GNN's reasons: untrained, trained on one without reasons, or never using it."""
    return method in CONTROLS or (method in METHODS and not METHODS[method].uses_gnn)


def _are_level(best: Entry, other: Entry) -> bool:
    """Whether two numbers are level; pairs are of the instances that both have."""
    if not best.records:
        return abs(best.mean - other.mean) <= CLOSE + 1e-9
    most = min(len(entry.records[0]["owners"]) for entry in (best, other))
    return level(best.resampled(most), other.resampled(most))


# From records to tables


def tables(folder: Path = RESULTS, studies: Collection[str] = STUDIES) -> dict[str, Table]:
    """The tables for whose values there are records, by name, in the order in which they are shown."""
    filled = (_with_records(Table(**entry), folder) for entry in CONTENT["table"] if entry["study"] in studies)
    return {table.name: table for table in filled if table.columns}


def _with_records(table: Table, folder: Path) -> Table:
    """A table with what records come to; by those of ``reasons`` columns are marked where the motif is no reason."""
    records, value, titles = read_records(table.study, folder), table.value, STUDIES[table.study].titles
    if value not in records:
        return table
    if table.kind:
        records = records[records["gnn"].str[:-2] == table.kind]
    if table.variant == "chosen" and "student_chosen" in records:  # GFlowExplainer queries a student where it is better
        better = records.groupby(["dataset", "gnn"])["student_chosen"].transform("max").eq(True)
        records = records[(records["variant"] == FragmentModel.STUDENT) == (better & (records["method"] == OWN))]
    elif table.variant:
        records = records[records["variant"] == table.variant]
    if table.otherwise:
        records = records.assign(**{value: records[value].fillna(records[table.otherwise])})
    records = records[records[value].notna() & records["method"].isin(titles)]
    groups: dict[tuple[str, str], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for record in records.to_dict("records"):
        share = "" if table.variant else record["variant"]
        groups[record["method"], share][record["dataset"]].append(record)
    rows = []
    for method, share in sorted(groups, key=lambda group: ([*titles].index(group[0]), group[1])):
        entries = {
            dataset: Entry([float(np.mean(record[value])) for record in of_row], of_row if table.over else (), value)
            for dataset, of_row in groups[method, share].items()
        }
        rows.append(TableRow(titles[method] + f" ({share})" * bool(share), entries, method))
    columns = {name: title for name, title in TITLES.items() if name in set(records["dataset"])}
    table = replace(table, columns=columns, rows=rows, records=records)
    silent = [name for name in columns if table.leaders(name)[1]]
    marked = {SILENT: silent, OTHER_REASON: other_reasons(read_records("reasons", folder), table.kind)}
    notes = [*table.notes]
    for mark, datasets in marked.items():
        if names := [name for name in datasets if name in columns]:
            notes.append(f"{mark} {_WHY[mark]}: {listed([TITLES[name] for name in names])}.")
            columns |= {name: f"{columns[name]} {mark}" for name in names}
    return replace(table, columns=columns, notes=notes)


def other_reasons(records: "DataFrame", kind: str) -> list[str]:
    """The data sets where the motif is not the reason of a kind of GNN, over its seeds; records are of ``reasons``."""
    values = records[records["method"] == kind].reindex(columns=["dataset", "motif_alone", "without_motif", "prior"])
    means = values.dropna().set_index("dataset").map(np.mean).groupby(level=0, sort=False).mean()
    return [str(name) for name, (alone, *bounds) in means.iterrows() if alone < max(ENOUGH, *bounds)]
