"""Names of a part of an instance: by its shape, in chemists' words, or by the words of a sentence.

The ring 595–600, the house 301–305 with node 12; the nitro group on the benzene ring; “not … funny”. Only the shape of
a graph counts, never the motifs of its data set. What many have in common is named without numbers: a ring of six, a
house with one more node, a nitro group on a benzene ring.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import islice

import networkx as nx
import numpy as np

from gfx_core.config import read_content
from gfx_core.datasets.info import HOUSE
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import FunctionalGroup, groups_of
from gfx_core.text.numbers import listed, number_word, plural, ranges, subscript
from gfx_core.text.typesetting import phrase

_TEXTS = read_content("names")
_MOST_PARTS = 8  # ranges or single nodes that are named one by one
_REST = 0.6  # of a shape's size: a graph with more nodes besides is not named for that shape
_MATCHES = 64  # of one shape in a graph, of which the best is taken
_GRIDS = ((3, 3), (2, 4), (2, 3))


@dataclass(frozen=True)
class Name:
    """A name in a sentence.

    Attributes:
        text: With its article: "the ring 595–600".
        several: Whether it is in the plural.
    """

    text: str
    several: bool = False


def shape_name(graph: nx.Graph, labels: Mapping[int, str] | None = None, noun: str = "node") -> Name:
    """The name of a connected graph.

    Args:
        graph: At least one node.
        labels: Of the nodes, mostly numbers; ``None`` names the shape alone, "a ring of six".
        noun: Of a node.
    """
    texts = labels or {node: str(node) for node in graph}
    order = sorted(graph, key=lambda node: (int(texts[node]) if texts[node].isdecimal() else 0, texts[node]))
    names = [texts[node] for node in order]
    shapes = _shapes(nx.relabel_nodes(graph, {node: rank for rank, node in enumerate(order)}))
    rest = [name for rank, name in enumerate(names) if all(rank not in nodes for _, nodes in shapes)]
    form = "counted" if labels is None else "labelled"
    parts = [_shape_words(form, shape, [names[node] for node in nodes], noun) for shape, nodes in shapes]
    nouns = plural(noun) if len(rest) > 1 else noun
    others = f"{nouns} {_labels(rest)}"
    if labels is None:
        counts = Counter(parts).items()
        parts = [_with_article(part) if n == 1 else f"{number_word(n)} {plural(part)}" for part, n in counts]
        others = f"{number_word(len(rest))} more {nouns}"
    text = listed(parts, _MOST_PARTS)
    return Name(f"{text} with {others}" if rest else text, several=len(shapes) > 1)


def _labels(labels: Sequence[str]) -> str:
    """Numbers as ranges, other names one by one, in their order."""
    if all(label.isdecimal() for label in labels):
        return ranges([*map(int, labels)], _MOST_PARTS)
    return listed(labels, _MOST_PARTS)


def _shape_words(form: str, shape: str, labels: Sequence[str], noun: str) -> str:
    """The ring 595–600, or ring of six."""
    size, nouns, way = len(labels), plural(noun), f"through {listed(labels)}"
    if size > _MOST_PARTS:
        way = f"of {size} {nouns} from {labels[0]} to {labels[-1]}"
    values = {"shape": shape, "noun": noun, "nouns": nouns, "nodes": _labels(labels), "way": way}
    values |= {"first": labels[0], "others": _labels(labels[1:])}
    text: str = _TEXTS[form].get(shape, _TEXTS[form][""])
    return text.format(size=number_word(size), arms=number_word(size - 1), **values)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


_Shapes = list[tuple[str, list[int]]]


def _shapes(graph: nx.Graph) -> _Shapes:
    """The shapes of a connected graph of the nodes 0, 1, …, each with its nodes in the order of their names.

    They are the graph itself, its blocks without a cut vertex, if all that are more than an edge have a name, or a
    known shape inside it.
    """
    blocks = (set(nodes) for nodes in nx.biconnected_components(graph) if len(nodes) > 2)
    for parts in ([set(graph)], sorted(blocks, key=lambda nodes: (-len(nodes), min(nodes)))):
        shapes = [(_shape(graph.subgraph(nodes)), _walk(graph.subgraph(nodes))) for nodes in parts]
        if shapes and all(shape for shape, _ in shapes):
            return shapes
    return _inside(graph) or [("tree" if nx.is_tree(graph) else "subgraph", sorted(graph))]


def _walk(graph: nx.Graph) -> list[int]:
    """The nodes in the order of a walk: from end to end of a path, once round a ring, from the centre of a star."""
    ends = [node for node in graph if graph.degree[node] == 1]
    start = min(ends) if len(ends) == 2 else max(sorted(graph), key=graph.degree)
    return list(nx.dfs_preorder_nodes(graph, start, sort_neighbors=sorted))


@cache
def _known_shapes() -> dict[str, nx.Graph]:
    """Shapes that are known by their edges, the largest first."""
    grids = {f"{rows}×{columns} grid": nx.grid_2d_graph(rows, columns) for rows, columns in _GRIDS}
    return {**grids, "house": nx.Graph(HOUSE.edges)}


def _shape(graph: nx.Graph) -> str:
    """The name of a graph, if it has one."""
    n = len(graph)
    shapes: dict[str, nx.Graph] = {
        "node": nx.path_graph(1),
        "edge": nx.path_graph(2),
        "path": nx.path_graph(n),
        "star": nx.star_graph(n - 1),
        "triangle": nx.cycle_graph(3),
        "ring": nx.cycle_graph(n),
        "complete graph": nx.complete_graph(n),
        **_known_shapes(),
    }
    return next((name for name, shape in shapes.items() if nx.is_isomorphic(graph, shape)), "")


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


def formula(elements: Iterable[str]) -> str:
    """The sum formula as chemists write it: carbon, hydrogen, then by the alphabet; ``C₆H₅N``."""
    counts = Counter(elements)
    order = sorted(counts, key=lambda element: (element != "C", element != "H", element))
    return "".join(f"{e}{subscript(counts[e]) if counts[e] > 1 else ''}" for e in order)


class _MoleculePart:
    """Some connected atoms of a molecule in chemists' words.

    Groups that are whole come first, then parts of others. Hydrogens of whole groups and rings are not named, others
    are. Without RDKit, and where nothing has a name, it is a formula. A ``kind`` is named without hydrogens and
    independently of the rest of the molecule: a nitro group, and not one of the 3 nitro groups.
    """

    def __init__(self, instance: Instance, nodes: Collection[int], kind: bool) -> None:
        self.elements = [instance.node_label(node) for node in range(instance.num_nodes)]
        self.bonds: list[list[int]] = instance.edge_index.T.tolist()
        self.nodes, self.kind, self.groups = frozenset(nodes), kind, groups_of(instance) or []
        self.totals = Counter(() if kind else (group.name for group in self.groups))  # of a kind none is counted

    def name(self) -> Name:
        whole = sorted((group for group in self.groups if group.atoms <= self.nodes), key=lambda group: group.is_ring)
        heavy = {node for node in self.nodes if self.elements[node] != "H"}
        heavy = heavy.difference(*(group.atoms for group in whole))
        parts, covered = self._parts_of_groups(heavy)
        rest = self._with_hydrogens(heavy) - covered
        more = parts + ([self._atoms(rest, "more ")] if rest else [])
        ring_atoms = {atom for group in whole if group.is_ring for atom in group.atoms}
        at_ring = {u for u, v in self.bonds if v in ring_atoms}
        on_ring = [group for group in whole if not group.is_ring and group.atoms & at_ring]
        if on_ring:
            rings = self._counted([group for group in whole if group.is_ring])
            text = f"{listed(self._counted(on_ring), _MOST)} on {listed(rings, _MOST)}"
            more = self._counted([group for group in whole if not group.is_ring and group not in on_ring]) + more
        elif whole:
            text = listed(self._counted(whole), _MOST)
        elif parts:
            text, *more = more
        elif len(self.nodes) == 1:
            return Name(self._atoms(self.nodes))
        else:
            return Name(f"{'a' if self.kind else 'the'} {formula(self.elements[node] for node in self.nodes)} fragment")
        besides = f"{',' * bool(on_ring)} with {listed(more, _MOST)}" if more else ""
        return Name(text + besides, len(on_ring or whole) > 1 or text[0].isdigit())

    def _with_hydrogens(self, atoms: Collection[int]) -> set[int]:
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
        """Groups that are in the part with some atoms only, in words, rings last; and those atoms."""
        words, covered = list[str](), set[int]()
        rings: dict[str, list[Set[int]]] = {}  # by name: the atoms of each such ring
        for group in self.groups:
            atoms: Set[int] = group.atoms & heavy
            if atoms and group.is_ring:
                rings.setdefault(group.name, []).append(atoms)
            elif atoms:
                atoms = self._with_hydrogens(atoms)
                words.append(f"part of {self._one(group.name)} ({self._listed_atoms(atoms)})")
            covered |= atoms
        for name, alike in rings.items():
            some = self._atoms(frozenset().union(*alike))
            words.append(f"{some} of {self._one(name) if len(alike) == 1 else f'{len(alike)} {plural(name)}'}")
        return words, covered

    def _listed_atoms(self, atoms: Iterable[int]) -> str:
        """N and one O; C, one O and H."""
        counts = Counter(self.elements[atom] for atom in atoms)
        order = sorted(counts, key=lambda element: (element == "H", element == "O", element))  # what joins them first
        return listed([f"{'one ' if e == 'O' else ''}{e}" if counts[e] == 1 else f"{counts[e]} {e}" for e in order])

    def _atoms(self, atoms: Collection[int], more: str = "") -> str:
        """2 more carbon atoms; 3 more atoms."""
        elements = {self.elements[atom] for atom in atoms}
        element = f"{_ELEMENTS.get(min(elements), min(elements))} " if len(elements) == 1 else ""
        return f"one {more}{element}atom" if len(atoms) == 1 else f"{len(atoms)} {more}{element}atoms"


_LONGEST = 160


def subgraph_name(instance: Instance, nodes: Collection[int], kind: bool = False) -> Name:
    """The name of a connected induced subgraph.

    Words of a sentence are quoted in reading order; dots are those that are left out between them.

    Args:
        instance: The instance.
        nodes: Some of its nodes.
        kind: Whether to name what it has in common with others, "a ring of six", and not this one, "the ring 595–600".
    """
    if instance.is_sentence:
        text = phrase({int(instance.nodes[node]): instance.node_label(node) for node in nodes})
        text = text.lower() if kind else text
        return Name(f"“{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}”")
    if instance.node_names:
        part = _MoleculePart(instance, nodes, kind)
        if all(element.isalpha() and len(element) <= 2 for element in part.elements):
            return part.name()
    inside = np.isin(instance.edge_index, list(nodes)).all(axis=0)
    graph: nx.Graph = nx.Graph(instance.edge_index[:, inside].T.tolist())
    graph.add_nodes_from(nodes)
    name = instance.node_name if instance.node_texts else lambda node: str(instance.nodes[node])
    return shape_name(graph, None if kind else {node: name(node) for node in nodes}, instance.info.vocabulary.node)
