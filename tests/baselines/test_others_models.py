"""Explainers on PyG's own models, for nodes and for graphs: many instances at once, and each by itself."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GAT, GCN, GIN, GINConv, GraphSAGE, TopKPooling, global_mean_pool

from gfx_core import UserError
from gfx_core.baselines import gradients
from gfx_core.baselines.method import Learner, Method
from gfx_core.baselines.pgexplainer import PGConfig, PGExplainer
from gfx_core.baselines.registry import METHODS, make_method
from gfx_core.config import Task
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import ModelInstance, predictor_on
from tests.toys.foreign import NodeNet, OneGraphNet, made, mlp, random_data, some_graphs
from tests.toys.gnns import random_gnn, untouched
from tests.toys.instances import instance_of, noise

EXPLAINERS = [
    "gnnexplainer",
    "pgexplainer",
    "pgexplainer_edgedrop",
    "pgexplainer_mixup",
    "saliency",
    "integrated_gradients",
    "grad_cam",
    "occlusion",
    "eig_search",
    "most_links",
    "bfs",
    "random",
]
FEW = {name: {"epochs": 2} for name in EXPLAINERS if name.startswith("pg")} | {"gnnexplainer": {"epochs": 5}}
MODELS = [GCN, GIN, GAT, GraphSAGE]


class Pooled(nn.Module):
    """One of PyG's models as a graph classifier."""

    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.net, self.head = kind(5, 8, 2), nn.Linear(8, 3)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.head(global_mean_pool(self.net(x, edge_index), batch))


@cache
def model_of(kind: type[nn.Module], task: Task) -> nn.Module:
    return made(kind, 5, 8, 2, out_channels=3) if task is Task.NODE else made(Pooled, kind)


def instances_of(model: nn.Module, data: Data | list[Data], **options: Any) -> list[ModelInstance]:
    found = ModelInstances(model, data, ModelOptions(**options))
    return [found.instance(index) for index in range(3)]


def method_of(name: str, model: nn.Module, instances: Sequence[ModelInstance]) -> Method:
    method = make_method(name, model, FEW.get(name))
    if isinstance(method, Learner):
        method.fit(instances)
    return method


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """How close integrated gradients come is tested with them; here each model is asked as often as needed."""
    monkeypatch.setattr(gradients, "STEPS", 10)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", EXPLAINERS)
def test_together_and_alone(name: str, kind: type[nn.Module], task: Task) -> None:
    model = model_of(kind, task)
    instances = instances_of(model, random_data(16) if task is Task.NODE else some_graphs())
    with untouched(model):
        method = method_of(name, model, instances)
        together = method.explain_many(instances)
        alone = [method.explain(instance) for instance in instances]
    for instance, one, other in zip(instances, together, alone, strict=True):
        assert one.edge_mask.shape == (instance.edge_index.shape[1],)
        assert np.isfinite(one.edge_mask).all()
        assert np.allclose(one.edge_mask, other.edge_mask, atol=1e-4)
    assert any(np.ptp(found.edge_mask) > 0 for found in together)  # untrained units may be dead for one of them


ASKING = [name for name in EXPLAINERS if METHODS[name].uses_gnn]


@pytest.mark.parametrize("name", ASKING)
def test_a_model_that_mixes_up_two_graphs_is_asked_about_one_at_a_time(name: str) -> None:
    model = made(OneGraphNet)
    instances = instances_of(model, some_graphs())
    assert not any(instance.adapter.together for instance in instances if instance.adapter is not None)
    method = method_of(name, model, instances)
    for instance, found in zip(instances, method.explain_many(instances), strict=True):
        assert np.allclose(found.edge_mask, method.explain(instance).edge_mask, atol=1e-6)


@pytest.mark.parametrize("name", ASKING)
def test_features_may_be_whole_numbers(name: str) -> None:
    data, model = random_data(12), made(NodeNet)
    data.x = (3 * data.x).round().long()
    instances = instances_of(model, data)
    for found in method_of(name, model, instances).explain_many(instances):
        assert np.isfinite(found.edge_mask).all()


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("output", ["probabilities", "probability", "number"])
def test_whatever_the_model_puts_out(name: str, output: str) -> None:
    last: dict[str, nn.Module] = {"probabilities": nn.Softmax(-1), "probability": nn.Sigmoid()}
    model = made(NodeNet, out=3 if output == "probabilities" else 1, last=last.get(output))
    instances = instances_of(model, random_data(12), output=output)
    for found in method_of(name, model, instances).explain_many(instances):
        assert np.isfinite(found.edge_mask).all()


class SomebodyElses(nn.Module):
    """One of our graph classifiers as somebody else's."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = random_gnn(Task.GRAPH, "gcn", (4, 3), std=0.5)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.inner(x, edge_index, batch)


def test_pgexplainer_learns_the_same_from_a_model_as_from_ours() -> None:
    model = SomebodyElses()
    graphs = [nx.gnp_random_graph(9, 0.35, seed=seed) for seed in range(3)]
    instances = [instance_of(graph, Task.GRAPH, noise(graph, 4)) for graph in graphs]
    ours, theirs = (PGExplainer(each, PGConfig(epochs=3, batch_size=2)) for each in (model.inner, model))
    for method in (ours, theirs):
        method.fit(instances)
    for one, other in zip(ours.explain_many(instances), theirs.explain_many(instances), strict=True):
        assert np.allclose(one.edge_mask, other.edge_mask, atol=1e-5)


def test_what_pgexplainer_has_learnt_is_loaded_for_others_models_too() -> None:
    model = model_of(GIN, Task.NODE)
    instances = instances_of(model, random_data(16))
    learnt = method_of("pgexplainer", model, instances)
    loaded = PGExplainer(model)
    with pytest.raises(UserError, match="not trained yet"):
        loaded.explain(instances[0])
    assert isinstance(learnt, PGExplainer)
    loaded.network.load_state_dict(learnt.network.state_dict())
    assert np.array_equal(loaded.explain(instances[0]).edge_mask, learnt.explain(instances[0]).edge_mask)


class Coarse(nn.Module):
    """Its second layer sees fewer nodes than there are."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.pool, self.two = GINConv(mlp(5, 8)), TopKPooling(8), GINConv(mlp(8, 3))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        x = self.one(x, edge_index).relu()
        x, edge_index, _, batch, *_ = self.pool(x, edge_index, batch=batch)
        return global_mean_pool(self.two(x, edge_index), batch)


def test_a_layer_on_other_nodes_is_not_read() -> None:
    """Masks cannot be written into such a model, and that is said; deleting edges needs none."""
    model = made(Coarse)
    instances = instances_of(model, some_graphs())
    assert np.isfinite(method_of("occlusion", model, instances).explain(instances[0]).edge_mask).all()
    with pytest.raises(UserError):
        method_of("pgexplainer", model, instances)


def test_all_choices_of_edges_at_once() -> None:
    """Directed, doubled and looping edges, some at a time and each by itself."""
    data = random_data(14)
    data.edge_index = torch.cat([data.edge_index[:, ::2], data.edge_index[:, :5], torch.tensor([[3, 4], [3, 4]])], 1)
    model = made(NodeNet)
    (instance,) = (ModelInstances(model, data).instance(3),)
    predictor = predictor_on(model, [instance])
    kept = np.random.RandomState(0).random_sample((9, len(instance.undirected))) < 0.6
    kept[0] = False
    at_once = predictor.with_edges(instance, kept).logits
    each = torch.cat([predictor.with_edges(instance, row[None]).logits for row in kept])
    assert torch.allclose(at_once, each, atol=1e-5)
    assert predictor.with_edges(instance, kept[:0]).logits.shape == (0, 3)
