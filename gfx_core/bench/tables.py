"""Records as tables: one value by method and data set, with intervals over motifs or ± over seeds, and which is best.

Two numbers are level if the 95 % interval of their difference contains 0, paired: over the same resampled motifs of the
instances that both have. Where motifs were not resampled they are level within a tolerance. What cannot know the GNN's
reasons is never best. Where such a control is level with the best explainer, or above it, a column cannot separate
explainers.
"""

import statistics
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.baselines.registry import METHODS
from gfx_core.bench.cells import CONTROLS, OWN, RESULTS, SEEN, STUDENT, read_records, records_path
from gfx_core.bench.studies import CONTENT, STUDIES, TITLES
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import DATASETS
from gfx_core.files import read_once, stamp
from gfx_core.metrics.intervals import interval, level, resampled_means, resampling
from gfx_core.text.numbers import listed

if TYPE_CHECKING:
    from pandas import DataFrame

CLOSE = 0.01
"""Two AUCs, fidelities or other shares that differ by no more are called level."""
ENOUGH = 0.5
"""The motif is called a GNN's reason if, seeing it alone, the GNN gives the same class at least this probability, more
than the class's share of the data set, and more than without the motif."""
SILENT, OTHER_REASON = "§", "‡"
"""Mark columns that cannot separate explainers, and those where the motif is not the GNN's reason."""
_NARROW = 0.02  # intervals below it have as many digits as their mean
_PAPER: dict[str, Any] = tomllib.loads((ASSETS / "content" / "paper.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Entry:
    """One place of a table.

    Attributes:
        values: One for each seed, or each GNN and seed.
        resampled: By a number of instances, the mean of the first so many of them in each resample of the motifs. [B]
    """

    values: Sequence[float]
    resampled: Mapping[int, Doubles] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float:
        """The sample's standard deviation (n - 1); 0 for a single value."""
        return statistics.stdev(self.values) if len(self.values) > 1 else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """The middle 95 % over the motifs of all instances."""
        return interval(self.resampled[max(self.resampled)]) if self.resampled else None

    def text(self, digits: int = 3) -> str:
        """``mean [low, high]`` where motifs were resampled, else ``mean ± std``."""
        text = f"{self.mean:.{digits}f}"
        if (bounds := self.interval) is not None:
            digits = 2 if bounds[1] - bounds[0] >= _NARROW else digits  # else the mean can seem to be outside
            return f"{text} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"
        return text + f" ± {self.deviation:.{digits}f}" * (len(self.values) > 1)


@dataclass(frozen=True)
class Row:
    """One line of a table: what it is about, its numbers by data set, and its method; none of the paper's figures."""

    label: str
    entries: Mapping[str, Entry]
    method: str = ""


@dataclass(frozen=True)
class Table:
    """One quantity by data set, of an entry in ``assets/content/studies.toml``.

    Attributes:
        name: Of the entry.
        title: What is shown.
        columns: Titles of the data sets by name, with their marks.
        rows: What it is shown for.
        best: Whether ``high`` or ``low`` numbers are good; empty if none is better than another.
        digits: After the point.
        close: Numbers that differ by no more are level.
        notes: Sentences to be read with it.
    """

    name: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Row]
    best: str = ""
    digits: int = 3
    close: float = CLOSE
    notes: Sequence[str] = ()

    def text(self, row: Row, dataset: str) -> str:
        """What stands at one place."""
        return row.entries[dataset].text(self.digits) if dataset in row.entries else "–"

    def means(self, dataset: str) -> dict[str, float]:
        """The means of the methods of a column, by label."""
        return {row.label: row.entries[dataset].mean for row in self.rows if row.method and dataset in row.entries}

    def best_of(self, dataset: str) -> set[str]:
        """The labels that are best in a column, with all that are level with them.

        None is, where no number is better than another, where all are level, or where a control is as good as the best.
        """
        rows = self._ranked(dataset)
        explainers = [row for row in rows if not is_control(row.method)]
        if not self.best or not explainers or self.is_silent(dataset):
            return set()
        first = explainers[0].entries[dataset]
        level = [row for row in rows if self._is_level(first, row.entries[dataset])]
        return {row.label for row in level if row in explainers} if len(level) < len(rows) else set()

    def is_silent(self, dataset: str) -> bool:
        """Whether a column cannot separate explainers, because a control is level with the best of them or above it."""
        rows = self._ranked(dataset)
        controls, explainers = ([row for row in rows if is_control(row.method) is kind] for kind in (True, False))
        if not self.best or not controls or not explainers:
            return False
        return rows[0] in controls or self._is_level(*(some[0].entries[dataset] for some in (explainers, controls)))

    def _ranked(self, dataset: str) -> list[Row]:
        """The rows that are compared, the best first."""
        rows = [row for row in self.rows if row.method not in ("", *SEEN) and dataset in row.entries]
        return sorted(rows, key=lambda row: row.entries[dataset].mean, reverse=self.best != "low")

    def _is_level(self, one: Entry, other: Entry) -> bool:
        """Whether two numbers cannot be told apart; pairs are of the instances that both have, if these are known."""
        if one.resampled and other.resampled:
            common = one.resampled.keys() & other.resampled.keys()
            return level(*(entry.resampled[max(common or entry.resampled)] for entry in (one, other)))
        difference = abs(one.mean - other.mean)
        return difference <= self.close + 1e-9 or round(one.mean, self.digits) == round(other.mean, self.digits)

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


# From records to tables


def tables(study: str, folder: Path = RESULTS) -> Mapping[str, Table]:
    """The tables of a study for whose values there are records, by name; they are made once and not to be changed."""
    return _tables(records_path(study, folder), study, stamp(records_path("reasons", folder)))


@read_once(2 * len(STUDIES))
def _tables(path: Path, study: str, _reasons: tuple[int, int]) -> dict[str, Table]:
    folder = path.parent
    records = read_records(study, folder)
    entries = [entry for entry in CONTENT["table"] if entry["study"] == study and entry["value"] in records]
    entries = [entry for entry in entries if entry.get("variant") != "chosen" or "student_chosen" in records]
    return {entry["name"]: table for entry in entries if (table := _table(entry, records, folder)).columns}


def _table(entry: Mapping[str, Any], records: "DataFrame", folder: Path) -> Table:
    study, value, kind, variant = STUDIES[entry["study"]], entry["value"], entry.get("kind"), entry.get("variant")
    if kind:
        records = records[records["gnn"].str.rpartition("-")[0] == kind]
    if variant == "chosen":  # as `explain` does it: GFlowExplainer queries a student where that is better
        better = records.groupby(["dataset", "gnn"])["student_chosen"].transform("max").eq(True)
        records = records[(records["variant"] == STUDENT) == (better & (records["method"] == OWN))]
    elif variant:
        records = records[records["variant"] == variant]
    if "otherwise" in entry:
        records = records.assign(**{value: records[value].fillna(records[entry["otherwise"]])})
    needed = ("method", "variant", "dataset", "owners", "right", value, f"{value}_resampled")
    records = records.loc[records[value].notna(), [name for name in needed if name in records]]
    shares = records["variant"] if study.name == "inductive" else ""
    groups = dict(list(records.assign(share=shares).groupby(["method", "share", "dataset"], sort=False)))
    columns = {name: title for name, title in TITLES.items() if name in set(records["dataset"])}
    sizes = {name: set(here["owners"].map(len)) for name, here in records.groupby("dataset")} if "over" in entry else {}
    rows = []
    for method, title in study.titles.items():
        for share in dict.fromkeys(key[1] for key in groups if key[0] == method):
            here = {name: groups[method, share, name] for name in columns if (method, share, name) in groups}
            entries = {name: _entry(some, value, sizes.get(name, ())) for name, some in here.items()}
            rows.append(Row(f"{title} ({share})" if share else title, entries, method))
    for method, figures in _PAPER.get(entry.get("paper", ""), {}).items():
        entries = {name: Entry([figure]) for name, figure in zip(DATASETS, figures, strict=False) if name in columns}
        rows.append(Row(f"{METHODS[method].title} (paper)", entries))
    settings = {name: entry[name] for name in ("best", "digits", "close") if name in entry}
    table = Table(entry["name"], entry["title"], columns, rows, **settings)
    silent = [name for name in columns if study.name != "timing" and table.is_silent(name)]
    other = [name for name in other_reasons(kind or "sum", folder) if name in columns and study.name in _REASONED]
    notes = [entry["note"]] if "note" in entry else []
    for mark, (why, names) in {SILENT: (_CONTROL, silent), OTHER_REASON: (_OTHER, other)}.items():
        notes += [f"{mark} {why}: {listed([TITLES[name] for name in names])}."] if names else []
        columns |= {name: f"{columns[name]} {mark}" for name in names}
    return replace(table, columns=columns, notes=notes)


_REASONED = ("explainers", "reasons")
_CONTROL = "A control, which cannot know the GNN's reasons, is level with the best explainer or above it"
_OTHER = "The motif is not the reason of these GNNs"


def _entry(records: "DataFrame", value: str, sizes: Iterable[int]) -> Entry:
    """The means of records, and their mean in each resample of the motifs of so many first instances, if any."""
    values = [float(np.mean(number)) for number in (records[value] if sizes else records[value].explode())]
    if not sizes:
        return Entry(values)
    draws: dict[int, list[Doubles]] = {}
    if (kept := f"{value}_resampled") in records:
        for owners, resampled in zip(records["owners"], records[kept], strict=True):
            draws.setdefault(len(owners), []).append(np.asarray(resampled, dtype=np.float64))
    else:
        for owners, right, scores in zip(records["owners"], records["right"], records[value], strict=True):
            for size in (size for size in sizes if size <= len(owners)):
                scored = np.array(right[:size], dtype=bool)
                counts = _counts(tuple(owners[:size]))[:, scored]
                draws.setdefault(size, []).append(resampled_means(scores[: scored.sum()], counts))
    return Entry(values, {size: _mean_of_known(np.array(some)) for size, some in draws.items()})


@cache
def _counts(owners: tuple[int, ...]) -> np.ndarray:
    return resampling(owners)


def _mean_of_known(draws: Doubles) -> Doubles:
    """The mean over records of what is finite. [records, B] → [B]"""
    known = np.isfinite(draws)
    with np.errstate(invalid="ignore"):  # NaN where no record has it
        return np.where(known, draws, 0).sum(0) / known.sum(0)


def other_reasons(kind: str, folder: Path = RESULTS) -> list[str]:
    """The data sets where the motif is not the reason of a kind of GNN, over its seeds."""
    records = read_records("reasons", folder)
    if "motif_alone" not in records:
        return []
    records = records[(records["method"] == kind) & records["motif_alone"].notna()]
    means = records[["motif_alone", "without_motif", "prior"]].map(np.mean).groupby(records["dataset"], sort=False)
    return [str(name) for name, (alone, *rest) in means.mean().iterrows() if alone < max(ENOUGH, *rest)]
