"""Nodes that look alike are computed once, and give what every node on its own gives."""

import networkx as nx
import pytest
import torch

from gfx_core.config import Task
from gfx_core.gnn import predict
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise, ones
from tests.toys.subsets import random_subsets

GRAPHS = {
    "two pieces": nx.disjoint_union(nx.cycle_graph(6), nx.star_graph(5)),
    "scale-free": nx.barabasi_albert_graph(24, 2, seed=0),
    "no edges": nx.empty_graph(5),
}
each_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def both_ways(predictor: SubgraphPredictor, subsets: torch.Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    """By colours, and every node of every subgraph on its own."""
    monkeypatch.setattr(predict, "MANY", len(subsets) + 1)
    slow = predictor(subsets)
    monkeypatch.setattr(predict, "MANY", 1)
    fast = predictor(subsets)
    assert torch.allclose(fast.logits, slow.logits, atol=1e-5)
    assert torch.allclose(fast.embedding, slow.embedding, atol=1e-5)


@each_graph
@every_gnn
@pytest.mark.parametrize("alike", [True, False])
def test_as_every_node_on_its_own(
    task: Task, kind: str, graph: nx.Graph, alike: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = ones(graph, 3) if alike else noise(graph, 3).round()
    instance = instance_of(graph, task, x, hops=9)
    predictor = SubgraphPredictor(random_gnn(task, kind, std=0.5), [instance])
    subsets, _ = random_subsets([instance], 200, 9, seed=2)
    both_ways(predictor, subsets, monkeypatch)
    monkeypatch.setattr(predict, "_COMPARED", 0)  # each node's features count as different
    both_ways(SubgraphPredictor(predictor.model, [instance]), subsets, monkeypatch)
