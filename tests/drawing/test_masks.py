"""Pictures of scores and subgraphs: every edge drawn once, in the right group, and texts stay text."""

import re
import tomllib
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import FOUND
from gfx_core.drawing.masks import (
    LEVELS,
    MASK_STYLE,
    ends_of,
    mask_svg,
    part_that_matters,
    scores_svg,
    subgraph_svg,
    truth_svg,
)
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load
from tests.toys.player_traces import enlarged

SVG = "{http://www.w3.org/2000/svg}"


def trace(name: str = "tree_grid-700") -> Trace:
    return load(ASSETS / "traces" / f"{name}.json")


def lines(svg: str) -> dict[str, int]:
    """How many lines each style has."""
    found: dict[str, int] = {}
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if path.get("class", "").startswith("edge"):
            style = path.get("class", "").removeprefix("edge").strip()
            found[style] = found.get(style, 0) + path.get("d", "").count("M")
    return found


def test_edges_by_what_they_turned_out_to_be() -> None:
    shown = trace()
    motif = np.array([edge.in_motif for edge in shown.edges])
    kept = np.zeros(len(motif), dtype=bool)
    kept[np.flatnonzero(motif)[:4]] = True
    kept[np.flatnonzero(~motif)[:2]] = True
    svg = mask_svg(shown, np.random.RandomState(0).random_sample(len(motif)), kept, "a mask")
    expected = {"hit": 4, "extra": 2, "missed": int(motif.sum()) - 4, "score": int((~motif).sum()) - 2}
    assert lines(svg) == expected
    assert 'aria-label="a mask"' in svg
    drawn = lines(subgraph_svg(shown, shown.samples[0].nodes, "a subgraph"))
    assert drawn.get("hit", 0) + drawn.get("extra", 0) == len(shown.samples[0].edges)
    assert lines(truth_svg(shown, "the motif"))["hit"] == int(motif.sum())


def test_where_no_motif_is_known() -> None:
    shown = trace()
    unknown = replace(shown, edges=tuple(replace(edge, in_motif=None) for edge in shown.edges))
    kept = np.arange(len(shown.edges)) < 3
    assert lines(mask_svg(unknown, np.ones(len(kept)), kept, "x")) == {"kept": 3, "score": len(kept) - 3}
    none = replace(shown, edges=tuple(replace(edge, in_motif=False) for edge in shown.edges))  # of a class without one
    nodes = shown.samples[0].nodes
    for other in (unknown, none):
        found = lines(subgraph_svg(other, nodes, "x"))
        assert found.get("kept") == len(shown.samples[0].edges)
        assert not found.keys() & {"hit", "extra", "missed"}
    sample = shown.samples[0]
    inside = len(sample.edges)
    assert lines(subgraph_svg(unknown, sample.nodes, "x")) == {"kept": inside, "": len(kept) - inside}
    assert lines(truth_svg(unknown, "x")) == {"": len(kept)}


def test_what_is_neither_right_nor_wrong_has_the_players_colour() -> None:
    config = tomllib.loads((ASSETS.parent / ".streamlit" / "config.toml").read_text())
    assert config["theme"]["light"]["primaryColor"] == FOUND.colour
    assert f".edge.kept {{ stroke: var(--st-primary-color, {FOUND.colour})" in MASK_STYLE


def test_pictures_beside_one_another_look_at_the_same_part() -> None:
    """On a large graph each would else show its own surroundings, each on another scale."""
    shown = enlarged(trace(), 400)
    motif = np.array([bool(edge.in_motif) for edge in shown.edges])
    masks = [motif, np.arange(len(motif)) < 2]
    scores = np.ones(len(motif))

    def places(svg: str) -> dict[str, tuple[str, str]]:
        circles = ElementTree.fromstring(svg).iter(f"{SVG}circle")
        return {circle.get("data-node", ""): (circle.get("cx", ""), circle.get("cy", "")) for circle in circles}

    also = set().union(*(ends_of(shown, kept) for kept in masks))
    alone = [places(mask_svg(shown, scores, kept, "x")) for kept in masks]
    together = [places(mask_svg(shown, scores, kept, "x", also=also)) for kept in masks]
    together.append(places(truth_svg(shown, "x", also=also)))
    assert alone[0] != alone[1]
    assert together[0] == together[1] == together[2]
    assert together[0]


def test_wider_for_higher_scores() -> None:
    shown = trace()
    scores = np.linspace(0, 1, len(shown.edges))
    svg = scores_svg(shown, scores, "scores")
    widths = [float(width) for width in re.findall(r'class="edge score" stroke-width="([\d.]+)"', svg)]
    assert len(widths) == LEVELS
    assert widths == sorted(widths)
    assert lines(svg) == {"score": len(scores)}
    same = scores_svg(shown, np.full(len(scores), 0.3), "alike")
    assert same.count('class="edge score"') == 1


@pytest.mark.parametrize("name", ["mutagenicity-nitrobenzene", "ba_2motifs-0"])
def test_hostile_labels_stay_text(name: str) -> None:
    shown = trace(name)
    bad = '<img src=x onerror="alert(1)">'
    hostile = replace(shown, nodes=tuple(replace(node, label=bad) for node in shown.nodes))
    svg = scores_svg(hostile, np.ones(len(shown.edges)), bad)
    root = ElementTree.fromstring(svg)
    assert not [element for element in root.iter() if element.tag.endswith("img")]
    assert root.get("aria-label") == bad


def test_hydrogens_are_small_or_folded_into_their_atoms() -> None:
    shown = trace("mutagenicity-caffeine")
    hydrogens = sum(node.element == "H" for node in shown.nodes)
    carbons = [node for node, mark in enumerate(shown.nodes) if mark.element != "H"]
    drawn = {}
    for folded in (False, True):
        root = ElementTree.fromstring(subgraph_svg(shown, carbons[:2], "x", folded=folded))
        circles = [circle for circle in root.iter(f"{SVG}circle") if circle.get("class", "").startswith("node")]
        drawn[folded] = ["H" in circle.get("class", "").split() for circle in circles]
        sizes = [(float(circle.get("r", "")), is_h) for circle, is_h in zip(circles, drawn[folded], strict=True)]
        assert max((size for size, is_h in sizes if is_h), default=0) < min(size for size, is_h in sizes if not is_h)
        texts = [text.text or "" for text in root.iter(f"{SVG}text")]
        assert "H" not in texts
        assert any(text.startswith("CH") for text in texts) == folded
    assert sum(drawn[False]) == hydrogens
    assert sum(drawn[True]) < hydrogens


def test_an_atom_that_no_edge_marks_has_a_ring() -> None:
    shown = trace("mutagenicity-caffeine")
    for nodes in ((3,), (5,)):
        root = ElementTree.fromstring(subgraph_svg(shown, nodes, "x"))
        rings = [circle.attrib for circle in root.iter(f"{SVG}circle") if circle.get("class") == "ring alone"]
        own = [circle.attrib for circle in root.iter(f"{SVG}circle") if circle.get("data-node") == str(nodes[0])]
        assert [(ring["cx"], ring["cy"]) for ring in rings] == [(node["cx"], node["cy"]) for node in own]
    assert "ring alone" not in subgraph_svg(shown, (shown.edges[0].source, shown.edges[0].target), "x")


def test_of_a_large_graph_what_matters_is_drawn() -> None:
    small = trace("ba_community-304")
    shown = enlarged(small, 300)
    nodes = shown.samples[0].nodes
    part = part_that_matters(shown, nodes)
    assert part[list(nodes)].all()
    assert part[list(shown.final.nodes)].all()
    assert part.sum() < 300
    svg = subgraph_svg(shown, nodes, "x")
    assert svg.count("<circle") < 300
    found = lines(svg)
    assert found.get("hit", 0) + found.get("extra", 0) == len(shown.samples[0].edges)
    few = replace(shown, nodes=shown.nodes[:20], edges=(), answer=None)
    assert part_that_matters(few).all()
