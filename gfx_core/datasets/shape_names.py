"""What to call a small connected graph: the ring 595–600, the house 301–305 with node 12.

Only its shape is looked at, never the motifs that a data set says it has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import networkx as nx

from gfx_core.datasets.info import HOUSE
from gfx_core.number_words import listed, ranges

_MOST_PARTS = 8  # ranges or single nodes that are told one by one
_REST = 0.6  # of a shape's size: with more nodes besides it is not named for that shape, nor is it looked for long
_MATCHES = 64  # of one shape in a graph, between which one is chosen
_GRIDS = ((3, 3), (2, 4), (2, 3))


@dataclass(frozen=True)
class Name:
    """What something is called.

    Attributes:
        text: With its article: "the ring 595–600".
        several: Whether the words are in the plural.
    """

    text: str
    several: bool = False


def shape_name(graph: nx.Graph, labels: Mapping[int, str], noun: str = "node") -> Name:
    """What to call a connected graph.

    Args:
        graph: At least one node.
        labels: What people call each node: numbers, mostly.
        noun: What a node is called.
    """
    told = _Told(labels, noun)
    if len(graph) == 1:
        return Name(told.nodes(graph))
    if len(graph) == 2:
        return Name(f"the edge between {told.few(sorted(graph))}")
    whole = _known(graph, told)
    if whole is not None:
        return Name(f"the {whole}")
    if nx.is_tree(graph):
        return Name(f"the tree of {told.nodes(graph)}")
    return _with_the_rest(graph, told) or Name(f"the subgraph of {told.nodes(graph)}")


@dataclass(frozen=True)
class _Told:
    """Nodes in words."""

    labels: Mapping[int, str]
    noun: str

    def few(self, nodes: Iterable[int]) -> str:
        """Numbers as ranges, other labels one by one."""
        labels = [self.labels[node] for node in nodes]
        if all(label.isdecimal() for label in labels):
            return ranges([int(label) for label in labels], _MOST_PARTS)
        return listed(labels, _MOST_PARTS)

    def nodes(self, nodes: Iterable[int]) -> str:
        """The same with the noun before it: node 5, nodes 5–7."""
        given = list(nodes)
        return f"{self.noun}{'s' if len(given) > 1 else ''} {self.few(given)}"

    def place(self, node: int) -> tuple[int, str]:
        """By which nodes are put in order."""
        label = self.labels[node]
        return (int(label) if label.isdecimal() else 0), label


def _known(graph: nx.Graph, told: _Told) -> str | None:
    """The shape's name without its article, if it has one."""
    n, edges = len(graph), graph.number_of_edges()
    degrees = sorted(degree for _, degree in graph.degree)
    if edges == n - 1 and degrees[-1] == n - 1 > 2:
        centre = max(graph, key=graph.degree)
        return f"star around {told.few([centre])} with {told.few(set(graph) - {centre})}"
    if edges == n - 1 and degrees[-1] <= 2:
        return _path(graph, told)
    shape = _closed_shape(graph, degrees)
    return None if shape is None else f"{shape} {told.few(graph)}"


def _path(graph: nx.Graph, told: _Told) -> str:
    """Along the path from the end with the lower number."""
    ends = sorted((node for node, degree in graph.degree if degree == 1), key=told.place)
    way = list(nx.dfs_preorder_nodes(graph, ends[0]))
    labels = [told.labels[node] for node in way]
    if all(label.isdecimal() for label in labels):
        numbers = [int(label) for label in labels]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return f"path {numbers[0]}–{numbers[-1]}"
    if len(way) > _MOST_PARTS:
        return f"path of {len(way)} {told.noun}s from {labels[0]} to {labels[-1]}"
    return f"path through {listed(labels)}"


def _closed_shape(graph: nx.Graph, degrees: Sequence[int]) -> str | None:
    """A shape that is no tree: each of its nodes is on a ring."""
    n, edges = len(graph), graph.number_of_edges()
    if degrees[0] == degrees[-1] == 2:
        return "triangle" if n == 3 else "ring"
    if edges == n * (n - 1) // 2:
        return "complete graph"
    for name, shape in _shapes().items():
        if (n, edges) == (len(shape), shape.number_of_edges()) and nx.is_isomorphic(graph, shape):
            return name
    return None


@cache
def _shapes() -> dict[str, nx.Graph]:
    """Shapes that are known by their edges, the largest first."""
    grids = {f"{rows}×{columns} grid": nx.grid_2d_graph(rows, columns) for rows, columns in _GRIDS}
    return {**grids, "house": nx.Graph(HOUSE.edges)}


def _with_the_rest(graph: nx.Graph, told: _Told) -> Name | None:
    """A shape with other nodes on it, or several shapes that are joined; None where there is none."""
    for parts in (_blocks(graph), _inside(graph, told)):
        if parts:
            held = set().union(*(nodes for _, nodes in parts))
            shapes = [f"the {shape} {told.few(nodes)}" for shape, nodes in parts]
            rest = set(graph) - held
            text = listed(shapes, _MOST_PARTS) + (f" with {told.nodes(rest)}" if rest else "")
            return Name(text, several=len(parts) > 1)
    return None


_Parts = list[tuple[str, set[int]]]


def _blocks(graph: nx.Graph) -> _Parts:
    """The pieces that hang together without a cut vertex, if all that are more than an edge have a name."""
    parts: _Parts = []
    blocks: list[Any] = list(nx.biconnected_components(graph))
    for nodes in sorted(blocks, key=lambda block: (-len(block), min(block))):
        if len(nodes) > 2:
            block = graph.subgraph(nodes)
            shape = _closed_shape(block, sorted(degree for _, degree in block.degree))
            if shape is None:
                return []
            parts.append((shape, nodes))
    return parts


def _inside(graph: nx.Graph, told: _Told) -> _Parts:
    """The largest known shape that the graph holds as an induced subgraph, and little else."""
    for name, shape in _shapes().items():
        if len(shape) < len(graph) <= (1 + _REST) * len(shape):
            matches = nx.algorithms.isomorphism.GraphMatcher(graph, shape).subgraph_isomorphisms_iter()
            found = [set(match) for match in islice(matches, _MATCHES)]
            if found:
                return [(name, min(found, key=_spread(told)))]
    return []


def _spread(told: _Told) -> Callable[[set[int]], tuple[int, list[tuple[int, str]]]]:
    """Nodes that belong together have been numbered together: between their lowest and highest number lies little."""

    def spread(nodes: set[int]) -> tuple[int, list[tuple[int, str]]]:
        places = sorted(map(told.place, nodes))
        return places[-1][0] - places[0][0], places

    return spread
