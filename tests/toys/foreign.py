"""Models and graphs as others write them."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, global_add_pool


def random_data(nodes: int = 40, features: int = 5, seed: int = 0, **more: Any) -> Data:
    """A scale-free graph, each edge in both directions, with random features."""
    generator = torch.Generator().manual_seed(seed)
    one_way = torch.tensor(list(nx.barabasi_albert_graph(nodes, 2, seed=seed).edges)).T
    edge_index = torch.cat([one_way, one_way.flip(0)], dim=1)
    return Data(x=torch.randn(nodes, features, generator=generator), edge_index=edge_index, **more)


def made(model_type: type[nn.Module], *args: Any, seed: int = 0, **options: Any) -> nn.Module:
    """A model with random weights, in eval mode."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return model_type(*args, **options).eval()


def mlp(before: int, after: int) -> nn.Module:
    return nn.Sequential(nn.Linear(before, 8), nn.ReLU(), nn.Linear(8, after))


class GraphNet(nn.Module):
    """A graph classifier, with a batch."""

    def __init__(self, features: int = 5, out: int = 3) -> None:
        super().__init__()
        self.conv, self.head = GINConv(mlp(features, 8)), nn.Linear(8, out)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.head(global_add_pool(self.conv(x, edge_index).relu(), batch))


class OneGraphNet(GraphNet):
    """The same without one: it adds up whatever it is given."""

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x, edge_index)


class DataNet(GraphNet):
    """The same, on PyG's own object."""

    def forward(self, data: Data) -> Tensor:  # type: ignore[override]
        return super().forward(data.x, data.edge_index, data.batch)


class NodeNet(nn.Module):
    """A node classifier of two layers with whatever is put behind it."""

    def __init__(self, features: int = 5, out: int = 3, last: nn.Module | None = None, squeeze: bool = False) -> None:
        super().__init__()
        self.one, self.two, self.last = GCNConv(features, 8), GCNConv(8, out), last or nn.Identity()
        self.squeeze = squeeze

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        out = self.last(self.two(self.one(x, edge_index, edge_weight).relu(), edge_index, edge_weight))
        return out[:, 0] if self.squeeze else out


class Around(NodeNet):
    """A node classifier that does something with its input first, or with its output before it is returned."""

    def __init__(self, before: Callable[..., Any] | None = None, after: Callable[..., Any] | None = None) -> None:
        super().__init__()
        self.before, self.after = before, after

    def forward(self, x: Tensor, edge_index: Tensor) -> Any:  # type: ignore[override]
        out = super().forward(*(self.before(x, edge_index) if self.before else (x, edge_index)))
        return self.after(out) if self.after else out


class ByHand(nn.Module):
    """Sums messages without a layer of PyG's: TorchScript can read it, and an edge that is there twice counts twice."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(5, 3)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.lin(x + torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]]))


def alone(model: nn.Module, data: Data, nodes: list[int], **args: Tensor) -> Tensor:
    """The slow way: what a model says of the subgraph that some nodes induce, called as its owner would call it.

    Args:
        model: A node classifier, called as ``model(x, edge_index, **args)``.
        data: The graph.
        nodes: The nodes, the explained one first.
        args: Further arguments, with a row for each edge.
    """
    number = {node: position for position, node in enumerate(nodes)}
    kept = [at for at, (s, t) in enumerate(data.edge_index.T.tolist()) if s in number and t in number]
    edges = [[number[s], number[t]] for s, t in data.edge_index[:, kept].T.tolist()]
    edge_index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T
    with torch.no_grad():
        return model(data.x[nodes], edge_index, **{name: values[kept] for name, values in args.items()})[0]


def some_graphs(count: int = 4, **options: Any) -> list[Data]:
    return [random_data(10 + number, seed=number, y=torch.tensor([number % 2]), **options) for number in range(count)]


def as_batch(graphs: list[Data]) -> Batch:
    return Batch.from_data_list(graphs)
