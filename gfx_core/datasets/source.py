"""Source: where the instances of a data set come from, and how one of them is named.

There are three ways to name an instance: by number, from a list, or in words of one's own. Pages have a picker for each
way, the command line an option, a link a parameter; so a new source needs no change anywhere else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError


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
        found = next((known for known in self.names if known.lower() == name.strip().lower()), None)
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
