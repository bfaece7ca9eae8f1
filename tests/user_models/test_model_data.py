"""What a model sees of a user's graph: data of every kind, a cut that keeps the prediction, and edges as given."""

import copy
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import APPNP, GCN, GIN, GATConv, GCNConv

from gfx_core import UserError, load_dataset
from gfx_core.config import Task
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.settings import PolicyConfig
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import ModelPredictor
from tests.toys.foreign import (
    ByHand,
    DataNet,
    GraphNet,
    NodeNet,
    OneGraphNet,
    alone,
    as_batch,
    made,
    random_data,
    some_graphs,
)


def subsets(instance: Any, count: int = 12, size: int = 5, seed: int = 1) -> Tensor:
    """Random node sets that hold the explained node, padded with -1. [B, K]"""
    rng, rows = np.random.RandomState(seed), []
    for _ in range(count):
        others = rng.permutation(np.arange(1, instance.num_nodes))[: rng.randint(1, size)]
        rows.append(np.pad(np.append(0, others), (0, size - 1 - len(others)), constant_values=-1))
    return torch.from_numpy(np.stack(rows))


def assert_seen_as_by_its_owner(
    model: nn.Module, data: Data, index: int, options: ModelOptions | None = None, **args: Any
) -> None:
    """Every subgraph gets the answer that the model gives on it when it is called by hand."""
    instances = ModelInstances(model, data, options)
    instance = instances.instance(index)
    predictor = ModelPredictor(instances.adapter, [instance])
    chosen = subsets(instance)
    found = predictor(chosen).embedding
    reference = copy.deepcopy(model).eval()
    for row, raw in zip(chosen.tolist(), found, strict=True):
        nodes = [int(instance.nodes[node]) for node in row if node >= 0]
        assert torch.allclose(raw, alone(reference, data, nodes, **args).float(), atol=1e-5)
    with torch.no_grad():
        whole = reference(data.x, data.edge_index, **args)[index].float()
    assert torch.allclose(predictor.whole.embedding[0], whole, atol=1e-5)
    assert not instance.notes


# Graphs


@pytest.mark.parametrize("kind", [GraphNet, OneGraphNet, DataNet])
def test_graph_models_with_and_without_batch(kind: type[nn.Module]) -> None:
    graphs, model = some_graphs(), made(kind)
    reference = made(GraphNet)
    for data, index in ((graphs, 2), (as_batch(graphs), 2), (graphs[2], None)):
        instances = ModelInstances(model, data)
        assert instances.task is Task.GRAPH
        instance = instances.instance(index)
        assert np.array_equal(instance.x, graphs[2].x.numpy())
        predictor = ModelPredictor(instances.adapter, [instance])
        found = predictor(torch.tensor([[0, 1, 2], [4, -1, -1]])).logits
        for row, nodes in zip(found, ([0, 1, 2], [4]), strict=True):
            part = graphs[2].subgraph(torch.tensor(nodes))
            assert torch.allclose(row, reference(part.x, part.edge_index)[0], atol=1e-5)
        assert torch.allclose(predictor.whole.logits[0], reference(graphs[2].x, graphs[2].edge_index)[0], atol=1e-5)


def test_nodes_of_a_batch() -> None:
    batch, model = as_batch(some_graphs()), made(GIN, 5, 8, 2, out_channels=3)
    instances = ModelInstances(model, batch, ModelOptions(task="node"))
    found = ModelPredictor(instances.adapter, [instances.instance(25)]).whole.logits[0]
    assert torch.allclose(found, model(batch.x, batch.edge_index)[25], atol=1e-5)


def test_which_one() -> None:
    instances, mask = ModelInstances(made(NodeNet), random_data()), torch.zeros(40, dtype=torch.bool)
    mask[6] = True
    for index in (6, np.int64(6), torch.tensor(6), torch.tensor([6]), mask, mask.numpy()):
        assert instances.instance(index).index == 6


def test_node_numbers_as_features() -> None:
    class Embedded(NodeNet):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(40, 5)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(self.table(x), edge_index)

    numbers = Data(x=torch.arange(40), edge_index=random_data().edge_index)
    assert_seen_as_by_its_owner(made(Embedded), numbers, 7)


def test_a_policy_reads_features_of_its_own_and_those_of_the_data_stay() -> None:
    data = random_data()
    data.x = 1000 * torch.rand(data.num_nodes, 100)
    instances = ModelInstances(made(NodeNet, 100), data)
    instance = instances.instance(5)
    predictor = ModelPredictor(instances.adapter, [instance])
    graphs = FlowGraphs(predictor, PolicyConfig(context=False))
    assert torch.equal(predictor.graphs.x, torch.from_numpy(instance.x))
    assert predictor.features.shape == graphs.features.shape == (instance.num_nodes, 64)
    assert predictor.features.abs().max() < 100


def test_names() -> None:
    data = random_data(y=torch.randint(0, 3, (40,)))
    options = ModelOptions(classes=("a", "<b>", "c\nd"), atoms=("C", "N", "O", "H", "Cl"), title="  Mine ")
    instance = ModelInstances(made(NodeNet), data, options).instance(0)
    assert instance.info.classes == ("a", "<b>", "c d")
    assert instance.node_label(0) in options.atoms
    assert (instance.info.title, instance.y) == ("Mine", int(data.y[0]))
    labelled = ModelInstances(made(NodeNet), data, ModelOptions(labels=[f"v{node}" for node in range(40)])).instance(5)
    assert labelled.node_label(0) == "v5"


@pytest.mark.parametrize("index", [515, 600, 700])
def test_a_cut_gives_the_prediction_of_the_whole(index: int) -> None:
    data = load_dataset("tree_grid").to_pyg()
    model = made(GCN, 10, 12, 3, out_channels=2)
    instance = ModelInstances(model, data).instance(index)
    assert instance.num_nodes < data.num_nodes
    raw = model(instance.inputs.x, instance.inputs.edge_index)[0]  # type: ignore[union-attr]
    assert torch.allclose(raw, model(data.x, data.edge_index)[index], atol=1e-5)
    assert instance.reach == 4  # a degree counts who is one hop beyond three layers


def test_a_layer_that_listens_ten_times_is_not_cut_to_one_hop() -> None:
    path = torch.from_numpy(np.array(nx.path_graph(40).edges).T)
    data = Data(x=torch.randn(40, 5), edge_index=torch.cat([path, path.flip(0)], dim=1))

    class Propagated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin, self.prop = nn.Linear(5, 2), APPNP(10, 0.1)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            return self.prop(self.lin(x), edge_index)

    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = GCNConv(5, 5)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            for _ in range(6):
                x = self.conv(x, edge_index).tanh()
            return x

    for model, hops in ((made(Propagated), 10), (made(Shared), 6)):
        instance = ModelInstances(model, data).instance(20)
        assert instance.reach >= hops  # type: ignore[operator]
        assert not instance.notes


def test_a_model_without_pygs_layers() -> None:
    data, model = random_data(), made(ByHand)
    assert ModelInstances(model, data).instance(30).reach == 1
    assert_seen_as_by_its_owner(model, data, 30)


def test_hops_can_be_set_and_a_cut_that_changes_the_prediction_is_told() -> None:
    data, model = random_data(), made(GCN, 5, 8, 3, out_channels=3)
    instance = ModelInstances(model, data, ModelOptions(hops=1)).instance(30)
    assert instance.reach == 1
    assert "for the whole graph" in instance.notes[0]
    predictor = ModelPredictor(instance.adapter, [instance])
    assert torch.allclose(predictor.whole.logits[0], model(data.x, data.edge_index)[30], atol=1e-5)


def test_a_model_that_reads_the_whole_graph_is_told() -> None:
    class Mean(GCN):  # type: ignore[misc]
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(x, edge_index) + x.mean()

    one, other = random_data(20), random_data(20, seed=3)
    data = Data(x=torch.cat([one.x, other.x + 2]), edge_index=torch.cat([one.edge_index, other.edge_index + 20], dim=1))
    instances = ModelInstances(made(Mean, 5, 8, 2, out_channels=3), data)
    assert not instances.adapter.together
    assert "reads more of the graph" in instances.instance(3).notes[0]


def test_edge_weights_go_along_with_their_edges() -> None:
    data = random_data()
    data.edge_weight = torch.rand(data.num_edges)
    assert_seen_as_by_its_owner(made(NodeNet), data, 7, edge_weight=data.edge_weight)
    data.edge_weight, data.edge_attr = None, data.edge_weight
    with pytest.raises(UserError, match="argument edge_weight and the data has edge_attr"):
        ModelInstances(made(NodeNet), data)
    options = ModelOptions(args={"edge_weight": data.edge_attr})
    assert_seen_as_by_its_owner(made(NodeNet), data, 7, options, edge_weight=data.edge_attr)
    assert_seen_as_by_its_owner(made(NodeNet), data, 7, ModelOptions(args={"edge_weight": None}))


def test_directed_and_double_edges_self_loops_and_edge_features_are_seen_as_given() -> None:
    data = random_data()
    one_way = data.edge_index[:, torch.rand(data.num_edges, generator=torch.Generator().manual_seed(0)) < 0.6]
    loops = torch.arange(0, 40, 3).expand(2, -1)
    messy = Data(x=data.x, edge_index=torch.cat([one_way, loops, one_way[:, :20]], dim=1))
    messy.edge_attr = torch.randn(messy.num_edges, 4)
    model = made(GATConv, 5, 3, edge_dim=4, add_self_loops=False)
    for index in (0, 5, 39):
        assert_seen_as_by_its_owner(model, messy, index, edge_attr=messy.edge_attr)
        assert_seen_as_by_its_owner(
            made(GIN, 5, 8, 2, out_channels=3), Data(x=data.x, edge_index=messy.edge_index), index
        )


def test_without_the_answer_directed_edges_stay_directed() -> None:
    edge_index = torch.tensor([[1, 2, 3, 2, 2], [0, 1, 0, 2, 1]])  # 2→1 twice, and a self-loop
    data, model = Data(x=torch.randn(4, 5), edge_index=edge_index), made(GIN, 5, 8, 2, out_channels=3)
    instances = ModelInstances(model, data)
    instance = instances.instance(0)
    ids = instance.nodes[instance.edge_index[:, instance.undirected]].T.tolist()
    kept = np.array([set(pair) != {0, 1} for pair in ids])
    found = ModelPredictor(instances.adapter, [instance]).with_edges(instance, kept[None]).logits[0]
    left = torch.tensor([[2, 3, 2, 2], [1, 0, 2, 1]])
    assert torch.allclose(found, model(data.x, left)[0], atol=1e-5)


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
    found = ModelPredictor(instances.adapter, [instance])(torch.tensor([[0, 1, 2, -1], [3, 4, -1, -1]])).logits
    for row, nodes in zip(found, ([0, 1, 2], [3, 4]), strict=True):
        part = graphs[1].subgraph(torch.tensor(nodes))
        zeros = torch.zeros(len(nodes), dtype=torch.long)
        assert torch.allclose(row, model(part.x, part.edge_index, part.pos, graphs[1].u, zeros)[0], atol=1e-5)
    del graphs[0].u
    with pytest.raises(UserError, match="needs u"):
        ModelInstances(model, graphs)
