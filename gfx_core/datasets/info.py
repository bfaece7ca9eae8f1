"""What is known of a data set in words, before and after it is loaded, and the motifs planted or looked for in it.

Those of the data sets that are registered from the start are in ``assets/content/datasets.toml``.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from gfx_core.config import Drawing, Task, read_content


@dataclass(frozen=True)
class Motif:
    """A small graph with a place for each node.

    Attributes:
        name: What people call it.
        edges: Undirected edges between nodes ``0 … n-1``; node 0 is the one a generator attaches to the base.
        positions: One ``(x, y)`` in the unit square for each node, y upwards.
        roles: The structural role of each node (1, 2, …), used as its class in the node tasks; empty in graph tasks.
        labels: Text on each node of the picture, if there is any.
    """

    name: str
    edges: tuple[tuple[int, int], ...]
    positions: tuple[tuple[float, float], ...]
    roles: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def num_nodes(self) -> int:
        return len(self.positions)


@dataclass(frozen=True)
class Vocabulary:
    """What people call the things of a data set.

    Attributes:
        instance: What is explained.
        node: A node of its graph.
        edge: An edge of it.
        motif: What is to be found in it.
    """

    instance: str
    node: str = "node"
    edge: str = "edge"
    motif: str = "motif"


@dataclass(frozen=True)
class DatasetInfo:
    """A data set in words. Instances carry it along, so pictures and texts of one need no registry.

    Attributes:
        name: Key in the registry, in links, file names and on the command line.
        task: Node or graph classification.
        title: What people call it; its name by default.
        description: One sentence.
        motifs: The motifs to find, drawable.
        classes: A name for each class; empty where they have none.
        citation: Where the recipe or the data come from.
        words: What its things are called; by the task where none are given.
        sides: How many parts are drawn side by side; its classes name them one after the other.
        reasons: The classes whose reason the motifs are; ``None`` if all classes.
        drawing: How its instances are drawn.
        marked: Whether it holds marked motifs whose shape is unknown.
        owner: The visit that it belongs to and goes with; empty where it is there for all.
        listed: Whether pages offer it. The others are for studies and the command line; a link can name them.
    """

    name: str
    task: Task
    title: str = ""
    description: str = ""
    motifs: tuple[Motif, ...] = ()
    classes: tuple[str, ...] = ()
    citation: str = ""
    words: Vocabulary | None = None
    sides: int = 1
    reasons: tuple[int, ...] | None = None
    drawing: Drawing = Drawing.NETWORK
    marked: bool = False
    owner: str = ""
    listed: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)

    @property
    def vocabulary(self) -> Vocabulary:
        """What its things are called."""
        return self.words or Vocabulary(str(self.task))

    def class_names(self, count: int) -> tuple[str, ...]:
        """A name for each of so many classes."""
        return self.classes or tuple(f"class {c}" for c in range(count))

    @property
    def knows_reasons(self) -> bool:
        """Whether it is known what an explanation should find; else nothing can be found, extra or missed."""
        return bool(self.motifs) or self.marked

    @property
    def labelled(self) -> bool:
        """Whether the nodes of its motifs carry labels, as atoms do."""
        return any(motif.labels for motif in self.motifs)

    @property
    def motif_names(self) -> str:
        """The motifs, for people."""
        return " or ".join(motif.name for motif in self.motifs) or "marked motif" * self.marked


_CONTENT = read_content("datasets")
MOTIFS = msgspec.convert(_CONTENT["motifs"], dict[str, Motif])
HOUSE, SIX_CYCLE, FIVE_CYCLE, GRID, NITRO, _, _, K23, TAILED_SQUARE = MOTIFS.values()


def _info(name: str, row: dict[str, Any]) -> DatasetInfo:
    motifs = [_CONTENT["motifs"][motif] for motif in row.get("motifs", ())]
    return msgspec.convert(row | {"name": name, "motifs": motifs}, DatasetInfo)


INFOS = {name: _info(name, row) for name, row in _CONTENT["datasets"].items()}
"""What is known of the data sets that are registered from the start, by name."""
