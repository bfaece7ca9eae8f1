"""What a model sees of somebody's graph: the cut gives the prediction of the whole, or says that it cannot."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import APPNP, GAT, GCN, GIN, GCNConv, GraphSAGE

from gfx_core import UserError, load_dataset
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import made, random_data
from tests.user_models.owners import assert_seen_as_by_its_owner


@pytest.mark.parametrize("kind", [GCN, GIN, GAT, GraphSAGE])
def test_pygs_own_models(kind: type[nn.Module]) -> None:
    data = random_data()
    assert_seen_as_by_its_owner(made(kind, 5, 8, 2, out_channels=3), data, 7)


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
    class ByHand(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(5, 3)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            for _ in range(2):
                x = x + torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
            return self.lin(x)

    data, model = random_data(), made(ByHand)
    assert ModelInstances(model, data).instance(30).reach == 2
    assert_seen_as_by_its_owner(model, data, 30)


def test_hops_can_be_set_and_a_cut_that_changes_the_prediction_is_told() -> None:
    data, model = random_data(), made(GCN, 5, 8, 3, out_channels=3)
    instance = ModelInstances(model, data, ModelOptions(hops=1)).instance(30)
    assert instance.reach == 1
    assert "for the whole graph" in instance.notes[0]
    predictor = ModelInstances(model, data).predictor([instance])
    assert torch.allclose(predictor.whole.logits[0], model(data.x, data.edge_index)[30], atol=1e-5)
    with pytest.raises(UserError, match="must not be below 0"):
        ModelOptions(hops=-1)


def test_a_model_that_reads_the_whole_graph_is_told() -> None:
    class Mean(GCN):  # type: ignore[misc]
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(x, edge_index) + x.mean()

    one, other = random_data(20), random_data(20, seed=3)
    data = Data(x=torch.cat([one.x, other.x + 2]), edge_index=torch.cat([one.edge_index, other.edge_index + 20], dim=1))
    instances = ModelInstances(made(Mean, 5, 8, 2, out_channels=3), data)
    assert not instances.adapter.together
    assert "reads more of the graph" in instances.instance(3).notes[0]
