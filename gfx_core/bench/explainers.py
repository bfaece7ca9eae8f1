"""Every explainer on several GNNs of each data set: the cells behind the tables of answers, of AUC and of any GNN.

Three seeds of four kinds of GNN are explained: our sum GNN trained on fragments and on whole graphs only, and PyG's GCN
and GIN. Sizes were fixed before any number was seen: at most 30 instances a cell, one of each motif first; three seeds
of each explainer on the kind that is shipped and one on the others; SubgraphX on 15 instances.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gfx_core.baselines.registry import METHODS, STUDY_METHODS, chosen_settings
from gfx_core.bench.digest import code_digest
from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import (
    CONSTANT,
    CONTROLS,
    OWN,
    SHIPPED,
    Best,
    Record,
    ResultEntry,
    ResultRow,
    ResultTable,
    is_control,
)
from gfx_core.config import ASSETS
from gfx_core.datasets.graph import Half
from gfx_core.metrics.intervals import resampled_means, resampling
from gfx_core.text.numbers import listed

KINDS = {
    "sum": "Sum, trained on fragments",
    "sum-plain": "Sum, trained on whole graphs",
    "gcn": "GCN of PyG",
    "gin": "GIN of PyG",
}
GNN_SEEDS = 3
AS_IS, STUDENT = "as is", "student"
_LOOK_INSIDE = ("degree", "rgexplainer", "rgexplainer_plain", "subgraphx", "gflow_paper")
"""Methods for our own GNNs only."""
_ONCE = ("subgraphx", "rgexplainer", "rgexplainer_plain", "gflow_paper", CONSTANT)
"""Methods that are measured on the shipped kind of GNN alone, with one seed: a cell takes a minute."""
_FEWER_INSTANCES = {"subgraphx": 15}
SILENT = "§"
"""Marks a column that cannot separate explainers."""


def kind_of(gnn: str) -> str:
    """``gin`` of ``gin-2``."""
    return gnn.rsplit("-", 1)[0]


def gnn_file(cell: Cell) -> Path:
    """Where the GNN of a cell is: with the shipped ones, or with the results."""
    kind, seed = cell.gnn.rsplit("-", 1)
    if kind.startswith("sum") and seed == "0":
        return ASSETS / "models" / f"{cell.dataset}-{kind}.safetensors"
    return ASSETS / "results" / "gnns" / f"{cell.dataset}-{cell.gnn}.safetensors"


class Explainers(Study):
    """A study subclasses it and shows some of the numbers; whichever is run measures the cells of all."""

    methods: ClassVar[Mapping[str, str]] = {
        **Study.methods,
        "gflow_paper": STUDY_METHODS["gflow_paper"].title,
        SHIPPED: "GFlowExplainer, shipped policy",
        CONSTANT: CONTROLS[CONSTANT],
    }
    gnns: ClassVar = tuple(f"{kind}-{seed}" for kind in KINDS for seed in range(GNN_SEEDS))
    seeds = 3
    options: ClassVar = {"half": str(Half.REPORTING), "limit": 30, "trained_on": 100}
    quick_options: ClassVar = {"limit": 3, "trained_on": 4, "epochs": 2}
    costs: ClassVar = {OWN: 1000.0, "subgraphx": 100.0, "gnnexplainer": 50.0, "rgexplainer": 50.0}
    code: ClassVar[Sequence[str]] = (
        "gfx_core.bench.scoring",
        "gfx_core.explanation.answer",
        "gfx_core.explanation.flows",
        "gfx_core.exact.modes",
        "gfx_core.gfn.rewards",
        "gfx_core.gfn.reward_terms",
        "gfx_core.metrics.edges",
    )

    @property
    def benchmark(self) -> str:
        return "explainers"

    def cells(self, sweep: Sweep) -> list[Cell]:
        """Which methods explain which GNNs, as they are and through a student."""
        options, found = self.options_for(sweep), []
        gnns = sweep.gnns or (self.gnns[:1] if sweep.quick else self.gnns)
        for dataset in sweep.datasets:
            for gnn in gnns:
                for method in sweep.methods:
                    fewer = min(_FEWER_INSTANCES.get(method, options["limit"]), options["limit"])
                    for variant in _variants(dataset, gnn, method):
                        repeated = self.seeds if (kind_of(gnn), variant) == ("sum", AS_IS) else 1
                        seeds = repeated if _is_random(method) and not sweep.quick else 1
                        for seed in range(min(seeds, sweep.seeds or seeds)):
                            noise = {"noise": True} if (gnn, variant, seed) == ("sum-0", AS_IS, 0) else {}
                            how = {**options, "limit": fewer, **noise}
                            found.append(Cell(self.benchmark, dataset, method, seed, variant, how, gnn))
        return found

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.scoring import score

        return score(cell)

    def weights(self, cell: Cell) -> list[Path]:
        return [gnn_file(cell)]

    @property
    def measured_in(self) -> str:
        return __name__

    def made_from(self, cell: Cell, *, data: bool = True) -> dict[str, str]:
        """The module and the settings of the method count, too."""
        loader = METHODS[cell.method].loader if cell.method in METHODS else ""
        own = [f"gfx_core.baselines.{loader.split(':')[0]}"] if isinstance(loader, str) and loader else []
        chosen = chosen_settings(cell.method, cell.dataset, "sum") if cell.method in METHODS else {}
        settings = json.dumps(chosen, sort_keys=True)
        return super().made_from(cell, data=data) | {"method": code_digest(own), "settings": settings}

    def compared(
        self, records: Sequence[Record], value: str, title: str, *, best: Best = "high", others: Iterable[str] = ()
    ) -> ResultTable:
        """One number by method and data set, with intervals over motifs and marks on columns.

        Args:
            records: Those of one kind of GNN and one variant.
            value: Its name in the values.
            title: Of the table.
            best: Which numbers are good.
            others: Methods that are left out.
        """
        columns, rows = self.columns(records), []
        for method in [name for name in self.methods if name not in others]:
            entries = {name: entry(records, value, dataset=name, method=method) for name in columns}
            if any(each.values for each in entries.values()):
                rows.append(ResultRow(self.methods[method], entries, control=is_control(method)))
        table = ResultTable(title, columns, rows, best=best, half=self.half_words(records))
        silent = [name for name in columns if table.silenced_by(name)]
        why = f"{SILENT} A control is level with the best explainer or above it: {self.listed(silent)}."
        marked = {name: title + f" {SILENT}" * (name in silent) for name, title in columns.items()}
        return replace(table, columns=marked, notes=[why] if silent else [])

    def standing(self, table: ResultTable, ours: str) -> tuple[int, int, str]:
        """In how many columns that can separate explainers a row is first or level, of how many, and the others."""
        best = {name: found for name in table.columns if (found := table.best_of(name))}
        behind = [name for name, found in best.items() if ours not in found]
        return len(best) - len(behind), len(best), listed([self.titles[name] for name in behind])


def _variants(dataset: str, gnn: str, method: str) -> list[str]:
    """How a method explains a GNN: as it is, through a student, or not at all."""
    kind, blind = kind_of(gnn), method in METHODS and not METHODS[method].uses_gnn
    if method == SHIPPED:
        return [AS_IS] if gnn == "sum-0" and _is_shipped(dataset) else []
    if method in _ONCE:
        return [AS_IS] if kind == "sum" else []
    if method in _LOOK_INSIDE or blind:
        return [AS_IS] if blind or kind.startswith("sum") else []
    return [AS_IS, STUDENT] if kind.startswith("sum") or method == OWN else [AS_IS]


def _is_random(method: str) -> bool:
    return method not in _ONCE and (method not in METHODS or METHODS[method].seeded)


@cache
def _is_shipped(dataset: str) -> bool:
    return (ASSETS / "policies" / f"{dataset}-sum.safetensors").is_file()


def of(records: Iterable[Record], kind: str | None = None, variant: str | None = AS_IS) -> list[Record]:
    """The records of one kind of GNN, and of one variant."""
    return [
        record
        for record in records
        if kind in (None, kind_of(record["gnn"])) and variant in (None, record["variant"]) and "auc" in record["values"]
    ]


def entry(records: Iterable[Record], value: str, **fields: str) -> ResultEntry:
    """A number of some records: its mean over GNNs and seeds, and that mean in each resample of the motifs."""
    chosen = [r for r in records if all(r[name] == wanted for name, wanted in fields.items())]
    found = [(number, resampled(record, value)) for record in chosen if (number := mean(record, value)) is not None]
    if not found:
        return ResultEntry()
    return ResultEntry(
        tuple(number for number, _ in found),
        resampled=tuple(np.ma.masked_invalid([each for _, each in found]).mean(0).filled(np.nan).tolist()),
    )


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
