"""Where the nodes of an instance are drawn: the same graph at the same place every time, and a house like a house.

The nodes of a known motif take its shape as far as they can, and the picture is turned so that the
explained motif stands upright. Molecules are drawn as RDKit draws them, sentences are written in reading order.
"""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.config import Drawing
from gfx_core.datasets.info import Motif
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import editable_molecule
from gfx_core.layout.stress import Points, Shape, graph_layout
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
    if before.node_texts and before.info.drawing is Drawing.SENTENCE:
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
    if instance.info.drawing is Drawing.SENTENCE:
        return graph_layout(instance.num_nodes, instance.edge_index)
    return instance_layout(instance)


def _instance_layout(instance: Instance) -> Points:
    edges = instance.edge_index
    if instance.info.drawing is Drawing.SENTENCE:
        words = [instance.node_label(node) for node in range(instance.num_nodes)]
        return word_places(words, edges[:, instance.undirected])
    points = None if instance.pos is None else instance.pos.astype(np.float64)
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
    points = np.array(motif.positions, dtype=np.float64)
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
        points = np.asarray(molecule.GetConformer().GetPositions()[:, :2], dtype=np.float64)
    except (RuntimeError, ValueError):
        return None
    crowded = len(np.unique(points.round(3), axis=0)) < len(points)
    return None if crowded or not np.isfinite(points).all() else points
