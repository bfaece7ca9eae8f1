"""Small graphs with known motifs, and a GNN whose probabilities can be worked out by hand."""

import math

import numpy as np
import torch

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN

Edge = tuple[int, int]
SURE, UNSURE = 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(1))
"""What :func:`degree_gnn` gives class 1 where it sees two neighbours, and where it does not."""


def motif_instance(
    edges: list[Edge],
    *,
    explained: int | None = 0,
    own: tuple[Edge, ...] = (),
    others: tuple[Edge, ...] = (),
    num_nodes: int | None = None,
) -> Instance:
    """A graph whose edges are in motif 0 (``own``, with their ends), in motif 1 or in none; constant features.

    Args:
        edges: Undirected, lower id first.
        explained: The explained node; ``None`` for a graph task.
        own: Edges of the explained motif.
        others: Edges of another motif.
        num_nodes: Where there are more nodes than the edges name.
    """
    task = Task.GRAPH if explained is None else Task.NODE
    n = num_nodes or max(max(edge) for edge in edges) + 1
    motif = np.full(n, -1)
    for number, marked in ((1, others), (0, own)):
        motif[[node for edge in marked for node in edge]] = number
    dataset = GraphDataset.from_edges(
        DatasetInfo("example", task),
        np.ones((n, 1), dtype=np.float32),
        np.array(edges, dtype=np.int64).reshape(-1, 2).T,
        np.zeros(n if task is Task.NODE else 1, dtype=np.int64),
        motif=motif,
        edge_motif=np.array([0 if edge in own else 1 if edge in others else -1 for edge in edges], dtype=np.int64),
    )
    return dataset.instance(0 if explained is None else explained, hops=n)


def names(instance: Instance) -> list[Edge]:
    """The undirected edges by the ids they were given with, lower id first."""
    ends = instance.nodes[instance.edge_index[:, instance.undirected]].T.tolist()
    return [(min(edge), max(edge)) for edge in ends]


def directed(instance: Instance, scores: dict[Edge, float]) -> np.ndarray:
    """The same score in both directions, given by the original ids."""
    ends = instance.nodes[instance.edge_index].T.tolist()
    return np.array([scores[min(edge), max(edge)] for edge in ends], dtype=np.float64)


@torch.no_grad()
def degree_gnn(task: Task = Task.NODE) -> GNN:
    """P(class 1) = σ(2) if the explained node (or the node of most neighbours) has two or more, σ(−1) if not.

    On features of 1 the first layer gives sign(degree − 1.5), relu makes it 1 or 0, and the head reads nothing else.
    """
    model = GNN(task, "sum", 1, 2, hidden=1)
    for parameter in model.parameters():
        parameter.zero_()
    first = model.convs[0].lin
    first.weight.fill_(1.0)
    first.bias.fill_(-1.5)
    model.head.weight[1, 0] = 3.0
    model.head.bias[1] = -1.0
    return model.eval()
