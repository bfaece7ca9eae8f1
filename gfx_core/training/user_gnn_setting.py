"""Which GNN is trained for a visitor's own data set, and what came of it. Needs no torch."""

from dataclasses import dataclass, field
from typing import Any

from gfx_core import json_files
from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import DEFAULT_KIND, kind_info

MOST_LAYERS = 4
LEAST_SECONDS, MOST_SECONDS = 2.0, 120.0
USUAL_SECONDS = 8.0
LEAST_UNSEEN = 30
"""On fewer, a calibration error is mostly chance."""


@dataclass(frozen=True)
class GnnSetting:
    """A GNN that is to be trained.

    Attributes:
        dataset: The visitor's data set, by its name.
        kind: Which convolution.
        hidden: Width of each.
        num_layers: How many.
        fragments: Whether it learns from fragments too: an explanation evaluates nothing else.
        seconds: It ends after so long, with the best weights so far.
    """

    dataset: str
    kind: str = DEFAULT_KIND
    hidden: int = 32
    num_layers: int = 3
    fragments: bool = True
    seconds: float = USUAL_SECONDS

    def __post_init__(self) -> None:
        info = dataset_info(self.dataset)
        object.__setattr__(self, "dataset", info.name)
        kind_info(self.kind)
        if not info.owner:
            raise UserError("You can train a GNN here only for your own data set; the shipped ones have theirs.")


@dataclass(frozen=True)
class GnnReport:
    """What a GNN of a visitor's own data set is worth.

    Attributes:
        dataset: Whose it is.
        kind: Which convolution.
        accuracy: Share of right answers by part; where it was uploaded, on all that has a class, as ``test``. Empty,
            like all that follows, where nothing has a class.
        unseen: How many nodes or graphs calibration was measured on.
        calibration_error: How far, on average, being sure is from being right.
        fragment_error: How far it is on fragments.
        bins: Of the first: how many, how sure, how often right.
        commonest: Accuracy of always naming the most common class; a GNN should be better.
        absent: The classes that none of those has which ``test`` was measured on: it does not cover these.
        tested: How many nodes or graphs ``test`` was measured on.
    """

    dataset: str
    kind: str
    accuracy: dict[str, float] = field(default_factory=dict)
    unseen: int = 0
    calibration_error: float = 0.0
    fragment_error: float = 0.0
    bins: tuple[tuple[int, float, float], ...] = ()
    commonest: float = 1.0
    absent: tuple[str, ...] = ()
    tested: int = 0

    @property
    def right(self) -> str:
        """How many of those that ``test`` was measured on it has right: 2 of 4; empty where that is not known."""
        return f"{round(self.accuracy['test'] * self.tested):,} of {self.tested:,}" if self.tested else ""

    @classmethod
    def from_dict(cls, values: Any) -> "GnnReport":
        """Rebuild what a header holds; ``ValueError`` where that is no report."""
        report = json_files.convert(values, cls)
        kind_info(report.kind)
        return report
