"""Uploaded files become a draft. The content of a file decides which reader it gets, not its name.

pandas reads tables, networkx reads the formats of graphs. They run in a worker that has a memory limit and a deadline
(`gfx_core.user_data.build.preview_files`). Checked before they run is the size of a file, of what it unpacks to, how
many elements or cells in a line it has, and that XML defines no entities.
"""

import csv
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from gfx_core import limits
from gfx_core.arrays import Floats, Ints
from gfx_core.datasets.sentences import visible
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted, listed
from gfx_core.user_data.draft import WORDS, DataFile, check_count, column_called, shortened


@dataclass(frozen=True, eq=False)
class Draft:
    """One graph, or several, in text.

    Attributes:
        form: What kind of file it was, for people.
        names: What the file calls its nodes. [N]
        columns: The columns of the nodes, as text; empty cells where the file holds nothing. [N, columns]
        edges: Pairs of nodes, as in the file. [E, 2]
        graph: The graph of each node, from 0 on and in order; all 0 where there is one. [N]
        graph_labels: The class of each graph, where there are several; else empty. [G]
        dropped: A sentence for each thing that was left out, with the reason.
        understood: A sentence for each other thing to know. What makes a data set of the draft adds to both lists.
    """

    form: str
    names: tuple[str, ...]
    columns: pd.DataFrame
    edges: Ints
    graph: Ints
    graph_labels: tuple[str, ...] = ()
    dropped: list[str] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)

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
            check_count(count, most, noun)
        object.__setattr__(self, "names", tuple(map(shortened, self.names)))
        object.__setattr__(self, "columns", self.columns.astype(object).map(_cell).rename(columns=shortened))

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """The different words of each column, numbers first and in their order."""
        return {str(name): sorted_words(column) for name, column in self.columns.items()}

    @cached_property
    def numeric(self) -> list[str]:
        """The columns that contain only numbers."""
        return [name for name, words in self.values.items() if words and not np.isnan(numbers_of(words)).any()]


def _cell(text: str) -> str:
    """A cell in one line, without control characters and marks that turn its direction; one that says so is empty."""
    line = text if text.isprintable() else visible(text)  # nearly all are, and there may be millions
    return "" if line.lower() in WORDS["empty"] else line


def numbers_of(cells: Iterable[str]) -> Floats:
    """The numbers of some cells, NaN where a cell has none. [N]"""
    numbers = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").to_numpy(dtype=float)
    return np.where(np.abs(numbers) < 1e30, numbers, np.nan)


def sorted_words(cells: Iterable[str]) -> list[str]:
    """The different words of some cells, numbers first and in their order."""
    words = sorted({*cells} - {""})
    return [words[place] for place in np.argsort(numbers_of(words), kind="stable")]


def read(files: Sequence[DataFile]) -> Draft:
    """Read some files that belong together: one of any format, or an edge list and a table of nodes.

    Raises:
        UserError: One sentence on what is wrong, and with which file.
    """
    check_count(len(files), limits.MAX_FILES, "files")
    for file in files:
        if len(file.data) > limits.MAX_BYTES:
            most = limits.MAX_BYTES // 2**20
            raise UserError(f"{file.called} has {len(file.data) / 2**20:.0f} MB; at most {most} MB can be read.")
    readers = [_reader(file) for file in files]
    if len(files) > 1 and (len(files) > 2 or set(readers) != {_read_table}):
        raise UserError("Two files are an edge list and a table of its nodes: upload all others one at a time.")
    dropped: list[str] = []
    try:
        results = [reader(file, dropped) for reader, file in zip(readers, files, strict=True)]
    except UserError:
        raise
    except Exception as error:  # libraries raise whatever the line raises that reads the damaged place
        why = shortened(f"{type(error).__name__}: {error}")
        raise UserError(
            f"{listed([file.called for file in files])} cannot be read ({why}): save it again with the program that "
            "made it, or as an edge list."
        ) from error
    return results[0] if isinstance(results[0], Draft) else _draft_of_tables(files[0], results, dropped)


def _reader(file: DataFile) -> Callable[[DataFile, list[str]], Any]:
    """The reader of a file, by how it begins."""
    if file.data[:4] == b"PK\x03\x04" or file.name.lower().endswith(".zip"):
        return _read_zip
    begin = re.sub(r"(?m)^\s*#.*$", "", file.text[:4096]).lstrip().lower()
    is_gml = re.match(r"graph|creator|version|comment", begin) and re.search(r"graph\s*\[", begin)
    return _read_graph if is_gml or begin.startswith(("<", "{", "[")) else _read_table


def _cells(text: str, separator: str, **options: Any) -> pd.DataFrame:
    """The cells of lines that have no head; short lines are filled up with empty ones. [lines, cells of the first]"""
    first = text.lstrip().partition("\n")[0]
    check_count(len(re.split(separator, first, maxsplit=limits.MAX_COLUMNS)), limits.MAX_COLUMNS, "columns")
    options |= {"dtype": str, "keep_default_na": False, "skipinitialspace": True}
    cells = pd.read_csv(io.StringIO(text), sep=separator, header=None, **options)
    return cells.apply(lambda column: column.str.strip())


# Tables: an edge list, alone or with a table of nodes


def _read_table(file: DataFile, dropped: list[str]) -> pd.DataFrame:
    """The cells of a file by the names of its columns. [lines, columns]"""
    check_count(file.text.count("\n"), limits.MAX_EDGES + 1, "lines")
    text, comments = re.subn(r"(?m)^[ \t]*(?:#|%|//).*$", "", file.text)
    lines = [line for line in text.splitlines() if line.strip()][:20]
    separator = max("\t;, ", key=lambda sign: sum(sign in line for line in lines))
    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        cells = _cells(text, r"\s+" if separator == " " else separator, on_bad_lines="warn")
    dropped += [f"Lines of {file.called} with too many cells ({shortened(str(line.message))})." for line in skipped]
    dropped += [f"Comment lines of {file.called}: {comments:,}."] * (comments > 0)
    titles = [f"column {place}" for place in range(1, cells.shape[1] + 1)]
    if _has_head(cells):
        for place, cell in enumerate(cells.iloc[0]):
            titles[place] = cell if cell and cell not in titles else titles[place]
        cells = cells[1:]
    if cells.empty:
        raise UserError(" ".join([f"{file.called} has a head but no lines below it that fit.", *dropped]))
    return cells.set_axis(titles, axis=1)


def _has_head(cells: pd.DataFrame) -> bool:
    """Whether the first line names columns: by known words, or by a word above a number."""
    first = cells.iloc[0]
    words = [cell.lower().replace(" ", "_") for cell in first]
    if words[:2] == ["u", "v"] or {*WORDS["source"], *WORDS["target"], *WORDS["id"]} - {"u", "v"} & {*words}:
        return True
    above = (first != "") & np.isnan(numbers_of(first)) & ~np.isnan(numbers_of(cells.iloc[min(1, len(cells) - 1)]))
    return bool(above.any())


def _draft_of_tables(file: DataFile, tables: Sequence[pd.DataFrame], dropped: list[str]) -> Draft:
    """An edge list, alone or with the table of its nodes: of two tables, the one with sources and targets."""
    ends = [[name for end in ("source", "target") if (name := column_called(table, WORDS[end]))] for table in tables]
    place = int(len(ends[-1]) > len(ends[0]))
    edges, nodes = tables[place], pd.DataFrame()
    pair = ends[place] if len(ends[place]) == 2 else list(edges.columns[:2])
    if len(tables) == 2:
        nodes = tables[1 - place]
        ids = column_called(nodes, WORDS["id"]) or nodes.columns[0]
        linked = edges[pair].isin({*nodes[ids]}).any(axis=None)
        if not linked or len(ends[place]) < 2 or len(ends[1 - place]) == 2:
            raise UserError(
                "These two tables do not fit: call two columns of the edge list “source” and “target”. "
                "A column “id” of the table of nodes needs the same names."
            )
        nodes = nodes.set_index(ids)
        extra = (nodes.index == "") | nodes.index.duplicated()
        if extra.any():
            dropped.append(f"Lines of the table of nodes without a name, or with one twice: {extra.sum()}.")
        nodes = nodes[~extra]
    elif not ends[0] and column_called(edges, WORDS["id"]):
        raise UserError(
            f"{file.called} looks like a table of nodes: upload a file with the edges as well. If it lists the edges, "
            "call two columns “source” and “target”."
        )
    if len(pair) < 2:
        raise UserError(f"{file.called} has one cell in each line; an edge needs two, such as “1 2” or “1,2”.")
    half = (edges[pair] == "").any(axis=1)
    if half.any():
        dropped.append(f"Lines of the edge list without two nodes: {half.sum()}.")
    return _draft("edge list", nodes, edges[pair][~half], edges.columns.drop(pair).tolist(), dropped)


def _draft(
    form: str, nodes: pd.DataFrame, ends: pd.DataFrame, edge_columns: Sequence[str], dropped: list[str]
) -> Draft:
    """Nodes and edges by their ids.

    Args:
        form: What kind of file it was.
        nodes: The columns of the listed nodes, by id; no rows where only edges name them.
        ends: Source and target of each edge, by id. [E, 2]
        edge_columns: The names of the other columns of the edges, which are not used.
        dropped: A sentence for each thing that was left out.
    """
    if edge_columns:
        dropped.append(f"Columns of edges that are not used: {listed(list(map(shortened, edge_columns)), 6)}.")
    linked = pd.Index(ends.to_numpy(dtype=object).ravel())
    names = pd.Index([*nodes.index, *linked], dtype=object).unique()
    lone = nodes.index.difference(linked, sort=False)
    return Draft(
        form=form,
        names=tuple(names),
        columns=nodes.reindex(names, fill_value=""),
        edges=names.get_indexer(linked).reshape(-1, 2),
        graph=np.zeros(len(names), dtype=int),
        dropped=dropped,
        understood=[
            f"{counted(len(ids), 'node')} {what}: {listed(list(map(shortened, ids)), 6)}."
            for ids, what in ((names[len(nodes) :], "that only edges name"), (lone, "without an edge"))
            if len(nodes) and len(ids)
        ],
    )


# GraphML, GEXF, GML and node-link JSON


def _read_graph(file: DataFile, dropped: list[str]) -> Draft:
    text = file.text.lstrip()
    check_count(max(map(text.count, "<[{")), limits.MAX_ELEMENTS, "elements")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UserError(f"{file.called} defines a document type or entities: save it without them.")
    if text[0] in "{[":
        form, data = "node-link JSON", json.loads(text)
        if "steps" in data and "schema" in data:
            raise UserError(f"{file.called} is a trace, not a graph: open it under “A PyTorch model”.")
        graph = nx.node_link_graph(data, edges="links" if "links" in data else "edges")
    elif text[0] == "<":
        form, reader = ("GEXF", nx.read_gexf) if "<gexf" in text[:4096] else ("GraphML", nx.read_graphml)
        graph = reader(io.BytesIO(text.encode()))
        more = len(re.findall(r"<(?:\w+:)?graph[\s/>]", text)) - 1
        dropped += [f"Further graphs in {file.called}: {more:,}. The first one was read."] * (more > 0)
    else:
        form, graph = "GML", nx.parse_gml(text, label="id")
    graph = nx.relabel_nodes(graph, str)
    titles = dict.fromkeys(title for _, attributes in graph.nodes(data=True) for title in attributes)
    check_count(len(titles), limits.MAX_COLUMNS, "columns")
    rows = ([_as_text(attributes.get(title)) for title in titles] for _, attributes in graph.nodes(data=True))
    nodes = pd.DataFrame(rows, index=list(graph), columns=list(titles), dtype=object)
    edge_columns = list(dict.fromkeys(title for *_, attributes in graph.edges(data=True) for title in attributes))
    ends = pd.DataFrame([edge[:2] for edge in graph.edges], columns=["source", "target"])
    if graph.is_directed():
        dropped.append("Directions of edges: a GNN cannot learn a class here that depends on them.")
    return _draft(form, nodes, ends, edge_columns, dropped)


def _as_text(value: Any) -> str:
    """A number as it is written; nothing for more than one value."""
    return "" if isinstance(value, list | tuple | dict) else str(value).strip()


# A zip of text files as the TU Dortmund collection has them


_PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")


def _read_zip(file: DataFile, dropped: list[str]) -> Draft:
    tables: dict[str, pd.DataFrame] = {}
    others: list[str] = []
    room = limits.MAX_UNPACKED
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        check_count(len(archive.infolist()), limits.MAX_MEMBERS, f"files in {file.called}")
        for member in archive.infolist():
            match = re.fullmatch(rf"(?:.*/)?(?!\._)[^/]*_({'|'.join(_PARTS)})\.txt", member.filename)
            if not match or match[1] in tables:
                others += [shortened(member.filename)] * (not member.is_dir())
                continue
            data = archive.open(member.filename).read(room + 1)
            room -= len(data)
            if room < 0:
                most = limits.MAX_UNPACKED // 2**20
                raise UserError(f"{file.called} unpacks to more than {most} MB: upload a part of it.")
            tables[match[1]] = _cells(data.decode("utf-8-sig").replace(",", " "), r"\s+", quoting=csv.QUOTE_NONE)
    if missing := [part for part in _PARTS[:3] if part not in tables]:
        raise UserError(f"{file.called} contains no file that ends in _{missing[0]}.txt, which the TU format needs.")
    edges, graphs, labels = (tables.pop(part).to_numpy().astype(int) for part in _PARTS[:3])
    edges, graph = edges.reshape(-1, 2) - 1, graphs.ravel() - 1
    columns = pd.DataFrame(index=range(len(graph)))
    for part, table in tables.items():
        title = "node label" if part == "node_labels" else "attribute"
        titles = [title] if table.shape[1] == 1 else [f"{title} {place}" for place in table]
        columns = columns.join(table.set_axis(titles, axis=1), how="outer")
    columns = columns.fillna("")
    in_order = graph[0] == 0 and np.isin(np.diff(graph), (0, 1)).all() and len(labels) == graph[-1] + 1
    complete = len(columns) == len(graph) and not (columns == "").any(axis=None)
    if (
        not in_order
        or not complete
        or edges.min() < 0
        or edges.max() >= len(graph)
        or np.ptp(graph[edges], axis=1).any()
    ):
        raise UserError(
            f"The files in {file.called} do not fit together. "
            "_graph_indicator.txt numbers the graphs 1, 2, 3 … in order. "
            "_graph_labels.txt has a line for each graph, files of nodes have one for each node. "
            f"_A.txt has pairs of nodes from 1 to {len(graph):,}, each pair in one graph."
        )
    dropped += [f"Files of the archive that are not read: {listed(others, 6)}."] * (len(others) > 0)
    return Draft(
        form="zip of TU text files",
        names=tuple(str(number) for size in np.bincount(graph) for number in range(size)),
        columns=columns,
        edges=np.unique(np.sort(edges, axis=1), axis=0),  # the format asks for both directions of each
        graph=graph,
        graph_labels=tuple(map(str, labels.ravel())),
        dropped=dropped,
    )
