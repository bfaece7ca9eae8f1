"""Policies on instances of which all subgraphs can be listed, so that P ∝ R is known exactly."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import spread, subject_of
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.tuning import EPOCHS, tuned_policy
from gfx_core.gfn.exact import Doubles, best_state, edge_marginals, target_distribution, total_variation
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.policy_file import TrainedPolicy, load_policy
from gfx_core.gfn.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.auc import pooled_auc
from gfx_core.trace.schema import TUNED


@dataclass(frozen=True)
class Listed:
    """A policy on an instance whose states are all known."""

    generator: SubgraphSampler
    dag: StateDag

    @property
    def instance(self) -> Instance:
        return self.generator.instance

    def log_reward(self) -> Doubles:
        return self.generator.log_rewards(self.dag.subsets)

    def marginals(self, log_p: Doubles) -> Doubles:
        """How likely each edge is in the subgraph, if states have these chances."""
        return edge_marginals(self.dag, self.instance, np.exp(log_p))


def listed(
    trained: TrainedPolicy,
    model: GNN,
    instances: Iterable[Instance],
    start: Callable[[SubgraphSampler], int],
    cap: int,
    device: str | torch.device,
) -> Iterator[Listed]:
    """Those of the instances that have at most ``cap`` states from the start node, with the policy at work on each."""
    for instance in instances:
        generator = SubgraphSampler(trained, SubgraphPredictor(model, [instance], device), instance)
        try:
            dag = enumerate_states(instance, start(generator), trained.config.max_nodes, cap=cap)
        except TooManyStates:
            continue
        yield Listed(generator, dag)


def ceiling(cell: Cell) -> dict[str, Any]:
    """What exact P ∝ R gives, and how far the shipped policy is from it.

    Options: ``device``; ``cap``, the most subgraphs; ``limit``, only so many instances, evenly spread.
    """
    (_, model, candidates), trained = subject_of(cell), load_policy(policy_path(cell.dataset))
    instances, distances, matches = [], [], []
    scores: dict[str, list[Doubles]] = {"exact": [], "best": [], "policy": []}
    for each in listed(trained, model, candidates, SubgraphSampler.locate, cell.options["cap"], cell.device):
        log_reward = each.log_reward()
        log_target = target_distribution(log_reward)
        log_policy = each.generator.terminal_distribution(each.dag, log_reward)
        best = best_state(log_target)
        log_best = np.where(np.arange(each.dag.num_states) == best, 0.0, -np.inf)
        instances.append(each.instance)
        distances.append(total_variation(log_policy, log_target))
        matches.append(bool((each.dag.members[best] == each.instance.own_nodes).all()))
        for name, log_p in (("exact", log_target), ("best", log_best), ("policy", log_policy)):
            scores[name].append(each.marginals(log_p))
    values: dict[str, Any] = {
        "instances": len(candidates),
        "enumerated": len(instances),
        "reward": trained.config.as_dict()["reward"],
        "max_nodes": trained.config.max_nodes,
    }
    for name, given in scores.items():
        values[f"auc_{name}"] = pooled_auc(instances, given) if instances else None
        values[f"auc_{name}_all"] = pooled_auc(instances, given, "all") if instances else None
    if instances:
        values |= {
            "distance_mean": float(np.mean(distances)),
            "distance_median": float(np.median(distances)),
            "distance_max": float(np.max(distances)),
            "best_found": float(np.mean(matches)),
        }
    return values


def tuning(cell: Cell) -> dict[str, Any]:
    """Train the shipped policy further on some instances, each by itself.

    Options: ``device``; ``instances``, how many, evenly spread among those with at most ``cap`` states; ``epochs``.
    """
    (_, model, candidates), trained = (
        subject_of(cell, 10 * cell.options["instances"]),
        load_policy(policy_path(cell.dataset)),
    )
    found = list(listed(trained, model, candidates, SubgraphSampler.locate, cell.options["cap"], cell.device))
    instances, seconds = [], []
    distances: dict[str, list[float]] = {"before": [], "after": []}
    scores: dict[str, list[Doubles]] = {"before": [], "after": [], "exact": []}
    for at in spread(np.arange(len(found)), cell.options["instances"]):
        each, log_reward = found[at], found[at].log_reward()
        log_target = target_distribution(log_reward)
        tuned = tuned_policy(each.generator, epochs=cell.options.get("epochs", EPOCHS))
        after = SubgraphSampler(tuned, each.generator.predictor, each.instance)
        instances.append(each.instance)
        seconds.append(tuned.made[TUNED]["seconds"])
        scores["exact"].append(each.marginals(log_target))
        for name, generator in (("before", each.generator), ("after", after)):
            log_policy = generator.terminal_distribution(each.dag, log_reward)
            distances[name].append(total_variation(log_policy, log_target))
            scores[name].append(each.marginals(log_policy))
    values: dict[str, Any] = {"instances": len(instances), "explained": " ".join(str(i.index) for i in instances)}
    if instances:
        values |= {f"distance_{name}": float(np.mean(each)) for name, each in distances.items()}
        values |= {f"auc_{name}": pooled_auc(instances, each) for name, each in scores.items()}
        nearer = [after < before for before, after in zip(distances["before"], distances["after"], strict=True)]
        values |= {"nearer": float(np.mean(nearer)), "seconds": float(np.mean(seconds)), "distances": distances}
    return values
