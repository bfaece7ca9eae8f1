"""Pictures: well-formed, escaped, complete; roles shown by more than colour."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from gfx_core.datasets.info import NITRO
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.datasets.sentences import OwnSentences, TypedSentence
from gfx_core.drawing import colours
from gfx_core.drawing.pictures import (
    instance_svg,
    motif_svg,
    overview_layout,
    overview_svg,
)
from gfx_core.drawing.svg import STYLE, EdgeGroup, Network, NodeMark, network_svg
from gfx_core.layout.instances import instance_layout


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r'["\s(,ML]-?(nan|inf)\b', svg)
    return root


def nodes(root: ElementTree.Element) -> dict[int, ElementTree.Element]:
    return {int(e.attrib["data-node"]): e for e in root.iter() if "data-node" in e.attrib}


def texts(root: ElementTree.Element) -> list[str]:
    return [e.text or "" for e in root.iter() if e.tag.endswith("text")]


def node_picture(name: str, index: int) -> ElementTree.Element:
    dataset = load_dataset(name)
    instance = dataset.instance(index)
    classes = DATASETS[name].classes
    return parsed(instance_svg(instance, instance_layout(instance), classes, dataset.y[instance.nodes]))


def test_a_neighbourhood_shows_every_node_with_its_role() -> None:
    root = node_picture("ba_shapes", 301)
    marks = nodes(root)
    assert sorted(marks) == sorted(load_dataset("ba_shapes").instance(301).nodes.tolist())
    assert marks[301].attrib["class"] == "node motif start"
    assert marks[301].attrib["data-tip"] == "Node 301 · house middle · the explained node · 3 links"
    assert [marks[node].tag.rpartition("}")[2] for node in (304, 128)] == ["path", "circle"]  # a class is a shape
    assert sum(e.attrib.get("class") == "ring start" for e in root.iter()) == 1
    lines = [e.attrib for e in root.iter() if e.attrib.get("class", "").startswith("edge")]
    widths = {line["class"].strip(): float(line["stroke-width"]) for line in lines}
    assert widths["edge motif"] > 2 * widths["edge"]
    assert "hollow" in nodes(node_picture("ba_community", 1002))[1002].attrib["class"]  # the second community


def test_molecules_have_elements_and_double_bonds() -> None:
    instance = molecule(COMPOUNDS["TNT"])
    root = parsed(instance_svg(instance, instance_layout(instance)))
    assert sorted(texts(root)) == sorted("C" * 7 + "H" * 5 + "N" * 3 + "O" * 6)
    lines = sum(e.attrib["d"].count("M") for e in root.iter() if "edge" in e.attrib.get("class", ""))
    assert instance.edge_order is not None
    assert lines == int(instance.edge_order[instance.undirected].sum())


@pytest.mark.parametrize("text", ["<script>alert(1)</script> is \"bad\" & 'ugly'", None])
def test_sentences_are_drawn_whole_and_hostile_words_stay_words(text: str | None) -> None:
    instances = [TypedSentence().instance(text)] if text else map(OwnSentences().instance, OwnSentences.names[:5])
    for instance in instances:
        root = parsed(instance_svg(instance, instance_layout(instance)))
        assert texts(root) == list(instance.node_texts)
        assert not [e for e in root.iter() if e.tag.endswith("script")]


def test_overviews_mark_mistakes() -> None:
    dataset = load_dataset("tree_cycles")
    picture = overview_svg(dataset, overview_layout(dataset), DATASETS["tree_cycles"].classes, mistakes=[5, 600])
    marks = nodes(parsed(picture))
    assert picture.count('class="cross"') == 2
    assert len(marks) == dataset.num_nodes
    assert [node for node, mark in marks.items() if "is wrong" in mark.attrib["data-tip"]] == [5, 600]


def test_text_is_escaped() -> None:
    nasty = '<script>alert("1")</script>&\''
    mark, edge = NodeMark(7, nasty, nasty), EdgeGroup(np.array([[0], [1]]))
    root = parsed(network_svg(Network(nasty, np.array([[0.0, 0.0], [1.0, 0.0]]), [mark, mark], [edge])))
    assert root.attrib["aria-label"] == nasty
    assert nodes(root)[7].attrib["data-tip"] == nasty
    assert texts(root) == [nasty, nasty]
    parsed(motif_svg([replace(NITRO, name=nasty, labels=(nasty, nasty, nasty))]))


def test_roles_differ_in_mark_and_colour_and_text_on_them_can_be_read() -> None:
    roles = {name: value for name, value in vars(colours).items() if isinstance(value, colours.Role)}
    assert len({role.mark for role in roles.values()}) == len(roles)
    assert len({role.colour for name, role in roles.items() if name != "OTHER_MOTIF"}) == len(roles) - 1
    assert [colours.text_on(colour) for colour in ("#ffffff", "#000000")] == ["#10141c", "#ffffff"]
    assert all(f".node.{element}" in STYLE for element in colours.ELEMENTS)
