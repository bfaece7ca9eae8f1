"""How long one explainer learns and explains on one data set: the cell of the study of times."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import spread
from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import subject_of
from gfx_core.bench.measures.stopwatch import clock, threads, timed
from gfx_core.bench.measures.validation import Validation
from gfx_core.bench.protocol import settling
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Learner, Method
from gfx_core.explainers.registry import chosen_settings, make_method
from gfx_core.explainers.rg import RGExplainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc

LOOKS = 20
"""How often one looks along a training."""


def measure(cell: Cell) -> dict[str, Any]:
    """Time one explainer on one data set, with a thread for each core.

    It is trained on all instances. What is looked at along the training are instances of the tuning half; where the
    looks fall is not chosen by any of them.

    Options: ``device``; ``alone`` and ``judged``, how many instances, evenly spread, are explained one by one and
    judged along the training; ``listed``, on how many at most the total variation from P ∝ R is followed; ``limit``
    and ``epochs`` as in Table 1.
    """
    with threads():
        dataset, model, instances = subject_of(cell)
        settings = chosen_settings(cell.method, cell.dataset, str(model.kind))
        method = make_method(
            cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=cell.options.get("epochs")
        )
        SubgraphPredictor(method.model, instances[:1], method.device)  # the device is awake before the clock starts
        tuning = np.flatnonzero(np.isin([i.index for i in instances], half_of(dataset.explainable, Half.TUNING)))
        known = tuning if len(tuning) else np.arange(len(instances))  # of very few instances none may be there
        judged = [instances[i] for i in spread(known, cell.options["judged"])]
        candidates = [instances[i] for i in known]
        learnt: dict[str, Any] = {}
        if isinstance(method, Learner):
            learnt = learning(method, instances, judged, Validation(candidates, cell.options["listed"]))
        values = {"instances": len(instances), "threads": torch.get_num_threads()}
        alone = spread(np.arange(len(instances)), cell.options["alone"]).tolist()
        return values | learnt | explaining(method, instances, alone)


def learning(
    method: Learner, instances: Sequence[Instance], judged: Sequence[Instance], validation: Validation | None = None
) -> dict[str, Any]:
    """Seconds of learning and, where one can look at what is learnt so far, the curve along the way.

    An epoch's end is what the learner tells of its progress; looking takes no training time and changes nothing.

    Args:
        method: What learns.
        instances: What it learns from.
        judged: The instances whose AUC is followed.
        validation: Follows how far GFlowExplainer is from P ∝ R.
    """
    ends: list[float] = []  # training seconds at the end of each epoch
    curve: list[dict[str, float]] = []
    away = 0.0  # seconds that were not training

    def after(share: float, words: str) -> None:
        nonlocal away
        now = clock(method.device)
        ends.append(now - started - away)
        if isinstance(method, GFlowMethod | RGExplainer) and len(ends) in looks_at(round(len(ends) / share)):
            curve.extend(look(method, judged, validation, {"epoch": len(ends), "seconds": ends[-1]}))
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
        values |= {"curve": curve, "judged": " ".join(str(i.index) for i in judged), **settling(curve)}
    if validation is not None and validation.indices:
        values["listed"] = " ".join(map(str, validation.indices))
    return values


def look(
    method: GFlowMethod | RGExplainer,
    judged: Sequence[Instance],
    validation: Validation | None,
    point: dict[str, float],
) -> list[dict[str, float]]:
    """A point of the curve, with what is known of it at this moment; none if no AUC can be told."""
    now = method.so_far()
    auc = pooled_auc(judged, [one.edge_mask for one in now.explain_many(judged)])
    if auc is None:
        return []
    point = point | {"auc": auc}
    if validation is not None and isinstance(now, GFlowMethod) and now.trained is not None:
        distance = validation.distance(now.model, now.trained, now.device)
        if distance is not None:
            point["tv"] = distance
    return [point]


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
