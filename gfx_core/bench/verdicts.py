"""What records say, in sentences that follow the numbers."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gfx_core.bench.cells import Record
from gfx_core.bench.tables import Value, value_of
from gfx_core.datasets.registry import DATASETS
from gfx_core.explainers.registry import METHODS

CLOSE = 0.01
"""Two AUCs or fidelities that differ by less are called equal."""

OWN, RG = "gflowexplainer", "rgexplainer"

Means = dict[str, dict[str, float]]
"""By data set and method, in the registry's order of data sets."""


@dataclass(frozen=True)
class Verdict:
    """One thing that the numbers say.

    Attributes:
        about: What it is about, in a word or two.
        short: The sentence.
        detail: The numbers behind it.
    """

    about: str
    short: str
    detail: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (f"**{self.about}.**", self.short, self.detail)))


def means(records: Sequence[Record], value: Value, variant: str = "") -> Means:
    """A number of one variant, the mean over the seeds."""
    found: dict[str, dict[str, list[float]]] = {}
    for record in records:
        number = value_of(record, value)
        if number is not None and record["variant"] == variant:
            found.setdefault(record["dataset"], {}).setdefault(record["method"], []).append(number)
    return {d: {m: statistics.fmean(v) for m, v in found[d].items()} for d in DATASETS if d in found}


def asked(by_method: Mapping[str, float], uses_gnn: bool = True) -> dict[str, float]:
    """Those of the methods that ask the GNN, or those that never do."""
    return {method: value for method, value in by_method.items() if METHODS[method].uses_gnn is uses_gnn}
