"""Pictures: well-formed, escaped, complete; roles shown by more than colour."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial import cKDTree

from gfx_core.datasets.info import HOUSE, NITRO, Motif
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing import colours, svg
from gfx_core.drawing.charts import graph_map
from gfx_core.drawing.pictures import (
    class_legend,
    instance_legend,
    instance_svg,
    motif_svg,
    overview_layout,
    overview_legend,
    overview_svg,
)
from gfx_core.drawing.svg import STYLE, EdgeGroup, Network, NodeMark, network_svg
from gfx_core.layout import instance_layout


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r'["\s(,ML]-?(nan|inf)\b', svg)
    return root


def nodes(svg: str) -> dict[int, ElementTree.Element]:
    return {int(e.attrib["data-node"]): e for e in parsed(svg).iter() if "data-node" in e.attrib}


def node_svg(name: str, index: int) -> str:
    dataset = load_dataset(name)
    instance = dataset.instance(index)
    return instance_svg(instance, instance_layout(instance), DATASETS[name].classes, dataset.y[instance.nodes])


def test_a_neighbourhood_shows_every_node_with_its_role() -> None:
    instance = load_dataset("ba_shapes").instance(301)
    drawn = nodes(node_svg("ba_shapes", 301))
    assert sorted(drawn) == sorted(instance.nodes.tolist())
    assert drawn[301].attrib["class"] == "node motif start"
    assert drawn[301].attrib["data-tip"] == "Node 301 · house middle · the explained node · 3 links"
    assert drawn[304].attrib["data-tip"].startswith("Node 304 · house top · 1 hop away")
    assert drawn[304].tag.endswith("path")  # a pentagon: the class is a shape
    assert drawn[128].tag.endswith("circle")
    root = parsed(node_svg("ba_shapes", 301))  # roles are told apart without colour
    assert sum(e.attrib.get("class") == "ring start" for e in root.iter()) == 1
    lines = [e.attrib for e in root.iter() if e.attrib.get("class", "").startswith("edge")]
    widths = {line["class"].strip(): float(line["stroke-width"]) for line in lines}
    assert widths["edge motif"] > 2 * widths["edge"]
    assert "hollow" in nodes(node_svg("ba_community", 1002))[1002].attrib["class"]  # the second community


def test_molecules_have_elements_and_double_bonds() -> None:
    instance = molecule(COMPOUNDS["TNT"])
    svg = instance_svg(instance, instance_layout(instance))
    labels = sorted(e.text or "" for e in parsed(svg).iter() if e.tag.endswith("text"))
    assert labels == sorted("C" * 7 + "H" * 5 + "N" * 3 + "O" * 6)
    lines = sum(e.attrib["d"].count("M") for e in parsed(svg).iter() if "edge" in e.attrib.get("class", ""))
    orders = instance.edge_order
    assert orders is not None
    assert lines == int(orders[instance.undirected].sum())


def test_overviews_mark_mistakes() -> None:
    dataset = load_dataset("tree_cycles")
    points = overview_layout(dataset)
    svg = overview_svg(dataset, points, DATASETS["tree_cycles"].classes, mistakes=[5, 600])
    assert svg.count('class="cross"') == 2
    assert nodes(svg)[5].attrib["data-tip"].endswith("the GNN is wrong here")
    assert len(nodes(svg)) == dataset.num_nodes


def test_text_is_escaped() -> None:
    nasty = '<script>alert("1")</script>&\''
    mark = NodeMark(7, nasty, nasty)
    edge = EdgeGroup(np.array([[0], [1]]))
    svg = network_svg(Network(nasty, np.array([[0.0, 0.0], [1.0, 0.0]]), [mark, mark], [edge]))
    assert "<script" not in svg
    assert parsed(svg).attrib["aria-label"] == nasty
    element = nodes(svg)[7]
    assert element.attrib["data-tip"] == nasty
    assert [e.text for e in parsed(svg).iter() if e.tag.endswith("text")] == [nasty, nasty]
    parsed(motif_svg([replace(NITRO, name=nasty, labels=(nasty, nasty, nasty))]))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_pictures(count: int) -> None:
    points = np.zeros((count, 2)) + np.arange(count)[:, None]
    parsed(network_svg(Network("x", points, [NodeMark(i, "tip") for i in range(count)], [])))


@pytest.mark.parametrize("motif", [HOUSE, NITRO], ids=lambda motif: motif.name)
def test_motif_pictures(motif: Motif) -> None:
    for twin in (False, True):
        root = parsed(motif_svg([motif], hollow_twin=twin))
        assert sum(e.tag.endswith("circle") for e in root.iter()) == motif.num_nodes * (1 + twin)
        assert root.attrib["aria-label"] == motif.name


def test_legends_explain_what_is_drawn() -> None:
    instance = load_dataset("ba_shapes").instance(301)
    entries = instance_legend(instance, "house")
    assert [entry.text for entry in entries] == ["explained node", "house", "another motif"]
    shapes = class_legend(np.array([0, 3, 7]), DATASETS["ba_community"].classes)
    assert [entry.text for entry in shapes] == ["base, left", "house top, left", "house top, right"]
    assert len({entry.svg for entry in shapes}) == 3
    for entry in (*entries, *shapes, *overview_legend("house", mistakes=True)):
        parsed(entry.svg)


def test_colours_differ_and_text_on_them_can_be_read() -> None:
    roles = {name: value for name, value in vars(colours).items() if isinstance(value, colours.Role)}
    assert len({role.mark for role in roles.values()}) == len(roles)
    distinct = {role.colour for name, role in roles.items() if name != "OTHER_MOTIF"}
    assert len(distinct) == len(roles) - 1
    assert colours.text_on("#ffffff") == "#10141c"
    assert colours.text_on("#000000") == "#ffffff"
    assert all(f".node.{element}" in STYLE for element in colours.ELEMENTS)


def test_the_map_of_graphs() -> None:
    dataset = load_dataset("ba_2motifs")
    share = np.linspace(0, 1, dataset.num_graphs)
    figure = graph_map(dataset, np.stack([1 - share, share], axis=1), DATASETS["ba_2motifs"].classes, selected=7)
    names = [trace.name for trace in figure.data]
    assert names == ["true class: house", "true class: five-cycle", "shown above"]
    assert sum(len(trace.x) for trace in figure.data[:2]) == dataset.num_graphs
    assert all(np.isfinite(trace.y).all() for trace in figure.data)
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol
    assert figure.data[2].x[0] == 7


@pytest.mark.parametrize("count", [2, 7, 60, 1000])
def test_the_gap_is_that_of_a_search_tree(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.RandomState(count).rand(count, 2)
    monkeypatch.setattr(svg, "_CELLS", 999)  # in several parts, or row by row
    nearest = np.asarray(cKDTree(points).query(points, k=2)[0])[:, 1]
    assert svg._typical_gap(points) == pytest.approx(np.quantile(nearest, 0.25))
