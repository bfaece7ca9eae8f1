"""Instances of which all states are known: the exactness of a policy can be computed on these."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gfn import exact
from gfx_core.gfn.config import REWARD_PRESETS
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.state_dag import StateDag, enumerate_states
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

MAX_NODES = {"tree_cycles": 8, "tree_grid": 8, "ba_2motifs": 5}
"""The data sets, and K_M on each."""


@dataclass(frozen=True)
class Problem:
    """Some instances of a data set, all states of each, and the reward of each state under some preset."""

    dataset: str
    model: GNN
    instances: list[Instance]
    dags: list[StateDag]
    predictor: SubgraphPredictor
    log_rewards: dict[str, list[Doubles]]  # by preset; [S] each

    @classmethod
    def choose(cls, dataset: str, count: int, seed: int, device: str) -> "Problem":
        """Random explainable instances; a graph task's start node is a random node of the motif."""
        data, model, rng = load_dataset(dataset), load_model(dataset), np.random.RandomState(seed)
        chosen = np.sort(rng.choice(data.explainable, min(count, len(data.explainable)), replace=False))
        instances = [data.instance(int(index), hops=model.num_layers) for index in chosen]
        starts = [int(rng.choice(np.flatnonzero(i.motif >= 0))) if i.target is None else i.target for i in instances]
        dags = [enumerate_states(i, s, MAX_NODES[dataset]) for i, s in zip(instances, starts, strict=True)]
        predictor = SubgraphPredictor(model, instances, device)
        log_rewards = {}
        for preset, config in REWARD_PRESETS.items():
            reward = Reward(predictor, config)
            subsets = [torch.from_numpy(dag.subsets).to(device) for dag in dags]
            values = [reward(sets, torch.full_like(sets[:, 0], number)) for number, sets in enumerate(subsets)]
            log_rewards[preset] = [value.double().cpu().numpy() for value in values]
        return cls(dataset, model, instances, dags, predictor, log_rewards)

    def about(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "max_nodes": MAX_NODES[self.dataset],
            "indices": [instance.index for instance in self.instances],
            "starts": [dag.start for dag in self.dags],
            "states": [dag.num_states for dag in self.dags],
            "edges": [dag.num_edges for dag in self.dags],
        }


def distance(log_p: Doubles, log_reward: Doubles) -> float:
    """Total variation between a distribution over the states and R/Z."""
    return exact.total_variation(log_p, exact.target_distribution(log_reward))
