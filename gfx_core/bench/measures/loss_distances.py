"""How far tables and networks are from P ∝ R after a training by one of the losses."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Doubles, Ints
from gfx_core.bench.inductive import start_of
from gfx_core.bench.study import Cell
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.enumeration import list_all
from gfx_core.exact.state_space import StateSpace
from gfx_core.exact.tabular import TABULAR, ListedTraining, TableFlows
from gfx_core.gfn.exact_targets import ExactTargets, rewarded
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import ON_GPU, GFNConfig, LearningConfig, policy_config
from gfx_core.gfn.trainer import NotANumberError, Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

STEPS_PER_BATCH = 4
FOUND = np.log(0.5)
"""A mode is found if its most probable subgraph has at least half of its probability."""


class ListedInstances:
    """Instances whose states can be listed, with their rewards.

    Args:
        cell: Whose data set.
        model: The GNN.
        candidates: Indices of instances, of which the first that can be listed are taken.
        count: How many.
    """

    def __init__(self, cell: Cell, model: GNN, candidates: Ints, count: int) -> None:
        data, config = load_dataset(cell.dataset), policy_config(cell.dataset)
        self.instances: list[Instance] = []
        dags = []
        for index in candidates.tolist():
            instance = data.instance(index, hops=model.hops)
            for dag in list_all([instance], [start_of(instance)], config.max_nodes, cell.options["cap"]).values():
                self.instances.append(instance)
                dags.append(dag)
            if len(dags) == count:
                break
        self.predictor = SubgraphPredictor(model, self.instances, cell.device)
        self.space = rewarded(Reward(self.predictor, config.reward), dags)

    def alone(self) -> list[StateSpace]:
        """The states of each instance."""
        parts = self.space.parts(self.space.log_reward)
        return [StateSpace(dag, part) for dag, part in zip(self.space.dags, parts, strict=True)]

    def stops(self, policy: FlowPolicy, config: GFNConfig) -> Doubles:
        """The log-probability that a policy stops at each state. [S]"""
        return ExactTargets(FlowGraphs(self.predictor, config.policy), self.space, config).stops(policy)


def modes_found(space: StateSpace, instance: Instance, log_probability: Doubles) -> float:
    """The share of the modes of R/Z whose most probable subgraph has at least half of its probability."""
    best = [mode.representative for mode in space.modes(instance)]
    return float((log_probability[best] >= space.log_target[best] + FOUND).mean())


def halves(dataset: str, seed: int) -> tuple[Ints, Ints]:
    """Instances of the tuning and of the reporting half, in a random order."""
    rng, explainable = np.random.RandomState(seed), load_dataset(dataset).explainable
    first, second = (rng.permutation(half_of(explainable, half)) for half in (Half.TUNING, Half.REPORTING))
    return first, second


def tables(cell: Cell, knobs: dict[str, Any]) -> dict[str, Any]:
    """A table for each of some instances of the reporting half; the learning rate is chosen on the tuning half.

    Options: ``instances`` and ``tuning``, how many of each half; ``steps`` and ``batch`` of each training; ``rates`` to
    choose from; ``cap``, the most states of an instance.
    """
    options, model = cell.options, load_model(cell.dataset)
    config = changed(
        replace(TABULAR, batch_size=options["batch"], epochs=options["steps"], seed=cell.seed, max_nodes=10), knobs
    )
    tuning, reporting = halves(cell.dataset, 0)
    chosen = ListedInstances(cell, model, tuning, options["tuning"])
    tried = {
        rate: float(np.mean([_table(space, replace(config, lr=rate))[0] for space in chosen.alone()]))
        for rate in options["rates"]
    }
    config, listed = (
        replace(config, lr=min(tried, key=lambda rate: tried[rate])),
        ListedInstances(cell, model, reporting, options["instances"]),
    )
    began, distances, modes, calls = time.perf_counter(), [], [], []
    for space, instance in zip(listed.alone(), listed.instances, strict=True):
        distance, log_p, rewarded_states = _table(space, config)
        distances.append(distance)
        modes.append(modes_found(space, instance, log_p))
        calls.append(rewarded_states)
    return {
        "distance": float(np.mean(distances)),
        "distances": distances,
        "modes": float(np.mean(modes)),
        "fit_s": (time.perf_counter() - began) / len(distances),
        "calls": float(np.mean(calls)),
        "rate": config.lr,
        "tried": {f"{rate:g}": value for rate, value in tried.items()},
        "states": listed.space.counts.tolist(),
        "config": config.as_dict(),
    }


def _table(space: StateSpace, config: GFNConfig) -> tuple[float, Doubles, int]:
    """The distance of a trained table from R/Z, where it stops, and how many states it asked the reward of."""
    training = ListedTraining(TableFlows(space, config), config)
    training.run()
    return training.flows.total_variation(), training.flows.terminal_distribution(), training.rewarded


def network(cell: Cell, knobs: dict[str, Any]) -> dict[str, Any]:
    """One network on instances of the tuning half, and how far it is from R/Z on the reporting half.

    Options: ``train``, how many instances it learns from; ``held_out`` and ``tuning``, on how many of each half it is
    compared; ``epochs``; ``rates`` to choose from; ``cap``.
    """
    options, model = cell.options, load_model(cell.dataset)
    tuning, reporting = halves(cell.dataset, 0)
    learnt, rest = tuning[: options["train"]], tuning[options["train"] :]
    data = load_dataset(cell.dataset)
    predictor = SubgraphPredictor(model, [data.instance(int(i), hops=model.hops) for i in learnt], cell.device)
    learning = LearningConfig(steps_per_batch=STEPS_PER_BATCH)
    if cell.method == "exact":
        learning = replace(ON_GPU, exact_cap=options["cap"], steps_per_batch=STEPS_PER_BATCH, exact_alone=True)
    config = changed(replace(policy_config(cell.dataset), learning=learning, seed=cell.seed), knobs)
    config = replace(config, epochs=max(1, round(options["epochs"] * (1 - config.replay))))
    choosing = ListedInstances(cell, model, rest if len(rest) else tuning, options["tuning"])
    tried = {}
    if len(options["rates"]) > 1:
        few = replace(config, epochs=max(1, config.epochs // 3))
        for rate in options["rates"]:
            trainer, _, _ = _trained(predictor, replace(few, lr=rate))
            tried[rate] = choosing.space.total_variation(choosing.stops(trainer.policy, config))
        config = replace(config, lr=min(tried, key=lambda rate: tried[rate]))
    trainer, seconds, stopped = _trained(predictor, config)
    found: dict[str, Any] = {}
    for name, listed in (
        ("", ListedInstances(cell, model, reporting, options["held_out"])),
        ("_seen", ListedInstances(cell, model, learnt, options["held_out"])),
    ):
        log_p = listed.stops(trainer.policy, config)
        distances = listed.space.total_variations(log_p).tolist()
        found |= {f"distance{name}": float(np.mean(distances)), f"distances{name}": distances}
        if not name:
            parts = zip(listed.alone(), listed.instances, listed.space.parts(log_p), strict=True)
            found["modes"] = float(np.mean([modes_found(*part) for part in parts]))
    return found | {
        "fit_s": seconds,
        "stopped": stopped,
        "rate": config.lr,
        "tried": {f"{rate:g}": value for rate, value in tried.items()},
        "config": config.as_dict(),
    }


def _trained(predictor: SubgraphPredictor, config: GFNConfig) -> tuple[Trainer, float, str | None]:
    """A training from high flows, its seconds, and why it stopped before its end, if it did."""
    trainer, stopped = Trainer(predictor, config), None
    if trainer.exact is None:
        trainer.begin_high(walks=4)
    began = time.perf_counter()
    try:
        trainer.fit()
    except NotANumberError as error:
        stopped = str(error)
    if predictor.device.type == "cuda":
        torch.cuda.synchronize()
    return trainer, time.perf_counter() - began, stopped
