"""Anybody's algorithm for PyG as one method among others."""

import copy
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.explain import Explainer, Explanation
from torch_geometric.explain.algorithm import (
    AttentionExplainer,
    DummyExplainer,
    ExplainerAlgorithm,
    GNNExplainer,
    GraphMaskExplainer,
)
from torch_geometric.explain.config import ModelMode
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE, MessagePassing

from gfx_core import GFlowExplainer, UserError, as_method
from gfx_core.baselines.pyg_algorithm import mask_seed
from gfx_core.baselines.registry import METHODS, MethodInfo, explain, method_info
from gfx_core.config import Task
from gfx_core.explanation import method_masks
from gfx_core.explanation.question import Question
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import DataNet, GraphNet, NodeNet, made, random_data, some_graphs
from tests.toys.gnns import random_gnn, untouched
from tests.toys.instances import instance_of


@pytest.fixture(autouse=True)
def registry_as_before() -> Iterator[None]:
    with patch.dict(METHODS):
        yield


class Counts(ExplainerAlgorithm):
    """Scores each edge by how often it has been run, and keeps something in itself and in the model."""

    def __init__(self) -> None:
        super().__init__()
        self.runs, self.seen = 0, []  # type: ignore[var-annotated]

    def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> Explanation:
        self.runs += 1
        self.seen.append(next(model.parameters()))
        with torch.no_grad():
            next(model.parameters()).zero_()
        return Explanation(edge_mask=torch.full((edge_index.shape[1],), float(self.runs)))

    def supports(self) -> bool:
        return True


class Nodes(Counts):
    """Scores each node by its number."""

    def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> Explanation:
        return Explanation(node_mask=torch.arange(len(x), dtype=x.dtype)[:, None])

    def supports(self) -> bool:
        return self.explainer_config.edge_mask_type is None


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


def test_torchs_randomness_goes_on_as_if_nothing_were_drawn() -> None:
    model, instance = random_gnn(Task.NODE), instance_of(nx.cycle_graph(6))
    before = torch.random.get_rng_state()
    found = [as_method(DummyExplainer)(model, seed=seed).explain(instance).edge_mask for seed in (0, 1)]
    assert torch.equal(before, torch.random.get_rng_state())
    assert not np.array_equal(*found)


def test_scores_of_nodes_become_scores_of_edges() -> None:
    instance = instance_of(nx.path_graph(5))
    found = as_method(Nodes())(random_gnn(Task.NODE)).explain(instance).edge_mask
    assert found.tolist() == instance.edge_index.mean(0).tolist()


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
        ) -> Explanation:
            out = model(x, edge_index, **named)
            assert torch.equal(out, model(x, edge_index, *named.values()))
            raise RuntimeError(f"{out[index, 0].item():.4f}")

    class Forgets(Counts):
        def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> Explanation:
            return Explanation(edge_mask=model(x, edge_index))

    whole = model(data.x, data.edge_index, data.edge_weight)[3, 0].item()
    with pytest.raises(UserError, match=rf"Asks cannot explain this prediction \(RuntimeError: {whole:.4f}\)"):
        as_method(Asks())(model).explain(instance)
    with pytest.raises(UserError, match="calls the model without edge_weight"):
        as_method(Forgets())(model).explain(instance)


@pytest.mark.parametrize("kind", [GraphNet, DataNet])
def test_graphs_and_models_that_take_a_data_object(kind: type[nn.Module]) -> None:
    model = made(kind)
    instance = ModelInstances(model, some_graphs()).instance(2)
    reference = ModelInstances(made(GraphNet), some_graphs()).instance(2)
    algorithm = as_method(GNNExplainer(epochs=4))
    found = algorithm(model).explain(instance).edge_mask
    assert np.allclose(found, algorithm(made(GraphNet)).explain(reference).edge_mask, atol=1e-6)


def test_pygs_algorithms_that_need_a_certain_model() -> None:
    gat, gin = made(GAT, 5, 8, 2, out_channels=3), made(GIN, 5, 8, 2, out_channels=3)
    for algorithm in (AttentionExplainer(), GraphMaskExplainer(2, epochs=2, log=False)):
        found = as_method(algorithm)(gat).explain(ModelInstances(gat, random_data(12)).instance(3))
        assert np.ptp(found.edge_mask) > 0
    with pytest.raises(UserError, match="AttentionExplainer cannot explain this prediction"):
        as_method(AttentionExplainer)(gin).explain(ModelInstances(gin, random_data(12)).instance(3))


def test_ours_through_theirs() -> None:
    """GFlowExplainer is an algorithm for PyG, too."""
    model = made(GraphNet)
    instance = ModelInstances(model, some_graphs()).instance(1)
    found = as_method(GFlowExplainer())(model).explain(instance).edge_mask
    assert 0 <= found.min() < found.max() <= 1


def test_what_is_not_supported_is_said() -> None:
    class Never(Counts):
        def supports(self) -> bool:
            return False

    class Silent(Counts):
        def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> Explanation:
            return Explanation()

    class Wrong(Counts):
        def forward(self, model: nn.Module, x: Tensor, edge_index: Tensor, **_: Any) -> Explanation:
            return Explanation(edge_mask=torch.full((edge_index.shape[1],), torch.nan))

    model, instance = random_gnn(Task.NODE), instance_of(nx.cycle_graph(6))
    for algorithm, sentence in (
        (Never(), "Never does not explain what this model does: multiclass classification of nodes"),
        (Silent(), "Silent scores neither edges nor nodes"),
        (Wrong(), "NaN or infinity"),
    ):
        with pytest.raises(UserError, match=sentence):
            as_method(algorithm)(model).explain(instance)
    with pytest.raises(UserError, match="cannot be made without arguments"):
        as_method(GraphMaskExplainer)
    for wrong in (lambda: "a method", nn.Linear(1, 1)):
        with pytest.raises(UserError):
            as_method(wrong)  # type: ignore[arg-type]


def test_with_a_title_it_stands_beside_the_others() -> None:
    made_class = as_method(GNNExplainer(epochs=2), title="Short GNNExplainer", summary="Two steps.", source="a test")
    info = method_info("Short GNNExplainer")
    assert (info.name, info.summary, info.source) == ("short_gnnexplainer", "Two steps.", "a test")
    model, data = made(NodeNet), random_data(12)
    found = explain("short_gnnexplainer", model, data, index=3)
    expected = made_class(model).explain(ModelInstances(model, data).instance(3))
    assert np.array_equal(found.edge_mask, expected.edge_mask)
    mask = method_masks.score_edges(Question("tree_cycles", "600"), "short_gnnexplainer")  # what Compare shows
    assert "auc_own" in mask.metrics
    as_method(GNNExplainer(epochs=3), title="Short GNNExplainer")  # a cell of a notebook, run again
    assert method_info("short_gnnexplainer").summary == ""
    with pytest.raises(UserError, match="“Saliency” already exists"):
        as_method(DummyExplainer, title="saliency")
    before = set(METHODS)
    as_method(DummyExplainer)
    assert set(METHODS) == before


def test_a_row_of_the_registry_may_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the recipe says of a file of one's own, which workers of pages load, too."""
    file = ModuleType("gfx_core.baselines.mine")
    file.Mine = as_method(DummyExplainer())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, file.__name__, file)
    METHODS["mine"] = MethodInfo("mine", "Mine", "Chance.", "PyG", "mine:Mine")
    assert np.ptp(explain("Mine", made(NodeNet), random_data(12), index=3).edge_mask) > 0
