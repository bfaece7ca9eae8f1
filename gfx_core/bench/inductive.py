"""Explaining instances that were not trained on: AUC by the share of the motifs that were.

All nodes of a motif are on one side: a policy that has seen one of them has seen them all.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gfx_core.bench.auc import TITLES as _TITLES
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import Table, present, table_of, value_of
from gfx_core.datasets.registry import DATASETS

BENCHMARK = "inductive"
FUNCTION = "gfx_core.bench.generalisation:generalise"
VALUE = "auc_test"
SEEDS = 3
SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "90 %": 0.9}
"""Variants of a cell: the share of the motifs (in graph tasks, of the graphs) that is trained on."""

TITLES = _TITLES | {"gflow_sequence": "GFlow-Sequence"}
OWN_METHODS = {n: TITLES[n] for n in ("gflowexplainer", "gflow_sequence", "rgexplainer", "rgexplainer_plain")}
_COST = {"rgexplainer": 3.0, "rgexplainer_plain": 2.0}


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """Each learner on each data set with each share."""
    options = {"device": device} | ({"limit": 6, "epochs": 3} if quick else {})
    shares = ["30 %", "70 %"] if quick else list(SHARES)
    return [
        Cell(BENCHMARK, dataset, method, seed, variant, options)
        for dataset in datasets
        for method in methods or OWN_METHODS
        for variant in shares
        for seed in range(1 if quick else seeds or SEEDS)
    ]


def cost(cell: Cell) -> float:
    """Costly methods and large shares first."""
    return _COST.get(cell.method, 1.0) * SHARES[cell.variant]


def tables(records: Iterable[Record]) -> list[Table]:
    """AUC on what was not trained on, and on what was."""
    records = sorted(records, key=lambda r: list(SHARES).index(r["variant"]))
    datasets, methods = present(DATASETS, records, "dataset"), present(OWN_METHODS, records, "method")
    shown = {
        "auc_test": "AUC, own motif, on instances of motifs (or graphs) that were not trained on",
        "auc_train": "AUC, own motif, on the instances that were trained on",
    }
    return [
        table_of(records, value, title, datasets=datasets, methods=methods, titles=TITLES, best="high")
        for value, title in shown.items()
    ]


def figure(record: dict[str, Any]) -> Any:
    """AUC by share, a column for each data set; the mean over the seeds."""
    from gfx_core.drawing.study_figures import auc_by_share

    found: dict[str, dict[str, dict[float, list[float]]]] = {}
    for one in record["cells"]:
        auc = value_of(one, VALUE)
        if auc is not None:
            lines = found.setdefault(one["dataset"], {})
            lines.setdefault(TITLES[one["method"]], {}).setdefault(SHARES[one["variant"]], []).append(auc)
    return auc_by_share(
        {
            dataset: {
                method: {share: float(np.mean(values)) for share, values in sorted(line.items())}
                for method, line in lines.items()
            }
            for dataset, lines in found.items()
        }
    )
