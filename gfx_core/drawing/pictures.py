"""What is drawn of an instance and of a whole data set: marks, edge groups and a legend for them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.config import Drawing, Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.colours import class_symbol
from gfx_core.drawing.svg import EdgeGroup, Network, NodeMark, network_svg, shape
from gfx_core.layout import Points


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
    own, seen = instance.own_nodes, instance.motif >= 0
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    marks = []
    for node in range(instance.num_nodes):
        styles: tuple[str, ...] = ("motif",) if own[node] else ("other",) if seen[node] else ()
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
            tip.append(_count(int(instance.hops[node]), "hop") + " away")
        if instance.info.drawing is Drawing.SENTENCE:
            tip[0] = instance.node_label(node)
            tip += [instance.node_notes[node]] * bool(instance.node_notes)
        elif instance.node_texts:
            tip[:1] = [instance.node_name(node), tip[0]]
        tip.append(_count(int(degree[node]), "bond" if instance.node_names else "link"))
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
            focusable=instance.task is Task.NODE and instance.num_nodes <= 60,
            sentence=instance.info.drawing is Drawing.SENTENCE,
        )
    )


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
        tip = f"Node {node}{called} · {_class_name(classes, label)} · {_count(int(degree[node]), 'link')}"
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
            focusable=False,
        )
    )


def _edge_groups(instance: Instance) -> list[EdgeGroup]:
    once = instance.undirected
    own, seen = instance.own_edges[once], instance.all_edges[once]
    atom = "atom" if instance.node_names else ""

    def group(chosen: np.ndarray, style: str, width: float, dashes: str = "") -> EdgeGroup:
        at = once[chosen]
        orders = None if instance.edge_order is None else instance.edge_order[at]
        return EdgeGroup(instance.edge_index[:, at], style, width, dashes, orders)

    return [
        group(~seen, atom, 1.6 if atom else 1.3),
        group(seen & ~own, "other", 2.0, "5 4"),
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
    edges = len(instance.undirected)
    if instance.target is not None:
        return f"Neighbourhood of node {instance.index}: {instance.num_nodes} nodes, {edges} edges"
    if instance.info.drawing is Drawing.SENTENCE:
        return f"Sentence: {' '.join(instance.node_texts)}"
    noun = "Molecule" if instance.node_names else f"Graph {instance.index}"
    return f"{noun}: {instance.num_nodes} nodes, {edges} edges"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
