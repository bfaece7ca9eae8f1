"""Read a PyG graph as a GivenGraph: which of its tensors the model is given, and which rows they have."""

import copy
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from gfx_core.errors import UserError
from gfx_core.gnn.foreign.about import About
from gfx_core.gnn.foreign.asking import AskedModel
from gfx_core.gnn.foreign.given import GivenGraph

_OWN = {"x", "edge_index", "batch", "ptr", "y"}
_EDGE_DATA = ("edge_weight", "edge_attr")


def read_graph(data: Data, asked: AskedModel, about: About) -> GivenGraph:
    """What the model is given of a graph.

    A tensor of the data is handed to the model where it takes an argument of that name; one that takes a whole ``Data``
    is given all. Nothing that belongs to edges is left out silently.

    Args:
        data: The graph.
        asked: The model.
        about: What else is known.
    """
    check_graph(data)
    n, e = int(data.x.shape[0]), int(data.edge_index.shape[1])
    wanted = set(data.keys()) if asked.by_data else asked.takes
    found: dict[str, Any] = {name: data[name] for name in data.keys() if name in wanted - _OWN}  # noqa: SIM118
    left_out = {name for name, value in about.args.items() if value is None}
    found = {name: value for name, value in {**found, **about.args}.items() if name not in left_out}
    _check_edges_are_read(data, asked, set(found) | left_out)
    missing = sorted(asked.needs - found.keys() - {"batch", "batch_size"})
    if missing:
        raise UserError(
            f"{asked.name} needs {_listed(missing)}, which the data does not have: give args={{“{missing[0]}”: …}}."
        )
    kinds: dict[str, dict[str, Any]] = {"nodes": {}, "edges": {}, "graphs": {}, "others": {}}
    for name, value in found.items():
        kinds[_kind(name, value, n, e)][name] = value
    kinds["others"] = {name: _own_copy(value) for name, value in kinds["others"].items()}
    return GivenGraph(data.x.detach(), data.edge_index.long(), **kinds)


def _own_copy(value: Any) -> Any:
    """A copy that a model may write into; what cannot be copied is handed on."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def check_graph(data: Any) -> None:
    """Refuse what is no graph with features and edges."""
    if not isinstance(data, Data):
        raise UserError(f"The list must hold PyG graphs (it holds a {type(data).__name__}).")
    if data.edge_index is None:
        raise UserError("The data has no edge_index: give the edges as a tensor [2, E] (not as adj_t).")
    if data.x is None:
        raise UserError(
            "The data has no features (x=None): give each node some, data.x, as the model reads them; a model with an "
            "embedding for each node reads their numbers, data.x = torch.arange(data.num_nodes)."
        )
    _check_tensor("edge_index", data.edge_index)
    _check_tensor("x", data.x)
    if data.edge_index.is_floating_point() or data.edge_index.dtype is torch.bool:
        raise UserError(f"edge_index must hold whole numbers, the numbers of nodes (got {data.edge_index.dtype}).")
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
        raise UserError(f"The tensors on the device “meta” hold no numbers: put {name} on the CPU with its numbers.")
    if values.layout is not torch.strided or values.is_nested:
        more = "give the edges as a tensor [2, E]" if name == "edge_index" else f"data.{name}.to_dense() makes it one"
        raise UserError(f"{name} must be a dense tensor (got {values.layout}): {more}.")
    if values.is_complex():
        raise UserError(f"{name} holds complex numbers: give their real and imaginary parts as columns.")


def _check_edges_are_read(data: Data, asked: AskedModel, passed: set[str]) -> None:
    """Refuse a model that may read the edges' data under another name."""
    unread = [name for name in _EDGE_DATA if data.get(name) is not None and name not in passed]
    open_names = sorted(name for name in asked.takes - passed if "edge" in name or "weight" in name or len(name) == 1)
    if unread and open_names:
        raise UserError(
            f"{asked.name} takes {open_names[0]} and the data has {unread[0]}: say whether it is that, "
            f"args={{“{open_names[0]}”: data.{unread[0]}}}, or to be left out, args={{“{open_names[0]}”: None}}."
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


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)
