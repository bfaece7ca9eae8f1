"""Graphs of the cut-vertex lab, changes to their edges, and orders in which a connected set can grow in them."""

import random
import string
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt
from typing import Any

import networkx as nx
import numpy as np

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import Points, graph_layout

Edge = tuple[int, int]
"""Two nodes, the smaller first."""
LEAST, MOST = 3, 26
"""How many nodes a graph to play with may have: as many as there are letters."""
MOST_GROWN = 20
"""How large a set grows in the lab: the paper's K_M, and a matrix that can still be read."""

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
    def neighbours(self) -> list[list[int]]:
        """For each node the nodes it is linked to, in order."""
        return neighbour_lists(len(self.names), self.edges)


def neighbour_lists(num_nodes: int, edges: Iterable[Edge]) -> list[list[int]]:
    """For each node the nodes it is linked to, in order."""
    lists: list[list[int]] = [[] for _ in range(num_nodes)]
    for a, b in edges:
        lists[a].append(b)
        lists[b].append(a)
    return [sorted(neighbours) for neighbours in lists]


def edge(a: int, b: int) -> Edge:
    """The edge between two nodes, as it is written everywhere."""
    return (a, b) if a < b else (b, a)


def _family(kind: GraphKind, size: int, seed: int) -> "nx.Graph[int]":
    if kind is GraphKind.PATH:
        return nx.path_graph(size)
    if kind is GraphKind.CYCLE:
        return nx.cycle_graph(size)
    if kind is GraphKind.TREE:
        return nx.full_rary_tree(2, size)
    if kind is GraphKind.GRID:
        wide = ceil(sqrt(size))
        return nx.convert_node_labels_to_integers(nx.grid_2d_graph(wide, wide)).subgraph(range(size))
    if kind is GraphKind.CLIQUES:  # neighbouring cliques share one node
        first = range(0, size - 1, _CLIQUE - 1)
        return nx.compose_all([nx.complete_graph(range(node, min(node + _CLIQUE, size))) for node in first])
    rng = random.Random(seed)
    graph = nx.Graph((rng.randrange(max(0, node - 4), node), node) for node in range(1, size))
    wanted = min(size - 1 + round(_EXTRA * size), size * (size - 1) // 2)
    while graph.number_of_edges() < wanted:
        graph.add_edge(*rng.sample(range(size), 2))
    return graph


def lab_graph(kind: GraphKind, size: int, seed: int = 0) -> LabGraph:
    """A connected graph of a family, with nodes a, b, c …; the seed is that of the random family."""
    edges = sorted(edge(*ends) for ends in _family(kind, size, seed).edges)
    if kind is GraphKind.PATH:  # rows, to and fro, in a zigzag so that no link hides behind a node
        nodes = np.arange(size, dtype=np.float64)
        row, column = np.divmod(nodes, _PER_ROW)
        across = np.where(row % 2 == 0, column, _PER_ROW - 1 - column)
        points = np.stack([across, -1.6 * row + 0.3 * (-1) ** nodes], axis=1)
    else:
        points = graph_layout(size, np.array([*edges, *((b, a) for a, b in edges)]).T)
    return LabGraph(tuple(string.ascii_lowercase[:size]), tuple(edges), points)


def graph_of(instance: Instance) -> LabGraph:
    """An instance as it is drawn everywhere."""
    edges = tuple((int(a), int(b)) for a, b in instance.edge_index[:, instance.undirected].T)
    names = tuple(instance.node_label(node) for node in range(instance.num_nodes))
    return LabGraph(names, edges, instance_layout(instance), instance.target or 0)


def flip_edges(graph: LabGraph, flips: Iterable[Edge]) -> LabGraph:
    """The graph with some edges flipped: one that is there goes, one that is not comes."""
    nodes = range(len(graph.names))
    edges = set(graph.edges)
    for a, b in flips:
        if a != b and a in nodes and b in nodes:
            edges ^= {edge(a, b)}
    return replace(graph, edges=tuple(sorted(edges)))


def cut_off(graph: LabGraph, members: Collection[int], start: int, node: int) -> list[int]:
    """The nodes of a set that are no longer linked to its start node when another node goes: none if it may go."""
    rest: nx.Graph[Any] = nx.Graph(graph.edges).subgraph({*members} - {node})
    return sorted(set(rest) - nx.node_connected_component(rest, start))


def growth_order(graph: LabGraph, chosen: Sequence[int], seed: int, most: int = MOST_GROWN) -> list[int]:
    """An order of nodes: first those that were chosen, as far as they can be added, then random ones.

    Args:
        graph: Where the set grows.
        chosen: The nodes that are wanted first; the start node of the graph if there are none.
        seed: Of the random rest.
        most: How large the set grows.
    """
    neighbours = graph.neighbours
    order: list[int] = []
    for node in chosen:
        fits = node in range(len(neighbours)) and node not in order
        if not fits or (order and not set(order) & set(neighbours[node])):
            break
        order.append(node)
    return random_order(neighbours, order[:most] or [graph.start], most, random.Random(seed))


def links_of(neighbours: Sequence[Sequence[int]], order: Sequence[int]) -> list[list[int]]:
    """For each node of a growth the earlier ones it touches, both by their number in the order."""
    at = {node: i for i, node in enumerate(order)}
    return [sorted(at[other] for other in neighbours[node] if at.get(other, i) < i) for node, i in at.items()]


def growths(dataset: str, index: int, size: int, seed: int, count: int) -> list[list[list[int]]]:
    """Several growths, each to ``size`` nodes, as `links_of` writes them.

    They are around an instance: in the whole graph of a node task, in the graph itself of a graph task.
    """
    if (data := load_dataset(dataset)).task is Task.NODE:
        pairs = ((int(a), int(b)) for a, b in data.edge_index.T if a < b)
        neighbours, start = neighbour_lists(data.num_nodes, pairs), index
    else:
        graph = graph_of(data.instance(index))
        neighbours, start = graph.neighbours, graph.start
    rngs = (random.Random(f"{seed}-{number}") for number in range(count))
    return [links_of(neighbours, random_order(neighbours, [start], size, rng)) for rng in rngs]


def random_order(neighbours: Sequence[Sequence[int]], order: Sequence[int], most: int, rng: random.Random) -> list[int]:
    """A connected set grows on, each time by a random node of its frontier."""
    grown, reached, frontier = list(order), set(order), list[int]()

    def look_around(node: int) -> None:
        for other in neighbours[node]:
            if other not in reached:
                reached.add(other)
                frontier.append(other)

    for node in order:
        look_around(node)
    while frontier and len(grown) < most:
        at = rng.randrange(len(frontier))
        frontier[at], frontier[-1] = frontier[-1], frontier[at]
        grown.append(frontier.pop())
        look_around(grown[-1])
    return grown
