"""GNNExplainer and PGExplainer are PyG's own classes, and any algorithm of PyG is one method among others."""

import copy
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import Explainer, algorithm
from torch_geometric.explain import Explanation as PyGExplanation
from torch_geometric.explain.algorithm import (
    AttentionExplainer,
    DummyExplainer,
    ExplainerAlgorithm,
    GNNExplainer,
    GraphMaskExplainer,
)
from torch_geometric.explain.config import ModelMode
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE, MessagePassing
from torch_geometric.utils import get_embeddings

from gfx_core import UserError, as_method
from gfx_core.baselines.masks import mask_of, score_edges
from gfx_core.baselines.method import FAINT, Explanation
from gfx_core.baselines.pyg_algorithm import GNNExplainer as GNNMethod
from gfx_core.baselines.pyg_algorithm import GNNExplainerConfig, PGConfig, PGExplainer, mask_seed
from gfx_core.baselines.registry import METHODS, explain, method_info
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.question import Question
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext, StoppedError, TakesLongError
from gfx_core.trace.schema import COLLAPSED
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import NodeNet, made, random_data
from tests.toys.gnns import every_gnn, random_gnn, untouched
from tests.toys.instances import instance_of, noise


@pytest.fixture(autouse=True)
def registry_as_before() -> Iterator[None]:
    with patch.dict(METHODS):
        yield


class Counts(ExplainerAlgorithm):
    """Scores each edge by how often it has been run, and keeps something in itself and in the model."""

    def __init__(self) -> None:
        super().__init__()
        self.runs, self.seen = 0, []  # type: ignore[var-annotated]

    def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> PyGExplanation:
        self.runs += 1
        self.seen.append(next(model.parameters()))
        with torch.no_grad():
            next(model.parameters()).zero_()
        return PyGExplanation(edge_mask=torch.full((edge_index.shape[1],), float(self.runs)))

    def supports(self) -> bool:
        return True


@pytest.mark.parametrize("kind", [GCN, GIN, GAT, GraphSAGE])
def test_pygs_own_answers_on_pygs_models(kind: type[nn.Module]) -> None:
    """Also where the graph is directed: scores are those of the given edges, of a missing direction the other's."""
    data = random_data(16)
    some = torch.randperm(data.num_edges, generator=torch.Generator().manual_seed(0))[:40]
    data.edge_index = data.edge_index[:, some]
    model = made(kind, 5, 8, 2, out_channels=3)
    instance = ModelInstances(model, data).instance(3)
    with untouched(model):
        found = as_method(GNNExplainer(epochs=5))(model, seed=1).explain(instance).edge_mask
    assert instance.inputs is not None
    explainer = Explainer(
        copy.deepcopy(model),
        GNNExplainer(epochs=5),
        explanation_type="model",
        edge_mask_type="object",
        model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(mask_seed(1, instance))
        mask = explainer(instance.inputs.x, instance.inputs.edge_index, index=instance.target).edge_mask
    given = {(int(u), int(v)): float(score) for (u, v), score in zip(instance.inputs.edge_index.T, mask, strict=True)}
    for (u, v), score in zip(instance.edge_index.T.tolist(), found, strict=True):
        assert score == pytest.approx(given.get((u, v), given.get((v, u))), abs=1e-6)


def test_nothing_leaks_from_one_explanation_into_the_next() -> None:
    algorithm, model = Counts(), made(NodeNet)
    instance = ModelInstances(model, random_data(12)).instance(3)
    method = as_method(algorithm)(model)
    with untouched(model):
        for _ in range(2):
            assert method.explain(instance).edge_mask.tolist() == [1.0] * instance.edge_index.shape[1]
    assert (algorithm.runs, algorithm.seen) == (0, [])
    masked = as_method(GNNExplainer(epochs=3))(model)
    one, again = (masked.explain(instance).edge_mask for _ in range(2))
    assert np.array_equal(one, again)
    for layer in model.modules():
        if isinstance(layer, MessagePassing):
            assert (layer.explain, layer._edge_mask) == (None, None)


@pytest.mark.parametrize(
    ("output", "mode", "last"),
    [
        ("logits", "multiclass_classification", None),
        ("probabilities", "multiclass_classification", nn.Softmax(-1)),
        ("logit", "binary_classification", None),
        ("probability", "binary_classification", nn.Sigmoid()),
        ("number", "regression", None),
    ],
)
def test_whatever_the_model_puts_out(output: str, mode: str, last: nn.Module | None) -> None:
    class Knows(Counts):
        def supports(self) -> bool:
            return self.model_config.mode is ModelMode(mode)

    model = made(NodeNet, out=3 if mode.startswith("multi") else 1, last=last)
    instance = ModelInstances(model, random_data(12), ModelOptions(output=output)).instance(3)
    assert len(as_method(Knows())(model).explain(instance).edge_mask) == instance.edge_index.shape[1]
    assert np.isfinite(as_method(GNNExplainer(epochs=2))(model).explain(instance).edge_mask).all()


def test_further_arguments_reach_the_model() -> None:
    data = random_data(12)
    data.edge_weight = torch.rand(data.num_edges, generator=torch.Generator().manual_seed(0))
    model = made(NodeNet)
    instance = ModelInstances(model, data).instance(3)

    class Asks(Counts):
        def forward(
            self, model: nn.Module, x: Tensor, edge_index: Tensor, *, target: Tensor, index: Tensor, **named: Any
        ) -> PyGExplanation:
            out = model(x, edge_index, **named)
            assert torch.equal(out, model(x, edge_index))  # of what it does not name the model knows
            raise RuntimeError(f"{out[index, 0].item():.4f}")

    whole = model(data.x, data.edge_index, data.edge_weight)[3, 0].item()
    with pytest.raises(UserError, match=rf"Asks cannot explain this prediction \(RuntimeError: {whole:.4f}\)"):
        as_method(Asks())(model).explain(instance)


def test_pygs_algorithms_that_need_a_certain_model() -> None:
    gat, gin = made(GAT, 5, 8, 2, out_channels=3), made(GIN, 5, 8, 2, out_channels=3)
    for scorer in (AttentionExplainer(), GraphMaskExplainer(2, epochs=2, log=False)):
        found = as_method(scorer)(gat).explain(ModelInstances(gat, random_data(12)).instance(3))
        assert np.ptp(found.edge_mask) > 0
    with pytest.raises(UserError, match="AttentionExplainer cannot explain this prediction"):
        as_method(AttentionExplainer())(gin).explain(ModelInstances(gin, random_data(12)).instance(3))


def test_what_is_not_supported_is_said() -> None:
    class Never(Counts):
        def supports(self) -> bool:
            return False

    class Silent(Counts):
        def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> PyGExplanation:
            return PyGExplanation()

    model, instance = random_gnn(Task.NODE), instance_of(nx.cycle_graph(6))
    for scorer, sentence in (
        (Never(), "Never does not explain what this model does: multiclass classification of nodes"),
        (Silent(), "Silent cannot explain this prediction"),
    ):
        with pytest.raises(UserError, match=sentence):
            as_method(scorer)(model).explain(instance)


def test_a_short_job_begins_anew_where_a_method_has_to_learn_first() -> None:
    job = JobContext(short=True)
    with pytest.raises(TakesLongError):  # what is shipped was learned with seed 0
        score_edges(Question("tree_cycles", "511", seed=1), "pgexplainer", job)
    assert score_edges(Question("tree_cycles", "511"), "pgexplainer", job).method == "pgexplainer"


def test_with_a_title_it_stands_beside_the_others() -> None:
    made_class = as_method(GNNExplainer(epochs=2), title="Short GNNExplainer")
    info = method_info("Short GNNExplainer")
    assert (info.name, info.title) == ("short_gnnexplainer", "Short GNNExplainer")
    model, data = made(NodeNet), random_data(12)
    found = explain("short_gnnexplainer", model, data, index=3)
    expected = made_class(model).explain(ModelInstances(model, data).instance(3))
    assert np.array_equal(found.edge_mask, expected.edge_mask)
    mask = score_edges(Question("tree_cycles", "600"), "short_gnnexplainer")  # what Compare shows
    assert "auc_own" in mask.metrics
    again = as_method(GNNExplainer(epochs=3), title="Short GNNExplainer")  # a cell of a notebook, run again
    assert method_info("short_gnnexplainer").loader is again
    before = set(METHODS)
    as_method(DummyExplainer())
    assert set(METHODS) == before


# GNNExplainer and PGExplainer


@cache
def gnn(task: Task, kind: str = "sum") -> GNN:
    return random_gnn(task, kind, seed=3)


@cache
def instances_of(task: Task) -> tuple[Instance, ...]:
    graphs = [nx.gnp_random_graph(12, 0.3, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.star_graph(5)]
    return tuple(instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs)


def tensors(instance: Instance) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index)


def pyg_explainer(model: nn.Module, scorer: ExplainerAlgorithm, task: Task) -> Explainer:
    settings = {"mode": "multiclass_classification", "task_level": task.value, "return_type": "raw"}
    about = {"explanation_type": "phenomenon", "edge_mask_type": "object", "model_config": settings}
    return Explainer(copy.deepcopy(model), scorer, **about)


def largest_difference(one: Sequence[Explanation], other: Sequence[Explanation]) -> float:
    pairs = zip(one, other, strict=True)
    return max(float(np.abs(a.edge_mask - b.edge_mask).max(initial=0.0)) for a, b in pairs)


@every_gnn
def test_gnnexplainer_is_pygs_with_its_prices(task: Task, kind: str) -> None:
    model, config = gnn(task, kind), GNNExplainerConfig(epochs=15, lr=0.05, size=0.3, entropy=0.2)
    method, before = GNNMethod(model, config, seed=5), torch.random.get_rng_state()
    for instance, ours in zip(instances_of(task), list(map(method.explain, instances_of(task))), strict=True):
        assert ours.edge_mask.shape == (instance.edge_index.shape[1],)
        if len(ours.edge_mask):
            double, (x, edge_index) = copy.deepcopy(model).double(), tensors(instance)
            explainer = pyg_explainer(double, algorithm.GNNExplainer(15, 0.05, edge_size=0.3, edge_ent=0.2), task)
            target = explainer.get_prediction(x.double(), edge_index).argmax(-1)
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(mask_seed(5, instance))
                theirs = explainer(x.double(), edge_index, target=target, index=instance.target).edge_mask.numpy()
            assert np.abs(ours.edge_mask - theirs).max() < 1e-6
    assert torch.equal(before, torch.random.get_rng_state())
    other = list(map(GNNMethod(model, config, seed=6).explain, instances_of(task)))
    assert largest_difference(list(map(method.explain, instances_of(task))), other) > 1e-3


class ReadsAllLayers(algorithm.PGExplainer):
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
    rng, kind = np.random.RandomState(seed), ReadsAllLayers if task is Task.NODE else algorithm.PGExplainer
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        learner = kind(epochs=epochs, lr=0.003)
        learner.coeffs = {**algorithm.PGExplainer.coeffs, "edge_size": 0.02, "edge_ent": 0.5}
        explainer = pyg_explainer(model, learner, task)
        targets = [explainer.get_prediction(*tensors(instance)).argmax(-1) for instance in instances]
        for epoch in range(epochs):
            for at in rng.permutation(len(instances)):
                arguments = {"target": targets[at], "index": instances[at].target}
                learner.train(epoch, explainer.model, *tensors(instances[at]), **arguments)
    for instance, target, found in zip(instances, targets, list(map(ours.explain, instances)), strict=True):
        expected = explainer(*tensors(instance), target=target, index=instance.target).edge_mask.numpy()
        assert np.abs(found.edge_mask - expected).max() < 1e-4


def test_pgexplainer_reads_every_layer_of_any_model_in_a_node_task() -> None:
    class Other(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = gnn(Task.NODE)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return self.inner(x, edge_index)

    other, instance = Other(), instances_of(Task.NODE)[0]
    data = Data(**dict(zip(("x", "edge_index"), tensors(instance), strict=True)))
    method = PGExplainer(other, PGConfig(epochs=1))
    method.fit([ModelInstances(other, data).instance(0)])
    width = sum(layer.shape[1] for layer in get_embeddings(Other(), *tensors(instance)))
    assert method.trained is not None
    assert method.trained.mlp[0].weight.shape[1] == 3 * width


@every_gnn
def test_pgexplainer_is_seeded_and_loaded(task: Task, kind: str, tmp_path: Path) -> None:
    model, instances, before = gnn(task, kind), instances_of(task), torch.random.get_rng_state()
    trained = PGExplainer(model, PGConfig(epochs=3), seed=3)
    trained.fit(instances)
    found = list(map(trained.explain, instances))
    trained.save(tmp_path / "learnt.safetensors")
    loaded = PGExplainer(model, seed=99)
    loaded.load(tmp_path / "learnt.safetensors")
    assert largest_difference(found, list(map(loaded.explain, instances))) == 0
    trained.fit(instances)  # from the beginning
    assert largest_difference(found, list(map(trained.explain, instances))) == 0
    assert torch.equal(before, torch.random.get_rng_state())
    other = PGExplainer(model, PGConfig(epochs=3), seed=4)
    other.fit(instances)
    assert largest_difference(found, list(map(other.explain, instances))) > 1e-4


def test_pgexplainer_keeps_its_settings_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithm.PGExplainer, "coeffs", {**algorithm.PGExplainer.coeffs, "edge_size": 0.05})

    def scores() -> list[Explanation]:
        method = PGExplainer(gnn(Task.NODE), PGConfig(epochs=2))
        method.fit(instances_of(Task.NODE))
        return list(map(method.explain, instances_of(Task.NODE)))

    before, shared = scores(), dict(algorithm.PGExplainer.coeffs)
    algorithm.PGExplainer(epochs=1, edge_size=50.0)
    assert algorithm.PGExplainer.coeffs["edge_size"] == 50.0  # PyG's leak
    assert largest_difference(before, scores()) == 0
    assert algorithm.PGExplainer.coeffs == {**shared, "edge_size": 50.0}


def test_pgexplainer_must_learn_first_and_can_be_stopped() -> None:
    instances = instances_of(Task.GRAPH)
    method = PGExplainer(gnn(Task.GRAPH), PGConfig(epochs=5))
    epochs: list[float] = []
    with pytest.raises(StoppedError):
        method.fit(
            instances, JobContext(progress=lambda share, _: epochs.append(share), cancelled=lambda: len(epochs) == 2)
        )
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
    for instance, found in zip(instances, list(map(dear.explain, instances)), strict=True):
        assert found.collapsed == bool(instance.edge_index.shape[1])  # without edges nothing is lost
        assert found.edge_mask.max(initial=0.0) < FAINT
    assert not any(found.collapsed for found in list(map(cheap.explain, instances)))
    masks = [mask_of("pgexplainer", method, instances[0]) for method in (dear, cheap)]
    assert [COLLAPSED in mask.metrics for mask in masks] == [True, False]
    fitted = list(map(GNNMethod(gnn(task), GNNExplainerConfig(epochs=40, lr=0.4, size=5.0)).explain, instances))
    assert sum(bool(found.collapsed) for found in fitted) >= len(fitted) / 2
