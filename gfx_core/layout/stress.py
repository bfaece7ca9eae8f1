"""Layouts of graphs by stress: the drawn distance of two nodes should be their distance in the graph.

A layout is the same every time. Rounding, which differs from one processor to the next, moves no node by anything that
can be seen: no axis or sign depends on it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles, Ints

Points = Doubles  # [n, 2], y upwards, a typical edge is 1 long
Shape = tuple[Ints, Points]
"""Nodes, and where they should be, up to a rotation and a shift."""

LARGE = 1000
"""Nodes above which a layout is scaled only: majorisation would take seconds."""
_PIVOTS = 60
_SCALING_STEPS = 24
_STEPS = 30_000  # of majorisation, times nodes
_MOST_STEPS = 100
_MOTIF_WEIGHT = 6.0


def graph_layout(num_nodes: int, edge_index: Ints, shapes: Sequence[Shape] = ()) -> Points:
    """Lay out any graph; components are set side by side.

    Args:
        num_nodes: How many nodes.
        edge_index: Edges, both directions. [2, e]
        shapes: Nodes that should take a given shape; the first of them stands upright.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    adjacency = csr_array((np.ones(edge_index.shape[1]), tuple(edge_index)), shape=(num_nodes, num_nodes))
    count, component = connected_components(adjacency, directed=False)
    groups = [np.flatnonzero(component == number) for number in range(count)]
    layouts = []
    for number, nodes in enumerate(groups):
        inside = [(np.searchsorted(nodes, some), shape) for some, shape in shapes if component[some[0]] == number]
        layouts.append(_component_layout(adjacency[nodes][:, nodes], inside))
    points = side_by_side(groups, layouts, 1.5)
    if shapes:
        nodes, shape = shapes[0]
        points = points @ _rotation(points[nodes], shape)
    return points


def side_by_side(groups: Sequence[Ints], layouts: Sequence[Points], gap: float) -> Points:
    """One layout of several, from left to right.

    Args:
        groups: The nodes of each.
        layouts: Where they are in it.
        gap: Between two.
    """
    points, right = np.zeros((sum(map(len, groups)), 2)), 0.0
    for nodes, layout in zip(groups, layouts, strict=True):
        low, high = layout.min(axis=0), layout.max(axis=0)
        points[nodes] = layout - [low[0] - right, (low[1] + high[1]) / 2]
        right += high[0] - low[0] + gap
    return points


def _component_layout(adjacency: Any, shapes: Sequence[Shape]) -> Points:
    """Lay out a connected graph. [n, 2]"""
    from scipy.sparse.csgraph import shortest_path

    n = adjacency.shape[0]
    if n < 3:
        return np.eye(n, 2)[::-1] * [1.0, 0.0]
    pivots = np.unique(np.linspace(0, n - 1, _PIVOTS).astype(int))  # nodes come nearest first: some of every hop
    points = _scaled(shortest_path(adjacency, unweighted=True, directed=False, indices=pivots).T)
    for nodes, shape in shapes:  # or a ring may stay twisted
        points[nodes] = points[nodes].mean(0) + (shape - shape.mean(0)) @ _rotation(shape, points[nodes])
    if n > LARGE:
        return points
    return _majorised(points, shortest_path(adjacency, unweighted=True, directed=False), shapes)


def _majorised(points: Points, distance: Points, shapes: Sequence[Shape]) -> Points:
    """Weighted stress majorisation (Gansner, Koren and North, 2004). [n, 2]"""
    n = len(points)
    weight = np.where(distance > 0, 1.0 / np.maximum(distance, 1.0) ** 2, 0.0)
    for nodes, shape in shapes:
        block = np.ix_(nodes, nodes)
        distance[block] = np.linalg.norm(shape[:, None] - shape, axis=2)
        weight[block] = _MOTIF_WEIGHT * max(1.0, n / 25) * (1.0 - np.eye(len(nodes)))
    inverse = np.linalg.inv(np.diag(weight.sum(1)) - weight + 1.0 / n)  # the shift keeps the mean
    pull = weight * distance
    for _ in range(min(_MOST_STEPS, _STEPS // n)):
        z = points @ [1, 1j]  # of complex numbers numpy finds the distances ten times as fast
        ratio = pull / np.maximum(np.abs(z[:, None] - z), 1e-9)  # zero on the diagonal
        points = inverse @ (ratio.sum(1)[:, None] * points - ratio @ points)
    return points


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


def _rotation(points: Points, onto: Points) -> Points:
    """The rotation or reflection that brings points, centred, closest to others (Kabsch). [2, 2]"""
    left, _, right = np.linalg.svd((points - points.mean(0)).T @ (onto - onto.mean(0)))
    return left @ right
