"""Tables of the cells of all explainers: one number by method and data set, with intervals over motifs.

It is apart from the cells (`gfx_core.bench.explainers`), whose code a record's digest is of: how numbers are shown does
not make them stale.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from gfx_core.bench.explainers import Explainers
from gfx_core.bench.study import AS_IS, kind_of
from gfx_core.bench.tables import (
    SHIPPED,
    SILENT,
    Best,
    Record,
    ResultEntry,
    ResultRow,
    ResultTable,
    grouped,
    is_control,
)
from gfx_core.metrics.intervals import resampled_means, resampling


class Comparison(Explainers):
    """What the studies that show numbers of these cells have in common."""

    def compared(self, records: Sequence[Record], value: str, title: str, *, best: Best = "high") -> ResultTable:
        """One number by method and data set, with intervals over motifs and marks on columns.

        The shipped policy has learned from the instances that are scored, so no other is compared with it.

        Args:
            records: Those of one kind of GNN and one variant.
            value: Its name in the values.
            title: Of the table.
            best: Which numbers are good.
        """
        columns, rows, places = self.columns(records), [], grouped(records, "dataset", "method")
        for method, label in self.methods.items():
            entries = {name: entry(places.get((name, method), ()), value) for name in columns}
            if any(each.values for each in entries.values()):
                rows.append(ResultRow(label, entries, compared=method != SHIPPED, control=is_control(method)))
        table = ResultTable(title, columns, rows, best=best, half=self.half_words(records))
        why = "A control, which cannot know the GNN's reasons, is level with the best explainer or above it"
        return table.marked(SILENT, table.silent, f"{why}: {self.listed(table.silent)}.")


def of(records: Iterable[Record], kind: str | None = None, variant: str | None = AS_IS) -> list[Record]:
    """The records of one kind of GNN, and of one variant."""
    return [
        record
        for record in records
        if kind in (None, kind_of(record["gnn"])) and variant in (None, record["variant"]) and "auc" in record["values"]
    ]


def entry(records: Iterable[Record], value: str) -> ResultEntry:
    """A number of some records: its mean over GNNs and seeds, and that mean in each resample of the motifs."""
    found = [(number, resampled(record, value)) for record in records if (number := mean(record, value)) is not None]
    if not found:
        return ResultEntry()
    every = np.array([each for _, each in found])  # [records, B]
    known = np.isfinite(every)
    with np.errstate(invalid="ignore"):  # NaN where no record has it
        means = np.where(known, every, 0).sum(0) / known.sum(0)
    return ResultEntry(tuple(number for number, _ in found), resampled=tuple(means.tolist()))


def mean(record: Record, value: str) -> float | None:
    """A number of a record, the mean where it has one for each instance."""
    number = record["values"].get(value)
    return float(np.mean(number)) if isinstance(number, list) else number


def resampled(record: Record, value: str) -> np.ndarray:
    """A number of a record in each resample of the motifs. [B]"""
    values = record["values"]
    if f"{value}_resampled" in values:
        return np.array(values[f"{value}_resampled"], dtype=np.float64)
    counts = _counts(tuple(values["owners"]))[:, np.array(values["right"], dtype=bool)]
    return resampled_means(values[value], counts)


@cache
def _counts(owners: tuple[int, ...]) -> np.ndarray:
    return resampling(owners)
