"""What a model that others wrote takes: what its owner says of it, the graph's tensors by rows, and which of them."""

import copy
import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data, HeteroData

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.user_data.draft import shortened


@dataclass(frozen=True)
class ModelOptions:
    """All of it may be left out.

    Attributes:
        task: ``node`` or ``graph``: what each row of the model's output speaks of. By default as many rows tell.
        output: ``logits``, ``probabilities``, ``logit`` (one number, above 0 is class 1), ``probability`` (one number,
            of class 1) or ``number`` (an amount, regression). By default what they look like.
        tolerance: Of an amount: how far away counts as far; by default half of the spread of the model's own outputs.
        hops: How far from the explained node the graph is cut out; by default as far as the model sees.
        args: Further arguments of the model by name, beyond those that the data holds; ``None`` leaves one out.
        classes: A name for each class.
        atoms: A name for each feature column, of which a node has one (one-hot atoms, types, …).
        labels: Or a name for each node of the graph.
        title: What to call the data.
    """

    task: str | None = None
    output: str | None = None
    tolerance: float | None = None
    hops: int | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    classes: Sequence[str] = ()
    atoms: Sequence[str] = ()
    labels: Sequence[str] = ()
    title: str = "Your graph"

    def __post_init__(self) -> None:
        if self.task is not None and not (isinstance(self.task, str) and self.task in tuple(Task)):
            raise UserError(f"The task must be node or graph (got “{shortened(str(self.task))}”).")
        self._check_numbers()
        if not isinstance(self.args, Mapping) or not all(isinstance(name, str) for name in self.args):
            raise UserError("args must be a dictionary of arguments by name, args={“edge_weight”: …}.")
        for name in ("classes", "atoms", "labels"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        title = "" if self.title is None else shortened(str(self.title))
        object.__setattr__(self, "title", title or "Your graph")

    def _check_numbers(self) -> None:
        hops, tolerance = self.hops, self.tolerance
        if hops is not None:
            if not isinstance(hops, Integral) or isinstance(hops, bool):
                raise UserError(f"hops must be a whole number (got {shortened(repr(hops))}).")
            if hops < 0:
                raise UserError(f"hops must not be below 0 (got {hops}).")
        if tolerance is not None and not (isinstance(tolerance, Real) and 0 < tolerance < math.inf):
            raise UserError(
                f"The tolerance of an amount must be above 0 and finite (got {shortened(repr(tolerance))})."
            )


def _names(what: str, names: Any) -> tuple[str, ...]:
    """Names as lines of printable text; a single text is no list of them."""
    try:
        if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
            raise TypeError
        return tuple(shortened(str(value)) for value in names)
    except TypeError as error:
        raise UserError(f"{what} must be a list of names, {what}=[“…”, “…”] (got a {type(names).__name__}).") from error


# The tensors that a model reads


@dataclass(frozen=True, eq=False)
class ModelInputs:
    """Directed edges stay directed, self-loops and duplicates stay, and all of them stay in their order.

    Attributes:
        x: What the model is given of each node.
        edge_index: The edges.
        nodes: Further arguments with a row for each node, by name.
        edges: Those with a row for each edge.
        graphs: Those with a row for each graph.
        others: Those without rows, handed on as they are.
    """

    x: Tensor  # [n, …]
    edge_index: Tensor  # [2, e]
    nodes: dict[str, Tensor] = field(default_factory=dict)  # [n, …] each
    edges: dict[str, Tensor] = field(default_factory=dict)  # [e, …] each
    graphs: dict[str, Tensor] = field(default_factory=dict)  # [G, …] each
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        return len(self.x)

    def part(self, nodes: Ints) -> "ModelInputs":
        """The subgraph that some nodes induce, under local ids in their order."""
        chosen = torch.from_numpy(np.ascontiguousarray(nodes)).to(self.edge_index.device)
        local = torch.full((self.num_nodes,), -1, dtype=torch.long, device=chosen.device)
        local[chosen] = torch.arange(len(chosen), device=chosen.device)
        ends = local[self.edge_index]  # [2, e]
        kept = (ends >= 0).all(0)
        return replace(self, edge_index=ends[:, kept]).rows(chosen, kept)

    def rows(self, nodes: Tensor, edges: Tensor) -> "ModelInputs":
        """The same with some rows of what nodes and edges have; ``edge_index`` stays."""
        return replace(
            self,
            x=self.x[nodes],
            nodes={name: values[nodes] for name, values in self.nodes.items()},
            edges={name: values[edges] for name, values in self.edges.items()},
        )

    def with_graphs(self, graphs: Tensor) -> "ModelInputs":
        """The same with some rows of what graphs have. [B]"""
        return replace(self, graphs={name: values[graphs] for name, values in self.graphs.items()})

    def to(self, device: str | torch.device, dtype: torch.dtype | None = None) -> "ModelInputs":
        """The same elsewhere; what is a floating point number has the precision of the model."""

        def moved(values: Tensor) -> Tensor:
            return values.to(device, dtype if dtype is not None and values.is_floating_point() else values.dtype)

        def all_moved(named: dict[str, Tensor]) -> dict[str, Tensor]:
            return {name: moved(values) for name, values in named.items()}

        return ModelInputs(
            moved(self.x),
            self.edge_index.to(device),
            all_moved(self.nodes),
            all_moved(self.edges),
            all_moved(self.graphs),
            self.others,
        )


def disjoint_union(parts: list[ModelInputs]) -> ModelInputs:
    """The disjoint union of some graphs with the same arguments."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    sizes = [part.num_nodes for part in parts]
    offsets = np.cumsum([0, *sizes[:-1]]).tolist()

    def all_of(kind: str) -> dict[str, Tensor]:
        return {name: torch.cat([getattr(part, kind)[name] for part in parts]) for name in getattr(first, kind)}

    return ModelInputs(
        torch.cat([part.x for part in parts]),
        torch.cat([part.edge_index + offset for part, offset in zip(parts, offsets, strict=True)], dim=1),
        all_of("nodes"),
        all_of("edges"),
        all_of("graphs"),
        first.others,
    )


# Which prediction is meant


def some_indices(index: Any, count: int, noun: str = "node") -> Ints:
    """Indices out of a number, a list, a tensor or a boolean mask over all of them. [n]"""
    try:
        values = index.detach().cpu().numpy() if isinstance(index, torch.Tensor) else np.asarray(index)
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:  # ragged, sparse, without numbers
        raise UserError(f"An index must be a whole number, or a mask (got a {type(index).__name__}).") from error
    if values.dtype == bool and values.ndim:
        if values.shape != (count,):
            raise UserError(f"A mask must have one entry for each of the {count} {noun}s (got {list(values.shape)}).")
        return np.flatnonzero(values)
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    if not np.issubdtype(values.dtype, np.integer):
        got = type(index).__name__ if values.dtype.kind in "OUS" else values.dtype
        raise UserError(f"An index must be a whole number, or a mask (got {got}).")
    chosen = values.reshape(-1).astype(np.int64)
    outside = chosen[(chosen < 0) | (chosen >= count)]
    if len(outside):
        raise UserError(f"There is no {noun} {outside[0]}: choose one from 0 to {count - 1}.")
    return chosen


def one_index(index: Any, count: int, noun: str = "node") -> int:
    """The one index that is meant; graphs have a first one."""
    if index is None:
        if noun == "node":
            raise UserError("Name the node to explain: index=….")
        if count > 1:
            raise UserError(f"Name the graph to explain, from 0 to {count - 1}: index=….")
        return 0
    chosen = some_indices(index, count, noun)
    if len(chosen) != 1:
        raise UserError(f"Each call explains one prediction (got {len(chosen)} {noun}s): call it once for each.")
    return int(chosen[0])


# What a model takes


@dataclass(frozen=True)
class Signature:
    """What a model takes.

    Attributes:
        name: Of the model's class.
        takes: The names of what it takes besides features and edges.
        needs: Those of them that it must be given.
        by_data: Whether it takes one ``Data`` instead of separate tensors.
    """

    name: str
    takes: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    by_data: bool = False


def signature_of(model: nn.Module, name: str) -> Signature:
    """Read it off the model's ``forward``."""
    forward: Any = model.forward
    if isinstance(model, torch.jit.ScriptModule):
        schema = [argument for argument in forward.schema.arguments if argument.name != "self"]
        kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        defaults = [a.default_value if a.has_default_value() else empty for a in schema]
        parameters = [inspect.Parameter(a.name, kind, default=d) for a, d in zip(schema, defaults, strict=True)]
    else:
        parameters = list(inspect.signature(forward).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not positional:  # *args, **kwargs: scripted or wrapped; whatever it is, two tensors and batch are usual
        return Signature(name, frozenset({"batch"} if any(p.kind is p.VAR_KEYWORD for p in parameters) else ()))
    required = [p for p in positional if p.default is p.empty]
    if len(required) <= 1 and (positional[0].name in ("data", "batch", "graph") or len(positional) == 1):
        return Signature(name, by_data=True)
    rest = [p for p in parameters if p not in positional[:2] and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return Signature(name, frozenset(p.name for p in rest), frozenset(p.name for p in rest if p.default is p.empty))


# Reading a PyG graph


_OWN = {"x", "edge_index", "batch", "ptr", "y"}
_EDGE_DATA = ("edge_weight", "edge_attr")


def read_graph(data: Data, signature: Signature, options: ModelOptions) -> ModelInputs:
    """What the model is given of a graph.

    A tensor of the data is handed to the model where it takes an argument of that name; one that takes a whole ``Data``
    is given all. Nothing that belongs to edges is left out silently.

    Args:
        data: The graph.
        signature: What the model takes.
        options: What else is known.
    """
    check_graph(data)
    n, e = int(data.x.shape[0]), int(data.edge_index.shape[1])
    wanted = set(data.keys()) if signature.by_data else signature.takes
    found: dict[str, Any] = {name: data[name] for name in data.keys() if name in wanted - _OWN}  # noqa: SIM118
    left_out = {name for name, value in options.args.items() if value is None}
    found = {name: value for name, value in {**found, **options.args}.items() if name not in left_out}
    _check_edges_are_read(data, signature, set(found) | left_out)
    missing = sorted(signature.needs - found.keys() - {"batch", "batch_size"})
    if missing:
        raise UserError(
            f"{signature.name} needs {' and '.join(missing)}, which the data does not have: give "
            f"args={{“{missing[0]}”: …}}."
        )
    kinds: dict[str, dict[str, Any]] = {"nodes": {}, "edges": {}, "graphs": {}, "others": {}}
    for name, value in found.items():
        kinds[_kind(name, value, n, e)][name] = value
    kinds["others"] = {name: _copy_of(value) for name, value in kinds["others"].items()}
    return ModelInputs(data.x.detach(), data.edge_index.long(), **kinds)


def _copy_of(value: Any) -> Any:
    """A copy that a model may write into; what cannot be copied is handed on."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def check_graph(data: Any) -> None:
    """Refuse what is no graph with features and edges."""
    if isinstance(data, HeteroData):
        raise UserError("This explains homogeneous graphs, not heterogeneous ones: data.to_homogeneous() makes one.")
    if not isinstance(data, Data):
        raise UserError(f"The list must contain PyG graphs (got a {type(data).__name__}).")
    if data.edge_index is None:
        raise UserError("The data has no edge_index: give the edges as a tensor [2, E] (not as adj_t).")
    if data.x is None:
        raise UserError(
            "The data has no features (x=None): set data.x to what the model reads. A model with an embedding for each "
            "node reads their numbers: data.x = torch.arange(data.num_nodes)."
        )
    _check_tensor("edge_index", data.edge_index)
    _check_tensor("x", data.x)
    if data.edge_index.is_floating_point() or data.edge_index.dtype is torch.bool:
        raise UserError(f"edge_index must contain whole numbers, the numbers of nodes (got {data.edge_index.dtype}).")
    if data.edge_index.ndim != 2 or len(data.edge_index) != 2:
        raise UserError(f"edge_index must be [2, E] (got {list(data.edge_index.shape)}).")
    if not data.x.ndim:
        raise UserError("x must have a row for each node (got a single number).")
    if not len(data.x):
        raise UserError("The graph has no nodes, so there is nothing to train on or to explain: leave it out.")
    if data.edge_index.numel() and not 0 <= int(data.edge_index.min()) <= int(data.edge_index.max()) < len(data.x):
        raise UserError(f"An edge names a node outside 0 … {len(data.x) - 1}: check edge_index.")
    if data.x.is_floating_point() and not bool(data.x.isfinite().all()):
        raise UserError("The node features contain NaN or infinity: replace them first.")


def _check_tensor(name: str, values: Any) -> None:
    """Refuse what is no plain tensor with real numbers in it."""
    if not isinstance(values, Tensor):
        raise UserError(f"{name} must be a tensor (got a {type(values).__name__}): torch.tensor(…) makes one.")
    if values.is_meta:
        raise UserError(f"The tensors on the device “meta” have no values: put {name} on the CPU with its values.")
    if values.layout is not torch.strided or values.is_nested:
        more = "give the edges as a tensor [2, E]" if name == "edge_index" else f"data.{name}.to_dense() makes it one"
        raise UserError(f"{name} must be a dense tensor (got {values.layout}): {more}.")
    if values.is_complex():
        raise UserError(f"{name} contains complex numbers: give their real and imaginary parts as columns.")


def _check_edges_are_read(data: Data, signature: Signature, passed: set[str]) -> None:
    """Refuse a model that may read the edges' data under another name."""
    unread = [name for name in _EDGE_DATA if data.get(name) is not None and name not in passed]
    open_names = sorted(
        name for name in signature.takes - passed if "edge" in name or "weight" in name or len(name) == 1
    )
    if unread and open_names:
        raise UserError(
            f"{signature.name} takes {open_names[0]} and the data has {unread[0]}: if these are the same, pass "
            f"args={{“{open_names[0]}”: data.{unread[0]}}}; if not, args={{“{open_names[0]}”: None}}."
        )


def _kind(name: str, value: Any, n: int, e: int) -> str:
    """What an argument has a row for."""
    if not isinstance(value, Tensor) or not value.ndim:
        return "others"
    if value.layout is not torch.strided or value.is_nested:
        raise UserError(f"{name} is sparse and cannot be cut into parts: leave it out, args={{“{name}”: None}}.")
    if len(value) == e and ("edge" in name or e != n):
        return "edges"
    if len(value) == n and "edge" not in name:
        return "nodes"
    if len(value) == 1:
        return "graphs"
    rows = f"{len(value)} rows, and there are {n} nodes and {e} edges"
    raise UserError(
        f"It is not clear what the rows of {name} belong to: it has {rows}. If the model does not need it, leave it "
        f"out, args={{“{name}”: None}}."
    )


def features_of(x: Tensor) -> Tensor:
    """Features as plain numbers in columns, for what draws and learns. [n, …] → float [n, d]"""
    x = x.detach().cpu().to(torch.float32)
    return x[:, None] if x.ndim == 1 else x.flatten(1)
