"""A private copy of somebody else's model: how it is called, and what its numbers mean.

They may be logits, probabilities, one logit, one probability, or an amount.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid
from torch.nn.parameter import is_lazy
from torch_geometric.data import Batch
from torch_geometric.nn import MessagePassing

from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gnn.predict import Predictions
from gfx_core.text.numbers import counted
from gfx_core.user_models.inputs import ModelInputs, signature_of

ModelType = TypeVar("ModelType", bound=nn.Module)

_LONGEST = 160  # characters of an error of the model's own that are quoted


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
            f"{type(model).__name__} cannot be copied ({first_line(error)}), and we work on copies only: let it store "
            "nothing between two calls."
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
            f"The model must be a torch.nn.Module (got a {type(model).__name__}): wrap a function in a module whose "
            "forward calls it."
        )
    weights = (*model.parameters(), *model.buffers())
    if any(is_lazy(values) for values in weights):
        raise UserError(
            f"Some weights of {type(model).__name__} are not initialised: call it once on the data, or load them."
        )
    if any(values.is_meta for values in weights):
        raise UserError("Weights on the device “meta” have no values: load the model with its values first.")


class ModelAdapter:
    """A model that others wrote, ready to be asked about any graph.

    Args:
        model: The model; a private copy of it is asked.
        task: Whether it speaks of nodes or of graphs.
        device: Where to compute.

    Attributes:
        model: The copy.
        signature: What it takes.
        together: Whether many graphs may be asked about in one call; else they are asked about one by one.
    """

    def __init__(self, model: nn.Module, task: Task, device: str | torch.device = "cpu") -> None:
        check_model(model)
        inner = unwrapped(model)
        self.name, self._original, self._version = type(inner).__name__, model, _version(model)
        self.model = private_copy(inner).to(device)
        self.device, self.task = torch.device(device), task
        self.signature = signature_of(self.model, self.name)
        self.together = True
        self.dtype = next((p.dtype for p in self.model.parameters() if p.is_floating_point()), None)
        self._as_numbers = False  # whether whole-number features have to be made floating point ones

    def is_copy_of(self, model: nn.Module) -> bool:
        """Whether it is this model, which was not trained any further since."""
        return model is self._original and _version(model) == self._version

    def learn_from(self, other: "ModelAdapter") -> None:
        """Take over what was found out about the same model."""
        self.together, self._as_numbers = other.together, other._as_numbers

    def ready(self, graph: ModelInputs) -> ModelInputs:
        """A graph where the model is, in the numbers that it computes with."""
        graph = graph.to(self.device, self.dtype)
        return replace(graph, x=graph.x.to(self.dtype or torch.float32)) if self._as_numbers else graph

    def raw(self, graph: ModelInputs, owner: Tensor, count: int) -> Tensor:
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

    def _call(self, graph: ModelInputs, owner: Tensor, count: int) -> Tensor:
        rows = graph.num_nodes if self.task is Task.NODE else count
        try:
            out = self.out(graph, owner, count)
        except (UserError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            raise UserError(
                f"{self.name} cannot predict for a part of the graph ({first_line(error)}): let it take "
                "graphs of any size, down to one node without edges."
            ) from error
        return self.shaped(out, rows)

    def out(self, graph: ModelInputs, owner: Tensor, count: int) -> Any:
        """What the model returns, as it is. What it is given are copies: it may write into them."""
        named: dict[str, Any] = {**graph.nodes, **graph.edges, **graph.graphs, **graph.others}
        named = {name: value.clone() if isinstance(value, Tensor) else value for name, value in named.items()}
        x, edge_index, owner = graph.x.clone(), graph.edge_index.clone(), owner.clone()
        if self.signature.by_data:
            sizes = owner.bincount(minlength=count)
            ptr = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
            return self.model(Batch(x=x, edge_index=edge_index, batch=owner, ptr=ptr, **named))
        if "batch" in self.signature.takes:
            named["batch"] = owner
        if "batch_size" in self.signature.needs:
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
        raise UserError(
            f"{self.name} returns {list(out.shape)} numbers for {counted(rows, self.task)}: it must return one row "
            f"for each {self.task}."
        )

    def _as_real(self, out: Tensor) -> Tensor:
        """An output as a dense tensor of floating point numbers, whatever the model computes with."""
        if out.is_complex():
            raise UserError(f"{self.name} returns complex numbers: let it return their real parts or their magnitudes.")
        if out.is_nested:
            raise UserError(f"{self.name} returns a nested tensor: let it return one row for each prediction.")
        if out.layout is not torch.strided:
            out = out.to_dense()
        if out.is_inference():
            out = out.clone()
        return out if out.dtype in (torch.float32, torch.float64) else out.float()

    def gradient(self, graph: ModelInputs, wanted: Callable[[Tensor], Tensor]) -> Tensor | None:
        """How a number of the model's output changes with the features of each node; ``None`` where nobody can tell.

        Args:
            graph: As `ready` gives it.
            wanted: The number, out of what comes out of the model.
        """
        if not graph.x.is_floating_point():
            return None
        x = graph.x.clone().requires_grad_()
        with torch.enable_grad():
            number = wanted(self.raw(replace(graph, x=x), _one_graph(graph), 1))
            if not number.requires_grad:  # what it computes is cut off from the features
                return None
            try:
                (found,) = torch.autograd.grad(number, x, allow_unused=True)
            except RuntimeError:  # a layer without a backward pass
                return None
        return found

    @torch.no_grad()
    def whole(self, graph: ModelInputs) -> tuple[Tensor, int]:
        """What the model puts out for a whole graph, and how often it listens to neighbours. [n or 1, C]"""
        with self._counting() as listens:
            out = self.first(graph)
        return self.shaped(out, graph.num_nodes if self.task is Task.NODE else 1), listens()

    def first(self, graph: ModelInputs) -> Any:
        """What the model returns when it is asked for the first time; its own errors are told in a sentence."""
        ready = self.ready(graph)
        try:
            return self.out(ready, _one_graph(ready), 1)
        except UserError:
            raise
        except Exception as error:
            if not graph.x.is_floating_point() and not self._as_numbers:
                self._as_numbers = True
                return self.first(graph)
            raise UserError(f"{self.name} cannot be called as {self.call}: {first_line(error)}") from error

    @property
    def call(self) -> str:
        """How it is called, for people."""
        further = sorted(self.signature.takes & {"batch"}) if not self.signature.by_data else []
        return "model(data)" if self.signature.by_data else f"model({', '.join(['x', 'edge_index', *further])}, …)"

    @contextmanager
    def _counting(self) -> Iterator[Callable[[], int]]:
        """Meanwhile it is counted how often neighbours are listened to, in whatever layer: so far does a node see."""
        count = 0

        def step(*_: Any) -> None:
            nonlocal count
            count += 1

        layers = [module for module in self.model.modules() if isinstance(module, MessagePassing)]
        hooks = [layer.register_propagate_forward_pre_hook(step) for layer in layers]
        try:
            yield lambda: count
        finally:
            for hook in hooks:
                hook.remove()


def _one_graph(graph: ModelInputs) -> Tensor:
    """That all nodes are in one graph, as a batch says it. [n]"""
    return torch.zeros(graph.num_nodes, dtype=torch.long, device=graph.x.device)


def _version(model: nn.Module) -> tuple[tuple[int, int], ...]:
    """Changes whenever a weight or a buffer is written or replaced."""
    return tuple((id(values), values._version) for values in (*model.parameters(), *model.buffers()))


def first_line(error: Exception) -> str:
    """What an error of somebody else's says, as a part of a sentence."""
    line = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


# What the numbers mean that come out


_TINY = 1e-12
_CLOSE = 1e-3  # that far may the sum of probabilities be from 1


class OutputKind(StrEnum):
    """What a model puts out for each node or graph."""

    LOGITS = "logits"  # one for each class, or their log-probabilities
    PROBABILITIES = "probabilities"  # one for each class
    LOGIT = "logit"  # one number: above 0 is class 1
    PROBABILITY = "probability"  # one number: the probability of class 1
    NUMBER = "number"  # an amount: regression

    @property
    def is_single(self) -> bool:
        return self in (OutputKind.LOGIT, OutputKind.PROBABILITY, OutputKind.NUMBER)


PYG_OUTPUT = {
    OutputKind.LOGITS: ("multiclass_classification", "raw"),
    OutputKind.PROBABILITIES: ("multiclass_classification", "probs"),
    OutputKind.LOGIT: ("binary_classification", "raw"),
    OutputKind.PROBABILITY: ("binary_classification", "probs"),
    OutputKind.NUMBER: ("regression", "raw"),
}
"""The mode and return type of each in PyG's ``ModelConfig``."""


@dataclass(frozen=True)
class ModelOutput:
    """How to read what comes out of a model.

    An amount becomes two classes, "about as much" and "not": the first has probability exp(−½ d²), d being how many
    tolerances the amount is away from the one that is explained.

    Attributes:
        kind: What it is.
        tolerance: Of an amount: how far away counts as far.
    """

    kind: OutputKind = OutputKind.LOGITS
    tolerance: float = 1.0

    def predictions(self, raw: Tensor, explained: Tensor) -> Predictions:
        """Logits, and an embedding, of what was put out.

        Args:
            raw: [B, C]
            explained: What was put out for the whole of what is explained (of an amount, the one to stay near). [B, C]
        """
        if self.kind is OutputKind.LOGITS:
            return Predictions(raw, raw)
        if self.kind is OutputKind.PROBABILITIES:
            logits = raw.clamp(min=_TINY).log()
            return Predictions(logits, logits)
        if self.kind is OutputKind.NUMBER:
            cost = (0.5 * ((raw - explained.to(raw.dtype)) / self.tolerance) ** 2).clamp(min=_TINY)  # [B, 1]
            return Predictions(torch.cat([-cost, (-torch.expm1(-cost)).clamp(min=_TINY).log()], dim=1), raw)
        logit = raw if self.kind is OutputKind.LOGIT else torch.logit(raw, eps=1e-7)
        return Predictions(torch.cat([logsigmoid(-logit), logsigmoid(logit)], dim=1), logit)

    def classes(self, answer: Tensor, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the classes: those given, or for an amount the amount itself. answer [1, C]"""
        if self.kind is not OutputKind.NUMBER:
            return names
        amount = f"{float(answer.flatten()[0]):.4g} ± {self.tolerance:.2g}"
        return (amount, "another amount")


def read_output(raw: Tensor, y: Tensor | None, output: str | None, tolerance: float | None) -> ModelOutput:
    """What a model's numbers mean: what its owner says, or what they look like; one clear sentence where neither helps.

    Args:
        raw: What it puts out for all that it was asked about. [n, C]
        y: What was to be predicted, where known.
        output: What the owner says.
        tolerance: Of an amount.
    """
    single = raw.shape[1] == 1
    if output is not None:
        try:
            kind = OutputKind(output)
        except ValueError as error:
            raise UserError(f"There is no output “{output}”: choose one of {', '.join(OutputKind)}.") from error
        if kind.is_single != single:
            numbers = "one number" if single else f"{raw.shape[1]} numbers"
            raise UserError(f"The model outputs {numbers} for each prediction, which cannot be output=“{kind}”.")
    else:
        kind = _guess_kind(raw, y)
    if kind is OutputKind.PROBABILITIES and not _are_probabilities(raw):
        raise UserError("The model outputs numbers that are not probabilities: they do not add up to 1.")
    if kind is OutputKind.PROBABILITY and not bool(((raw >= 0) & (raw <= 1)).all()):
        raise UserError("The model outputs numbers that are not probabilities: some are below 0 or above 1.")
    return ModelOutput(kind, _tolerance(raw, y, tolerance) if kind is OutputKind.NUMBER else 1.0)


def _guess_kind(raw: Tensor, y: Tensor | None) -> OutputKind:
    if raw.shape[1] > 1:
        return OutputKind.PROBABILITIES if _are_probabilities(raw) else OutputKind.LOGITS
    if y is None or not y.numel():
        raise UserError(
            "The model outputs one number for each prediction. Choose what it is: output=“logit” or “probability” (of "
            "class 1 against class 0), or “number” (an amount, regression)."
        )
    if not bool(((y == 0) | (y == 1)).all()):
        return OutputKind.NUMBER
    return OutputKind.PROBABILITY if len(raw) > 1 and bool(((raw >= 0) & (raw <= 1)).all()) else OutputKind.LOGIT


def _are_probabilities(raw: Tensor) -> bool:
    return bool((raw >= 0).all()) and bool(((raw.sum(1) - 1).abs() < _CLOSE).all())


def _tolerance(raw: Tensor, y: Tensor | None, tolerance: float | None) -> float:
    """How far away an amount counts as far: as told, or half of the spread of what is put out or was to be."""
    if tolerance is not None:
        return float(tolerance)
    for values in (raw, y):
        if values is not None and values.numel() > 1 and float(values.float().std()) > 0:
            return float(values.float().std()) / 2
    raise UserError("The model outputs an amount: set the difference that matters, tolerance=….")
