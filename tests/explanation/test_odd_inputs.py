"""Odd inputs of ``explain``: each gives an explanation, or one sentence that says what is wrong and what to do.

Nothing else may come out, and the model, its mode, its weights and the data are left as they were.
"""

import copy
import re
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GAT, GCN, GIN, GCNConv, GraphSAGE

from gfx_core import UserError, explain, load_dataset
from gfx_core.config import Task
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS, GFNConfig
from tests.toys.foreign import ByHand, DataNet, GraphNet, NodeNet, made, random_data, some_graphs
from tests.toys.gnns import random_gnn

SMALL = GFNConfig(max_nodes=3, reward=REWARD_PRESETS[DEFAULT_PRESET], epochs=2)
RIGHT = None
"""Expected instead of a sentence: an explanation."""


def net(change: Callable[[Tensor], Any], kind: type[nn.Module] = NodeNet) -> nn.Module:
    """A model whose output is changed before it is returned."""

    class Changed(kind):  # type: ignore[misc, valid-type]
        def forward(self, x: Tensor, edge_index: Tensor) -> Any:
            return change(super().forward(x, edge_index))

    return made(Changed)


def before(change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> nn.Module:
    """A model that does something with its input first."""

    class Changing(NodeNet):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(*change(x, edge_index))

    return made(Changing)


class Counted(NodeNet):
    """It counts how often it was called, in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
        self.calls += 1
        return super().forward(x, edge_index)


class Required(NodeNet):
    def forward(self, x: Tensor, edge_index: Tensor, time: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x, edge_index) + time


class OnlyFeatures(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x @ torch.ones(5, 3)


class Nothing(nn.Module):
    def forward(self) -> Tensor:
        return torch.zeros(3)


class WithoutGradient(ByHand):
    @torch.no_grad()
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().forward(x, edge_index)


class Inferring(ByHand):
    @torch.inference_mode()
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().forward(x, edge_index)


class Stubborn(NodeNet):
    def train(self, mode: bool = True) -> "Stubborn":
        if not mode and getattr(self, "locked", False):
            raise RuntimeError("it never stops training")
        return super().train(mode)


def stubborn() -> nn.Module:
    model = made(Stubborn)
    model.locked = True
    return model


def lazy() -> nn.Module:
    class Lazy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = GCNConv(-1, 3)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            return self.conv(x, edge_index)

    return Lazy()


class ChangesData(DataNet):
    """A model that writes into the ``Data`` it is given."""

    def forward(self, data: Data) -> Tensor:
        data.x += 1
        data.edge_index = data.edge_index.flip(0)
        return super().forward(data)


def data(**changes: Any) -> Data:
    """A graph of 12 nodes with something about it changed."""
    found = random_data(12)
    for name, value in changes.items():
        setattr(found, name, value)
    return found


def one_with(**changes: Any) -> dict[str, Any]:
    return {"data": data(**changes)}


def edges() -> Tensor:
    return random_data(12).edge_index


def ours(features: int = 5, task: Task = Task.NODE) -> nn.Module:
    return random_gnn(task, sizes=(features, 3))


def weighted() -> Data:
    return data(adj_t=torch.eye(12).to_sparse_csr())


def quiet_parts(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    """It cannot take a graph of fewer than nine nodes."""
    assert len(x) > 8, "too small"
    return x, edge_index


def alone_nan(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    heard = torch.zeros(len(x), dtype=torch.bool).index_fill(0, edge_index[1], True)
    return torch.where(heard[:, None], x, float("nan")), edge_index


def in_place(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    x.add_(1)
    edge_index.copy_(edge_index.flip(0))
    return x, edge_index


def hetero() -> HeteroData:
    found = HeteroData()
    found["a"].x = torch.ones(3, 5)
    found["a", "to", "a"].edge_index = torch.tensor([[0, 1], [1, 2]])
    return found


Row = tuple[str, Callable[[], dict[str, Any]], str | None]
SENTENCE_OR_RIGHT = "*"
"""Expected where it depends on the version of PyTorch whether it can work."""

ODD: list[Row] = [
    # the model
    ("model: none", lambda: {"model": None}, "must be a torch.nn.Module"),
    ("model: a string", lambda: {"model": "gcn"}, "must be a torch.nn.Module"),
    ("model: a class", lambda: {"model": GCN}, "must be a torch.nn.Module"),
    ("model: a function", lambda: {"model": lambda x, edge_index: x[:, :3]}, "module whose forward"),
    ("model: a state dict", lambda: {"model": made(NodeNet).state_dict()}, "must be a torch.nn.Module"),
    ("model: takes nothing", lambda: {"model": Nothing()}, "cannot be called"),
    ("model: takes features only", lambda: {"model": OnlyFeatures()}, "cannot be called"),
    ("model: needs another argument", lambda: {"model": made(Required)}, "needs time"),
    (
        "model: is given another argument",
        lambda: {"model": made(Required), "args": {"time": torch.tensor(1.0)}},
        RIGHT,
    ),
    ("model: without weights", lambda: {"model": nn.Identity()}, "not one tensor"),
    ("model: never used", lambda: {"model": lazy()}, "not initialised"),
    ("model: on meta", lambda: {"model": made(NodeNet).to("meta")}, "have no values"),
    ("model: cannot be put to eval", lambda: {"model": stubborn()}, "cannot be copied"),
    ("model: in train mode", lambda: {"model": made(GCN, 5, 8, 2, out_channels=3, dropout=0.5).train()}, RIGHT),
    (
        "model: batch norm in train mode",
        lambda: {"model": made(GIN, 5, 8, 2, out_channels=3, norm="batch_norm").train()},
        RIGHT,
    ),
    (
        "model: noise in eval mode",
        lambda: {"model": before(lambda x, e: (functional.dropout(x), e))},
        "differently each time",
    ),
    ("model: counts its calls", lambda: {"model": made(Counted)}, RIGHT),
    ("model: writes into what it is given", lambda: {"model": before(in_place)}, RIGHT),
    ("model: writes into the data", lambda: {"model": made(ChangesData), "index": None}, RIGHT),
    ("model: raises on small parts", lambda: {"model": before(quiet_parts)}, "a part of the graph"),
    ("model: NaN on small parts", lambda: {"model": before(alone_nan)}, "NaN or infinity for a part"),
    ("model: no gradient", lambda: {"model": made(WithoutGradient)}, RIGHT),
    ("model: inference mode", lambda: {"model": made(Inferring)}, RIGHT),
    ("model: TorchScript", lambda: {"model": torch.jit.script(made(ByHand))}, RIGHT),
    (
        "model: traced",
        lambda: {"model": torch.jit.trace(made(ByHand), (data().x, data().edge_index))},
        RIGHT,
    ),
    ("model: compiled", lambda: {"model": torch.compile(made(NodeNet))}, RIGHT),
    ("model: DataParallel", lambda: {"model": nn.DataParallel(made(NodeNet))}, RIGHT),
    ("model: half precision", lambda: {"model": made(NodeNet).half()}, SENTENCE_OR_RIGHT),
    ("model: bfloat16", lambda: {"model": made(NodeNet).bfloat16()}, SENTENCE_OR_RIGHT),
    ("model: double precision", lambda: {"model": made(NodeNet).double()}, RIGHT),
    ("model: frozen weights", lambda: {"model": made(NodeNet).requires_grad_(False)}, RIGHT),
    ("model: other features", lambda: {"model": made(NodeNet, features=9)}, "cannot be called"),
    ("model: GAT", lambda: {"model": made(GAT, 5, 8, 2, out_channels=3)}, RIGHT),
    ("model: GraphSAGE with max", lambda: {"model": made(GraphSAGE, 5, 8, 2, out_channels=3, aggr="max")}, RIGHT),
    # our own GNNs
    ("ours: other features", lambda: {"model": ours(4)}, "reads 4 features"),
    ("ours: a graph of others", lambda: {"model": ours()}, RIGHT),
    ("ours: no data", lambda: {"model": ours(), "data": None}, "must be a PyG graph"),
    ("ours: x is missing", lambda: {"model": ours(), "data": data(x=None)}, "no features"),
    (
        "ours: another task",
        lambda: {"model": ours(10, Task.GRAPH), "data": load_dataset("tree_cycles")},
        "classifies",
    ),
    # what comes out of it
    ("output: none", lambda: {"model": net(lambda out: None)}, "returns a NoneType"),
    ("output: a tuple", lambda: {"model": net(lambda out: (out, out))}, "returns a tuple"),
    ("output: a dictionary", lambda: {"model": net(lambda out: {"logits": out})}, "returns a dict"),
    ("output: numpy", lambda: {"model": net(lambda out: out.detach().numpy())}, "returns a ndarray"),
    ("output: true or false", lambda: {"model": net(lambda out: out > out.mean())}, RIGHT),
    ("output: whole numbers", lambda: {"model": net(lambda out: (10 * out).round().long())}, RIGHT),
    ("output: the class alone", lambda: {"model": net(lambda out: out.argmax(1))}, "Choose what it is"),
    ("output: complex", lambda: {"model": net(lambda out: out * 1j)}, "complex"),
    ("output: sparse", lambda: {"model": net(lambda out: out.to_sparse())}, RIGHT),
    ("output: half precision", lambda: {"model": net(lambda out: out.half())}, RIGHT),
    ("output: three dimensions", lambda: {"model": net(lambda out: out[:, :, None])}, "one row for each"),
    (
        "output: one number in all",
        lambda: {"model": net(lambda out: out.sum())},
        "no node|Choose what it is|one number",
    ),
    ("output: no columns", lambda: {"model": net(lambda out: out[:, :0])}, "no numbers"),
    ("output: no rows", lambda: {"model": net(lambda out: out[:0])}, "one row for each"),
    (
        "output: a row for each edge",
        lambda: {"model": before(lambda x, e: (x, e)), "task": "graph"},
        "one row for each",
    ),
    ("output: NaN", lambda: {"model": net(lambda out: out * float("nan"))}, "NaN or infinity"),
    ("output: infinity", lambda: {"model": net(lambda out: out / 0)}, "NaN or infinity"),
    ("output: one column", lambda: {"model": net(lambda out: out[:, :1])}, "Choose what it is"),
    ("output: one number", lambda: {"model": net(lambda out: out[:, 0]), "output": "logit"}, RIGHT),
    ("output: all the same", lambda: {"model": net(lambda out: 0 * out)}, RIGHT),
    # the data
    ("data: none", lambda: {"data": None}, "must be a PyG graph"),
    ("data: a string", lambda: {"data": "cora"}, "must be a PyG graph"),
    ("data: a dictionary", lambda: {"data": {"x": data().x}}, "must be a PyG graph"),
    ("data: two tensors", lambda: {"data": (data().x, edges())}, "must contain PyG graphs"),
    ("data: networkx", lambda: {"data": nx.path_graph(4)}, "must be a PyG graph"),
    ("data: a loader", lambda: {"data": DataLoader(some_graphs())}, "must be a PyG graph"),
    ("data: heterogeneous", lambda: {"data": hetero()}, "heterogeneous"),
    ("data: a list with something else", lambda: {"model": made(GraphNet), "data": [*some_graphs(), 7]}, "int"),
    ("data: an empty list", lambda: {"data": []}, "no graphs in the list"),
    (
        "data: a graph beyond the last",
        lambda: {"model": made(GraphNet), "data": some_graphs(), "index": 9},
        "no graph 9",
    ),
    (
        "data: no nodes",
        lambda: {"data": Data(x=torch.zeros(0, 5), edge_index=torch.zeros(2, 0, dtype=torch.long))},
        "no nodes",
    ),
    ("data: nothing in it", lambda: {"data": Data()}, "no edge_index"),
    ("data: no edges", lambda: one_with(edge_index=torch.zeros(2, 0, dtype=torch.long)), RIGHT),
    (
        "data: one node",
        lambda: {
            "data": Data(x=torch.ones(1, 5), edge_index=torch.zeros(2, 0, dtype=torch.long)),
            "index": 0,
            "task": "node",
        },
        RIGHT,
    ),
    (
        "data: a batch",
        lambda: {"model": made(GraphNet), "data": Batch.from_data_list(some_graphs()), "index": 1},
        RIGHT,
    ),
    ("data: wrong num_nodes", lambda: one_with(num_nodes=4), RIGHT),
    ("x: missing", lambda: one_with(x=None), "no features"),
    ("x: a list", lambda: one_with(x=[[1.0] * 5] * 12), "tensor"),
    ("x: numpy", lambda: one_with(x=np.ones((12, 5))), "tensor"),
    ("x: one number", lambda: one_with(x=torch.tensor(1.0)), "row for each node"),
    ("x: no columns", lambda: one_with(x=torch.zeros(12, 0)), "cannot be called"),
    ("x: NaN", lambda: one_with(x=torch.full((12, 5), float("nan"))), "NaN or infinity"),
    ("x: infinity", lambda: one_with(x=torch.full((12, 5), float("inf"))), "NaN or infinity"),
    ("x: complex", lambda: one_with(x=torch.ones(12, 5, dtype=torch.complex64)), "complex"),
    ("x: sparse", lambda: one_with(x=torch.eye(12)[:, :5].to_sparse()), "to_dense"),
    ("x: true or false", lambda: one_with(x=torch.rand(12, 5) > 0.5), RIGHT),
    ("x: half precision", lambda: one_with(x=torch.rand(12, 5).half()), RIGHT),
    ("x: double precision", lambda: one_with(x=torch.rand(12, 5).double()), RIGHT),
    ("x: wants a gradient", lambda: one_with(x=torch.rand(12, 5, requires_grad=True)), RIGHT),
    ("x: on meta", lambda: one_with(x=torch.rand(12, 5, device="meta")), "have no values"),
    ("x: huge numbers", lambda: one_with(x=torch.full((12, 5), 1e30)), SENTENCE_OR_RIGHT),
    ("edges: missing", lambda: one_with(edge_index=None), "no edge_index"),
    ("edges: a list", lambda: one_with(edge_index=edges().tolist()), "edge_index must be a tensor"),
    ("edges: numpy", lambda: one_with(edge_index=edges().numpy()), "edge_index must be a tensor"),
    ("edges: floating point", lambda: one_with(edge_index=edges().float()), "whole numbers"),
    ("edges: true or false", lambda: one_with(edge_index=edges() > 3), "whole numbers"),
    ("edges: 32 bit", lambda: one_with(edge_index=edges().int()), RIGHT),
    ("edges: pairs in rows", lambda: one_with(edge_index=edges().T), r"must be \[2, E\]"),
    ("edges: an adjacency matrix", lambda: one_with(edge_index=torch.eye(12).long()), r"must be \[2, E\]"),
    ("edges: a sparse matrix", lambda: one_with(edge_index=torch.eye(12).to_sparse_csr()), "edge_index must be"),
    ("edges: as adj_t alone", lambda: {"data": Data(x=data().x, adj_t=torch.eye(12).to_sparse_csr())}, "no edge_index"),
    ("edges: beside adj_t", lambda: {"data": weighted()}, RIGHT),
    ("edges: beside adj_t, by data", lambda: {"model": made(DataNet), "data": weighted(), "index": None}, "sparse"),
    ("edges: outside", lambda: one_with(edge_index=edges() + 1), "outside 0"),
    ("edges: below 0", lambda: one_with(edge_index=edges() - 1), "outside 0"),
    ("edges: on meta", lambda: one_with(edge_index=edges().to("meta")), "have no values"),
    ("edges: loops only", lambda: one_with(edge_index=torch.arange(12).expand(2, -1)), RIGHT),
    (
        "edges: the same one a thousand times",
        lambda: one_with(edge_index=edges()[:, :1].repeat(1, 1000), x=data().x),
        RIGHT,
    ),
    ("edges: weights of other length", lambda: one_with(edge_weight=torch.ones(7)), "not clear what the rows"),
    ("y: sparse", lambda: one_with(y=torch.eye(12).to_sparse()), RIGHT),
    ("y: words", lambda: one_with(y=["a"] * 12), RIGHT),
    ("y: on meta", lambda: one_with(y=torch.zeros(12, device="meta")), RIGHT),
    ("y: NaN", lambda: one_with(y=torch.full((12,), float("nan"))), RIGHT),
    # which one
    ("index: none", lambda: {"index": None}, "Name the node"),
    ("index: below 0", lambda: {"index": -1}, "no node -1"),
    ("index: too large", lambda: {"index": 12}, "no node 12"),
    ("index: huge", lambda: {"index": 10**30}, "whole number"),
    ("index: floating point", lambda: {"index": 3.0}, "whole number"),
    ("index: NaN", lambda: {"index": float("nan")}, "whole number"),
    ("index: true", lambda: {"index": True}, "whole number"),
    ("index: a string", lambda: {"index": "3"}, "whole number"),
    ("index: a dictionary", lambda: {"index": {"node": 3}}, "whole number"),
    ("index: several", lambda: {"index": [1, 2]}, "one prediction"),
    ("index: lists of other lengths", lambda: {"index": [[1], [2, 3]]}, "whole number"),
    ("index: an empty list", lambda: {"index": []}, "one prediction"),
    ("index: a tensor", lambda: {"index": torch.tensor([[3]])}, RIGHT),
    ("index: a sparse tensor", lambda: {"index": torch.tensor([3]).to_sparse()}, "whole number"),
    ("index: a tensor on meta", lambda: {"index": torch.tensor([3], device="meta")}, "whole number"),
    ("index: a short mask", lambda: {"index": torch.ones(4, dtype=torch.bool)}, "A mask must have one entry"),
    # how
    ("config: a string", lambda: {"config": "x"}, "config must be a GFNConfig"),
    ("config: a dictionary", lambda: {"config": {"max_nodes": 3}}, "config must be a GFNConfig"),
    ("hops: a string", lambda: {"hops": "x"}, "hops must be a whole number"),
    ("hops: floating point", lambda: {"hops": 1.5}, "hops must be a whole number"),
    ("hops: true", lambda: {"hops": True}, "hops must be a whole number"),
    ("hops: below 0", lambda: {"hops": -1}, "must not be below 0"),
    ("hops: huge", lambda: {"hops": 10**30}, RIGHT),
    ("hops: 0", lambda: {"hops": 0}, RIGHT),
    ("device: no such", lambda: {"device": "tpu9"}, "cannot compute on"),
    ("device: none", lambda: {"device": None}, "cannot compute on"),
    ("device: meta", lambda: {"device": "meta"}, "cannot compute on"),
    ("device: cuda", lambda: {"device": "cuda"}, RIGHT if torch.cuda.is_available() else "cannot compute on"),
    ("device: a far cuda", lambda: {"device": "cuda:99"}, "cannot compute on"),
    ("seed: a string", lambda: {"seed": "x"}, "seed must be a whole number"),
    ("seed: below 0", lambda: {"seed": -5}, "seed must be a whole number"),
    ("seed: huge", lambda: {"seed": 2**70}, "seed must be a whole number"),
    ("seconds: a string", lambda: {"seconds": "x"}, "seconds must be a number above 0"),
    ("seconds: 0", lambda: {"seconds": 0}, "seconds must be a number above 0"),
    ("seconds: NaN", lambda: {"seconds": float("nan")}, "seconds must be a number above 0"),
    ("seconds: hardly any", lambda: {"seconds": 1e-9}, RIGHT),
    ("seconds: no limit", lambda: {"seconds": float("inf")}, RIGHT),
    ("control: a string", lambda: {"control": "yes"}, "control must be True or False"),
    ("progress: an array", lambda: {"progress": np.ones(3)}, "progress must be True"),
    ("task: no such", lambda: {"task": "edge"}, "node or graph"),
    ("task: a number", lambda: {"task": 5}, "node or graph"),
    ("output: no such", lambda: {"output": "softmax"}, "no output"),
    ("output: a list", lambda: {"output": ["logits"]}, "no output"),
    ("tolerance: a string", lambda: {"tolerance": "x"}, "tolerance of an amount must be"),
    ("tolerance: infinity", lambda: {"tolerance": float("inf")}, "tolerance of an amount must be"),
    ("args: a list", lambda: {"args": [1]}, "args must be a dictionary"),
    ("args: numbers as names", lambda: {"args": {1: 2}}, "args must be a dictionary"),
    ("args: not taken", lambda: {"args": {"speed": 3}}, "cannot be called"),
    ("args: the features again", lambda: {"args": {"x": data().x}}, "cannot be called"),
    ("classes: a string", lambda: {"classes": "abc"}, "classes must be a list of names"),
    ("classes: a number", lambda: {"classes": 3}, "classes must be a list of names"),
    ("classes: too few", lambda: {"classes": ["a"]}, "1 names? for 3 classes"),
    ("classes: numbers", lambda: {"classes": [1, 2, 3]}, RIGHT),
    ("labels: too few", lambda: {"labels": ["a"]}, "1 labels? for 12 nodes"),
    ("labels: a tensor", lambda: {"labels": torch.tensor(3)}, "labels must be a list of names"),
    ("atoms: too few", lambda: {"atoms": ["C"]}, "1 names? for 5 feature columns"),
    ("title: none", lambda: {"title": None}, RIGHT),
    ("an option that there is not", lambda: {"hop": 3}, "no option “hop”"),
]


@contextmanager
def left_as_they_were(model: Any, given: Any) -> Any:
    """Check afterwards that nothing was written into the model or the data."""

    def state(of: Any) -> list[Any]:
        if not isinstance(of, nn.Module):
            return []
        tensors = [value for value in (*of.parameters(), *of.buffers()) if not torch.nn.parameter.is_lazy(value)]
        kept = [value.detach().clone() for value in tensors]
        return [[module.training for module in of.modules()], [value.requires_grad for value in tensors], kept]

    def values(of: Any) -> dict[str, Any]:
        return {name: copied(of[name]) for name in of.keys()} if isinstance(of, Data) else {}  # noqa: SIM118

    before_model, before_data = state(model), [values(each) for each in (given if isinstance(given, list) else [given])]
    yield
    after = state(model)
    assert after[:2] == before_model[:2]
    if after:
        assert all(same(one, other) for one, other in zip(after[2], before_model[2], strict=True))
        assert all(parameter.grad is None for parameter in model.parameters())
    for graph, values_before in zip(given if isinstance(given, list) else [given], before_data, strict=True):
        assert values(graph).keys() == values_before.keys()
        assert all(same(graph[name], value) for name, value in values_before.items())


def copied(value: Any) -> Any:
    """A value as it is now."""
    return value.detach().clone() if isinstance(value, Tensor) else copy.deepcopy(value)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, whatever they are."""
    if not isinstance(one, Tensor):
        return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)
    if one.is_meta or one.layout is not torch.strided:
        return one.shape == other.shape
    return torch.equal(one.nan_to_num(), other.nan_to_num())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("given", "sentence"), [row[1:] for row in ODD], ids=[row[0] for row in ODD])
def test_an_explanation_or_one_sentence(given: Callable[[], dict[str, Any]], sentence: str | None) -> None:
    options = {"model": made(NodeNet), "data": random_data(12), "index": 3, "config": SMALL, "progress": False}
    options |= given()
    model, graph, index = (options.pop(name) for name in ("model", "data", "index"))
    found = said = None
    with left_as_they_were(model, graph):
        try:
            found = explain(model, graph, index, **options)
        except UserError as error:
            said = str(error)
    if sentence is RIGHT:
        assert said is None
    elif sentence != SENTENCE_OR_RIGHT:
        assert said is not None
        assert re.search(sentence, said), said
    if found is not None:
        assert bool(found.edge_mask.isfinite().all())
        assert found.sentence.startswith("The GNN predicts")
        assert np.isfinite(found.trace.edge_marginals).all()
    if said is not None:
        assert len(said.splitlines()) == 1
        assert 20 < len(said) < 400


def test_there_are_many_of_them() -> None:
    assert len({name for name, *_ in ODD}) == len(ODD) >= 60
