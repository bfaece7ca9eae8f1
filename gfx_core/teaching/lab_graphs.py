"""Graphs of the cut-vertex lab, changes to their edges, and orders in which a connected set can grow in them."""

import random
import string
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, sqrt

import networkx as nx
import numpy as np

from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import Points, graph_layout
from gfx_core.text.numbers import listed

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


def flip_edges(graph: LabGraph, flips: Iterable[Edge]) -> LabGraph:
    """The graph with some edges flipped: one that is there goes, one that is not comes."""
    edges = set(graph.edges)
    for a, b in flips:
        if a != b and min(a, b) >= 0 and max(a, b) < graph.num_nodes:
            edges ^= {edge(a, b)}
    return replace(graph, edges=tuple(sorted(edges)))


def growth_order(graph: LabGraph, chosen: Sequence[int], seed: int, most: int = MOST_GROWN) -> list[int]:
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
    return random_order(neighbours, order[:most] or [graph.start], most, random.Random(seed))


def links_of(neighbours: Sequence[Sequence[int]], order: Sequence[int]) -> list[list[int]]:
    """For each node of a growth the earlier ones it touches, both by their place in the order."""
    place = {node: i for i, node in enumerate(order)}
    return [sorted(place[other] for other in neighbours[node] if place.get(other, i) < i) for node, i in place.items()]


def growths(dataset: str, index: int, size: int, seed: int, count: int) -> list[list[list[int]]]:
    """Several growths, each to ``size`` nodes, as `links_of` writes them.

    They are around an instance: in the whole graph of a node task, in the graph itself of a graph task.
    """
    if (data := load_dataset(dataset)).task is Task.NODE:
        pairs = ((int(a), int(b)) for a, b in data.edge_index.T if a < b)
        neighbours, start = neighbour_lists(data.num_nodes, pairs), index
    else:
        graph = instance_graph(dataset, index)
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
    if kind is GraphKind.TREE:  # levels from top to bottom, each node above the middle of its children's places
        depth = np.floor(np.log2(places + 1))
        return np.stack([(places + 1.5 - 2**depth) * 2 ** (depth[-1] - depth), -1.1 * depth], axis=1)
    if kind is GraphKind.CLIQUES:  # what two cliques share lies on a line, the others above and below it
        clique, within = np.divmod(places, _CLIQUE - 1)
        height = np.choose(within.astype(int), [0.0, 0.85, -0.85])
        return np.stack([1.9 * clique + 0.95 * (within > 0), height + 0.35 * (-1) ** clique], axis=1)
    both = np.array([*edges, *((b, a) for a, b in edges)], dtype=np.int64).T
    return graph_layout(size, both)


# Which nodes of a set may be removed: puzzles, answers and reasons, by looking at every removal (no 𝒵 here).


@dataclass(frozen=True)
class Puzzle:
    """A set in a graph of the lab.

    Attributes:
        kind: Family of the graph.
        size: Its nodes.
        seed: Of a random graph.
        flips: Edges that are added or removed.
        order: The nodes of the set, the start node first, each one touching one before it.
        hint: What to look at.
    """

    kind: GraphKind
    size: int
    order: tuple[int, ...]
    hint: str
    seed: int = 0
    flips: tuple[tuple[int, int], ...] = ()
    graph: LabGraph = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", flip_edges(lab_graph(self.kind, self.size, self.seed), self.flips))

    @property
    def start(self) -> int:
        return self.order[0]

    @property
    def link(self) -> dict[str, str]:
        """URL parameters with which the lab opens at this set."""
        found = {"graph": str(self.kind), "size": str(self.size), "seed": str(self.seed)}
        found["order"] = ".".join(map(str, self.order))
        found["step"] = str(len(self.order) - 1)
        if self.flips:
            found["edit"] = ".".join(f"{a}-{b}" for a, b in self.flips)
        return found


PUZZLES = (
    Puzzle(GraphKind.PATH, 6, (0, 1, 2, 3), "A chain: which node could have come last?"),
    Puzzle(GraphKind.PATH, 6, (0, 1, 2, 3, 4), "A triangle with a tail.", flips=((0, 2),)),
    Puzzle(GraphKind.CYCLE, 7, (0, 1, 6, 2, 5), "The start node is in the middle, and the ring is not closed yet."),
    Puzzle(GraphKind.CYCLE, 7, (0, 1, 6, 2, 5, 3, 4), "The same ring, closed."),
    Puzzle(GraphKind.CLIQUES, 9, (0, 1, 2, 3, 4, 5, 6, 7), "Tight groups, and the nodes between them."),
    Puzzle(GraphKind.GRID, 9, (0, 1, 3, 4, 5, 8, 7), "Part of a grid."),
)
"""From easy to hard."""

_TRIES = 6  # random graphs, of which the one with the most cut vertices is taken


def puzzle(number: int) -> Puzzle:
    """A puzzle by its number, from 1; behind the prepared ones come random ones, without end."""
    if 1 <= number <= len(PUZZLES):
        return PUZZLES[number - 1]
    found = []
    for seed in range(_TRIES * number, _TRIES * (number + 1)):
        order = growth_order(lab_graph(GraphKind.RANDOM, 12, seed), [], seed, most=9)
        found.append(Puzzle(GraphKind.RANDOM, 12, tuple(order), "A random one.", seed=seed))
    return max(found, key=lambda each: len(each.order) - 1 - len(removable(each.graph, each.order, each.start)))


def pieces_without(graph: LabGraph, members: Collection[int], node: int) -> list[set[int]]:
    """The connected pieces that are left of a set when a node goes, larger first."""
    left: nx.Graph[int] = nx.Graph()
    left.add_nodes_from(set(members) - {node})
    left.add_edges_from((a, b) for a, b in graph.edges if a in left and b in left)
    return sorted((set(piece) for piece in nx.connected_components(left)), key=lambda piece: (-len(piece), min(piece)))


def removable(graph: LabGraph, members: Collection[int], start: int) -> set[int]:
    """The nodes whose removal leaves a valid parent: in one piece, and with the start node."""
    return {node for node in members if node != start and len(pieces_without(graph, members, node)) == 1}


def removal_reason(graph: LabGraph, members: Collection[int], start: int, node: int) -> str:
    """Why a node may or may not be removed, in one sentence."""
    name = graph.names[node]
    if node == start:
        return f"{name} is the start node: every set contains it, so it stays."
    pieces = pieces_without(graph, members, node)
    if len(pieces) == 1:
        return f"without {name} the rest stays in one piece."
    lost = sorted(other for piece in pieces if start not in piece for other in piece)
    names = listed([graph.names[other] for other in lost])
    return f"without {name} the {'node' if len(lost) == 1 else 'nodes'} {names} would be cut off."


class PickMark(StrEnum):
    """What an answer says about one node."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSED = "missed"


@dataclass(frozen=True)
class PuzzleAnswer:
    """An answer, checked.

    Attributes:
        marks: For each node that was picked or should have been: right, wrong or missed.
        reasons: For each of them why.
    """

    marks: Mapping[int, PickMark]
    reasons: Mapping[int, str]

    @property
    def perfect(self) -> bool:
        return all(mark is PickMark.RIGHT for mark in self.marks.values())

    def of(self, mark: PickMark) -> list[int]:
        """The nodes with a mark."""
        return [node for node, own in self.marks.items() if own is mark]


def check_picks(puzzle: Puzzle, picked: Collection[int]) -> PuzzleAnswer:
    """Compare what somebody picked with what may be removed."""
    free = removable(puzzle.graph, puzzle.order, puzzle.start)
    marks = {
        node: (PickMark.RIGHT if node in picked else PickMark.MISSED) if node in free else PickMark.WRONG
        for node in sorted(free | (set(picked) & set(puzzle.order)))
    }
    return PuzzleAnswer(marks, {node: removal_reason(puzzle.graph, puzzle.order, puzzle.start, node) for node in marks})


def ring_with_a_tail(ring: int) -> int:
    """How many nodes may be removed from a ring with one more node that hangs on it, not on the start node."""
    graph = flip_edges(lab_graph(GraphKind.CYCLE, ring + 1), [(0, ring), (0, ring - 1), (ring - 1, ring), (2, ring)])
    assert all(links_of(graph.neighbours, range(ring + 1))[1:])
    return len(removable(graph, range(ring + 1), 0))


def node_roles(puzzle: Puzzle, node: int, picked: Collection[int], answer: PuzzleAnswer | None) -> tuple[str, ...]:
    """How a node is drawn: before the answer is checked nothing is given away."""
    if node not in puzzle.order:
        return ("outside",)
    found = ["member", *(["start"] if node == puzzle.start else [])]
    if answer is None:
        return (*found, *(["picked"] if node in picked else []))
    mark = answer.marks.get(node)
    if mark is not None:
        found.append("parent" if mark is PickMark.MISSED else str(mark))
    if node != puzzle.start and mark in (None, PickMark.WRONG):
        found.append("cut")
    return tuple(found)


def node_tip(puzzle: Puzzle, node: int, answer: PuzzleAnswer | None) -> str:
    """What is said about a node that is pointed at."""
    if node not in puzzle.order:
        return "outside the set"
    if answer is not None and node in answer.reasons:
        return answer.reasons[node]
    return "the start node" if node == puzzle.start else ""


def broken_pieces(puzzle: Puzzle, answer: PuzzleAnswer | None) -> dict[str, set[int]]:
    """What the first wrong node would leave: the piece with the start node, and what would be cut off."""
    wrong = [node for node in answer.of(PickMark.WRONG) if node != puzzle.start] if answer else []
    if not wrong:
        return {}
    name, pieces = puzzle.graph.names[wrong[0]], pieces_without(puzzle.graph, puzzle.order, wrong[0])
    held = next(piece for piece in pieces if puzzle.start in piece)
    return {f"without {name}: still with the start": held, f"without {name}: cut off": set().union(*pieces) - held}
