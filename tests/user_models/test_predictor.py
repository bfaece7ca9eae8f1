"""Predictions with some edges deleted: as if each small graph had been built by itself."""

from collections.abc import Iterator
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from gfx_core import GFNConfig, explain
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn import predict as predict_module
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import ModelPredictor, predictor_on
from tests.toys.foreign import random_data
from tests.toys.gnns import untouched
from tests.toys.instances import instance_of, noise

TASKS = list(Task)


@pytest.fixture(autouse=True)
def _same_weights() -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def whole(graph: nx.Graph, task: Task) -> Instance:
    """A graph with random features; in a node task node 3 is explained, everything is in view."""
    index = min(3, len(graph) - 1) if task is Task.NODE else 0
    return instance_of(graph, task, noise(graph, 4, seed=0), index=index, hops=len(graph))


def slow(model: GNN, instance: Instance, kept: np.ndarray) -> torch.Tensor:
    """Build the small graph with networkx and give it to the model."""
    edges = instance.edge_index[:, instance.undirected[kept]].T.tolist()
    small = nx.Graph(edges)
    if instance.target is not None:
        small.add_node(instance.target)
    elif not edges:
        small.add_nodes_from(range(instance.num_nodes))
    nodes = sorted(small)
    both = [(nodes.index(a), nodes.index(b)) for u, v in small.edges for a, b in ((u, v), (v, u))]
    edge_index = torch.tensor(both, dtype=torch.long).reshape(-1, 2).T
    with torch.no_grad():
        logits = model(torch.from_numpy(instance.x[nodes]), edge_index)
    return logits[0 if instance.target is None else nodes.index(instance.target)]


def choices(count: int, num_edges: int, seed: int = 1) -> np.ndarray:
    """Random choices of all sizes, with none and all of the edges first."""
    rng = np.random.RandomState(seed)
    kept = rng.rand(count, num_edges) < rng.rand(count, 1)
    kept[0], kept[1] = False, True
    return kept


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "graph",
    [
        nx.gnp_random_graph(12, 0.3, seed=2),
        nx.cycle_graph(5),
        nx.barabasi_albert_graph(300, 2, seed=1),
        nx.path_graph(1),
        nx.disjoint_union(nx.path_graph(3), nx.path_graph(1)),
    ],
    ids=["random", "cycle", "large", "one node", "a node without edges"],
)
def test_equal_to_building_the_small_graph(graph: nx.Graph, task: Task, kind: str) -> None:
    instance = whole(graph, task)
    if task is Task.NODE and len(graph) == 12:
        instance = replace(instance, target=7)  # the explained node may have any number
    model = GNN(task, kind, 4, 3)
    kept = choices(25, len(instance.undirected))
    predictor = predictor_on(model, [instance])
    fast = predictor.with_edges(instance, kept)
    expected = torch.stack([slow(model, instance, row) for row in kept])
    assert torch.allclose(fast.logits, expected, atol=1e-5)
    assert torch.allclose(model.head(fast.embedding), fast.logits, atol=1e-6)
    assert not fast.logits.requires_grad
    assert predictor.with_edges(instance, kept[:0]).logits.shape == (0, 3)


@pytest.mark.parametrize("task", TASKS)
def test_chunks_do_not_change_the_answer(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = whole(nx.gnp_random_graph(12, 0.3, seed=2), task)
    model, kept = GNN(task, "sum", 4, 3), choices(23, len(instance.undirected))
    at_once = predictor_on(model, [instance]).with_edges(instance, kept).logits
    cells = instance.num_nodes + instance.edge_index.shape[1]
    for room in (5 * cells, 1):
        monkeypatch.setattr(predict_module, "_UNION_CELLS", room)
        assert torch.allclose(predictor_on(model, [instance]).with_edges(instance, kept).logits, at_once, atol=1e-6)


def test_one_of_ours_reads_a_graph_of_pyg_as_it_is() -> None:
    """Self-loops and directed edges too: it is then a model like any other."""
    data, model = random_data(12), GNN(Task.NODE, "gcn", 5, 3).eval()
    loops = torch.arange(12).expand(2, -1)
    data.edge_index = torch.cat([data.edge_index[:, 3:], loops], dim=1)
    found = explain(model, data, 3, config=GFNConfig(max_nodes=4))
    said = model(data.x, data.edge_index)[3].softmax(-1).tolist()
    assert found.trace.prediction.probabilities == pytest.approx(said, abs=1e-5)
    assert len(found.edge_mask) == data.num_edges


@pytest.mark.parametrize("task", TASKS)
def test_one_of_ours_as_any_model(task: Task) -> None:
    instance = whole(nx.gnp_random_graph(12, 0.3, seed=2), task)
    model = GNN(task, "gcn", 4, 3).eval()
    with untouched(model.train()):  # a copy is asked
        whole_logits = predictor_on(model, [instance]).whole.logits
    data = Data(x=torch.from_numpy(instance.x), edge_index=torch.from_numpy(instance.edge_index))
    instances = ModelInstances(model, data, ModelOptions(task=task))
    given = instances.instance(instance.target)
    predictor = ModelPredictor(instances.adapter, [given])
    assert torch.allclose(predictor.whole.logits, whole_logits, atol=1e-6)
    for kept in choices(6, len(given.undirected)):
        found = predictor.with_edges(given, kept[None]).logits[0]
        assert torch.allclose(found, slow(model, given, kept), atol=1e-5)
