"""Policies on instances of which all subgraphs can be listed, so that P ∝ R is known exactly."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gfx_core.arrays import first_best, spread
from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import middle, subject_of
from gfx_core.bench.measures.stopwatch import timed
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.tuning import EPOCHS, tuned_policy
from gfx_core.gfn.exact import Doubles, edge_marginals, target_distribution, total_variation
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.listed_states import ListedStates, list_all, together
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.policy_file import TrainedPolicy, load_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc
from gfx_core.trace.schema import TUNED


@dataclass(frozen=True)
class Listed:
    """A policy on an instance whose states are all known, with their rewards and the chances P ∝ R that are wanted."""

    generator: SubgraphSampler
    dag: StateDag

    @property
    def instance(self) -> Instance:
        return self.generator.instance

    @cached_property
    def log_reward(self) -> Doubles:
        return self.generator.log_rewards(self.dag.subsets)

    @cached_property
    def log_target(self) -> Doubles:
        return target_distribution(self.log_reward)

    def log_policy(self, generator: SubgraphSampler | None = None) -> Doubles:
        """How likely the policy, or another one, stops at each state."""
        return (generator or self.generator).terminal_distribution(self.dag, self.log_reward)

    def distance(self, log_p: Doubles) -> float:
        """Total variation from what is wanted."""
        return total_variation(log_p, self.log_target)

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

    In graph tasks everything starts at the node that the locator finds most influential. As in Table 1 an instance that
    the GNN gets wrong has no AUC; distances are of all that can be listed.

    Options: ``device``; ``half``; ``cap``, the most subgraphs; ``limit``, only so many instances, evenly spread.
    """
    (dataset, model, candidates), trained = subject_of(cell), load_policy(policy_path(cell.dataset)).to(cell.device)
    config = trained.config
    starts = start_nodes(trained, model, candidates, cell.device)
    seconds, dags = timed(lambda: list_all(candidates, starts, config.max_nodes, cell.options["cap"]))
    right, distances, matches = [], [], []
    scores: dict[str, list[Doubles]] = {"exact": [], "best": [], "policy": []}
    policy_s = 0.0
    for part in together(dags):
        instances = [candidates[number] for number in part]
        predictor = SubgraphPredictor(model, instances, cell.device)
        took, (states, chances) = timed(partial(_stops, trained, predictor, list(part.values())), cell.device)
        policy_s += took
        distances += states.distances(chances).tolist()
        predicted = predictor.whole.predicted.tolist()
        exact, policy = (states.marginals(each, instances) for each in (states.log_target.exp(), chances))
        for number, (instance, best) in enumerate(zip(instances, states.best(), strict=True)):
            members = states.dags[number].members[best]  # [m]
            matches.append(bool((members == instance.own_nodes).all()))
            if predicted[number] == dataset.y[instance.index]:
                right.append(instance)
                found = (exact[number], members[instance.edge_index].all(0).astype(np.float64), policy[number])
                for given, mask in zip(scores.values(), found, strict=True):
                    given.append(mask)
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
    for name, given in scores.items():
        values |= {f"auc_{name}": pooled_auc(right, given), f"auc_{name}_all": pooled_auc(right, given, "all")}
    if distances:
        values |= {f"distance_{name}": number for name, number in middle(distances).items()}
        values["best_found"] = float(np.mean(matches))
    return values


def _stops(trained: TrainedPolicy, predictor: SubgraphPredictor, dags: list[StateDag]) -> tuple[ListedStates, Tensor]:
    """All states of some instances, and how likely the policy stops at each."""
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    states = ListedStates(graphs, reward, dags)
    return states, states.stops(trained.policy)


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


def tuning(cell: Cell) -> dict[str, Any]:
    """Train the shipped policy further on some instances, each by itself.

    Options: ``device``; ``instances``, how many, evenly spread among those with at most ``cap`` states; ``epochs``.
    """
    count, trained = cell.options["instances"], load_policy(policy_path(cell.dataset))
    _, model, candidates = subject_of(cell, 10 * count)
    found = list(listed(trained, model, candidates, SubgraphSampler.locate, cell.options["cap"], cell.device))
    instances, seconds = [], []
    distances: dict[str, list[float]] = {"before": [], "after": []}
    scores: dict[str, list[Doubles]] = {"before": [], "after": [], "exact": []}
    for each in (found[at] for at in spread(np.arange(len(found)), count)):
        tuned = tuned_policy(each.generator, epochs=cell.options.get("epochs", EPOCHS))
        after = SubgraphSampler(tuned, each.generator.predictor, each.instance)
        instances.append(each.instance)
        seconds.append(tuned.made[TUNED]["seconds"])
        scores["exact"].append(each.marginals(each.log_target))
        for name, generator in (("before", each.generator), ("after", after)):
            log_policy = each.log_policy(generator)
            distances[name].append(each.distance(log_policy))
            scores[name].append(each.marginals(log_policy))
    values: dict[str, Any] = {"instances": len(instances), "explained": " ".join(str(i.index) for i in instances)}
    if instances:
        values |= {f"distance_{name}": float(np.mean(each)) for name, each in distances.items()}
        values |= {f"auc_{name}": pooled_auc(instances, each) for name, each in scores.items()}
        nearer = [after < before for before, after in zip(distances["before"], distances["after"], strict=True)]
        values |= {"nearer": float(np.mean(nearer)), "seconds": float(np.mean(seconds)), "distances": distances}
    return values
