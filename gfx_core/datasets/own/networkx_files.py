"""GraphML, GEXF, GML and node-link JSON, read by networkx once it is known that they are of a bearable size.

XML is looked through first, without building anything: no document type, so no entities that expand into gigabytes,
no more elements than there may be. JSON and GML are looked through for brackets within brackets.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from xml.parsers import expat

import networkx as nx

from gfx_core.datasets.own import limits
from gfx_core.datasets.own.draft import Draft, numbered, pairs, shortened, table_of
from gfx_core.errors import UserError

_CHUNK = 1 << 16
_DECLARED = re.compile(r"^\s*<\?xml[^>]*\?>")  # may name an encoding that it was not in
_AGAIN = "save it again with the program that made it, or as an edge list."
_LOOKS = ("viz", "graphics")  # positions and colours, which some programs write into the file


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
    plain = _DECLARED.sub("", text, count=1).encode()
    graph = _by_networkx(form, name, lambda: reader(io.BytesIO(plain)))
    several = counts["graph"] - 1
    dropped = [f"{several:,} further graphs of the file: the first one was read."] * (several > 0)
    return _draft(graph, form, dropped, clock)


def read_gml(name: str, text: str, clock: limits.Clock) -> Draft:
    """A GML file."""
    _check_depth(name, text, "[", "]")
    limits.check_count(text.count("node"), limits.MAX_NODES + limits.MAX_EDGES, "nodes")
    limits.check_count(text.count("source"), limits.MAX_EDGES + limits.MAX_NODES, "edges")
    graph = _by_networkx("GML", name, lambda: nx.parse_gml(text.splitlines(), label="id"))
    return _draft(graph, "GML", [], clock)


def read_json(name: str, text: str, clock: limits.Clock) -> Draft:
    """A node-link JSON file, as networkx and d3 write it."""
    _check_depth(name, text, "[{", "]}")
    try:
        data = json.loads(text, parse_constant=_no_number)
    except RecursionError as error:
        raise UserError(f"{name} has more brackets within each other than can be read.") from error
    except ValueError as error:
        raise UserError(f"{name} is not whole JSON ({shortened(str(error))}).") from error
    if isinstance(data, dict) and "schema" in data and "steps" in data:
        raise UserError(f"{name} is a trace, not a graph: open it under “A trace”.")
    links = data.get("links", data.get("edges")) if isinstance(data, dict) else None
    nodes = data.get("nodes") if isinstance(data, dict) else None
    if not isinstance(nodes, list) or not isinstance(links, list):
        raise UserError(f"{name} is JSON, but not a graph: it needs a list “nodes” and a list “links” (or “edges”).")
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
    known = {node["id"] for node in nodes}
    lost = [link for link in links if not {link["source"], link["target"]} <= known]
    dropped = [f"{len(lost):,} edges that name a node which is not in the list."] * bool(lost)
    plain = {
        "directed": bool(data.get("directed")),
        "multigraph": False,
        "graph": {},
        "nodes": nodes,
        "links": [link for link in links if {link["source"], link["target"]} <= known],
    }
    graph = _by_networkx("node-link JSON", name, lambda: nx.node_link_graph(plain, edges="links"))
    twice = len(nodes) - len(graph)
    dropped += [f"{twice:,} nodes whose “id” another one has."] * bool(twice)
    return _draft(graph, "node-link JSON", dropped, clock)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


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
            limits.check_count(counts.total(), limits.MAX_ELEMENTS, "elements")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UserError(
            f"{name} is not whole XML ({expat.ErrorString(error.code)}, line {error.lineno}): {_AGAIN}"
        ) from error
    return counts, root


def _check_depth(name: str, text: str, opening: str, closing: str) -> None:
    """Refuse brackets within brackets within brackets, before a parser goes down into them."""
    depth = deepest = 0
    quoted = escaped = False
    for letter in text:
        if quoted:
            quoted, escaped = (letter != '"' or escaped), letter == "\\" and not escaped
        elif letter == '"':
            quoted, escaped = True, False
        elif letter in opening:
            depth += 1
            deepest = max(deepest, depth)
            if depth > limits.MAX_DEPTH:
                raise UserError(f"{name} has more than {limits.MAX_DEPTH} brackets within each other.")
        elif letter in closing:
            depth -= 1


def _by_networkx(form: str, name: str, read: Callable[[], Any]) -> nx.Graph:
    """A graph, or a sentence on why there is none: readers raise whatever the line that broke them raises."""
    try:
        graph = read()
    except UserError:
        raise
    except Exception as error:
        why = shortened(str(error))
        reason = f" ({why})" if " " in why else ""  # a word alone, such as a missing key, tells people nothing
        raise UserError(f"{name} cannot be read as {form}{reason}: {_AGAIN}") from error
    if not isinstance(graph, nx.Graph):
        raise UserError(f"{name} cannot be read as {form} (it holds no graph): {_AGAIN}")
    return graph


def _draft(graph: nx.Graph, form: str, dropped: list[str], clock: limits.Clock) -> Draft:
    clock.check()
    names = numbered(map(str, graph.nodes))
    if len(names) < len(graph):
        raise UserError(f"Two nodes of this {form} have the same name in writing, such as 1 and “1”.")
    rows = ({key: value for key, value in about.items() if key not in _LOOKS} for _, about in graph.nodes(data=True))
    columns, lost = table_of(rows, clock)
    edge_columns, _ = table_of((about for _, _, about in graph.edges(data=True)), clock)
    looks = any(key in about for _, about in graph.nodes(data=True) for key in _LOOKS)
    understood = []
    if graph.is_directed():
        understood.append("Its edges have directions; an explanation needs none, so each edge counts in both.")
    return Draft(
        form=form,
        names=tuple(map(shortened, names)),
        columns=columns,
        edges=pairs((names[str(one)], names[str(other)]) for one, other in graph.edges()),
        edge_columns=edge_columns,
        dropped=(*dropped, *lost, *(["Positions, colours and sizes of nodes: pictures are laid out here."] * looks)),
        understood=tuple(understood),
    )
