"""How long explainers learn and explain, and after how much training GFlowExplainer and RGExplainer stop improving.

Everything is trained from the beginning. Cells are computed one at a time, so that none slows another down.
"""

import statistics
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from gfx_core.bench import paper
from gfx_core.bench.auc import TITLES, cost
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.scoring import spread
from gfx_core.bench.tables import NOTHING, Value, mean_std, table_of, value_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.explainers.from_policy import FromPolicy
from gfx_core.explainers.method import Learner, Method
from gfx_core.explainers.registry import METHODS, make_method
from gfx_core.explainers.rg import RGExplainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.auc import pooled_auc

__all__ = ["BENCHMARK", "FUNCTION", "VALUE", "WORKERS", "cells", "cost", "figure", "table"]

BENCHMARK = "time"
FUNCTION = "gfx_core.bench.times:measure"
VALUE = "explain_ms"
WORKERS = 1
"""Cells that ran side by side would slow each other down."""

ALONE, JUDGED, LOOKS = 20, 100, 12
"""Instances explained one by one, instances whose AUC is followed, and how often it is computed along a training."""
TOLERANCE = 0.01
"""An AUC this near to the last one counts as final."""

Curve = list[dict[str, float]]


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """Each method on each data set; one seed unless more are asked for."""
    options: dict[str, Any] = {"device": device, "alone": ALONE, "judged": JUDGED}
    options |= {"limit": 12, "epochs": 3, "alone": 2} if quick else {}
    return [
        Cell(BENCHMARK, dataset, method, seed, options=options)
        for dataset in datasets
        for method in methods or METHODS
        for seed in range(1 if quick else seeds or 1)
    ]


def measure(cell: Cell) -> dict[str, Any]:
    """Time one explainer on one data set.

    Options: ``device``; ``alone`` and ``judged``, how many instances, evenly spread, are explained one by one and
    judged along the training; ``limit`` and ``epochs`` as in Table 1.
    """
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    indices = spread(dataset.explainable, cell.options.get("limit"))
    instances = [dataset.instance(int(index)) for index in indices]
    method = make_method(cell.method, model, seed=cell.seed, device=cell.device, epochs=cell.options.get("epochs"))
    SubgraphPredictor(method.model, instances[:1], method.device)  # the device is awake before the clock starts
    values: dict[str, Any] = {"instances": len(instances), "threads": torch.get_num_threads()}
    if isinstance(method, Learner):
        values |= learning(method, instances, spread(np.arange(len(instances)), cell.options["judged"]).tolist())
    return values | explaining(method, instances, spread(np.arange(len(instances)), cell.options["alone"]).tolist())


def clock(device: torch.device) -> float:
    """Seconds, once the device has done all it was told to."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def learning(method: Learner, instances: Sequence[Instance], judged: Sequence[int]) -> dict[str, Any]:
    """Seconds of learning and, where one can look at what is learnt so far, the AUC along the way.

    An epoch's end is what the learner tells of its progress; looking takes no training time and changes nothing.
    """
    some = [instances[i] for i in judged]
    ends: list[float] = []  # training seconds at the end of each epoch
    curve: Curve = []
    looks: set[int] = set()
    away = 0.0  # seconds that were not training

    def after(share: float, words: str) -> None:
        nonlocal away
        now = clock(method.device)
        ends.append(now - started - away)
        if isinstance(method, FromPolicy | RGExplainer):
            if not looks:
                looks.update(looks_at(round(1 / share)))
            if len(ends) in looks:
                found = method.so_far().explain_many(some)
                auc = pooled_auc(some, [one.edge_scores for one in found])
                if auc is not None:
                    curve.append({"epoch": len(ends), "seconds": ends[-1], "auc": auc})
        away += clock(method.device) - now

    started = clock(method.device)
    method.fit(instances, progress=after)
    seconds = clock(method.device) - started - away
    before = method.config.pretraining_epochs if isinstance(method, RGExplainer) else 0
    values: dict[str, Any] = {
        "fit_s": seconds,
        "epochs": len(ends) - before,
        "epoch_s": statistics.median(np.diff([0.0, *ends])[before:].tolist()),
    }
    if before:
        values |= {"pretraining_s": ends[before - 1], "pretraining_epochs": before}
    if curve:
        final = curve[settled(curve)]
        values |= {"settled_s": final["seconds"], "settled_epoch": final["epoch"], "auc_own": curve[-1]["auc"]}
        values |= {"curve": curve, "judged": " ".join(str(instance.index) for instance in some)}
    return values


def looks_at(epochs: int) -> list[int]:
    """Epochs after which to look, ever farther apart: what matters is how many times longer a training took."""
    return np.unique(np.geomspace(1, epochs, LOOKS).round().astype(int)).tolist()


def settled(curve: Curve, goal: float | None = None) -> int:
    """From which point on the AUC stays within `TOLERANCE` of its last value or, with a goal, not below the goal."""
    last = curve[-1]["auc"]
    good = [abs(p["auc"] - last) <= TOLERANCE if goal is None else p["auc"] >= goal for p in curve]
    return max((number + 1 for number, fine in enumerate(good) if not fine), default=0)


def explaining(method: Method, instances: Sequence[Instance], alone: Sequence[int]) -> dict[str, Any]:
    """Milliseconds for an instance alone, and for each when all are explained together.

    Methods that explain one instance after the other even so have the mean of the single times there.
    """

    def seconds(some: Sequence[Instance]) -> float:
        started = clock(method.device)
        method.explain(some[0]) if len(some) == 1 else method.explain_many(some)
        return clock(method.device) - started

    seconds([instances[alone[0]]])  # warm up
    each = [1000 * seconds([instances[i]]) for i in alone]
    together = type(method).explain_many is not Method.explain_many
    return {
        "explain_ms": statistics.median(each),
        "explain_ms_mean": statistics.fmean(each),
        "explain_many_ms": 1000 * seconds(instances) / len(instances) if together else statistics.fmean(each),
        "together": together,
        "alone": " ".join(str(instances[i].index) for i in alone),
    }


def table(records: Iterable[Record]) -> str:
    """Times with the paper's below ours, then GFlowExplainer against RGExplainer."""
    records = list(records)
    datasets = [name for name in DATASETS if any(r["dataset"] == name for r in records)]
    methods = [name for name in METHODS if any(r["method"] == name for r in records)]
    learners = [name for name in methods if METHODS[name].learns]

    def part(title: str, value: Value, rows: list[str], digits: int, figures: paper.Figures | None = None) -> str:
        below = {f"{TITLES[m]} (paper)": row for m, row in (figures or {}).items() if m in rows}
        text = table_of(records, value, digits=digits, datasets=datasets, methods=rows, titles=TITLES, paper=below)
        return f"**{title}**\n\n{text}"

    parts = [
        part("Milliseconds to explain one instance, alone", "explain_ms", methods, 1, paper.EXPLAIN_MS),
        part("Milliseconds an instance, all together", "explain_many_ms", methods, 2),
    ]
    if learners:
        parts += [
            part("Seconds of training, pretraining included", "fit_s", learners, 1),
            part("Seconds an epoch", "epoch_s", learners, 3, paper.EPOCH_S),
        ]
    if "rgexplainer" in methods:
        parts.append(part("Seconds of pretraining", "pretraining_s", ["rgexplainer"], 1))
    followed = [name for name in methods if any(value_of(r, "settled_s") for r in records if r["method"] == name)]
    if followed:
        title = f"Seconds of training until the AUC stays within {TOLERANCE} of its last value, pretraining included"
        parts += [part(title, "settled_s", followed, 1), part("Its last value", "auc_own", followed, 3)]
    if {"gflowexplainer", "rgexplainer"} <= set(followed):
        parts.append(_race(records, datasets))
    return "\n\n".join(parts)


def _race(records: Sequence[Record], datasets: Sequence[str]) -> str:
    """How many times faster GFlowExplainer is than RGExplainer, by data set and over the seeds that both have."""
    rows: dict[str, list[str]] = {"to its own final AUC": [], "to RGExplainer's final AUC": []}
    for dataset in datasets:
        ours, theirs = (
            {r["seed"]: r["values"] for r in records if (r["dataset"], r["method"]) == (dataset, method)}
            for method in ("gflowexplainer", "rgexplainer")
        )
        own, same = [], []
        for seed in ours.keys() & theirs.keys():
            curve, rg = ours[seed].get("curve"), theirs[seed]
            if not curve or "settled_s" not in rg:
                continue
            own.append(rg["settled_s"] / ours[seed]["settled_s"])
            at = settled(curve, rg["auc_own"] - TOLERANCE)
            if at < len(curve):
                same.append(rg["settled_s"] / curve[at]["seconds"])
        rows["to its own final AUC"].append(mean_std(own, 2))
        rows["to RGExplainer's final AUC"].append(mean_std(same, 2) if same else f"{NOTHING} (not reached)")
    lines = [f"| {' | '.join(['', *(TITLES[name] for name in datasets)])} |", "|---|" + "---:|" * len(datasets)]
    lines += [f"| {' | '.join([label, *numbers])} |" for label, numbers in rows.items()]
    return "\n".join(
        ["**How many times faster than RGExplainer (with pretraining) GFlowExplainer trains**", "", *lines]
    )


def figure(record: dict[str, Any]) -> Any:
    """AUC along the training, a column for each data set."""
    from gfx_core.drawing.study_figures import auc_along_training

    curves: dict[str, dict[str, Curve]] = {}
    for one in record["cells"]:
        if one["seed"] == 0 and "curve" in one["values"]:
            curves.setdefault(one["dataset"], {})[TITLES[one["method"]]] = one["values"]["curve"]
    return auc_along_training(curves)
