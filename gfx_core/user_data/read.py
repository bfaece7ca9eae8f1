"""Read whatever somebody brings: which reader it is for is told by its content, not by its name alone."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core import limits
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted
from gfx_core.user_data.draft import Draft, numbered, pairs, shortened
from gfx_core.user_data.formats import read_gml, read_json, read_xml, read_zip

TYPES = ("csv", "tsv", "txt", "edges", "edgelist", "graphml", "gexf", "gml", "json", "xml", "zip")
"""Endings of file names that are offered; none is required."""


@dataclass(frozen=True)
class DataFile:
    """A file that somebody brought.

    Attributes:
        name: What they call it.
        data: Its content.
    """

    name: str
    data: bytes

    @property
    def called(self) -> str:
        """Its name in sentences."""
        return f"“{shortened(self.name) or 'the file'}”"


def read(files: Sequence[DataFile], clock: limits.Clock | None = None) -> Draft:
    """Read some files that belong together.

    Raises:
        UserError: One sentence on what is wrong, and with which file.
    """
    clock = clock or limits.Clock()
    if not files:
        raise UserError("There is nothing to read: choose a file or paste some edges.")
    if len(files) > limits.MAX_FILES:
        raise UserError(f"At most {limits.MAX_FILES} files are read in one go.")
    for file in files:
        limits.check_bytes(len(file.data), file.called)
    try:
        return _read(files, clock)
    except (RecursionError, MemoryError) as error:
        raise UserError(f"{files[0].called} is too deep or too large to be read.") from error


def _read(files: Sequence[DataFile], clock: limits.Clock) -> Draft:
    if any(file.data[:4] == b"PK\x03\x04" or file.name.lower().endswith(".zip") for file in files):
        if len(files) > 1:
            raise UserError("An archive is read alone: upload it without other files.")
        return read_zip(files[0].called, files[0].data, clock)
    texts = [(file.called, _text(file)) for file in files]
    kinds = [_kind(text) for _, text in texts]
    if len(files) > 1 and kinds != ["table"] * len(files):
        odd = next(name for (name, _), kind in zip(texts, kinds, strict=True) if kind != "table")
        raise UserError(f"Only tables can be read together, and {odd} is not a table: upload it alone.")
    if kinds[0] == "table":
        return read_tables(texts, clock)
    reader = {"xml": read_xml, "gml": read_gml, "json": read_json}[kinds[0]]
    return reader(*texts[0], clock)


def _text(file: DataFile) -> str:
    if not file.data.strip():
        raise UserError(f"{file.called} is empty.")
    if file.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UserError(f"{file.called} is text in UTF-16: save it as UTF-8.")
    if b"\x00" in file.data:
        raise UserError(f"{file.called} is a binary file, not text, so it cannot be read.")
    try:
        return file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{file.called} is not text in UTF-8: save it in that encoding.") from error


def _kind(text: str) -> str:
    """What a text is, by how it begins."""
    begin = text.lstrip()[:4096]
    if begin[:1] == "<":
        return "xml"
    if begin[:1] in "{[":
        return "json"
    plain = "\n".join(line for line in begin.splitlines() if not line.lstrip().startswith("#")).lower()
    if "graph" in plain and "[" in plain and plain.lstrip().startswith(("graph", "creator", "version", "comment")):
        return "gml"
    return "table"


# Edge lists and tables: lines of two names, CSV and TSV, alone or with a table of nodes beside it


_SOURCE = ("source", "src", "from", "u", "node1", "node_1", "start", "id1", "id_1")
_TARGET = ("target", "dst", "to", "v", "node2", "node_2", "end", "id2", "id_2")
_ID = ("id", "node", "node_id", "nodeid", "name", "index", "key")
_GRAPH = ("graph", "graph_id", "graphid")
_COMMENTS = ("#", "%", "//")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class EdgeTable:
    """Lines of cells.

    Attributes:
        name: Of its file.
        head: Names of the columns; empty where the first line is like all others.
        rows: The lines, all of the same length.
        dropped: What was left out.
    """

    name: str
    head: tuple[str, ...]
    rows: list[list[str]]
    dropped: tuple[str, ...] = ()

    def column(self, names: Sequence[str]) -> int | None:
        """The place of the first column that is called one of these."""
        plain = [title.lower().replace(" ", "_") for title in self.head]
        return next((plain.index(name) for name in names if name in plain), None)

    @property
    def lists_edges(self) -> bool:
        """Whether its columns say that it does."""
        return self.column(_SOURCE) is not None and self.column(_TARGET) is not None

    @property
    def lists_nodes(self) -> bool:
        """Whether its columns say that it does."""
        return self.column(_ID) is not None and not self.lists_edges


def read_tables(texts: Sequence[tuple[str, str]], clock: limits.Clock) -> Draft:
    """One edge list, or one and a table of nodes, by their names and texts."""
    tables = [read_table(name, text, clock) for name, text in texts]
    if len(tables) == 1:
        return _draft(tables[0], None, clock)
    if len(tables) > 2:
        raise UserError("An edge list goes with at most one table of nodes: upload two files, not more.")
    edges = [table for table in tables if table.lists_edges]
    if not edges:
        edges = [table for table in tables if "edge" in table.name.lower() or "link" in table.name.lower()]
    if not edges:
        edges = [table for table in tables if not table.lists_nodes]
    if len(edges) != 1:
        raise UserError("Which of the two tables lists the edges? Call its columns “source” and “target”.")
    nodes = next(table for table in tables if table is not edges[0])
    return _draft(edges[0], nodes, clock)


def read_table(name: str, text: str, clock: limits.Clock) -> EdgeTable:
    """The cells of a text; what stands between them is found out from its first lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if not line.lstrip().startswith(_COMMENTS)]
    if not kept:
        raise UserError(f"{name} is empty: an edge list has a line for each edge, such as “1 2”.")
    limits.check_count(len(kept), limits.MAX_EDGES + 1, "lines")
    between = _between(kept[:20])
    rows: list[list[str]] = []
    try:
        if between == " ":
            rows = [line.split() for line in kept]
        else:
            for row in csv.reader(io.StringIO("\n".join(kept)), delimiter=between, skipinitialspace=True, strict=True):
                rows.append([cell.strip() for cell in row])
                if not len(rows) % 1000:
                    clock.check()
    except csv.Error as error:
        raise UserError(f"{name} is not a complete table: a quotation mark is open, or a cell is too long.") from error
    head = _head(rows)
    usual = Counter(map(len, rows))
    width = len(head) or max(usual, key=lambda cells: (usual[cells], cells))
    limits.check_count(width, limits.MAX_COLUMNS, "columns")
    whole = [row for row in rows[bool(head) :] if len(row) == width]
    odd = len(rows) - bool(head) - len(whole)
    dropped = []
    if odd:
        dropped.append(f"{counted(odd, 'line')} of {name} without the {width} cells that the others have.")
    if len(kept) < len(lines):
        dropped.append(f"{counted(len(lines) - len(kept), 'comment line')} of {name}.")
    if not whole:
        raise UserError(f"{name} has a head but no lines below it.")
    return EdgeTable(name, head, whole, tuple(dropped))


def _between(lines: Sequence[str]) -> str:
    """What stands between the cells: a tab, a semicolon, a comma, or blanks."""
    for sign in "\t;,":
        if all(sign in line for line in lines):
            return sign
    for sign in "\t;,":  # a line may be broken
        if sum(sign in line for line in lines) > len(lines) / 2:
            return sign
    return " "


def _head(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The names of the columns, if the first line holds some: words that are known, or words above numbers."""
    first = [cell.lower().replace(" ", "_") for cell in rows[0]]
    known = {*_SOURCE, *_TARGET, *_ID, *_GRAPH} - {"u", "v"}
    letters = first[:2] == ["u", "v"]  # alone they may well be names of nodes
    above = len(rows) > 1 and any(
        _NUMBER.fullmatch(below) and not _NUMBER.fullmatch(cell)
        for cell, below in zip(rows[0], rows[1], strict=False)
        if cell
    )
    if not (known & set(first) or letters or above):
        return ()
    names: list[str] = []
    for place, cell in enumerate(rows[0]):
        name = shortened(cell) or f"column {place + 1}"
        names.append(name if name not in names else f"{name} ({place + 1})")
    return tuple(names)


def _draft(edges: EdgeTable, nodes: EdgeTable | None, clock: limits.Clock) -> Draft:
    width = len(edges.rows[0])
    if width < 2:
        raise UserError(f"{edges.name} has one cell in each line; an edge needs two, such as “1 2” or “1,2”.")
    source, target = edges.column(_SOURCE), edges.column(_TARGET)
    if source is None or target is None or source == target:
        source, target = 0, 1
    dropped = list(edges.dropped)
    ends = [(row[source], row[target]) for row in edges.rows]
    whole = [number for number, (one, other) in enumerate(ends) if one and other]
    if len(whole) < len(ends):
        dropped.append(f"{counted(len(ends) - len(whole), 'line')} with one node only.")
    clock.check()
    names = numbered(name for number in whole for name in ends[number])
    columns: dict[str, list[str]] = {}
    if nodes is not None:
        names, columns, lost = _nodes(nodes, names, clock)
        dropped += lost
    limits.check_count(len(names), limits.MAX_ALL_NODES, "nodes")
    known = (key for key in columns if key.lower().replace(" ", "_") in _GRAPH)
    if (key := next(known, None)) is not None and len(set(columns[key])) > 1:
        return _several(key, names, columns, [ends[number] for number in whole], dropped)
    titles = edges.head or tuple(f"column {place + 1}" for place in range(width))
    others = {
        titles[place]: [edges.rows[number][place] for number in whole]
        for place in range(width)
        if place not in (source, target)
    }
    return Draft(
        form="edge list" if nodes is None else "edge list with a table of nodes",
        names=tuple(map(shortened, names)),
        columns=columns,
        edges=pairs((names[ends[number][0]], names[ends[number][1]]) for number in whole),
        edge_columns=others,
        dropped=tuple(dropped),
    )


def _several(
    key: str, names: dict[str, int], columns: dict[str, list[str]], ends: Sequence[tuple[str, str]], dropped: list[str]
) -> Draft:
    """Several graphs in one table of nodes, told apart by a column; an edge between two of them is none."""
    graphs = numbered(columns[key])
    limits.check_count(len(graphs), limits.MAX_GRAPHS, "graphs")
    graph = np.array([graphs[value] for value in columns[key]], dtype=np.int64)
    order = np.argsort(graph, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    edges = place[pairs((names[one], names[other]) for one, other in ends)]
    inside = graph[order][edges[:, 0]] == graph[order][edges[:, 1]]
    if not inside.all():
        dropped = [*dropped, f"{counted(int((~inside).sum()), 'edge')} between nodes of different graphs."]
    known = list(names)
    return Draft(
        form="edge list with a table of nodes",
        names=tuple(shortened(known[number]) for number in order),
        columns={name: [column[number] for number in order] for name, column in columns.items() if name != key},
        edges=edges[inside],
        graph=graph[order],
        dropped=tuple(dropped),
        understood=(f"The column “{key}” says which of the {len(graphs):,} graphs a node is in.",),
    )


def _nodes(
    table: EdgeTable, named: dict[str, int], clock: limits.Clock
) -> tuple[dict[str, int], dict[str, list[str]], list[str]]:
    """A table of nodes: those that it lists, in its order, then those that only edges name."""
    at = table.column(_ID) or 0
    dropped = list(table.dropped)
    first: dict[str, int] = {}
    for number, row in enumerate(table.rows):
        if row[at]:
            first.setdefault(row[at], number)
    if len(first) < len(table.rows):
        lines = counted(len(table.rows) - len(first), "line")
        dropped.append(f"{lines} of {table.name} without a name, or with one twice.")
    lost = [name for name in named if name not in first]
    if len(lost) == len(named):
        raise UserError(
            f"No node of the edge list is in {table.name}: its column “{(table.head or ('1',))[at]}” should name them."
        )
    if lost:
        dropped.append(f"{len(lost):,} nodes are in the edge list only: they stay, without further columns.")
    clock.check()
    titles = table.head or tuple(f"column {place + 1}" for place in range(len(table.rows[0])))
    limits.check_count(len(first) * len(titles), limits.MAX_CELLS, "cells (nodes times columns)")
    columns = {
        title: [table.rows[number][place] for number in first.values()] + [""] * len(lost)
        for place, title in enumerate(titles)
        if place != at
    }
    return numbered([*first, *lost]), columns, dropped
