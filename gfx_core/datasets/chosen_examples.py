"""Examples: what opens first on each data set, and what is instructive because it is not so clear. Needs no torch.

`gfx_core.bench.examples` chooses them by a rule; it writes the file.
"""

import json
from dataclasses import dataclass
from functools import cache

import msgspec

from gfx_core.config import ASSETS

FILE = ASSETS / "content" / "examples.json"


_DOUBTS = {
    "wrong": "the GNN is wrong",
    "several": "{number} reasons",
    "spread": "samples differ",  # less than 80 % of them overlap the reason
    "part": "no part is enough alone",
    "spare": "the GNN keeps its class without {them}",
    "whole": "it is all that the GNN sees",
    "undecided": "whether it is needed is undecided",  # it depends on whether nodes without edges stay
}
"""Why an explanation is no clear case, by the names in the file."""


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
    doubts: tuple[str, ...]
    reasons: int

    @property
    def words(self) -> str:
        """What it is an example of."""
        number = ("one", "two", "three")[self.reasons - 1]
        them = "it" if self.reasons == 1 else "them"
        why = [_DOUBTS[doubt].format(number=number, them=them) for doubt in self.doubts]
        known = "" if self.true else "; its true class is not known here"
        return (f"not so clear: {', '.join(why)}" if why else "a clear case") + known


@cache
def _all() -> dict[str, list[ChosenExample]]:
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {dataset: msgspec.convert(chosen, list[ChosenExample]) for dataset, chosen in rows.items()}


def examples(dataset: str, source: str | None = None) -> tuple[ChosenExample, ...]:
    """Those of a data set, or of one of its sources; the one that opens first comes first. None of most data sets."""
    return tuple(example for example in _all().get(dataset, ()) if source in (None, example.source))
