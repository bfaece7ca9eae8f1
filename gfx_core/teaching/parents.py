"""Which nodes of a set may be removed: puzzles, answers and reasons, by looking at every removal (no 𝒵 here)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import networkx as nx

from gfx_core.teaching.growth import GraphKind, LabGraph, edited, grown, lab_graph, links_of
from gfx_core.text.numbers import listed


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
        object.__setattr__(self, "graph", edited(lab_graph(self.kind, self.size, self.seed), self.flips))

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
    Puzzle(GraphKind.CLIQUES, 9, (0, 1, 2, 3, 4, 5, 6, 7), "Tight groups, and what holds them together."),
    Puzzle(GraphKind.GRID, 9, (0, 1, 3, 4, 5, 8, 7), "Part of a grid."),
)
"""From easy to hard."""

_TRIES = 6  # random graphs, of which the one with the most cut vertices is taken


def puzzle(number: int) -> Puzzle:
    """A puzzle by its number, from 1; behind the prepared ones come random ones, without end."""
    if 1 <= number <= len(PUZZLES):
        return PUZZLES[number - 1]
    found = (_random_puzzle(seed) for seed in range(_TRIES * number, _TRIES * (number + 1)))
    return max(found, key=lambda each: len(each.order) - 1 - len(removable(each.graph, each.order, each.start)))


def _random_puzzle(seed: int) -> Puzzle:
    graph = lab_graph(GraphKind.RANDOM, 12, seed)
    return Puzzle(GraphKind.RANDOM, 12, tuple(grown(graph, [], seed, most=9)), "A random one.", seed=seed)


def pieces_without(graph: LabGraph, members: Collection[int], node: int) -> list[set[int]]:
    """The connected pieces that are left of a set when a node goes, larger first."""
    left: nx.Graph[int] = nx.Graph()
    left.add_nodes_from(set(members) - {node})
    left.add_edges_from((a, b) for a, b in graph.edges if a in left and b in left)
    return sorted((set(piece) for piece in nx.connected_components(left)), key=lambda piece: (-len(piece), min(piece)))


def removable(graph: LabGraph, members: Collection[int], start: int) -> set[int]:
    """The nodes whose removal leaves a valid parent: in one piece, and with the start node."""
    return {node for node in members if node != start and len(pieces_without(graph, members, node)) == 1}


def why(graph: LabGraph, members: Collection[int], start: int, node: int) -> str:
    """Why a node may or may not be removed, in one sentence."""
    name = graph.names[node]
    if node == start:
        return f"{name} is the start node: every set holds it, so it stays."
    pieces = pieces_without(graph, members, node)
    if len(pieces) == 1:
        return f"without {name} the rest stays in one piece."
    lost = sorted(other for piece in pieces if start not in piece for other in piece)
    names = listed([graph.names[other] for other in lost])
    noun, verb = ("node", "would hang") if len(lost) == 1 else ("nodes", "would hang")
    return f"without {name} the {noun} {names} {verb} in the air."


class Mark(StrEnum):
    """What an answer says about one node."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSED = "missed"


@dataclass(frozen=True)
class Answer:
    """An answer, checked.

    Attributes:
        marks: For each node that was picked or should have been: right, wrong or missed.
        reasons: For each of them why.
    """

    marks: Mapping[int, Mark]
    reasons: Mapping[int, str]

    @property
    def perfect(self) -> bool:
        return all(mark is Mark.RIGHT for mark in self.marks.values())

    def of(self, mark: Mark) -> list[int]:
        """The nodes with a mark."""
        return [node for node, own in self.marks.items() if own is mark]


def checked(puzzle: Puzzle, picked: Collection[int]) -> Answer:
    """Compare what somebody picked with what may be removed."""
    free = removable(puzzle.graph, puzzle.order, puzzle.start)
    marks = {
        node: (Mark.RIGHT if node in picked else Mark.MISSED) if node in free else Mark.WRONG
        for node in sorted(free | (set(picked) & set(puzzle.order)))
    }
    return Answer(marks, {node: why(puzzle.graph, puzzle.order, puzzle.start, node) for node in marks})


def ring_with_a_tail(ring: int) -> int:
    """How many nodes may be removed from a ring with one more node that hangs on it, not on the start node."""
    graph = edited(lab_graph(GraphKind.CYCLE, ring + 1), [(0, ring), (0, ring - 1), (ring - 1, ring), (2, ring)])
    assert all(links_of(graph.neighbours, range(ring + 1))[1:])
    return len(removable(graph, range(ring + 1), 0))


def roles(asked: Puzzle, node: int, picked: Collection[int], answer: Answer | None) -> tuple[str, ...]:
    """How a node is drawn: before the answer is checked nothing is given away."""
    if node not in asked.order:
        return ("outside",)
    found = ["member", *(["start"] if node == asked.start else [])]
    if answer is None:
        return (*found, *(["picked"] if node in picked else []))
    mark = answer.marks.get(node)
    if mark is not None:
        found.append("parent" if mark is Mark.MISSED else str(mark))
    if node != asked.start and mark in (None, Mark.WRONG):
        found.append("cut")
    return tuple(found)


def tip(asked: Puzzle, node: int, answer: Answer | None) -> str:
    """What is said about a node that is pointed at."""
    if node not in asked.order:
        return "outside the set"
    if answer is not None and node in answer.reasons:
        return answer.reasons[node]
    return "the start node" if node == asked.start else ""


def torn(asked: Puzzle, answer: Answer | None) -> dict[str, set[int]]:
    """What the first wrong node would leave: the piece with the start node, and what would hang in the air."""
    wrong = [node for node in answer.of(Mark.WRONG) if node != asked.start] if answer else []
    if not wrong:
        return {}
    name, pieces = asked.graph.names[wrong[0]], pieces_without(asked.graph, asked.order, wrong[0])
    held = next(piece for piece in pieces if asked.start in piece)
    return {f"without {name}: still with the start": held, f"without {name}: in the air": set().union(*pieces) - held}
