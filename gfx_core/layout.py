"""Fixed layouts: the same graph is drawn at the same place every time, and a house looks like a house.

Positions minimise stress (the drawn distance of two nodes should be their distance in the graph). The nodes of a
motif that the data set's registry knows are asked to take its shape, and the picture is turned so that the
explained motif stands upright. Sentences are written in reading order.
"""

import hashlib
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.config import Drawing
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.motifs import Motif
from gfx_core.sentence_shape import word_places

Points = NDArray[np.float64]  # [n, 2], y upwards, a typical edge is 1 long

_MOTIF_WEIGHT = 6.0
_FEW = 320  # nodes up to which distances are found sooner than scipy is loaded
_LARGE = 250  # nodes above which fewer refining steps are taken
_VERY_LARGE = 600  # nodes above which only the distances to some pivots count: all pairs would take seconds
_PIVOTS = 100


_KEPT = 256  # layouts that are remembered
_kept: "OrderedDict[bytes, Points]" = OrderedDict()


def instance_layout(instance: Instance) -> Points:
    """Where to draw the nodes of an instance; what was drawn lately is remembered. [m, 2]"""
    key = _name(instance)
    points = _kept.get(key)
    if points is None:
        points = _kept[key] = _instance_layout(instance)
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return points.copy()


def sketch_layout(instance: Instance) -> Points:
    """Where nodes are in pictures that are too small for words; a sentence is a tree there, read from left to right.

    Where words cannot be read, arcs above a line of dots would say little: deeper words are drawn lower. [m, 2]
    """
    if instance.info.drawing is not Drawing.SENTENCE:
        return instance_layout(instance)
    hops = _hops(instance.num_nodes, instance.edge_index)
    far = np.where(np.isfinite(hops), hops, -1.0)
    root = int(far.max(axis=1).argmin())  # the middle of the tree
    points = np.stack([np.arange(instance.num_nodes, dtype=np.float64), -1.4 * far[root]], axis=1)
    return _unit(points, instance.edge_index)


def _name(instance: Instance) -> bytes:
    """Names all that a layout depends on."""
    atoms = instance.x if instance.node_names else None  # these are drawn by what they are
    graph = (instance.nodes, instance.edge_index, instance.motif, instance.edge_motif, instance.edge_order)
    known = instance.target, instance.node_names, instance.info.motifs, instance.info.drawing, instance.node_texts
    digest = hashlib.blake2b(repr(known).encode())
    for array in (*graph, instance.pos, atoms):
        digest.update(b"none" if array is None else repr(array.shape).encode() + array.tobytes())
    return digest.digest()


def _instance_layout(instance: Instance) -> Points:
    if instance.info.drawing is Drawing.SENTENCE:
        words = [instance.node_label(node) for node in range(instance.num_nodes)]
        return word_places(words, instance.edge_index[:, instance.undirected])
    if instance.pos is not None:
        return _unit(instance.pos.astype(np.float64), instance.edge_index)
    if instance.node_names:
        coordinates = _molecule_coordinates(instance)
        if coordinates is not None:
            return _unit(coordinates, instance.edge_index)
    shapes = _motif_shapes(instance)
    points = graph_layout(instance.num_nodes, instance.edge_index, shapes)
    own = min(shapes, default=-1) if instance.target is None else int(instance.motif[instance.target])
    if own in shapes:
        points = _aligned(points, *shapes[own])
    return _unit(points, instance.edge_index)


def graph_layout(num_nodes: int, edge_index: Ints, shapes: dict[int, tuple[Ints, Points]] | None = None) -> Points:
    """Lay out any graph by stress; components are set side by side.

    Args:
        num_nodes: How many nodes.
        edge_index: Edges, both directions. [2, e]
        shapes: Nodes that should take a given shape, with the shape's points.
    """
    if not num_nodes:
        return np.zeros((0, 2))
    shapes = shapes or {}
    component: NDArray[np.integer]  # of each node [n]
    if num_nodes <= _FEW:
        distance = _hops(num_nodes, edge_index)
        lowest, component = np.unique(np.isfinite(distance).argmax(axis=1), return_inverse=True)
        count = len(lowest)
    else:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components, shortest_path

        ones = np.ones(edge_index.shape[1])
        adjacency = csr_array((ones, (edge_index[0], edge_index[1])), shape=(num_nodes, num_nodes))
        count, component = connected_components(adjacency, directed=False)
        if num_nodes > _VERY_LARGE and count == 1:
            return _from_pivots(adjacency, edge_index, shapes)
        distance = shortest_path(adjacency, unweighted=True, directed=False)  # [n, n]
    weight = np.where(distance > 0, 1.0 / np.maximum(distance, 1.0) ** 2, 0.0)
    for nodes, shape in shapes.values():
        block = np.ix_(nodes, nodes)
        distance[block] = np.linalg.norm(shape[:, None] - shape[None], axis=-1)
        weight[block] = _MOTIF_WEIGHT * max(1.0, num_nodes / 25) * (1.0 - np.eye(len(nodes)))
    points = np.zeros((num_nodes, 2))
    right = 0.0
    for number in range(count):
        nodes = np.flatnonzero(component == number)
        block = np.ix_(nodes, nodes)
        start = _pivot_mds(distance[block])
        for members, shape in shapes.values():
            if component[members[0]] == number:  # put them in shape at once, or a ring may stay twisted
                at = np.searchsorted(nodes, members)
                start[at] = start[at].mean(0) + _turned(shape, start[at])
        part = _stress(distance[block], weight[block], start)
        part -= part.min(axis=0)
        points[nodes] = part + np.array([right, -part[:, 1].max() / 2])
        right += part[:, 0].max() + 1.5
    return points - points.mean(axis=0)


def _hops(num_nodes: int, edge_index: Ints) -> Points:
    """How many edges lie between any two nodes; infinite where there is no way. [n, n]"""
    near = np.zeros((num_nodes, num_nodes), dtype=np.float32)
    near[edge_index[0], edge_index[1]] = near[edge_index[1], edge_index[0]] = 1
    distance = np.where(np.eye(num_nodes, dtype=bool), 0.0, np.inf)
    reached = np.eye(num_nodes, dtype=bool)
    for steps in range(1, num_nodes):
        reached = (reached.astype(np.float32) @ near > 0) & np.isinf(distance)
        if not reached.any():
            break
        distance[reached] = steps
    return distance


def _gaps(points: Points) -> Points:
    """The distance of any two points. [n, n]"""
    if len(points) <= _FEW:
        x, y = points.T
        return np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2)
    from scipy.spatial.distance import cdist

    return cdist(points, points)


def _stress(distance: Points, weight: Points, points: Points) -> Points:
    """Weighted stress majorisation (Gansner, Koren and North, 2004) from a start."""
    n = len(distance)
    if n < 3:
        return points
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.inv(laplacian + 1.0 / n)  # the constant shift makes it invertible, and keeps the mean
    pull = weight * distance
    for _ in range(100 if n <= _LARGE else 30):
        gaps = _gaps(points)
        ratio = np.divide(pull, np.maximum(gaps, 1e-9, out=gaps), out=gaps)  # [n, n], zero on the diagonal
        moved = inverse @ (ratio.sum(1)[:, None] * points - ratio @ points)
        step = float(np.abs(moved - points).max())
        points = moved
        if step < 1e-3:
            break
    return points


def _from_pivots(adjacency: Any, edge_index: Ints, shapes: dict[int, tuple[Ints, Points]]) -> Points:
    """Stress of the edges, the motifs and the distances to some pivots only (Ortmann, Klimenta and Brandes, 2017).

    A connected graph; each step costs as much as there are edges and pivots, instead of all pairs of nodes.
    """
    from scipy.sparse.csgraph import shortest_path

    n = adjacency.shape[0]
    pivots = np.linspace(0, n - 1, _PIVOTS).astype(np.int64)  # nodes come nearest first: some of every distance
    distance = shortest_path(adjacency, unweighted=True, directed=False, indices=pivots).T  # [n, p]
    points = _scaled(distance)
    source, target = edge_index
    length, strength = np.ones(len(source)), np.ones(len(source))
    for nodes, shape in shapes.values():
        points[nodes] = points[nodes].mean(0) + _turned(shape, points[nodes])
        one, other = (np.indices((len(nodes),) * 2)[:, ~np.eye(len(nodes), dtype=bool)]).reshape(2, -1)
        source, target = np.append(source, nodes[one]), np.append(target, nodes[other])
        length = np.append(length, np.linalg.norm(shape[one] - shape[other], axis=1))
        strength = np.append(strength, np.full(len(one), _MOTIF_WEIGHT * n / 25))
    weight = np.where(distance > 0, n / _PIVOTS / np.maximum(distance, 1.0) ** 2, 0.0)  # [n, p]
    total = weight.sum(1) + np.bincount(source, strength, n)
    weight, strength = weight / total[:, None], strength / total[source]
    pull = weight * distance
    for _ in range(30):
        moved = weight @ points[pivots]
        away = [column[:, None] - column[pivots] for column in points.T]  # two of [n, p]
        ratio = pull / np.maximum(np.hypot(*away), 1e-9)
        apart = points[source] - points[target]  # [e, 2]
        wanted = length / np.maximum(np.hypot(*apart.T), 1e-9)
        pulled = strength[:, None] * (points[target] + wanted[:, None] * apart)
        for axis in range(2):
            moved[:, axis] += np.einsum("np,np->n", ratio, away[axis]) + np.bincount(source, pulled[:, axis], n)
        points = 0.3 * points + 0.7 * moved  # all nodes move at once: a whole step would overshoot
    nudge = np.random.RandomState(1).uniform(-0.1, 0.1, size=(n, 2))
    return points + nudge * (np.bincount(source, minlength=n) < 3)[:, None]  # twins would lie on one spot


def _scaled(distance: Points) -> Points:
    """Classical scaling from distances to some pivots, nudged so that no two nodes coincide. [n, p] → [n, 2]"""
    n, pivots = distance.shape
    squared = distance**2
    centred = -0.5 * (squared - squared.mean(0) - squared.mean(1, keepdims=True) + squared.mean())
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((n, 2))
    width = min(2, left.shape[1])
    points[:, :width] = left[:, :width] * np.sqrt(sizes[:width] / np.sqrt(pivots / n))
    largest = np.abs(points).argmax(axis=0)
    points *= np.where(points[largest, [0, 1]] < 0, -1.0, 1.0)  # an SVD leaves the sign open
    return points + np.random.RandomState(0).uniform(-0.05, 0.05, size=(n, 2))


def _pivot_mds(distance: Points, pivots: int = 60) -> Points:
    """Classical scaling from the distances to a few far-apart nodes. [n, n] → [n, 2]"""
    n = len(distance)
    if n == 1:
        return np.zeros((1, 2))
    chosen, nearest = [0], distance[0].copy()
    while len(chosen) < min(pivots, n):
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distance[chosen[-1]])
    return _scaled(distance[:, chosen])


def _unit(points: Points, edge_index: Ints) -> Points:
    """Centred, with edges of length 1 in the median."""
    if not len(points):
        return points
    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    if not edge_index.size:
        return points
    lengths = np.linalg.norm(points[edge_index[0]] - points[edge_index[1]], axis=1)
    return points / max(float(np.median(lengths)), 1e-9)


def motif_points(motif: Motif) -> Points:
    """A motif's own picture at the scale of a layout: edges of mean length 1."""
    points = np.array(motif.positions, dtype=np.float64)
    first, second = np.array(motif.edges).T
    return points / np.linalg.norm(points[first] - points[second], axis=1).mean()


def _motif_shapes(instance: Instance) -> dict[int, tuple[Ints, Points]]:
    """For each motif in view that the data set describes: its local nodes and where its picture has them."""
    shapes = {}
    for motif_id in np.unique(instance.motif[instance.motif >= 0]):
        nodes = np.flatnonzero(instance.motif == motif_id)
        nodes = nodes[np.argsort(instance.nodes[nodes])]
        inside = instance.edge_motif == motif_id
        edges = {(int(i), int(j)) for i, j in instance.nodes[instance.edge_index[:, inside]].T}
        for motif in instance.info.motifs:
            places = _places(instance.nodes[nodes], edges, motif)
            if places is not None:
                shapes[int(motif_id)] = nodes, motif_points(motif)[places]
                break
    return shapes


def _places(ids: Ints, edges: set[tuple[int, int]], motif: Motif) -> Ints | None:
    """Which of the motif's nodes these (perhaps not all in view) are, going by their ids in order."""
    both = {*motif.edges, *((j, i) for i, j in motif.edges)}
    for offset in range(motif.num_nodes - int(ids[-1] - ids[0])):
        places = ids - ids[0] + offset
        seen = set(places.tolist())
        expected = {(i, j) for i, j in both if i in seen and j in seen}
        if expected == {(i - int(ids[0]) + offset, j - int(ids[0]) + offset) for i, j in edges}:
            return places
    return None


def _aligned(points: Points, nodes: Ints, shape: Points) -> Points:
    """Turn (and if need be mirror) a layout so that some nodes lie as in a given shape."""
    centre = points[nodes].mean(0)
    return (points - centre) @ _rotation(points[nodes] - centre, shape - shape.mean(0))


def _turned(shape: Points, onto: Points) -> Points:
    """A shape, centred, turned to lie as well as it can on some points."""
    centred = shape - shape.mean(0)
    return centred @ _rotation(centred, onto - onto.mean(0))


def _rotation(points: Points, onto: Points) -> Points:
    """The rotation or reflection that brings some centred points closest to others (Kabsch). [2, 2]"""
    left, _, right = np.linalg.svd(points.T @ onto)
    return left @ right


def _molecule_coordinates(instance: Instance) -> Points | None:
    """RDKit's drawing of a molecule given as atoms and bond orders; ``None`` if it cannot make one."""
    try:
        from rdkit import Chem, rdBase
        from rdkit.Chem import rdDepictor
    except ImportError:
        return None
    orders = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}
    editable = Chem.RWMol()
    for node in range(instance.num_nodes):
        atom = Chem.Atom(instance.node_label(node))
        atom.SetNoImplicit(True)
        editable.AddAtom(atom)
    for edge in instance.undirected:
        first, second = (int(node) for node in instance.edge_index[:, edge])
        order = 1 if instance.edge_order is None else int(instance.edge_order[edge])
        editable.AddBond(first, second, orders.get(order, Chem.BondType.SINGLE))
    try:
        with rdBase.BlockLogs():
            molecule = editable.GetMol()
            molecule.UpdatePropertyCache(strict=False)
            Chem.FastFindRings(molecule)
            rdDepictor.Compute2DCoords(molecule)
        points = np.asarray(molecule.GetConformer().GetPositions()[:, :2], dtype=np.float64)
    except (RuntimeError, ValueError):
        return None
    crowded = len(np.unique(points.round(3), axis=0)) < len(points)
    return None if crowded or not np.isfinite(points).all() else points
