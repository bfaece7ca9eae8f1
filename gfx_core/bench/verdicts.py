"""What records say, in sentences that follow the numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gfx_core.bench.cells import Record
from gfx_core.bench.protocol import CONTROLS, ENOUGH, TOLERANCE
from gfx_core.bench.tables import Value, entry_of, grouped
from gfx_core.datasets.registry import DATASETS
from gfx_core.explainers.registry import METHODS
from gfx_core.text.numbers import counted

CLOSE = TOLERANCE
"""Two AUCs or fidelities that differ by no more are called level."""

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
        reason: Why it is so, in a sentence; empty where nobody knows.
    """

    about: str
    short: str
    detail: str = ""
    reason: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (f"**{self.about}.**", self.short, self.reason, self.detail)))


def means(records: Sequence[Record], value: Value, variant: str = "") -> Means:
    """A number of one variant, the mean over the seeds."""
    found: Means = {name: {} for name in DATASETS}
    chosen = (record for record in records if record["variant"] == variant)
    for (dataset, method), seeds in grouped(chosen, "dataset", "method").items():
        if dataset in found and (mean := entry_of(seeds, value).mean) is not None:
            found[dataset][method] = mean
    return {dataset: by_method for dataset, by_method in found.items() if by_method}


def is_control(method: str) -> bool:
    """Whether a method cannot know the GNN's reasons: it never asks, has not learnt, or asked one without reasons."""
    return method in CONTROLS or (method in METHODS and not METHODS[method].uses_gnn)


def asked(by_method: Mapping[str, float], uses_gnn: bool = True) -> dict[str, float]:
    """Those of the methods that ask the GNN, or the controls."""
    return {method: value for method, value in by_method.items() if is_control(method) is not uses_gnn}


def best_of(by_method: Mapping[str, float], sign: int = 1) -> str | None:
    """The method with the highest number, or with sign -1 the lowest; None if there is none."""
    return max(by_method, key=lambda method: sign * by_method[method], default=None)


def level(one: float, other: float) -> bool:
    """Whether two AUCs or fidelities are called equal."""
    return abs(one - other) <= CLOSE + 1e-9  # .70 and .71 are, whatever their last binary digit


def ahead(one: float, other: float) -> bool:
    """Whether a number is above another by more than what is called equal."""
    return one > other and not level(one, other)


def out_of(number: int, every: int, noun: str = "data set") -> str:
    """``1 of 1 data set``, ``0 of 4 data sets``."""
    return f"{number} of {counted(every, noun)}"


def leaders(by_name: Mapping[str, float], sign: int = 1) -> set[str]:
    """Who has the highest number, or with sign -1 the lowest, and all that are level with it."""
    top = max((sign * number for number in by_name.values()), default=0.0)
    return {name for name, number in by_name.items() if level(sign * number, top)}


def tell_nothing(found: Means, sign: int = 1) -> dict[str, str]:
    """Data sets on which a control is level with the best explainer or above it, and the best control there."""
    silent = {}
    for dataset, by_method in found.items():
        explainers, controls = asked(by_method), asked(by_method, False)
        best, control = best_of(explainers, sign), best_of(controls, sign)
        if best and control and not ahead(sign * explainers[best], sign * controls[control]):
            silent[dataset] = control
    return silent


def failing(values: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Of what the motif is not the GNN's reason: P(class | motif alone) and the class's share of the data set.

    Args:
        values: Of a record that knows them; others fail nowhere.

    Returns:
        Both numbers by class or group, under an empty name where it is the mean over all instances.
    """
    if values.get("motif_alone") is None:
        return {}
    parts = {"": (values["motif_alone"], values["prior"])}
    for kind in ("class", "group"):
        priors = values.get(f"prior_by_{kind}", {})
        parts |= {n: (alone, priors[n]) for n, alone in values.get(f"motif_alone_by_{kind}", {}).items()}
    return {name: pair for name, pair in parts.items() if pair[0] < ENOUGH or pair[0] <= pair[1]}
