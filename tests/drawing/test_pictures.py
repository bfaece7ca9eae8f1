"""Pictures: well-formed, escaped, complete; roles shown by more than colour."""

import dataclasses
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace

from gfx_core.datasets.info import NITRO
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.datasets.sentences import OwnSentences, TypedSentence
from gfx_core.drawing import colours
from gfx_core.drawing.masks import nodes_at, trace_picture, truth_of
from gfx_core.drawing.pictures import instance_picture, marginals_picture, motif_svg, subset_picture
from gfx_core.drawing.svg import STYLE, Look, Picture
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching.known_subgraphs import real_instance
from tests.toys.traces import enlarged, sentence_trace, shipped

SVG = "{http://www.w3.org/2000/svg}"


def edges_by_style(svg: str) -> dict[str, int]:
    """How many lines each style has."""
    lines: dict[str, int] = {}
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if path.get("class", "").startswith("edge"):
            style = path.get("class", "").removeprefix("edge").strip()
            lines[style] = lines.get(style, 0) + path.get("d", "").count("M")
    return lines


def places(svg: str) -> dict[str, tuple[str, str]]:
    circles = ElementTree.fromstring(svg).iter(f"{SVG}circle")
    return {circle.get("data-node", ""): (circle.get("cx", ""), circle.get("cy", "")) for circle in circles}


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
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
    return parsed(instance_picture(instance, instance_layout(instance), classes, dataset.y[instance.nodes]).svg())


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
    svg = instance_picture(instance, instance_layout(instance)).svg()
    assert sorted(texts(parsed(svg))) == sorted("C" * 7 + "H" * 5 + "N" * 3 + "O" * 6)
    assert instance.edge_order is not None
    assert sum(edges_by_style(svg).values()) == int(instance.edge_order[instance.undirected].sum())


def test_sentences_are_drawn_whole_and_hostile_words_stay_words() -> None:
    hostile = TypedSentence().instance("<script>alert(1)</script> is \"bad\" & 'ugly'")
    for instance in (hostile, OwnSentences().instance(OwnSentences.first)):
        root = parsed(instance_picture(instance, instance_layout(instance)).svg())
        assert texts(root) == list(instance.node_texts)


def test_text_is_escaped() -> None:
    nasty = '<script>alert("1")</script>&\''
    look, ends = Look(7, nasty, nasty), np.array([[0], [1]])
    picture = Picture(nasty, np.eye(2), [look, look], ends, [""])
    root = parsed(picture.svg())
    assert root.attrib["aria-label"] == nasty
    assert nodes(root)[7].attrib["data-tip"] == nasty
    assert texts(root) == [nasty, nasty]
    parsed(motif_svg([dataclasses.replace(NITRO, name=nasty, labels=(nasty, nasty, nasty))]))


def test_roles_differ_in_colour_and_text_on_them_can_be_read() -> None:
    roles = list(colours.ROLES.values())
    assert len(set(roles)) == sum("#" in role for role in roles) + 3  # the others are names of these
    assert [colours.text_on(colour) for colour in ("#ffffff", "#000000")] == ["#10141c", "#ffffff"]
    assert all(f".node.{element}" in STYLE for element in colours.ELEMENTS)


# Scores, masks and subgraphs


def test_edges_by_whether_the_motif_has_them() -> None:
    trace = shipped("tree_grid-700")
    motif = np.array([edge.in_motif for edge in trace.edges])
    kept = np.zeros(len(motif), dtype=bool)
    kept[np.flatnonzero(motif)[:4]] = True
    kept[np.flatnonzero(~motif)[:2]] = True
    svg = trace_picture(trace, "a mask", kept, scores=np.random.RandomState(0).random_sample(len(motif))).svg()
    expected = {"hit": 4, "extra": 2, "missed": int(motif.sum()) - 4, "score": int((~motif).sum()) - 2}
    assert edges_by_style(svg) == expected
    assert 'aria-label="a mask"' in svg
    sample = edges_by_style(trace_picture(trace, "a subgraph", nodes=trace.samples[0].nodes).svg())
    assert sample.get("hit", 0) + sample.get("extra", 0) == len(trace.samples[0].edges)
    assert edges_by_style(trace_picture(trace, "the motif", truth_of(trace)).svg())["hit"] == int(motif.sum())


@pytest.mark.parametrize("in_motif", [None, False], ids=["unknown", "class without a motif"])
def test_without_a_motif_nothing_is_right_or_wrong(in_motif: bool | None) -> None:
    trace = shipped("tree_grid-700")
    trace = replace(trace, edges=tuple(replace(edge, in_motif=in_motif) for edge in trace.edges))
    lines = edges_by_style(trace_picture(trace, "x", nodes=trace.samples[0].nodes).svg())
    assert lines.get("kept") == len(trace.samples[0].edges)
    assert not lines.keys() & {"hit", "extra", "missed"}
    if in_motif is None:
        kept = np.arange(len(trace.edges)) < 3
        assert edges_by_style(trace_picture(trace, "x", kept, scores=np.ones(len(kept))).svg()) == {
            "kept": 3,
            "score": len(kept) - 3,
        }
        assert edges_by_style(trace_picture(trace, "x", truth_of(trace)).svg()) == {"": len(kept)}


def test_pictures_beside_one_another_show_the_same_part() -> None:
    """Each picture of a large graph alone shows its own surroundings, each on another scale."""
    trace = enlarged(shipped("tree_grid-700"), 400)
    motif = np.array([bool(edge.in_motif) for edge in trace.edges])
    masks, scores = [motif, np.arange(len(motif)) < 2], np.ones(len(motif))
    also = set().union(*(nodes_at(trace, kept) for kept in masks))
    alone = [places(trace_picture(trace, "x", kept, scores=scores).svg()) for kept in masks]
    together = [places(trace_picture(trace, "x", kept, scores=scores, also=also).svg()) for kept in masks]
    assert alone[0] != alone[1]
    assert together[0] == together[1] == places(trace_picture(trace, "x", truth_of(trace), also=also).svg()) != {}


def test_a_higher_score_is_wider() -> None:
    trace = shipped("tree_grid-700")
    svg = trace_picture(trace, "scores", scores=np.linspace(0, 1, len(trace.edges))).svg()
    widths = [float(width) for width in re.findall(r'class="edge score" stroke-width="([\d.]+)"', svg)]
    assert len(widths) > 5
    assert widths == sorted(widths)
    assert edges_by_style(svg) == {"score": len(trace.edges)}
    assert trace_picture(trace, "alike", scores=np.full(len(trace.edges), 0.3)).svg().count('class="edge score"') == 1


def test_hydrogens_are_small() -> None:
    root = ElementTree.fromstring(trace_picture(shipped("mutagenicity-caffeine"), "x").svg())
    circles = [circle.attrib for circle in root.iter(f"{SVG}circle") if circle.get("class", "").startswith("node")]
    sizes = {small: [float(c["r"]) for c in circles if ("H" in c["class"].split()) == small] for small in (0, 1)}
    assert max(sizes[1]) < min(sizes[0])


def test_an_atom_without_an_edge_has_a_ring() -> None:
    trace = shipped("mutagenicity-caffeine")
    svg = trace_picture(trace, "x", nodes=(3,)).svg()
    (ring,) = [c for c in ElementTree.fromstring(svg).iter(f"{SVG}circle") if c.get("class") == "ring alone"]
    assert (ring.get("cx"), ring.get("cy")) == places(svg)["3"]
    assert "ring alone" not in trace_picture(trace, "x", nodes=(trace.edges[0].source, trace.edges[0].target)).svg()


# Sentences


def test_words_in_reading_order_with_arcs_and_those_of_the_answer_set_off() -> None:
    trace = sentence_trace()
    root = ElementTree.fromstring(trace_picture(trace, "two words", nodes=(2, 3)).svg())
    assert [text.text for text in root.iter(f"{SVG}text")] == [node.label for node in trace.nodes]
    lefts = [float(box.get("x", "nan")) for box in root.iter(f"{SVG}rect")]
    assert lefts == sorted(lefts)
    paths = {path.get("class"): path.get("d", "") for path in root.iter(f"{SVG}path")}
    assert sum(path.count("C") for path in paths.values()) == len(trace.edges)
    boxes = [box.get("class", "").split()[-1] for box in root.iter(f"{SVG}rect")]
    assert boxes == ["held" if word in (2, 3) else "away" for word in range(len(trace.nodes))]


# Lessons


@pytest.fixture(scope="module")
def instance() -> Instance:
    return real_instance()


def test_a_set_over_the_true_motif(instance: Instance) -> None:
    root = ElementTree.fromstring(subset_picture(instance, instance_layout(instance), [0, 1, 3], "3 nodes").svg())
    classes = [circle.get("class") for circle in root.iter(f"{SVG}circle")]
    assert (classes.count("node held"), classes.count("node away")) == (2, instance.num_nodes - 3)
    hit = next(path for path in root.iter(f"{SVG}path") if path.get("class") == "edge hit")
    assert (hit.get("d") or "").count("M") == 1  # 0–1 is on the cycle, 1–3 is not


def test_likelier_edges_are_wider(instance: Instance) -> None:
    marginals = np.zeros(instance.edge_index.shape[1])
    marginals[instance.undirected] = np.linspace(0, 1, len(instance.undirected))
    picture = marginals_picture(instance, instance_layout(instance), marginals, "x")
    assert np.diff(picture.widths).min() > 0
    styles = edges_by_style(picture.svg())
    assert styles == {"hit": int(instance.own_edges[instance.undirected].sum()), "extra": 2}
