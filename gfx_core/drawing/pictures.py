"""What is drawn of an instance and of a whole data set: marks, edge groups and a legend for them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.config import Drawing, Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.datasets.info import HOUSE, Motif
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.colours import ELEMENTS, class_symbol
from gfx_core.drawing.svg import STYLE, EdgeGroup, Network, NodeMark, network_svg, shape
from gfx_core.layout.instances import motif_points
from gfx_core.layout.stress import Points, aligned, graph_layout
from gfx_core.text.numbers import counted
from gfx_core.text.typesetting import word_places

if TYPE_CHECKING:
    from gfx_core.explanation.rules import Form


@dataclass(frozen=True)
class LegendEntry:
    """A small picture and what it means."""

    svg: str
    text: str


def instance_svg(instance: Instance, points: Points, classes: Sequence[str] = (), labels: Ints | None = None) -> str:
    """The neighbourhood of a node, or a whole graph.

    Args:
        instance: What to draw.
        points: Its layout. [m, 2]
        classes: Class names, for the tips.
        labels: The class of each node, in a node task. [m]
    """
    own, marked = instance.own_nodes, instance.motif >= 0
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    marks = []
    for node in range(instance.num_nodes):
        styles: tuple[str, ...] = ("motif",) if own[node] else ("other",) if marked[node] else ()
        symbol, scale = "circle", 1.0
        tip = [f"Node {instance.nodes[node]}"]
        if instance.node_names:
            element = instance.node_label(node)
            tip[0] = f"{element}, atom {instance.nodes[node]}"
            styles = (*styles, element)
            scale = 0.75 if element == "H" else 1.0
        if labels is not None:
            symbol, hollow = class_symbol(int(labels[node]))
            styles = (*styles, "hollow") if hollow else styles
            tip.append(_class_name(classes, int(labels[node])))
        if node == instance.target:
            styles = (*styles, "start")
            tip.append("the explained node")
        elif instance.target is not None:
            tip.append(counted(int(instance.hops[node]), "hop") + " away")
        if instance.info.drawing is Drawing.SENTENCE:
            tip[0] = instance.node_label(node)
            tip += [instance.node_notes[node]] * bool(instance.node_notes)
        elif instance.node_texts:
            tip[:1] = [instance.node_name(node), tip[0]]
        tip.append(counted(int(degree[node]), "bond" if instance.node_names else "link"))
        marks.append(
            NodeMark(int(instance.nodes[node]), " · ".join(tip), instance.node_label(node), symbol, styles, scale)
        )
    return network_svg(
        Network(
            title=_title(instance),
            points=points,
            nodes=marks,
            edges=_edge_groups(instance),
            radius=(0.34, 2.6, 15.0) if instance.node_names else (0.36, 2.6, 15.0),
            sentence=instance.info.drawing is Drawing.SENTENCE,
        )
    )


def form_svg(form: "Form", title: str) -> str:
    """The graph of a rule, with its atoms or words.

    In a node task the explained node is marked; where not all explained nodes are at the same node of the graph, it is
    written on each how many are.
    """
    ends = np.array([*form.edges, *((v, u) for u, v in form.edges)], dtype=np.int64).reshape(-1, 2).T  # [2, e]
    places, marks = sum(map(bool, form.explained)), []
    for node in range(form.num_nodes):
        label, here = form.labels[node] if form.labels else "", form.explained[node] if form.explained else 0
        styles = (label,) if form.orders else ("held",) if form.is_sentence else ("motif",)
        tip = label or "node"
        if here:
            tip = f"{counted(here, 'explained node')} here"
            label, styles = str(here) if places > 1 else "", ("start",) if here == max(form.explained) else styles
        marks.append(NodeMark(node, tip, label, "circle", styles, 0.75 if label == "H" else 1.0))
    once = ends[:, : len(form.edges)]
    style, orders = ("atom", np.array(form.orders)) if form.orders else ("motif", None)
    return network_svg(
        Network(
            title=title,
            points=_form_layout(form, ends),
            nodes=marks,
            edges=[EdgeGroup(once, style, 2.4 if form.orders else 3.0, "", orders)],
            sentence=form.is_sentence,
        )
    )


def _form_layout(form: "Form", ends: Ints) -> Points:
    """Words in reading order; other graphs by stress, and a house stands upright. ends [2, e]"""
    if form.is_sentence:
        return word_places(form.labels, ends)
    import networkx as nx  # only here: every page loads this file

    matcher = nx.algorithms.isomorphism.GraphMatcher(nx.Graph(form.edges), nx.Graph(HOUSE.edges))
    found = next(matcher.subgraph_isomorphisms_iter(), None)
    if found is None:
        return graph_layout(form.num_nodes, ends)
    nodes = np.array(sorted(found))
    house = nodes, motif_points(HOUSE)[[found[node] for node in nodes]]
    return aligned(graph_layout(form.num_nodes, ends, [house]), *house)


def overview_svg(
    dataset: GraphDataset, points: Points, classes: Sequence[str] = (), mistakes: Sequence[int] = ()
) -> str:
    """The whole graph of a node task, with crosses on the nodes that a GNN gets wrong."""
    wrong = set(mistakes)
    degree = np.diff(dataset.indptr)
    marks = []
    for node in range(dataset.num_nodes):
        label = int(dataset.y[node])
        symbol, hollow = class_symbol(label)
        styles = (("motif",) if dataset.motif[node] >= 0 else ()) + (("hollow",) if hollow else ())
        called = f" · {(dataset.node_notes or dataset.node_texts)[node]}" if dataset.node_texts else ""
        tip = f"Node {node}{called} · {_class_name(classes, label)} · {counted(int(degree[node]), 'link')}"
        tip += " · the GNN is wrong here" if node in wrong else ""
        marks.append(NodeMark(node, tip, "", symbol, styles))
    once = dataset.edge_index[0] < dataset.edge_index[1]
    motif = dataset.edge_motif >= 0
    ends = dataset.edge_index
    return network_svg(
        Network(
            title=f"All {dataset.num_nodes} nodes of {dataset.info.title}",
            points=points,
            nodes=marks,
            edges=[
                EdgeGroup(ends[:, once & ~motif], "faint", 1.2),
                EdgeGroup(ends[:, once & motif], "motif", 3.0),
            ],
            crossed=sorted(wrong),
            size=(1000.0, 620.0),
            radius=(0.4, 1.5, 4.0),
        )
    )


def _edge_groups(instance: Instance) -> list[EdgeGroup]:
    once = instance.undirected
    own, marked = instance.own_edges[once], instance.all_edges[once]
    atom = "atom" if instance.node_names else ""

    def group(chosen: np.ndarray, style: str, width: float, dashes: str = "") -> EdgeGroup:
        at = once[chosen]
        orders = None if instance.edge_order is None else instance.edge_order[at]
        return EdgeGroup(instance.edge_index[:, at], style, width, dashes, orders)

    return [
        group(~marked, atom, 1.6 if atom else 1.3),
        group(marked & ~own, "other", 2.0, "5 4"),
        group(own, "motif", 4.0 if not atom else 3.0),
    ]


def instance_legend(instance: Instance, motif: str) -> list[LegendEntry]:
    """What the marks in :func:`instance_svg` mean, as far as they occur; ``motif`` names the true one."""
    entries = []
    if instance.target is not None:
        entries.append(LegendEntry(_glyph("circle", "start", ring=True), "explained node"))
    if instance.own_edges.any():
        entries.append(LegendEntry(_line("motif", 4.0), motif))
    if ((instance.motif >= 0) & ~instance.own_nodes).any():
        entries.append(LegendEntry(_line("other", 2.0, "5 4"), "another motif"))
    return entries


def class_legend(labels: Ints, classes: Sequence[str]) -> list[LegendEntry]:
    """The shapes of the classes that occur."""
    entries = []
    for label in np.unique(labels):
        symbol, hollow = class_symbol(int(label))
        entries.append(LegendEntry(_glyph(symbol, "hollow" if hollow else ""), _class_name(classes, int(label))))
    return entries


def _class_name(classes: Sequence[str], label: int) -> str:
    return classes[label] if label >= 0 else "class not known"


def overview_legend(motif: str, mistakes: bool) -> list[LegendEntry]:
    """What the marks in :func:`overview_svg` mean; an empty motif is one that nobody knows."""
    entries = [LegendEntry(_glyph("circle", "", ring=True), "shown above")]
    if motif:
        entries.append(LegendEntry(_line("motif", 3.0), motif))
    if mistakes:
        cross = '<path class="cross" stroke-width="2" d="M5 5l10 10M15 5l-10 10"/>'
        entries.append(LegendEntry(_small(cross), "the GNN is wrong"))
    return entries


def _small(content: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="network" viewBox="0 0 20 20" width="20" height="20"'
        f' aria-hidden="true">{content}</svg>'
    )


def _glyph(symbol: str, style: str, ring: bool = False) -> str:
    around = '<circle class="ring" cx="10" cy="10" r="8.8" stroke-width="1.6"/>' if ring else ""
    return _small(shape(symbol, 10, 10, 5.5, f'class="node {style}" stroke-width="1.2"') + around)


def _line(style: str, width: float, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return _small(f'<path class="edge {style}" stroke-width="{width:g}"{dashed} d="M1 10L19 10"/>')


def _title(instance: Instance) -> str:
    size = f"{counted(instance.num_nodes, 'node')}, {counted(len(instance.undirected), 'edge')}"
    if instance.target is not None:
        return f"Neighbourhood of node {instance.index}: {size}"
    if instance.info.drawing is Drawing.SENTENCE:
        return f"Sentence: {' '.join(instance.node_texts)}"
    noun = "Molecule" if instance.node_names else f"Graph {instance.index}"
    return f"{noun}: {size}"


# Small standalone pictures of motifs, for cards: mid-tones that read on light and on dark.


_APART = 1.45  # from a motif to the next, in its own size
_SHOWN = 0.8  # the picture's own size, as a share of its coordinates


def motif_svg(motifs: Sequence[Motif], *, hollow_twin: bool = False) -> str:
    """Motifs side by side, as a picture that needs no style sheet of a page.

    Args:
        motifs: What to draw.
        hollow_twin: Repeat them with hollow nodes, as the second half of many classes is drawn everywhere.
    """
    points: list[tuple[float, float]] = []
    marks: list[NodeMark] = []
    edges: list[tuple[int, int]] = []
    for number, motif in enumerate([*motifs, *motifs[: len(motifs) * hollow_twin]]):
        edges += [(len(marks) + i, len(marks) + j) for i, j in motif.edges]
        points += [(x + _APART * number, y) for x, y in motif.positions]
        hollow = ("hollow",) * (number >= len(motifs))
        for label in motif.labels:
            marks.append(NodeMark(0, label, label, "circle", ("motif", *hollow, *[label] * (label in ELEMENTS))))
    names, radius = " and ".join(motif.name for motif in motifs), 11.0 if marks[0].label else 8.0
    groups, size = [EdgeGroup(np.array(edges).T, "motif", 5.0)], (1000.0, 64.0)
    network = Network(names, np.array(points), marks, groups, size=size, unit=64.0, radius=(0.36, radius, radius))
    picture = network_svg(network)
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)[0])
    shown = f'width="{_SHOWN * width:.1f}" height="{_SHOWN * height:.1f}" viewBox'
    return picture.replace("viewBox", shown, 1).replace("</svg>", f"<style>{STYLE}</style></svg>")


# The layout of a whole node-task graph: the base in the middle, every motif upright to it on the rim.


_ROOM = 0.7  # left free between two motifs on the rim, in edge lengths
_LEAF = 0.55  # rim length for a leaf of a tree
_RING_STEP = 3.2  # distance of two rings of motifs


def overview_layout(dataset: GraphDataset) -> Points:
    """Where to draw all nodes of a node-task data set. [N, 2]"""
    assert dataset.task is Task.NODE
    # parts are drawn side by side, such as BA-Community's two communities, which its classes name
    side = np.zeros(dataset.num_nodes, dtype=np.int64)
    if dataset.info.sides > 1:
        side = dataset.y * dataset.info.sides // dataset.num_classes
    parts = [np.flatnonzero(side == value) for value in np.unique(side)]
    points = np.zeros((dataset.num_nodes, 2))
    right = 0.0
    for nodes in parts:
        part = _part_layout(dataset, nodes)
        part -= part.min(axis=0)
        points[nodes] = part + np.array([right, -part[:, 1].max() / 2])
        right += part[:, 0].max() + 4.0
    return points - (points.max(0) + points.min(0)) / 2


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
    import networkx as nx

    tree: nx.Graph = nx.Graph(edges.T.tolist())
    tree.add_node(0)
    depths = nx.single_source_shortest_path_length(tree, 0)
    depth = np.array([depths[node] for node in range(len(base))], dtype=float)
    below: dict[Any, list[Any]] = {node: [] for node in range(len(base))}  # a motif is below its host, in the middle
    for parent, child in nx.bfs_edges(tree, 0):
        below[parent].append(child)
    for motif, host in hosts.items():
        beside = below[number[host] if host >= 0 else 0]
        beside.insert(len(beside) // 2, ("motif", motif))

    places: dict[Any, float] = {}  # on the rim
    rim_length = 0.0

    def spread(item: Any) -> None:
        nonlocal rim_length
        inner = below.get(item, [])
        for each in inner:
            spread(each)
        if inner:
            nodes = [each for each in inner if isinstance(each, int)]
            places[item] = float(np.mean([places[each] for each in nodes or inner[:1]]))
        else:
            width = _LEAF if isinstance(item, int) else slot
            places[item] = rim_length + width / 2
            rim_length += width

    spread(0)
    angle = np.array([2 * np.pi * places[node] / rim_length for node in range(len(base))])
    rim = rim_length / (2 * np.pi)
    radius = rim * (depth / max(depth.max(), 1)) ** 0.8
    leaf = depth == depth.max()  # every other leaf a little lower: more room
    radius[leaf] -= 1.2 * (np.argsort(np.argsort(angle[leaf], kind="stable")) % 2)
    anchors = {}
    for motif in hosts:
        turn = 2 * np.pi * places["motif", motif] / rim_length
        outward = np.array([np.cos(turn), np.sin(turn)])
        anchors[motif] = ((rim + 1.5) * outward, outward)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), anchors
