"""A study: a question, the cells that answer it, and what their records say. One object has all of it.

A table is made of independent cells (data set × GNN × method × seed), which any process or machine can compute.
Declaring a study is light, so that a page can show all of them: what computes a cell is imported when one is computed.
"""

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.digest import code_digest, data_digest, file_digest
from gfx_core.bench.tables import (
    Quantity,
    Record,
    ResultEntry,
    ResultRow,
    ResultTable,
    entries_of,
    grouped,
    is_control,
    present,
    value_of,
)
from gfx_core.config import ASSETS, FragmentModel
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import DATASETS, dataset_info
from gfx_core.device import provenance
from gfx_core.drawing.charts import Axes, curve_panels
from gfx_core.errors import look_up
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.metrics.intervals import Verdict as IntervalVerdict
from gfx_core.text.numbers import listed

Verdict = IntervalVerdict | Literal["partly holds"]
"""What records say of a claim; one about many columns can hold in some of them only."""
KINDS = {
    "sum": "Sum, trained on fragments",
    "sum-plain": "Sum, trained on whole graphs",
    "gcn": "GCN of PyG",
    "gin": "GIN of PyG",
}
"""Titles of the kinds of GNN that studies explain."""
AS_IS, STUDENT = FragmentModel.AS_IS, FragmentModel.STUDENT
"""Who is queried about fragments: the GNN, or a student of it."""
GNN_SEEDS = 3
"""How many of each kind."""
TRAINED_ON = 100
"""From so many instances of the tuning half methods learn, at most."""
GNNS = ASSETS / "results" / "gnns"
"""Where those that are not shipped are kept."""


@dataclass(frozen=True)
class Cell:
    """What one cell of a table stands for.

    Attributes:
        benchmark: The study that computes it, which is also the name of its file.
        dataset: The data set.
        method: The explainer.
        seed: The seed of everything random in it.
        variant: What else distinguishes two cells, e.g. the share of the instances that is trained on.
        gnn: The GNN, by kind and seed (``gin-2``); empty if the study has one of each data set.
        options: How it is computed (plain JSON): ``device``, limits, epochs. Options do not make another cell: one
            with other options takes the place of the former.
    """

    benchmark: str
    dataset: str
    method: str
    seed: int
    variant: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    gnn: str = ""

    def __post_init__(self) -> None:
        for name in (self.benchmark, self.dataset, self.method, self.variant, self.gnn):
            if "/" in name:
                raise ValueError(f"a cell's names contain no “/” (got “{name}”)")
        plain = json.loads(json.dumps(dict(self.options), allow_nan=False))  # tuples become lists, as in the record
        object.__setattr__(self, "options", plain)

    @property
    def key(self) -> str:
        """Its place in the table."""
        return "/".join(
            filter(None, (self.benchmark, self.dataset, self.gnn, self.method, str(self.seed), self.variant))
        )

    @cached_property
    def config(self) -> str:
        """A hash of all that determines its values, but for rounding; the same on every device and in every process."""
        parts = {name: value for name, value in asdict(self).items() if name != "gnn" or value}
        parts["options"] = {name: value for name, value in self.options.items() if name != "device"}
        text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def device(self) -> str:
        """Where it is computed: the option ``device``, or the CPU."""
        return str(self.options.get("device", "cpu"))

    def __str__(self) -> str:
        return " ".join(filter(None, (self.dataset, self.gnn, self.method, self.variant, f"seed {self.seed}")))


def kind_of(gnn: str) -> str:
    """``gin`` of ``gin-2``."""
    return gnn.rsplit("-", 1)[0]


def gnn_file(dataset: str, gnn: str, folder: Path = GNNS) -> Path:
    """Where a GNN (``gin-2``) is: with the shipped ones if it is one of those, otherwise in a folder."""
    kind, seed = gnn.rsplit("-", 1)
    shipped = model_path(dataset, kind) if kind.startswith(DEFAULT_KIND) and seed == "0" else None
    return shipped if shipped and shipped.is_file() else folder / f"{dataset}-{gnn}.safetensors"


def success(
    cell: Cell, values: Mapping[str, Any], seconds: float, made_from: Mapping[str, str] | None = None
) -> Record:
    """The record of a cell that was computed; its values must be plain JSON without NaN."""
    plain = json.loads(json.dumps(dict(values), allow_nan=False))
    return _record(cell, cell.device, seconds) | {"made_from": dict(made_from or {}), "status": "done", "values": plain}


def failure(cell: Cell, sentence: str, seconds: float = 0.0) -> Record:
    """The record of a cell without values. The GPU is not queried for its name: it may be what failed."""
    record = _record(cell, "cpu", seconds) | {"status": "failed", "error": sentence}
    return record | {"made": record["made"] | {"device": cell.device}}


def _record(cell: Cell, device: str, seconds: float) -> Record:
    made = provenance(device) | {"cpu_cores": os.cpu_count()}
    return {"key": cell.key, "config": cell.config} | asdict(cell) | {"seconds": round(seconds, 3), "made": made}


@dataclass(frozen=True)
class Claim:
    """A sentence that records decide.

    Attributes:
        sentence: What is claimed, in at most 25 words.
        verdict: What the records say of it.
        number: The number that decides, with its interval where it has one.
        table: Title of the table that it comes from.
        summary: What the first sentence of all results says of GFlowExplainer because of it; nothing of most claims.
        conclusion: What the sentences after it say, in whole sentences; nothing of most claims.
    """

    sentence: str
    verdict: Verdict
    number: str
    table: str
    summary: tuple[str, ...] = ()
    conclusion: str = ""


def share_verdict(true: int, of_all: int) -> Verdict:
    """Of a claim about several places: it holds in all of them, in part, or, if it fails in most, it does not."""
    return "holds" if true == of_all else "does not hold here" if 2 * true < of_all else "partly holds"


@dataclass(frozen=True)
class Sweep:
    """Which cells of a study are wanted.

    Attributes:
        datasets: Some of its data sets.
        methods: Some of its methods.
        seeds: How many; None: as many as the study thinks right.
        device: ``cpu`` or ``cuda``.
        quick: Few instances, hardly any training: to see that it works.
        half: Which half of the instances is scored, in studies that tell them apart; None: the study's own choice.
        gnns: Some of its GNNs, in studies that have several; none: all.
    """

    datasets: Sequence[str]
    methods: Sequence[str]
    seeds: int | None = None
    device: str = "cpu"
    quick: bool = False
    half: str | None = None
    gnns: Sequence[str] = ()


class Study(ABC):
    """Subclass it in a file of its own and add it to `STUDIES` in `gfx_core.bench.report`.

    Attributes:
        name: Of the command, of its cells and of their file.
        title: Its chapter among the results.
        question: What it answers; the command's help shows it.
        short: What the page of results calls it; not shown there if empty.
        legend: What the marks of its figure mean.
        workers: The most processes, if more would spoil it.
        datasets: Titles of the data sets that it takes by default.
        any_dataset: Whether it takes the registry's other data sets too.
        methods: Titles of its methods.
        variants: What else distinguishes its cells.
        gnns: Names of its GNNs, where it has several of each data set.
        variant_titles: What people call those of them that have another name.
        seeds: How many by default; None: nothing in it is random.
        options: Of its cells, besides the device. A study with ``half`` among them can be run on another half.
        quick_options: Of its cells if they are to be quick, besides or instead of these.
        shown: The numbers that its tables show.
        axes: Of its figure, if that shows curves.
        costs: What cells of some methods or data sets cost in any unit, if not 1; the costly are computed first.
        code: Modules that decide its numbers, besides its own: a record is stale once one of them computes otherwise.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    short: ClassVar[str] = ""
    legend: ClassVar[str] = ""
    workers: ClassVar[int | None] = None
    datasets: ClassVar[Mapping[str, str]] = {name: info.title for name, info in DATASETS.items() if info.knows_reasons}
    any_dataset: ClassVar[bool] = True
    methods: ClassVar[Mapping[str, str]] = {name: info.title for name, info in METHODS.items()}
    variants: ClassVar[Sequence[str]] = ("",)
    gnns: ClassVar[Sequence[str]] = ()
    variant_titles: ClassVar[Mapping[str, str]] = {}
    seeds: ClassVar[int | None] = 1
    options: ClassVar[Mapping[str, Any]] = {}
    quick_options: ClassVar[Mapping[str, Any]] = {}
    shown: ClassVar[Sequence[Quantity]] = ()
    axes: ClassVar[Axes | None] = None
    costs: ClassVar[Mapping[str, float]] = {}
    code: ClassVar[Sequence[str]] = ()

    @abstractmethod
    def compute(self, cell: Cell) -> Mapping[str, Any]:
        """The values of a cell, plain JSON without NaN. Called in whatever process or machine is free."""

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """What the records of finished cells come to, a column for each data set."""
        return [table for quantity in self.shown if (table := self.by_method(records, quantity)).rows]

    def notes(self, records: Sequence[Record]) -> Mapping[str, str]:
        """What tables add to the titles of some methods."""
        return {}

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """What the records decide."""
        return []

    def weights(self, cell: Cell) -> list[Path]:
        """Files of weights that a cell reads."""
        return []

    @property
    def measured_in(self) -> str:
        """The module that defines its cells."""
        return type(self).__module__

    def made_from(self, cell: Cell, *, data: bool = True) -> dict[str, str]:
        """Digests of the code, the weights and, where they are to be loaded for it, the data behind a cell's values."""
        code = code_digest([self.measured_in, *self.code])
        found = {"code": code, "weights": "".join(map(file_digest, self.weights(cell)))}
        return found | ({"data": data_digest(cell.dataset)} if data else {})

    def stale(self, record: Record, *, data: bool = False) -> list[str]:
        """What has changed since a record was made: ``code``, ``weights``, ``data``.

        Args:
            record: One of its records.
            data: Whether to look at the data set, too, which has to be loaded for it.
        """
        cell = Cell(**{each.name: record[each.name] for each in fields(Cell) if each.name in record})
        made = record.get("made_from", {})
        now = self.made_from(cell, data=data)
        return [name for name, digest in now.items() if digest and digest != made.get(name)]

    def line(self, records: Sequence[Record]) -> Mapping[str, Sequence[float]]:
        """The columns of its axes for one line of its figure, from records of one data set and method; or nothing."""
        raise NotImplementedError

    def figure(self, records: Sequence[Record]) -> Any:
        """The records of one data set as a plotly figure, a line for each method."""
        assert self.axes is not None
        fields = ("method", "variant") if self.axes.variants else ("method",)
        curves: dict[tuple[str, str], Mapping[str, Sequence[float]]] = {}
        order = present(self.titles, records, "method")
        ordered = sorted(records, key=lambda record: order.index(record["method"]))
        for (method, *variants), some in grouped(ordered, *fields).items():
            if line := self.line(some):
                variant = "".join(self.variant_titles.get(name, name) for name in variants)
                curves[self.titles[method], variant] = line
        return curve_panels(curves, self.axes, self.titles[records[0]["dataset"]])

    @property
    def has_figure(self) -> bool:
        """Whether its records have a figure."""
        return self.axes is not None or type(self).figure is not Study.figure

    @property
    def benchmark(self) -> str:
        """The study whose cells these are: another one's, if it reads other numbers of the same records."""
        return self.name

    @cached_property
    def titles(self) -> dict[str, str]:
        """What people call data sets and methods, its own first, in the order in which they are shown."""
        own = {**self.datasets, **self.methods}
        return own | {name: title for name, title in {**Study.datasets, **Study.methods}.items() if name not in own}

    def listed(self, names: Iterable[str]) -> str:
        """Data sets or methods in a sentence, by their titles."""
        return listed([self.titles[name] for name in names])

    def by_method(self, records: Sequence[Record], quantity: Quantity) -> ResultTable:
        """One number: a row for each method and variant, a column for each data set.

        The paper's figures, for the methods in the table, are below the measured ones.
        """
        counted = [r for r in records if value_of(r, quantity.value) is not None]
        places, notes = grouped(counted, "method", "variant"), self.notes(records)
        order = [*self.variants, *(variant for _, variant in places)]
        methods, columns, rows = present(self.titles, counted, "method"), self.columns(records), []
        for method in methods:
            label = self.titles.get(method, method) + notes.get(method, "")
            for variant in sorted((variant for name, variant in places if name == method), key=order.index):
                entries = entries_of(places[method, variant], quantity)
                words = self.variant_titles.get(variant, variant)
                rows.append(ResultRow(f"{label} ({words})" if words else label, entries, control=is_control(method)))
        rows += self.paper_rows(quantity.paper, methods, columns)
        counts, half = self.seeds is not None, self.half_words(records)
        best, close = quantity.best, quantity.close
        return ResultTable(quantity.title, columns, rows, quantity.digits, best, counts, half, close=close)

    def paper_rows(
        self, figures: Mapping[str, Mapping[str, float]], methods: Iterable[str], columns: Iterable[str]
    ) -> list[ResultRow]:
        """The paper's figures for some methods and data sets, by method and data set."""
        found = []
        for method in [name for name in figures if name in methods]:
            entries = {name: ResultEntry((figure,)) for name, figure in figures[method].items() if name in columns}
            found += [ResultRow(f"{self.titles.get(method, method)} (paper)", entries, ours=False)] if entries else []
        return found

    def half_words(self, records: Sequence[Record]) -> str:
        """Which half of the instances some records are about, where the study has halves."""
        if "half" not in self.options:
            return ""
        found = {record["options"]["half"] for record in records}
        return " and ".join(half.words for half in Half if half in found)

    def columns(self, records: Sequence[Record]) -> dict[str, str]:
        """The data sets that the records are about, with their titles."""
        return {name: self.titles.get(name, name) for name in present(self.titles, records, "dataset")}

    def cells(self, sweep: Sweep) -> list[Cell]:
        """What is to be computed."""
        options = self.options_for(sweep)
        return [
            Cell(self.benchmark, dataset, method, seed, variant, options)
            for dataset in sweep.datasets
            for method in sweep.methods
            for variant in self.variants
            for seed in range(self.number_of_seeds(method, sweep))
        ]

    def options_for(self, sweep: Sweep) -> dict[str, Any]:
        """How its cells are computed."""
        half = {"half": sweep.half} if sweep.half is not None else {}
        return {"device": sweep.device, **self.options, **(self.quick_options if sweep.quick else {}), **half}

    def number_of_seeds(self, method: str, sweep: Sweep) -> int:
        """How many seeds a method gets: those requested, or the study's own number."""
        return 1 if sweep.quick or self.seeds is None else sweep.seeds or self.seeds

    def cost(self, cell: Cell) -> float:
        """What a cell costs."""
        return self.costs.get(cell.method, self.costs.get(cell.dataset, 1.0))

    def name_of(self, name: str, what: Literal["data set", "method", "GNN"]) -> str:
        """One of its data sets, methods or GNNs, by its name or title."""
        if what == "data set" and self.any_dataset and name not in self.datasets:
            return dataset_info(name).name
        known = {"data set": self.datasets, "method": self.methods, "GNN": {each: each for each in self.gnns}}
        return look_up(name, known[what], f"This study has no {what}")
