"""The layout of a whole node-task graph: the base in the middle, every motif upright to it on the rim."""

import numpy as np

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.layout import Points, graph_layout, motif_points

_ROOM = 0.7  # left free between two motifs on the rim, in edge lengths
_LEAF = 0.55  # rim length for a leaf of a tree
_RING_STEP = 3.2  # distance of two rings of motifs


def overview_layout(dataset: GraphDataset) -> Points:
    """Where to draw all nodes of a node-task data set. [N, 2]"""
    assert dataset.task is Task.NODE
    side = _side(dataset)
    parts = [np.flatnonzero(side == value) for value in np.unique(side)]
    points = np.zeros((dataset.num_nodes, 2))
    right = 0.0
    for nodes in parts:
        part = _part_layout(dataset, nodes)
        part -= part.min(axis=0)
        points[nodes] = part + np.array([right, -part[:, 1].max() / 2])
        right += part[:, 0].max() + 4.0
    return points - (points.max(0) + points.min(0)) / 2


def _side(dataset: GraphDataset) -> Ints:
    """Parts that are drawn side by side, such as BA-Community's two communities, which its classes name."""
    if dataset.info.sides == 1:
        return np.zeros(dataset.num_nodes, dtype=np.int64)
    return dataset.y * dataset.info.sides // dataset.num_classes


def _part_layout(dataset: GraphDataset, nodes: Ints) -> Points:
    local = np.full(dataset.num_nodes, -1, dtype=np.int64)
    local[nodes] = np.arange(len(nodes))
    inside = (local[dataset.edge_index] >= 0).all(axis=0)
    edges, edge_motif = local[dataset.edge_index[:, inside]], dataset.edge_motif[inside]
    motif = dataset.motif[nodes]
    base = np.flatnonzero(motif < 0)
    known = dataset.info.motifs
    if not len(base) or not known or not (motif >= 0).any():
        return graph_layout(len(nodes), edges)
    number = np.full(len(nodes), -1, dtype=np.int64)
    number[base] = np.arange(len(base))
    base_edges = number[edges[:, (motif[edges] < 0).all(axis=0)]]
    hosts = _hosts(motif, edges, edge_motif)
    shape = motif_points(known[0])
    shape = shape - shape[0]
    turned = shape.mean(0) / np.linalg.norm(shape.mean(0))  # from the attached node into the motif
    slot = float(np.ptp(shape @ np.array([-turned[1], turned[0]]))) + _ROOM  # rim length for one motif
    place = _radial_tree if base_edges.shape[1] == 2 * (len(base) - 1) else _disc
    points = np.zeros((len(nodes), 2))
    points[base], anchors = place(base, base_edges, hosts, number, slot)
    for motif_id, (anchor, outward) in anchors.items():
        members = np.flatnonzero(motif == motif_id)
        cosine, sine = turned @ outward, turned[0] * outward[1] - turned[1] * outward[0]
        rotation = np.array([[cosine, sine], [-sine, cosine]])
        points[members] = anchor + shape[: len(members)] @ rotation
    return points


def _hosts(motif: Ints, edges: Ints, edge_motif: Ints) -> dict[int, int]:
    """The base node that each motif hangs on (a local id); -1 where there is none."""
    hosts = {int(motif_id): -1 for motif_id in np.unique(motif[motif >= 0])}
    for first, second in edges[:, edge_motif < 0].T[::-1]:
        if motif[first] >= 0 and motif[second] < 0:
            hosts[int(motif[first])] = int(second)  # backwards: the motif's first node has the last word
    return hosts


Anchors = dict[int, tuple[Points, Points]]  # for each motif: its first node's place, and the direction outward


def _disc(base: Ints, edges: Ints, hosts: dict[int, int], number: Ints, slot: float) -> tuple[Points, Anchors]:
    """A dense base as a disc, the motifs on two rings in the order of the angle of what they hang on."""
    rings = 2
    radius = max(4.0, len(hosts) * slot / rings / (2 * np.pi))
    points = graph_layout(len(base), edges)
    # equal areas: a stress layout crowds the middle
    length = np.linalg.norm(points, axis=1)
    rank = np.argsort(np.argsort(length, kind="stable"))
    points *= ((radius - 2.0) * np.sqrt((rank + 0.5) / len(base)) / np.maximum(length, 1e-9))[:, None]
    angle = np.arctan2(points[:, 1], points[:, 0])
    wanted = {motif: angle[number[host]] if host >= 0 else 0.0 for motif, host in hosts.items()}
    anchors = {}
    order = sorted(wanted, key=lambda motif: (wanted[motif], motif))
    turn = np.angle(np.mean([np.exp(1j * (wanted[m] - 2 * np.pi * i / len(order))) for i, m in enumerate(order)]))
    for i, motif in enumerate(order):
        at = 2 * np.pi * i / len(order) + turn
        outward = np.array([np.cos(at), np.sin(at)])
        anchors[motif] = ((radius + _RING_STEP * (i % rings)) * outward, outward)
    return points, anchors


def _radial_tree(base: Ints, edges: Ints, hosts: dict[int, int], number: Ints, slot: float) -> tuple[Points, Anchors]:
    """A tree in circles around its first node; a motif takes a place among the leaves, so no edges cross."""
    children: list[list[int]] = [[] for _ in base]
    parent, depth, queue = np.full(len(base), -1), np.zeros(len(base)), [0]
    neighbours: list[list[int]] = [[] for _ in base]
    for first, second in edges.T:
        neighbours[first].append(int(second))
    for node in queue:
        for child in neighbours[node]:
            if child != parent[node]:
                parent[child], depth[child] = node, depth[node] + 1
                children[node].append(child)
                queue.append(child)
    hanging: list[list[int]] = [[] for _ in base]
    for motif, host in hosts.items():
        hanging[number[host] if host >= 0 else 0].append(motif)

    span: dict[tuple[str, int], float] = {}
    at = 0.0
    stack: list[tuple[str, int, bool]] = [("node", 0, False)]
    angle = np.zeros(len(base))
    while stack:
        kind, item, done = stack.pop()
        below = [("motif", m) for m in hanging[item]] if kind == "node" else []
        if kind == "motif" or (not children[item] and not below):
            width = slot if kind == "motif" else _LEAF
            span[kind, item] = at + width / 2
            at += width
        elif not done:
            half = len(children[item]) // 2
            nodes = [("node", child) for child in children[item]]
            stack.append((kind, item, True))
            stack += [(k, i, False) for k, i in reversed([*nodes[:half], *below, *nodes[half:]])]
        else:
            places = [span["node", child] for child in children[item]] or [span[below[0]]]
            span[kind, item] = float(np.mean(places))
    for node in range(len(base)):
        angle[node] = 2 * np.pi * span["node", node] / at
    rim = at / (2 * np.pi)
    radius = rim * (depth / max(depth.max(), 1)) ** 0.8
    leaf = depth == depth.max()
    radius[leaf] -= 1.2 * (
        np.argsort(np.argsort(angle[leaf], kind="stable")) % 2
    )  # every other leaf a little lower: more room
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    anchors = {}
    for motif in hosts:
        turn = 2 * np.pi * span["motif", motif] / at
        outward = np.array([np.cos(turn), np.sin(turn)])
        anchors[motif] = ((rim + 1.5) * outward, outward)
    return points, anchors
