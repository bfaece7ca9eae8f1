"""What to call a part of an instance: by its shape, in chemists' words, or by the words of a sentence.

The ring 595–600, the house 301–305 with node 12; the nitro group on the benzene ring; “not … funny”. Of a graph only
its shape is looked at, never the motifs that a data set says it has. What many have in common is named without
numbers: a ring of six, a house with one more node, a nitro group on a benzene ring.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np

from gfx_core.config import Drawing
from gfx_core.datasets.info import HOUSE
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import FunctionalGroup, groups_of
from gfx_core.text.numbers import listed, number_word, plural, ranges, subscript
from gfx_core.text.typesetting import phrase

_MOST_PARTS = 8  # ranges or single nodes that are named one by one
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


def shape_name(graph: nx.Graph, labels: Mapping[int, str] | None = None, noun: str = "node") -> Name:
    """What to call a connected graph.

    Args:
        graph: At least one node.
        labels: What people call each node: numbers, mostly; ``None`` names the shape alone, "a ring of six".
        noun: What a node is called.
    """
    words: _NodeWords | _NodeCounts = _NodeCounts(noun) if labels is None else _NodeWords(labels, noun)
    if len(graph) == 1:
        return Name(words.alone(graph))
    if len(graph) == 2:
        return Name(words.edge(graph))
    whole = _known(graph, words)
    if whole is not None:
        return Name(whole)
    if nx.is_tree(graph):
        return Name(words.any("tree", graph))
    return _with_the_rest(graph, words) or Name(words.any("subgraph", graph))


@dataclass(frozen=True)
class _NodeWords:
    """Nodes in words, by what each is called."""

    labels: Mapping[int, str]
    noun: str

    def few(self, nodes: Iterable[int]) -> str:
        """Numbers as ranges, other labels one by one, in the order in which they come."""
        labels = [self.labels[node] for node in nodes]
        if all(label.isdecimal() for label in labels):
            return ranges([int(label) for label in labels], _MOST_PARTS)
        return listed(labels, _MOST_PARTS)

    def nodes(self, nodes: Iterable[int]) -> str:
        """The same with the noun before it: node 5, nodes 5–7."""
        these = list(nodes)
        return f"{plural(self.noun) if len(these) > 1 else self.noun} {self.few(these)}"

    def place(self, node: int) -> tuple[int, str]:
        """By which nodes are put in order."""
        label = self.labels[node]
        return (int(label) if label.isdecimal() else 0), label

    alone = rest = nodes

    def edge(self, nodes: Iterable[int]) -> str:
        return f"the edge between {self.few(sorted(nodes))}"

    def star(self, centre: int, others: Collection[int]) -> str:
        return f"the star around {self.few([centre])} with {self.few(others)}"

    def path(self, way: Sequence[int]) -> str:
        """Along the path from the end with the lower number."""
        way = min(way, way[::-1], key=lambda nodes: self.place(nodes[0]))
        labels = [self.labels[node] for node in way]
        if all(label.isdecimal() for label in labels):
            numbers = [int(label) for label in labels]
            if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
                return f"the path {numbers[0]}–{numbers[-1]}"
        if len(way) > _MOST_PARTS:
            return f"the path of {len(way)} {self.noun}s from {labels[0]} to {labels[-1]}"
        return f"the path through {listed(labels)}"

    def any(self, what: str, nodes: Iterable[int]) -> str:
        """A tree, or a subgraph, that has no other name."""
        return f"the {what} of {self.nodes(nodes)}"

    def shapes(self, parts: "_Parts") -> str:
        return listed([f"the {shape} {self.few(nodes)}" for shape, nodes in parts], _MOST_PARTS)


@dataclass(frozen=True)
class _NodeCounts:
    """Nodes in words, by how many there are: what is said of them holds for every graph of that shape."""

    noun: str

    def place(self, node: int) -> tuple[int, str]:
        return node, ""

    def alone(self, nodes: Iterable[int]) -> str:
        return f"a single {self.noun}"

    def edge(self, nodes: Iterable[int]) -> str:
        return "an edge"

    def star(self, centre: int, others: Collection[int]) -> str:
        return f"a star with {number_word(len(others))} arms"

    def path(self, way: Sequence[int]) -> str:
        return f"a path of {number_word(len(way))}"

    def any(self, what: str, nodes: Iterable[int]) -> str:
        return f"a {what} of {number_word(len(list(nodes)))} {self.noun}s"

    def rest(self, nodes: Collection[int]) -> str:
        return f"{number_word(len(nodes))} more {plural(self.noun) if len(nodes) > 1 else self.noun}"

    def shapes(self, parts: "_Parts") -> str:
        """A house; two triangles; a ring of five and a triangle."""
        names = Counter(
            f"{shape} of {number_word(len(nodes))}" if shape in _OF_ANY_SIZE else shape for shape, nodes in parts
        )
        texts = [f"a {name}" if count == 1 else f"{number_word(count)} {plural(name)}" for name, count in names.items()]
        return listed(texts, _MOST_PARTS)


_OF_ANY_SIZE = ("ring", "complete graph")


def _known(graph: nx.Graph, words: _NodeWords | _NodeCounts) -> str | None:
    """The shape's name with its article, if it has one."""
    n, edges = len(graph), graph.number_of_edges()
    degrees = sorted(degree for _, degree in graph.degree)
    if edges == n - 1 and degrees[-1] == n - 1 > 2:
        centre = max(graph, key=graph.degree)
        return words.star(centre, set(graph) - {centre})
    if edges == n - 1 and degrees[-1] <= 2:
        end = next(node for node, degree in graph.degree if degree == 1)
        return words.path(list(nx.dfs_preorder_nodes(graph, end)))
    shape = _closed_shape(graph, degrees)
    return None if shape is None else words.shapes([(shape, _walk(graph, words))])


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


def _with_the_rest(graph: nx.Graph, words: _NodeWords | _NodeCounts) -> Name | None:
    """A shape with other nodes on it, or several shapes that are joined; None where there is none."""
    for parts in (_blocks(graph, words), _inside(graph, words)):
        if parts:
            held = {node for _, nodes in parts for node in nodes}
            rest = set(graph) - held
            text = words.shapes(parts) + (f" with {words.rest(rest)}" if rest else "")
            return Name(text, several=len(parts) > 1)
    return None


_Parts = list[tuple[str, Collection[int]]]


def _walk(graph: nx.Graph, words: _NodeWords | _NodeCounts) -> list[int]:
    """The nodes in the order of a walk from the first one: once round, if it is a ring."""
    in_order = partial(sorted, key=words.place)
    return list(nx.dfs_preorder_nodes(graph, in_order(graph)[0], sort_neighbors=in_order))


def _blocks(graph: nx.Graph, words: _NodeWords | _NodeCounts) -> _Parts:
    """The pieces that hang together without a cut vertex, if all that are more than an edge have a name."""
    parts: _Parts = []
    blocks: list[Any] = list(nx.biconnected_components(graph))
    for nodes in sorted(blocks, key=lambda block: (-len(block), min(block))):
        if len(nodes) > 2:
            block = graph.subgraph(nodes)
            shape = _closed_shape(block, sorted(degree for _, degree in block.degree))
            if shape is None:
                return []
            parts.append((shape, _walk(block, words)))
    return parts


def _inside(graph: nx.Graph, words: _NodeWords | _NodeCounts) -> _Parts:
    """The largest known shape that the graph holds as an induced subgraph, and little else."""
    for name, shape in _shapes().items():
        if len(shape) < len(graph) <= (1 + _REST) * len(shape):
            matches = nx.algorithms.isomorphism.GraphMatcher(graph, shape).subgraph_isomorphisms_iter()
            found = [set(match) for match in islice(matches, _MATCHES)]
            if found:
                return [(name, min(found, key=_spread(words)))]
    return []


def _spread(words: _NodeWords | _NodeCounts) -> Callable[[Collection[int]], tuple[int, list[tuple[int, str]]]]:
    """Nodes that belong together have been numbered together: between their lowest and highest number lies little."""

    def spread(nodes: Collection[int]) -> tuple[int, list[tuple[int, str]]]:
        places = sorted(map(words.place, nodes))
        return places[-1][0] - places[0][0], places

    return spread


_MOST = 4  # kinds of groups that are named one by one
_ELEMENTS = {"C": "carbon", "O": "oxygen", "N": "nitrogen", "S": "sulfur", "P": "phosphorus", "H": "hydrogen"}


def molecule_part_name(instance: Instance, nodes: Collection[int], kind: bool = False) -> Name | None:
    """What chemists call some atoms that hang together; ``None`` if the instance is no molecule.

    Groups that are wholly there are named first, then what is there of others. Hydrogens of whole groups and rings may
    be there or not, others are told. Without RDKit, and where nothing has a name, it is a formula. A ``kind`` is named
    without hydrogens and whatever else the molecule contains: a nitro group, and not one of the 3 nitro groups.
    """
    elements = [instance.node_label(node) for node in range(instance.num_nodes)]
    if not all(element.isalpha() and len(element) <= 2 for element in elements):
        return None
    groups = groups_of(instance)
    part = _Part(instance, elements, frozenset(nodes), groups or [], kind)
    return part.name or Name(f"{'a' if kind else 'the'} {formula(elements[node] for node in nodes)} fragment")


def formula(elements: Iterable[str]) -> str:
    """The sum formula as chemists write it: carbon, hydrogen, then by the alphabet; ``C₆H₅N``."""
    counts = Counter(elements)
    first = [element for element in ("C", "H") if element in counts]
    order = [*first, *sorted(counts.keys() - set(first))]
    return "".join(f"{e}{subscript(counts[e]) if counts[e] > 1 else ''}" for e in order)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some atoms of a molecule, and all groups of the molecule; of a kind it is not said which of them."""

    instance: Instance
    elements: list[str]
    nodes: frozenset[int]
    groups: list[FunctionalGroup]
    kind: bool = False

    @cached_property
    def heavy(self) -> frozenset[int]:
        return frozenset(node for node in self.nodes if self.elements[node] != "H")

    @cached_property
    def whole(self) -> list[FunctionalGroup]:
        """The groups that are wholly there."""
        return [group for group in self.groups if group.atoms <= self.nodes]

    @cached_property
    def hydrogens(self) -> dict[int, int]:
        """Those that no name of a whole group or ring stands for, with the atom that each is bonded to."""
        named = frozenset().union(*(group.atoms for group in self.whole))
        bonds = [] if self.kind else self.instance.edge_index.T.tolist()
        return {h: atom for h, atom in bonds if h in self.nodes - self.heavy and atom in self.heavy - named}

    @property
    def name(self) -> Name | None:
        rings = [group for group in self.whole if group.rings]
        others = [group for group in self.whole if not group.rings]
        held = {atom for group in self.whole for atom in group.atoms}
        parts, partial = self._parts(held)
        rest = (self.heavy | self.hydrogens.keys()) - held - partial
        if not self.whole:
            return self._without_groups(parts, rest)
        on_ring = [group for group in others if rings and self._touch(group, rings)]
        apart = [group for group in others if group not in on_ring]
        if on_ring:
            subject = self._counted(on_ring)
            text = f"{listed(subject, _MOST)} on {listed(self._counted(rings), _MOST)}"
            several = len(on_ring) > 1
            more = self._counted(apart)
        else:
            subject = self._counted([*others, *rings])
            text, several, more = listed(subject, _MOST), len(self.whole) > 1, []
        more += parts + ([self._atoms(rest, "more ")] if rest else [])
        return Name(text + (f", with {listed(more, _MOST)}" if on_ring and more else _with(more)), several)

    def _touch(self, group: FunctionalGroup, rings: list[FunctionalGroup]) -> bool:
        """Whether a bond leads from the group to one of the rings."""
        ring = {atom for system in rings for atom in system.atoms}
        return any(u in group.atoms and v in ring for u, v in self.instance.edge_index.T.tolist())

    def _counted(self, groups: list[FunctionalGroup]) -> list[str]:
        """The nitro group; the 2 nitro groups; one of the 3 nitro groups. One for each kind."""
        there = Counter(group.name for group in groups)
        all_of = Counter(group.name for group in self.groups)
        texts = []
        for name, count in there.items():
            if self.kind:
                texts.append(f"{self._article(name)} {name}" if count == 1 else f"{count} {plural(name)}")
            elif all_of[name] == 1:
                texts.append(f"the {name}")
            elif count == all_of[name]:
                texts.append(f"{'both' if count == 2 else f'the {count}'} {plural(name)}")
            else:
                texts.append(f"{'one' if count == 1 else count} of the {all_of[name]} {plural(name)}")
        return texts

    def _parts(self, held: set[int]) -> tuple[list[str], set[int]]:
        """What is there of groups that are not wholly there, in words, rings last, and those atoms."""
        words: list[str] = []
        partial: set[int] = set()
        ring_atoms: dict[str, list[frozenset[int]]] = {}  # by name: the atoms that there are of each such ring
        for group in self.groups:
            there = (group.atoms & self.nodes) - held
            if not there or group.atoms <= self.nodes:
                continue
            partial |= there
            closed = [ring for ring in group.rings if ring.atoms <= self.nodes]
            if closed and len(group.rings) > 1:
                alike = sum(ring.name == closed[0].name for ring in group.rings)
                one = f"{'the' if alike == 1 and not self.kind else 'one'} {closed[0].name}"
                some = f"{len(closed)} rings" if len(closed) > 1 else one
                besides = len(there - set().union(*(ring.atoms for ring in closed)))
                also = f" and {'one' if besides == 1 else besides} more of its atoms" if besides else ""
                words.append(f"{some} of {self._article(group.name)} {group.name}{also}")
            elif group.rings:
                ring_atoms.setdefault(group.name, []).append(frozenset(there))
            else:
                bonded = {h for h, atom in self.hydrogens.items() if atom in there}
                partial |= bonded
                words.append(
                    f"part of {self._article(group.name)} {group.name} ({self._listed_atoms([*there, *bonded])})"
                )
        for name, each in ring_atoms.items():
            some = self._atoms(frozenset().union(*each), brief=True)
            ring = f"{self._article(name)} {name}" if len(each) == 1 else f"{len(each)} {plural(name)}"
            words.append(f"{some} of {ring}")
        return words, partial

    def _article(self, name: str) -> str:
        """The, if there is but one such group in the molecule."""
        if not self.kind and sum(group.name == name for group in self.groups) == 1:
            return "the"
        return "an" if name[0] in "aeio" else "a"

    def _without_groups(self, parts: list[str], rest: frozenset[int]) -> Name | None:
        """No group is wholly there."""
        if not parts:
            if len(self.nodes) == 1:
                return Name(self._atoms(self.nodes))
            carbons = rest - self.hydrogens.keys()
            if not carbons or not self.groups or {self.elements[node] for node in carbons} != {"C"}:
                return None
            chain = f"{'a' if self.kind else 'the'} chain of {len(carbons)} carbon atoms"
            more = [self._atoms(self.hydrogens)] if self.hydrogens else []
            return Name(("one carbon atom" if len(carbons) == 1 else chain) + _with(more))
        first, *others = parts
        others += [self._atoms(rest, "more ")] if rest else []
        return Name(first + _with(others), several=first[0].isdigit())

    def _listed_atoms(self, atoms: Iterable[int]) -> str:
        """N and one O; C, one O and H."""
        counts = Counter(self.elements[atom] for atom in atoms)
        order = sorted(counts, key=lambda element: (element == "H", element == "O", element))  # what joins them first
        return listed([f"{'one ' if e == 'O' else ''}{e}" if counts[e] == 1 else f"{counts[e]} {e}" for e in order])

    def _atoms(self, atoms: Iterable[int], more: str = "", brief: bool = False) -> str:
        """2 more carbon atoms; 3 more atoms (C₂N), or without that formula."""
        elements = [self.elements[atom] for atom in atoms]
        count, kinds = len(elements), set(elements)
        number = "one" if count == 1 else str(count)
        noun = "atom" if count == 1 else "atoms"
        if len(kinds) == 1:
            return f"{number} {more}{_ELEMENTS.get(elements[0], elements[0])} {noun}"
        return f"{number} {more}{noun}" + ("" if brief else f" ({formula(elements)})")


def _with(more: list[str]) -> str:
    return f" with {listed(more, _MOST)}" if more else ""


_LONGEST = 160


def subgraph_name(instance: Instance, nodes: Collection[int], kind: bool = False) -> Name:
    """What to call the subgraph that some nodes of an instance induce; they hang together.

    Words of a sentence are quoted in reading order; dots stand for those that are left out between them.

    Args:
        instance: The instance.
        nodes: Some of its nodes.
        kind: Whether to name what it has in common with others, "a ring of six", and not this one, "the ring 595–600".
    """
    if instance.info.drawing is Drawing.SENTENCE:
        text = phrase({int(instance.nodes[node]): instance.node_label(node) for node in nodes})
        text = text.lower() if kind else text
        return Name(f"“{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}”")
    if instance.node_names:
        name = molecule_part_name(instance, nodes, kind)
        if name is not None:
            return name
    held = np.zeros(instance.num_nodes, dtype=bool)
    held[list(nodes)] = True
    graph: nx.Graph = nx.Graph(instance.edge_index[:, held[instance.edge_index].all(axis=0)].T.tolist())
    graph.add_nodes_from(nodes)
    named = instance.node_name if instance.node_texts else lambda node: str(instance.nodes[node])
    return shape_name(graph, None if kind else {node: named(node) for node in nodes}, instance.info.vocabulary.node)
