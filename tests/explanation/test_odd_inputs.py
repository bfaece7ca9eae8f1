"""Odd inputs of ``explain``: each gives an explanation, or one sentence that says what is wrong and what to do.

Nothing else may come out, and the model, its mode, its weights and the data are left as they were.
"""

import copy
import re
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

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


class Required(NodeNet):
    def forward(self, x: Tensor, edge_index: Tensor, time: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x, edge_index) + time


class Inferring(ByHand):
    @torch.inference_mode()
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().forward(x, edge_index)


class Stubborn(NodeNet):
    def eval(self) -> "Stubborn":
        raise RuntimeError("it never stops training")


class Lazy(NodeNet):
    def __init__(self) -> None:
        super().__init__()
        self.one = GCNConv(-1, 8)


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


def raises_on_small_parts(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    assert len(x) > 8, "too small"
    return x, edge_index


def alone_nan(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    heard = torch.zeros(len(x), dtype=torch.bool).index_fill(0, edge_index[1], True)
    return torch.where(heard[:, None], x, float("nan")), edge_index


def in_place(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    x.add_(1)
    edge_index.copy_(edge_index.flip(0))
    return x, edge_index


Row = tuple[str, Callable[[], dict[str, Any]], str | None]
EITHER = "*"
"""Expected where it depends on the version of PyTorch whether it can work."""
NAN, INFINITE = float("nan"), float("inf")
EDGES = random_data(12).edge_index
NO_EDGES = torch.zeros(2, 0, dtype=torch.long)


def model_that(change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]], **options: Any) -> Callable[[], Any]:
    return lambda: {"model": before(change), **options}


def returns(change: Callable[[Tensor], Any], **options: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {"model": net(change), **options}


def is_model(make: Callable[[], Any], **options: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {"model": make(), **options}


def has(**changes: Any) -> Callable[[], dict[str, Any]]:
    """The graph of 12 nodes with something about it changed."""
    return lambda: {"data": data(**changes)}


def asks(**options: Any) -> Callable[[], dict[str, Any]]:
    return lambda: options


ODD: list[Row] = [
    # the model
    ("model: none", asks(model=None), "torch.nn.Module"),
    ("model: a function", asks(model=lambda x, edge_index: x[:, :3]), "module whose forward"),
    ("model: a state dict", is_model(lambda: made(NodeNet).state_dict()), "torch.nn.Module"),
    ("model: needs another argument", is_model(lambda: made(Required)), "needs time"),
    ("model: is given it", is_model(lambda: made(Required), args={"time": torch.tensor(1.0)}), RIGHT),
    ("model: without weights", is_model(nn.Identity), "not one tensor"),
    ("model: never used", is_model(Lazy), "not initialised"),
    ("model: on meta", is_model(lambda: made(NodeNet).to("meta")), "have no values"),
    ("model: cannot be put to eval", is_model(Stubborn), "cannot be copied"),
    ("model: noise in eval mode", model_that(lambda x, e: (functional.dropout(x), e)), "differently each time"),
    ("model: writes into what it is given", model_that(in_place), RIGHT),
    ("model: writes into the data", is_model(lambda: made(ChangesData), index=None), RIGHT),
    ("model: raises on small parts", model_that(raises_on_small_parts), "a part of"),
    ("model: NaN on small parts", model_that(alone_nan), "for a part"),
    ("model: inference mode", is_model(lambda: made(Inferring)), RIGHT),
    ("model: TorchScript", is_model(lambda: torch.jit.script(made(ByHand))), RIGHT),
    ("model: compiled", is_model(lambda: torch.compile(made(NodeNet))), RIGHT),
    ("model: half precision", is_model(lambda: made(NodeNet).half()), EITHER),
    ("model: other features", is_model(lambda: made(NodeNet, features=9)), "cannot be called"),
    # our own GNNs
    ("ours: other features", is_model(lambda: random_gnn(Task.NODE, sizes=(4, 3))), "reads 4 features"),
    ("ours: no data", is_model(lambda: random_gnn(Task.NODE), data=None), "a PyG graph"),
    (
        "ours: another task",
        lambda: {"model": random_gnn(Task.GRAPH, sizes=(10, 3)), "data": load_dataset("tree_cycles")},
        "classifies",
    ),
    # what comes out of it
    ("output: a dictionary", returns(lambda out: {"logits": out}), "returns a dict"),
    ("output: true or false", returns(lambda out: out > out.mean()), RIGHT),
    ("output: the class alone", returns(lambda out: out.argmax(1)), "Choose what it is"),
    ("output: complex", returns(lambda out: out * 1j), "complex"),
    ("output: sparse", returns(lambda out: out.to_sparse()), RIGHT),
    ("output: three dimensions", returns(lambda out: out[:, :, None]), "one row for each"),
    ("output: one number in all", returns(lambda out: out.sum()), "no node|Choose what it is|one number"),
    ("output: no rows", returns(lambda out: out[:0]), "one row for each"),
    ("output: rows of nodes for a graph", model_that(lambda x, e: (x, e), task="graph"), "one row for each"),
    ("output: NaN", returns(lambda out: out * NAN), "NaN or infinity"),
    ("output: all the same", returns(lambda out: 0 * out), RIGHT),
    # the data
    ("data: none", asks(data=None), "a PyG graph"),
    ("data: two tensors", asks(data=(EDGES, EDGES)), "contain PyG graphs"),
    ("data: a list with something else", is_model(lambda: made(GraphNet), data=[*some_graphs(), 7]), "int"),
    ("data: an empty list", asks(data=[]), "no graphs in"),
    ("data: beyond the last", is_model(lambda: made(GraphNet), data=some_graphs(), index=9), "no graph 9"),
    ("data: no nodes", lambda: {"data": Data(x=torch.zeros(0, 5), edge_index=NO_EDGES)}, "no nodes"),
    ("data: nothing in it", lambda: {"data": Data()}, "no edge_index"),
    ("data: no edges", has(edge_index=NO_EDGES), RIGHT),
    (
        "data: one node",
        lambda: {"data": Data(x=torch.ones(1, 5), edge_index=NO_EDGES), "index": 0, "task": "node"},
        RIGHT,
    ),
    ("data: wrong num_nodes", has(num_nodes=4), RIGHT),
    ("x: numpy", has(x=np.ones((12, 5))), "tensor"),
    ("x: no columns", has(x=torch.zeros(12, 0)), "cannot be called"),
    ("x: NaN", has(x=torch.full((12, 5), NAN)), "NaN or infinity"),
    ("x: sparse", has(x=torch.eye(12)[:, :5].to_sparse()), "to_dense"),
    ("x: true or false", has(x=torch.eye(12)[:, :5] > 0.5), RIGHT),
    ("x: wants a gradient", lambda: {"data": data(x=torch.rand(12, 5, requires_grad=True))}, RIGHT),
    ("x: on meta", has(x=torch.rand(12, 5, device="meta")), "have no values"),
    ("x: huge numbers", has(x=torch.full((12, 5), 1e30)), EITHER),
    ("edges: a list", has(edge_index=EDGES.tolist()), "edge_index must be"),
    ("edges: floating point", has(edge_index=EDGES.float()), "whole numbers"),
    ("edges: pairs in rows", has(edge_index=EDGES.T), r"must be \[2, E\]"),
    ("edges: a sparse matrix", has(edge_index=torch.eye(12).to_sparse_csr()), "edge_index must be"),
    ("edges: as adj_t alone", lambda: {"data": Data(x=data().x, adj_t=torch.eye(12).to_sparse_csr())}, "no edge_index"),
    ("edges: beside adj_t", has(adj_t=torch.eye(12).to_sparse_csr()), RIGHT),
    (
        "edges: beside adj_t, by data",
        lambda: {"model": made(DataNet), "data": data(adj_t=torch.eye(12).to_sparse_csr()), "index": None},
        "sparse",
    ),
    ("edges: outside", has(edge_index=EDGES + 1), "outside 0"),
    ("edges: on meta", has(edge_index=EDGES.to("meta")), "have no values"),
    ("edges: loops only", has(edge_index=torch.arange(12).expand(2, -1)), RIGHT),
    ("edges: the same one a thousand times", has(edge_index=EDGES[:, :1].repeat(1, 1000)), RIGHT),
    ("edges: weights of other length", has(edge_weight=torch.ones(7)), "not clear what"),
    ("y: sparse", has(y=torch.eye(12).to_sparse()), RIGHT),
    ("y: on meta", has(y=torch.zeros(12, device="meta")), RIGHT),
    # which one, and how
    ("index: none", asks(index=None), "Name the node"),
    *((f"index: {index}", asks(index=index), f"no node {index}") for index in (-1, 12)),
    *(
        (f"index: {index}", asks(index=index), "whole number")
        for index in (10**30, 3.0, NAN, True, "3", {"node": 3}, [[1], [2, 3]])
    ),
    *((f"index: {index}", asks(index=index), "one prediction") for index in ([1, 2], [])),
    ("index: a tensor", asks(index=torch.tensor([[3]])), RIGHT),
    ("index: a tensor on meta", asks(index=torch.tensor([3], device="meta")), "whole number"),
    ("index: a short mask", asks(index=torch.ones(4, dtype=torch.bool)), "A mask must have"),
    ("config: a dictionary", asks(config={"max_nodes": 3}), "a GFNConfig"),
    *((f"hops: {hops}", asks(hops=hops), "hops must be") for hops in ("x", 1.5, True)),
    ("hops: below 0", asks(hops=-1), "not be below 0"),
    *((f"hops: {hops}", asks(hops=hops), RIGHT) for hops in (0, 10**30)),
    *((f"device: {device}", asks(device=device), "cannot compute on") for device in ("tpu9", None, "meta", "cuda:99")),
    *((f"seed: {seed}", asks(seed=seed), "seed must be") for seed in ("x", -5, 2**70)),
    *((f"seconds: {value}", asks(seconds=value), "seconds must be") for value in ("x", 0, NAN)),
    *((f"seconds: {value}", asks(seconds=value), RIGHT) for value in (1e-9, INFINITE)),
    ("control: a string", asks(control="yes"), "control must be"),
    ("progress: an array", asks(progress=np.ones(3)), "progress must be"),
    *((f"task: {task}", asks(task=task), "node or graph") for task in ("edge", 5)),
    *((f"output: {output}", asks(output=output), "no output") for output in ("softmax", ["logits"])),
    *((f"tolerance: {value}", asks(tolerance=value), "tolerance of an amount") for value in ("x", INFINITE)),
    *((f"args: {args}", asks(args=args), "args must be") for args in ([1], {1: 2})),
    *((f"args: {args}", asks(args=args), "cannot be called") for args in ({"speed": 3}, {"x": random_data(12).x})),
    *((f"classes: {names}", asks(classes=names), "classes must be") for names in ("abc", 3)),
    ("classes: too few", asks(classes=["a"]), "1 names? for 3 classes"),
    ("classes: numbers", asks(classes=[1, 2, 3]), RIGHT),
    ("labels: too few", asks(labels=["a"]), "1 labels? for 12 nodes"),
    ("atoms: too few", asks(atoms=["C"]), "5 feature columns"),
    ("title: none", asks(title=None), RIGHT),
    ("an option that there is not", asks(hop=3), "no option “hop”"),
]


@contextmanager
def left_as_they_were(model: Any, given: Any) -> Any:
    """Check afterwards that nothing was written into the model or the data."""

    def state() -> list[Any]:
        if not isinstance(model, nn.Module):
            return []
        tensors = [value for value in (*model.parameters(), *model.buffers()) if not nn.parameter.is_lazy(value)]
        modes = [module.training for module in model.modules()]
        return [modes, [each.requires_grad for each in tensors], [each.grad for each in tensors], *tensors]

    def values() -> list[Any]:
        graphs = [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, Data)]
        return [value for graph in graphs for _, value in sorted(graph.to_dict().items())]

    kept = [
        value.detach().clone() if isinstance(value, Tensor) else copy.deepcopy(value) for value in state() + values()
    ]
    yield
    assert all(same(now, then) for now, then in zip(state() + values(), kept, strict=True))


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
    elif sentence != EITHER:
        assert said is not None
        assert re.search(sentence, said), said
    if found is not None:
        assert bool(found.edge_mask.isfinite().all())
        assert found.sentence.startswith("The GNN predicts")
        assert np.isfinite(found.trace.edge_marginals).all()
    if said is not None:
        assert len(said.splitlines()) == 1
        assert 20 < len(said) < 400
