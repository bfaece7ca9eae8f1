"""What records say, in sentences that follow the numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gfx_core.bench.cells import Record
from gfx_core.bench.tables import Value, entry_of, grouped
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
    found: Means = {name: {} for name in DATASETS}
    chosen = (record for record in records if record["variant"] == variant)
    for (dataset, method), seeds in grouped(chosen, "dataset", "method").items():
        if dataset in found and (mean := entry_of(seeds, value).mean) is not None:
            found[dataset][method] = mean
    return {dataset: by_method for dataset, by_method in found.items() if by_method}


def asked(by_method: Mapping[str, float], uses_gnn: bool = True) -> dict[str, float]:
    """Those of the methods that ask the GNN, or those that never do."""
    return {method: value for method, value in by_method.items() if METHODS[method].uses_gnn is uses_gnn}
