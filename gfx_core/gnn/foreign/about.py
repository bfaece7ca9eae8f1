"""About: what somebody says of a GNN and data of their own, where it cannot be seen from them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from gfx_core.config import Task
from gfx_core.errors import UserError

_LONGEST_NAME = 60


@dataclass(frozen=True)
class About:
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
            raise UserError(f"The task must be node or graph (got “{plain_name(self.task)}”).")
        self._check_numbers()
        if not isinstance(self.args, Mapping) or not all(isinstance(name, str) for name in self.args):
            raise UserError("args must be a dictionary of arguments by name, args={“edge_weight”: …}.")
        for name in ("classes", "atoms", "labels"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        title = "" if self.title is None else plain_name(self.title)
        object.__setattr__(self, "title", title or "Your graph")

    def _check_numbers(self) -> None:
        hops, tolerance = self.hops, self.tolerance
        if hops is not None:
            if not isinstance(hops, Integral) or isinstance(hops, bool):
                raise UserError(f"hops must be a whole number (got {plain_name(repr(hops))}).")
            if hops < 0:
                raise UserError(f"hops must not be below 0 (got {hops}).")
        if tolerance is not None and not (isinstance(tolerance, Real) and 0 < tolerance < math.inf):
            raise UserError(
                f"The tolerance of an amount must be above 0 and finite (got {plain_name(repr(tolerance))})."
            )


def _names(what: str, given: Any) -> tuple[str, ...]:
    """Names as lines of printable text; a single text is no list of them."""
    try:
        if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
            raise TypeError
        return tuple(plain_name(value) for value in given)
    except TypeError as error:
        raise UserError(f"{what} must be a list of names, {what}=[“…”, “…”] (got a {type(given).__name__}).") from error


def plain_name(value: object) -> str:
    """A name as one short line of printable text, whatever was given."""
    text = "".join(character if character.isprintable() else " " for character in str(value))
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
