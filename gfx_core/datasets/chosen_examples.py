"""Examples: what opens first on each data set, and what is instructive because it is not so clear. Needs no torch.

`gfx_core.bench.examples` chooses them by a rule; it writes the file.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import msgspec

from gfx_core.config import ASSETS

FILE = ASSETS / "content" / "examples.json"


class Doubt(StrEnum):
    """Why an explanation is no clear case.

    WRONG: the GNN predicts another class than the true one. SEVERAL: there are two or three reasons. SPREAD: less than
    80 % of the samples overlap the reason. PART: no reason alone is enough. SPARE: the prediction does not fall without
    the reasons. WHOLE: the reason is all that the GNN sees. UNDECIDED: it depends on whether nodes without edges stay.
    """

    WRONG = "wrong"
    SEVERAL = "several"
    SPREAD = "spread"
    PART = "part"
    SPARE = "spare"
    WHOLE = "whole"
    UNDECIDED = "undecided"


_WORDS = {
    Doubt.WRONG: "the GNN is wrong",
    Doubt.SEVERAL: "{} reasons",
    Doubt.SPREAD: "samples differ",
    Doubt.PART: "no part is enough alone",
    Doubt.SPARE: "the GNN keeps its class without {}",
    Doubt.WHOLE: "it is all that the GNN sees",
    Doubt.UNDECIDED: "whether it is needed is undecided",
}


@dataclass(frozen=True, kw_only=True)
class ChosenExample:
    """An instance and what its explanation is like.

    Attributes:
        source: How it is named, see `gfx_core.datasets.source`.
        name: Its name.
        prediction: The class that is explained.
        true: The true class; empty where it is not known, as of a molecule that is in no data set.
        doubts: Why it is no clear case; none for one that is.
        reasons: How many the answer lists.
    """

    source: str
    name: str
    prediction: str
    true: str
    doubts: tuple[Doubt, ...]
    reasons: int

    @property
    def words(self) -> str:
        """What it is an example of."""
        several = {2: "two", 3: "three"}.get(self.reasons)
        names = {Doubt.SEVERAL: several, Doubt.SPARE: "them" if several else "it"}
        why = [_WORDS[doubt].format(names.get(doubt, "")) for doubt in self.doubts]
        known = "" if self.true else "; its true class is not known here"
        return (f"not so clear: {', '.join(why)}" if why else "a clear case") + known


@cache
def _all() -> dict[str, list[ChosenExample]]:
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {dataset: msgspec.convert(chosen, list[ChosenExample]) for dataset, chosen in rows.items()}


def examples(dataset: str, source: str | None = None) -> tuple[ChosenExample, ...]:
    """Those of a data set, or of one of its sources; the one that opens first comes first. None of most data sets."""
    return tuple(example for example in _all().get(dataset, ()) if source in (None, example.source))
