"""Small pictures of node sets and edge probabilities: whole SVG, wider where likelier, no false 0 or 100 %."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from gfx_core.drawing.masks import marginals_svg, subset_svg
from gfx_core.layout import instance_layout
from gfx_core.teaching.known_subgraphs import real_instance

INSTANCE = real_instance(612)
POINTS = instance_layout(INSTANCE)
SVG = "{http://www.w3.org/2000/svg}"


def test_a_set_over_the_true_motif() -> None:
    root = ElementTree.fromstring(subset_svg(INSTANCE, POINTS, [0, 1, 3], "3 nodes"))
    classes = [shape.get("class") for shape in root.iter(f"{SVG}circle")]
    assert classes.count("node held") == 2
    assert classes.count("node away") == INSTANCE.num_nodes - 3
    hit = next(path for path in root.iter(f"{SVG}path") if path.get("class") == "edge hit")
    assert (hit.get("d") or "").count("M") == 1  # 0–1 is on the cycle, 1–3 is not
    assert root.get("aria-label") == "3 nodes"


@pytest.mark.parametrize(
    ("share", "words"), [(0.0, "0 %"), (0.004, "<1 %"), (0.5, "50 %"), (0.997, ">99 %"), (1.0, "100 %")]
)
def test_edge_probabilities(share: float, words: str) -> None:
    marginals = np.full(INSTANCE.edge_index.shape[1], share)
    root = ElementTree.fromstring(marginals_svg(INSTANCE, POINTS, marginals, "x"))
    assert [text.text for text in root.iter(f"{SVG}text")].count(words) == len(INSTANCE.undirected)


def test_likelier_edges_are_wider() -> None:
    marginals = np.zeros(INSTANCE.edge_index.shape[1])
    marginals[INSTANCE.undirected] = np.linspace(0, 1, len(INSTANCE.undirected))
    widths = re.findall(r'class="edge \w+" stroke-width="([\d.]+)"', marginals_svg(INSTANCE, POINTS, marginals, "x"))
    assert [float(width) for width in widths] == sorted(float(width) for width in widths)
    assert len(set(widths)) == len(widths)
