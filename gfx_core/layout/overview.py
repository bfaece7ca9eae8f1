"""The layout of a whole node-task graph: the base as a disc in the middle, every motif upright to it on the rim."""

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.layout.instances import motif_points
from gfx_core.layout.stress import Points, graph_layout, side_by_side

_ROOM = 0.7  # left free between two motifs on the rim, in edge lengths
_RINGS, _RING_STEP = 2, 3.2  # of motifs around the disc, and their distance
_COMPLEX = np.array([1, 1j])


def overview_layout(dataset: GraphDataset) -> Points:
    """Where to draw all nodes of a node-task data set. [N, 2]"""
    assert dataset.task is Task.NODE
    # sides stand side by side, such as BA-Community's two communities, which its classes name
    side = np.maximum(dataset.y, 0) * dataset.info.sides // dataset.num_classes
    groups = [np.flatnonzero(side == number) for number in np.unique(side)]
    return side_by_side(groups, [_side_layout(dataset, nodes) for nodes in groups], 4.0)


def _side_layout(dataset: GraphDataset, nodes: Ints) -> Points:
    """The motifs on two rings, in the order of the angle of what they hang on. [n, 2]"""
    inside = np.isin(dataset.edge_index, nodes).all(axis=0)
    edges, motif = np.searchsorted(nodes, dataset.edge_index[:, inside]), dataset.motif[nodes]
    base = np.flatnonzero(motif < 0)
    links = edges[:, (motif[edges[0]] >= 0) & (motif[edges[1]] < 0)]
    numbers, first = np.unique(motif[links[0]], return_index=True)
    if not dataset.info.motifs or not len(numbers):
        return graph_layout(len(nodes), edges)
    shape = motif_points(dataset.info.motifs[0]) @ _COMPLEX
    shape -= shape[0]
    shape *= abs(shape.mean()) / shape.mean()  # to the right, where its first node is what hangs on the base
    slot = float(np.ptp(shape.imag)) + _ROOM  # rim length for one motif
    radius = max(4.0, len(numbers) * slot / _RINGS / (2 * np.pi))

    disc = graph_layout(len(base), np.searchsorted(base, edges[:, (motif[edges] < 0).all(axis=0)])) @ _COMPLEX
    disc -= disc.mean()
    rank = np.argsort(np.argsort(np.abs(disc), kind="stable"))
    disc *= (radius - 2.0) * np.sqrt((rank + 0.5) / len(base)) / np.maximum(np.abs(disc), 1e-9)  # evenly filled
    z = np.zeros(len(nodes), dtype=complex)
    z[base] = disc
    order = np.argsort(np.angle(z[links[1, first]]), kind="stable")
    even = np.exp(2j * np.pi * np.arange(len(order)) / len(order))
    turn = np.exp(1j * np.angle(np.mean(z[links[1, first]][order] / even)))
    for slot_number, at in enumerate(order):
        members = np.flatnonzero(motif == numbers[at])
        reach = radius + _RING_STEP * (slot_number % _RINGS)
        z[members] = (reach + shape[: len(members)]) * even[slot_number] * turn
    return np.stack([z.real, z.imag], axis=1)
