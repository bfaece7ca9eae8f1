"""Edges of somebody's graph: their weights, features, directions and repetitions are seen as given."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GAT, GIN

from gfx_core import UserError
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import GraphNet, NodeNet, made, random_data, some_graphs
from tests.user_models.owners import assert_seen_as_by_its_owner


def test_edge_weights_go_along_with_their_edges() -> None:
    data = random_data()
    data.edge_weight = torch.rand(data.num_edges)
    assert_seen_as_by_its_owner(made(NodeNet), data, 7, edge_weight=data.edge_weight)
    data.edge_weight, data.edge_attr = None, data.edge_weight
    with pytest.raises(UserError, match="takes edge_weight and the data has edge_attr"):
        ModelInstances(made(NodeNet), data)
    options = ModelOptions(args={"edge_weight": data.edge_attr})
    assert_seen_as_by_its_owner(made(NodeNet), data, 7, options, edge_weight=data.edge_attr)
    assert_seen_as_by_its_owner(made(NodeNet), data, 7, ModelOptions(args={"edge_weight": None}))


def test_edge_features_go_along_with_their_edges() -> None:
    data = random_data()
    data.edge_attr = torch.randn(data.num_edges, 4)
    model = made(GAT, 5, 8, 2, out_channels=3, edge_dim=4)
    assert_seen_as_by_its_owner(model, data, 7, edge_attr=data.edge_attr)


def test_directed_edges_self_loops_and_duplicates_are_seen_as_given() -> None:
    data = random_data()
    one_way = data.edge_index[:, torch.rand(data.num_edges) < 0.6]
    loops = torch.arange(0, 40, 3).expand(2, -1)
    edge_index = torch.cat([one_way, loops, one_way[:, :20]], dim=1)[:, torch.randperm(one_way.shape[1] + 34)]
    data = Data(x=data.x, edge_index=edge_index)
    for index in (0, 5, 39):
        assert_seen_as_by_its_owner(made(GIN, 5, 8, 2, out_channels=3), data, index)


def test_without_the_answer_directed_edges_stay_directed() -> None:
    edge_index = torch.tensor([[1, 2, 3, 2, 2], [0, 1, 0, 2, 1]])  # 2→1 twice, and a self-loop
    data, model = Data(x=torch.randn(4, 5), edge_index=edge_index), made(GIN, 5, 8, 2, out_channels=3)
    instances = ModelInstances(model, data)
    instance = instances.instance(0)
    ids = instance.nodes[instance.edge_index[:, instance.undirected]].T.tolist()
    kept = np.array([set(pair) != {0, 1} for pair in ids])
    found = instances.predictor([instance]).with_edges(instance, kept[None]).logits[0]
    left = torch.tensor([[2, 3, 2, 2], [1, 0, 2, 1]])
    assert torch.allclose(found, model(data.x, left)[0], atol=1e-5)


def test_a_node_without_edges() -> None:
    data = random_data()
    data.x = torch.cat([data.x, torch.randn(1, 5)])
    model = made(GIN, 5, 8, 2, out_channels=3)
    instance = ModelInstances(model, data).instance(40)
    assert instance.num_nodes == 1
    assert not instance.notes


def test_arguments_by_node_and_by_graph() -> None:
    class Placed(GraphNet):
        def forward(self, x: Tensor, edge_index: Tensor, pos: Tensor, u: Tensor, batch: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(x + pos, edge_index, batch) + u

    graphs = some_graphs()
    for graph in graphs:
        graph.pos, graph.u = torch.randn_like(graph.x), torch.randn(1, 3)
    model = made(Placed)
    instances = ModelInstances(model, graphs)
    instance = instances.instance(1)
    found = instances.predictor([instance])(torch.tensor([[0, 1, 2, -1], [3, 4, -1, -1]])).logits
    for row, nodes in zip(found, ([0, 1, 2], [3, 4]), strict=True):
        part = graphs[1].subgraph(torch.tensor(nodes))
        zeros = torch.zeros(len(nodes), dtype=torch.long)
        assert torch.allclose(row, model(part.x, part.edge_index, part.pos, graphs[1].u, zeros)[0], atol=1e-5)
    del graphs[0].u
    with pytest.raises(UserError, match="needs u"):
        ModelInstances(model, graphs)
