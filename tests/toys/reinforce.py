"""What the tests of RGExplainer share: a few instances, toy graphs, and all trajectories of a small one."""

from functools import cache

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.baselines.rgexplainer import RGConfig, RGExplainer
from gfx_core.config import Task
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of

SMALL = RGConfig(max_nodes=5, epochs=2, list_epochs=1, set_epochs=1, hidden=16)
TASKS = ["tree_cycles", "ba_2motifs"]


@cache
def some(name: str, count: int = 8) -> list[Instance]:
    dataset = load_dataset(name)
    return [dataset.instance(int(i), hops=DEFAULT_HOPS + 1) for i in dataset.explainable[::7][:count]]


def trainer(name: str, config: RGConfig = SMALL, seed: int = 0, count: int = 8) -> Trainer:
    model = load_model(name)
    return RGExplainer(model, config, seed=seed).trainer(SubgraphPredictor(model, some(name, count)), name)


def toy(graph: nx.Graph, task: Task = Task.NODE) -> Instance:
    """A graph whose features are all positive."""
    return instance_of(graph, task, np.random.RandomState(0).random_sample((len(graph), 3)).astype(np.float32))


def toy_model(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, (3, 2), seed=1, hidden=20)


def all_orders(graph: nx.Graph, start: int, most: int) -> Tensor:
    """Every order in which a connected set can come about from the start node. [B, K]"""
    orders, open_ends = [], [[start]]
    while open_ends:
        order = open_ends.pop()
        orders.append(order + [-1] * (most - len(order)))
        if len(order) < most:
            frontier = {n for node in order for n in graph[node]} - set(order)
            open_ends += [[*order, node] for node in sorted(frontier)]
    return torch.tensor(orders)
