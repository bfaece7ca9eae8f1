"""Example files to upload with one click, or to look at."""

from dataclasses import dataclass

from gfx_core.config import ASSETS
from gfx_core.user_data.draft import DataFile


@dataclass(frozen=True)
class Example:
    """Example files.

    Attributes:
        title: For people.
        about: A sentence.
        names: The files in ``assets/uploads``.
    """

    title: str
    about: str
    names: tuple[str, ...]


EXAMPLES = {
    "novel": Example(
        "Les Misérables", "Who meets whom in the novel: a plain edge list, no classes.", ("les miserables.csv",)
    ),
    "karate": Example(
        "Karate club",
        "34 people who split into two clubs: an edge list and a table.",
        ("karate edges.csv", "karate members.csv"),
    ),
    "rings": Example(
        "Rings on a tree",
        "A tree with rings of five, which are marked: one GraphML file.",
        ("rings on a tree.graphml",),
    ),
    "shapes": Example(
        "Star or ring", "80 small graphs with a class each: a zip of TU text files.", ("star or ring.zip",)
    ),
}
"""By their names in links."""


def files_of(name: str) -> tuple[DataFile, ...]:
    """The files of an example."""
    return tuple(DataFile(file, (ASSETS / "uploads" / file).read_bytes()) for file in EXAMPLES[name].names)
