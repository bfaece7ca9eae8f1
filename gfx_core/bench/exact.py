"""How far what is sampled is from R/Z, exactly, where all states of an instance can be listed.

The distance is the total variation between R/Z and the distribution of the set at which a policy stops, by dynamic
programming over all states. Four things can go wrong, and each has a row of its own: the objective (a table with a
free flow for each edge shows what it converges to), the network (fitted to one instance on all its states), the
training (the same on sampled trajectories only) and the sharing of one network by many instances.

The networks of the single instances are trained side by side (`Fleet`); some are fitted by the trainer too, as a check.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np
import torch
from torch import nn

from gfx_core.bench.enumerated import MAX_NODES, Problem, distance
from gfx_core.bench.exact_table import METHODS, table, verdict
from gfx_core.bench.fleet import Fleet, FleetConfig
from gfx_core.bench.record import made_with
from gfx_core.config import Task
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.gfn import exact
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.config import REWARD_PRESETS, GFNConfig, Loss, Parents
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.state_dag import StateDag
from gfx_core.gfn.tabular import TabularConfig, train_tabular
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor

__all__ = ["METHODS", "Plan", "run", "table", "verdict"]

_TABULAR = {
    "tabular": (Loss.FLOW_MATCHING, Parents.VALID),
    "tabular-tb": (Loss.TRAJECTORY_BALANCE, Parents.VALID),
    "tabular-sequence": (Loss.FLOW_MATCHING, Parents.SEQUENCE),
    "tabular-graph": (Loss.FLOW_MATCHING, Parents.GRAPH),
}
_NETWORK = {
    "network": (Parents.VALID, False, True),
    "network-all": (Parents.VALID, True, True),
    "network-plain": (Parents.VALID, False, False),
    "network-sequence": (Parents.SEQUENCE, False, True),
    "network-graph": (Parents.GRAPH, False, True),
}  # which parents count, whether every step looks at all states, and whether there is a δ


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        instances: Of each data set.
        network_instances: Those of them that get a network of their own.
        tabular_epochs: Steps of a table.
        networks: Training of the networks of single instances.
        checks: Instances of each node data set that are also fitted by the trainer.
        check_epochs: Its epochs.
        amortised_epochs: Epochs of the network for all instances.
        copies: Trajectories of each instance in an epoch there.
        seed: Of everything.
    """

    instances: int = 20
    network_instances: int = 20
    tabular_epochs: int = 400
    networks: FleetConfig = field(default_factory=FleetConfig)
    checks: int = 2
    check_epochs: int = 300
    amortised_epochs: int = 700
    copies: int = 16
    seed: int = 0


GPU = Plan()
CPU = Plan(
    network_instances=3, networks=FleetConfig(steps=300), checks=1, check_epochs=150, amortised_epochs=200, copies=8
)
QUICK = Plan(
    instances=1,
    network_instances=1,
    tabular_epochs=120,
    networks=FleetConfig(steps=8),
    checks=1,
    check_epochs=2,
    amortised_epochs=3,
    copies=2,
)


def _processes() -> Executor:
    """A process for each core but one: tables are small and want no accelerator."""
    count = max(1, (os.cpu_count() or 1) - 1)
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,))


# Tables


def _fit_table(dag: StateDag, log_reward: Doubles, config: TabularConfig) -> tuple[float, float]:
    """Total variation and seconds of one table."""
    started = time.perf_counter()
    policy = train_tabular(dag, log_reward, config, every=config.epochs)
    return distance(policy.terminal_distribution(), log_reward), time.perf_counter() - started


def _fit_networks(problem: Problem, method: str, plan: Plan) -> dict[str, list[Any]]:
    """A network for every instance and preset: by preset, the curve of total variations in the instances' order."""
    parents, all_states, with_delta = _NETWORK[method]
    delta = plan.networks.delta if with_delta else None
    chosen = range(min(plan.network_instances, len(problem.dags)))
    pairs = [(preset, i) for preset in REWARD_PRESETS for i in chosen]
    pairs.sort(key=lambda pair: problem.dags[pair[1]].num_states)  # alike together: less padding
    together = len(pairs) if problem.predictor.device.type == "cuda" else 4
    found: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for first in range(0, len(pairs), together):
        part = pairs[first : first + together]
        rewards = [problem.log_rewards[preset][i] for preset, i in part]
        curve = Fleet(problem, [i for _, i in part], rewards, parents, delta, plan.seed).fit(plan.networks, all_states)
        found |= {pair: [(step, values[n]) for step, values in curve] for n, pair in enumerate(part)}
    return {preset: [found[preset, i] for i in chosen] for preset in REWARD_PRESETS}


# By the trainer


def _trained(problem: Problem, which: list[int], copies: int, preset: str, epochs: int, plan: Plan) -> TrainedPolicy:
    """One policy for some instances, `copies` trajectories of each in an epoch (in graph tasks, from random starts)."""
    predictor = SubgraphPredictor(
        problem.model, [problem.instances[i] for i in which] * copies, problem.predictor.device
    )
    config = GFNConfig(
        max_nodes=MAX_NODES[problem.dataset],
        reward=REWARD_PRESETS[preset],
        epochs=epochs,
        lr=plan.networks.lr,
        batch_size=1 << 14,
        epsilon=plan.networks.epsilon,
        seed=plan.seed,
    )
    trainer = Trainer(predictor, config)
    rewards = [problem.log_rewards[preset][i].max() for i in which]
    nn.init.constant_(trainer.policy.score.bias, float(np.mean(rewards)))
    trainer.fit()
    return TrainedPolicy.of(trainer)


def _distances_of(trained: TrainedPolicy, problem: Problem, which: list[int], preset: str) -> list[float]:
    distances = []
    for i in which:
        predictor = SubgraphPredictor(problem.model, [problem.instances[i]], problem.predictor.device)
        reward = problem.log_rewards[preset][i]
        generator = SubgraphSampler(trained, predictor, problem.instances[i])
        distances.append(distance(generator.terminal_distribution(problem.dags[i], reward), reward))
    return distances


# The benchmark


def run(
    device: str = "cpu",
    quick: bool = False,
    progress: Callable[[float, str], None] | None = None,
    plan: Plan | None = None,
) -> dict[str, Any]:
    """Measure everything on three data sets and both reward presets.

    Args:
        device: Where the networks are trained; tables are trained on the CPU, beside them.
        quick: One instance of two data sets and hardly any training of networks: to see that it works.
        progress: Called with the share that is done (0 to 1) and what comes next.
        plan: How much to measure; by default all of it on a GPU, and networks on fewer instances on the CPU.

    Returns:
        A record that can be written as JSON, with the total variation on every instance.
    """
    started = time.perf_counter()
    plan = plan or (QUICK if quick else GPU if device == "cuda" else CPU)
    names = list(MAX_NODES)[1:] if quick else list(MAX_NODES)
    problems = [Problem.choose(name, plan.instances, plan.seed, device) for name in names]
    rows: list[dict[str, Any]] = []
    total, done = len(problems) * (len(_NETWORK) + 2 * len(REWARD_PRESETS)) + 1, 0

    def tell(text: str) -> None:
        nonlocal done
        if progress is not None:
            progress(done / total, text)
        done += 1

    def add(problem: Problem, preset: str, method: str, values: list[float], seconds: float, **more: Any) -> None:
        rows.append(_row(problem, preset, method, values, seconds) | more)

    with ThreadPoolExecutor(1) if quick else _processes() as pool:
        tables: list[tuple[Problem, str, str, list[Future[tuple[float, float]]]]] = []
        for problem in problems:
            for preset, rewards in problem.log_rewards.items():
                for method, (loss, parents) in _TABULAR.items():
                    config = TabularConfig(loss=loss, parents=parents, epochs=plan.tabular_epochs, seed=plan.seed)
                    jobs = zip(problem.dags, rewards, strict=True)
                    futures = [pool.submit(_fit_table, dag, reward, config) for dag, reward in jobs]
                    tables.append((problem, preset, method, futures))
                theory = [exact.sequence_distribution(d, r) for d, r in zip(problem.dags, rewards, strict=True)]
                distances = [distance(log_p, r) for log_p, r in zip(theory, rewards, strict=True)]
                add(problem, preset, "theory-sequence", distances, 0.0)
        for problem in problems:
            for method in _NETWORK:
                tell(f"{problem.dataset}: {METHODS[method][0]}")
                begun = time.perf_counter()
                by_preset = _fit_networks(problem, method, plan)
                seconds = (time.perf_counter() - begun) / len(by_preset)
                for preset, curves in by_preset.items():
                    means = [
                        (point[0][0], float(np.mean([tv for _, tv in point]))) for point in zip(*curves, strict=True)
                    ]
                    add(problem, preset, method, [curve[-1][1] for curve in curves], seconds, curve=means)
            everything = list(range(len(problem.dags)))
            for preset in REWARD_PRESETS:
                tell(f"{problem.dataset}, {preset}: {METHODS['network-trainer'][0]}")
                if problem.predictor.task is Task.NODE:  # in a graph task the trainer would learn all start nodes
                    few = everything[: plan.checks]
                    begun = time.perf_counter()
                    policies = [
                        _trained(problem, [i], plan.networks.trajectories, preset, plan.check_epochs, plan) for i in few
                    ]
                    seconds = time.perf_counter() - begun
                    pairs = zip(policies, few, strict=True)
                    distances = [_distances_of(policy, problem, [i], preset)[0] for policy, i in pairs]
                    add(problem, preset, "network-trainer", distances, seconds)
                tell(f"{problem.dataset}, {preset}: {METHODS['amortised'][0]}")
                begun = time.perf_counter()
                trained = _trained(problem, everything, plan.copies, preset, plan.amortised_epochs, plan)
                seconds = time.perf_counter() - begun
                add(problem, preset, "amortised", _distances_of(trained, problem, everything, preset), seconds)
        tell("tables")
        for problem, preset, method, futures in tables:
            results = [future.result() for future in futures]
            add(problem, preset, method, [tv for tv, _ in results], sum(seconds for _, seconds in results))
    order = list(METHODS)
    rows.sort(key=lambda r: (r["preset"], names.index(r["dataset"]), order.index(r["method"])))
    record = {"plan": asdict(plan), "quick": quick, "seconds": time.perf_counter() - started}
    return record | {"datasets": [p.about() for p in problems], "rows": rows} | made_with(device)


def _row(problem: Problem, preset: str, method: str, values: list[float], seconds: float) -> dict[str, Any]:
    return {
        "dataset": problem.dataset,
        "preset": preset,
        "method": method,
        "goal": METHODS[method][1],
        "instances": len(values),
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "max": float(np.max(values)),
        "seconds": seconds,
        "values": values,
    }
