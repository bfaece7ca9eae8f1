"""Saliency, integrated gradients, Grad-CAM by finite differences; occlusion, EiG-Search one deletion at a time."""

import copy
from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GCN

from gfx_core.baselines import gradients
from gfx_core.baselines.gradients import (
    EiGSearch,
    GradCAM,
    IntegratedGradients,
    Occlusion,
    Saliency,
    integrated_gradient,
)
from gfx_core.baselines.pyg_algorithm import PyGModel
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_instance
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import made, random_data
from tests.toys.gnns import every_gnn, random_gnn, untouched
from tests.toys.instances import graph_of, instance_of, noise


@cache
def gnn(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, seed=3)


@cache
def instances_of(task: Task) -> tuple[Instance, ...]:
    graphs = [nx.gnp_random_graph(9, 0.3, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.path_graph(2)]
    return tuple(instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs)


def weighted_log_probability(model: GNN, instance: Instance, weight: np.ndarray) -> float:
    """The sum convolution written out with a weighted adjacency matrix, for the class that the GNN predicts."""
    adjacency = torch.zeros(1, instance.num_nodes, instance.num_nodes, dtype=torch.double)
    source, target = torch.from_numpy(instance.edge_index)
    adjacency[0, target, source] = torch.from_numpy(weight)  # a message goes from source to target
    x = torch.from_numpy(instance.x).double()[None]
    explained = None if instance.target is None else torch.tensor([instance.target])
    mask = torch.ones(x.shape[:2], dtype=torch.bool)
    with torch.no_grad():
        logits = copy.deepcopy(model).double().dense(x, adjacency, mask, explained)[0][0]
    return float(logits.log_softmax(-1)[predict_instance(model, instance).argmax()])


@pytest.mark.parametrize("task", Task)
def test_saliency_is_the_finite_difference(task: Task) -> None:
    """Of a weight that multiplies an edge's messages; also where the prediction is sure in single precision."""
    sure = copy.deepcopy(gnn(task))
    with torch.no_grad():
        sure.head.bias[0] += 25
    for model in (gnn(task), sure):
        for instance, found in zip(instances_of(task), map(Saliency(model).explain, instances_of(task)), strict=True):
            count, step = instance.edge_index.shape[1], 1e-6
            assert found.edge_mask.shape == (count,)
            for edge in range(0, count, 3):
                ends = (np.ones(count) + sign * step * (np.arange(count) == edge) for sign in (1, -1))
                up, down = (weighted_log_probability(model, instance, weight) for weight in ends)
                slope = abs(up - down) / (2 * step)
                assert found.edge_mask[edge] == pytest.approx(slope, abs=1e-5 * max(1e-3, found.edge_mask.max()))


@pytest.mark.parametrize("task", Task)
def test_integrated_gradients_are_complete(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their sum is what the edges together change; the score is the size of each."""
    monkeypatch.setattr(gradients, "STEPS", 25)
    model, method = gnn(task), IntegratedGradients(gnn(task))
    against = 0
    for instance in instances_of(task):
        count = instance.edge_index.shape[1]
        if not count:
            continue
        with torch.enable_grad():
            shares = integrated_gradient(PyGModel(model, instance, torch.device("cpu"), double=True)).numpy()
        ends = [weighted_log_probability(model, instance, np.full(count, weight)) for weight in (1.0, 0.0)]
        change = ends[0] - ends[1]
        assert shares.sum() == pytest.approx(change, abs=0.003 + 0.005 * abs(change))
        assert np.allclose(method.explain(instance).edge_mask, np.abs(shares), atol=1e-9)
        against += int((shares < 0).sum())
    assert against > 0  # some edges speak against the class, and they count


@every_gnn
def test_grad_cam_written_out(task: Task, kind: str) -> None:
    """The logit's slope by each number of the last layer, one at a time, and the mean over the nodes."""
    model, step = random_gnn(task, kind, seed=0).double(), 1e-4
    warm = 0
    with untouched(model):
        answers = list(map(GradCAM(model).explain, instances_of(task)))
    for instance, found in zip(instances_of(task), answers, strict=True):
        x, edge_index = torch.from_numpy(instance.x).double(), torch.from_numpy(instance.edge_index)
        explained = None if instance.target is None else torch.tensor([instance.target])
        owner, D = torch.zeros(len(x), dtype=torch.long), model.hidden
        with torch.no_grad():
            embedding = model.embed(x, edge_index)  # the last layer's are the last D
            answer = int(model.read(embedding, explained, owner, 1)[0].argmax())
            slope = torch.zeros(len(x), D, dtype=torch.double)
            for node in range(len(x)):
                for channel in range(D):
                    moved = embedding.repeat(2, 1, 1)
                    moved[:, node, channel - D] += torch.tensor([step, -step])
                    up, down = (model.read(each, explained, owner, 1)[0][0, answer] for each in moved)
                    slope[node, channel] = (up - down) / (2 * step)
        heat = (embedding[:, -D:] * slope.mean(0)).sum(1).clamp(min=0).numpy()
        assert np.allclose(found.edge_mask, heat[instance.edge_index].mean(0), atol=1e-6)
        warm += int((found.edge_mask > 0).sum())
    assert warm > 0


def logits(model: GNN, instance: Instance, graph: nx.Graph) -> Tensor:
    """Logits of what is left of an instance, built by itself: nodes without edges are gone, if not all are. [C]"""
    nodes = [node for node in graph if graph.degree(node) or node == instance.target] or list(graph)
    number = {node: position for position, node in enumerate(nodes)}
    both = [(number[a], number[b]) for u, v in graph.edges for a, b in ((u, v), (v, u))]
    edge_index = torch.tensor(both, dtype=torch.long).reshape(-1, 2).T
    with torch.no_grad():
        found = model(torch.from_numpy(instance.x[nodes]), edge_index)
    return found.double()[0 if instance.target is None else number[instance.target]]


def left(instance: Instance, removed: list[list[int]]) -> nx.Graph:
    graph = graph_of(instance)
    graph.remove_edges_from(removed)
    return graph


@every_gnn
@pytest.mark.parametrize("graph", [nx.gnp_random_graph(12, 0.3, seed=1), nx.star_graph(4)], ids=["random", "star"])
def test_each_edge_is_deleted_by_itself(graph: nx.Graph, task: Task, kind: str) -> None:
    instance = instance_of(graph, task, hops=len(graph))
    sure = copy.deepcopy(gnn(task, kind))
    with torch.no_grad():
        sure.head.bias[0] += 25  # probability 1 in single precision
    for model in (gnn(task, kind), sure):
        with untouched(model):
            found = Occlusion(model).explain(instance)
        whole = logits(model, instance, graph_of(instance)).log_softmax(-1)
        explained = int(whole.argmax())
        for (source, target), score in zip(instance.edge_index.T.tolist(), found.edge_mask, strict=True):
            fall = whole - logits(model, instance, left(instance, [[source, target]])).log_softmax(-1)
            assert score == pytest.approx(fall[explained].item(), abs=1e-5, rel=1e-3)
        assert np.abs(found.edge_mask).max() > 0


@every_gnn
def test_eig_search_keeps_the_best_number_of_edges(task: Task, kind: str) -> None:
    """Every size is tried, one by one: fidelity₊ − fidelity₋ of no other is larger."""
    graph = nx.gnp_random_graph(10, 0.35, seed=1)
    model, instance = random_gnn(task, kind, seed=3, std=0.6), instance_of(graph, task, hops=len(graph))
    with untouched(model):
        scores = EiGSearch(model).explain(instance).edge_mask
    explained = int(logits(model, instance, graph_of(instance)).argmax())
    edges = instance.edge_index[:, instance.undirected].T.tolist()
    falls = [-float(logits(model, instance, left(instance, [edge]))[explained]) for edge in edges]
    order = sorted(range(len(edges)), key=lambda at: -scores[instance.undirected[at]])
    assert all(falls[a] >= falls[b] - 1e-5 for a, b in pairwise(order))
    ranked, worth = [edges[at] for at in order], []
    for size in range(1, len(edges) + 1):
        parts = (left(instance, ranked[size:]), left(instance, ranked[:size]))
        alone, without = (logits(model, instance, part).softmax(-1)[explained].item() for part in parts)
        worth.append(alone - without)
    assert scores.min() >= 0
    kept = int((scores[instance.undirected] >= 0.5).sum())
    assert worth[kept - 1] == pytest.approx(max(worth), abs=1e-4)


def test_hundreds_of_edges_take_a_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for kind, name in ((GNN, "embed"), (GCN, "forward")):
        original = getattr(kind, name)

        def count(*args: object, original: object = original, name: str = name, **named: object) -> object:
            calls.append(name)
            return original(*args, **named)  # type: ignore[operator]

        monkeypatch.setattr(kind, name, count)
    ours, theirs = gnn(Task.GRAPH), made(GCN, 5, 8, 2, out_channels=3)
    large = instance_of(nx.barabasi_albert_graph(150, 2, seed=0), Task.GRAPH)
    other = ModelInstances(theirs, random_data(150)).instance(0)
    assert min(len(large.undirected), len(other.undirected)) > 280
    for method, most in ((Occlusion, 12), (EiGSearch, 30)):
        calls.clear()
        method(ours).explain(large)
        method(theirs).explain(other)
        assert 0 < calls.count("embed") < most
        assert 0 < calls.count("forward") < most
