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
from gfx_core.text.numbers import counted, listed
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
_TARGET = ("target", "dst", "to", "v", "node2", "node_2", "end", "id2", "id_2", "neighbor", "parent")
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
        lines: The number that each has in the file.
        dropped: What was left out.
    """

    name: str
    head: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    dropped: tuple[str, ...] = ()

    def column(self, names: Sequence[str]) -> int | None:
        """The place of the first column that is called one of these."""
        plain = [title.lower().replace(" ", "_") for title in self.head]
        return next((plain.index(name) for name in names if name in plain), None)

    @property
    def titles(self) -> tuple[str, ...]:
        """What its columns are called, by their places where it has no head."""
        return self.head or tuple(f"column {place + 1}" for place in range(len(self.rows[0])))

    @property
    def lists_edges(self) -> bool:
        """Whether its columns say that it does."""
        return self.column(_SOURCE) is not None and self.column(_TARGET) is not None

    @property
    def lists_nodes(self) -> bool:
        """Whether its columns say that it does, or its cells, where no column says anything of edges."""
        if self.column(_ID) is not None:
            return not self.lists_edges
        if self.column((*_SOURCE, *_TARGET)) is not None:
            return False
        return any(_sorts_nodes(self.rows, place) for place in range(1, len(self.titles)))


def read_tables(texts: Sequence[tuple[str, str]], clock: limits.Clock) -> Draft:
    """One edge list, or one and a table of nodes, by their names and texts."""
    tables = [read_table(name, text, clock) for name, text in texts]
    if len(tables) == 1:
        (only,) = tables
        if only.lists_nodes and only.column(_TARGET) is None:
            at = only.column(_ID)
            why = "no name comes twice in its first column, and another column has few values"
            raise UserError(
                f"{only.name} is a table of nodes ({why if at is None else f'it has a column “{only.head[at]}”'}): "
                "upload a file with the edges as well. If it lists the edges, call two columns “source” and “target”."
            )
        return _draft(only, None, clock)
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
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    kept = [(number, line) for number, line in lines if not line.lstrip().startswith(_COMMENTS)]
    if not kept:
        raise UserError(f"{name} is empty: an edge list has a line for each edge, such as “1 2”.")
    limits.check_count(len(kept), limits.MAX_EDGES + 1, "lines")
    rows = _rows(name, kept, clock)
    head = _head([row for _, row in rows])
    usual = Counter(len(row) for _, row in rows)
    width = len(head) or max(usual, key=lambda cells: (usual[cells], cells))
    limits.check_count(width, limits.MAX_COLUMNS, "columns")
    body = rows[bool(head) :]
    whole = [(number, row) for number, row in body if len(row) == width]
    odd = [(number, len(row)) for number, row in body if len(row) != width]
    if not body:
        raise UserError(f"{name} has a head but no lines below it.")
    dropped = []
    if odd:
        (number, cells), usually = odd[0], "of its head" if head else "of the others"
        without = f"{counted(len(odd), 'line')} of {name} without the {counted(width, 'cell')} {usually}"
        dropped.append(f"{without}: line {number} has {cells:,}.")
    if not whole:
        raise UserError(f"No line of {name} can be read. {dropped[0]}")
    if len(kept) < len(lines):
        dropped.append(f"{counted(len(lines) - len(kept), 'comment line')} of {name}.")
    return EdgeTable(name, head, [row for _, row in whole], [number for number, _ in whole], tuple(dropped))


def _rows(name: str, lines: Sequence[tuple[int, str]], clock: limits.Clock) -> list[tuple[int, list[str]]]:
    """The cells of lines with their numbers; a row whose cell goes over several lines has the number of the first."""
    texts = [line for _, line in lines]
    between = _between(texts[:20])
    if between == " ":
        return [(number, line.split()) for number, line in lines]
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO("\n".join(texts)), delimiter=between, skipinitialspace=True, strict=True)
    begin = 0
    try:
        for row in reader:
            rows.append((lines[begin][0], [cell.strip() for cell in row]))
            begin = reader.line_num
            if not len(rows) % 1000:
                clock.check()
    except csv.Error as error:
        where = f"in line {lines[begin][0]} a quotation mark is open, or a cell is too long"
        raise UserError(f"{name} is not a complete table: {where}.") from error
    return rows


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
    """The names of the columns, if the first line holds some.

    That is words that are known, words above numbers, or a word above classes of nodes that is none of them.
    """
    first = [cell.lower().replace(" ", "_") for cell in rows[0]]
    known = {*_SOURCE, *_TARGET, *_ID, *_GRAPH} - {"u", "v"}
    letters = first[:2] == ["u", "v"]  # alone they may well be names of nodes
    above = len(rows) > 1 and any(
        _NUMBER.fullmatch(below) and not _NUMBER.fullmatch(cell)
        for cell, below in zip(rows[0], rows[1], strict=False)
        if cell
    )
    if not (known & set(first) or letters or above or _heads_classes(rows)):
        return ()
    names: list[str] = []
    for place, cell in enumerate(rows[0]):
        name = shortened(cell) or f"column {place + 1}"
        names.append(name if name not in names else f"{name} ({place + 1})")
    return tuple(names)


def _heads_classes(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line is above classes of nodes, and its second word is none of them."""
    pairs = [row for row in rows if len(row) > 1]
    return _sorts_nodes(pairs[1:]) and pairs[0][1] not in {row[1] for row in pairs[1:]}


def _sorts_nodes(rows: Sequence[Sequence[str]], place: int = 1) -> bool:
    """Whether each line names another node and then one of few classes, which are no nodes: “Ada, red”.

    Numbers may stand between, where no node is one: “Ada, 36, red”.
    """
    nodes, *between, classes = ({row[at] for row in rows if len(row) > place} for at in range(place + 1))
    if len(nodes) != len(rows) or not 1 < len(classes) <= len(rows) / 2 or nodes & classes:
        return False
    numbers = all(_NUMBER.fullmatch(cell) for cells in between for cell in cells)
    return not between or (numbers and not any(map(_NUMBER.fullmatch, nodes)))


def _draft(edges: EdgeTable, nodes: EdgeTable | None, clock: limits.Clock) -> Draft:
    if len(edges.titles) < 2:
        raise UserError(f"{edges.name} has one cell in each line; an edge needs two, such as “1 2” or “1,2”.")
    source, target = edges.column(_SOURCE), edges.column(_TARGET)
    if source is None or target is None or source == target:
        source, target = 0, 1
    dropped = list(edges.dropped)
    ends = [(row[source], row[target]) for row in edges.rows]
    whole = [number for number, pair in enumerate(ends) if all(pair)]
    if odd := [line for line, pair in zip(edges.lines, ends, strict=True) if not all(pair)]:
        dropped.append(f"{counted(len(odd), 'line')} of {edges.name} without two nodes, such as line {odd[0]}.")
    if not whole:
        raise UserError(f"{edges.name} contains no edge. {' '.join(dropped)}")
    clock.check()
    names = numbered(name for number in whole for name in ends[number])
    columns: dict[str, list[str]] = {}
    understood: list[str] = []
    if nodes is not None:
        names, columns = _nodes(nodes, names, understood, dropped, clock)
    limits.check_count(len(names), limits.MAX_ALL_NODES, "nodes")
    known = (key for key in columns if key.lower().replace(" ", "_") in _GRAPH)
    if (key := next(known, None)) is not None and len(set(columns[key])) > 1:
        return _several(key, names, columns, [ends[number] for number in whole], understood, dropped)
    others = {
        title: [edges.rows[number][place] for number in whole]
        for place, title in enumerate(edges.titles)
        if place not in (source, target)
    }
    return Draft(
        form="edge list" if nodes is None else "edge list with a table of nodes",
        names=tuple(map(shortened, names)),
        columns=columns,
        edges=pairs((names[ends[number][0]], names[ends[number][1]]) for number in whole),
        edge_columns=others,
        dropped=tuple(dropped),
        understood=tuple(understood),
    )


def _several(
    key: str,
    names: dict[str, int],
    columns: dict[str, list[str]],
    ends: Sequence[tuple[str, str]],
    understood: Sequence[str],
    dropped: Sequence[str],
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
        understood=(f"The column “{key}” says which of the {len(graphs):,} graphs a node is in.", *understood),
    )


def _nodes(
    table: EdgeTable, named: dict[str, int], understood: list[str], dropped: list[str], clock: limits.Clock
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """A table of nodes: those that it lists, in its order, then those that only edges name; and its columns."""
    at = table.column(_ID) or 0
    dropped += table.dropped
    first: dict[str, int] = {}
    for number, row in enumerate(table.rows):
        if row[at]:
            first.setdefault(row[at], number)
    kept = set(first.values())
    if odd := [line for number, line in enumerate(table.lines) if number not in kept]:
        lines = f"{counted(len(odd), 'line')} of {table.name}"
        dropped.append(f"{lines} without a name, or with one twice, such as line {odd[0]}.")
    lost = [name for name in named if name not in first]
    if len(lost) == len(named):
        raise UserError(
            f"No node of the edge list is in {table.name}: its column “{table.titles[at]}” should name them."
        )
    lone = [name for name in first if name not in named]
    for some, where in (
        (lost, "the edge list, kept without further columns"),
        (lone, f"{table.name}, kept without edges"),
    ):
        if some:
            names = listed([shortened(name) for name in some], 6)
            understood.append(f"Only in {where}: {counted(len(some), 'node')} ({names}).")
    clock.check()
    limits.check_count(len(first) * len(table.titles), limits.MAX_CELLS, "cells (nodes times columns)")
    columns = {
        title: [table.rows[number][place] for number in first.values()] + [""] * len(lost)
        for place, title in enumerate(table.titles)
        if place != at
    }
    return numbered([*first, *lost]), columns
