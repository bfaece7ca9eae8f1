"""How far policies are from P ∝ R, exactly, on instances of which all subgraphs can be listed."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Doubles, first_best
from gfx_core.bench.measures.gnn_answers import load_subject
from gfx_core.bench.study import Cell
from gfx_core.bench.time import timed
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag, list_all, together
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.exact_targets import ExactTargets, rewarded
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc


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
