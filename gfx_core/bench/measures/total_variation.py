"""How far policies are from P ∝ R, exactly, on instances of which all subgraphs can be listed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from gfx_core.arrays import Doubles, first_best
from gfx_core.bench.measures.gnn_answers import load_subject
from gfx_core.bench.measures.stopwatch import timed
from gfx_core.bench.study import Cell
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import seeded
from gfx_core.exact.enumeration import StateDag, enumerate_states, list_all, together
from gfx_core.exact.state_space import StateSpace
from gfx_core.exact.tabular import TABULAR, ListedTraining, NetworkFlows, train_table
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.exact_targets import ExactTargets, rewarded
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import REWARD_PRESETS, GFNConfig, Loss, Parents, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc

_TABLES = {
    "tabular": TABULAR,
    "tabular-tb": replace(TABULAR, loss=Loss.TRAJECTORY_BALANCE),
    "tabular-sequence": replace(TABULAR, parents=Parents.SEQUENCE),
    "tabular-graph": replace(TABULAR, parents=Parents.GRAPH),
}
_TRAINED = replace(TABULAR, delta=10.0, lr=0.01)  # a network on the states of sampled trajectories
_NETWORKS = {
    "network": _TRAINED,
    "network-all": _TRAINED,
    "network-plain": replace(_TRAINED, delta=None),
    "network-sequence": replace(_TRAINED, parents=Parents.SEQUENCE),
    "network-graph": replace(_TRAINED, parents=Parents.GRAPH),
}
_FITS = _TABLES | _NETWORKS

Distances = list[tuple[int, float]]
"""Steps and the distance after them."""


def middle(values: Sequence[float]) -> dict[str, float]:
    """Their mean, median and maximum."""
    return {"mean": float(np.mean(values)), "median": float(np.median(values)), "max": float(np.max(values))}


def ceiling(cell: Cell) -> dict[str, Any]:
    """What exact P ∝ R gives, and how far the shipped policy is from it.

    In graph tasks everything starts at the node that the locator finds most influential. As in Table 1 an instance that
    the GNN gets wrong has no AUC; distances are of all that can be listed.

    Options: ``device``; ``half``; ``cap``, the most subgraphs; ``limit``, only so many instances, evenly spread.
    """
    (dataset, model, candidates), trained = load_subject(cell), load_policy(policy_path(cell.dataset)).to(cell.device)
    config = trained.config
    starts = start_nodes(trained, model, candidates, cell.device)
    seconds, dags = timed(lambda: list_all(candidates, starts, config.max_nodes, cell.options["cap"]))
    right, distances, matches = [], [], []
    scores: dict[str, list[Doubles]] = {"exact": [], "best": [], "policy": []}
    policy_s = 0.0
    for part in together(dags):
        instances = [candidates[number] for number in part]
        predictor = SubgraphPredictor(model, instances, cell.device)
        took, (space, log_stop) = timed(partial(_stops, trained, predictor, list(part.values())), cell.device)
        policy_s += took
        distances += space.total_variations(log_stop).tolist()
        predicted = predictor.whole.predicted.tolist()
        exact, policy = (
            [
                space.edge_marginals(instance, part, i)
                for i, (instance, part) in enumerate(zip(instances, parts, strict=True))
            ]
            for parts in (space.parts(np.exp(space.log_target)), space.parts(np.exp(log_stop)))
        )
        for number, (instance, best) in enumerate(zip(instances, space.best - space.origin, strict=True)):
            members = space.dags[number].members[best]  # [m]
            matches.append(bool((members == instance.own_nodes).all()))
            if predicted[number] == dataset.y[instance.index]:
                right.append(instance)
                found = (exact[number], members[instance.edge_index].all(0).astype(np.float64), policy[number])
                for masks, mask in zip(scores.values(), found, strict=True):
                    masks.append(mask)
    values: dict[str, Any] = {
        "instances": len(candidates),
        "enumerated": len(dags),
        "listed_share": len(dags) / len(candidates),
        "scored": len(right),
        "states": sum(dag.num_states for dag in dags.values()),
        "listing_s": seconds,
        "policy_s": policy_s,
        "reward": config.as_dict()["reward"],
        "max_nodes": config.max_nodes,
    }
    for name, masks in scores.items():
        values |= {f"auc_{name}": pooled_auc(right, masks), f"auc_{name}_all": pooled_auc(right, masks, "all")}
    if distances:
        values |= {f"distance_{name}": number for name, number in middle(distances).items()}
        values["best_found"] = float(np.mean(matches))
    return values


def _stops(trained: TrainedPolicy, predictor: SubgraphPredictor, dags: list[StateDag]) -> tuple[StateSpace, Doubles]:
    """All states of some instances, and the log-probability that the policy stops at each."""
    graphs, space = (
        FlowGraphs(predictor, trained.config.policy),
        rewarded(Reward(predictor, trained.config.reward), dags),
    )
    return space, ExactTargets(graphs, space, trained.config).stops(trained.policy)


def start_nodes(
    trained: TrainedPolicy, model: GNN, instances: Sequence[Instance], device: str | torch.device
) -> list[int]:
    """Where subgraphs start: the explained nodes, or in a graph task what the locator finds most influential."""
    if trained.locator is None:
        return [0 if instance.target is None else instance.target for instance in instances]
    predictor = SubgraphPredictor(model, instances, device)
    return [
        first_best(trained.locator.probabilities(predictor, number).cpu().numpy()) for number in range(len(instances))
    ]


@dataclass(frozen=True)
class Problem:
    """Some instances of a data set, all states of each, and the reward of each state."""

    cell: Cell
    model: GNN
    instances: list[Instance]
    spaces: list[StateSpace]
    predictor: SubgraphPredictor

    @classmethod
    def choose(cls, cell: Cell, max_nodes: int) -> "Problem":
        """Random explainable instances; a graph task's start node is a random node of the motif."""
        data, model, rng = load_dataset(cell.dataset), load_model(cell.dataset), np.random.RandomState(cell.seed)
        count = min(cell.options["instances"], len(data.explainable))
        chosen = np.sort(rng.choice(data.explainable, count, replace=False))
        instances = [data.instance(int(index), hops=model.hops) for index in chosen]
        starts = [int(rng.choice(np.flatnonzero(i.motif >= 0))) if i.target is None else i.target for i in instances]
        dags = [enumerate_states(i, s, max_nodes) for i, s in zip(instances, starts, strict=True)]
        predictor = SubgraphPredictor(model, instances, cell.device)
        reward = Reward(predictor, REWARD_PRESETS[cell.variant])
        every = rewarded(reward, dags)
        spaces = [StateSpace(dag, part) for dag, part in zip(dags, every.parts(every.log_reward), strict=True)]
        return cls(cell, model, instances, spaces, predictor)


def fitted_distances(cell: Cell, max_nodes: int) -> dict[str, Any]:
    """Fit what the cell's method says to some instances of a data set, their subgraphs having at most ``max_nodes``.

    The variant is the reward's preset. Options: ``device``, of what the trainer trains (tables and networks for one
    instance are on the CPU); ``instances``; ``first``, only so many of them; ``epochs``; ``copies``, trajectories of an
    instance in an epoch of the trainer.
    """
    problem, started = Problem.choose(cell, max_nodes), time.perf_counter()
    which = range(len(problem.spaces))[: cell.options.get("first")]
    config = replace(_FITS.get(cell.method, _TRAINED), epochs=cell.options.get("epochs", 1), seed=cell.seed)
    shared = by_trainer(problem, which) if cell.method == "amortised" else None
    curves = [fit(problem, i, config, shared) for i in which]
    distances = [curve[-1][1] for curve in curves]
    return {
        "distances": distances,
        **middle(distances),
        "fit_s": time.perf_counter() - started,
        "curve": [(points[0][0], float(np.mean([tv for _, tv in points]))) for points in zip(*curves, strict=True)],
        "config": config.as_dict(),
        "max_nodes": max_nodes,
        "indices": [problem.instances[i].index for i in which],
        "starts": [problem.spaces[i].dag.start for i in which],
        "states": [problem.spaces[i].num_states for i in which],
        "edges": [problem.spaces[i].num_edges for i in which],
    }


def fit(problem: Problem, i: int, config: GFNConfig, shared: TrainedPolicy | None) -> Distances:
    """How far what is fitted to an instance, or shared by all, is from R/Z there; networks are followed on the way."""
    method, space = problem.cell.method, problem.spaces[i]
    if method in _NETWORKS:
        return fit_network(problem, i, config)
    if method == "theory-sequence":
        log_p = space.log_sequence
    elif method in _TABLES:
        log_p = train_table(space, config).terminal_distribution()
    else:
        trained = shared or by_trainer(problem, [i])
        predictor = SubgraphPredictor(problem.model, [problem.instances[i]], problem.predictor.device)
        log_p = SubgraphSampler(trained, predictor, problem.instances[i]).terminal_distribution(space)
    return [(config.epochs, space.total_variation(log_p))]


def network_flows(problem: Problem, i: int, config: GFNConfig) -> NetworkFlows:
    """The flows that a policy network of its own gives to the DAG of one instance of a problem."""
    space = problem.spaces[i]
    graphs = FlowGraphs(SubgraphPredictor(problem.model, [problem.instances[i]]), config.policy)
    with seeded(config.seed):
        policy = FlowPolicy(graphs.features.shape[1], config.policy, Stop.REWARD, space.dag.max_nodes)
    nn.init.constant_(policy.score.bias, float(space.log_reward.max()))  # begin high, as the tables do
    return NetworkFlows(policy, graphs, space, config)


def fit_network(problem: Problem, i: int, config: GFNConfig) -> Distances:
    """A network for one instance: its distance after 1/8, 1/4, 1/2 and all of the steps."""
    training = ListedTraining(network_flows(problem, i, config), config, problem.cell.method == "network-all")
    looks, curve = {config.epochs // part for part in (8, 4, 2, 1)}, []
    while training.step_number < config.epochs:
        training.step()
        if training.step_number in looks:
            training.flows.refresh()
            curve.append((training.step_number, training.flows.total_variation()))
    return curve


def by_trainer(problem: Problem, which: Sequence[int]) -> TrainedPolicy:
    """One policy for some instances, several trajectories of each in an epoch (in graph tasks, from random starts)."""
    cell = problem.cell
    copies = [problem.instances[i] for i in which] * cell.options["copies"]
    config = GFNConfig(
        max_nodes=problem.spaces[0].dag.max_nodes,
        reward=REWARD_PRESETS[cell.variant],
        epochs=cell.options["epochs"],
        lr=_TRAINED.lr,
        batch_size=1 << 14,
        epsilon=_TRAINED.epsilon,
        seed=cell.seed,
    )
    trainer = Trainer(SubgraphPredictor(problem.model, copies, problem.predictor.device), config)
    nn.init.constant_(trainer.policy.score.bias, float(np.mean([problem.spaces[i].log_reward.max() for i in which])))
    trainer.fit()
    return TrainedPolicy.of(trainer)
