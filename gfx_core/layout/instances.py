"""Where the nodes of an instance or a data set are drawn: a graph at the same place every time, a house like a house.

The nodes of a known motif take its shape as far as they can, and the picture is turned so that the
explained motif stands upright. Molecules are drawn as RDKit draws them, sentences are written in reading order.
Of a whole data set the base is a disc in the middle, and every motif stands upright to it on the rim.
"""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import Motif
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import editable_molecule
from gfx_core.layout.stress import Points, Shape, graph_layout, side_by_side
from gfx_core.storage import Recent, digest_of
from gfx_core.text.typesetting import word_places

_recent: "Recent[str, Points]" = Recent(256)


def instance_layout(instance: Instance) -> Points:
    """Where to draw the nodes of an instance; what was drawn lately is remembered. [m, 2]"""
    if instance.layout is not None:
        return instance.layout.copy()
    values = [getattr(instance, field.name) for field in fields(instance)]
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    others = [value.shape if isinstance(value, np.ndarray) else repr(value) for value in values]
    return _recent.find(digest_of(others, arrays), lambda: _instance_layout(instance)).copy()


def edited_layout(before: Instance, after: Instance) -> dict[int, Points]:
    """Where to draw the nodes of an instance before and after edits, by their ids.

    All stay where they were, and new ones are put beside a neighbour. Only the words of a sentence move, where one of
    them became longer or shorter.
    """
    if before.is_sentence:
        words = dict(zip(before.nodes.tolist(), before.node_texts, strict=True))
        words |= dict(zip(after.nodes.tolist(), after.node_texts, strict=True))
        before = replace(before, node_texts=tuple(words.values()))
    z = dict(zip(before.nodes.tolist(), instance_layout(before) @ [1, 1j], strict=True))
    middle, count = np.mean(list(z.values())), len(z)
    for at in np.argsort(after.hops, kind="stable").tolist():  # each new node has a neighbour that is nearer
        node = int(after.nodes[at])
        if node not in z:
            neighbours = after.nodes[after.edge_index[1][after.edge_index[0] == at]].tolist()
            host = next(z[neighbour] for neighbour in neighbours if neighbour in z)
            outward = (host - middle) / max(abs(host - middle), 1e-9)
            z[node] = host + outward * np.exp(2.4j * (len(z) - count))  # no two in one direction
    return {node: np.array([point.real, point.imag]) for node, point in z.items()}


def sketch_layout(instance: Instance) -> Points:
    """Where nodes are in pictures that are too small for words; a sentence is a tree there. [m, 2]"""
    if instance.is_sentence:
        return graph_layout(instance.num_nodes, instance.edge_index)
    return instance_layout(instance)


def _instance_layout(instance: Instance) -> Points:
    edges = instance.edge_index
    if instance.is_sentence:
        words = [instance.node_label(node) for node in range(instance.num_nodes)]
        return word_places(words, edges[:, instance.undirected])
    points = None if instance.pos is None else instance.pos.astype(float)
    if points is None and instance.node_names:
        points = _molecule_coordinates(instance)
    if points is None:
        numbers = np.unique(instance.motif[instance.motif >= 0])
        explained = -1 if instance.target is None else instance.motif[instance.target]
        by_id, shapes = np.argsort(instance.nodes), []
        for number in sorted(numbers, key=lambda number: number != explained):
            ids = instance.nodes[edges[:, instance.edge_motif == number]]
            if (shape := motif_shape(ids, instance.info.motifs)) is not None:
                shapes.append((by_id[np.searchsorted(instance.nodes[by_id], shape[0])], shape[1]))
        points = graph_layout(instance.num_nodes, edges, shapes)
    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    if not edges.size:
        return points
    lengths = np.linalg.norm(points[edges[0]] - points[edges[1]], axis=1)
    return points / max(float(np.median(lengths)), 1e-9)


def motif_points(motif: Motif) -> Points:
    """A motif's own picture at the scale of a layout: edges of mean length 1."""
    points = np.array(motif.positions, dtype=float)
    first, second = np.array(motif.edges).T
    return points / np.linalg.norm(points[first] - points[second], axis=1).mean()


def motif_shape(edges: Ints, motifs: Sequence[Motif]) -> Shape | None:
    """The nodes of some edges as the picture of a motif has them, of which perhaps not all is in view. edges [2, e]"""
    import networkx as nx  # only here: every page loads this file

    for motif in motifs:
        matcher = nx.algorithms.isomorphism.GraphMatcher(nx.Graph(motif.edges), nx.Graph(edges.T.tolist()))
        # generators number the nodes of a motif in its order: the first match is not mirrored
        match = min((sorted(match.items()) for match in matcher.subgraph_isomorphisms_iter()), default=None)
        if match:
            corners, nodes = np.array(match).T
            return nodes, motif_points(motif)[corners]
    return None


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
        points = np.asarray(molecule.GetConformer().GetPositions()[:, :2], dtype=float)
    except (RuntimeError, ValueError):
        return None
    crowded = len(np.unique(points.round(3), axis=0)) < len(points)
    return None if crowded or not np.isfinite(points).all() else points


# The whole graph of a node task


_ROOM = 0.7  # left free between two motifs on the rim, in edge lengths
_RINGS, _RING_STEP = 2, 3.2  # of motifs around the disc, and their distance


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
    shape = motif_points(dataset.info.motifs[0]) @ [1, 1j]
    shape -= shape[0]
    shape *= abs(shape.mean()) / shape.mean()  # to the right, where its first node is what hangs on the base
    slot = float(np.ptp(shape.imag)) + _ROOM  # rim length for one motif
    radius = max(4.0, len(numbers) * slot / _RINGS / (2 * np.pi))

    disc = graph_layout(len(base), np.searchsorted(base, edges[:, (motif[edges] < 0).all(axis=0)])) @ [1, 1j]
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
