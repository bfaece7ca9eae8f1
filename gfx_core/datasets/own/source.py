"""The source of somebody's own data set: its nodes or graphs by their numbers, and nodes by their names."""

from dataclasses import dataclass
from typing import ClassVar

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.node_names import node_called
from gfx_core.datasets.own import store
from gfx_core.datasets.source import Numbered


@dataclass(frozen=True)
class _Loader:
    """Loads one data set; equal for equal names, as caches want it."""

    name: str

    def __call__(self, seed: int) -> GraphDataset:
        return store.load(self.name)


@dataclass(frozen=True)
class Own(Numbered):
    """The nodes or graphs of a data set that somebody brought. Nothing of it outlives its files."""

    title: ClassVar[str] = "Own data"

    @classmethod
    def of(cls, name: str) -> "Own":
        """The source of a data set by its name."""
        return cls(_Loader(name))

    def dataset(self, seed: int = 0) -> GraphDataset:
        return self.make(seed)

    def checked(self, name: str) -> str:
        """A number, or the name of a node as its file spells it; digits are always a number."""
        if name.strip().isdecimal() or not (known := self.dataset()).names:
            return super().checked(name)
        return str(node_called(known.names, name, known.info.title))
