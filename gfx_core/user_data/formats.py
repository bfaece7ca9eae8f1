"""Files of graphs: GraphML, GEXF, GML and node-link JSON as networkx writes them, and zips of the TU collection.

XML is read by networkx, and looked through first, without building anything: no document type, so no entities that
expand into gigabytes, no more elements than there may be. GML is read here in one pass: keys, numbers, texts in
quotation marks, brackets. All of these become node-link data. A zip holds many graphs, each with a class.

Nodes are known by their names as text: whole numbers can be chosen so that all fall into one slot of a hash table.
"""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import PurePosixPath
from typing import Any
from xml.parsers import expat

import networkx as nx
import numpy as np

from gfx_core import limits
from gfx_core.arrays import Ints
from gfx_core.datasets.mutagenicity import tu_numbers
from gfx_core.errors import UserError
from gfx_core.text.numbers import counted
from gfx_core.user_data.draft import Draft, numbered, pairs, shortened, table_of

_CHUNK = 1 << 16
_DECLARED = re.compile(r"^\s*<\?xml[^>]*\?>")  # may name an encoding that it was not in
_AGAIN = "save it again with the program that made it, or as an edge list."
_LOOKS = ("viz", "graphics")  # positions and colours, which some programs write into the file
_DIRECTED = "Directions of edges are dropped: a GNN cannot learn a class here that depends on them."


def read_xml(name: str, text: str, clock: limits.Clock) -> Draft:
    """A GraphML or GEXF file."""
    counts, root = _look_through(name, text, clock)
    readers: dict[str, tuple[str, Callable[[io.BytesIO], Any]]] = {
        "graphml": ("GraphML", nx.read_graphml),
        "gexf": ("GEXF", nx.read_gexf),
    }
    if root not in readers:
        raise UserError(f"{name} is XML, but neither GraphML nor GEXF (it begins with “{shortened(root)}”).")
    form, reader = readers[root]
    try:
        graph = reader(io.BytesIO(_DECLARED.sub("", text, count=1).encode()))
    except Exception as error:  # readers raise whatever the line that broke them raises
        why = shortened(str(error))
        reason = f" ({why})" if " " in why else ""  # a word alone, such as a missing key, tells people nothing
        raise UserError(f"{name} cannot be read as {form}{reason}: {_AGAIN}") from error
    several = counts["graph"] - 1
    dropped = [f"{counted(several, 'further graph')} of the file: the first one was read."] * (several > 0)
    return _draft(form, name, nx.node_link_data(graph, edges="links"), clock, dropped)


def read_gml(name: str, text: str, clock: limits.Clock) -> Draft:
    """A GML file."""
    try:
        graph = parse_gml(text, clock).get("graph")
        if not isinstance(graph, dict):
            raise ValueError("it contains more than one graph" if graph else "it contains no graph")
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"{name} cannot be read as GML ({shortened(str(error))}): {_AGAIN}") from error
    nodes, links = (found if isinstance(found := graph.get(noun, []), list) else [found] for noun in ("node", "edge"))
    return _draft("GML", name, {"nodes": nodes, "links": links, "directed": graph.get("directed")}, clock)


def read_json(name: str, text: str, clock: limits.Clock) -> Draft:
    """A node-link JSON file, as networkx and d3 write it."""
    try:
        data = json.loads(text, parse_constant=_no_number)
    except RecursionError as error:
        raise UserError(f"{name} has more brackets within each other than can be read.") from error
    except ValueError as error:
        raise UserError(f"{name} is not whole JSON ({shortened(str(error))}).") from error
    data = data if isinstance(data, dict) else {}
    if "schema" in data and "steps" in data:
        raise UserError(f"{name} is a trace, not a graph: open it under “A trace”.")
    data.setdefault("links", data.get("edges"))
    if not isinstance(data.get("nodes"), list) or not isinstance(data["links"], list):
        raise UserError(f"{name} is JSON, but not a graph: it needs a list “nodes” and a list “links” (or “edges”).")
    return _draft("node-link JSON", name, data, clock)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def _draft(form: str, name: str, data: Mapping[str, Any], clock: limits.Clock, dropped: Sequence[str] = ()) -> Draft:
    """What node-link data say: a list of nodes and one of links, each with whatever is known of it."""
    nodes, links = data["nodes"], data["links"]
    limits.check_count(len(nodes), limits.MAX_NODES, "nodes in one graph")
    limits.check_count(len(links), limits.MAX_EDGES, "edges")
    for number, node in enumerate(nodes):
        if not isinstance(node, dict) or not isinstance(node.get("id"), str | int | float):
            raise UserError(f"Node {number} of {name} has no “id” that is a word or a number.")
    for number, link in enumerate(links):
        if not isinstance(link, dict) or not {"source", "target"} <= link.keys():
            raise UserError(f"Edge {number} of {name} has no “source” and “target”.")
        if not all(isinstance(link[end], str | int | float) for end in ("source", "target")):
            raise UserError(f"Edge {number} of {name} does not name two nodes.")
    clock.check()
    first: dict[str, dict[str, Any]] = {}
    for node in nodes:
        first.setdefault(str(node["id"]), {}).update(node)
    if len(first) < len({f"{type(node['id']).__name__} {node['id']}" for node in nodes}):
        raise UserError(f"Two nodes of this {form} have the same name in writing, such as 1 and “1”.")
    places = numbered(first)
    ends = [(str(link["source"]), str(link["target"])) for link in links]
    kept = [number for number, (one, other) in enumerate(ends) if one in places and other in places]
    columns, odd = table_of(_without(first.values(), ("id", *_LOOKS)), clock)
    named = ("source", "target", *(["key"] if data.get("multigraph") else []))
    edge_columns, _ = table_of(_without((links[number] for number in kept), named), clock)
    lost, twice = len(links) - len(kept), len(nodes) - len(first)
    looks = any(key in node for node in nodes for key in _LOOKS)
    return Draft(
        form=form,
        names=tuple(map(shortened, first)),
        columns=columns,
        edges=pairs((places[ends[number][0]], places[ends[number][1]]) for number in kept),
        edge_columns=edge_columns,
        dropped=(
            *dropped,
            *[f"{counted(lost, 'edge')} to a node which is not in the list."] * bool(lost),
            *[f"{counted(twice, 'node')} whose “id” another one has."] * bool(twice),
            *odd,
            *["Positions, colours and sizes of nodes: pictures are laid out here."] * looks,
        ),
        understood=(_DIRECTED,) if data.get("directed") else (),
    )


def _without(rows: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    return ({key: value for key, value in row.items() if key not in keys} for row in rows)


def _look_through(name: str, text: str, clock: limits.Clock) -> tuple[Counter[str], str]:
    """Count the elements of an XML text without keeping any: how many of each name, and the outermost."""
    parser = expat.ParserCreate("utf-8")  # whatever the file says of itself: it was decoded before
    counts: Counter[str] = Counter()
    within: list[str] = []
    root = ""

    def begin(tag: str, _: Mapping[str, str]) -> None:
        nonlocal root
        local = tag.rpartition(":")[2]
        root = root or local
        within.append(local)
        counts[local] += 1
        if len(within) > limits.MAX_DEPTH:
            raise UserError(f"{name} has more than {limits.MAX_DEPTH} elements within each other.")

    def end(_: str) -> None:
        within.pop()

    def refuse(*_: object) -> None:
        raise UserError(f"{name} defines a document type or entities, which are not read: save it without them.")

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        data = text.encode()
        for first in range(0, len(data), _CHUNK):
            parser.Parse(data[first : first + _CHUNK], False)
            clock.check()
            limits.check_count(counts["node"], limits.MAX_NODES, "nodes in one graph")
            limits.check_count(counts["edge"], limits.MAX_EDGES, "edges")
            limits.check_count(counts["graph"], limits.MAX_MEMBERS, "graphs in one file")
            limits.check_count(counts.total(), limits.MAX_ELEMENTS, "elements")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UserError(
            f"{name} is not whole XML ({expat.ErrorString(error.code)}, line {error.lineno}): {_AGAIN}"
        ) from error
    return counts, root


# GML in one pass over its text


_TOKEN = re.compile(
    r"\s*(?:#[^\n]*(?:\n\s*|\Z))*"  # blanks and comments; a comment goes to the end of its line, so there is one way
    r"(?:(?P<word>[A-Za-z][0-9A-Za-z_]*)"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?|[+-]INF)"
    r'|"(?P<text>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<odd>\S)|\Z)'
)
_LISTS = ("[]", "()", "_networkx_list_start")  # what networkx writes for an empty list, and before a list of one
_FREE = ("id", "label", "source", "target")  # may be words without quotation marks, as some programs write them
_EVERY = 4096  # entries between two looks at the clock


def parse_gml(text: str, clock: limits.Clock) -> dict[str, Any]:
    """The entries of a GML text; one that stands several times is a list, one in brackets a dictionary.

    Raises:
        ValueError: It is no GML.
        UserError: It has too many entries or brackets within each other, or takes too long.
    """
    whole: dict[str, list[Any]] = {}
    within = [whole]  # brackets that are open, the innermost last
    key, count = "", 0
    for found in _TOKEN.finditer(text):
        kind, token = found.lastgroup, found[found.lastgroup or 0]
        value: Any
        if kind is None:  # the end
            break
        if kind == "odd":
            raise ValueError(f"a sign after line {_line(text, found.start())} is neither a word nor a number")
        if not key:
            if kind == "close" and len(within) > 1:
                within.pop()
            elif kind == "word":
                key = token
            else:
                raise ValueError(f"line {_line(text, found.end())} contains a value or bracket where a word should be")
            continue
        if kind == "number":
            value = _number(token)
        elif kind == "text":
            value = unescape(token)
        elif kind == "open":
            value = {}
        elif kind == "word" and (key in _FREE or token in ("NAN", "INF")):
            value = token if key in _FREE else float(token)
        else:
            raise ValueError(f"“{key[:60]}” in line {_line(text, found.end())} has no value")
        within[-1].setdefault(key, []).append(value)
        if kind == "open":
            within.append(value)
            if len(within) > limits.MAX_DEPTH:
                raise UserError(f"There are more than {limits.MAX_DEPTH} brackets within each other.")
        key = ""
        count += 1
        if not count % _EVERY:
            clock.check()
            limits.check_count(count, limits.MAX_ENTRIES, "entries")
    if key or len(within) > 1:
        raise ValueError("it ends before its last bracket or value")
    return _simple(whole)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _simple(entries: dict[str, list[Any]]) -> dict[str, Any]:
    """The same without a list around what stands once, unless networkx wrote a list there."""
    found: dict[str, Any] = {}
    for key, values in entries.items():
        kept = [_simple(value) if isinstance(value, dict) else value for value in values if value not in _LISTS]
        found[key] = kept[0] if len(values) == len(kept) == 1 else kept
    return found


# A zip of text files as the TU Dortmund collection has them


_PARTS = ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes", "edge_labels")
_NEEDED = _PARTS[:3]
_LABEL = "node label"  # what columns of node labels are called
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # bz2 and lzma unpack all they were given at once
_LOCKED = 1  # bit of a member's flags
_ENTRY = b"PK\x01\x02"  # begins each entry of an archive's directory
_LOCAL_HEADER = 30  # bytes before a member's name, at least
_ZIP_CHUNK = 1 << 20
_BETWEEN = "," + "".join(filter(str.isspace, map(chr, range(0x3001))))  # all that a text is split at


def read_zip(name: str, data: bytes, clock: limits.Clock) -> Draft:
    """Read what is needed of an archive; how large a file really is is found out while it is unpacked."""
    if data.count(_ENTRY) > 10 * limits.MAX_MEMBERS:  # before each becomes an object; folders have entries too
        raise UserError(_crowded(name))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts, others = _unpacked(name, archive, clock)
    except UserError:
        raise
    except Exception as error:  # unpacking raises whatever the layer raises that a damaged byte reaches
        raise UserError(f"{name} is not a whole zip archive, or a locked one.") from error
    missing = [part for part in _NEEDED if part not in texts]
    if missing:
        raise UserError(f"{name} contains no file that ends in _{missing[0]}.txt, which the TU format needs.")
    return _tu_draft(name, texts, others, clock)


def _unpacked(name: str, archive: zipfile.ZipFile, clock: limits.Clock) -> tuple[dict[str, str], int]:
    """The texts by part of the format, and how many other files there are."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > limits.MAX_MEMBERS:
        raise UserError(_crowded(name))
    _check_overlap(name, members)
    room, texts, others = limits.MAX_UNPACKED, {}, 0
    for member in members:
        stem = PurePosixPath(member.filename).name
        part = next((part for part in _PARTS if stem.endswith(f"_{part}.txt")), None)
        if part is None or stem.startswith("._"):
            others += 1
            continue
        if part in texts:
            raise UserError(f"{name} contains two files that end in _{part}.txt: zip one data set at a time.")
        content = _content(name, archive, member, room, clock)
        room -= len(content)
        try:
            texts[part] = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"“{shortened(stem)}” in {name} is not text.") from error
    return texts, others


def _crowded(name: str) -> str:
    return f"{name} contains more than {limits.MAX_MEMBERS} files: zip the text files of one data set."


def _check_overlap(name: str, members: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive whose members share bytes: a few of them would become many."""
    end = 0
    for member in sorted(members, key=lambda member: member.header_offset):
        if member.header_offset < end:
            raise UserError(f"{name} contains files that overlap: zip the text files again.")
        end = member.header_offset + _LOCAL_HEADER + member.compress_size


def _content(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int, clock: limits.Clock) -> bytearray:
    """What is in a member, of at most so many bytes, whatever the archive says of its size."""
    if member.flag_bits & _LOCKED:
        raise UserError(f"{name} is locked by a password: zip the text files without one.")
    if member.compress_type not in _METHODS:
        raise UserError(f"{name} is packed in a way that is not read: zip the text files with the usual one (deflate).")
    content = bytearray()
    with archive.open(member) as file:
        while chunk := file.read(_ZIP_CHUNK):
            content += chunk
            if len(content) > room:
                raise UserError(f"{name} unpacks to more than {limits.MAX_UNPACKED // 2**20} MB: upload a part of it.")
            clock.check()
    return content


def _tu_draft(name: str, texts: dict[str, str], others: int, clock: limits.Clock) -> Draft:
    found = {part: _numbers(part, texts[part]) for part in ("A", "graph_indicator", "graph_labels")}
    clock.check()
    if len(found["A"]) % 2:
        raise UserError(f"The file _A.txt in {name} should contain two node numbers in each line.")
    edges, graph = found["A"].reshape(-1, 2) - 1, found["graph_indicator"] - 1
    count = len(graph)
    limits.check_count(count, limits.MAX_ALL_NODES, "nodes")
    limits.check_count(len(edges), 2 * limits.MAX_EDGES, "edges in both directions")
    if not count or graph[0] != 0 or (np.diff(graph) < 0).any() or (np.diff(graph) > 1).any():
        raise UserError(f"The graphs in _graph_indicator.txt of {name} should be numbered 1, 2, 3 … in order.")
    sizes = np.bincount(graph)
    limits.check_count(len(sizes), limits.MAX_GRAPHS, "graphs")
    limits.check_count(int(sizes.max()), limits.MAX_NODES, "nodes in one graph")
    labels = found["graph_labels"]
    if len(labels) != len(sizes):
        labelled = counted(len(labels), "class")
        raise UserError(f"{name} has {counted(len(sizes), 'graph')} but {labelled} in _graph_labels.txt.")
    if len(edges) and (edges.min() < 0 or edges.max() >= count):
        raise UserError(f"An edge in _A.txt of {name} names a node outside 1 … {count}.")
    inside = graph[edges[:, 0]] == graph[edges[:, 1]]
    dropped = [f"{counted(int((~inside).sum()), 'edge')} between nodes of different graphs."] * (not inside.all())
    dropped += [f"{counted(others, 'file')} of the archive in another format."] * (others > 0)
    dropped += ["Labels of edges: the GNNs here do not read them."] * ("edge_labels" in texts)
    edges = edges[inside]
    columns = _columns(name, texts, count, clock)
    once = edges[edges[:, 0] <= edges[:, 1]]  # written in both directions, as the format asks
    return Draft(
        form="zip of TU text files",
        names=tuple(str(number) for size in sizes for number in range(size)),
        columns=columns,
        edges=once if 2 * len(once) >= len(edges) else edges,
        graph=graph,
        graph_labels=tuple(map(str, labels.tolist())),
        dropped=tuple(dropped),
        categories=tuple(title for title in columns if title.startswith(_LABEL)),
    )


def _columns(name: str, texts: dict[str, str], count: int, clock: limits.Clock) -> dict[str, list[str]]:
    """What the files say of nodes: labels, one column for each place of a line, and attributes."""
    columns: dict[str, list[str]] = {}
    for part, title in (("node_labels", _LABEL), ("node_attributes", "attribute")):
        if part not in texts:
            continue
        _check_numbers(part, texts[part], limits.MAX_CELLS)
        rows = [line.replace(",", " ").split() for line in texts[part].splitlines() if line.strip()]
        clock.check()
        width = len(rows[0]) if rows else 0
        if len(rows) != count or any(len(row) != width for row in rows):
            raise UserError(f"The file _{part}.txt in {name} should contain a line for each of the {count:,} nodes.")
        limits.check_count(width, limits.MAX_FEATURES, "features")
        limits.check_count(width * count, limits.MAX_CELLS, "cells (nodes times columns)")
        for place in range(width):
            columns[title if width == 1 else f"{title} {place}"] = [row[place] for row in rows]
    return columns


def _numbers(part: str, text: str) -> Ints:
    most = 4 * limits.MAX_EDGES if part == "A" else limits.MAX_ALL_NODES
    _check_numbers(part, text, most)
    try:
        return tu_numbers(text)
    except (ValueError, OverflowError) as error:
        raise UserError(f"The file _{part}.txt contains something that is not a whole number.") from error


def _check_numbers(part: str, text: str, most: int) -> None:
    """Refuse more numbers than there may be, before a text is split into them; several signs may follow each."""
    limits.check_count(sum(map(text.count, _BETWEEN)), 3 * most, f"numbers in _{part}.txt")
