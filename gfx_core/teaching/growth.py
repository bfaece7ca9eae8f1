"""Graphs of the cut-vertex lab, changes to their edges, and orders in which a connected set can grow in them."""

import random
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt

import networkx as nx
import numpy as np

from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.layout import Points, graph_layout, instance_layout

Edge = tuple[int, int]
"""Two nodes, the smaller first."""

LEAST, MOST = 3, 26
"""How many nodes a graph to play with may have: as many as there are letters."""

MOST_GROWN = 20
"""How large a set grows in the lab: the paper's K_M, and a matrix that can still be read."""

DATASETS = ("tree_cycles", "tree_grid", "ba_2motifs")
"""Data sets whose instances are small enough to be drawn here."""

_CLIQUE = 4
_EXTRA = 0.35  # of a random graph's nodes: so many more edges than a tree has
_PER_ROW = 7  # of a path that is drawn in rows


class GraphKind(StrEnum):
    """A family of graphs."""

    PATH = "path"
    CYCLE = "cycle"
    TREE = "tree"
    GRID = "grid"
    CLIQUES = "cliques"
    RANDOM = "random"
    INSTANCE = "instance"


@dataclass(frozen=True, eq=False)
class LabGraph:
    """An undirected graph with a fixed drawing.

    Attributes:
        names: What is written on each node.
        edges: Each edge once.
        points: Where the nodes are drawn. [n, 2]
        start: Where a growth starts.
    """

    names: tuple[str, ...]
    edges: tuple[Edge, ...]
    points: Points
    start: int = 0

    @property
    def num_nodes(self) -> int:
        return len(self.names)

    @property
    def neighbours(self) -> list[list[int]]:
        """For each node the nodes it is linked to, in order."""
        return neighbour_lists(self.num_nodes, self.edges)


def edge(a: int, b: int) -> Edge:
    """The edge between two nodes, as it is written everywhere."""
    return (a, b) if a < b else (b, a)


def neighbour_lists(num_nodes: int, edges: Iterable[Edge]) -> list[list[int]]:
    """For each node the nodes it is linked to, in order."""
    lists: list[list[int]] = [[] for _ in range(num_nodes)]
    for a, b in edges:
        lists[a].append(b)
        lists[b].append(a)
    return [sorted(each) for each in lists]


def family_edges(kind: GraphKind, size: int, seed: int = 0) -> list[Edge]:
    """The edges of a connected graph of a family, of any size.

    Args:
        kind: The family; not an instance.
        size: How many nodes.
        seed: Of the random family.
    """
    if kind is GraphKind.PATH:
        return [(i, i + 1) for i in range(size - 1)]
    if kind is GraphKind.CYCLE:
        return [(i, i + 1) for i in range(size - 1)] + ([(0, size - 1)] if size > 2 else [])
    if kind is GraphKind.TREE:
        return [((i - 1) // 2, i) for i in range(1, size)]
    if kind is GraphKind.GRID:
        wide = ceil(sqrt(size))
        right = [(i, i + 1) for i in range(size - 1) if (i + 1) % wide]
        return right + [(i, i + wide) for i in range(size - wide)]
    if kind is GraphKind.CLIQUES:  # neighbouring cliques share one node
        shared = [range(first, min(first + _CLIQUE, size)) for first in range(0, size - 1, _CLIQUE - 1)]
        return [(a, b) for clique in shared for a in clique for b in clique if a < b]
    rng = random.Random(seed)
    tree = {(rng.randrange(max(0, i - 4), i), i) for i in range(1, size)}
    wanted = min(size - 1 + round(_EXTRA * size), size * (size - 1) // 2)
    while len(tree) < wanted:
        tree.add(edge(*rng.sample(range(size), 2)))
    return sorted(tree)


def lab_graph(kind: GraphKind, size: int, seed: int = 0) -> LabGraph:
    """A graph of a family, with nodes a, b, c … and a drawing that suits it."""
    if not LEAST <= size <= MOST:
        raise UserError(f"A graph has between {LEAST} and {MOST} nodes here (got {size}).")
    edges = tuple(family_edges(kind, size, seed))
    return LabGraph(tuple(string.ascii_lowercase[:size]), edges, _drawing(kind, size, edges))


def instance_graph(dataset: str, index: int) -> LabGraph:
    """What the GNN sees of one node, or one graph, of a data set."""
    if dataset not in DATASETS:
        raise UserError(f"The lab shows instances of {', '.join(DATASETS)} (got “{dataset}”).")
    instance = load_dataset(dataset).instance(index)
    edges = tuple((int(a), int(b)) for a, b in instance.edge_index[:, instance.undirected].T)
    names = tuple(instance.node_label(node) for node in range(instance.num_nodes))
    return LabGraph(names, edges, instance_layout(instance), instance.target or 0)


def edited(graph: LabGraph, flips: Iterable[Edge]) -> LabGraph:
    """The graph with some edges flipped: one that is there goes, one that is not comes."""
    edges = set(graph.edges)
    for a, b in flips:
        if a != b and min(a, b) >= 0 and max(a, b) < graph.num_nodes:
            edges ^= {edge(a, b)}
    return replace(graph, edges=tuple(sorted(edges)))


def random_order(neighbours: Sequence[Sequence[int]], start: int, most: int, rng: random.Random) -> list[int]:
    """A connected set grows from a node, each time by a random node of its frontier."""
    return _continued(neighbours, [start], most, rng)


def grown(graph: LabGraph, chosen: Sequence[int], seed: int, most: int = MOST_GROWN) -> list[int]:
    """An order of nodes: first those that were chosen, as far as they can be added, then random ones.

    Args:
        graph: Where the set grows.
        chosen: The nodes that somebody wants first; the start node of the graph if there are none.
        seed: Of the random rest.
        most: How large the set grows.
    """
    neighbours = graph.neighbours
    order: list[int] = []
    for node in chosen:
        fits = 0 <= node < graph.num_nodes and node not in order
        if not fits or (order and not any(other in order for other in neighbours[node])):
            break
        order.append(node)
    return _continued(neighbours, order[:most] or [graph.start], most, random.Random(seed))


def links_of(neighbours: Sequence[Sequence[int]], order: Sequence[int]) -> list[list[int]]:
    """For each node of a growth the earlier ones it touches, both by their place in the order."""
    place = {node: i for i, node in enumerate(order)}
    return [sorted(place[other] for other in neighbours[node] if place.get(other, i) < i) for node, i in place.items()]


def family_growths(kind: GraphKind, size: int, seed: int, count: int) -> list[list[list[int]]]:
    """Several growths in one large graph of a family, each to ``size`` nodes, as `links_of` writes them."""
    neighbours = neighbour_lists(size, family_edges(kind, size, seed))
    return _growths(neighbours, 0, size, seed, count)


def dataset_growths(dataset: str, index: int, size: int, seed: int, count: int) -> list[list[list[int]]]:
    """Several growths around one instance: in the whole graph of a node task, in the graph itself of a graph task."""
    data = load_dataset(dataset)
    if data.task is Task.GRAPH:
        graph = instance_graph(dataset, index)
        return _growths(graph.neighbours, graph.start, size, seed, count)
    pairs = ((int(a), int(b)) for a, b in data.edge_index.T if a < b)
    return _growths(neighbour_lists(data.num_nodes, pairs), index, size, seed, count)


def _growths(
    neighbours: Sequence[Sequence[int]], start: int, size: int, seed: int, count: int
) -> list[list[list[int]]]:
    rngs = (random.Random(f"{seed}-{number}") for number in range(count))
    return [links_of(neighbours, random_order(neighbours, start, size, rng)) for rng in rngs]


def _continued(neighbours: Sequence[Sequence[int]], order: list[int], most: int, rng: random.Random) -> list[int]:
    order = list(order)
    seen = set(order)
    frontier: list[int] = []

    def look_around(node: int) -> None:
        for other in neighbours[node]:
            if other not in seen:
                seen.add(other)
                frontier.append(other)

    for node in order:
        look_around(node)
    while frontier and len(order) < most:
        at = rng.randrange(len(frontier))
        frontier[at], frontier[-1] = frontier[-1], frontier[at]
        order.append(frontier.pop())
        look_around(order[-1])
    return order


def _drawing(kind: GraphKind, size: int, edges: Sequence[Edge]) -> Points:
    places = np.arange(size, dtype=np.float64)
    if kind is GraphKind.PATH:  # rows, to and fro, in a zigzag so that no link hides behind a node
        row, column = np.divmod(places, _PER_ROW)
        across = np.where(row % 2 == 0, column, _PER_ROW - 1 - column)
        return np.stack([across, -1.6 * row + 0.3 * (-1) ** places], axis=1)
    if kind is GraphKind.CYCLE:
        turn = 2 * np.pi * places / size
        return np.stack([-np.cos(turn), np.sin(turn)], axis=1) * size / (2 * np.pi)
    if kind is GraphKind.GRID:
        row, column = np.divmod(places, ceil(sqrt(size)))
        return np.stack([column, -row], axis=1)
    if kind is GraphKind.TREE:
        return _tree_drawing(size)
    if kind is GraphKind.CLIQUES:  # what two cliques share lies on a line, the others above and below it
        clique, within = np.divmod(places, _CLIQUE - 1)
        height = np.choose(within.astype(int), [0.0, 0.85, -0.85])
        return np.stack([1.9 * clique + 0.95 * (within > 0), height + 0.35 * (-1) ** clique], axis=1)
    both = np.array([*edges, *((b, a) for a, b in edges)], dtype=np.int64).T
    return graph_layout(size, both)


def _tree_drawing(size: int) -> Points:
    """Levels from top to bottom, each node between its children."""
    graph = nx.Graph(family_edges(GraphKind.TREE, size))
    points = np.zeros((size, 2))
    across = 0.0

    def place(node: int, depth: int) -> float:
        nonlocal across
        children = [child for child in graph[node] if child > node]
        if children:
            spots = [place(child, depth + 1) for child in children]
            x = sum(spots) / len(spots) + (0.5 if len(spots) == 1 else 0.0)
        else:
            x = across
            across += 1.0
        points[node] = x, -1.1 * depth
        return x

    place(0, 0)
    return points
