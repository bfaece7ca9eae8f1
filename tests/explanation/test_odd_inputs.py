"""Odd inputs of ``explain``: each gives an explanation, or one sentence that says what is wrong and what to do.

The model, its mode, its weights and the data are left as they were.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import GCNConv

from gfx_core import UserError, explain, load_dataset
from gfx_core.config import Task
from gfx_core.gfn.settings import USUAL_REWARD, GFNConfig
from tests.toys.foreign import Around, ByHand, DataNet, GraphNet, NodeNet, made, random_data, some_graphs
from tests.toys.gnns import random_gnn, untouched

SMALL = GFNConfig(max_nodes=3, reward=USUAL_REWARD, epochs=2)
RIGHT = None
"""Expected instead of a sentence: an explanation."""
EITHER = "*"
"""Expected where it depends on the version of PyTorch whether it can work."""
NAN, INFINITE = float("nan"), float("inf")
EDGES = random_data(12).edge_index
NO_EDGES = torch.zeros(2, 0, dtype=torch.long)


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
    def forward(self, data: Data) -> Tensor:
        data.x += 1
        data.edge_index = data.edge_index.flip(0)
        return super().forward(data)


def data(**changes: Any) -> Data:
    """A graph of 12 nodes with something about it changed."""
    graph = random_data(12)
    for name, value in changes.items():
        setattr(graph, name, value)
    return graph


def raises_on_small_parts(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    assert len(x) > 8, "too small"
    return x, edge_index


def alone_nan(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    heard = torch.zeros(len(x), dtype=torch.bool).index_fill(0, edge_index[1], True)
    return torch.where(heard[:, None], x, NAN), edge_index


def in_place(x: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
    x.add_(1)
    edge_index.copy_(edge_index.flip(0))
    return x, edge_index


def model(make: Callable[[], Any], **options: Any) -> Callable[[], dict[str, Any]]:
    """A model, made when its turn has come; else it is a plain node classifier."""
    return lambda: {"model": make(), **options}


def before(change: Callable[..., Any]) -> Callable[[], dict[str, Any]]:
    return model(lambda: made(Around, before=change))


def returns(change: Callable[[Tensor], Any]) -> Callable[[], dict[str, Any]]:
    return model(lambda: made(Around, after=change))


def graph(**changes: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {"data": data(**changes)}


def asks(**options: Any) -> Callable[[], dict[str, Any]]:
    return lambda: options


ODD: list[tuple[str, Callable[[], dict[str, Any]], str | None]] = [
    ("a function as model", asks(model=lambda x, edge_index: x[:, :3]), "module whose forward"),
    ("a model that needs another argument", model(lambda: made(Required)), "needs time"),
    ("that is given it", model(lambda: made(Required), args={"time": torch.tensor(1.0)}), RIGHT),
    ("that was never used", model(Lazy), "not initialised"),
    ("that is on meta", model(lambda: made(NodeNet).to("meta")), "cannot be copied"),
    ("that cannot be put to eval", model(Stubborn), "cannot be copied"),
    ("that writes into what it is given", before(in_place), RIGHT),
    ("that writes into the data", model(lambda: made(ChangesData), index=None), RIGHT),
    ("that raises on small parts", before(raises_on_small_parts), "graphs of any size"),
    ("that gives NaN on small parts", before(alone_nan), "for a part"),
    ("in inference mode", model(lambda: made(Inferring)), RIGHT),
    ("of TorchScript", model(lambda: torch.jit.script(made(ByHand))), RIGHT),
    ("compiled", model(lambda: torch.compile(made(NodeNet))), RIGHT),
    ("in half precision", model(lambda: made(NodeNet).half()), EITHER),
    ("our GNN for other features", model(lambda: random_gnn(Task.NODE, sizes=(4, 3))), "cannot be called"),
    (
        "our GNN for another task",
        lambda: {"model": random_gnn(Task.GRAPH, sizes=(10, 3)), "data": load_dataset("tree_cycles")},
        "classifies",
    ),
    ("output: a dictionary", returns(lambda out: {"logits": out}), "returns a dict"),
    ("output: true or false", returns(lambda out: out > out.mean()), RIGHT),
    ("output: the class alone", returns(lambda out: out.argmax(1)), "Choose what it is"),
    ("output: complex", returns(lambda out: out * 1j), "complex"),
    ("output: sparse", returns(lambda out: out.to_sparse()), RIGHT),
    ("output: three dimensions", returns(lambda out: out[:, :, None]), "one row for each"),
    ("output: no rows", returns(lambda out: out[:0]), "one row for each"),
    ("output: all the same", returns(lambda out: 0 * out), RIGHT),
    ("output: NaN", returns(lambda out: out / 0 - out / 0), "NaN or infinity"),
    ("output: logits said to be probabilities", asks(output="probabilities"), "do not add up to 1"),
    ("output: one number said to be many", model(lambda: made(NodeNet, out=1), output="logits"), "cannot be output"),
    ("output: below 0 as a probability", model(lambda: made(NodeNet, out=1), output="probability"), "below 0"),
    ("data: no list", asks(data=7), "must be a PyG graph"),
    ("data: an empty list", asks(data=[]), "no graphs in the list"),
    ("data: a list of heterogeneous graphs", asks(data=[HeteroData()]), "not heterogeneous"),
    ("data: no edge_index", asks(data=Data(x=torch.ones(3, 5))), "no edge_index"),
    ("data: two tensors", asks(data=(EDGES, EDGES)), "contain PyG graphs"),
    ("data: a list with something else", model(lambda: made(GraphNet), data=[*some_graphs(), 7]), "int"),
    ("data: no nodes", asks(data=Data(x=torch.zeros(0, 5), edge_index=NO_EDGES)), "no nodes"),
    ("data: no edges", graph(edge_index=NO_EDGES), RIGHT),
    ("data: one node", asks(data=Data(x=torch.ones(1, 5), edge_index=NO_EDGES), index=0, task="node"), RIGHT),
    ("data: wrong num_nodes", graph(num_nodes=4), RIGHT),
    ("x: infinite", graph(x=torch.full((12, 5), INFINITE)), "features contain NaN"),
    ("x: too few columns", graph(x=torch.ones(12, 4)), r"called as model\(x, edge_index, …\).*: RuntimeError"),
    ("x: numpy", graph(x=np.ones((12, 5))), "tensor"),
    ("x: no columns", graph(x=torch.zeros(12, 0)), "cannot be called"),
    ("x: sparse", graph(x=torch.eye(12)[:, :5].to_sparse()), "dense tensors"),
    ("x: true or false", graph(x=torch.eye(12)[:, :5] > 0.5), RIGHT),
    ("x: wants a gradient", graph(x=torch.ones(12, 5, requires_grad=True)), RIGHT),
    ("x: on meta", graph(x=torch.rand(12, 5, device="meta")), "dense tensors"),
    ("x: huge numbers", graph(x=torch.full((12, 5), 1e30)), EITHER),
    ("edges: to nodes that there are not", graph(edge_index=EDGES + 9), "outside 0 … 11"),
    ("edges: a list", graph(edge_index=EDGES.tolist()), "edge_index must be"),
    ("edges: floating point", graph(edge_index=EDGES.float()), "whole numbers"),
    ("edges: pairs in rows", graph(edge_index=EDGES.T), r"must be \[2, E\]"),
    ("edges: a sparse matrix", graph(edge_index=torch.eye(12).to_sparse_csr()), "edge_index must be"),
    ("edges: beside adj_t", graph(adj_t=torch.eye(12).to_sparse_csr()), RIGHT),
    (
        "edges: beside adj_t, by data",
        model(lambda: made(DataNet), data=data(adj_t=torch.eye(12).to_sparse_csr()), index=None),
        "not clear what",
    ),
    ("edges: loops only", graph(edge_index=torch.arange(12).expand(2, -1)), RIGHT),
    ("edges: the same one a thousand times", graph(edge_index=EDGES[:, :1].repeat(1, 1000)), RIGHT),
    ("edges: weights of other length", graph(edge_weight=torch.ones(7)), "not clear what"),
    ("y: on meta", graph(y=torch.zeros(12, device="meta")), RIGHT),
    *((f"index: {index}", asks(index=index), "whole number") for index in (10**30, NAN, True, "3", [[1], [2, 3]])),
    *((f"index: {index}", asks(index=index), "no node") for index in (12, -1)),
    *((f"index: {index}", asks(index=index), "prediction|node") for index in (None, torch.ones(12) > 0)),
    ("index: a mask of other length", asks(index=torch.ones(9) > 0), "one entry for each"),
    ("index: of a graph", model(lambda: made(GraphNet), data=some_graphs(), index=None), "Name the graph"),
    ("index: on meta", asks(index=torch.tensor([3], device="meta")), "whole number"),
    ("config: a dictionary", asks(config={"max_nodes": 3}), "a GFNConfig"),
    *((f"hops: {hops}", asks(hops=hops), "hops must") for hops in ("x", 1.5, -1)),
    *((f"hops: {hops}", asks(hops=hops), RIGHT) for hops in (0, 10**30)),
    *((f"device: {device}", asks(device=device), "cannot compute on") for device in ("tpu9", None, "meta", "cuda:99")),
    *((f"seed: {seed}", asks(seed=seed), "seed must be") for seed in ("x", -5, 2**70)),
    *((f"seconds: {value}", asks(seconds=value), "seconds must be") for value in ("x", 0, NAN)),
    *((f"seconds: {value}", asks(seconds=value), RIGHT) for value in (1e-9, None)),
    ("progress: an array", asks(progress=np.ones(3)), RIGHT),
    *((f"output: {output}", asks(output=output), "no output") for output in ("softmax", ["logits"])),
    ("tolerance: a word", asks(tolerance="x"), "tolerance must be above 0"),
    *((f"args: {args}", asks(args=args), "args must be") for args in ([1], {1: 2})),
    *((f"args: {args}", asks(args=args), "cannot be called") for args in ({"speed": 3},)),
    *((f"classes: {names}", asks(classes=names), "classes must be") for names in ("abc", 3)),
    ("classes: numbers", asks(classes=[1, 2, 3]), RIGHT),
    ("classes: two of three", asks(classes=["a", "b"]), "2 names for 3 classes"),
    ("atoms: one of five", asks(atoms=["C"]), "1 name for 5 feature columns"),
    ("labels: one of twelve", asks(labels=["x"]), "1 label for 12 nodes"),
    ("task: edge", asks(task="edge"), "node or graph"),
    ("tolerance: below 0", model(lambda: made(NodeNet, out=1), output="number", tolerance=-1.0), "above 0"),
    ("an option that there is not", asks(hop=3), "no option “hop”"),
]


def tensors(given: Any) -> list[Tensor]:
    """Copies of what a graph holds, as far as it has numbers to compare."""
    values = given.to_dict().values() if isinstance(given, Data) else ()
    return [value.clone() for value in values if isinstance(value, Tensor) and value.layout is torch.strided]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("given", "sentence"), [row[1:] for row in ODD], ids=[row[0] for row in ODD])
def test_an_explanation_or_one_sentence(given: Callable[[], dict[str, Any]], sentence: str | None) -> None:
    options = {"model": made(NodeNet), "data": random_data(12), "index": 3, "config": SMALL, "progress": False}
    options |= given()
    asked, about, index = (options.pop(name) for name in ("model", "data", "index"))
    before, comparable = tensors(about), isinstance(asked, nn.Module) and not isinstance(asked, Lazy)
    result = said = None
    with untouched(asked if comparable else nn.Identity()):
        try:
            result = explain(asked, about, index, **options)
        except UserError as error:
            said = str(error)
    assert all(one.is_meta or torch.equal(one, other) for one, other in zip(tensors(about), before, strict=True))
    if sentence is RIGHT:
        assert said is None
    elif sentence != EITHER:
        assert said is not None
        assert re.search(sentence, said), said
    if result is not None:
        assert bool(result.edge_mask.isfinite().all())
        assert result.sentence.startswith("The GNN predicts")
        assert np.isfinite(result.trace.edge_marginals).all()
    if said is not None:
        assert len(said.splitlines()) == 1
        assert 20 < len(said) < 400
