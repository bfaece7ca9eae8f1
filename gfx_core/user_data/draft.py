"""A draft, which is what the readers make of files; the roles of its columns; and the preview of the data set."""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gfx_core import limits
from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.sentences import visible
from gfx_core.errors import UserError

if TYPE_CHECKING:  # messages to workers import this module, and pandas takes long to load
    import pandas as pd

TYPES = ("csv", "tsv", "txt", "edges", "edgelist", "graphml", "gexf", "gml", "json", "xml", "zip")
"""Endings of file names that are offered; none is required."""
UNKNOWN = ("class not known",)
"""Stands for the classes where a file names none."""
_NOTHING = ("nan", "none", "null", "na", "n/a", "?")


@dataclass(frozen=True)
class DataFile:
    """An uploaded file.

    Attributes:
        name: As the visitor calls it.
        data: Its content.
    """

    name: str
    data: bytes

    @property
    def called(self) -> str:
        """Its name in sentences."""
        return f"“{shortened(self.name) or 'the file'}”"

    @property
    def text(self) -> str:
        """Its content; ``UserError`` if that is no text."""
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{self.called} is not text in UTF-8: save it in that encoding.") from error
        if "\x00" in text:
            raise UserError(f"{self.called} is a binary file, not text, so it cannot be read.")
        if not text.strip():
            raise UserError(f"{self.called} is empty: choose another file or paste some edges.")
        return text


@dataclass(frozen=True, eq=False)
class Draft:
    """One graph, or several, in text.

    Attributes:
        form: What kind of file it was, for people.
        names: What the file calls its nodes. [N]
        columns: The columns of the nodes, as text; empty cells where the file says nothing. [N, columns]
        edges: Pairs of nodes, as they stand in the file. [E, 2]
        edge_columns: What the file says of edges besides: the names of the columns, which are not used.
        graph: The graph of each node, from 0 on and in order; all 0 where there is one. [N]
        graph_labels: The class of each graph, where there are several; else empty. [G]
        dropped: A sentence for each thing that was left out, with the reason.
        understood: A sentence for each thing that is not plain from the counts.
    """

    form: str
    names: tuple[str, ...]
    columns: "pd.DataFrame"
    edges: Ints
    edge_columns: tuple[str, ...]
    graph: Ints
    graph_labels: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sizes = np.bincount(self.graph)
        for count, most, noun in (
            (len(self.graph), limits.MAX_ALL_NODES, "nodes"),
            (sizes.max(initial=0), limits.MAX_NODES, "nodes in one graph"),
            (len(sizes), limits.MAX_GRAPHS, "graphs"),
            (len(self.edges), limits.MAX_EDGES, "edges"),
            (self.columns.shape[1], limits.MAX_COLUMNS, "columns"),
            (self.columns.size, limits.MAX_CELLS, "cells (nodes times columns)"),
        ):
            limits.check_count(count, most, noun)
        object.__setattr__(self, "names", tuple(map(shortened, self.names)))
        object.__setattr__(self, "columns", self.columns.astype(object).map(_cell).rename(columns=shortened))


@dataclass(frozen=True)
class ColumnRoles:
    """What the columns of a draft mean.

    Attributes:
        label: The column of classes; empty for none. A set of graphs names the class of each and has no such column.
        motif: The column that marks what an explanation should find; empty for none.
        name: The column of names that are written on nodes; empty for what the file calls them.
        features: The columns that the GNN reads; none: it sees the links alone.
        scaled: Whether numbers are put on one scale, with mean 0 and deviation 1.
        structure: Without a column, which classes of the graph's own structure are learned (`Structure`); empty for
            none.
        categories: The features whose numbers are names: each value becomes a feature of its own, as words do.
    """

    label: str = ""
    motif: str = ""
    name: str = ""
    features: tuple[str, ...] = ()
    scaled: bool = True
    structure: str = ""
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preview:
    """What was understood of some files.

    Attributes:
        form: What kind of file it is.
        columns: Those of the nodes, and how many different values each has.
        meaning: What the columns are taken for.
        problem: Why no data set can be made with that meaning; empty if one was.
        name: Of the data set that was made; it is in the visit's folder, and not yet counted among its data sets.
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
    meaning: ColumnRoles
    problem: str = ""
    name: str = ""
    task: Task = Task.NODE
    counts: dict[str, int] = field(default_factory=dict)
    labelled: int = 0
    telling: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()


def column_called(columns: Iterable[Hashable], words: Sequence[str]) -> str:
    """The column that is called the first of these words that is one; empty if there is none."""
    titles = {re.sub("[ -]", "_", str(title).lower()): str(title) for title in columns}
    return next((titles[word] for word in words if word in titles), "")


def shortened(text: str) -> str:
    """A name of at most so many letters, in one line and without what is not to be seen."""
    line = " ".join(visible(text[: 4 * limits.MAX_TEXT]).split())
    return line if len(line) <= limits.MAX_TEXT else f"{line[: limits.MAX_TEXT - 1]}…"


def _cell(text: str) -> str:
    """A cell in one line, without control characters and marks that turn its direction; one of `_NOTHING` is empty."""
    line = text if text.isprintable() else visible(text)  # nearly all are, and there may be millions
    return "" if line.lower() in _NOTHING else line
