"""The table in assets/docs/what-works.md, of models and data of one's own: each of its rows is a test."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data, Dataset, HeteroData
from torch_geometric.nn import APPNP, GAT, GCN, GIN, GCNConv, GraphSAGE

from gfx_core import UserError, explain
from gfx_core.explanation.result import ExplanationResult
from gfx_core.gfn.settings import USUAL_REWARD, GFNConfig
from tests.toys.foreign import Around, DataNet, GraphNet, NodeNet, OneGraphNet, as_batch, made, random_data, some_graphs
from tests.toys.gnns import untouched

DOCUMENT = (Path(__file__).resolve().parents[2] / "assets" / "docs" / "what-works.md").read_text(encoding="utf-8")
TABLE = re.search(r"\| with \| you get \|\n\|[-|]+\|\n((?:\|.*\|\n)+)", DOCUMENT)
ROWS = [] if TABLE is None else [row.split("|")[1].strip() for row in TABLE[1].splitlines()]

SMALL = GFNConfig(max_nodes=4, reward=USUAL_REWARD, epochs=2)


def with_edges(name: str, values: Tensor) -> Data:
    data = random_data(12)
    data[name] = values[: data.num_edges]
    return data


def with_other_edges(change: Callable[[Tensor], Tensor]) -> Data:
    data = random_data(12)
    return Data(x=data.x, edge_index=change(data.edge_index))


class Shared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.prop = GCNConv(5, 5), APPNP(10, 0.1)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.prop(self.conv(self.conv(x, edge_index).tanh(), edge_index), edge_index)


def network(kind: type[nn.Module] = GIN, layers: int = 2, **options: Any) -> nn.Module:
    return made(kind, 5, 8, layers, out_channels=3, **options)


AS_ITSELF: dict[str, Callable[[], list[tuple[nn.Module, Data]]]] = {
    "GCN, GIN, GAT, GraphSAGE": lambda: [(network(kind), random_data(12)) for kind in (GCN, GIN, GAT, GraphSAGE)],
    "edge weights": lambda: [(made(NodeNet), with_edges("edge_weight", torch.linspace(0.1, 2, 60)))],
    "edge features, other arguments": lambda: [
        (network(GAT, edge_dim=4), with_edges("edge_attr", torch.ones(60, 4).cumsum(0).sin()))
    ],
    "BatchNorm and dropout, in train mode": lambda: [
        (network(GCN, norm="batch_norm", dropout=0.5).train(), random_data(12))
    ],
    "deep models, shared layers, APPNP": lambda: [(made(Shared), random_data(12)), (network(GCN, 8), random_data(12))],
    "directed edges, duplicates": lambda: [
        (network(), with_other_edges(lambda edges: torch.cat([edges[:, edges[0] < edges[1]], edges[:, :5]], dim=1)))
    ],
    "self-loops": lambda: [
        (network(), with_other_edges(lambda edges: torch.cat([edges, torch.arange(12).expand(2, -1)], dim=1)))
    ],
}
"""Models and data where the explained prediction is that of the model itself."""
CHECKS: dict[str, Callable[[], None]] = {}


def row(title: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Marks what checks a row of the table."""

    def keep(check: Callable[[], None]) -> Callable[[], None]:
        CHECKS[title] = check
        return check

    return keep


@pytest.mark.parametrize("title", ROWS)
def test_a_row_holds(title: str) -> None:
    assert {*AS_ITSELF, *CHECKS} == set(ROWS)
    for case in AS_ITSELF.get(title, list)():
        same_as_itself(*case)
    CHECKS.get(title, lambda: None)()


def checked(model: nn.Module, data: Data, index: int = 3, **about: Any) -> ExplanationResult:
    """Explain a node by the default settings; the model is left as it was, and what is explained is what it says."""
    with untouched(model):
        found = explain(model, data, index, **about)
    assert all("student" in note for note in found.notes)  # whether there is one, and why
    assert found.edge_mask.shape == (data.edge_index.shape[1],)
    assert (found.edge_mask[data.edge_index[0] == data.edge_index[1]] == 0).all()
    assert found.node_mask[index] == 1
    return found


def said(model: nn.Module, data: Data, index: int = 3) -> list[float]:
    """The model's own probabilities, in eval mode."""
    args = {name: data[name] for name in ("edge_weight", "edge_attr") if name in data}
    with torch.no_grad():
        return model.eval()(data.x, data.edge_index, **args)[index].softmax(-1).tolist()


def same_as_itself(model: nn.Module, data: Data) -> None:
    found = checked(model, data)
    assert found.trace.prediction.probabilities == pytest.approx(said(model, data), abs=1e-4)


@row("one logit, one probability, probabilities")
def single() -> None:
    data = random_data(12)
    model = made(NodeNet, out=1)
    chance = model(data.x, data.edge_index)[3].sigmoid().item()
    with pytest.raises(UserError, match="Choose what it is"):
        explain(model, data, 3)
    for each, output in ((model, "logit"), (made(NodeNet, out=1, last=nn.Sigmoid()), "probability")):
        found = checked(each, data, output=output)
        assert found.trace.prediction.probabilities == pytest.approx([1 - chance, chance], abs=1e-4)
    soft = checked(made(NodeNet, last=nn.Softmax(-1)), data)
    assert soft.trace.prediction.probabilities == pytest.approx(said(made(NodeNet), data), abs=1e-4)


@row("regression")
def regression() -> None:
    data = random_data(12)
    model = made(NodeNet, out=1)
    found = checked(model, data, output="number", tolerance=0.5)
    assert found.prediction == f"{model(data.x, data.edge_index)[3, 0].item():.4g} ± 0.5"


@row("isolated nodes")
def isolated() -> None:
    data = random_data(12)
    data.x = torch.cat([data.x, data.x[:1]])
    found = checked(network(), data, 12)
    assert found.nodes == (12,)


@row("20,000 nodes")
def many() -> None:
    ring = torch.arange(20_000)
    edges = torch.stack([ring, (ring + 1) % 20_000])
    x = torch.randn(20_000, 5, generator=torch.Generator().manual_seed(0))
    data = Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], dim=1))
    found = explain(network(GCN), data, 12_345, fragments="as is")  # a student would learn for a while
    assert found.trace.prediction.probabilities == pytest.approx(said(network(GCN), data, 12_345), abs=1e-4)


class SomeGraphs(Dataset):
    """A data set of PyG's."""

    def len(self) -> int:
        return len(some_graphs())

    def get(self, idx: int) -> Data:
        return some_graphs()[idx]


@row("whole graphs: one, a list, a data set, a `Batch`; without `batch=`; `model(data)`")
def graphs() -> None:
    some = some_graphs()
    expected = made(GraphNet)(some[2].x, some[2].edge_index)[0].softmax(-1).tolist()
    for kind in (GraphNet, OneGraphNet, DataNet):
        for data, index in ((some, 2), (SomeGraphs(), 2), (as_batch(some), 2), (some[2], None)):
            found = explain(made(kind), data, index, config=None if kind is GraphNet and data is some else SMALL)
            assert found.trace.prediction.probabilities == pytest.approx(expected, abs=1e-4)
            assert torch.equal(found.edge_index, some[2].edge_index)


@row("integer features, float64, cached convolutions, masks as index")
def numbers() -> None:
    data = random_data(12)
    counts = Data(x=(3 * data.x).round().long(), edge_index=data.edge_index)
    found = checked(made(NodeNet), counts)
    floats = Data(x=counts.x.float(), edge_index=data.edge_index)
    assert found.trace.prediction.probabilities == pytest.approx(said(made(NodeNet), floats), abs=1e-4)
    double = Data(x=data.x.double(), edge_index=data.edge_index)
    same_as_itself(made(NodeNet).double(), double)
    mask = torch.from_numpy(np.arange(12) == 3)
    assert explain(made(NodeNet), data, mask, config=SMALL).trace.index == 3
    cached = made(NodeNet)
    cached.one.cached = cached.two.cached = True
    assert torch.equal(checked(cached, data).edge_mask, checked(made(NodeNet), data).edge_mask)


@row("no features (`x=None`), heterogeneous graphs, several tensors returned, links")
def refused() -> None:
    pair, links = made(Around, after=lambda out: (out, out)), made(Around, after=lambda out: out[:3])
    data = random_data(12)
    for model, given, sentence in (
        (made(NodeNet), Data(edge_index=data.edge_index, num_nodes=12), "no features"),
        (made(NodeNet), HeteroData(), "heterogeneous"),
        (pair, data, "returns a tuple"),
        (links, data, "one row for"),
    ):
        with pytest.raises(UserError, match=sentence):
            explain(model, given, 3)
