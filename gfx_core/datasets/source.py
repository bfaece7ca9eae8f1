"""Source: where the instances of a data set come from, and how one of them is named.

There are three ways to name an instance: by number, from a list, or in words of one's own. Pages have a picker for each
way, the command line an option, a link a parameter; so a new source needs no change anywhere else.

Of the instances some are examples: what opens first on each data set, and what is instructive because it is not so
clear. `gfx_core.bench.examples` chooses them by a rule; it writes their file.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import msgspec

from gfx_core.config import ASSETS
from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError

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


# Sources


class Source(ABC):
    """One way to come by instances of a data set.

    Attributes:
        parameter: What the name of an instance is called in links and, with two dashes, on the command line.
        title: What people call this way.
        most_learnt: An explainer that learns while a visitor waits learns from at most so many of its instances.
    """

    parameter: ClassVar[str]
    title: ClassVar[str]
    most_learnt: ClassVar[int | None] = None

    @property
    def ready(self) -> bool:
        """Whether its instances can be had at once, without a download."""
        return True

    @property
    @abstractmethod
    def first(self) -> str:
        """The name of the instance that is shown first."""

    @abstractmethod
    def checked(self, name: str) -> str:
        """The name as this source writes it; ``UserError`` if there can be no such instance. Loads nothing."""

    @abstractmethod
    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        """The instance of that name, with what a GNN of so many layers sees of it."""

    def called(self, name: str) -> str:
        """A short name for titles and files."""
        return name


@dataclass(frozen=True)
class Numbered(Source):
    """The nodes or graphs of a data set, by their numbers.

    Attributes:
        make: Makes or reads the data set.
        on_disk: Whether its file is there, where it has one that is not shipped.
        size: How much is downloaded when it is first needed, for people; empty where that cannot be.
        content: What is downloaded, for people.
    """

    parameter = "index"
    title = "Data set"
    make: Callable[[], GraphDataset]
    on_disk: Callable[[], bool] | None = None
    size: str = ""
    content: str = ""

    @property
    def ready(self) -> bool:
        return self.on_disk is None or self.on_disk()

    def dataset(self) -> GraphDataset:
        """The whole data set. Loaded ones are kept; they are immutable."""
        return _kept(self.make)

    @property
    def first(self) -> str:
        chosen = examples(self.dataset().name, self.parameter)
        return chosen[0].name if chosen else str(self.dataset().example)

    def checked(self, name: str) -> str:
        text = name.strip()
        if not (text.isdecimal() and len(text) < 10):
            raise UserError(f"“{name[:60]}” is not a number of a node or graph: type one from 0 upwards.")
        return str(int(text))

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        return self.dataset().instance(int(self.checked(name)), hops=hops)


@lru_cache(maxsize=16)
def _kept(make: Callable[[], GraphDataset]) -> GraphDataset:
    return make()


class Listed(Source):
    """Some well-known instances, by their names.

    Attributes:
        noun: What one of them is called.
        names: Of all of them.
        width: Of the list they are picked from, in pixels.
    """

    noun: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    width: ClassVar[int] = 260

    def checked(self, name: str) -> str:
        wanted = name.strip().lower()
        found = next((known for known in self.names if wanted in (known.lower(), self.called(known))), None)
        if found is None:
            raise UserError(f"“{name[:60]}” is not among the {self.noun}s.")
        return found

    def called(self, name: str) -> str:
        return name.lower()


class Typed(Source):
    """Whatever a visitor types.

    Attributes:
        noun: What is typed.
        placeholder: An example, for an empty field.
        help: What can be typed.
        width: Of the field, in pixels.
    """

    noun: ClassVar[str]
    placeholder: ClassVar[str]
    help: ClassVar[str]
    width: ClassVar[int] = 300

    def note(self, name: str) -> str:
        """How it is read here, a sentence; empty where there is nothing to add."""
        return ""

    def checked(self, name: str) -> str:
        return name.strip()
