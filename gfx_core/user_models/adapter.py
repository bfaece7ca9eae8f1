"""A private copy of a user's model: how it is called, and what its numbers mean.

They may be logits, probabilities, one logit, one probability, or an amount.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid
from torch.nn.parameter import is_lazy
from torch_geometric.data import Batch, Data

from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gnn.predict import Predictions
from gfx_core.text.numbers import counted
from gfx_core.user_models.inputs import arguments_of, first_line, in_a_sentence, select

ModelType = TypeVar("ModelType", bound=nn.Module)

_TOGETHER = 256  # graphs of one call of the model


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


def read_output(raw: Tensor, y: Tensor | None, output: str | None, tolerance: float | None) -> ModelOutput:
    """What a model's numbers mean: as stated, or what they look like.

    Args:
        raw: Its outputs. [n, C]
        y: What was to be predicted, where known.
        output: What is stated.
        tolerance: Of an amount; by default half of the spread of what is put out or was to be.
    """
    if output not in (None, *OutputKind):
        raise UserError(f"There is no output “{output}”: choose one of {', '.join(OutputKind)}.")
    single = raw.shape[1] == 1
    likely = bool(((raw >= 0) & (raw <= 1 + _CLOSE)).all())
    if not single:
        likely &= bool(((raw.sum(1) - 1).abs() < _CLOSE).all())
    if output is not None:
        kind = OutputKind(output)
    elif not single:
        kind = OutputKind.PROBABILITIES if likely else OutputKind.LOGITS
    elif y is None:
        raise UserError(
            "The model outputs one number for each prediction. Choose what it is: output=“logit” or “probability” (of "
            "class 1 against class 0), or “number” (an amount, regression)."
        )
    elif not bool(((y == 0) | (y == 1)).all()):
        kind = OutputKind.NUMBER
    else:
        kind = OutputKind.PROBABILITY if likely and len(y) > 1 else OutputKind.LOGIT
    if single != (kind in (OutputKind.LOGIT, OutputKind.PROBABILITY, OutputKind.NUMBER)):
        numbers = counted(raw.shape[1], "number")
        raise UserError(f"The model outputs {numbers} for each prediction, which cannot be output=“{kind}”.")
    if kind in (OutputKind.PROBABILITIES, OutputKind.PROBABILITY) and not likely:
        raise UserError(
            "The model outputs numbers that are not probabilities: some are below 0 or above 1, or they do not add up "
            "to 1."
        )
    if kind is not OutputKind.NUMBER:
        return ModelOutput(kind)
    for values in (raw, y):
        if not tolerance and values is not None and values.numel() > 1:
            tolerance = float(values.float().std()) / 2
    if not tolerance:
        raise UserError("The model outputs an amount: set the difference that matters, tolerance=….")
    return ModelOutput(kind, float(tolerance))


# The copy that is called


def uncompiled(model: ModelType) -> ModelType:
    """The model inside of ``torch.compile``, which would compile it anew for each size of a graph."""
    return getattr(model, "_orig_mod", model)


def private_copy(model: ModelType, device: str | torch.device = "cpu") -> ModelType:
    """A copy in eval mode whose weights want no gradient and that remembers nothing between two calls.

    Tensors that hang on a gradient, which a model may have kept from its last call, are copied without it. Cached
    convolutions forget what they have cached: it belongs to another graph than the next one.
    """
    model = uncompiled(model)
    values = (value for module in model.modules() for value in vars(module).values() if isinstance(value, Tensor))
    memo = {id(value): value.detach() for value in values if value.grad_fn is not None}
    why = f"{type(model).__name__} cannot be copied, and we work on copies only: let it store nothing between two calls"
    with in_a_sentence(why), torch.no_grad():  # TorchScript would copy weights that hang on the given ones
        copied = copy.deepcopy(model, memo).eval().to(device)
    for module in copied.modules():
        for name in [name for name in vars(module) if name == "cached" or name.startswith("_cached_")]:
            setattr(module, name, None)
    for parameter in copied.parameters():
        parameter.requires_grad_(False)
    return copied


class ModelAdapter:
    """A private copy of a user's model that predicts for any graphs.

    Args:
        model: The model.
        task: Whether it predicts for nodes or for graphs.
        device: Where to compute.

    Attributes:
        model: The copy.
        arguments: What it takes, see `arguments_of`.
        rows: What the rows of each tensor belong to, see `rows_of`.
        constants: Arguments without rows, by name.
        together: Whether one call may be about several graphs.
        output: What its numbers mean.
    """

    def __init__(self, model: nn.Module, task: Task, device: str | torch.device = "cpu") -> None:
        if not isinstance(model, nn.Module):
            raise UserError(
                f"The model must be a torch.nn.Module (got a {type(model).__name__}): wrap a function in a module "
                "whose forward calls it."
            )
        if any(map(is_lazy, (*model.parameters(), *model.buffers()))):
            raise UserError(
                f"Some weights of {type(model).__name__} are not initialised: call it once on the data, or load them."
            )
        self.task, self.arguments = task, arguments_of(uncompiled(model))
        self._hold(model, device)
        self.rows: Mapping[str, str] = {"x": "nodes"}
        self.constants: Mapping[str, Any] = {}
        self.together, self.output = True, ModelOutput()
        self._as_numbers = False  # whether the model needs whole numbers as floating point

    def _hold(self, model: nn.Module, device: str | torch.device) -> None:
        self.model, self.device = private_copy(model, device), torch.device(device)
        self.name = type(self.model).__name__
        self._dtype = next((p.dtype for p in self.model.parameters() if p.is_floating_point()), torch.float32)

    def renewed(self, model: nn.Module, device: str | torch.device) -> "ModelAdapter":
        """A new copy of the same model, which may have been trained further, with all that is known of it."""
        adapter = copy.copy(self)
        adapter._hold(model, device)
        return adapter

    def ready(self, graph: Data) -> Data:
        """A copy of a graph where the model is, in the precision of its weights."""

        def moved(values: Tensor) -> Tensor:
            return values.clone().to(self.device, self._dtype if values.is_floating_point() else None)

        graph = copy.copy(graph).apply(moved)
        if self._as_numbers:
            graph.x = graph.x.to(self._dtype)
        return graph

    @torch.no_grad()
    def outputs(self, graphs: Sequence[Data]) -> Tensor:
        """The model's output for all nodes of some graphs, or for each graph. [n or B, C]"""
        chunks = [graphs[first : first + _TOGETHER] for first in range(0, len(graphs), _TOGETHER)]
        return torch.cat([self.raw(Batch.from_data_list(chunk)) for chunk in chunks])

    def raw(self, graph: Data) -> Tensor:
        """The model's output for every node, or for each graph. [n or B, C]

        Args:
            graph: One graph, or a batch.
        """
        batch = graph if isinstance(graph, Batch) else Batch.from_data_list([graph])
        count = batch.num_graphs
        if count == 1 or self.together:
            return self._shaped(self.call(batch), batch.num_nodes if self.task is Task.NODE else count)
        outputs = []
        for number in range(count):
            nodes = batch.batch == number
            edges = nodes[batch.edge_index[0]]
            edge_index = batch.edge_index[:, edges] - batch.ptr[number]
            tensors = select(batch, self.rows, edge_index, nodes=nodes, edges=edges, graphs=[number])
            outputs.append(self.raw(Data(**tensors)))
        return torch.cat(outputs)

    def call(self, batch: Batch) -> Any:
        """What the model returns. It is given copies, because it may write into them; its errors become a sentence."""
        try:
            ready = self.ready(batch)
            if self.arguments is None:
                return self.model(ready.update(self.constants))
            tensors = {name: ready[name] for name in self.rows if name != "x"} | dict(self.constants)
            if "batch" in self.arguments:
                tensors["batch"] = ready.batch
            if self.arguments.get("batch_size"):
                tensors["batch_size"] = batch.num_graphs
            return self.model(ready.x, ready.edge_index, **tensors)
        except (UserError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            if not batch.x.is_floating_point() and not self._as_numbers:
                self._as_numbers = True
                return self.call(batch)
            arguments = "data" if self.arguments is None else "x, edge_index, …"
            raise UserError(
                f"{self.name} cannot be called as model({arguments}) on a graph of {counted(batch.num_nodes, 'node')}, "
                f"and it must predict for graphs of any size: {first_line(error)}"
            ) from error

    def _shaped(self, out: Any, rows: int) -> Tensor:
        """One row for each prediction. [rows, C]"""
        if isinstance(out, Tensor) and out.ndim <= 1 and rows in (1, out.numel()):
            out = out.reshape(rows, -1)
        if not isinstance(out, Tensor) or out.is_complex() or out.ndim != 2 or len(out) != rows or not out.numel():
            got = f"{list(out.shape)} ({out.dtype})" if isinstance(out, Tensor) else f"a {type(out).__name__}"
            raise UserError(
                f"{self.name} returns {got} for {counted(rows, self.task)}: it must return one tensor of real numbers, "
                f"one row for each {self.task} with a number for each class."
            )
        return out.to_dense() if out.dtype is torch.float64 else out.to_dense().float()
