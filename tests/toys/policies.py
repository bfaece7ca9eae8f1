"""Policies of random weights on a few small instances, to sample from."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, sample
from gfx_core.gfn.settings import PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import graph_of, instance_of, ones

K = 6


@dataclass(frozen=True)
class Setting:
    """A policy of random weights on some instances."""

    instances: list[Instance]
    policy: FlowPolicy
    episodes: Episodes
    reward: Reward

    def sample(
        self, count: int, seed: int = 0, only: int | None = None, greedy: bool = False, **options: Any
    ) -> Trajectories:
        """Trajectories from all episodes in turn, or from one of them; further options are those of ``sample``."""
        each = torch.arange(count) % len(self.episodes) if only is None else torch.full((count,), only)
        generator = None if greedy else torch.Generator().manual_seed(seed)
        return sample(self.policy, self.episodes, each, self.reward, generator=generator, **options)

    def graph(self, row: int, trajectories: Trajectories) -> nx.Graph:
        return graph_of(self.instances[int(trajectories.instance[row])])

    def log_policy(self, trajectories: Trajectories) -> Tensor:
        """log π of every action in every state of some trajectories; STOP is the last. [B, K, m + 1]"""
        B, most = trajectories.order.shape
        states = States.along(self.episodes, trajectories.episode, trajectories.order, most)
        with torch.no_grad():
            flows = self.policy(self.policy.encode(self.episodes), states)
        log_stop = flows.log_stop
        if log_stop is None:
            subsets = trajectories.prefixes().flatten(0, 1)
            log_stop = self.reward(subsets, trajectories.instance.repeat_interleave(most))
        return torch.cat([flows.log_out, log_stop[:, None]], dim=1).log_softmax(1).view(B, most, -1)


def build(instances: list[Instance], model: GNN, stop: Stop, starts: np.ndarray | None, max_nodes: int) -> Setting:
    config = PolicyConfig(hidden=32)
    predictor = SubgraphPredictor(model, instances)
    source = FlowGraphs(predictor, config)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        policy = FlowPolicy(source.features.shape[1], config, stop, max_nodes)
    with torch.no_grad():
        policy.score.weight *= 8  # far from uniform
    episodes = Episodes.of(source, np.arange(len(instances)), starts)
    return Setting(instances, policy, episodes, Reward(predictor, RewardConfig(beta=3.0)))


@cache
def tree_cycles(stop: Stop, count: int = 8, max_nodes: int = K) -> Setting:
    dataset = load_dataset("tree_cycles")
    instances = [dataset.instance(int(i)) for i in dataset.explainable[::3][:count]]
    return build(instances, load_model("tree_cycles"), stop, None, max_nodes)


@cache
def toys(stop: Stop, max_nodes: int = 5) -> Setting:
    """Graphs on which there is soon nothing left to add, or nothing from the beginning."""
    graphs = [nx.empty_graph(1), nx.path_graph(2), nx.cycle_graph(4), nx.empty_graph(3), nx.complete_graph(6)]
    instances = [instance_of(graph, Task.GRAPH, ones(graph, 2)) for graph in graphs]
    model = random_gnn(Task.GRAPH, sizes=(2, 2), seed=2, hidden=20)
    return build(instances, model, stop, np.array([0, 1, 2, 1, 5]), max_nodes)
