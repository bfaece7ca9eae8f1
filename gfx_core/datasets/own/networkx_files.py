"""GraphML, GEXF, GML and node-link JSON: files of a graph as networkx writes them.

XML is read by networkx, and looked through first, without building anything: no document type, so no entities that
expand into gigabytes, no more elements than there may be. JSON is looked through for brackets within brackets.

Nodes are known by their names as text: whole numbers can be chosen so that all fall into one slot of a hash table.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

import networkx as nx

from gfx_core.datasets.own import limits
from gfx_core.datasets.own.draft import Draft, as_text, numbered, pairs, shortened, table_of
from gfx_core.datasets.own.gml import parse
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
    graph = _plain(_by_networkx(form, name, lambda: reader(io.BytesIO(plain))))
    several = counts["graph"] - 1
    dropped = [f"{several:,} further graphs of the file: the first one was read."] * (several > 0)
    return _draft(graph, form, dropped, clock)


def read_gml(name: str, text: str, clock: limits.Clock) -> Draft:
    """A GML file."""
    try:
        graph = parse(text, clock).get("graph")
        if isinstance(graph, list):
            raise ValueError("it holds more than one graph")
        if not isinstance(graph, dict):
            raise ValueError("it holds no graph")
        nodes, edges = (_elements(graph, noun) for noun in ("node", "edge"))
        limits.check_count(len(nodes), limits.MAX_NODES, "nodes in one graph")
        limits.check_count(len(edges), limits.MAX_EDGES, "edges")
        known = [_popped(node, "node", number, "id") for number, node in enumerate(nodes)]
        places = numbered(known)
        if len(places) < len(known):
            raise ValueError("two nodes have the same id")
        ends = [
            (_popped(edge, "edge", number, "source"), _popped(edge, "edge", number, "target"))
            for number, edge in enumerate(edges)
        ]
        lost = next((end for pair in ends for end in pair if end not in places), None)
        if lost is not None:
            raise ValueError(f"an edge names a node “{shortened(lost)}” that is not there")
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"{name} cannot be read as GML ({shortened(str(error))}): {_AGAIN}") from error
    return _draft(_Graph(known, nodes, ends, edges, bool(graph.get("directed"))), "GML", [], clock)


def _elements(graph: Mapping[str, Any], noun: str) -> list[dict[str, Any]]:
    """The nodes or edges of a GML graph, whether there are none, one or several."""
    found = graph.get(noun, [])
    found = found if isinstance(found, list) else [found]
    if not all(isinstance(element, dict) for element in found):
        raise ValueError(f"one {noun} is not in brackets")
    return found


def _popped(element: dict[str, Any], noun: str, number: int, key: str) -> str:
    """An entry that names a node, as text; it is taken out."""
    value = element.pop(key, None)
    if not isinstance(value, str | int | float):
        raise ValueError(f"{noun} {number} has no “{key}”")
    return as_text(value)


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
    same = numbered(f"{type(node['id']).__name__} {node['id']}" for node in nodes)
    first: dict[str, dict[str, Any]] = {}
    for node in nodes:
        first.setdefault(str(node["id"]), {}).update(node)
    if len(first) < len(same):
        raise UserError("Two nodes of this node-link JSON have the same name in writing, such as 1 and “1”.")
    ends = [(str(link["source"]), str(link["target"])) for link in links]
    kept = [number for number, (one, other) in enumerate(ends) if one in first and other in first]
    dropped = [f"{len(links) - len(kept):,} edges that name a node which is not in the list."] * (
        len(kept) < len(links)
    )
    twice = len(nodes) - len(first)
    dropped += [f"{twice:,} nodes whose “id” another one has."] * bool(twice)
    graph = _Graph(
        list(first),
        [{key: value for key, value in node.items() if key != "id"} for node in first.values()],
        [ends[number] for number in kept],
        [{key: value for key, value in links[number].items() if key not in ("source", "target")} for number in kept],
        bool(data.get("directed")),
    )
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
            limits.check_count(counts["graph"], limits.MAX_MEMBERS, "graphs in one file")
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


@dataclass(frozen=True)
class _Graph:
    """A graph as a file has it.

    Attributes:
        names: What the nodes are called, each once.
        nodes: What is said of each.
        ends: The names of the two nodes of each edge.
        edges: What is said of each.
        directed: Whether edges have directions.
    """

    names: list[str]
    nodes: list[dict[str, Any]]
    ends: list[tuple[str, str]]
    edges: list[dict[str, Any]]
    directed: bool


def _plain(graph: nx.Graph) -> _Graph:
    """A graph of networkx, whose readers of XML name nodes by texts."""
    edges = list(graph.edges(data=True))
    return _Graph(
        list(map(str, graph.nodes)),
        [about for _, about in graph.nodes(data=True)],
        [(str(one), str(other)) for one, other, _ in edges],
        [about for _, _, about in edges],
        graph.is_directed(),
    )


def _draft(graph: _Graph, form: str, dropped: list[str], clock: limits.Clock) -> Draft:
    clock.check()
    names = numbered(graph.names)
    columns, lost = table_of(
        ({key: value for key, value in about.items() if key not in _LOOKS} for about in graph.nodes), clock
    )
    edge_columns, _ = table_of(graph.edges, clock)
    looks = any(key in about for about in graph.nodes for key in _LOOKS)
    understood = []
    if graph.directed:
        understood.append("Its edges have directions; an explanation needs none, so each edge counts in both.")
    return Draft(
        form=form,
        names=tuple(map(shortened, names)),
        columns=columns,
        edges=pairs((names[one], names[other]) for one, other in graph.ends),
        edge_columns=edge_columns,
        dropped=(*dropped, *lost, *(["Positions, colours and sizes of nodes: pictures are laid out here."] * looks)),
        understood=tuple(understood),
    )
