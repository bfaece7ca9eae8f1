"""DEGREE: both parts written out node by node, what must add up, and the answers for instances."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.baselines.degree import Decomposition, Degree, DegreeConfig
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.baselines.degree_reference import reference
from tests.toys.gnns import random_gnn, untouched
from tests.toys.instances import instance_of, ones

CPU = torch.device("cpu")
CASES = list(product(Task, KINDS, [True, False]))
all_cases = pytest.mark.parametrize(("task", "kind", "constant"), CASES, ids=str)


def gnn(task: Task, kind: str, hidden: int = 6) -> GNN:
    return random_gnn(task, kind, seed=3, std=0.5, hidden=hidden)


def toy(task: Task, constant: bool = False) -> Instance:
    graph = nx.connected_watts_strogatz_graph(14, 4, 0.4, seed=2)
    return instance_of(graph, task, ones(graph, 3) if constant else None)


def random_groups(instance: Instance, count: int = 12) -> Tensor:
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.random((count, instance.num_nodes)) < rng.random((count, 1)))


@all_cases
@torch.no_grad()
def test_fast_and_slow_agree_and_add_up_to_the_logits(task: Task, kind: str, constant: bool) -> None:
    model, instance = gnn(task, kind), toy(task, constant)
    groups = random_groups(instance)
    decomposition = Decomposition(model, instance, CPU)
    logits = SubgraphPredictor(model, [instance]).whole.logits[0]
    torch.testing.assert_close(decomposition.logits, logits, atol=1e-5, rtol=0)
    fast = decomposition.relevant(groups)
    for group, rel in zip(groups, fast, strict=True):
        slow_rel, slow_irr = reference(model, instance, set(group.nonzero()[:, 0].tolist()))
        torch.testing.assert_close(slow_rel + slow_irr, logits, atol=1e-4, rtol=0)
        torch.testing.assert_close(rel, slow_rel, atol=1e-4, rtol=0)


@all_cases
def test_everybody_causes_the_logits_and_nobody_causes_nothing(task: Task, kind: str, constant: bool) -> None:
    instance = toy(task, constant)
    decomposition = Decomposition(gnn(task, kind, hidden=24), instance, CPU)  # so wide that no node is quite dead
    everybody = torch.ones(1, instance.num_nodes, dtype=torch.bool)
    torch.testing.assert_close(decomposition.relevant(everybody)[0], decomposition.logits, atol=1e-4, rtol=0)
    assert not decomposition.relevant(~everybody).any()


def test_the_bias_of_what_nobody_caused_is_irrelevant() -> None:
    """A lone node under the sum convolution hears nothing, so its own features cause nothing."""
    instance = instance_of(nx.empty_graph(1), Task.NODE)
    decomposition = Decomposition(gnn(Task.NODE, "sum"), instance, CPU)
    assert not decomposition.relevant(torch.ones(1, 1, dtype=torch.bool)).any()
    assert decomposition.logits.abs().sum() > 0


@pytest.mark.parametrize("name", ["ba_shapes", "ba_2motifs"])
def test_shipped_gnns(name: str) -> None:
    dataset, model = load_dataset(name), load_model(name)
    instance = dataset.instance(int(dataset.explainable[12]))
    decomposition = Decomposition(model, instance, CPU)
    logits = SubgraphPredictor(model, [instance]).whole.logits[0]
    torch.testing.assert_close(decomposition.logits, logits, atol=1e-4, rtol=1e-5)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = toy(Task.GRAPH)
    decomposition, groups = Decomposition(gnn(Task.GRAPH, "sum"), instance, CPU), random_groups(instance, 40)
    at_once = decomposition.relevant(groups)
    monkeypatch.setattr("gfx_core.baselines.degree._CHUNK_FLOATS", 500)
    torch.testing.assert_close(decomposition.relevant(groups), at_once)


def test_ties_are_shared_unless_the_authors_argmax_is_wanted() -> None:
    """The nodes of a ring are equal: shared, none is more relevant; by argmax the first takes all that is pooled."""
    ring = nx.cycle_graph(8)
    instance = instance_of(ring, Task.GRAPH, ones(ring, 3))
    alone = torch.eye(8, dtype=torch.bool)
    shared = Decomposition(gnn(Task.GRAPH, "sum", hidden=24), instance, CPU)
    first = Decomposition(gnn(Task.GRAPH, "sum", hidden=24), instance, CPU, "first")
    torch.testing.assert_close(shared.logits, first.logits)
    torch.testing.assert_close(shared.relevant(alone), shared.relevant(alone)[:1].expand(8, -1), atol=1e-5, rtol=0)
    assert first.relevant(alone).std(0).max() > 1e-3
    torch.testing.assert_close(first.relevant(~alone[:1] | alone[:1])[0], first.logits, atol=1e-4, rtol=0)
    model = gnn(Task.GRAPH, "sum", hidden=24)
    scores = [Degree(model, DegreeConfig(ties=ties)).explain(instance).edge_mask for ties in ("shared", "first")]
    assert np.ptp(scores[0]) < 1e-5 < np.ptp(scores[1])


# The explainer


@all_cases
def test_an_edge_scores_what_its_ends_cause(task: Task, kind: str, constant: bool) -> None:
    model, instance = gnn(task, kind), toy(task, constant)
    decomposition = Decomposition(model, instance, CPU)
    explained = int(decomposition.logits.argmax())
    scores = Degree(model).explain(instance).edge_mask
    assert scores.shape == instance.edge_index.shape[1:]
    assert scores.dtype == np.float64
    for (source, target), score in zip(instance.edge_index.T.tolist(), scores, strict=True):
        group = torch.zeros(1, instance.num_nodes, dtype=torch.bool)
        group[0, [source, target]] = True
        assert decomposition.relevant(group)[0, explained].item() == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("task", Task)
def test_growth_takes_the_best_frontier_node(task: Task) -> None:
    model, instance = gnn(task, "sum"), toy(task)
    found = Degree(model, DegreeConfig(max_nodes=6)).explain(instance)
    assert found.order is not None
    assert len(found.order) == 6
    best_edge = instance.edge_index[:, found.edge_mask.argmax()]
    assert found.order[0] == instance.target if task is Task.NODE else found.order[0] in best_edge
    decomposition = Decomposition(model, instance, CPU)
    explained = int(decomposition.logits.argmax())
    graph = nx.Graph(instance.edge_index.T.tolist())

    def value(nodes: set[int]) -> float:
        group = torch.zeros(1, instance.num_nodes, dtype=torch.bool)
        group[0, list(nodes)] = True
        return float(decomposition.relevant(group)[0, explained])

    for step in range(1, 6):
        held = {int(v) for v in found.order[:step]}
        frontier = {u for v in held for u in graph[v]} - held
        assert int(found.order[step]) in frontier
        highest = max(value(held | {u}) for u in frontier)
        assert value(held | {int(found.order[step])}) == pytest.approx(highest, abs=1e-5)


@pytest.mark.parametrize(("task", "kind"), list(product(Task, KINDS)), ids=str)
def test_one_node_and_no_edges(task: Task, kind: str) -> None:
    found = Degree(gnn(task, kind)).explain(instance_of(nx.empty_graph(1), task))
    assert found.edge_mask.shape == (0,)
    assert found.order is not None
    assert found.order.tolist() == [0]


def test_hundreds_of_nodes_the_same_answer_twice_and_the_gnn_untouched() -> None:
    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    instance = next(i for i in map(dataset.instance, dataset.explainable.tolist()) if i.num_nodes > 200)
    logits = model(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index))
    with untouched(model):
        degree = Degree(model)
        first, second = degree.explain(instance), degree.explain_many([instance])[0]
    assert np.array_equal(first.edge_mask, second.edge_mask)
    assert np.isfinite(first.edge_mask).all()
    assert first.order is not None
    assert second.order is not None
    assert np.array_equal(first.order, second.order)
    assert torch.equal(logits, model(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index)))


def test_a_group_needs_a_node() -> None:
    with pytest.raises(UserError, match="max_nodes"):
        DegreeConfig(max_nodes=0)
    with pytest.raises(UserError, match="ties"):
        DegreeConfig(ties="all")  # type: ignore[arg-type]
