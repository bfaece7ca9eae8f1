"""What the numbers mean that a model puts out: logits, probabilities, one logit, one probability, or an amount."""

from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from gfx_core.errors import UserError
from gfx_core.gnn.predict import Predictions

_TINY = 1e-12
_CLOSE = 1e-3  # that far may the sum of probabilities be from 1


class Output(StrEnum):
    """What a model puts out for each node or graph."""

    LOGITS = "logits"  # one for each class, or their log-probabilities
    PROBABILITIES = "probabilities"  # one for each class
    LOGIT = "logit"  # one number: above 0 is class 1
    PROBABILITY = "probability"  # one number: the probability of class 1
    NUMBER = "number"  # an amount: regression

    @property
    def is_single(self) -> bool:
        return self in (Output.LOGIT, Output.PROBABILITY, Output.NUMBER)


@dataclass(frozen=True)
class Meaning:
    """How to read what comes out of a model.

    An amount becomes two classes, "about as much" and "not": the first has probability exp(−½ d²), d being how many
    tolerances the amount is away from the one that is explained.

    Attributes:
        kind: What it is.
        tolerance: Of an amount: how far away counts as far.
    """

    kind: Output = Output.LOGITS
    tolerance: float = 1.0

    def predictions(self, raw: Tensor, explained: Tensor) -> Predictions:
        """Logits, and an embedding, of what was put out.

        Args:
            raw: [B, C]
            explained: What was put out for the whole of what is explained (of an amount, the one to stay near). [B, C]
        """
        if self.kind is Output.LOGITS:
            return Predictions(raw, raw)
        if self.kind is Output.PROBABILITIES:
            logits = raw.clamp(min=_TINY).log()
            return Predictions(logits, logits)
        if self.kind is Output.NUMBER:
            cost = (0.5 * ((raw - explained.to(raw.dtype)) / self.tolerance) ** 2).clamp(min=_TINY)  # [B, 1]
            return Predictions(torch.cat([-cost, (-torch.expm1(-cost)).clamp(min=_TINY).log()], dim=1), raw)
        logit = raw if self.kind is Output.LOGIT else torch.logit(raw, eps=1e-7)
        return Predictions(torch.cat([logsigmoid(-logit), logsigmoid(logit)], dim=1), logit)

    def classes(self, answer: Tensor, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the classes: those given, or for an amount the amount itself. answer [1, C]"""
        if self.kind is not Output.NUMBER:
            return names
        amount = f"{float(answer.flatten()[0]):.4g} ± {self.tolerance:.2g}"
        return (amount, "another amount")


def read_meaning(raw: Tensor, y: Tensor | None, output: str | None, tolerance: float | None) -> Meaning:
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
            kind = Output(output)
        except ValueError as error:
            raise UserError(f"There is no output “{output}”: choose one of {', '.join(Output)}.") from error
        if kind.is_single != single:
            numbers = "one number" if single else f"{raw.shape[1]} numbers"
            raise UserError(f"The model puts out {numbers} for each prediction, which cannot be output=“{kind}”.")
    else:
        kind = _looks_like(raw, y)
    if kind is Output.PROBABILITIES and not _are_probabilities(raw):
        raise UserError("The model puts out numbers that are no probabilities: they do not add up to 1.")
    if kind is Output.PROBABILITY and not bool(((raw >= 0) & (raw <= 1)).all()):
        raise UserError("The model puts out numbers that are no probabilities: some are below 0 or above 1.")
    return Meaning(kind, _tolerance(raw, y, tolerance) if kind is Output.NUMBER else 1.0)


def _looks_like(raw: Tensor, y: Tensor | None) -> Output:
    if raw.shape[1] > 1:
        return Output.PROBABILITIES if _are_probabilities(raw) else Output.LOGITS
    if y is None or not y.numel():
        raise UserError(
            "The model puts out one number for each prediction: say what it is, output=“logit” or “probability” (of "
            "class 1 against class 0) or “number” (an amount, regression)."
        )
    if not bool(((y == 0) | (y == 1)).all()):
        return Output.NUMBER
    return Output.PROBABILITY if len(raw) > 1 and bool(((raw >= 0) & (raw <= 1)).all()) else Output.LOGIT


def _are_probabilities(raw: Tensor) -> bool:
    return bool((raw >= 0).all()) and bool(((raw.sum(1) - 1).abs() < _CLOSE).all())


def _tolerance(raw: Tensor, y: Tensor | None, given: float | None) -> float:
    """How far away an amount counts as far: as given, or half of the spread of what is put out or was to be."""
    if given is not None:
        return float(given)
    for values in (raw, y):
        if values is not None and values.numel() > 1 and float(values.float().std()) > 0:
            return float(values.float().std()) / 2
    raise UserError("The model puts out an amount: say how far away counts as far, tolerance=….")
