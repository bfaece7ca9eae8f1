"""GNNExplainer and PGExplainer: what PyG's own classes say, one instance at a time."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.explain import Explainer
from torch_geometric.explain.algorithm import GNNExplainer as PyGGNNExplainer
from torch_geometric.explain.algorithm import PGExplainer as PyGPGExplainer

from gfx_core import load_dataset, load_model
from gfx_core.baselines import gnnexplainer
from gfx_core.baselines.gnnexplainer import FAINT, GNNExplainer, GNNExplainerConfig, mask_seed
from gfx_core.baselines.method import CancelledError, Explanation
from gfx_core.baselines.pgexplainer import MixupConfig, PGConfig, PGExplainer
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation.method_masks import mask_of
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import pooled_auc
from gfx_core.trace.schema import COLLAPSED
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise

CPU = torch.device("cpu")


@cache
def gnn(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, seed=3)


def numbered(graph: nx.Graph, task: Task, index: int) -> Instance:
    """One graph as an instance; in a graph task it stands at a place of its own in the data set."""
    x = noise(graph, seed=len(graph) + index)
    return replace(instance_of(graph, task, x, index=index if task is Task.NODE else 0), index=index)


@cache
def instances_of(task: Task) -> tuple[Instance, ...]:
    graphs = [
        nx.gnp_random_graph(12, 0.3, seed=1),
        nx.empty_graph(1),
        nx.cycle_graph(6),
        nx.barabasi_albert_graph(30, 3, seed=2),
        nx.path_graph(2),
        nx.star_graph(5),
    ]
    return tuple(numbered(graph, task, number % len(graph)) for number, graph in enumerate(graphs))


def settings(task: Task) -> dict[str, str]:
    return {"mode": "multiclass_classification", "task_level": task.value, "return_type": "raw"}


def tensors(instance: Instance) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index)


def largest_difference(one: Sequence[Explanation], other: Sequence[Explanation]) -> float:
    pairs = zip(one, other, strict=True)
    return max(float(np.abs(a.edge_mask - b.edge_mask).max(initial=0.0)) for a, b in pairs)


def pyg_gnnexplainer(
    model: GNN, instance: Instance, seed: int, epochs: int, lr: float = 0.01, **prices: float
) -> np.ndarray:
    """PyG's own class on one instance, from the same first mask."""
    explainer = Explainer(
        copy.deepcopy(model),
        PyGGNNExplainer(epochs=epochs, lr=lr, **prices),
        explanation_type="model",
        edge_mask_type="object",
        model_config=settings(instance.task),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(mask_seed(seed, instance))
        return explainer(*tensors(instance), index=instance.target).edge_mask.numpy()


@every_gnn
def test_gnnexplainer_together_is_pyg_one_by_one(task: Task, kind: str) -> None:
    model, instances = gnn(task, kind), instances_of(task)
    found = GNNExplainer(model, GNNExplainerConfig(epochs=15), seed=5).explain_many(instances)
    for instance, ours in zip(instances, found, strict=True):
        assert ours.edge_mask.shape == (instance.edge_index.shape[1],)
        assert ours.order is None
        if len(ours.edge_mask):
            assert np.abs(ours.edge_mask - pyg_gnnexplainer(model, instance, 5, 15)).max() < 1e-4


def test_gnnexplainers_prices_are_those_of_pyg() -> None:
    instance = instances_of(Task.GRAPH)[0]
    config = GNNExplainerConfig(epochs=40, lr=0.05, size=0.3, entropy=0.2)
    ours = GNNExplainer(gnn(Task.GRAPH), config, seed=5).explain(instance).edge_mask
    theirs = pyg_gnnexplainer(gnn(Task.GRAPH), instance, 5, 40, lr=0.05, edge_size=0.3, edge_ent=0.2)
    assert np.abs(ours - theirs).max() < 1e-4
    assert np.abs(ours - pyg_gnnexplainer(gnn(Task.GRAPH), instance, 5, 40)).max() > 0.01


@pytest.mark.parametrize("task", Task)
def test_gnnexplainer_does_not_depend_on_what_came_before_nor_on_the_parts(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, instances = GNNExplainer(gnn(task), GNNExplainerConfig(epochs=8), seed=1), instances_of(task)
    together = method.explain_many(instances)
    alone = [method.explain(instance) for instance in reversed(instances)][::-1]
    assert largest_difference(together, alone) < 1e-4
    before = torch.random.get_rng_state()
    assert largest_difference(alone, [method.explain(instance) for instance in instances]) == 0
    assert torch.equal(before, torch.random.get_rng_state())
    other = GNNExplainer(gnn(task), GNNExplainerConfig(epochs=8), seed=2).explain_many(instances)
    assert largest_difference(together, other) > 1e-3
    monkeypatch.setattr(gnnexplainer, "in_unions", partial(gnnexplainer.in_unions, edges=40))
    assert largest_difference(together, method.explain_many(instances)) < 1e-4


class ReadsAllLayers(PyGPGExplainer):
    """PyG's class, given the embedding that our GNN's head reads."""

    def _get_embeddings(self, model: GNN, x: torch.Tensor, edge_index: torch.Tensor, **_: object) -> torch.Tensor:
        with torch.no_grad():
            return model.embed(x, edge_index)


@pytest.mark.parametrize("all_layers", [None, True, False])
@pytest.mark.parametrize("task", Task)
def test_pgexplainer_one_by_one_is_pyg(task: Task, all_layers: bool | None) -> None:
    """The same weights, noise and order: with one instance to a step the two must agree."""
    model, epochs, seed = gnn(task), 4, 7
    instances = [instance for instance in instances_of(task) if instance.edge_index.shape[1]]
    config = PGConfig(size=0.02, entropy=0.5, epochs=epochs, lr=0.003, batch_size=1, all_layers=all_layers)
    ours = PGExplainer(model, config, seed=seed)
    first = copy.deepcopy(ours.network)
    ours.fit(instances)

    reads_all = task is Task.NODE if all_layers is None else all_layers
    algorithm = (ReadsAllLayers if reads_all else PyGPGExplainer)(epochs=epochs, lr=0.003)
    algorithm.coeffs = {**PyGPGExplainer.coeffs, "edge_size": 0.02, "edge_ent": 0.5}
    explainer = Explainer(
        copy.deepcopy(model),
        algorithm,
        explanation_type="phenomenon",
        edge_mask_type="object",
        model_config=settings(task),
    )
    algorithm.mlp.load_state_dict(first.state_dict())
    targets = [explainer.get_prediction(*tensors(instance)).argmax(-1) for instance in instances]
    rng = np.random.RandomState(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for epoch in range(epochs):
            for at in rng.permutation(len(instances)):
                algorithm.train(
                    epoch, explainer.model, *tensors(instances[at]), target=targets[at], index=instances[at].target
                )
    for mine, theirs in zip(ours.network.parameters(), algorithm.mlp.parameters(), strict=True):
        assert torch.allclose(mine, theirs, atol=1e-4)
    for instance, target, found in zip(instances, targets, ours.explain_many(instances), strict=True):
        expected = explainer(*tensors(instance), target=target, index=instance.target).edge_mask.numpy()
        assert np.abs(found.edge_mask - expected).max() < 1e-4


@every_gnn
def test_pgexplainer_is_seeded_saved_and_loaded(task: Task, kind: str) -> None:
    model, instances = gnn(task, kind), instances_of(task)
    trained = PGExplainer(model, PGConfig(batch_size=2), seed=3, epochs=3)
    trained.fit(instances)
    found = trained.explain_many(instances)
    assert [len(f.edge_mask) for f in found] == [instance.edge_index.shape[1] for instance in instances]
    assert largest_difference(found, [trained.explain(instance) for instance in instances]) < 1e-5

    loaded = PGExplainer(model, seed=99, epochs=3)
    loaded.network.load_state_dict(trained.network.state_dict())
    assert largest_difference(found, loaded.explain_many(instances)) == 0

    before = torch.random.get_rng_state()
    trained.fit(instances)  # from the beginning
    assert torch.equal(before, torch.random.get_rng_state())
    assert largest_difference(found, trained.explain_many(instances)) == 0
    other = PGExplainer(model, PGConfig(batch_size=2), seed=4, epochs=3)
    other.fit(instances)
    assert largest_difference(found, other.explain_many(instances)) > 1e-4


def test_pgexplainer_keeps_its_settings_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PyGPGExplainer, "coeffs", {**PyGPGExplainer.coeffs, "edge_size": 0.05})
    instances = instances_of(Task.NODE)

    def scores() -> list[Explanation]:
        method = PGExplainer(gnn(Task.NODE), epochs=2)
        method.fit(instances)
        return method.explain_many(instances)

    before, shared = scores(), dict(PyGPGExplainer.coeffs)
    PyGPGExplainer(epochs=1, edge_size=50.0)
    assert PyGPGExplainer.coeffs["edge_size"] == 50.0  # PyG's leak
    assert largest_difference(before, scores()) == 0
    assert PyGPGExplainer.coeffs == {**shared, "edge_size": 50.0}


def test_pgexplainer_lowers_its_loss_and_finds_cycles() -> None:
    dataset = load_dataset("tree_cycles")
    instances = [dataset.instance(int(index)) for index in dataset.explainable[::16]]
    method, words = PGExplainer(load_model("tree_cycles")), []
    method.fit(instances, progress=lambda share, text: words.append((share, text)))
    assert [share for share, _ in words] == pytest.approx([(epoch + 1) / 30 for epoch in range(30)])
    first, *_, last = (float(text.split()[-1]) for _, text in words)
    assert last < first / 2
    auc = pooled_auc(instances, [found.edge_mask for found in method.explain_many(instances)])
    assert auc is not None
    assert auc > 0.95


def test_pgexplainer_must_learn_first_and_can_be_stopped() -> None:
    instances = instances_of(Task.GRAPH)
    method = PGExplainer(gnn(Task.GRAPH), epochs=5)
    with pytest.raises(UserError, match="not trained yet"):
        method.explain(instances[0])
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
    dear = PGExplainer(gnn(task), PGConfig(size=5.0, epochs=30, lr=0.1, batch_size=2))
    dear.fit(instances)
    found = dear.explain_many(instances)
    for instance, each in zip(instances, found, strict=True):
        assert bool(each.note) == bool(instance.edge_index.shape[1])  # one without edges has nothing to lose
        assert each.edge_mask.max(initial=0.0) < FAINT
    assert "collapsed" in found[0].note
    assert mask_of("pgexplainer", dear, instances[0]).metrics[COLLAPSED] == 1

    cheap = PGExplainer(gnn(task), PGConfig(size=0.0, epochs=5))
    cheap.fit(instances)
    assert not any(each.note for each in cheap.explain_many(instances))
    assert COLLAPSED not in mask_of("pgexplainer", cheap, instances[0]).metrics
    fitted = GNNExplainer(gnn(task), GNNExplainerConfig(epochs=60, lr=0.3, size=5.0)).explain_many(instances)
    assert sum(bool(each.note) for each in fitted) > len(fitted) / 2


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"lr": 0.0}, {"size": -1.0}, {"entropy": -1.0}], ids=str)
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    for config in (PGConfig, MixupConfig, GNNExplainerConfig):
        with pytest.raises(UserError, match="must be"):
            config(**wrong)
    with pytest.raises(UserError, match="links must be"):
        MixupConfig(links=0)
