"""What to call a part of an instance: by its shape, in chemists' words, or by the words of a sentence.

The ring 595–600, the house 301–305 with node 12; the nitro group on the benzene ring; “not … funny”. Of a graph only
its shape is looked at, never the motifs that a data set says it has. What many have in common is named without
numbers: a ring of six, a house with one more node, a nitro group on a benzene ring.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice

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
    texts = {node: str(node) for node in graph} if labels is None else labels
    order = sorted(graph, key=lambda node: (int(texts[node]) if texts[node].isdecimal() else 0, texts[node]))
    names = [texts[node] for node in order]
    shapes = _shapes(nx.relabel_nodes(graph, {node: rank for rank, node in enumerate(order)}), order)
    rest = [name for rank, name in enumerate(names) if all(rank not in nodes for _, nodes in shapes)]
    nouns = plural(noun) if len(rest) > 1 else noun
    if labels is None:
        counts = Counter(_counted_shape(shape, len(nodes), noun) for shape, nodes in shapes)
        parts = [_with_article(part) if n == 1 else f"{number_word(n)} {plural(part)}" for part, n in counts.items()]
        others = f"{number_word(len(rest))} more {nouns}"
    else:
        parts = [_labelled_shape(shape, [names[node] for node in nodes], noun) for shape, nodes in shapes]
        others = f"{nouns} {_labels(rest)}"
    text = listed(parts, _MOST_PARTS)
    return Name(f"{text} with {others}" if rest else text, several=len(shapes) > 1)


def _labels(labels: Sequence[str]) -> str:
    """Numbers as ranges, other names one by one, in the order in which they come."""
    if all(label.isdecimal() for label in labels):
        return ranges([*map(int, labels)], _MOST_PARTS)
    return listed(labels, _MOST_PARTS)


def _labelled_shape(shape: str, labels: Sequence[str], noun: str) -> str:
    """The ring 595–600."""
    nodes = _labels(labels)
    texts = {
        "node": f"{noun} {nodes}",
        "edge": f"the edge between {nodes}",
        "path": _path(labels, noun),
        "star": f"the star around {labels[0]} with {_labels(labels[1:])}",
        "tree": f"the tree of {plural(noun)} {nodes}",
        "subgraph": f"the subgraph of {plural(noun)} {nodes}",
    }
    return texts.get(shape, f"the {shape} {nodes}")


def _counted_shape(shape: str, size: int, noun: str) -> str:
    """A ring of six, without the article."""
    of_size = f"{shape} of {number_word(size)}"
    texts = {
        "node": f"single {noun}",
        "star": f"star with {number_word(size - 1)} arms",
        "tree": f"{of_size} {plural(noun)}",
        "subgraph": f"{of_size} {plural(noun)}",
    }
    return texts.get(shape, of_size if shape in ("path", "ring", "complete graph") else shape)


def _path(labels: Sequence[str], noun: str) -> str:
    if all(label.isdecimal() for label in labels):
        first, *others = map(int, labels)
        if others == list(range(first + 1, first + len(labels))):
            return f"the path {labels[0]}–{labels[-1]}"
    if len(labels) > _MOST_PARTS:
        return f"the path of {len(labels)} {plural(noun)} from {labels[0]} to {labels[-1]}"
    return f"the path through {listed(labels)}"


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


_Shapes = list[tuple[str, list[int]]]


def _shapes(graph: nx.Graph, ids: Sequence[int]) -> _Shapes:
    """What a graph is, or is made of, and the nodes of each shape in the order in which they are named.

    Args:
        graph: A connected graph of the nodes 0, 1, …
        ids: By which shapes of one size are in order.
    """
    n, degrees = len(graph), dict(graph.degree)
    if n <= 2:
        return [("node" if n == 1 else "edge", list(range(n)))]
    if graph.number_of_edges() >= n:
        whole = _closed_shape(graph)
        parts = [(whole, _walk(graph, 0))] if whole else _blocks(graph, ids) or _inside(graph)
        return parts or [("subgraph", list(range(n)))]
    if max(degrees.values()) == 2:
        return [("path", _walk(graph, min(node for node in graph if degrees[node] == 1)))]
    centre = max(graph, key=degrees.__getitem__)
    return [("star", _walk(graph, centre)) if degrees[centre] == n - 1 else ("tree", list(range(n)))]


def _closed_shape(graph: nx.Graph) -> str | None:
    """A shape that is no tree: each of its nodes is on a ring."""
    n, edges, degrees = len(graph), graph.number_of_edges(), {degree for _, degree in graph.degree}
    if degrees == {2}:
        return "triangle" if n == 3 else "ring"
    if edges == n * (n - 1) // 2:
        return "complete graph"
    for name, shape in _known_shapes().items():
        if (n, edges) == (len(shape), shape.number_of_edges()) and nx.is_isomorphic(graph, shape):
            return name
    return None


@cache
def _known_shapes() -> dict[str, nx.Graph]:
    """Shapes that are known by their edges, the largest first."""
    grids = {f"{rows}×{columns} grid": nx.grid_2d_graph(rows, columns) for rows, columns in _GRIDS}
    return {**grids, "house": nx.Graph(HOUSE.edges)}


def _walk(graph: nx.Graph, start: int) -> list[int]:
    """The nodes in the order of a walk: once round, if it is a ring."""
    return list(nx.dfs_preorder_nodes(graph, start, sort_neighbors=sorted))


def _blocks(graph: nx.Graph, ids: Sequence[int]) -> _Shapes:
    """The pieces without a cut vertex, if all that are more than an edge have a name."""
    shapes: _Shapes = []
    components: list[set[int]] = list(nx.biconnected_components(graph))
    for nodes in sorted(components, key=lambda nodes: (-len(nodes), min(ids[node] for node in nodes))):
        if len(nodes) > 2:
            shape = _closed_shape(block := graph.subgraph(nodes))
            if shape is None:
                return []
            shapes.append((shape, _walk(block, min(nodes))))
    return shapes


def _inside(graph: nx.Graph) -> _Shapes:
    """The largest known shape that the graph contains as an induced subgraph, and little else.

    Nodes that belong together have been numbered together: between their lowest and highest number lies little.
    """
    for name, shape in _known_shapes().items():
        if len(shape) < len(graph) <= (1 + _REST) * len(shape):
            matches = nx.algorithms.isomorphism.GraphMatcher(graph, shape).subgraph_isomorphisms_iter()
            candidates = [sorted(match) for match in islice(matches, _MATCHES)]
            if candidates:
                return [(name, min(candidates, key=lambda nodes: (nodes[-1] - nodes[0], nodes)))]
    return []


_MOST = 4  # kinds of groups that are named one by one
_ELEMENTS = {"C": "carbon", "O": "oxygen", "N": "nitrogen", "S": "sulfur", "P": "phosphorus", "H": "hydrogen"}


def molecule_part_name(instance: Instance, nodes: Collection[int], kind: bool = False) -> Name | None:
    """What chemists call some connected atoms; ``None`` if the instance is no molecule.

    Groups that are whole come first, then parts of others. Hydrogens of whole groups and rings are not named, others
    are. Without RDKit, and where nothing has a name, it is a formula. A ``kind`` is named without hydrogens and
    whatever else the molecule contains: a nitro group, and not one of the 3 nitro groups.
    """
    elements = [instance.node_label(node) for node in range(instance.num_nodes)]
    if not all(element.isalpha() and len(element) <= 2 for element in elements):
        return None
    bonds = instance.edge_index.T.tolist()
    part = _Part(elements, bonds, frozenset(nodes), groups_of(instance) or [], kind)
    return part.name() or Name(f"{'a' if kind else 'the'} {formula(elements[node] for node in nodes)} fragment")


def formula(elements: Iterable[str]) -> str:
    """The sum formula as chemists write it: carbon, hydrogen, then by the alphabet; ``C₆H₅N``."""
    counts = Counter(elements)
    order = sorted(counts, key=lambda element: (element != "C", element != "H", element))
    return "".join(f"{e}{subscript(counts[e]) if counts[e] > 1 else ''}" for e in order)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some atoms of a molecule, and all groups of the molecule; of a kind it is not said which of them."""

    elements: list[str]
    bonds: list[tuple[int, int]]
    nodes: frozenset[int]
    groups: list[FunctionalGroup]
    kind: bool

    @cached_property
    def totals(self) -> Counter[str]:
        """How many groups of each name the molecule has: for a kind it does not matter."""
        return Counter(() if self.kind else (group.name for group in self.groups))

    def name(self) -> Name | None:
        whole = [group for group in self.groups if group.atoms <= self.nodes]
        in_whole = {atom for group in whole for atom in group.atoms}
        heavy = {node for node in self.nodes if self.elements[node] != "H"} - in_whole
        parts, covered = self._parts_of_groups(heavy)
        rest = self._with_hydrogens(heavy) - covered
        if not whole and not parts:
            return self._without_groups(heavy, rest)
        more = parts + ([self._atoms(rest, "more ")] if rest else [])
        if not whole:
            return Name(parts[0] + _with(more[1:]), parts[0][0].isdigit())
        rings = [group for group in whole if group.rings]
        others = [group for group in whole if not group.rings]
        ring_atoms = {atom for ring in rings for atom in ring.atoms}
        at_ring = {u for u, v in self.bonds if v in ring_atoms}
        on_ring = [group for group in others if group.atoms & at_ring]
        if not on_ring:
            return Name(listed(self._counted([*others, *rings]), _MOST) + _with(more), len(whole) > 1)
        more = self._counted([group for group in others if group not in on_ring]) + more
        text = f"{listed(self._counted(on_ring), _MOST)} on {listed(self._counted(rings), _MOST)}"
        return Name(f"{text},{_with(more)}" if more else text, len(on_ring) > 1)

    def _with_hydrogens(self, atoms: Collection[int]) -> set[int]:
        """Atoms and the hydrogens that are bonded to them; a kind is named without."""
        bonded = {v for u, v in self.bonds if u in atoms and v in self.nodes and self.elements[v] == "H"}
        return {*atoms} if self.kind else bonded.union(atoms)

    def _one(self, name: str) -> str:
        return f"the {name}" if self.totals[name] == 1 else _with_article(name)

    def _counted(self, groups: list[FunctionalGroup]) -> list[str]:
        """The nitro group; the 2 nitro groups; one of the 3 nitro groups. One for each kind."""
        texts = []
        for name, count in Counter(group.name for group in groups).items():
            total, names = self.totals[name], plural(name)
            if count == 1 and total < 2:
                texts.append(self._one(name))
            elif self.kind:
                texts.append(f"{count} {names}")
            elif count == total:
                texts.append(f"both {names}" if count == 2 else f"the {count} {names}")
            else:
                texts.append(f"{'one' if count == 1 else count} of the {total} {names}")
        return texts

    def _parts_of_groups(self, heavy: set[int]) -> tuple[list[str], set[int]]:
        """Groups of which only some atoms are in the part, in words, rings last, and those atoms."""
        words: list[str] = []
        covered: set[int] = set()
        rings: dict[str, list[frozenset[int]]] = {}  # by name: the atoms of each such ring
        for group in self.groups:
            atoms = group.atoms & heavy
            closed = [ring for ring in group.rings if ring.atoms <= atoms]
            if closed and len(group.rings) > 1:
                name = closed[0].name
                only = not self.kind and [ring.name for ring in group.rings].count(name) == 1
                some = f"{len(closed)} rings" if len(closed) > 1 else f"{'the' if only else 'one'} {name}"
                besides = len(atoms.difference(*(ring.atoms for ring in closed)))
                also = f" and {'one' if besides == 1 else besides} more of its atoms" if besides else ""
                words.append(f"{some} of {self._one(group.name)}{also}")
            elif atoms and group.rings:
                rings.setdefault(group.name, []).append(atoms)
            elif atoms:
                covered |= self._with_hydrogens(atoms)
                words.append(f"part of {self._one(group.name)} ({self._listed_atoms(self._with_hydrogens(atoms))})")
            covered |= atoms
        for name, alike in rings.items():
            some = self._atoms(frozenset().union(*alike), brief=True)
            words.append(f"{some} of {self._one(name) if len(alike) == 1 else f'{len(alike)} {plural(name)}'}")
        return words, covered

    def _without_groups(self, heavy: set[int], atoms: set[int]) -> Name | None:
        """A single atom, or a chain of carbon atoms."""
        if len(self.nodes) == 1:
            return Name(self._atoms(self.nodes))
        if not self.groups or {self.elements[atom] for atom in heavy} != {"C"}:
            return None
        chain = f"{'a' if self.kind else 'the'} chain of {len(heavy)} carbon atoms"
        hydrogens = atoms - heavy
        more = [self._atoms(hydrogens)] if hydrogens else []
        return Name(("one carbon atom" if len(heavy) == 1 else chain) + _with(more))

    def _listed_atoms(self, atoms: Iterable[int]) -> str:
        """N and one O; C, one O and H."""
        counts = Counter(self.elements[atom] for atom in atoms)
        order = sorted(counts, key=lambda element: (element == "H", element == "O", element))  # what joins them first
        return listed([f"{'one ' if e == 'O' else ''}{e}" if counts[e] == 1 else f"{counts[e]} {e}" for e in order])

    def _atoms(self, atoms: Collection[int], more: str = "", brief: bool = False) -> str:
        """2 more carbon atoms; 3 more atoms (C₂N), or without that formula."""
        elements = [self.elements[atom] for atom in atoms]
        number, noun = ("one", "atom") if len(elements) == 1 else (str(len(elements)), "atoms")
        if len(set(elements)) == 1:
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
    inside = np.isin(instance.edge_index, list(nodes)).all(axis=0)
    graph: nx.Graph = nx.Graph(instance.edge_index[:, inside].T.tolist())
    graph.add_nodes_from(nodes)
    named = instance.node_name if instance.node_texts else lambda node: str(instance.nodes[node])
    return shape_name(graph, None if kind else {node: named(node) for node in nodes}, instance.info.vocabulary.node)
