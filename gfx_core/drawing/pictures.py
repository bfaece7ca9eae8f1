"""What is drawn of an instance, of a rule and of a whole data set: pictures, and a legend for them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gfx_core.arrays import Doubles, Ints, edge_array
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import HOUSE, Motif
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.colours import ELEMENTS, class_symbol
from gfx_core.drawing.masks import HYDROGEN, among, judged
from gfx_core.drawing.svg import STYLE, WIDTHS, Look, Picture
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
    once, sentence, atoms = instance.undirected, instance.is_sentence, bool(instance.node_names)
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
            tip.append(class_name(classes, int(labels[node])))
        if node == instance.target:
            styles.append("start")
            tip.append("the explained node")
        elif instance.target is not None:
            tip.append(f"{counted(int(instance.hops[node]), 'hop')} away")
        tip.append(counted(int(degree[node]), "bond" if atoms else "link"))
        looks.append(Look(number, " · ".join(tip), label, symbol, tuple(styles), HYDROGEN if label == "H" else 1.0))
    edges = np.where(instance.own_edges[once], "motif", np.where(instance.all_edges[once], "other", ""))
    size = f"{counted(instance.num_nodes, 'node')}, {counted(len(once), 'edge')}"
    title = " ".join(instance.node_texts) if sentence else size
    ends = instance.edge_index[:, once]
    return Picture(title, points, looks, ends, edges, orders=instance.edge_order[once], sentence=sentence)


def subset_picture(instance: Instance, points: Points, nodes: Collection[int], title: str) -> Picture:
    """A node set and the edges between its nodes, over the true motif."""
    picture, looks = instance_picture(instance, points), []
    for node, look in enumerate(picture.looks):
        style = "start" if node == instance.target else "held" if node in nodes else "away"
        looks.append(replace(look, label="", styles=(style,)))
    styles = judged(among(picture.ends, nodes), instance.own_edges[instance.undirected], True)
    return replace(picture, title=title, looks=looks, styles=styles, size=(300.0, 220.0))


def marginals_picture(instance: Instance, points: Points, marginals: Doubles, title: str) -> Picture:
    """Every edge as wide as it is likely to be in the subgraph.

    Args:
        instance: The graph.
        points: Its layout. [m, 2]
        marginals: Probability of each directed edge. [e]
        title: For screen readers.
    """
    once = instance.undirected
    styles = np.where(instance.own_edges[once], "hit", "extra")
    return replace(instance_picture(instance, points), title=title, styles=styles, widths=0.8 + 13 * marginals[once])


def form_picture(form: "Form", title: str) -> Picture:
    """The graph of a rule, with its atoms or words.

    In a node task the explained node is marked; where not all explained nodes are at the same node of the graph, it is
    written on each how many are.
    """
    looks, ends = [], edge_array(form.edges)  # [2, E]
    several = sum(map(bool, form.explained)) > 1
    for node in range(form.num_nodes):
        label, count = form.labels[node] if form.labels else "", form.explained[node] if form.explained else 0
        style, tip = label if form.orders else "held" if form.is_sentence else "motif", label or "node"
        if count:
            tip, label = f"{counted(count, 'explained node')} here", str(count) if several else ""
            style = "start" if count == max(form.explained) else style
        looks.append(Look(node, tip, label, styles=(style,), scale=HYDROGEN if label == "H" else 1.0))
    both = np.concatenate([ends, ends[::-1]], axis=1)
    if form.is_sentence:
        points = word_places(form.labels, both)
    else:
        house = motif_shape(ends, [HOUSE]) if form.num_nodes == HOUSE.num_nodes else None  # it stands upright
        points = graph_layout(form.num_nodes, both, [] if house is None else [house])
    orders, styles = np.array(form.orders) if form.orders else None, ["" if form.orders else "motif"] * len(form.edges)
    return Picture(title, points, looks, ends, styles, orders=orders, sentence=form.is_sentence)


def overview_picture(
    dataset: GraphDataset, points: Points, classes: Sequence[str] = (), mistakes: Sequence[int] = ()
) -> Picture:
    """The whole graph of a node task, with crosses on the nodes that a GNN gets wrong."""
    degree = np.diff(dataset.indptr)
    looks = []
    for node, label in enumerate(dataset.y.tolist()):
        symbol, hollow = class_symbol(label)
        tip = [f"Node {node}", *dataset.names[node : node + 1], class_name(classes, label)]
        tip.append(counted(int(degree[node]), "link"))
        styles = ["motif"] * bool(dataset.motif[node] >= 0) + ["hollow"] * hollow
        if node in mistakes:
            tip.append("the GNN is wrong here")
            styles.append("wrong")
        looks.append(Look(node, " · ".join(tip), "", symbol, tuple(styles)))
    once = dataset.edge_index[0] < dataset.edge_index[1]
    edges = np.where(dataset.edge_motif[once] >= 0, "motif", "")
    title, size = f"All {dataset.num_nodes} nodes of {dataset.info.title}", (1000.0, 620.0)
    return Picture(title, points, looks, dataset.edge_index[:, once], edges, size=size, radius=(1.5, 4.0))


def motif_svg(motifs: Sequence[Motif], *, hollow_twin: bool = False) -> str:
    """Motifs side by side, as a picture that needs no style sheet of a page.

    Args:
        motifs: What to draw.
        hollow_twin: Repeat them with hollow nodes, as the second half of many classes is drawn everywhere.
    """
    points, looks, ends = [], list[Look](), []
    for number, motif in enumerate([*motifs] * (1 + hollow_twin)):
        ends.append(np.array(motif.edges).T + len(looks))
        points.append(np.add(motif.positions, [1.45 * number, 0]))
        for label in motif.labels or [""] * motif.num_nodes:
            styles = ("motif", "hollow" if number >= len(motifs) else "", label if label in ELEMENTS else "")
            looks.append(Look(0, label, label, styles=styles))
    edges = np.concatenate(ends, axis=1)
    picture = Picture("", np.concatenate(points), looks, edges, ["motif"] * edges.shape[1])
    return replace(picture, size=(1000.0, 64.0), unit=64.0, radius=(8.0, 8.0)).svg("pages/motif.svg", style=STYLE)


def legend(picture: Picture, words: Mapping[str, str]) -> Legend:
    """What the styles of a picture's edges and nodes mean, as far as they occur, and the ring of a selected node."""
    lines = set(map(str, picture.styles))
    nodes = {style for look in picture.looks for style in look.styles} | {"selected"}
    entries = []
    for style, text in words.items():
        if style in lines:
            svg = render("pages/legend.svg", look=None, style=style, width=WIDTHS[style])
            entries.append({"text": text, "svg": svg})
        elif style in nodes:
            entries.append(_node_entry(Look(None, text, styles=(style,))))
    return entries


def class_legend(labels: Ints, classes: Sequence[str]) -> Legend:
    """The shapes of the classes that occur."""
    entries = []
    for label in np.unique(labels).tolist():
        symbol, hollow = class_symbol(label)
        entries.append(_node_entry(Look(None, class_name(classes, label), symbol=symbol, styles=("hollow",) * hollow)))
    return entries


def _node_entry(look: Look) -> dict[str, str]:
    return {"text": look.tip, "svg": render("pages/legend.svg", look=look, at=10 + 10j)}


def class_name(classes: Sequence[str], label: int) -> str:
    """What a class is called in tips and legends."""
    return classes[label] if label >= 0 else "class not known"
