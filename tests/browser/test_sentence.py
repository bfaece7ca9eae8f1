"""A sentence in the player: words on a line, arcs above them, the answer underlined; every panel works with it."""

import re

import pytest
from playwright.sync_api import expect

from gfx_core.drawing.svg import UNIT
from gfx_core.text.typesetting import arc, box_width
from tests.browser.conftest import Play
from tests.browser.player_reading import at, node, picture, press
from tests.toys.sentences import FILM, OF, sentence_trace


def shape_of(path: str) -> tuple[float, float]:
    """How far an arc goes, and how high it is bent."""
    x0, y0, _, y1, _, _, x3, _ = (float(value) for value in re.findall(r"-?[\d.]+", path))
    return x3 - x0, y0 - y1


def test_a_sentence_is_read_from_left_to_right(play: Play) -> None:
    trace = sentence_trace()
    page = play(trace, answer=True)
    at(page, "answer")
    boxes = [node(page, number).bounding_box() for number in range(len(trace.nodes))]
    lefts = [box["x"] for box in boxes if box]
    assert lefts == sorted(lefts)
    assert [node(page, number).locator("text").text_content() for number in range(5)] == [
        word.label for word in trace.nodes
    ]
    for number, word in enumerate(trace.nodes):  # the same shapes as in Python
        wide = float(node(page, number).locator(".body").get_attribute("width") or "nan")
        assert wide == pytest.approx(box_width(word.label) * UNIT, abs=0.2)
    paths = picture(page).locator(".edges .edge").evaluate_all("(all) => all.map((edge) => edge.getAttribute('d'))")
    drawn = sorted(tuple(round(value, 0) for value in shape_of(path)) for path in paths)
    points = [word.position for word in trace.nodes]
    expected = [UNIT * arc(points[e.source], points[e.target]) for e in trace.edges]
    assert drawn == sorted(
        tuple(round(float(value), 0) for value in (c[3, 0] - c[0, 0], c[1, 1] - c[0, 1])) for c in expected
    )
    outline = picture(page).locator(".outline").get_attribute("d") or ""
    assert outline.count("M") == 2  # “of” and “film” do not touch
    expect(page.locator(".legend")).to_contain_text("answer")
    assert all("C" in (edge.get_attribute("d") or "") for edge in picture(page).locator(".edge").all())
    press(page, "ArrowRight")
    at(page, "0 / 1")
    expect(node(page, OF)).to_have_class(re.compile("start"))
    expect(node(page, FILM)).to_have_class(re.compile("frontier"))
    press(page, "ArrowRight")
    expect(page.locator(".caption")).to_contain_text("Added film")
    expect(page.locator(".caption")).to_contain_text("The set has 2 words")
    for tab in ("Flows", "Cut vertices", "Parents", "Reward"):
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Parents").click()
    expect(page.locator(".thumb")).to_have_count(1)
    node(page, 3).hover()
    expect(page.locator(".tip")).to_contain_text("“the₂”")
    expect(page.locator(".tip")).to_contain_text("det of film")
