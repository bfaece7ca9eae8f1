"""Small graphs as instances."""

import networkx as nx
import numpy as np

from gfx_core.config import Task
from gfx_core.datasets.graph import DEFAULT_HOPS, Floats, GraphDataset, Ints
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance


def ones(graph: nx.Graph, width: int = 1) -> Floats:
    """Features that say nothing. [N, width]"""
    return np.ones((len(graph), width), dtype=np.float32)


def noise(graph: nx.Graph, width: int = 3, seed: int = 1) -> Floats:
    """Random features. [N, width]"""
    return np.random.default_rng(seed).normal(size=(len(graph), width)).astype(np.float32)


def edges_of(graph: nx.Graph) -> Ints:
    """Each edge once. [2, E]"""
    return np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2).T


def dataset_of(graph: nx.Graph, task: Task = Task.NODE, x: Floats | None = None, name: str = "toy") -> GraphDataset:
    """One graph, whose nodes are 0 … n-1, as a data set of one class; its features are noise unless they are given."""
    y = np.zeros(len(graph) if task is Task.NODE else 1, dtype=np.int64)
    return GraphDataset.from_edges(DatasetInfo(name, task), noise(graph) if x is None else x, edges_of(graph), y)


def instance_of(
    graph: nx.Graph, task: Task = Task.NODE, x: Floats | None = None, *, index: int = 0, hops: int = DEFAULT_HOPS + 1
) -> Instance:
    """The whole graph (graph task), or what is within some hops of a node (node task): enough for any kind of GNN."""
    return dataset_of(graph, task, x).instance(index, hops)


def graph_of(instance: Instance) -> nx.Graph:
    graph = nx.empty_graph(instance.num_nodes)
    graph.add_edges_from(instance.edge_index.T.tolist())
    return graph
