"""Fixed layouts: the same graph is drawn at the same place every time, and a house looks like a house.

Positions minimise stress (the drawn distance of two nodes should be their distance in the graph). The nodes of a
motif that the data set's registry knows are asked to take its shape, and the picture is turned so that the
explained motif stands upright. Sentences are written in reading order.

A layout is the same on every computer, bit for bit: it is made of additions, products, quotients and square roots in a
fixed order, which IEEE 754 defines, and of nothing that BLAS, LAPACK or a processor's own routines would round in their
own way. Small changes of what is laid out move the nodes little: no axis, sign or rotation hangs on rounding.
"""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.config import Drawing
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.info import Motif
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import editable_molecule
from gfx_core.storage import Recent, digest_of
from gfx_core.text.typesetting import word_places
from gfx_core.user_data.store import is_own

Points = NDArray[np.float64]  # [n, 2], y upwards, a typical edge is 1 long
Shapes = list[tuple[Ints, Points]]  # nodes that should take a shape, and the shape's points

_MOTIF_WEIGHT = 6.0
_FEW = 320  # nodes up to which distances are found sooner than scipy is loaded
_LARGE = 120  # nodes above which fewer refining steps are taken
_VERY_LARGE = 600  # nodes above which only the distances to some pivots count: all pairs would take seconds
_PIVOTS = 100
_SCALING_STEPS = 24
_CLEARING_STEPS = 60
_CROWDED = 30_000  # nodes times edges above which there is no room, or no time, to clear all edges

_kept: "Recent[str, Points]" = Recent(256)


def instance_layout(instance: Instance) -> Points:
    """Where to draw the nodes of an instance; what was drawn lately is remembered. [m, 2]"""
    if instance.layout is not None:
        return instance.layout.copy()
    return _kept.find(_name(instance), lambda: _instance_layout(instance)).copy()


def kept_places(before: Instance, after: Instance) -> dict[int, Points]:
    """Where to draw the nodes of an instance before and after edits, by their ids.

    All stay where they were, and new ones stand beside a neighbour. Only the words of a sentence move, where one of
    them became longer or shorter.
    """
    if before.node_texts and before.info.drawing is Drawing.SENTENCE:
        words = dict(zip(before.nodes.tolist(), before.node_texts, strict=True))
        words |= dict(zip(after.nodes.tolist(), after.node_texts, strict=True))
        before = replace(before, node_texts=tuple(words.values()))
    known = dict(zip(before.nodes.tolist(), instance_layout(before), strict=True))
    middle, beside = np.mean(list(known.values()), axis=0), Counter[int]()
    for at in np.argsort(after.hops, kind="stable").tolist():  # each has a neighbour that is nearer and was placed
        if (node := int(after.nodes[at])) in known:
            continue
        neighbours = after.nodes[after.edge_index[1][after.edge_index[0] == at]].tolist()
        host = next(each for each in neighbours if each in known)
        beside[host] += 1
        outward, _ = _direction(known[host] - middle)
        turn = (beside[host] // 2) * (-1) ** beside[host]  # to the front, then to both sides in turn
        known[node] = known[host] + outward + 0.7 * turn * np.array([-outward[1], outward[0]])
    return known


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


def _name(instance: Instance) -> str:
    """Names all that a layout depends on."""
    atoms = instance.x if instance.node_names else None  # these are drawn by what they are
    graph = (instance.nodes, instance.edge_index, instance.motif, instance.edge_motif, instance.edge_order)
    info = instance.info
    known = instance.target, instance.node_names, info.motifs, info.drawing, instance.node_texts, _is_own(instance)
    arrays = (*graph, instance.pos, atoms)
    shapes = [None if array is None else array.shape for array in arrays]
    return digest_of([repr(known), shapes], [array for array in arrays if array is not None])


def _is_own(instance: Instance) -> bool:
    """Whether it is from a graph that somebody brought, to a page or in Python."""
    return instance.dataset == "own" or is_own(instance.dataset)


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
        points = aligned(points, *shapes[own])
    elif _is_own(instance):
        points = nodes_off_edges(points, instance.edge_index[:, instance.undirected])
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
    points = np.zeros((num_nodes, 2))
    right = 0.0
    component = _components(num_nodes, edge_index)
    for number in range(int(component.max()) + 1):
        nodes = np.flatnonzero(component == number)
        edges = np.searchsorted(nodes, edge_index[:, component[edge_index[0]] == number])
        inside = [
            (np.searchsorted(nodes, members), shape)
            for members, shape in (shapes or {}).values()
            if component[members[0]] == number
        ]
        part = (_by_pivots if len(nodes) > _VERY_LARGE else _by_all_pairs)(len(nodes), edges, inside)
        part -= part.min(axis=0)
        points[nodes] = part + np.array([right, -part[:, 1].max() / 2])
        right += part[:, 0].max() + 1.5
    return points - points.mean(axis=0)


def nodes_off_edges(points: Points, edges: Ints) -> Points:
    """Move nodes a little, so that no edge runs behind a node that it does not join, as far as there is room.

    Args:
        points: Where the nodes are. [n, 2]
        edges: Each once. [2, e]
    """
    n, (one, other) = len(points), edges
    if not 3 <= n <= _CROWDED // max(1, len(one)):
        return points
    points, every = points.copy(), np.arange(len(one))
    nearest = _length(*(points.T[:, :, None] - points.T[:, None])) + np.where(np.eye(n, dtype=bool), np.inf, 0.0)
    gap = float(np.sort(nearest.min(axis=1))[n // 4])  # as the player measures it, whose nodes have .36 of it
    for _ in range(_CLEARING_STEPS):
        along = points[other] - points[one]  # [e, 2]
        length = np.maximum(_length(*along.T), 1e-9)
        normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / length[:, None]
        away = points - points[one][:, None]  # [e, n, 2]
        at = (away * along[:, None]).sum(axis=2) / (length * length)[:, None]  # 0 to 1 beside the edge
        side = (away * normal[:, None]).sum(axis=2)
        hidden = (np.abs(side) < gap / 2) & (at > 0) & (at < 1)
        hidden[every, one] = hidden[every, other] = False
        edge, node = np.nonzero(hidden)
        if not len(edge):
            break
        distance = side[edge, node]
        push = (
            0.5 * normal[edge] * np.where(distance < 0, -1.0, 1.0)[:, None] * (0.53 * gap - np.abs(distance))[:, None]
        )
        share = at[edge, node][:, None]
        move = np.zeros_like(points)
        for nodes, amount in ((node, push), (one[edge], -push * (1 - share)), (other[edge], -push * share)):
            np.add.at(move, nodes, amount)
        apart = points[:, None] - points  # [n, n, 2]
        distance = np.maximum(_length(apart[..., 0], apart[..., 1]), 1e-9)
        move += 0.25 * (np.where(distance < gap, gap / distance - 1, 0.0)[..., None] * apart).sum(axis=1)
        step = np.maximum(_length(*move.T), 1e-9)
        points += move * np.minimum(1.0, 0.3 * gap / step)[:, None]
    return points


def _components(num_nodes: int, edge_index: Ints) -> Ints:
    """The number of each node's connected component, in the order of their first nodes. [n]"""
    if num_nodes <= _FEW:
        first = np.isfinite(_hops(num_nodes, edge_index)).argmax(axis=1)
        return np.unique(first, return_inverse=True)[1]
    from scipy.sparse.csgraph import connected_components

    return connected_components(_adjacency(num_nodes, edge_index), directed=False)[1].astype(np.int64)


def _adjacency(num_nodes: int, edge_index: Ints) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(edge_index.shape[1]), (edge_index[0], edge_index[1])), shape=(num_nodes, num_nodes))


def _hops(num_nodes: int, edge_index: Ints) -> Points:
    """How many edges lie between any two nodes; infinite where there is no way. [n, n]"""
    if num_nodes > _FEW:
        from scipy.sparse.csgraph import shortest_path

        return shortest_path(_adjacency(num_nodes, edge_index), unweighted=True, directed=False)
    near = np.zeros((num_nodes, num_nodes), dtype=np.float32)
    near[edge_index[0], edge_index[1]] = near[edge_index[1], edge_index[0]] = 1
    distance = np.where(np.eye(num_nodes, dtype=bool), 0.0, np.inf)
    reached = np.eye(num_nodes, dtype=bool)
    for steps in range(1, num_nodes):
        reached = (reached.astype(np.float32) @ near > 0) & np.isinf(distance)  # sums of ones: exact in any order
        if not reached.any():
            break
        distance[reached] = steps
    return distance


def _by_all_pairs(n: int, edge_index: Ints, shapes: Shapes) -> Points:
    """Weighted stress majorisation (Gansner, Koren and North, 2004) of a connected graph. [n, 2]"""
    distance = _hops(n, edge_index)
    points = _scaled(distance[:, _far_apart(distance)])
    if n < 3:
        return points
    weight = np.where(distance > 0, 1.0 / np.maximum(distance, 1.0) ** 2, 0.0)
    for nodes, shape in shapes:
        block = np.ix_(nodes, nodes)
        distance[block] = _length(*(shape.T[:, :, None] - shape.T[:, None]))
        weight[block] = _MOTIF_WEIGHT * max(1.0, n / 25) * (1.0 - np.eye(len(nodes)))
        points[nodes] = points[nodes].mean(0) + _turned(shape, points[nodes])  # or a ring may stay twisted
    inverse = _inverse(np.diag(weight.sum(1)) - weight + 1.0 / n)  # the shift makes it invertible and keeps the mean
    pull = weight * distance
    for _ in range(100 if n <= _LARGE else 40):
        away = [column[:, None] - column for column in points.T]  # two of [n, n]
        ratio = pull / np.maximum(_length(*away), 1e-9)  # zero on the diagonal
        moved = np.empty_like(points)
        for axis, apart in enumerate(away):
            force = np.multiply(ratio, apart, out=apart).sum(axis=1)  # [n]
            moved[:, axis] = np.multiply(inverse, force[:, None], out=apart).sum(axis=0)  # the inverse is symmetric
        step = float(np.abs(moved - points).max())
        points = moved
        if step < 1e-3:
            break
    return points


def _by_pivots(n: int, edge_index: Ints, shapes: Shapes) -> Points:
    """Stress of the edges, the motifs and the distances to some pivots only (Ortmann, Klimenta and Brandes, 2017).

    A connected graph; each step costs as much as there are edges and pivots, instead of all pairs of nodes. [n, 2]
    """
    from scipy.sparse.csgraph import shortest_path

    pivots = np.linspace(0, n - 1, _PIVOTS).astype(np.int64)  # nodes come nearest first: some of every distance
    distance = shortest_path(_adjacency(n, edge_index), unweighted=True, directed=False, indices=pivots).T  # [n, p]
    distance = np.ascontiguousarray(distance)
    points = _scaled(distance)
    source, target = edge_index
    length, strength = np.ones(len(source)), np.ones(len(source))
    for nodes, shape in shapes:
        points[nodes] = points[nodes].mean(0) + _turned(shape, points[nodes])
        one, other = (np.indices((len(nodes),) * 2)[:, ~np.eye(len(nodes), dtype=bool)]).reshape(2, -1)
        source, target = np.append(source, nodes[one]), np.append(target, nodes[other])
        length = np.append(length, _length(*(shape[one] - shape[other]).T))
        strength = np.append(strength, np.full(len(one), _MOTIF_WEIGHT * n / 25))
    weight = np.where(distance > 0, n / _PIVOTS / np.maximum(distance, 1.0) ** 2, 0.0)  # [n, p]
    total = weight.sum(1) + np.bincount(source, strength, n)
    weight, strength = weight / total[:, None], strength / total[source]
    pull = weight * distance
    for _ in range(30):
        away = [column[:, None] - column[pivots] for column in points.T]  # two of [n, p]
        ratio = pull / np.maximum(_length(*away), 1e-9)
        apart = points[source] - points[target]  # [e, 2]
        wanted = length / np.maximum(_length(*apart.T), 1e-9)
        pulled = strength[:, None] * (points[target] + wanted[:, None] * apart)
        moved = np.empty_like(points)
        for axis in range(2):
            moved[:, axis] = (weight * points[pivots, axis] + ratio * away[axis]).sum(axis=1)
            moved[:, axis] += np.bincount(source, pulled[:, axis], n)
        points = 0.3 * points + 0.7 * moved  # all nodes move at once: a whole step would overshoot
    nudge = np.random.RandomState(1).uniform(-0.1, 0.1, size=(n, 2))
    return points + nudge * (np.bincount(source, minlength=n) < 3)[:, None]  # twins would lie on one spot


def _far_apart(distance: Points, count: int = 60) -> list[int]:
    """A few nodes that are far from each other, the first node among them."""
    chosen, nearest = [0], distance[0].copy()
    while len(chosen) < min(count, len(distance)):
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distance[chosen[-1]])
    return chosen


def _scaled(distance: Points) -> Points:
    """Classical scaling from distances to some pivots, nudged so that no two nodes coincide. [n, p] → [n, 2]

    Its two axes are the first singular vectors, found by so many steps of subspace iteration from a fixed start. Where
    singular values are equal or nearly so, a decomposition leaves it to rounding which vectors and signs come out;
    these steps are a smooth function of the distances there too.
    """
    n, pivots = distance.shape
    squared = distance**2
    centred = -0.5 * (squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean())
    random = np.random.RandomState(0)
    nudge, axes = random.uniform(-0.05, 0.05, size=(n, 2)), random.uniform(-1, 1, size=(2, n))
    sizes = np.zeros(2)
    for _ in range(_SCALING_STEPS):
        there = [(centred * axis[:, None]).sum(axis=0) for axis in axes]  # two of [p]
        first, second = ((centred * other).sum(axis=1) for other in there)  # [n]
        axes[0], sizes[0] = _direction(first)
        axes[1], sizes[1] = _direction(second - axes[0] * (axes[0] * second).sum(), least=1e-9 * sizes[0] * sizes[0])
    return axes.T * np.sqrt(sizes / np.sqrt(pivots / n)) + nudge


def _direction(vector: Points, least: float = 1e-9) -> tuple[Points, float]:
    """A vector of length 1, and the root of the given one's length; zeros where all lies on a line or on a spot."""
    length = math.sqrt(float((vector * vector).sum()))
    return (vector / length, math.sqrt(length)) if length > max(least, 1e-9) else (np.zeros_like(vector), 0.0)


def _inverse(matrix: Points) -> Points:
    """The inverse of a positive definite matrix, by Gauss and Jordan's elimination. [n, n]"""
    matrix, product = matrix.copy(), np.empty_like(matrix)
    for k in range(len(matrix)):
        pivot = float(matrix[k, k])
        column, row = matrix[:, k].copy(), matrix[k] / pivot
        matrix -= np.multiply(column[:, None], row, out=product)
        matrix[k], matrix[:, k] = row, column / -pivot
        matrix[k, k] = 1.0 / pivot
    return matrix


def _length(x: Points, y: Points) -> Points:
    """Of vectors, given by their coordinates."""
    return np.sqrt(x * x + y * y)


def _unit(points: Points, edge_index: Ints) -> Points:
    """Centred, with edges of length 1 in the median."""
    if not len(points):
        return points
    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    if not edge_index.size:
        return points
    lengths = _length(*(points[edge_index[0]] - points[edge_index[1]]).T)
    return points / max(float(np.median(lengths)), 1e-9)


def motif_points(motif: Motif) -> Points:
    """A motif's own picture at the scale of a layout: edges of mean length 1."""
    points = np.array(motif.positions, dtype=np.float64)
    first, second = np.array(motif.edges).T
    return points / _length(*(points[first] - points[second]).T).mean()


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
        present = set(places.tolist())
        expected = {(i, j) for i, j in both if i in present and j in present}
        if expected == {(i - int(ids[0]) + offset, j - int(ids[0]) + offset) for i, j in edges}:
            return places
    return None


def aligned(points: Points, nodes: Ints, shape: Points) -> Points:
    """Turn (and if need be mirror) a layout so that some nodes lie as in a given shape."""
    centre = points[nodes].mean(0)
    return _rotated(points - centre, _rotation(points[nodes] - centre, shape - shape.mean(0)))


def _turned(shape: Points, onto: Points) -> Points:
    """A shape, centred, turned to lie as well as it can on some points."""
    centred = shape - shape.mean(0)
    return _rotated(centred, _rotation(centred, onto - onto.mean(0)))


def _rotated(points: Points, rotation: Points) -> Points:
    """``points @ rotation``. [n, 2]"""
    return points[:, :1] * rotation[0] + points[:, 1:] * rotation[1]


def _rotation(points: Points, onto: Points) -> Points:
    """The rotation or reflection that brings some centred points closest to others (Kabsch). [2, 2]"""
    (x, y), (u, v) = points.T, onto.T
    turn = float((x * u + y * v).sum()), float((x * v - y * u).sum())
    mirror = float((x * u - y * v).sum()), float((x * v + y * u).sum())
    turned, mirrored = (float(np.sqrt(a * a + b * b)) for a, b in (turn, mirror))
    if max(turned, mirrored) < 1e-9:
        return np.eye(2)
    if mirrored > turned * (1 + 1e-6):  # points on a line can be turned or mirrored: they are turned
        cosine, sine = (value / mirrored for value in mirror)
        return np.array([[cosine, sine], [sine, -cosine]])
    cosine, sine = (value / turned for value in turn)
    return np.array([[cosine, sine], [-sine, cosine]])


def _molecule_coordinates(instance: Instance) -> Points | None:
    """RDKit's drawing of a molecule given as atoms and bond orders; ``None`` if it cannot make one."""
    editable = editable_molecule(instance)
    if editable is None:
        return None
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdDepictor

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
