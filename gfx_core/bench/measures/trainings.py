"""Trainings that are followed to their end: losses compared, times taken, motifs left out."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import spread
from gfx_core.baselines.generators import GFlowMethod
from gfx_core.baselines.method import Learner, Method
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.baselines.rgexplainer import RGExplainer
from gfx_core.bench.inductive import start_of
from gfx_core.bench.measures.gnn_answers import load_subject
from gfx_core.bench.measures.stopwatch import clock, threads, timed
from gfx_core.bench.study import Cell
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ExactTargets, rewarded
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc

POINTS = 100
"""Points of a curve."""
SAMPLES = 64
WATCHED = 64
"""Instances on which the residual is measured."""
EXACT, CANDIDATES, CAP = 10, 40, 20_000
"""At most so many instances are listed, found among so many candidates; each has at most so many states."""

MOST_STATES = 100_000
"""Of all instances whose distance is followed together: what can be looked at every few seconds on two cores."""

LOOKS = 20
"""How often one looks along a training."""


def list_first(
    candidates: Iterable[Instance],
    count: int,
    room: int,
    model: GNN,
    trained: TrainedPolicy,
    device: str | torch.device,
) -> tuple[list[int], ExactTargets | None]:
    """The states of the first candidates that can be listed, and the indices of these; None if there are none.

    In graph tasks the start node is the first one of the motif: the locator is still learning.

    Args:
        candidates: The instances to choose from, in this order.
        count: How many at most.
        room: How many states they may have in all; the last one may have more.
        model: The GNN.
        trained: The policy: how many nodes a subgraph may have, and its reward.
        device: Where to compute.
    """
    chosen: list[Instance] = []
    dags: list[StateDag] = []
    for instance in candidates:
        listed = list_all([instance], [start_of(instance)], trained.config.max_nodes, min(CAP, room))
        for dag in listed.values():
            chosen.append(instance)
            dags.append(dag)
            room -= dag.num_states
        if len(chosen) == count or room <= 0:
            break
    if not chosen:
        return [], None
    predictor = SubgraphPredictor(model, chosen, device)
    graphs = FlowGraphs(predictor, trained.config.policy)
    states = ExactTargets(graphs, rewarded(Reward(predictor, trained.config.reward), dags), trained.config)
    return [instance.index for instance in chosen], states


class Validation:
    """Total variation from R/Z on some instances, the same at every look.

    Args:
        candidates: The instances to choose from, in one fixed random order.
        count: How many at most.
    """

    def __init__(self, candidates: Sequence[Instance], count: int) -> None:
        self._candidates, self._count = candidates, count
        self._states: ExactTargets | None = None
        self.indices: list[int] = []
        """Of the instances that were chosen, once that is done."""

    def distance(self, model: GNN, trained: TrainedPolicy, device: str | torch.device) -> float | None:
        """The mean over the instances; None if none of them can be listed."""
        if self._candidates:
            order = np.random.RandomState(0).permutation(len(self._candidates))
            some = (self._candidates[number] for number in order)
            self.indices, self._states = list_first(some, self._count, MOST_STATES, model, trained, device)
            self._candidates = []
        if self._states is None:
            return None
        return float(self._states.total_variations(trained.policy).mean())


def explainer_times(cell: Cell) -> dict[str, Any]:
    """Time one explainer on one data set, with a thread for each core.

    It is trained on all instances. What is looked at along the training are instances of the tuning half; where the
    looks fall is not chosen by any of them.

    Options: ``device``; ``alone`` and ``judged``, how many instances, evenly spread, are explained one by one and
    judged along the training; ``listed``, on how many at most the total variation from P ∝ R is followed; ``limit``
    and ``epochs`` as in Table 1.
    """
    with threads(cell.options.get("threads")):
        dataset, model, instances = load_subject(cell)
        settings = chosen_settings(cell.method, cell.dataset, model.name)
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
    method: Learner, instances: Sequence[Instance], judged: Sequence[Instance], validation: Validation
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
        values |= {"curve": curve, "judged": " ".join(str(i.index) for i in judged)}
    if validation.indices:
        values["listed"] = " ".join(map(str, validation.indices))
    return values


def look(
    method: GFlowMethod | RGExplainer, judged: Sequence[Instance], validation: Validation, point: dict[str, float]
) -> list[dict[str, float]]:
    """A point of the curve, with what is known of it at this moment; none if no AUC can be told."""
    now = method.so_far()
    auc = pooled_auc(judged, [one.edge_mask for one in now.explain_many(judged)])
    if auc is None:
        return []
    point = point | {"auc": auc}
    if isinstance(now, GFlowMethod) and now.trained is not None:
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
