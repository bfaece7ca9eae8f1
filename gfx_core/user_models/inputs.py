"""What a user's model is called with: the user's options, the arguments of ``forward``, the tensors of a graph."""

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral, Real
from textwrap import shorten
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.utils import subgraph

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.user_data.draft import shortened


@dataclass(frozen=True)
class ModelOptions:
    """All of it may be left out.

    Attributes:
        task: ``node`` or ``graph``: what each row of the model's output is about. By default their number decides.
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
        hops, tolerance, args = self.hops, self.tolerance, self.args
        checks = {
            "task": (self.task in (None, *Task), "node or graph"),
            "hops": (hops is None or (isinstance(hops, Integral) and hops >= 0), "a whole number, 0 or above"),
            "tolerance": (
                tolerance is None or (isinstance(tolerance, Real) and 0 < tolerance < math.inf),
                "above 0 and finite",
            ),
            "args": (
                isinstance(args, Mapping) and all(isinstance(name, str) and name != "x" for name in args),
                "a dictionary of arguments beside x by name, args={“edge_weight”: …}",
            ),
        }
        for name, (fits, what) in checks.items():
            if not fits:
                raise UserError(f"{name} must be {what} (got {shortened(repr(getattr(self, name)))}).")
        for name in ("classes", "atoms", "labels"):
            names = getattr(self, name)
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise UserError(f"{name} must be a list of names, {name}=[“…”, “…”] (got a {type(names).__name__}).")
            object.__setattr__(self, name, tuple(shortened(str(value)) for value in names))
        object.__setattr__(self, "title", shortened(str(self.title or "")) or "Your graph")


def first_line(error: Exception) -> str:
    """The message of an error of PyTorch's or of the user's model, as a part of a sentence."""
    return shorten(f"{type(error).__name__}: {error}".splitlines()[0], 160, placeholder=" …")


@contextmanager
def in_a_sentence(problem: str) -> Iterator[None]:
    """All that PyTorch or the user's model raises, as a `UserError` that begins with the problem."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"{problem} ({first_line(error)}).") from error


# Which prediction is meant


def some_indices(index: Any, count: int, noun: str = "node") -> Ints:
    """Indices out of a number, a list, a tensor or a boolean mask over all of them. [n]"""
    try:
        values = np.asarray(index.numpy(force=True) if isinstance(index, Tensor) else index)
        if values.shape == (count,) and values.dtype == bool:
            values = np.flatnonzero(values)
        if values.size and not np.issubdtype(values.dtype, np.integer):
            raise TypeError
    except (TypeError, ValueError, RuntimeError) as error:  # also ragged lists, sparse tensors
        raise UserError(
            f"An index must be a whole number, or a mask with one entry for each of the {count} {noun}s (got "
            f"{shortened(repr(index))})."
        ) from error
    chosen = values.reshape(-1).astype(np.int64)
    outside = chosen[(chosen < 0) | (chosen >= count)]
    if len(outside):
        raise UserError(f"There is no {noun} {outside[0]}: choose one from 0 to {count - 1}.")
    return chosen


def one_index(index: Any, count: int, noun: str = "node") -> int:
    """The one index that is meant; graphs have a first one."""
    if index is None and (noun == "node" or count > 1):
        raise UserError(f"Name the {noun} to explain, from 0 to {count - 1}: index=….")
    chosen = some_indices(0 if index is None else index, count, noun)
    if len(chosen) != 1:
        raise UserError(f"Each call explains one prediction (got {len(chosen)} {noun}s): call it once for each.")
    return int(chosen[0])


# Reading a PyG graph


_NO_ARGUMENTS = {"x", "edge_index", "batch", "ptr", "y", "num_nodes"}


def arguments_of(model: nn.Module) -> dict[str, bool] | None:
    """What a model takes besides features and edges, and whether it needs it; ``None`` if it takes one ``Data``."""
    with in_a_sentence("The arguments of forward cannot be read: give a Python module"):
        parameters = list(inspect.signature(model.forward).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    if positional and len(required) <= 1 and (positional[0].name in ("data", "batch", "graph") or not positional[1:]):
        return None
    further = [p for p in parameters if p not in positional[:2] and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return {p.name: p.default is p.empty for p in further}


def read_graph(data: Data, taken: dict[str, bool] | None, options: ModelOptions) -> Data:
    """What a model reads of a graph: all edges as they are given, and the further tensors that it takes.

    Args:
        data: The graph.
        taken: What the model takes, as `arguments_of` gives it.
        options: What else is known.
    """
    check_graph(data)
    names = set(data.keys()) if taken is None else taken.keys() & set(data.keys())
    arguments = {name: data[name] for name in sorted(names - _NO_ARGUMENTS)} | dict(options.args)
    taken = taken or {}
    _check_edges_are_read(data, taken.keys() - arguments.keys(), arguments.keys())
    missing = [name for name in taken if taken[name] and name not in {*arguments, "batch", "batch_size"}]
    if missing:
        raise UserError(
            f"The model needs {' and '.join(missing)}, which the data does not have: give args={{“{missing[0]}”: …}}."
        )
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor) and value.ndim}
    graph = Data(x=data.x.detach(), edge_index=data.edge_index.long(), **tensors)
    rows_of(graph)
    return graph


def check_graph(data: Any) -> None:
    """Refuse what is no graph with features and edges."""
    if not isinstance(data, Data):
        raise UserError(
            f"The data must contain PyG graphs, homogeneous and not heterogeneous (got a {type(data).__name__}): "
            "data.to_homogeneous() makes one."
        )
    if data.edge_index is None:
        raise UserError("The data has no edge_index: give the edges as a tensor [2, E] (not as adj_t).")
    if data.x is None:
        raise UserError(
            "The data has no features (x=None): set data.x to what the model reads. A model with an embedding for each "
            "node reads their numbers: data.x = torch.arange(data.num_nodes)."
        )
    x, edge_index = data.x, data.edge_index
    with in_a_sentence("x and edge_index must be dense tensors with values, as torch.tensor(…) makes them"):
        count, pairs = len(x), edge_index.ndim == 2 and len(edge_index) == 2
        within = not edge_index.is_floating_point() and bool(((edge_index >= 0) & (edge_index < count)).all())
        finite = bool(x.isfinite().all())
    if not count:
        raise UserError("The graph has no nodes, so there is nothing to train on or to explain: leave it out.")
    if not (pairs and within):
        raise UserError(
            f"edge_index must be [2, E] whole numbers of nodes, none outside 0 … {count - 1} (got "
            f"{list(edge_index.shape)} {edge_index.dtype})."
        )
    if not finite:
        raise UserError("The node features contain NaN or infinity: replace them first.")


def _check_edges_are_read(data: Data, unused: Set[str], passed: Set[str]) -> None:
    """Refuse a model that may read the edges' data under another name."""
    unread = [name for name in ("edge_weight", "edge_attr") if data.get(name) is not None and name not in passed]
    open_names = sorted(name for name in unused if "edge" in name or "weight" in name or len(name) == 1)
    if unread and open_names:
        raise UserError(
            f"The model has an argument {open_names[0]} and the data has {unread[0]}: if these are the same, pass "
            f"args={{“{open_names[0]}”: data.{unread[0]}}}; if not, args={{“{open_names[0]}”: None}}."
        )


def rows_of(graph: Data) -> dict[str, str]:
    """What the rows of each further tensor belong to: ``nodes``, ``edges`` or ``graphs``."""
    rows = {}
    for name in set(graph.keys()) - {"edge_index"}:
        value, counts = graph[name], {"nodes": graph.num_nodes, "edges": graph.num_edges, "graphs": 1}
        if "edge" in name:
            del counts["nodes"]
        kinds = [kind for kind, count in counts.items() if value.layout is torch.strided and len(value) == count]
        if not kinds:
            raise UserError(
                f"It is not clear what the rows of {name} belong to: it is {list(value.shape)}, and there are "
                f"{graph.num_nodes} nodes and {graph.num_edges} edges. If the model does not need it, leave it out, "
                f"args={{“{name}”: None}}."
            )
        rows[name] = kinds[0]
    return rows


def select(graph: Data, rows: Mapping[str, str], edge_index: Tensor, **index: Any) -> dict[str, Tensor]:
    """The tensors of a part of a graph.

    Args:
        graph: The graph, or a disjoint union of several.
        rows: What the rows of each tensor belong to, as `rows_of` gives it.
        edge_index: The edges of the part, by the new ids of its nodes.
        index: Which ``nodes``, ``edges`` and ``graphs`` are in it.
    """
    tensors = {name: graph[name][index[kind]] for name, kind in rows.items() if kind in index}
    return tensors | {"edge_index": edge_index}


def induced(graph: Data, rows: Mapping[str, str], nodes: Ints) -> Data:
    """The subgraph that some nodes induce, under local ids in their order."""
    chosen = torch.from_numpy(nodes).to(graph.x.device)
    edge_index, _, edges = subgraph(
        chosen, graph.edge_index, relabel_nodes=True, num_nodes=graph.num_nodes, return_edge_mask=True
    )
    return Data(**select(graph, rows, edge_index, nodes=chosen, edges=edges, graphs=[0]))
