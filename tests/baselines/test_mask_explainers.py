"""GNNExplainer and PGExplainer: what PyG's own classes say of one instance, and what they must not do to each other."""

import copy
from collections.abc import Sequence
from functools import cache

import networkx as nx
import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.explain import Explainer
from torch_geometric.explain import algorithm as pyg
from torch_geometric.utils import get_embeddings

from gfx_core import load_dataset, load_model
from gfx_core.baselines.gnnexplainer import GNNExplainer, GNNExplainerConfig
from gfx_core.baselines.method import CancelledError, Explanation
from gfx_core.baselines.pgexplainer import PGConfig, PGExplainer
from gfx_core.baselines.pyg_algorithm import FAINT, mask_seed
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation.method_masks import mask_of
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import pooled_auc
from gfx_core.trace.schema import COLLAPSED
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise


@cache
def gnn(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, seed=3)


@cache
def instances_of(task: Task) -> tuple[Instance, ...]:
    graphs = [nx.gnp_random_graph(12, 0.3, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.star_graph(5)]
    return tuple(instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs)


def tensors(instance: Instance) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index)


def pyg_explainer(model: nn.Module, algorithm: pyg.ExplainerAlgorithm, task: Task) -> Explainer:
    settings = {"mode": "multiclass_classification", "task_level": task.value, "return_type": "raw"}
    about = {"explanation_type": "phenomenon", "edge_mask_type": "object", "model_config": settings}
    return Explainer(copy.deepcopy(model), algorithm, **about)


def largest_difference(one: Sequence[Explanation], other: Sequence[Explanation]) -> float:
    pairs = zip(one, other, strict=True)
    return max(float(np.abs(a.edge_mask - b.edge_mask).max(initial=0.0)) for a, b in pairs)


@every_gnn
def test_gnnexplainer_is_pygs_with_its_prices(task: Task, kind: str) -> None:
    model, config = gnn(task, kind), GNNExplainerConfig(epochs=15, lr=0.05, size=0.3, entropy=0.2)
    method, before = GNNExplainer(model, config, seed=5), torch.random.get_rng_state()
    for instance, ours in zip(instances_of(task), method.explain_many(instances_of(task)), strict=True):
        assert ours.edge_mask.shape == (instance.edge_index.shape[1],)
        if len(ours.edge_mask):
            explainer = pyg_explainer(model, pyg.GNNExplainer(15, 0.05, edge_size=0.3, edge_ent=0.2), task)
            target = explainer.get_prediction(*tensors(instance)).argmax(-1)
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(mask_seed(5, instance))
                theirs = explainer(*tensors(instance), target=target, index=instance.target).edge_mask.numpy()
            assert np.abs(ours.edge_mask - theirs).max() < 1e-4
    assert torch.equal(before, torch.random.get_rng_state())
    other = GNNExplainer(model, config, seed=6).explain_many(instances_of(task))
    assert largest_difference(method.explain_many(instances_of(task)), other) > 1e-3


class ReadsAllLayers(pyg.PGExplainer):
    """PyG's class, given the embeddings that our GNN's head reads."""

    def _get_embeddings(self, model: GNN, x: torch.Tensor, edge_index: torch.Tensor, **_: object) -> torch.Tensor:
        with torch.no_grad():
            return model.embed(x, edge_index)


@pytest.mark.parametrize("task", Task)
def test_pgexplainer_is_pygs(task: Task) -> None:
    """The same weights, noise and order of instances."""
    model, epochs, seed = gnn(task), 4, 7
    instances = [instance for instance in instances_of(task) if instance.edge_index.shape[1]]
    ours = PGExplainer(model, PGConfig(size=0.02, entropy=0.5, epochs=epochs, lr=0.003), seed=seed)
    ours.fit(instances)
    rng, kind = np.random.RandomState(seed), ReadsAllLayers if task is Task.NODE else pyg.PGExplainer
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        algorithm = kind(epochs=epochs, lr=0.003)
        algorithm.coeffs = {**pyg.PGExplainer.coeffs, "edge_size": 0.02, "edge_ent": 0.5}
        explainer = pyg_explainer(model, algorithm, task)
        targets = [explainer.get_prediction(*tensors(instance)).argmax(-1) for instance in instances]
        for epoch in range(epochs):
            for at in rng.permutation(len(instances)):
                arguments = {"target": targets[at], "index": instances[at].target}
                algorithm.train(epoch, explainer.model, *tensors(instances[at]), **arguments)
    for instance, target, found in zip(instances, targets, ours.explain_many(instances), strict=True):
        expected = explainer(*tensors(instance), target=target, index=instance.target).edge_mask.numpy()
        assert np.abs(found.edge_mask - expected).max() < 1e-4


def test_pgexplainer_reads_every_layer_of_any_model_in_a_node_task() -> None:
    class Other(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = gnn(Task.NODE)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return self.inner(x, edge_index)

    method, instance = PGExplainer(Other(), epochs=1), instances_of(Task.NODE)[0]
    method.fit([instance])
    width = sum(layer.shape[1] for layer in get_embeddings(Other(), *tensors(instance)))
    assert method.network[0].weight.shape[1] == 3 * width


@every_gnn
def test_pgexplainer_is_seeded_and_loaded(task: Task, kind: str) -> None:
    model, instances, before = gnn(task, kind), instances_of(task), torch.random.get_rng_state()
    trained = PGExplainer(model, seed=3, epochs=3)
    trained.fit(instances)
    found = trained.explain_many(instances)
    loaded = PGExplainer(model, seed=99)
    loaded.network.load_state_dict(trained.network.state_dict())
    assert largest_difference(found, loaded.explain_many(instances)) == 0
    trained.fit(instances)  # from the beginning
    assert largest_difference(found, trained.explain_many(instances)) == 0
    assert torch.equal(before, torch.random.get_rng_state())
    other = PGExplainer(model, seed=4, epochs=3)
    other.fit(instances)
    assert largest_difference(found, other.explain_many(instances)) > 1e-4


def test_pgexplainer_keeps_its_settings_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyg.PGExplainer, "coeffs", {**pyg.PGExplainer.coeffs, "edge_size": 0.05})

    def scores() -> list[Explanation]:
        method = PGExplainer(gnn(Task.NODE), epochs=2)
        method.fit(instances_of(Task.NODE))
        return method.explain_many(instances_of(Task.NODE))

    before, shared = scores(), dict(pyg.PGExplainer.coeffs)
    pyg.PGExplainer(epochs=1, edge_size=50.0)
    assert pyg.PGExplainer.coeffs["edge_size"] == 50.0  # PyG's leak
    assert largest_difference(before, scores()) == 0
    assert pyg.PGExplainer.coeffs == {**shared, "edge_size": 50.0}


def test_pgexplainer_lowers_its_loss_and_finds_cycles() -> None:
    dataset = load_dataset("tree_cycles")
    instances = [dataset.instance(int(index)) for index in dataset.explainable[::40]]
    method, words = PGExplainer(load_model("tree_cycles"), PGConfig(epochs=20, lr=0.01)), []
    method.fit(instances, progress=lambda share, text: words.append((share, text)))
    assert [share for share, _ in words] == pytest.approx([(epoch + 1) / 20 for epoch in range(20)])
    first, *_, last = (float(text.split()[-1]) for _, text in words)
    assert last < first / 2
    assert (pooled_auc(instances, [found.edge_mask for found in method.explain_many(instances)]) or 0) > 0.95


def test_pgexplainer_must_learn_first_and_can_be_stopped() -> None:
    instances = instances_of(Task.GRAPH)
    method = PGExplainer(gnn(Task.GRAPH), epochs=5)
    for nothing in ([], [instances[1]]):
        with pytest.raises(UserError, match="at least one instance"):
            method.fit(nothing)
    epochs: list[float] = []
    with pytest.raises(CancelledError):
        method.fit(instances, progress=lambda share, _: epochs.append(share), cancelled=lambda: len(epochs) == 2)
    assert len(epochs) == 2
    with pytest.raises(UserError, match="not trained yet"):
        method.explain(instances[0])


@pytest.mark.parametrize("task", Task)
def test_a_collapse_is_seen_and_said(task: Task) -> None:
    """Edges that cost more than any prediction is worth: the best mask is an empty one."""
    instances = instances_of(task)
    dear = PGExplainer(gnn(task), PGConfig(size=5.0, epochs=8, lr=0.1))
    cheap = PGExplainer(gnn(task), PGConfig(size=0.0, epochs=3))
    for method in (dear, cheap):
        method.fit(instances)
    for instance, found in zip(instances, dear.explain_many(instances), strict=True):
        assert ("collapsed" in found.note) == bool(instance.edge_index.shape[1])  # without edges nothing is lost
        assert found.edge_mask.max(initial=0.0) < FAINT
    assert not any(found.note for found in cheap.explain_many(instances))
    masks = [mask_of("pgexplainer", method, instances[0]) for method in (dear, cheap)]
    assert [COLLAPSED in mask.metrics for mask in masks] == [True, False]
    fitted = GNNExplainer(gnn(task), GNNExplainerConfig(epochs=40, lr=0.4, size=5.0)).explain_many(instances)
    assert sum(bool(found.note) for found in fitted) >= len(fitted) / 2
