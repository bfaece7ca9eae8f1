"""Draft: what a reader found in a file, as text; what its columns mean; and a preview of the data set made of both."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gfx_core import limits
from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.sentences import visible
from gfx_core.errors import UserError
from gfx_core.user_data.structure import Structure


@dataclass(frozen=True, eq=False)
class Draft:
    """One graph, or several.

    Attributes:
        form: What kind of file it was, for people.
        names: What the file calls its nodes. [N]
        columns: What it says of them, as text; empty where it says nothing. By column, [N] each
        edges: Pairs of nodes, as they stand in the file. [E, 2]
        edge_columns: What it says of the edges. By column, [E] each
        graph: The graph of each node, from 0 on and in order, where there are several. [N]
        graph_labels: What the file says of each graph, where it says that. [G]
        dropped: A sentence for each thing that was left out, with the reason.
        understood: A sentence for each thing that is not plain from the counts.
        categories: The columns whose numbers are names, as the format says: 0, 1 and 2 may be three kinds of atoms.
    """

    form: str
    names: tuple[str, ...]
    columns: Mapping[str, list[str]]
    edges: Ints
    edge_columns: Mapping[str, list[str]] = field(default_factory=dict)
    graph: Ints | None = None
    graph_labels: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(map(printable, self.names)))
        for field_name in ("columns", "edge_columns"):
            table = {name: list(map(printable, cells)) for name, cells in getattr(self, field_name).items()}
            object.__setattr__(self, field_name, table)
        if self.graph_labels is not None:
            object.__setattr__(self, "graph_labels", tuple(map(printable, self.graph_labels)))
        limits.check_count(len(self.names), limits.MAX_ALL_NODES, "nodes")
        limits.check_count(len(self.edges), limits.MAX_EDGES, "edges")
        limits.check_count(len(self.columns), limits.MAX_COLUMNS, "columns")
        limits.check_count(len(self.names) * len(self.columns), limits.MAX_CELLS, "cells (nodes times columns)")
        if self.graph is None:
            limits.check_count(len(self.names), limits.MAX_NODES, "nodes in one graph")
        if not len(self.names):
            raise UserError(f"This {self.form} contains no nodes: is it the right file?")


@dataclass(frozen=True)
class ColumnRoles:
    """What the columns of a draft mean.

    Attributes:
        label: The column of classes; empty for none. In a set of graphs that names the class of each, it is not asked.
        structure: Without one, which classes of a graph's own structure are learned (`Structure`); empty for none.
        motif: The column that marks what an explanation should find; empty for none.
        name: The column of names that are written on nodes; empty for what the file calls them.
        features: The columns that the GNN reads; none: it sees the links alone.
        edge_motif: The column of the edges that marks them likewise; empty for none.
        scaled: Whether numbers are put on one scale, with mean 0 and deviation 1.
        categories: The features whose numbers are names: each value becomes a feature of its own, as words do.
    """

    label: str = ""
    motif: str = ""
    name: str = ""
    features: tuple[str, ...] = ()
    edge_motif: str = ""
    scaled: bool = True
    structure: str = ""
    categories: tuple[str, ...] = ()

    def check(self, draft: Draft) -> None:
        """Refuse columns that the draft has not."""
        for name in filter(None, (self.label, self.motif, self.name, *self.features, *self.categories)):
            if name not in draft.columns:
                raise UserError(f"There is no column “{name}” in this {draft.form}.")
        if self.edge_motif and self.edge_motif not in draft.edge_columns:
            raise UserError(f"The edges have no column “{self.edge_motif}” in this {draft.form}.")
        if self.structure and (self.structure not in list(Structure) or self.label or draft.graph is not None):
            raise UserError("Only one graph without a column of classes can have communities or roles as classes.")


@dataclass(frozen=True)
class Preview:
    """What was understood.

    Attributes:
        form: What kind of file it is.
        columns: Those of the nodes, and how many different values each has.
        edge_columns: Those of the edges.
        meaning: What the columns are taken for.
        problem: Why no data set can be made with that meaning; empty if one was.
        name: Of the data set that was made; it is in the visit's room, and not yet counted among its data sets.
        task: Of the data set.
        counts: Of nodes, edges and so on, by what they are.
        labelled: How many nodes or graphs have a class.
        telling: The features whose values each occur in one class only: a GNN that reads one need not see the graph.
        understood: A sentence for each thing that was.
        dropped: A sentence for each thing that was not used, with the reason.
        numeric: The columns of the nodes that contain only numbers.
    """

    form: str
    columns: dict[str, int]
    edge_columns: tuple[str, ...]
    meaning: ColumnRoles
    problem: str = ""
    name: str = ""
    task: Task = Task.NODE
    counts: dict[str, int] | None = None
    labelled: int = 0
    telling: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()


def as_text(value: object) -> str:
    """A value of a file as text: numbers as they are written, no value as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value).strip()


def printable(text: str) -> str:
    """A text as it is seen: in one line, without control characters and marks that turn its direction."""
    if text.isprintable():  # nearly all of them, and there may be millions
        return text
    return visible(text)


def shortened(text: str) -> str:
    """A name of at most so many letters, in one line and without what is not to be seen."""
    line = " ".join(visible(text[: 4 * limits.MAX_TEXT]).split())
    return line if len(line) <= limits.MAX_TEXT else f"{line[: limits.MAX_TEXT - 1]}…"


def table_of(rows: Iterable[Mapping[str, object]], clock: limits.Clock) -> tuple[dict[str, list[str]], list[str]]:
    """What some things say of themselves as columns of text; lists of numbers become a column for each place.

    Returns:
        The columns, and a sentence for each key that could not become one.
    """
    table: list[dict[str, str]] = []
    titles: dict[str, None] = {}
    odd: dict[str, None] = {}
    for row in rows:
        if not len(table) % 1000:
            clock.check()
            limits.check_count(len(table) * max(1, len(titles)), limits.MAX_CELLS, "cells (nodes times columns)")
        cells: dict[str, str] = {}
        for key, value in row.items():
            name = shortened(str(key)) or "without a name"
            if isinstance(value, list | tuple) and all(isinstance(part, int | float) for part in value):
                limits.check_count(len(value), limits.MAX_FEATURES, "features")
                cells |= {f"{name} {place}": as_text(part) for place, part in enumerate(value)}
            elif isinstance(value, list | tuple | dict):
                odd[name] = None
            else:
                cells[name] = as_text(value)
        table.append(cells)
        titles |= dict.fromkeys(cells)
        limits.check_count(len(titles), limits.MAX_COLUMNS, "columns")
    columns = {title: [cells.get(title, "") for cells in table] for title in titles}
    return columns, [f"“{name}” contains more than a word or a number, so it was left out." for name in odd]


def numbered(names: Iterable[str]) -> dict[str, int]:
    """A number for each name, in the order in which they come first."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def pairs(edges: Iterable[tuple[int, int]]) -> Ints:
    """Pairs of nodes as an array. [E, 2]"""
    return np.array(list(edges), dtype=np.int64).reshape(-1, 2)
