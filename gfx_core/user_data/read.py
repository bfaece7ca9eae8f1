"""Uploaded files become a draft. The content of a file says which reader it gets, not its name.

pandas reads tables, networkx reads the formats of graphs. They run in a worker that has a memory limit and a deadline
(`gfx_core.jobs.requests.LookAt`). Checked before they run is the size of a file, of what it unpacks to, how many
elements or cells in a line it has, and that XML defines no entities.
"""

import csv
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from gfx_core import limits
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted, listed
from gfx_core.user_data.draft import DataFile, Draft, column_called, shortened


def read(files: Sequence[DataFile]) -> Draft:
    """Read some files that belong together: one of any format, or an edge list and a table of nodes.

    Raises:
        UserError: One sentence on what is wrong, and with which file.
    """
    limits.check_count(len(files), limits.MAX_FILES, "files")
    for file in files:
        limits.check_bytes(len(file.data), file.called)
    readers = [_reader(file) for file in files]
    if len(files) > 1 and (len(files) > 2 or set(readers) != {_read_table}):
        raise UserError("Two files are an edge list and a table of its nodes: upload all others one at a time.")
    dropped: list[str] = []
    results = []
    for file, reader in zip(files, readers, strict=True):
        try:
            results.append(reader(file, dropped))
        except UserError:
            raise
        except Exception as error:  # libraries raise whatever the line raises that reads the damaged place
            why = shortened(f"{type(error).__name__}: {error}")
            raise UserError(
                f"{file.called} cannot be read ({why}): save it again with the program that made it, or as an edge "
                "list."
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
    limits.check_count(sum(1 for _ in re.finditer(separator, first)), limits.MAX_COLUMNS, "columns")
    options |= {"dtype": str, "keep_default_na": False, "skipinitialspace": True}
    cells = pd.read_csv(io.StringIO(text), sep=separator, header=None, **options)
    return cells.apply(lambda column: column.str.strip())


# Tables: an edge list, alone or with a table of nodes


_SOURCE = ("source", "src", "from", "u", "node1", "node_1", "start", "id1", "id_1")
_TARGET = ("target", "dst", "to", "v", "node2", "node_2", "end", "id2", "id_2", "neighbor", "parent")
_ID = ("id", "node", "node_id", "nodeid", "name", "index", "key")


def _read_table(file: DataFile, dropped: list[str]) -> pd.DataFrame:
    """The cells of a file by the names of its columns. [lines, columns]"""
    limits.check_count(file.text.count("\n"), limits.MAX_EDGES + 1, "lines")
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
    if words[:2] == ["u", "v"] or {*_SOURCE, *_TARGET, *_ID} - {"u", "v"} & {*words}:
        return True
    above = pd.to_numeric(first, errors="coerce").isna() & (first != "")
    return bool((above & pd.to_numeric(cells.iloc[min(1, len(cells) - 1)], errors="coerce").notna()).any())


def _draft_of_tables(file: DataFile, tables: Sequence[pd.DataFrame], dropped: list[str]) -> Draft:
    """An edge list, alone or with the table of its nodes: of two tables, the one with sources and targets."""
    named = [[name for words in (_SOURCE, _TARGET) if (name := column_called(table, words))] for table in tables]
    edges, ends = max(zip(tables, named, strict=True), key=lambda table: len(table[1]))
    ends, nodes = ends if len(ends) == 2 else list(edges.columns[:2]), pd.DataFrame()
    if len(tables) == 2:
        nodes = tables[edges is tables[0]]
        ids = column_called(nodes, _ID) or nodes.columns[0]
        if [len(names) for names in named].count(2) != 1 or not edges[ends].isin({*nodes[ids]}).any(axis=None):
            raise UserError(
                "These two tables do not fit: call two columns of the edge list “source” and “target”. "
                "A column “id” of the table of nodes needs the same names."
            )
        nodes = nodes.set_index(ids)
        extra = (nodes.index == "") | nodes.index.duplicated()
        if extra.any():
            dropped.append(f"Lines of the table of nodes without a name, or with one twice: {extra.sum()}.")
        nodes = nodes[~extra]
    elif not named[0] and column_called(edges, _ID):
        raise UserError(
            f"{file.called} looks like a table of nodes: upload a file with the edges as well. If it lists the edges, "
            "call two columns “source” and “target”."
        )
    if len(ends) < 2:
        raise UserError(f"{file.called} has one cell in each line; an edge needs two, such as “1 2” or “1,2”.")
    half = (edges[ends] == "").any(axis=1)
    if half.any():
        dropped.append(f"Lines of the edge list without two nodes: {half.sum()}.")
    return _draft("edge list", nodes, edges[ends][~half], tuple(map(str, edges.drop(columns=ends))), dropped, [])


def _draft(
    form: str,
    nodes: pd.DataFrame,
    ends: pd.DataFrame,
    edge_columns: tuple[str, ...],
    dropped: Sequence[str],
    understood: list[str],
) -> Draft:
    """Nodes and edges by their ids.

    Args:
        form: What kind of file it was.
        nodes: The columns of the listed nodes, by id; no rows where only edges name them.
        ends: Source and target of each edge, by id. [E, 2]
        edge_columns: The names of the other columns of the edges.
        dropped: A sentence for each thing that was left out.
        understood: A sentence for each other thing to know.
    """
    linked = pd.Index(ends.to_numpy(dtype=object).ravel())
    names = pd.Index([*nodes.index, *linked], dtype=object).unique()
    lone = nodes.index.difference(linked, sort=False)
    for ids, what in ((names[len(nodes) :], "that only edges name"), (lone, "without an edge")):
        if len(nodes) and len(ids):
            understood.append(f"{counted(len(ids), 'node')} {what}: {listed(list(map(shortened, ids)), 6)}.")
    return Draft(
        form=form,
        names=tuple(names),
        columns=nodes.reindex(names, fill_value=""),
        edges=names.get_indexer(linked).reshape(-1, 2),
        edge_columns=edge_columns,
        graph=np.zeros(len(names), dtype=np.int64),
        dropped=tuple(dropped),
        understood=tuple(understood),
    )


# GraphML, GEXF, GML and node-link JSON


def _read_graph(file: DataFile, dropped: list[str]) -> Draft:
    text = file.text.lstrip()
    limits.check_count(max(map(text.count, "<[{")), limits.MAX_ELEMENTS, "elements")
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
    nodes = _columns([attributes for _, attributes in graph.nodes(data=True)], dropped)
    edge_columns = tuple(dict.fromkeys(title for *_, attributes in graph.edges(data=True) for title in attributes))
    ends = pd.DataFrame([edge[:2] for edge in graph.edges], columns=["source", "target"])
    directed = ["Directions of edges are dropped: a GNN cannot learn a class here that depends on them."]
    return _draft(form, nodes.set_axis(list(graph)), ends, edge_columns, dropped, directed * graph.is_directed())


def _columns(rows: Sequence[dict[str, Any]], dropped: list[str]) -> pd.DataFrame:
    """The attributes of nodes as columns of text; one that holds lists or tables of values is left out."""
    titles = dict.fromkeys(title for row in rows for title in row)
    limits.check_count(len(titles), limits.MAX_COLUMNS, "columns")
    cells = pd.DataFrame(rows, index=range(len(rows)), columns=list(titles), dtype=object)
    for title in titles:
        if cells[title].map(lambda cell: isinstance(cell, list | tuple | dict)).any():
            del cells[title]
            dropped.append(f"“{shortened(title)}” contains more than a word or a number, so it was left out.")
    return cells.map(_as_text)


def _as_text(value: Any) -> str:
    """Numbers as they are written, true and false as 1 and 0, no value as nothing."""
    return "" if value is None or value != value else str(int(value) if isinstance(value, bool) else value).strip()


# A zip of text files as the TU Dortmund collection has them


_PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")


def _read_zip(file: DataFile, dropped: list[str]) -> Draft:
    tables: dict[str, pd.DataFrame] = {}
    others, room = [], limits.MAX_UNPACKED
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        limits.check_count(len(archive.infolist()), limits.MAX_MEMBERS, f"files in {file.called}")
        for member in archive.infolist():
            match = re.fullmatch(rf"(?:.*/)?(?!\._)[^/]*_({'|'.join(_PARTS)})\.txt", member.filename)
            if not match or match[1] in tables:
                others += [shortened(member.filename)] * (not member.is_dir())
                continue
            if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UserError(f"{file.called} is locked or packed in an unusual way: zip with deflate, no password.")
            with archive.open(member) as content:
                data = content.read(room + 1)
            room -= len(data)
            if room < 0:
                most = limits.MAX_UNPACKED // 2**20
                raise UserError(f"{file.called} unpacks to more than {most} MB: upload a part of it.")
            tables[match[1]] = _cells(data.decode("utf-8-sig").replace(",", " "), r"\s+", quoting=csv.QUOTE_NONE)
    if missing := [part for part in _PARTS[:3] if part not in tables]:
        raise UserError(f"{file.called} contains no file that ends in _{missing[0]}.txt, which the TU format needs.")
    edges, graphs, labels = (tables.pop(part).to_numpy().astype(np.int64) for part in _PARTS[:3])
    edges, graph = edges.reshape(-1, 2) - 1, graphs.ravel() - 1
    columns = pd.DataFrame(index=range(len(graph)))
    for part, table in tables.items():
        title = "node label" if part == "node_labels" else "attribute"
        titles = [title] if table.shape[1] == 1 else [f"{title} {place}" for place in table]
        columns = columns.join(table.set_axis(titles, axis=1), how="outer")
    in_order = graph[0] == 0 and np.isin(np.diff(graph), (0, 1)).all() and len(labels) == graph[-1] + 1
    complete = len(columns) == len(graph) and not (columns.fillna("") == "").any(axis=None)
    if not in_order or not complete or edges.min() < 0 or edges.max() >= len(graph):
        raise UserError(
            f"The files in {file.called} do not fit together. "
            "_graph_indicator.txt numbers the graphs 1, 2, 3 … in order. "
            "_graph_labels.txt has a line for each graph, files of nodes have one for each node. "
            f"_A.txt has pairs of nodes from 1 to {len(graph):,}."
        )
    inside = graph[edges[:, 0]] == graph[edges[:, 1]]
    dropped += [f"Edges between nodes of different graphs: {(~inside).sum():,}."] * bool((~inside).any())
    dropped += [f"Files of the archive that are not read: {listed(others, 6)}."] * (len(others) > 0)
    edges = edges[inside]
    once = edges[edges[:, 0] <= edges[:, 1]]  # the format asks for both directions of each
    return Draft(
        form="zip of TU text files",
        names=tuple(str(number) for size in np.bincount(graph) for number in range(size)),
        columns=columns,
        edges=once if 2 * len(once) >= len(edges) else edges,
        edge_columns=(),
        graph=graph,
        graph_labels=tuple(map(str, labels.ravel())),
        dropped=tuple(dropped),
    )
