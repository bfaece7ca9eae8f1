"""Occlusion and EiG-Search: one edge at a time is deleted, all of them in a few passes."""

import copy
from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GCN

from gfx_core.baselines.gradients import EiGSearch, Occlusion
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_instance
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import made, random_data
from tests.toys.gnns import every_gnn, random_gnn, untouched
from tests.toys.instances import graph_of, instance_of


@cache
def gnn(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, seed=3)


def log_probability(model: GNN, instance: Instance, graph: nx.Graph) -> Tensor:
    """log-probabilities of what is left of an instance. [C]"""
    return logits(model, instance, graph).log_softmax(-1)


def logits(model: GNN, instance: Instance, graph: nx.Graph) -> Tensor:
    """Logits of what is left of an instance, built by itself: nodes without edges are gone, if not all are. [C]"""
    nodes = [node for node in graph if graph.degree(node) or node == instance.target] or list(graph)
    number = {node: position for position, node in enumerate(nodes)}
    both = [(number[a], number[b]) for u, v in graph.edges for a, b in ((u, v), (v, u))]
    edge_index = torch.tensor(both, dtype=torch.long).reshape(-1, 2).T
    with torch.no_grad():
        found = model(torch.from_numpy(instance.x[nodes]), edge_index)
    return found.double()[0 if instance.target is None else number[instance.target]]


@every_gnn
@pytest.mark.parametrize(
    "graph", [nx.gnp_random_graph(12, 0.3, seed=1), nx.star_graph(4), nx.cycle_graph(5)], ids=["random", "star", "ring"]
)
def test_each_edge_is_deleted_by_itself(graph: nx.Graph, task: Task, kind: str) -> None:
    model, instance = gnn(task, kind), instance_of(graph, task, hops=len(graph))
    with untouched(model):
        found = Occlusion(model).explain(instance)
    whole = log_probability(model, instance, graph_of(instance))
    explained = int(whole.argmax())
    for (source, target), score in zip(instance.edge_index.T.tolist(), found.edge_mask, strict=True):
        left = graph_of(instance)
        left.remove_edge(source, target)
        fall = whole[explained] - log_probability(model, instance, left)[explained]
        assert score == pytest.approx(fall.item(), abs=1e-5)
    assert found.order is None


@every_gnn
@pytest.mark.parametrize("graph", [nx.gnp_random_graph(10, 0.35, seed=1), nx.cycle_graph(5)], ids=["random", "ring"])
def test_the_best_number_of_edges(graph: nx.Graph, task: Task, kind: str) -> None:
    """Every size is tried, one by one: fidelity₊ − fidelity₋ of no other is larger."""
    model, instance = random_gnn(task, kind, seed=3, std=0.6), instance_of(graph, task, hops=len(graph))
    with untouched(model):
        scores = EiGSearch(model).explain(instance).edge_mask
    explained = int(logits(model, instance, graph_of(instance)).argmax())
    edges = instance.edge_index[:, instance.undirected].T.tolist()

    def left(removed: list[list[int]]) -> nx.Graph:
        part = graph_of(instance)
        part.remove_edges_from(removed)
        return part

    falls = [-float(logits(model, instance, left([edge]))[explained]) for edge in edges]
    order = sorted(range(len(edges)), key=lambda at: -scores[instance.undirected[at]])
    assert all(falls[a] >= falls[b] - 1e-5 for a, b in pairwise(order))
    ranked, worth = [edges[at] for at in order], []
    for size in range(1, len(edges) + 1):
        parts = (left(ranked[size:]), left(ranked[:size]))
        alone, without = (logits(model, instance, part).softmax(-1)[explained].item() for part in parts)
        worth.append(alone - without)
    assert scores.min() >= 0
    kept = int((scores[instance.undirected] >= 0.5).sum())
    assert worth[kept - 1] == pytest.approx(max(worth), abs=1e-4)


def test_a_sure_prediction_still_falls() -> None:
    model, instance = copy.deepcopy(gnn(Task.NODE)), instance_of(nx.cycle_graph(6))
    with torch.no_grad():
        model.head.bias[0] += 25  # probability 1 in single precision
    assert predict_instance(model, instance).max() == 1
    assert np.abs(Occlusion(model).explain(instance).edge_mask).max() > 0


def test_hundreds_of_edges_take_a_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one of our GNNs, and of a model that others wrote."""
    calls: list[type] = []

    def counting(kind: type) -> None:
        forward = kind.embed if kind is GNN else kind.forward  # type: ignore[attr-defined]
        name = "embed" if kind is GNN else "forward"

        def count(*args: object, **named: object) -> object:
            calls.append(kind)
            return forward(*args, **named)

        monkeypatch.setattr(kind, name, count)

    graph = nx.barabasi_albert_graph(150, 2, seed=0)
    ours, theirs = gnn(Task.GRAPH), made(GCN, 5, 8, 2, out_channels=3)
    large = instance_of(graph, Task.GRAPH)
    other = ModelInstances(theirs, random_data(150)).instance(0)
    assert min(len(large.undirected), len(other.undirected)) > 280
    counting(GNN)
    counting(GCN)
    for method, most in ((Occlusion, 12), (EiGSearch, 30)):
        calls.clear()
        assert len(method(ours).explain(large).edge_mask) == large.edge_index.shape[1]
        assert len(method(theirs).explain(other).edge_mask) == other.edge_index.shape[1]
        assert 0 < calls.count(GNN) < most
        assert 0 < calls.count(GCN) < most
