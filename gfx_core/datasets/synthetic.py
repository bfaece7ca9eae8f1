"""Synthetic data sets with planted motifs: the recipes of GNNExplainer (NeurIPS 2019) and PGExplainer (2020).

A base graph gets motifs attached, one edge each, to distinct random base nodes. Everything is drawn from a
local ``RandomState``: numpy promises that its stream never changes, so a seed gives the same graph, bit for
bit, on every machine and version.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gfx_core.arrays import Floats, Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import FIVE_CYCLE, GRID, HOUSE, SIX_CYCLE, DatasetInfo, Motif

NUM_FEATURES = 10  # constant ones, as in both papers; only BA-Community's features carry information

_HOUSE_ROLES = ("base", "house middle", "house bottom", "house top")
_GNNEXPLAINER = "Ying et al., GNNExplainer, NeurIPS 2019"

BA_SHAPES = DatasetInfo(
    "ba_shapes",
    Task.NODE,
    "BA-Shapes",
    "A scale-free graph with 80 five-node houses attached; each node's class is its place in the house.",
    (HOUSE,),
    _HOUSE_ROLES,
    _GNNEXPLAINER,
    reasons=(1, 2, 3),
    paper={"graphs": 1, "nodes": 700, "edges": 4110},
)
BA_COMMUNITY = DatasetInfo(
    "ba_community",
    Task.NODE,
    "BA-Community",
    "Two BA-Shapes graphs joined at random; a node's class is its place in the house and its community.",
    (HOUSE,),
    tuple(f"{role}, {side}" for side in ("left", "right") for role in _HOUSE_ROLES),
    _GNNEXPLAINER,
    sides=2,
    reasons=(1, 2, 3, 5, 6, 7),
    paper={"graphs": 1, "nodes": 1400, "edges": 8920},
)
TREE_CYCLES = DatasetInfo(
    "tree_cycles",
    Task.NODE,
    "Tree-Cycles",
    "A binary tree with 60 six-node cycles attached; the question is whether a node lies on a cycle.",
    (SIX_CYCLE,),
    ("tree", "cycle"),
    _GNNEXPLAINER,
    reasons=(1,),
    paper={"graphs": 1, "nodes": 871, "edges": 1950},
)
TREE_GRID = DatasetInfo(
    "tree_grid",
    Task.NODE,
    "Tree-Grid",
    "A binary tree with 80 three-by-three grids attached; the question is whether a node lies in a grid.",
    (GRID,),
    ("tree", "grid"),
    _GNNEXPLAINER,
    reasons=(1,),
    paper={"graphs": 1, "nodes": 1231, "edges": 3410},
)
BA_2MOTIFS = DatasetInfo(
    "ba_2motifs",
    Task.GRAPH,
    "BA-2motifs",
    "A thousand small graphs, each a scale-free tree with either a house or a five-cycle: which one is it?",
    (HOUSE, FIVE_CYCLE),
    ("house", "five-cycle"),
    "Luo et al., PGExplainer, NeurIPS 2020",
    paper={"graphs": 1000, "nodes": 25_000, "edges": 51_392},
)
TREE_CYCLES_NOISE, TREE_GRID_NOISE = (
    replace(
        info,
        name=f"{info.name}_noise",
        title=f"{info.title} with noise",
        description=f"{info.title} with random edges besides, as many as the benchmark has.",
        listed=False,
    )
    for info in (TREE_CYCLES, TREE_GRID)
)
BA_EITHER = DatasetInfo(
    "ba_either",
    Task.GRAPH,
    "BA-Either",
    "A thousand small graphs: does one contain a house or a five-cycle? Half of those that do contain both.",
    (HOUSE, FIVE_CYCLE),
    ("neither", "house or five-cycle"),
    "this project, after Luo et al., PGExplainer, NeurIPS 2020",
    reasons=(1,),
    listed=False,
)
_K23 = Motif("K₂,₃", tuple((i, j) for i in (0, 1) for j in (2, 3, 4)), ((0, 0),) * 5)
_TAILED_SQUARE = Motif("four-cycle with a tail", ((0, 1), (1, 2), (2, 3), (3, 4), (4, 1)), ((0, 0),) * 5)


@dataclass
class _Growing:
    """A graph while it is being put together."""

    num_nodes: int
    edges: list[tuple[int, int]]

    def __post_init__(self) -> None:
        self.edge_motif = [-1] * len(self.edges)
        self.role = [0] * self.num_nodes
        self.motif = [-1] * self.num_nodes

    def attach(self, motif: Motif, motif_id: int, base_node: int) -> None:
        """Add a motif and the edge that ties its node 0 to the base (which is not part of the motif)."""
        first = self.num_nodes
        self.edges += [(first + i, first + j) for i, j in motif.edges]
        self.edges.append((first, base_node))
        self.edge_motif += [motif_id] * len(motif.edges) + [-1]
        self.role += motif.roles
        self.motif += [motif_id] * motif.num_nodes
        self.num_nodes += motif.num_nodes

    def attach_many(self, motif: Motif, count: int, rng: np.random.RandomState) -> None:
        bases = rng.permutation(self.num_nodes)[:count]
        for motif_id, base_node in enumerate(bases):
            self.attach(motif, motif_id, int(base_node))

    def add_noise(self, count: int, rng: np.random.RandomState) -> None:
        """Add some edges between random pairs that are not joined yet."""
        present = {frozenset(edge) for edge in self.edges}
        while count:
            i, j = (int(node) for node in rng.randint(0, self.num_nodes, size=2))
            if i != j and frozenset((i, j)) not in present:
                present.add(frozenset((i, j)))
                self.edges.append((i, j))
                self.edge_motif.append(-1)
                count -= 1

    def dataset(self, info: DatasetInfo, x: Floats, y: Ints) -> GraphDataset:
        return GraphDataset.from_edges(
            info,
            x,
            np.array(self.edges, dtype=np.int64).T,
            y,
            motif=np.array(self.motif, dtype=np.int64),
            edge_motif=np.array(self.edge_motif, dtype=np.int64),
        )


def _barabasi_albert(num_nodes: int, links: int, rng: np.random.RandomState) -> _Growing:
    """Preferential attachment: a star on ``links + 1`` nodes, then each new node joins ``links`` others."""
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
    return _Growing(num_nodes, edges)


def _binary_tree(depth: int) -> _Growing:
    """A balanced binary tree; node ``i`` hangs below ``(i - 1) // 2``."""
    num_nodes = 2 ** (depth + 1) - 1
    return _Growing(num_nodes, [((i - 1) // 2, i) for i in range(1, num_nodes)])


def _ones(num_nodes: int) -> Floats:
    return np.ones((num_nodes, NUM_FEATURES), dtype=np.float32)


def _ba_shapes_graph(rng: np.random.RandomState) -> _Growing:
    graph = _barabasi_albert(300, 5, rng)
    graph.attach_many(HOUSE, 80, rng)
    graph.add_noise(graph.num_nodes // 10, rng)  # 0.1 N random edges
    return graph


def ba_shapes(seed: int = 0) -> GraphDataset:
    """A BA graph of 300 nodes with 80 houses and 0.1 N = 70 noise edges; classes base, middle, bottom, top."""
    graph = _ba_shapes_graph(np.random.RandomState(seed))
    return graph.dataset(BA_SHAPES, _ones(graph.num_nodes), np.array(graph.role, dtype=np.int64))


def ba_community(seed: int = 0) -> GraphDataset:
    """Two BA-Shapes joined by 350 random edges, Gaussian features by community, 8 classes.

    The first two of ten features have mean -1 in one community and +1 in the other (deviation 0.5); the
    others are standard normal noise.
    """
    rng = np.random.RandomState(seed)
    one, two = _ba_shapes_graph(rng), _ba_shapes_graph(rng)
    shift, motifs = one.num_nodes, max(one.motif) + 1
    one.edges += [(i + shift, j + shift) for i, j in two.edges]
    one.edge_motif += [m + motifs if m >= 0 else -1 for m in two.edge_motif]
    one.motif += [m + motifs if m >= 0 else -1 for m in two.motif]
    one.role += [role + 4 for role in two.role]
    one.num_nodes += two.num_nodes
    present = {frozenset(edge) for edge in one.edges}
    while len(present) < len(one.edges) + 350:
        present.add(frozenset((int(rng.randint(0, shift)), shift + int(rng.randint(0, two.num_nodes)))))
    between = sorted(tuple(sorted(edge)) for edge in present - {frozenset(edge) for edge in one.edges})
    one.edges += [(i, j) for i, j in between]
    one.edge_motif += [-1] * len(between)
    community = np.arange(one.num_nodes) >= shift
    x = rng.standard_normal((one.num_nodes, NUM_FEATURES))
    x[:, :2] = 0.5 * x[:, :2] + np.where(community, 1.0, -1.0)[:, None]
    return one.dataset(BA_COMMUNITY, x.astype(np.float32), np.array(one.role, dtype=np.int64))


def _tree_with(info: DatasetInfo, count: int, seed: int, noise: int = 0) -> GraphDataset:
    rng = np.random.RandomState(seed)
    graph = _binary_tree(8)
    graph.attach_many(info.motifs[0], count, rng)
    graph.add_noise(noise, rng)
    return graph.dataset(info, _ones(graph.num_nodes), np.array(graph.role, dtype=np.int64))


def tree_cycles(seed: int = 0) -> GraphDataset:
    """A binary tree of depth 8 with 60 six-cycles: 871 nodes, as in the published data set."""
    return _tree_with(TREE_CYCLES, 60, seed)


def tree_grid(seed: int = 0) -> GraphDataset:
    """A binary tree of depth 8 with 80 3×3 grids: 1,231 nodes, as in the published data set."""
    return _tree_with(TREE_GRID, 80, seed)


def tree_cycles_noise(seed: int = 0) -> GraphDataset:
    """The same tree and cycles with 45 noise edges: 975 edges, as in the published data set."""
    return _tree_with(TREE_CYCLES_NOISE, 60, seed, noise=45)


def tree_grid_noise(seed: int = 0) -> GraphDataset:
    """The same tree and grids with 155 noise edges: 1,705 edges, as in the published data set."""
    return _tree_with(TREE_GRID_NOISE, 80, seed, noise=155)


def _graphs(info: DatasetInfo, graphs: Sequence[_Growing], y: Ints, **more: Any) -> GraphDataset:
    """A graph task of graphs that have the same number of nodes, all features ones."""
    size = graphs[0].num_nodes
    return GraphDataset.from_edges(
        info,
        _ones(size * len(graphs)),
        np.array([(i + n * size, j + n * size) for n, g in enumerate(graphs) for i, j in g.edges]).T,
        y,
        motif=np.array([m for g in graphs for m in g.motif], dtype=np.int64),
        edge_motif=np.array([m for g in graphs for m in g.edge_motif], dtype=np.int64),
        ptr=np.arange(len(graphs) + 1, dtype=np.int64) * size,
        **more,
    )


def ba_2motifs(seed: int = 0, num_graphs: int = 1000) -> GraphDataset:
    """Graphs of 25 nodes: a BA tree of 20 with a house (class 0) or a five-cycle (class 1), in equal parts."""
    rng = np.random.RandomState(seed)
    y = np.arange(num_graphs, dtype=np.int64) % 2
    graphs = []
    for number, label in enumerate(y):
        graph = _barabasi_albert(20, 1, rng)
        graph.attach(FIVE_CYCLE if label else HOUSE, number, int(rng.randint(0, 20)))
        graphs.append(graph)
    return _graphs(BA_2MOTIFS, graphs, y)


def ba_either(seed: int = 0, num_graphs: int = 1000) -> GraphDataset:
    """Graphs of 35 nodes and 40 edges: a BA tree of 15 with four parts, of which a house or a five-cycle makes class 1.

    Each has two parts of six edges and two of five. All are decoys in class 0: K₂,₃, whose nodes have the degrees of a
    house's, and a square with a tail, whose nodes have those of an attached five-cycle's. In class 1 a house, a
    five-cycle or, in every other graph, both take the place of a decoy of the same size. So no count of nodes, edges
    or degrees tells the classes apart, and the decoys are in both. Either motif is reason enough: each is marked as a
    motif of its own.
    """
    rng = np.random.RandomState(seed)
    number = np.arange(num_graphs)
    y, turn = number % 2, number // 2 % 4
    house, cycle = (y == 1) & (turn != 0), (y == 1) & (turn != 1)
    graphs = []
    for n in number:
        graph = _barabasi_albert(15, 1, rng)
        parts = [(HOUSE, 2 * n) if house[n] else (_K23, -1), (_K23, -1)]
        parts += [(FIVE_CYCLE, 2 * n + 1) if cycle[n] else (_TAILED_SQUARE, -1), (_TAILED_SQUARE, -1)]
        bases = rng.permutation(15)
        for place in rng.permutation(len(parts)):
            motif, motif_id = parts[place]
            graph.attach(motif, int(motif_id), int(bases[place]))
        graphs.append(graph)
    groups = {"one reason": house ^ cycle, "two reasons": house & cycle}
    return _graphs(BA_EITHER, graphs, y, explained_class=1, groups=groups)
