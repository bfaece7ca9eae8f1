"""How long explainers learn and explain, and after how much training GFlowExplainer and RGExplainer stop improving.

Everything is trained from the beginning. Cells are computed one at a time, so that none slows another down.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gfx_core.bench import paper
from gfx_core.bench.auc import TITLES, cost, table_by_method
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import Best, Entry, Row, Table, present, value_of
from gfx_core.explainers.registry import METHODS

__all__ = ["BENCHMARK", "FUNCTION", "VALUE", "WORKERS", "cells", "cost", "figure", "tables"]

BENCHMARK = "time"
FUNCTION = "gfx_core.bench.timing:measure"
VALUE = "explain_ms"
WORKERS = 1
"""Cells that ran side by side would slow each other down."""

ALONE, JUDGED = 20, 100
"""Instances that are explained one by one, and instances whose AUC is followed along a training."""
TOLERANCE = 0.01
"""An AUC this near to the last one counts as final."""

Curve = list[dict[str, float]]


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """Each method on each data set; one seed unless more are asked for."""
    options: dict[str, Any] = {"device": device, "alone": ALONE, "judged": JUDGED}
    options |= {"limit": 4, "epochs": 3, "alone": 1} if quick else {}
    return [
        Cell(BENCHMARK, dataset, method, seed, options=options)
        for dataset in datasets
        for method in methods or METHODS
        for seed in range(1 if quick else seeds or 1)
    ]


def settled(curve: Curve, goal: float | None = None) -> int:
    """From which point on the AUC stays within `TOLERANCE` of its last value or, with a goal, not below the goal."""
    last = curve[-1]["auc"]
    good = [abs(p["auc"] - last) <= TOLERANCE if goal is None else p["auc"] >= goal for p in curve]
    return max((number + 1 for number, fine in enumerate(good) if not fine), default=0)


def tables(records: Iterable[Record]) -> list[Table]:
    """Times with the paper's below ours, then GFlowExplainer against RGExplainer."""
    records = list(records)
    methods, notes = present(METHODS, records, "method"), other_devices(records)
    learners = [name for name in methods if METHODS[name].learns]
    followed = [name for name in methods if any(value_of(r, "settled_s") for r in records if r["method"] == name)]

    def part(title: str, value: str, rows: list[str], digits: int, figures: paper.Figures | None = None) -> Table:
        best: Best = "high" if value == "auc_own" else "low"
        return table_by_method(records, value, title, best, figures, digits, rows, notes)

    found = [
        part("Milliseconds to explain one instance, alone", "explain_ms", methods, 1, paper.EXPLAIN_MS),
        part("Milliseconds an instance, all together", "explain_many_ms", methods, 2),
    ]
    if learners:
        found += [
            part("Seconds of training, pretraining included", "fit_s", learners, 1),
            part("Seconds an epoch", "epoch_s", learners, 3, paper.EPOCH_S),
        ]
    if "rgexplainer" in methods:
        found.append(part("Seconds of pretraining", "pretraining_s", ["rgexplainer"], 1))
    if followed:
        title = f"Seconds of training until the AUC stays within {TOLERANCE} of its last value, pretraining included"
        found.append(part(title, "settled_s", followed, 1))
        title = f"Seconds of training until the AUC stays at most {TOLERANCE} below its last value"
        found += [part(title, "reached_s", followed, 1), part("AUC, last value", "auc_own", followed, 3)]
    if {"gflowexplainer", "rgexplainer"} <= set(followed):
        found.append(_race(records, found[0].columns))
    return found


def other_devices(records: Sequence[Record]) -> dict[str, str]:
    """Which methods were not timed on the most used device, and on what they were."""
    devices: dict[str, set[str]] = {}
    for record in records:
        devices.setdefault(record["method"], set()).add(record["made"]["device"])
    usual = Counter(record["made"]["device"] for record in records).most_common(1)
    return {m: f", on {' and '.join(sorted(on))}" for m, on in devices.items() if on != {usual[0][0]}}


def _race(records: Sequence[Record], columns: Mapping[str, str]) -> Table:
    """How many times faster GFlowExplainer is than RGExplainer, by data set and over the seeds that both have."""
    labels = (
        f"until the AUC stays within {TOLERANCE} of its own last value",
        f"until it stays at most {TOLERANCE} below its own last value",
        f"until it stays at most {TOLERANCE} below RGExplainer's last value",
    )
    entries: list[dict[str, Entry]] = [{}, {}, {}]
    for dataset in columns:
        ours, theirs = (
            {r["seed"]: r["values"] for r in records if (r["dataset"], r["method"]) == (dataset, method)}
            for method in ("gflowexplainer", "rgexplainer")
        )
        ratios: list[list[float]] = [[], [], []]
        for seed in ours.keys() & theirs.keys():
            own, rg = ours[seed], theirs[seed]
            if "curve" not in own or "curve" not in rg:
                continue
            ratios[0].append(rg["settled_s"] / own["settled_s"])
            ratios[1].append(rg["reached_s"] / own["reached_s"])
            at = settled(own["curve"], rg["auc_own"] - TOLERANCE)
            if at < len(own["curve"]):
                ratios[2].append(rg["reached_s"] / own["curve"][at]["seconds"])
        for row, values in zip(entries, ratios, strict=True):
            row[dataset] = Entry(tuple(values))
        if ratios[1] and not ratios[2]:
            entries[2][dataset] = Entry(instead="not reached")
    rows = [Row(label, row) for label, row in zip(labels, entries, strict=True)]
    title = "How many times faster GFlowExplainer trains than RGExplainer with pretraining"
    return Table(title, columns, rows, digits=2)


def figure(record: dict[str, Any]) -> Any:
    """AUC along the training, a column for each data set."""
    from gfx_core.drawing.study_figures import auc_along_training

    curves: dict[str, dict[str, Curve]] = {}
    for one in record["cells"]:
        if one["seed"] == 0 and "curve" in one["values"]:
            curves.setdefault(one["dataset"], {})[TITLES[one["method"]]] = one["values"]["curve"]
    return auc_along_training(curves)
