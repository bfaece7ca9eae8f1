"""PGExplainer's variants: the graphs that they learn on, built by themselves, and what they find."""

from functools import cache

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.explain.algorithm.utils import set_masks

from gfx_core import load_dataset, load_model
from gfx_core.baselines import pgexplainer
from gfx_core.baselines.disjoint_union import Union
from gfx_core.baselines.pgexplainer import EdgeDropPGExplainer, MixupConfig, MixupPGExplainer, PGExplainer
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import pooled_auc
from gfx_core.user_models.adapter import private_copy
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import NodeNet, made, random_data
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise

CPU = torch.device("cpu")
VARIANTS = [EdgeDropPGExplainer, MixupPGExplainer]


@cache
def instances_of(task: Task) -> tuple[Instance, ...]:
    graphs = [nx.gnp_random_graph(9, 0.35, seed=1), nx.cycle_graph(6), nx.barabasi_albert_graph(8, 2, seed=2)]
    return tuple(instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs)


def union_of(model: GNN, task: Task) -> Union:
    return Union(private_copy(model).double(), instances_of(task), CPU)


def weighted_logits(model: GNN, x: Tensor, edge_index: Tensor, weight: Tensor, target: int | None) -> Tensor:
    """One graph by itself, its messages weighted. [C]"""
    gnn = private_copy(model).double()
    set_masks(gnn, weight, edge_index, apply_sigmoid=False)
    with torch.no_grad():
        return gnn(x, edge_index)[0 if target is None else target]


def asked(method: PGExplainer, union: Union, mask: Tensor) -> Tensor:
    """What the GNN says while the method learns, with a mask written into its layers as PyG does it. [I, C]"""
    completed = method.completed(union)
    set_masks(completed, mask, union.edge_index, apply_sigmoid=True)
    with torch.no_grad():
        return completed(union.x, union.edge_index)


@every_gnn
def test_a_mixed_graph_is_both_graphs_and_some_links(task: Task, kind: str) -> None:
    model = random_gnn(task, kind, seed=3, std=0.6)
    union = union_of(model, task)
    mask = torch.randn(len(union.edge_owner), dtype=torch.double, generator=torch.Generator().manual_seed(1))
    links = 3
    method = MixupPGExplainer(model, MixupConfig(links=links), seed=4)
    found = asked(method, union, mask)
    kept = mask.sigmoid().split([instance.edge_index.shape[1] for instance in instances_of(task)])
    drawn = torch.rand(2, 3 * links, generator=torch.Generator().manual_seed(4))
    for number, instance in enumerate(instances_of(task)):
        at = (number + 1) % 3
        other, m = instances_of(task)[at], instance.num_nodes
        some = drawn[:, number * links : (number + 1) * links]
        added = torch.stack([(some[0] * m).long(), m + (some[1] * other.num_nodes).long()])
        edges = [torch.from_numpy(instance.edge_index), m + torch.from_numpy(other.edge_index), added, added.flip(0)]
        weight = torch.cat([kept[number], 1 - kept[at], torch.ones(2 * links, dtype=torch.double)])
        x = torch.from_numpy(np.concatenate([instance.x, other.x])).double()
        expected = weighted_logits(model, x, torch.cat(edges, dim=1), weight, instance.target)
        assert torch.allclose(found[number], expected, atol=1e-9)


@every_gnn
def test_edges_are_put_back_in_both_directions(task: Task, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_gnn(task, kind, seed=3, std=0.6)
    union = union_of(model, task)
    nothing = torch.full((len(union.edge_owner),), -60.0, dtype=torch.double)
    whole = union(union.x, union.edge_index).detach()
    with monkeypatch.context() as patch:
        patch.setattr(pgexplainer, "PUT_BACK", 1.0)
        assert torch.allclose(asked(EdgeDropPGExplainer(model), union_of(model, task), nothing), whole)
    method = EdgeDropPGExplainer(model, seed=2)
    answers = [asked(method, union_of(model, task), nothing) for _ in range(2)]
    assert not torch.allclose(answers[0], answers[1])  # another half each time
    completed = method.completed(union)
    set_masks(completed, nothing, union.edge_index, apply_sigmoid=True)
    completed(union.x, union.edge_index)
    weight = next(layer for layer in union.gnn.modules() if hasattr(layer, "_edge_mask"))._edge_mask
    back = {tuple(ends) for ends, each in zip(union.edge_index.T.tolist(), weight.tolist(), strict=True) if each == 1}
    assert 0 < len(back) < len(weight)
    assert back == {(b, a) for a, b in back}


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("variant", VARIANTS)
def test_they_learn_by_a_seed_and_not_what_pgexplainer_does(variant: type[PGExplainer], task: Task) -> None:
    model, instances = random_gnn(task, seed=3), instances_of(task)

    def learnt(kind: type[PGExplainer], seed: int) -> np.ndarray:
        method = kind(model, kind.config_type(epochs=3, batch_size=2), seed=seed)
        method.fit(instances)
        return np.concatenate([found.edge_mask for found in method.explain_many(instances)])

    before = torch.random.get_rng_state()
    first = learnt(variant, 1)
    assert np.array_equal(first, learnt(variant, 1))
    assert torch.equal(before, torch.random.get_rng_state())
    for other in (learnt(variant, 2), learnt(PGExplainer, 1)):
        assert np.abs(first - other).max() > 1e-4


@pytest.mark.parametrize("variant", VARIANTS)
def test_they_find_cycles(variant: type[PGExplainer]) -> None:
    dataset = load_dataset("tree_cycles")
    instances = [dataset.instance(int(index)) for index in dataset.explainable[::32]]
    method = variant(load_model("tree_cycles"), epochs=12)
    method.fit(instances)
    auc = pooled_auc(instances, [found.edge_mask for found in method.explain_many(instances)])
    assert auc is not None
    assert auc > 0.9


def test_links_have_what_the_model_is_told_of_edges() -> None:
    """A model with a weight for each edge: a link has that of an edge of its instance."""
    data, model = random_data(12), made(NodeNet)
    data.edge_weight = torch.rand(data.edge_index.shape[1], generator=torch.Generator().manual_seed(3))
    instances = [ModelInstances(model, data).instance(index) for index in range(3)]
    union = Union(model, instances, CPU)
    links = union.graphs.offset[None, :] + torch.zeros(2, 3, dtype=torch.long)
    mixed = union.mixed(torch.tensor([1, 2, 0]), torch.stack([links[0], links[1].roll(-1)]))
    weights = mixed._inputs.edges["edge_weight"]
    first = [instance.inputs.edges["edge_weight"][0] for instance in instances if instance.inputs is not None]
    assert weights.shape == mixed.edge_index.shape[1:]
    assert weights[-6:].tolist() == [*map(float, first)] * 2
