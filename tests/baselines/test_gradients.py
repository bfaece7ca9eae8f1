"""Saliency, integrated gradients and Grad-CAM: finite differences, the axioms, and what must not change."""

import copy
from collections.abc import Callable
from functools import cache, partial

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.baselines import gradients
from gfx_core.baselines.disjoint_union import Union, in_unions
from gfx_core.baselines.gradients import (
    GradCAM,
    IntegratedGradients,
    Saliency,
    edge_gradient,
    log_probability,
)
from gfx_core.baselines.method import Method
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_instance
from gfx_core.user_models.adapter import private_copy
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise

CPU = torch.device("cpu")
all_three = pytest.mark.parametrize("method", [Saliency, IntegratedGradients, GradCAM], ids=["saliency", "ig", "cam"])


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradients, "STEPS", 50)


@cache
def gnn(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, seed=3)


@cache
def instances_of(task: Task) -> tuple[Instance, ...]:
    graphs = [nx.gnp_random_graph(9, 0.3, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.path_graph(2)]
    return tuple(instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs)


def union_of(model: GNN, *instances: Instance) -> Union:
    return Union(private_copy(model).double(), instances, CPU)


def same(weight: float, union: Union) -> torch.Tensor:
    return torch.full((len(union.edge_owner),), weight, dtype=torch.double)


def weighted_log_probability(model: GNN, instance: Instance, weight: torch.Tensor) -> float:
    """The GNN of the sum kind written out with a weighted adjacency matrix, for the class it predicts."""
    adjacency = torch.zeros(1, instance.num_nodes, instance.num_nodes, dtype=torch.double)
    source, target = torch.from_numpy(instance.edge_index)
    adjacency[0, target, source] = weight  # a message goes from source to target
    x = torch.from_numpy(instance.x).double()[None]
    explained = None if instance.target is None else torch.tensor([instance.target])
    mask = torch.ones(x.shape[:2], dtype=torch.bool)
    logits = copy.deepcopy(model).double().dense(x, adjacency, mask, explained)[0][0]
    return float(logits.log_softmax(-1)[predict_instance(model, instance).argmax()].detach())


@pytest.mark.parametrize("task", Task)
def test_an_edge_weight_multiplies_messages(task: Task) -> None:
    for instance in instances_of(task):
        count = instance.edge_index.shape[1]
        if count:
            weight = torch.from_numpy(np.random.RandomState(2).rand(count))
            ours = log_probability(union_of(gnn(task), instance), weight).item()
            assert ours == pytest.approx(weighted_log_probability(gnn(task), instance, weight), abs=1e-9)


@every_gnn
def test_saliency_is_the_finite_difference(task: Task, kind: str) -> None:
    model, step = gnn(task, kind), 1e-6
    for instance, found in zip(instances_of(task), Saliency(model).explain_many(instances_of(task)), strict=True):
        count = instance.edge_index.shape[1]
        assert found.edge_mask.shape == (count,)
        assert found.order is None
        union = union_of(model, instance) if count else None
        for edge in range(0, count, 3):
            assert union is not None
            up, down = same(1, union), same(1, union)
            up[edge] += step
            down[edge] -= step
            slope = (log_probability(union, up) - log_probability(union, down)).item() / (2 * step)
            assert found.edge_mask[edge] == pytest.approx(abs(slope), abs=1e-5)


@every_gnn
def test_integrated_gradients_are_complete(task: Task, kind: str) -> None:
    """Their sum is what the edges together change; the score is the size of each."""
    model, method = gnn(task, kind), IntegratedGradients(gnn(task, kind))
    instances = [instance for instance in instances_of(task) if instance.edge_index.shape[1]]
    against = 0
    for instance, found in zip(instances, method.explain_many(instances), strict=True):
        union = union_of(model, instance)
        shares = method.shares(union)
        change = log_probability(union, same(1, union)) - log_probability(union, same(0, union))
        assert shares.sum().item() == pytest.approx(change.item(), abs=0.01 + 0.02 * abs(change.item()))
        assert np.allclose(found.edge_mask, shares.abs().numpy(), atol=1e-9)
        against += int((shares < 0).sum())
    assert against > 0  # some edges speak against the class, and they count


@pytest.mark.parametrize("task", Task)
def test_integrated_gradients_against_a_fine_riemann_sum(task: Task) -> None:
    model, instance = gnn(task), instances_of(task)[0]
    copies = union_of(model, *[instance] * 400)  # each at another point of the way
    slow = edge_gradient(copies, (copies.edge_owner.double() + 0.5) / 400).view(400, -1).mean(0).numpy()
    fast = IntegratedGradients(model).shares(union_of(model, instance)).numpy()
    assert np.abs(fast - slow).max() < 0.02 * np.abs(fast).max()


@pytest.mark.parametrize("task", Task)
def test_an_unused_edge_scores_nothing(task: Task) -> None:
    """A message into a node that no one listens to changes nothing (node task); in a graph task all are heard."""
    path = instance_of(nx.path_graph(4), task)
    edges = {(int(u), int(v)): at for at, (u, v) in enumerate(path.edge_index.T)}
    for method in (Saliency(gnn(task)), IntegratedGradients(gnn(task))):
        scores = method.explain(path).edge_mask
        assert (scores[edges[2, 3]] == 0) == (task is Task.NODE)  # 3 hops away: its own inbox is never read
        assert scores[edges[1, 0]] != 0


@every_gnn
def test_grad_cam_written_out(task: Task, kind: str) -> None:
    """The logit's slope by each number of the last layer, one at a time, and the mean over the nodes."""
    model, step = random_gnn(task, kind, seed=0).double(), 1e-4
    warm = 0
    for instance, found in zip(instances_of(task), GradCAM(model).explain_many(instances_of(task)), strict=True):
        x, edge_index = torch.from_numpy(instance.x).double(), torch.from_numpy(instance.edge_index)
        explained = None if instance.target is None else torch.tensor([instance.target])
        owner, D = torch.zeros(len(x), dtype=torch.long), model.hidden
        with torch.no_grad():
            embedding = model.embed(x, edge_index)  # the last layer's are the last D
            answer = int(model.read(embedding, explained, owner, 1)[0].argmax())
            slope = torch.zeros(len(x), D, dtype=torch.double)
            for node in range(len(x)):
                for channel in range(D):
                    ends = []
                    for sign in (1, -1):
                        moved = embedding.clone()
                        moved[node, channel - D] += sign * step
                        ends.append(model.read(moved, explained, owner, 1)[0][0, answer])
                    slope[node, channel] = (ends[0] - ends[1]) / (2 * step)
        heat = (embedding[:, -D:] * slope.mean(0)).sum(1).clamp(min=0).numpy()
        assert np.allclose(found.edge_mask, heat[instance.edge_index].mean(0), atol=1e-6)
        warm += int((found.edge_mask > 0).sum())
    assert warm > 0


def test_a_sure_prediction_still_has_gradients() -> None:
    model = copy.deepcopy(gnn(Task.NODE))
    instance = instances_of(Task.NODE)[0]
    with torch.no_grad():
        model.head.bias[0] += 25  # probability 1 in single precision
    assert predict_instance(model, instance).max() == 1
    assert Saliency(model).explain(instance).edge_mask.max() > 0


@all_three
@every_gnn
def test_together_in_parts_alone_and_again(
    task: Task, kind: str, method: Callable[..., Method], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gradients, "STEPS", 3)
    explainer, instances = method(gnn(task, kind), seed=1), instances_of(task)
    together = explainer.explain_many(instances)
    monkeypatch.setattr(gradients, "in_unions", partial(in_unions, edges=1))
    in_parts = explainer.explain_many(instances)
    for one, other in zip(together, in_parts, strict=True):
        assert np.allclose(one.edge_mask, other.edge_mask, atol=1e-9)
    for instance, found in zip(instances, together, strict=True):
        assert np.allclose(explainer.explain(instance).edge_mask, found.edge_mask, atol=1e-9)
    again = explainer.explain_many(instances)
    assert all(np.array_equal(a.edge_mask, b.edge_mask) for a, b in zip(in_parts, again, strict=True))
    assert together[1].edge_mask.shape == (0,)
    assert explainer.explain_many([]) == []
