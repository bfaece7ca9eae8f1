"""How long one explainer learns and explains on one data set: the cell of the study of times."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import torch

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import spread, subject_of
from gfx_core.bench.measures.stopwatch import clock, timed
from gfx_core.bench.protocol import TOLERANCE, Curve, settled
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Learner, Method
from gfx_core.explainers.registry import chosen_settings, make_method
from gfx_core.explainers.rg import RGExplainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.auc import pooled_auc

LOOKS = 12
"""How often the AUC is computed along a training."""


def measure(cell: Cell) -> dict[str, Any]:
    """Time one explainer on one data set.

    Options: ``device``; ``alone`` and ``judged``, how many instances, evenly spread, are explained one by one and
    judged along the training; ``limit`` and ``epochs`` as in Table 1.
    """
    _, model, instances = subject_of(cell)
    settings = chosen_settings(cell.method, cell.dataset, str(model.kind))
    method = make_method(
        cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=cell.options.get("epochs")
    )
    SubgraphPredictor(method.model, instances[:1], method.device)  # the device is awake before the clock starts
    judged, alone = (spread(np.arange(len(instances)), cell.options[name]).tolist() for name in ("judged", "alone"))
    learnt = learning(method, instances, judged) if isinstance(method, Learner) else {}
    values = {"instances": len(instances), "threads": torch.get_num_threads()}
    return values | learnt | explaining(method, instances, alone)


def learning(method: Learner, instances: Sequence[Instance], judged: Sequence[int]) -> dict[str, Any]:
    """Seconds of learning and, where one can look at what is learnt so far, the AUC along the way.

    An epoch's end is what the learner tells of its progress; looking takes no training time and changes nothing.
    """
    some = [instances[i] for i in judged]
    ends: list[float] = []  # training seconds at the end of each epoch
    curve: Curve = []
    away = 0.0  # seconds that were not training

    def after(share: float, words: str) -> None:
        nonlocal away
        now = clock(method.device)
        ends.append(now - started - away)
        if isinstance(method, GFlowMethod | RGExplainer) and len(ends) in looks_at(round(len(ends) / share)):
            auc = pooled_auc(some, [one.edge_mask for one in method.so_far().explain_many(some)])
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
        "config": config_of(method),
    }
    if before:
        values |= {"pretraining_s": ends[before - 1], "pretraining_epochs": before}
        values["reinforce_s"] = seconds - ends[before - 1]
    if curve:
        values |= {"auc_own": curve[-1]["auc"], "curve": curve, "judged": " ".join(str(i.index) for i in some)}
        for name, goal in (("settled", None), ("reached", curve[-1]["auc"] - TOLERANCE)):
            point = curve[settled(curve, goal)]
            values |= {f"{name}_s": point["seconds"], f"{name}_epoch": point["epoch"]}
    return values


def config_of(method: Learner) -> dict[str, Any] | None:
    """How GFlowExplainer or RGExplainer has been trained; others have no more settings than a cell's options."""
    if isinstance(method, RGExplainer):
        return asdict(method.config)
    return method.trained.config.as_dict() if isinstance(method, GFlowMethod) and method.trained else None


def looks_at(epochs: int) -> list[int]:
    """Epochs after which to look, ever farther apart: what matters is how many times longer a training took."""
    return np.unique(np.geomspace(1, epochs, LOOKS).round().astype(int)).tolist()


def explaining(method: Method, instances: Sequence[Instance], alone: Sequence[int]) -> dict[str, Any]:
    """Milliseconds for an instance alone, and for each when all are explained together.

    Methods that explain one instance after the other even so have the mean of the single times there.
    """

    def seconds(some: Sequence[Instance]) -> float:
        explain = partial(method.explain, some[0]) if len(some) == 1 else partial(method.explain_many, some)
        return timed(explain, method.device)[0]

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
