"""About: what somebody says of a GNN and data of their own, where it cannot be seen from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
        if self.task is not None and self.task not in tuple(Task):
            raise UserError(f"The task must be node or graph (got “{self.task}”).")
        if self.hops is not None and self.hops < 0:
            raise UserError(f"hops must not be below 0 (got {self.hops}).")
        for name in ("classes", "atoms", "labels"):
            object.__setattr__(self, name, tuple(plain_name(value) for value in getattr(self, name)))
        object.__setattr__(self, "title", plain_name(self.title) or "Your graph")


def plain_name(value: object) -> str:
    """A name as one short line of printable text, whatever was given."""
    text = "".join(character if character.isprintable() else " " for character in str(value))
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
