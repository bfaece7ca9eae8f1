"""DatasetInfo: what is known of a data set in words, before and after it is loaded."""

from dataclasses import dataclass

from gfx_core.config import Drawing, Task
from gfx_core.datasets.motifs import Motif


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


_WORDS = {Task.NODE: Vocabulary("node"), Task.GRAPH: Vocabulary("graph")}


@dataclass(frozen=True)
class DatasetInfo:
    """A data set in words. Instances carry it along, so whatever is drawn or said of one needs no registry.

    Attributes:
        name: Key in the registry, in links, file names and on the command line.
        task: Node or graph classification.
        title: What people call it; its name by default.
        description: One sentence.
        motifs: The motifs to find, drawable.
        classes: A name for each class; empty where they have none.
        citation: Where the recipe or the data come from.
        words: What its things are called; by the task where it does not say.
        sides: How many parts are drawn side by side; its classes name them one after the other.
        reasons: The classes whose reason the motifs are; ``None`` if all classes.
        drawing: How its instances are drawn.
        marked: Whether it holds motifs that somebody marked, though nobody said what they look like.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)

    @property
    def vocabulary(self) -> Vocabulary:
        """What its things are called."""
        return self.words or _WORDS[self.task]

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
        return any(motif.labels[0] for motif in self.motifs)

    @property
    def motif_names(self) -> str:
        """The motifs, as people say them."""
        return " or ".join(motif.name for motif in self.motifs) or "marked motif" * self.marked
