"""What settings are chosen by: written out, and at the two ends where it is known."""

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.own_losses import mask_cost, order_cost, subgraph_cost
from gfx_core.explainers.subgraphx import SearchConfig, SubgraphX
from gfx_core.explainers.union import GNNUnion, private_copy
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_instance
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise


def instances_of(task: Task) -> list[Instance]:
    graphs = [nx.gnp_random_graph(9, 0.4, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.path_graph(4)]
    return [instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs]


def log_p(model: GNN, instance: Instance, mask: np.ndarray) -> float:
    """One instance alone, its messages multiplied by hand."""
    union = GNNUnion(private_copy(model).double(), [instance], torch.device("cpu"))
    for conv in union.gnn.convs:
        conv.explain, conv._edge_mask, conv._apply_sigmoid = True, torch.from_numpy(mask), False  # type: ignore[union-attr]
        conv._loop_mask = instance.edge_index[0] != instance.edge_index[1]  # type: ignore[union-attr]
    return float(union(union.x, union.edge_index).log_softmax(-1)[0, union.predicted[0]])


@pytest.mark.parametrize("task", Task)
def test_a_mask_costs_what_it_loses_and_what_it_keeps(task: Task) -> None:
    model, instances = random_gnn(task, "sum", seed=3, std=0.8), instances_of(task)
    rng = np.random.default_rng(0)
    masks = [rng.random(instance.edge_index.shape[1]) for instance in instances]
    ways = (np.copy, np.ones_like, np.zeros_like)
    some = [([log_p(model, i, way(m)) for way in ways], m) for i, m in zip(instances, masks, strict=True) if len(m)]
    needing = [(values, m) for values, m in some if values[1] - values[2] > 0.1]
    assert len(needing) > 0
    masked, full, empty = np.mean([values for values, _ in needing], axis=0)
    expected = (full - masked) / (full - empty) + np.mean([m.mean() for _, m in needing])
    cost, collapsed = mask_cost(model, instances, masks)
    assert cost == pytest.approx(expected, abs=1e-6)
    assert collapsed == 0


@every_gnn
def test_keeping_all_or_nothing_costs_one(task: Task, kind: str) -> None:
    instances = instances_of(task)
    full = [np.ones(i.edge_index.shape[1]) for i in instances]
    models = (random_gnn(task, kind, seed=seed, std=1.5) for seed in range(50))
    model = next(each for each in models if mask_cost(each, instances, full)[0])  # whose answers need edges
    assert mask_cost(model, instances, full) == (pytest.approx(1), 0)
    assert mask_cost(model, instances, [0 * mask for mask in full]) == (pytest.approx(1), 1)
    assert mask_cost(model, [], []) == (0, 0)


def test_keeping_what_matters_costs_less() -> None:
    """A GNN that is sure of its answer because of the edges: the sum over neighbours tells a hub from a lone node."""
    star = nx.star_graph(6)
    instance = instance_of(star, Task.NODE, np.ones((7, 3), dtype=np.float32))
    seeds = (random_gnn(Task.NODE, "sum", seed=seed, std=1.0) for seed in range(50))
    empty, ones = np.zeros(12), np.ones(12)
    model = next(m for m in seeds if log_p(m, instance, ones) - log_p(m, instance, empty) > 0.5)
    assert mask_cost(model, [instance], [empty]) == (pytest.approx(1), 1)
    inward = (instance.edge_index[1] == instance.target).astype(np.float64)  # all that its first layer hears
    assert mask_cost(model, [instance], [inward])[0] < 1
    unmoved = next(m for m in seeds if abs(log_p(m, instance, ones) - log_p(m, instance, empty)) < 0.1)
    assert mask_cost(unmoved, [instance], [empty]) == (0, 0)  # it needs no edges: nothing is lost without them


@every_gnn
def test_an_order_costs_the_mean_cross_entropy_along_it(task: Task, kind: str) -> None:
    graph = nx.cycle_graph(6)
    model, instance = random_gnn(task, kind, seed=3), instance_of(graph, task, noise(graph))
    start = instance.target or 0
    around = [(start + step) % 6 for step in range(3)] if task is Task.GRAPH else [start, *graph_neighbours(instance)]
    orders = np.array([[*around, -1], [start, -1, -1, -1]])
    explained = predict_instance(model, instance).predicted
    costs = []
    for order in orders:
        for upto in range(1, 5):
            held = np.zeros(instance.num_nodes, dtype=bool)
            held[[node for node in order[:upto] if node >= 0]] = True
            costs.append(-np.log(predict_instance(model, instance.part(held)).probabilities[explained]))
    assert order_cost(model, [instance, instance], orders) == pytest.approx(np.mean(costs), abs=1e-5)
    assert order_cost(model, [], np.zeros((0, 4), dtype=np.int64)) == 0


def graph_neighbours(instance: Instance) -> list[int]:
    return sorted(instance.edge_index[1][instance.edge_index[0] == instance.target].tolist())[:2]


def test_a_subgraph_costs_minus_its_shapley_value() -> None:
    instance = instance_of(nx.connected_watts_strogatz_graph(9, 4, 0.3, seed=4), Task.GRAPH)
    method = SubgraphX(random_gnn(Task.GRAPH, "sum", std=0.8), SearchConfig(rollouts=3, samples=20))
    value = method.search(instance).best().value
    assert subgraph_cost(method, [instance]) == pytest.approx(-value)
    assert subgraph_cost(method, []) == 0
