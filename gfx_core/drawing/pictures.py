"""What is drawn of an instance and of a whole data set: pictures, and a legend for them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.config import Drawing
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import HOUSE, Motif
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.colours import ELEMENTS, class_symbol
from gfx_core.drawing.svg import STYLE, Lines, Look, Picture
from gfx_core.drawing.templates import render
from gfx_core.layout.instances import motif_shape
from gfx_core.layout.stress import Points, graph_layout
from gfx_core.text.numbers import counted
from gfx_core.text.typesetting import word_places

if TYPE_CHECKING:
    from gfx_core.explanation.rules import Form

Legend = list[dict[str, str]]  # ``svg``, a small picture, and ``text``, what it means


def instance_picture(
    instance: Instance, points: Points, classes: Sequence[str] = (), labels: Ints | None = None
) -> Picture:
    """The neighbourhood of a node, or a whole graph.

    Args:
        instance: What to draw.
        points: Its layout. [m, 2]
        classes: Class names, for the tips.
        labels: The class of each node, in a node task. [m]
    """
    once, sentence, atoms = instance.undirected, instance.info.drawing is Drawing.SENTENCE, bool(instance.node_names)
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    looks = []
    for node, number in enumerate(instance.nodes.tolist()):
        label, symbol, tip = instance.node_label(node), "circle", [f"Node {number}"]
        styles = ["motif"] if instance.own_nodes[node] else ["other"] if instance.motif[node] >= 0 else []
        if sentence:
            tip = [label, *instance.node_notes[node : node + 1]]
        elif instance.node_texts:
            tip.insert(0, instance.node_name(node))
        elif atoms:
            tip = [f"{label}, atom {number}"]
            styles.append(label)
        if labels is not None:
            symbol, hollow = class_symbol(int(labels[node]))
            styles += ["hollow"] * hollow
            tip.append(_class_name(classes, int(labels[node])))
        if node == instance.target:
            styles.append("start")
            tip.append("the explained node")
        elif instance.target is not None:
            tip.append(f"{counted(int(instance.hops[node]), 'hop')} away")
        tip.append(counted(int(degree[node]), "bond" if atoms else "link"))
        looks.append(Look(number, " · ".join(tip), label, symbol, tuple(styles), 0.75 if label == "H" else 1.0))
    own, motif = instance.own_edges[once], instance.all_edges[once]
    plain = Lines(~motif, "atom", 1.6) if atoms else Lines(~motif)
    lines = [plain, Lines(motif & ~own, "other", 2.0), Lines(own, "motif", 3.0 if atoms else 4.0)]
    orders = None if instance.edge_order is None else instance.edge_order[once]
    return Picture(_title(instance), points, looks, instance.edge_index[:, once], lines, orders, sentence=sentence)


def form_picture(form: "Form", title: str) -> Picture:
    """The graph of a rule, with its atoms or words.

    In a node task the explained node is marked; where not all explained nodes are at the same node of the graph, it is
    written on each how many are.
    """
    looks, ends = [], np.array(form.edges, dtype=np.int64).reshape(-1, 2).T  # [2, E]
    places = sum(map(bool, form.explained))
    for node in range(form.num_nodes):
        label, count = form.labels[node] if form.labels else "", form.explained[node] if form.explained else 0
        style, tip = label if form.orders else "held" if form.is_sentence else "motif", label or "node"
        if count:
            tip, label = f"{counted(count, 'explained node')} here", str(count) if places > 1 else ""
            style = "start" if count == max(form.explained) else style
        looks.append(Look(node, tip, label, styles=(style,), scale=0.75 if label == "H" else 1.0))
    edges, orders = np.ones(len(form.edges), dtype=bool), np.array(form.orders) if form.orders else None
    lines = [Lines(edges, "atom", 2.4) if form.orders else Lines(edges, "motif", 3.0)]
    return Picture(title, _form_layout(form, ends), looks, ends, lines, orders, sentence=form.is_sentence)


def _form_layout(form: "Form", ends: Ints) -> Points:
    """Words in reading order; other graphs by stress, and a house stands upright. ends [2, E]"""
    both = np.concatenate([ends, ends[::-1]], axis=1)
    if form.is_sentence:
        return word_places(form.labels, both)
    house = motif_shape(ends, [HOUSE]) if form.num_nodes == HOUSE.num_nodes else None
    return graph_layout(form.num_nodes, both, [] if house is None else [house])


def overview_picture(
    dataset: GraphDataset, points: Points, classes: Sequence[str] = (), mistakes: Sequence[int] = ()
) -> Picture:
    """The whole graph of a node task, with crosses on the nodes that a GNN gets wrong."""
    degree, names = np.diff(dataset.indptr), dataset.node_notes or dataset.node_texts
    looks = []
    for node, label in enumerate(dataset.y.tolist()):
        symbol, hollow = class_symbol(label)
        tip = [f"Node {node}", _class_name(classes, label), counted(int(degree[node]), "link")]
        tip[1:1] = names[node : node + 1]
        styles = {"motif": dataset.motif[node] >= 0, "hollow": hollow, "wrong": node in mistakes}
        if styles["wrong"]:
            tip.append("the GNN is wrong here")
        kinds = tuple(style for style, applies in styles.items() if applies)
        looks.append(Look(node, " · ".join(tip), "", symbol, kinds))
    once = dataset.edge_index[0] < dataset.edge_index[1]
    motif = dataset.edge_motif[once] >= 0
    lines = [Lines(~motif, "faint", 1.2), Lines(motif, "motif", 3.0)]
    title, size = f"All {dataset.num_nodes} nodes of {dataset.info.title}", (1000.0, 620.0)
    return Picture(title, points, looks, dataset.edge_index[:, once], lines, size=size, radius=(1.5, 4.0))


def legend(picture: Picture, words: Mapping[str, str]) -> Legend:
    """What the styles of a picture's edges and nodes mean, as far as they occur, and the ring of a selected node."""
    widths = {lines.style: lines.width for lines in picture.lines if lines.edges.any()}
    styles = {style for look in picture.looks if look is not None for style in look.styles} | {"selected"}
    entries = []
    for style, text in words.items():
        if style in widths or style in styles:
            look = None if style in widths else Look(None, text, styles=(style,))
            svg = render("pages/legend.svg", look=look, at=10 + 10j, style=style, width=widths.get(style))
            entries.append({"text": text, "svg": svg})
    return entries


def class_legend(labels: Ints, classes: Sequence[str]) -> Legend:
    """The shapes of the classes that occur."""
    entries = []
    for label in np.unique(labels).tolist():
        symbol, hollow = class_symbol(label)
        text = _class_name(classes, label)
        look = Look(None, text, symbol=symbol, styles=("hollow",) * hollow)
        entries.append({"text": text, "svg": render("pages/legend.svg", look=look, at=10 + 10j)})
    return entries


def _class_name(classes: Sequence[str], label: int) -> str:
    return classes[label] if label >= 0 else "class not known"


def _title(instance: Instance) -> str:
    size = f"{counted(instance.num_nodes, 'node')}, {counted(len(instance.undirected), 'edge')}"
    if instance.target is not None:
        return f"Neighbourhood of node {instance.index}: {size}"
    if instance.info.drawing is Drawing.SENTENCE:
        return f"Sentence: {' '.join(instance.node_texts)}"
    return f"{'Molecule' if instance.node_names else f'Graph {instance.index}'}: {size}"


# Small standalone pictures of motifs, for cards: mid-tones that read on light and on dark.


_APART = 1.45  # from a motif to the next, in its own size


def motif_svg(motifs: Sequence[Motif], *, hollow_twin: bool = False) -> str:
    """Motifs side by side, as a picture that needs no style sheet of a page.

    Args:
        motifs: What to draw.
        hollow_twin: Repeat them with hollow nodes, as the second half of many classes is drawn everywhere.
    """
    points, looks, ends, count = [], list[Look](), [], len(motifs)
    for number, motif in enumerate([*motifs] * (1 + hollow_twin)):
        ends.append(np.array(motif.edges).T + len(looks))
        points.append(np.add(motif.positions, [_APART * number, 0]))
        for label in motif.labels:
            styles = {"motif": True, "hollow": number >= count, label: label in ELEMENTS}
            looks.append(Look(0, label, label, styles=tuple(style for style, applies in styles.items() if applies)))
    edges, radius = np.concatenate(ends, axis=1), 11.0 if looks[0].label else 8.0
    lines = [Lines(np.ones(edges.shape[1], dtype=bool), "motif", 5.0)]
    size, limits = (1000.0, 64.0), (radius, radius)
    picture = Picture("", np.concatenate(points), looks, edges, lines, size=size, unit=64.0, radius=limits)
    return render("pages/motif.svg", marks=picture.marks(), style=STYLE)
