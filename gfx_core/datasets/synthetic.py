"""Synthetic data sets with planted motifs: the recipes of GNNExplainer (NeurIPS 2019) and PGExplainer (2020).

A base graph gets motifs attached, one edge each, to distinct random base nodes. Everything is drawn from a
local ``RandomState``: numpy promises that its stream never changes, so a seed gives the same graph, bit for
bit, on every machine and version.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gfx_core.arrays import Floats, Ints
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import FIVE_CYCLE, HOUSE, INFOS, K23, TAILED_SQUARE, Motif

if TYPE_CHECKING:
    import networkx as nx

NUM_FEATURES = 10  # constant ones, as in both papers; only BA-Community's features carry information


def _barabasi_albert(num_nodes: int, links: int, rng: np.random.RandomState) -> "nx.Graph[int]":
    """Preferential attachment: a star on ``links + 1`` nodes, then each new node joins ``links`` others."""
    import networkx as nx  # only here: every page loads this file

    edges = [(0, i) for i in range(1, links + 1)]
    endpoints = [node for edge in edges for node in edge]  # each node as often as its degree
    for new in range(links + 1, num_nodes):
        targets: list[int] = []
        while len(targets) < links:
            target = endpoints[rng.randint(0, len(endpoints))]
            if target not in targets:
                targets.append(target)
        edges += [(new, target) for target in targets]
        endpoints += [node for target in targets for node in (new, target)]
    return nx.Graph(edges)


def _attach(graph: "nx.Graph[int]", motif: Motif, number: int, base_node: int) -> None:
    """Add a motif of that number and the edge that ties its node 0 to the base (which is not part of the motif)."""
    first = len(graph)
    for node in range(motif.num_nodes):
        graph.add_node(first + node, motif=number, role=motif.roles[node] if motif.roles else 0)
    graph.add_edges_from(((first + i, first + j) for i, j in motif.edges), motif=number)
    graph.add_edge(first, base_node)


def _link_many(graph: "nx.Graph[int]", count: int, draw: Callable[[], Iterable[int]]) -> None:
    """Link so many of the pairs of nodes that are drawn: different ones that are not linked yet."""
    while count:
        i, j = map(int, draw())
        if i != j and not graph.has_edge(i, j):
            graph.add_edge(i, j)
            count -= 1


def _plant(
    graph: "nx.Graph[int]", motif: Motif, count: int, noise: int, rng: np.random.RandomState, first: int = 0
) -> "nx.Graph[int]":
    """Attach so many motifs, numbered from ``first`` on, to distinct nodes of a base, then add random edges."""
    for number, base_node in enumerate(rng.permutation(len(graph))[:count], first):
        _attach(graph, motif, number, int(base_node))
    size = len(graph)
    _link_many(graph, noise, lambda: rng.randint(0, size, size=2))
    return graph


def _dataset(
    graph: "nx.Graph[int]", name: str, y: Ints | None = None, x: Floats | None = None, ptr: Ints | None = None
) -> GraphDataset:
    """The data set of that name; by default a node task whose classes are the roles, all features ones."""
    sources, targets, edge_motif = np.array(list(graph.edges.data("motif", -1))).T
    return GraphDataset.from_edges(
        INFOS[name],
        np.ones((len(graph), NUM_FEATURES), dtype=np.float32) if x is None else x,
        np.stack([sources, targets]),
        _of_nodes(graph, "role", 0) if y is None else y,
        motif=_of_nodes(graph, "motif", -1),
        edge_motif=edge_motif,
        ptr=ptr,
    )


def _of_nodes(graph: "nx.Graph[int]", name: str, base: int) -> Ints:
    """An attribute of each node, and what it is in the base."""
    return np.array([graph.nodes[node].get(name, base) for node in graph])


def _ba_shapes(rng: np.random.RandomState, first: int = 0) -> "nx.Graph[int]":
    return _plant(_barabasi_albert(300, 5, rng), HOUSE, 80, 70, rng, first)  # 0.1 N random edges


def ba_shapes(seed: int = 0) -> GraphDataset:
    """A BA graph of 300 nodes with 80 houses and 0.1 N = 70 noise edges; classes base, middle, bottom, top."""
    return _dataset(_ba_shapes(np.random.RandomState(seed)), "ba_shapes")


def ba_community(seed: int = 0) -> GraphDataset:
    """Two BA-Shapes joined by 350 random edges, Gaussian features by community, 8 classes.

    The first two of ten features have mean -1 in one community and +1 in the other (deviation 0.5); the
    others are standard normal noise.
    """
    import networkx as nx

    rng = np.random.RandomState(seed)
    left = _ba_shapes(rng)
    size, graph = len(left), nx.disjoint_union(left, _ba_shapes(rng, first=80))
    _link_many(graph, 350, lambda: (rng.randint(0, size), size + rng.randint(0, size)))
    community = np.arange(2 * size) >= size
    x = rng.standard_normal((2 * size, NUM_FEATURES))
    x[:, :2] = 0.5 * x[:, :2] + np.where(community, 1.0, -1.0)[:, None]
    return _dataset(graph, "ba_community", _of_nodes(graph, "role", 0) + 4 * community, x.astype(np.float32))


def _tree(name: str, count: int, noise: int, seed: int = 0) -> GraphDataset:
    """A balanced binary tree of depth 8, whose node ``i`` hangs below ``(i - 1) // 2``, with motifs and noise edges."""
    import networkx as nx

    tree = nx.Graph(((i - 1) // 2, i) for i in range(1, 511))
    return _dataset(_plant(tree, INFOS[name].motifs[0], count, noise, np.random.RandomState(seed)), name)


# the published data sets have 871 nodes and 975 edges, 1,231 nodes and 1,705 edges: as many as those with noise
tree_cycles = partial(_tree, "tree_cycles", 60, 0)
tree_grid = partial(_tree, "tree_grid", 80, 0)
tree_cycles_noise = partial(_tree, "tree_cycles_noise", 60, 45)
tree_grid_noise = partial(_tree, "tree_grid_noise", 80, 155)


def _graphs(name: str, graphs: "Sequence[nx.Graph[int]]", y: Ints) -> GraphDataset:
    """A graph task of graphs that have the same number of nodes."""
    import networkx as nx

    return _dataset(nx.disjoint_union_all(graphs), name, y, ptr=np.arange(len(graphs) + 1) * len(graphs[0]))


def ba_2motifs(seed: int = 0) -> GraphDataset:
    """Graphs of 25 nodes: a BA tree of 20 with a house (class 0) or a five-cycle (class 1), in equal parts."""
    rng = np.random.RandomState(seed)
    y = np.arange(1000) % 2
    graphs = []
    for number, label in enumerate(y):
        graph = _barabasi_albert(20, 1, rng)
        _attach(graph, FIVE_CYCLE if label else HOUSE, number, int(rng.randint(0, 20)))
        graphs.append(graph)
    return _graphs("ba_2motifs", graphs, y)


def ba_either(seed: int = 0) -> GraphDataset:
    """Graphs of 35 nodes and 40 edges: a BA tree of 15 with four parts, of which a house or a five-cycle makes class 1.

    Each has two parts of six edges and two of five. All are decoys in class 0: K₂,₃, whose nodes have the degrees of a
    house's, and a square with a tail, whose nodes have those of an attached five-cycle's. In class 1 a house, a
    five-cycle or, in every other graph, both take the place of a decoy of the same size. So no count of nodes, edges
    or degrees tells the classes apart, and the decoys are in both. Either motif is reason enough: each is marked as a
    motif of its own.
    """
    rng = np.random.RandomState(seed)
    number = np.arange(1000)
    y, turn = number % 2, number // 2 % 4
    house, cycle = (y == 1) & (turn != 0), (y == 1) & (turn != 1)
    graphs = []
    for n in number:
        graph = _barabasi_albert(15, 1, rng)
        parts = [(HOUSE, 2 * n) if house[n] else (K23, -1), (K23, -1)]
        parts += [(FIVE_CYCLE, 2 * n + 1) if cycle[n] else (TAILED_SQUARE, -1), (TAILED_SQUARE, -1)]
        bases = rng.permutation(15)
        for position in rng.permutation(len(parts)):
            motif, motif_id = parts[position]
            _attach(graph, motif, int(motif_id), int(bases[position]))
        graphs.append(graph)
    return _graphs("ba_either", graphs, y)
