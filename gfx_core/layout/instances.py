"""Where the nodes of an instance are drawn: the same graph at the same place every time, and a house like a house.

The nodes of a known motif take its shape as far as they can, and the picture is turned so that the
explained motif stands upright. Molecules are drawn as RDKit draws them, sentences are written in reading order.
"""

from collections import Counter
from dataclasses import fields, replace

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.config import Drawing
from gfx_core.datasets.info import Motif
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import editable_molecule
from gfx_core.layout.stress import Points, aligned, distances, graph_layout, nodes_off_edges
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


def kept_places(before: Instance, after: Instance) -> dict[int, Points]:
    """Where to draw the nodes of an instance before and after edits, by their ids.

    All stay where they were, and new ones are put beside a neighbour. Only the words of a sentence move, where one of
    them became longer or shorter.
    """
    if before.node_texts and before.info.drawing is Drawing.SENTENCE:
        words = dict(zip(before.nodes.tolist(), before.node_texts, strict=True))
        words |= dict(zip(after.nodes.tolist(), after.node_texts, strict=True))
        before = replace(before, node_texts=tuple(words.values()))
    z = dict(zip(before.nodes.tolist(), instance_layout(before) @ [1, 1j], strict=True))
    middle, beside = np.mean(list(z.values())), Counter[int]()
    for at in np.argsort(after.hops, kind="stable").tolist():  # each new node has a neighbour that is nearer
        if (node := int(after.nodes[at])) in z:
            continue
        neighbours = after.nodes[after.edge_index[1][after.edge_index[0] == at]].tolist()
        host = next(neighbour for neighbour in neighbours if neighbour in z)
        beside[host] += 1
        outward = (z[host] - middle) / max(abs(z[host] - middle), 1e-9)
        turn = (beside[host] // 2) * (-1) ** beside[host]  # to the front, then to both sides in turn
        z[node] = z[host] + outward * (1 + 0.7j * turn)
    return {node: np.array([point.real, point.imag]) for node, point in z.items()}


def sketch_layout(instance: Instance) -> Points:
    """Where nodes are in pictures that are too small for words; a sentence is a tree there, read from left to right.

    Where words cannot be read, arcs above a line of dots would say little: deeper words are drawn lower. [m, 2]
    """
    if instance.info.drawing is not Drawing.SENTENCE:
        return instance_layout(instance)
    hops = distances(instance.num_nodes, instance.edge_index)
    depths = np.where(np.isfinite(hops), hops, -1.0)
    depth = depths[depths.max(axis=1).argmin()]  # below the middle of the tree
    return _unit(np.stack([np.arange(len(depth)), -1.4 * depth], axis=1), instance.edge_index)


def _instance_layout(instance: Instance) -> Points:
    edges = instance.edge_index
    if instance.info.drawing is Drawing.SENTENCE:
        words = [instance.node_label(node) for node in range(instance.num_nodes)]
        return word_places(words, edges[:, instance.undirected])
    points = None if instance.pos is None else instance.pos.astype(np.float64)
    if points is None and instance.node_names:
        points = _molecule_coordinates(instance)
    if points is None:
        shapes = _motif_shapes(instance)
        points = graph_layout(instance.num_nodes, edges, shapes.values())
        own = min(shapes, default=-1) if instance.target is None else int(instance.motif[instance.target])
        if own in shapes:
            points = aligned(points, *shapes[own])
        elif instance.info.owner or instance.dataset == "own":  # a graph of one's own, from a page or in Python
            points = nodes_off_edges(points, edges[:, instance.undirected])
    return _unit(points, edges)


def _unit(points: Points, edge_index: Ints) -> Points:
    """Centred, with edges of length 1 in the median."""
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
    shapes: dict[int, tuple[Ints, Points]] = {}
    for number in np.unique(instance.motif[instance.motif >= 0]).tolist():
        nodes = np.flatnonzero(instance.motif == number)
        nodes = nodes[np.argsort(instance.nodes[nodes])]
        ids = instance.nodes - instance.nodes[nodes[0]]  # generators number the nodes of a motif in its order
        edges = {frozenset(edge) for edge in ids[instance.edge_index[:, instance.edge_motif == number]].T.tolist()}
        ids = ids[nodes]
        for motif in instance.info.motifs:
            for first in range(motif.num_nodes - int(ids[-1])):  # perhaps not all of it is in view
                expected = (frozenset(edge) for edge in (np.array(motif.edges) - first).tolist())
                if edges == {edge for edge in expected if edge <= set(ids.tolist())}:
                    shapes.setdefault(number, (nodes, motif_points(motif)[ids + first]))
    return shapes


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
