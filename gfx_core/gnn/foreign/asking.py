"""AskedModel: a private copy of somebody else's model, and how it is called."""

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch_geometric.data import Batch
from torch_geometric.nn import MessagePassing

from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gnn.foreign.given import GivenGraph

ModelType = TypeVar("ModelType", bound=nn.Module)

_LONGEST = 160  # characters of an error of the model's own that are told


def private_copy(model: ModelType) -> ModelType:
    """A copy in eval mode whose weights want no gradient and that remembers nothing between two calls.

    Tensors that hang on a gradient, which a model may have kept from its last call, are copied without it. Cached
    convolutions forget what they have cached: it belongs to another graph than the one that they are asked about next.
    """
    memo: dict[int, Any] = {}
    for module in model.modules():
        for value in vars(module).values():
            if isinstance(value, Tensor) and value.grad_fn is not None:
                memo[id(value)] = value.detach()
    try:
        with torch.no_grad():  # TorchScript would copy weights that hang on the given ones
            copied = copy.deepcopy(model, memo).eval()
    except Exception as error:
        raise UserError(
            f"{type(model).__name__} cannot be copied ({_first_line(error)}), and it is never worked on itself: keep "
            "nothing in it between two calls."
        ) from error
    for module in copied.modules():
        if getattr(module, "cached", False) is True:
            module.cached = False  # type: ignore[assignment]
        for name in [name for name in vars(module) if name.startswith("_cached_")]:
            setattr(module, name, None)
    for parameter in copied.parameters():
        parameter.requires_grad_(False)
    return copied


def unwrapped(model: nn.Module) -> nn.Module:
    """The model inside of ``torch.compile`` or ``DataParallel``: each subgraph has a shape of its own, so that neither
    would make it faster."""
    while isinstance(inner := getattr(model, "_orig_mod", None), nn.Module):
        model = inner
    return model.module if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel) else model


def check_model(model: Any) -> None:
    """Refuse what is no model, or one without numbers in it."""
    if not isinstance(model, nn.Module):
        raise UserError(
            f"The model must be a module of PyTorch (got a {type(model).__name__}): a function can be called by a "
            "torch.nn.Module whose forward calls it."
        )
    weights = (*model.parameters(), *model.buffers())
    if any(is_lazy(values) for values in weights):
        raise UserError(f"Weights of {type(model).__name__} were never set: call it once on the data, or load them.")
    if any(values.is_meta for values in weights):
        raise UserError("Weights on the device “meta” hold no numbers: load the model with its numbers first.")


class AskedModel:
    """A model that others wrote, ready to be asked about any graph.

    Args:
        model: The model; a private copy of it is asked.
        task: Whether it speaks of nodes or of graphs.
        device: Where to compute.

    Attributes:
        model: The copy.
        takes: The names of what it takes besides features and edges; those that it must be given are ``needs``.
        by_data: Whether it takes one ``Data`` instead of separate tensors.
        together: Whether many graphs may be asked about in one call; else they are asked about one by one.
    """

    def __init__(self, model: nn.Module, task: Task, device: str | torch.device = "cpu") -> None:
        check_model(model)
        inner = unwrapped(model)
        self.name, self._original, self._version = type(inner).__name__, model, _version(model)
        self.model = private_copy(inner).to(device)
        self.device, self.task = torch.device(device), task
        self.by_data, self.takes, self.needs = _signature(self.model)
        self.together = True
        self.dtype = next((p.dtype for p in self.model.parameters() if p.is_floating_point()), None)
        self._as_numbers = False  # whether whole-number features have to be made floating point ones

    def is_copy_of(self, model: nn.Module) -> bool:
        """Whether it is this model, which was not trained any further since."""
        return model is self._original and _version(model) == self._version

    def ready(self, graph: GivenGraph) -> GivenGraph:
        """A graph where the model is, in the numbers that it computes with."""
        graph = graph.to(self.device, self.dtype)
        return replace(graph, x=graph.x.to(self.dtype or torch.float32)) if self._as_numbers else graph

    def raw(self, graph: GivenGraph, owner: Tensor, count: int) -> Tensor:
        """What comes out of the model for every node, or for every graph of a disjoint union. [n or count, C]

        Args:
            graph: The union, as `ready` gives it.
            owner: Which graph each node is in, ascending. [n]
            count: How many graphs.
        """
        if count == 1 or self.together:
            return self._call(graph, owner, count)
        sizes = owner.bincount(minlength=count)
        whose = owner[graph.edge_index[0]] if graph.edge_index.numel() else owner[:0]
        order = whose.argsort(stable=True)
        edges = order.split(whose.bincount(minlength=count).tolist())
        found, first = [], 0
        for number, size in enumerate(sizes.tolist()):
            nodes = torch.arange(first, first + size, device=owner.device)
            part = replace(graph, edge_index=graph.edge_index[:, edges[number]] - first).rows(nodes, edges[number])
            part = part.with_graphs(torch.tensor([number], device=owner.device))
            found.append(self._call(part, torch.zeros_like(nodes), 1))
            first += size
        return torch.cat(found)

    def _call(self, graph: GivenGraph, owner: Tensor, count: int) -> Tensor:
        rows = graph.num_nodes if self.task is Task.NODE else count
        try:
            out = self.out(graph, owner, count)
        except (UserError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            raise UserError(
                f"{self.name} can be asked about the whole graph, and not about a part of the graph "
                f"({_first_line(error)}): let it take graphs of any size, down to one node without edges."
            ) from error
        return self.shaped(out, rows)

    def out(self, graph: GivenGraph, owner: Tensor, count: int) -> Any:
        """What the model returns, as it is. What it is given are copies: it may write into them."""
        named: dict[str, Any] = {**graph.nodes, **graph.edges, **graph.graphs, **graph.others}
        named = {name: value.clone() if isinstance(value, Tensor) else value for name, value in named.items()}
        x, edge_index, owner = graph.x.clone(), graph.edge_index.clone(), owner.clone()
        if self.by_data:
            sizes = owner.bincount(minlength=count)
            ptr = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
            return self.model(Batch(x=x, edge_index=edge_index, batch=owner, ptr=ptr, **named))
        if "batch" in self.takes:
            named["batch"] = owner
        if "batch_size" in self.needs:
            named["batch_size"] = count
        return self.model(x, edge_index, **named)

    def shaped(self, out: Any, rows: int) -> Tensor:
        """One row for each prediction. [rows, C]"""
        if not isinstance(out, Tensor):
            raise UserError(
                f"{self.name} returns a {type(out).__name__}, not one tensor: wrap it in a module that returns the "
                "predictions alone."
            )
        out = self._as_real(out)
        if not out.numel() and (out.ndim < 2 or len(out) == rows):
            raise UserError(f"{self.name} returns no numbers ({list(out.shape)}): it must return one for each class.")
        if out.ndim <= 1 and rows == 1:
            return out.reshape(1, -1)
        if out.ndim == 1 and len(out) == rows:
            return out[:, None]
        if out.ndim == 2 and len(out) == rows:
            return out
        noun = "node" if self.task is Task.NODE else "graph"
        raise UserError(
            f"{self.name} returns {list(out.shape)} numbers for {rows} {noun}s: expected is one row for each {noun}."
        )

    def _as_real(self, out: Tensor) -> Tensor:
        """An output as a dense tensor of floating point numbers, whatever the model computes with."""
        if out.is_complex():
            raise UserError(f"{self.name} returns complex numbers: let it return their real parts or their sizes.")
        if out.is_nested:
            raise UserError(f"{self.name} returns a nested tensor: let it return one row for each prediction.")
        if out.layout is not torch.strided:
            out = out.to_dense()
        if out.is_inference():
            out = out.clone()
        return out if out.dtype in (torch.float32, torch.float64) else out.float()

    def gradient(self, graph: GivenGraph, wanted: Callable[[Tensor], Tensor]) -> Tensor | None:
        """How a number of the model's output changes with the features of each node; ``None`` where nobody can tell.

        Args:
            graph: As `ready` gives it.
            wanted: The number, out of what comes out of the model.
        """
        if not graph.x.is_floating_point():
            return None
        x = graph.x.clone().requires_grad_()
        owner = torch.zeros(len(x), dtype=torch.long, device=x.device)
        with torch.enable_grad():
            number = wanted(self.raw(replace(graph, x=x), owner, 1))
            if not number.requires_grad:  # what it computes is cut off from the features
                return None
            try:
                (found,) = torch.autograd.grad(number, x, allow_unused=True)
            except RuntimeError:  # a layer without a backward pass
                return None
        return found

    def first(self, graph: GivenGraph, owner: Tensor, count: int) -> Any:
        """What the model returns when it is asked for the first time; its own errors are told in a sentence."""
        try:
            return self.out(self.ready(graph), owner.to(self.device), count)
        except UserError:
            raise
        except Exception as error:
            if not graph.x.is_floating_point() and not self._as_numbers:
                self._as_numbers = True
                return self.first(graph, owner, count)
            raise UserError(f"{self.name} cannot be asked as {self.call}: {_first_line(error)}") from error

    @property
    def call(self) -> str:
        """How it is called, for people."""
        further = sorted(self.takes & {"batch"}) if not self.by_data else []
        return "model(data)" if self.by_data else f"model({', '.join(['x', 'edge_index', *further])}, …)"

    @contextmanager
    def counting(self) -> Iterator[Callable[[], int]]:
        """Meanwhile it is counted how often neighbours are listened to, in whatever layer: so far does a node see."""
        count = 0

        def heard(*_: Any) -> None:
            nonlocal count
            count += 1

        layers = [module for module in self.model.modules() if isinstance(module, MessagePassing)]
        hooks = [layer.register_propagate_forward_pre_hook(heard) for layer in layers]
        try:
            yield lambda: count
        finally:
            for hook in hooks:
                hook.remove()


def _signature(model: nn.Module) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Whether it takes one ``Data``; the names of what else than features and edges it takes; and must be given."""
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
        return False, frozenset({"batch"} if any(p.kind is p.VAR_KEYWORD for p in parameters) else ()), frozenset()
    required = [p for p in positional if p.default is p.empty]
    only = len(required) <= 1 and (positional[0].name in ("data", "batch", "graph") or len(positional) == 1)
    if only:
        return True, frozenset(), frozenset()
    rest = [p for p in parameters if p not in positional[:2] and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    named = frozenset(p.name for p in rest)
    return False, named, frozenset(p.name for p in rest if p.default is p.empty)


def _version(model: nn.Module) -> tuple[tuple[int, int], ...]:
    """Changes whenever a weight or a buffer is written or replaced."""
    return tuple((id(values), values._version) for values in (*model.parameters(), *model.buffers()))


def _first_line(error: Exception) -> str:
    line = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
