"""The forest plot: every mark is where its number is, and names are only text."""

import re
from xml.etree import ElementTree

import pytest

from gfx_core.drawing.forest import Mark, description, forest_svg

LEGEND = {"own": "ours", "other": "theirs", "control": "blind"}
LINES = [
    ("<b>A</b>", [Mark("one & only", 0.75, 0.7, 0.8, "own"), Mark("two", 0.5, 0.4, 0.6)]),
    ("B", [Mark("one", 1.0, 0.9, 1.0, "own"), Mark("none", 0.0, 0.0, 0.0, "control")]),
]


def test_marks_are_where_their_numbers_are_and_kinds_differ_in_shape() -> None:
    svg = forest_svg(LINES, "F1", LEGEND)
    ElementTree.fromstring(svg)
    ticks = {float(t): float(x) for x, t in re.findall(r'x="([\d.]+)" y="\d+" text-anchor="middle">([\d.]+)<', svg)}
    assert (min(ticks), max(ticks)) == (0, 1)
    place = {number: ticks[0] + number * (ticks[1] - ticks[0]) for number in (0.75, 0.7, 0.8, 0.4, 0.6, 1.0)}
    circles = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', svg)][1:]  # the first one is the legend's
    assert circles == pytest.approx([place[0.75], place[1.0]], abs=0.1)
    spans = [tuple(map(float, pair)) for pair in re.findall(r'd="M([\d.]+) \d+H([\d.]+)"', svg)]
    assert spans[:2] == [pytest.approx((place[a], place[b]), abs=0.1) for a, b in ((0.7, 0.8), (0.4, 0.6))]
    for kind, shape in (("own", "<circle"), ("other", "l5.5 5.5"), ("control", "h9v9")):
        assert all(shape in mark for mark in re.findall(rf'<g class="{kind}">.*?</g>', svg))
    assert "<b>A" not in svg
    assert "two 0.500 (0.400 to 0.600)" in description(LINES, "F1")
    ElementTree.fromstring(forest_svg([], "nothing yet", {}))
