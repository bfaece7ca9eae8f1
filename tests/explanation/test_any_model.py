"""All explainers on models that others wrote: the same answers as on ours, or one sentence."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from gfx_core import UserError
from gfx_core.baselines.gnnexplainer import GNNExplainer, GNNExplainerConfig
from gfx_core.baselines.gradients import IntegratedGradients, Saliency
from gfx_core.baselines.method import Method
from gfx_core.baselines.registry import METHODS, explain
from gfx_core.baselines.rgexplainer import RGConfig, RGExplainerPlain
from gfx_core.baselines.subgraphx import CoalitionGame, SearchConfig, SubgraphX
from gfx_core.config import Task
from gfx_core.metrics.fidelity import outcomes
from gfx_core.metrics.summary import summarise
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import ByHand, GraphNet, NodeNet, alone, made, random_data, some_graphs
from tests.toys.gnns import random_gnn, untouched
from tests.toys.instances import instance_of, noise


class Wrapped(nn.Module):
    """One of our GNNs as somebody else's."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.inner = random_gnn(task, "gcn", (4, 3), std=0.5)
        if task is Task.NODE:
            self.forward = self.nodes  # type: ignore[method-assign]

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.inner(x, edge_index, batch)

    def nodes(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.inner(x, edge_index)


NEEDS_OURS = {"degree"}


@pytest.mark.parametrize("task", [Task.NODE, Task.GRAPH])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Saliency, {}),
        (IntegratedGradients, {}),
        (GNNExplainer, {"config": GNNExplainerConfig(epochs=5)}),
        (SubgraphX, {"config": SearchConfig(rollouts=3, samples=8)}),
    ],
)
def test_the_same_scores_as_on_our_own(task: Task, kind: type[Method], options: dict[str, object]) -> None:
    graph = nx.gnp_random_graph(9, 0.35, seed=4)
    instance = instance_of(graph, task, noise(graph, 4), hops=len(graph))
    model = Wrapped(task)
    ours = kind(model.inner, **options).explain(instance).edge_mask  # type: ignore[arg-type]
    with untouched(model):
        theirs = kind(model, **options).explain(instance).edge_mask  # type: ignore[arg-type]
    assert np.allclose(ours, theirs, atol=1e-4)


@pytest.mark.parametrize("task", [Task.NODE, Task.GRAPH])
def test_a_learner_learns_from_others_models(task: Task) -> None:
    graph = nx.gnp_random_graph(9, 0.35, seed=4)
    instance, model = instance_of(graph, task, noise(graph, 4), hops=len(graph)), Wrapped(task)
    method = RGExplainerPlain(model, RGConfig(epochs=2, rollouts=2, batch_size=4))
    with untouched(model):
        method.fit([instance])
        found = method.explain(instance)
    assert found.order is not None
    assert found.edge_mask.max() <= 1


def test_coalitions_are_asked_as_they_are() -> None:
    data, model = random_data(14), made(NodeNet)
    instance = ModelInstances(model, data).instance(3)
    game = CoalitionGame(model, instance, torch.device("cpu"))
    rng = np.random.RandomState(0)
    members = torch.from_numpy(rng.random_sample((6, instance.num_nodes)) < 0.5)
    found = game.log_probability(members)
    for held, value in zip(members.numpy(), found, strict=True):
        others = [int(instance.nodes[node]) for node in np.flatnonzero(held) if node]
        expected = alone(model, data, [3, *others]).log_softmax(-1)[game.explained_class]
        assert value == pytest.approx(expected.item(), abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_one_call_for_all_explainers(method: str) -> None:
    data, model = random_data(12), made(NodeNet)
    if method in NEEDS_OURS:
        with pytest.raises(UserError, match="reads the layers of gfx_core's own GNNs"):
            explain(method, model, data, index=3)
        return
    with untouched(model):
        found = explain(method, model, data, index=3)
        instance = ModelInstances(model, data).instance(3)
        values = summarise(model, instance, found.edge_mask)
    assert found.edge_mask.shape == (instance.edge_index.shape[1],)
    assert np.isfinite(found.edge_mask).all()
    assert found.target == int(model(data.x, data.edge_index)[3].argmax())
    assert values["fidelity_minus"] is not None


def test_metrics_ask_the_model_itself() -> None:
    """Fidelity of an explanation that holds all edges: nothing is lost with it, and the rest has no edge."""
    graph, model = some_graphs()[1], made(GraphNet)
    instance = ModelInstances(model, graph).instance()
    found = outcomes(model, instance, np.ones(instance.edge_index.shape[1]), [10_000])
    out = model(graph.x, graph.edge_index)[0].softmax(-1)
    bare = model(graph.x, torch.zeros(2, 0, dtype=torch.long))[0].softmax(-1)
    assert found.minus[0] == pytest.approx(0, abs=1e-5)
    assert found.plus[0] == pytest.approx((out.max() - bare[out.argmax()]).item(), abs=1e-5)


def test_a_model_without_message_passing_says_so() -> None:
    with pytest.raises(UserError, match="message-passing layers, and ByHand has none"):
        explain("saliency", made(ByHand), random_data(12), index=3)
