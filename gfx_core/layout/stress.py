"""Layouts of graphs by stress: the drawn distance of two nodes should be their distance in the graph.

A layout is the same every time. Rounding, which differs from one processor to the next, moves no node by anything that
can be seen: no axis or sign depends on it.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Ints

Points = NDArray[np.float64]  # [n, 2], y upwards, a typical edge is 1 long

_MOTIF_WEIGHT = 6.0
_LARGE = 120  # nodes above which fewer refining steps are taken
_VERY_LARGE = 600  # nodes above which only the distances to some pivots count: all pairs would take seconds
_PIVOTS = 100
_SCALING_STEPS = 24
_CLEARING_STEPS = 60
_CROWDED = 30_000  # nodes times edges above which there is no room, or no time, to clear all edges


def graph_layout(num_nodes: int, edge_index: Ints, shapes: Collection[tuple[Ints, Points]] = ()) -> Points:
    """Lay out any graph; components are set side by side.

    Args:
        num_nodes: How many nodes.
        edge_index: Edges, both directions. [2, e]
        shapes: Nodes that should take a given shape, with the shape's points.
    """
    from scipy.sparse.csgraph import connected_components

    points, right = np.zeros((num_nodes, 2)), 0.0
    if not num_nodes:
        return points
    count, component = connected_components(_adjacency(num_nodes, edge_index), directed=False)
    for number in range(count):
        nodes = np.flatnonzero(component == number)
        edges = np.searchsorted(nodes, edge_index[:, component[edge_index[0]] == number])
        inside = [
            (np.searchsorted(nodes, members), shape) for members, shape in shapes if component[members[0]] == number
        ]
        part = _component_layout(len(nodes), edges, inside)
        part -= part.min(axis=0)
        points[nodes] = part + np.array([right, -part[:, 1].max() / 2])
        right += part[:, 0].max() + 1.5
    return points - points.mean(axis=0)


def _adjacency(num_nodes: int, edge_index: Ints) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(edge_index.shape[1]), tuple(edge_index)), shape=(num_nodes, num_nodes))


def distances(num_nodes: int, edge_index: Ints, to: Ints | None = None) -> Points:
    """How many edges lie between nodes; infinite where there is no path. [n, n], or to some nodes [n, p]"""
    from scipy.sparse.csgraph import shortest_path

    graph = _adjacency(num_nodes, edge_index)
    return np.ascontiguousarray(shortest_path(graph, unweighted=True, directed=False, indices=to).T)


def _component_layout(n: int, edge_index: Ints, shapes: list[tuple[Ints, Points]]) -> Points:
    """Lay out a connected graph. [n, 2]"""
    if n < 3:
        return np.stack([np.arange(n, dtype=np.float64), np.zeros(n)], axis=1)
    large = n > _VERY_LARGE
    pivots = np.linspace(0, n - 1, _PIVOTS).astype(np.int64)  # nodes come nearest first: some of every distance
    distance = distances(n, edge_index, pivots if large else None)
    points = _scaled(distance if large else distance[:, _far_apart(distance)])
    for nodes, shape in shapes:  # or a ring may stay twisted
        points[nodes] = points[nodes].mean(0) + (shape - shape.mean(0)) @ rotation(shape, points[nodes])
    if large:
        return _majorised_by_pivots(points, edge_index, pivots, distance, shapes)
    return _majorised(points, distance, shapes)


def _majorised(points: Points, distance: Points, shapes: list[tuple[Ints, Points]]) -> Points:
    """Weighted stress majorisation (Gansner, Koren and North, 2004). [n, 2]"""
    n = len(points)
    weight = np.where(distance > 0, 1.0 / np.maximum(distance, 1.0) ** 2, 0.0)
    for nodes, shape in shapes:
        block = np.ix_(nodes, nodes)
        distance[block] = np.linalg.norm(shape[:, None] - shape, axis=2)
        weight[block] = _MOTIF_WEIGHT * max(1.0, n / 25) * (1.0 - np.eye(len(nodes)))
    inverse = np.linalg.inv(np.diag(weight.sum(1)) - weight + 1.0 / n)  # the shift keeps the mean
    pull = weight * distance
    for _ in range(100 if n <= _LARGE else 40):
        z = points @ [1, 1j]  # of complex numbers numpy finds the distances ten times as fast
        ratio = pull / np.maximum(np.abs(z[:, None] - z), 1e-9)  # zero on the diagonal
        before, points = points, inverse @ (ratio.sum(1)[:, None] * points - ratio @ points)
        if np.abs(points - before).max() < 1e-3:
            break
    return points


def _majorised_by_pivots(
    points: Points, edges: Ints, pivots: Ints, distance: Points, shapes: list[tuple[Ints, Points]]
) -> Points:
    """Stress of the edges, the motifs and the distances to some pivots only (Ortmann, Klimenta and Brandes, 2017).

    Each step costs as much as there are edges and pivots, instead of all pairs of nodes. [n, 2]
    """
    n, length = len(points), np.ones(edges.shape[1])
    weight = np.ones(edges.shape[1])
    for nodes, shape in shapes:
        one, other = np.nonzero(1 - np.eye(len(nodes)))
        edges = np.append(edges, nodes[[one, other]], axis=1)
        length = np.append(length, np.linalg.norm(shape[one] - shape[other], axis=1))
        weight = np.append(weight, np.full(len(one), _MOTIF_WEIGHT * n / 25))
    far = np.stack([np.repeat(np.arange(n), len(pivots)), np.tile(pivots, n)])
    source, target = np.append(edges, far, axis=1)
    length = np.append(length, distance)
    weight = np.append(weight, (distance > 0) * n / len(pivots) / np.maximum(distance, 1.0) ** 2)
    weight /= np.bincount(source, weight, n)[source]
    for _ in range(30):
        apart = points[source] - points[target]
        ratio = length / np.maximum(np.linalg.norm(apart, axis=1), 1e-9)
        pull = weight[:, None] * (points[target] + ratio[:, None] * apart)
        moved = np.stack([np.bincount(source, column, n) for column in pull.T], axis=1)
        points = 0.3 * points + 0.7 * moved  # all nodes move at once: a whole step would overshoot
    nudge = np.random.RandomState(1).uniform(-0.1, 0.1, size=(n, 2))
    return points + nudge * (np.bincount(edges[0], minlength=n) < 3)[:, None]  # twins would lie on one spot


def _far_apart(distance: Points) -> list[int]:
    """Up to 60 nodes that are far from each other, the first node among them."""
    pivots = [0]
    while len(pivots) < min(60, len(distance)):
        pivots.append(int(distance[pivots].min(axis=0).argmax()))
    return pivots


def _scaled(distance: Points) -> Points:
    """Classical scaling from distances to some pivots, nudged so that no two nodes coincide. [n, p] → [n, 2]

    Its two axes are the first singular vectors, by so many steps of subspace iteration from a fixed start. Where
    singular values are nearly equal, a decomposition leaves it to rounding which vectors and signs come out; these
    steps are a smooth function of the distances there too.
    """
    n, pivots = distance.shape
    squared = distance**2
    centred = -0.5 * (squared - squared.mean(0) - squared.mean(1, keepdims=True) + squared.mean())
    random = np.random.RandomState(0)
    nudge, axes = random.uniform(-0.05, 0.05, size=(n, 2)), random.uniform(-1, 1, size=(2, n)).T
    for _ in range(_SCALING_STEPS):
        axes, triangle = np.linalg.qr(centred @ (centred.T @ axes))
        sizes = triangle.diagonal()  # the squares of the singular values, or less the squares
        axes = axes * np.sign(sizes)
    return axes * (np.abs(sizes) * n / pivots) ** 0.25 + nudge


def rotation(points: Points, onto: Points) -> Points:
    """The rotation or reflection that brings points, centred, closest to others (Kabsch). [2, 2]"""
    left, _, right = np.linalg.svd((points - points.mean(0)).T @ (onto - onto.mean(0)))
    return left @ right


def aligned(points: Points, nodes: Ints, shape: Points) -> Points:
    """Turn (and if need be mirror) a layout so that some nodes lie as in a given shape."""
    return (points - points[nodes].mean(0)) @ rotation(points[nodes], shape)


def nodes_off_edges(points: Points, edges: Ints) -> Points:
    """Move nodes a little, so that no edge runs behind a node that it does not join, as far as there is room.

    Args:
        points: Where the nodes are. [n, 2]
        edges: Each once. [2, e]
    """
    n, (one, other) = len(points), edges
    if not 3 <= n <= _CROWDED // max(1, len(one)):
        return points
    z = points @ [1, 1j]  # complex numbers: a quotient by an edge is how far along it and beside it
    gap = np.sort(np.sort(np.abs(z[:, None] - z))[:, 1])[
        n // 4
    ]  # as the player measures it, whose nodes have .36 of it
    for _ in range(_CLEARING_STEPS):
        along = z[other] - z[one] + 1e-9  # [e]
        relative = (z - z[one][:, None]) / along[:, None]  # [e, n]
        share, side = relative.real, relative.imag * np.abs(along)[:, None]
        hidden = (np.abs(side) < gap / 2) & (np.abs(share - 0.5) < 0.499)  # an edge's own ends are at 0 and 1
        if not hidden.any():
            break
        normal = 1j * along / np.abs(along)
        push = hidden * 0.5 * (np.copysign(0.53 * gap, side) - side) * normal[:, None]
        apart = z[:, None] - z
        crowding = np.maximum(gap / np.maximum(np.abs(apart), 1e-9) - 1, 0)
        move = push.sum(axis=0) + 0.25 * (crowding * apart).sum(axis=1)
        np.subtract.at(move, one, ((1 - share) * push).sum(axis=1))
        np.subtract.at(move, other, (share * push).sum(axis=1))
        z += move * np.minimum(1.0, 0.3 * gap / np.maximum(np.abs(move), 1e-9))
    return np.stack([z.real, z.imag], axis=1)
