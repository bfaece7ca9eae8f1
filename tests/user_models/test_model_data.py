"""What others' data may be, graphs and features: each gets the right answer or one clear sentence."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import GIN, GCNConv
from torch_geometric.nn import Sequential as PyGSequential

from gfx_core import UserError
from gfx_core.config import Task
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import DataNet, GraphNet, NodeNet, OneGraphNet, as_batch, made, random_data, some_graphs
from tests.user_models.owners import assert_seen_as_by_its_owner

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
        predictor = instances.predictor([instance])
        found = predictor(torch.tensor([[0, 1, 2], [4, -1, -1]])).logits
        for row, nodes in zip(found, ([0, 1, 2], [4]), strict=True):
            part = graphs[2].subgraph(torch.tensor(nodes))
            assert torch.allclose(row, reference(part.x, part.edge_index)[0], atol=1e-5)
        assert torch.allclose(predictor.whole.logits[0], reference(graphs[2].x, graphs[2].edge_index)[0], atol=1e-5)


def test_pygs_sequential() -> None:
    model = made(PyGSequential, "x, edge_index", [(GCNConv(5, 3), "x, edge_index -> x")])
    data = random_data()
    assert ModelInstances(model, data).task is Task.NODE


def test_nodes_of_a_batch() -> None:
    batch, model = as_batch(some_graphs()), made(GIN, 5, 8, 2, out_channels=3)
    instances = ModelInstances(model, batch, ModelOptions(task="node"))
    found = instances.predictor([instances.instance(25)]).whole.logits[0]
    assert torch.allclose(found, model(batch.x, batch.edge_index)[25], atol=1e-5)


def test_which_one() -> None:
    instances, mask = ModelInstances(made(NodeNet), random_data()), torch.zeros(40, dtype=torch.bool)
    mask[6] = True
    for index in (6, np.int64(6), torch.tensor(6), torch.tensor([6]), mask, mask.numpy()):
        assert instances.instance(index).index == 6
    mask[7] = True
    for index, sentence in (
        (mask, "one prediction"),
        (mask[:9], "one entry for each of the 40 nodes"),
        (40, "no node 40: choose one from 0 to 39"),
        (-1, "no node -1"),
        (1.5, "a whole number"),
        (None, "Name the node"),
    ):
        with pytest.raises(UserError, match=sentence):
            instances.instance(index)
    graphs = ModelInstances(made(GraphNet), some_graphs())
    with pytest.raises(UserError, match="Name the graph to explain, from 0 to 3"):
        graphs.instance()
    with pytest.raises(UserError, match="no graph 1: choose one from 0 to 0"):
        ModelInstances(made(GraphNet), some_graphs()[0]).instance(1)


# Features


def test_whole_numbers_double_precision_and_node_numbers() -> None:
    data = random_data()
    counted = Data(x=torch.randint(0, 3, (40, 5)), edge_index=data.edge_index)
    model = made(NodeNet)
    expected = model(counted.x.float(), data.edge_index)[3]
    instances = ModelInstances(model, counted)
    assert torch.allclose(instances.predictor([instances.instance(3)]).whole.logits[0], expected, atol=1e-5)
    double = Data(x=data.x.double(), edge_index=data.edge_index)
    for each in (made(NodeNet), made(NodeNet).double()):
        instances = ModelInstances(each, double)
        found = instances.predictor([instances.instance(3)]).whole.logits[0]
        assert torch.allclose(found, made(NodeNet)(data.x, data.edge_index)[3], atol=1e-5)

    class Embedded(NodeNet):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(40, 5)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(self.table(x), edge_index)

    numbers = Data(x=torch.arange(40), edge_index=data.edge_index)
    assert_seen_as_by_its_owner(made(Embedded), numbers, 7)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=3), "no features"),
        (Data(x=torch.ones(3, 5)), "no edge_index"),
        (Data(x=torch.ones(3, 5), edge_index=torch.tensor([[0], [9]])), "outside 0 … 2"),
        (Data(x=torch.full((3, 5), float("nan")), edge_index=torch.tensor([[0], [1]])), "NaN or infinity"),
        (HeteroData(), "not heterogeneous"),
        ([HeteroData()], "not heterogeneous"),
        ([], "no graphs in the list"),
        (7, "must be a PyG graph"),
    ],
)
def test_what_is_no_graph(data: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        ModelInstances(made(NodeNet), data)


def test_a_model_that_cannot_be_asked_says_why() -> None:
    with pytest.raises(UserError, match=r"NodeNet cannot be called as model\(x, edge_index, …\): RuntimeError"):
        ModelInstances(made(NodeNet, features=9), random_data())
    with pytest.raises(UserError, match=r"must be a torch\.nn\.Module"):
        ModelInstances(lambda x, edge_index: x, random_data())  # type: ignore[arg-type]


def test_names() -> None:
    data = random_data(y=torch.randint(0, 3, (40,)))
    options = ModelOptions(classes=("a", "<b>", "c\nd"), atoms=("C", "N", "O", "H", "Cl"), title="  Mine ")
    instance = ModelInstances(made(NodeNet), data, options).instance(0)
    assert instance.info.classes == ("a", "<b>", "c d")
    assert instance.node_label(0) in options.atoms
    assert (instance.info.title, instance.y) == ("Mine", int(data.y[0]))
    labelled = ModelInstances(made(NodeNet), data, ModelOptions(labels=[f"v{node}" for node in range(40)])).instance(5)
    assert labelled.node_label(0) == "v5"
    for wrong, sentence in (
        (ModelOptions(classes=("a", "b")), "2 names for 3 classes"),
        (ModelOptions(atoms=("C",)), "1 name for 5 feature columns"),
        (ModelOptions(labels=["x"]), "1 label for 40 nodes"),
    ):
        with pytest.raises(UserError, match=sentence):
            ModelInstances(made(NodeNet), data, wrong).instance(0)
    with pytest.raises(UserError, match="node or graph"):
        ModelOptions(task="edge")
