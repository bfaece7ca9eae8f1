"""Small random graphs and GNNs that several tests share."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.config import Task
from gfx_core.datasets.graph import Floats, GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN

both = pytest.mark.parametrize(("task", "kind"), list(product(Task, KINDS)), ids=str)


def gnn(task: Task, kind: str, std: float = 0.5) -> GNN:
    """A GNN of three features and three classes with random weights of some size."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = GNN(task, kind, 3, 3, hidden=8).eval()
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=std)
    return model


def instance_of(graph: nx.Graph, task: Task = Task.NODE, x: Floats | None = None) -> Instance:
    """A graph with these features, or random ones; in a node task its node 0 is explained."""
    edges = np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2).T
    if x is None:
        x = np.random.default_rng(1).normal(size=(len(graph), 3)).astype(np.float32)
    y = np.zeros(len(graph) if task is Task.NODE else 1, dtype=np.int64)
    return GraphDataset.from_edges(DatasetInfo("toy", task), x, edges, y).instance(0)


def graph_of(instance: Instance) -> nx.Graph:
    graph = nx.empty_graph(instance.num_nodes)
    graph.add_edges_from(instance.edge_index.T.tolist())
    return graph
