"""The layout of a whole node-task graph: the base in the middle, every motif upright to it on the rim."""

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.layout.instances import motif_points
from gfx_core.layout.stress import Points, graph_layout

Plane = NDArray[np.complex128]  # x + iy
_PLANE = np.array([1, 1j])

_ROOM = 0.7  # left free between two motifs on the rim, in edge lengths
_LEAF = 0.55  # rim length for a leaf of a tree
_RINGS, _RING_STEP = 2, 3.2  # of motifs around a disc, and their distance


def overview_layout(dataset: GraphDataset) -> Points:
    """Where to draw all nodes of a node-task data set. [N, 2]"""
    assert dataset.task is Task.NODE
    # sides stand side by side, such as BA-Community's two communities, which its classes name
    side = np.maximum(dataset.y, 0) * dataset.info.sides // dataset.num_classes
    points, right = np.zeros((dataset.num_nodes, 2)), 0.0
    for number in np.unique(side):
        nodes = np.flatnonzero(side == number)
        z = _side_layout(dataset, nodes)
        part = np.stack([z.real, z.imag], axis=1)
        part -= part.min(axis=0)
        points[nodes] = part + np.array([right, -part[:, 1].max() / 2])
        right += part[:, 0].max() + 4.0
    return points - (points.max(0) + points.min(0)) / 2


def _side_layout(dataset: GraphDataset, nodes: Ints) -> Plane:
    inside = np.isin(dataset.edge_index, nodes).all(axis=0)
    edges, motif = np.searchsorted(nodes, dataset.edge_index[:, inside]), dataset.motif[nodes]
    base = np.flatnonzero(motif < 0)
    links = edges[:, (motif[edges[0]] >= 0) & (motif[edges[1]] < 0)]
    numbers, first = np.unique(motif[links[0]], return_index=True)
    if not dataset.info.motifs or not len(numbers):
        return graph_layout(len(nodes), edges) @ _PLANE
    shape = motif_points(dataset.info.motifs[0]) @ _PLANE
    shape -= shape[0]
    shape *= abs(shape.mean()) / shape.mean()  # to the right, where its first node is what hangs on the base
    slot = float(np.ptp(shape.imag)) + _ROOM  # rim length for one motif
    base_edges = np.searchsorted(base, edges[:, (motif[edges] < 0).all(axis=0)])
    arrange = _radial_tree if base_edges.shape[1] == 2 * (len(base) - 1) else _disc
    z = np.zeros(len(nodes), dtype=complex)
    z[base], angles, reaches = arrange(len(base), base_edges, np.searchsorted(base, links[1, first]), slot)
    for number, angle, reach in zip(numbers, angles, reaches, strict=True):
        members = np.flatnonzero(motif == number)
        z[members] = (reach + shape[: len(members)]) * np.exp(1j * angle)
    return z


def _disc(n: int, edges: Ints, hosts: Ints, slot: float) -> tuple[Plane, Points, Points]:
    """A dense base as a disc, the motifs on two rings in the order of the angle of what they hang on.

    Returns:
        Where the base's nodes are [n], and of each motif the angle and the distance from the middle. [k] each
    """
    radius = max(4.0, len(hosts) * slot / _RINGS / (2 * np.pi))
    z = graph_layout(n, edges) @ _PLANE
    rank = np.argsort(np.argsort(np.abs(z), kind="stable"))
    z *= (radius - 2.0) * np.sqrt((rank + 0.5) / n) / np.maximum(np.abs(z), 1e-9)  # a stress layout crowds the middle
    order, slots = np.argsort(np.angle(z[hosts]), kind="stable"), np.arange(len(hosts), dtype=np.float64)
    even = 2 * np.pi * slots / len(hosts)
    turn = np.angle(np.mean(np.exp(1j * (np.angle(z[hosts])[order] - even))))
    rank = np.argsort(order)
    return z, (even + turn)[rank], (radius + _RING_STEP * (slots % _RINGS))[rank]


def _radial_tree(n: int, edges: Ints, hosts: Ints, slot: float) -> tuple[Plane, Points, Points]:
    """A tree in circles around its first node; a motif has a place among the leaves, so no edges cross.

    Returns:
        As `_disc` does.
    """
    import networkx as nx

    tree: nx.Graph[int] = nx.Graph(edges.T.tolist())
    depth = np.array([depth for _, depth in sorted(nx.single_source_shortest_path_length(tree, 0).items())])
    below = dict(nx.bfs_successors(tree, 0))
    for number, host in enumerate(hosts.tolist(), n):  # a motif is below its host, in the middle
        children = below.setdefault(host, [])
        children.insert(len(children) // 2, number)
    whole = nx.DiGraph((parent, child) for parent, children in below.items() for child in children)
    leaves = [item for item in nx.dfs_preorder_nodes(whole, 0) if item not in below]
    widths = np.where(np.array(leaves) < n, _LEAF, slot)
    along = np.zeros(n + len(hosts))  # the rim
    along[leaves] = np.cumsum(widths) - widths / 2
    for item in nx.dfs_postorder_nodes(whole, 0):
        if item in below:
            children = below[item]
            along[item] = along[[child for child in children if child < n] or children[:1]].mean()
    angle, rim = 2 * np.pi * along / widths.sum(), float(widths.sum() / (2 * np.pi))
    radius = rim * (depth / depth.max()) ** 0.8
    outermost = np.flatnonzero(depth == depth.max())  # every other leaf a little lower: more room
    radius[outermost[np.argsort(angle[outermost], kind="stable")[1::2]]] -= 1.2
    return radius * np.exp(1j * angle[:n]), angle[n:], np.full(len(hosts), rim + 1.5)
