"""The answer in the player, and how it is looked at: without a truth, in molecules and large graphs, by a room."""

import dataclasses
import re

import pytest
from playwright.sync_api import Page, expect

from gfx_core.drawing.svg import UNIT
from gfx_core.text.typesetting import arc, box_width
from gfx_core.trace.schema import Trace, Verdict
from tests.browser.conftest import Play
from tests.browser.player_reading import at, node, picture, press
from tests.toys.player_traces import enlarged, shipped
from tests.toys.sentences import FILM, OF, sentence_trace
from tests.toys.traces import make_trace, states_along, with_two_reasons


def elsewhere(trace: Trace) -> Trace:
    """The same samples, but the trajectory that plays ends a node before the reason."""
    assert trace.answer is not None
    first = trace.answer.first
    spare = next(node for node in range(len(trace.nodes)) if node not in first.nodes)
    nodes = (*first.nodes, spare)
    inside = tuple(k for k, edge in enumerate(trace.edges) if edge.source in nodes and edge.target in nodes)
    wider = dataclasses.replace(first, nodes=nodes, edges=inside, drawn=0)
    return dataclasses.replace(trace, answer=dataclasses.replace(trace.answer, reasons=(wider,)))


def unknown(trace: Trace) -> Trace:
    """The same where no true motif is known."""
    edges = tuple(dataclasses.replace(edge, in_motif=None, in_any_motif=None) for edge in trace.edges)
    return dataclasses.replace(trace, edges=edges)


LISTED = """() => {
    const counter = document.querySelector(".counter");
    window.counted = [];
    new MutationObserver(() => counted.push(counter.textContent)).observe(counter, { childList: true, subtree: true });
}"""
"""All that the step counter says from now on, however short."""


def box(page: Page) -> list[float]:
    return [float(value) for value in (picture(page).get_attribute("viewBox") or "").split()]


def test_it_opens_with_the_answer_and_plays_from_the_start(play: Play) -> None:
    trace = make_trace()
    assert trace.answer is not None
    page = play(trace, moving=True, answer=True)
    at(page, "answer")
    expect(page.locator(".sentence")).to_have_text(trace.answer.sentence)
    expect(page.get_by_role("tab", name="Answer")).to_have_attribute("aria-selected", "true")
    panel = page.locator(".panel.answer")
    expect(panel).to_contain_text(
        "Samples agree with a more probable one, and are in its group, if they share half of their edges with it."
    )
    expect(panel).to_contain_text(f"{trace.answer.first.drawn} of {trace.num_drawn}")
    expect(panel.locator(".alone .value")).to_have_text(re.compile(r"75\s%"))
    expect(panel.locator(".without .value")).to_have_text(re.compile(r"1[23]\s%"))
    outline = picture(page).locator(".outline").get_attribute("d") or ""
    assert outline.startswith("M")
    expect(panel.locator(".elsewhere")).to_be_hidden()
    expect(page.locator(".reasons")).to_be_hidden()
    page.wait_for_timeout(1800)
    at(page, "answer")  # it waits
    page.evaluate(LISTED)
    press(page, " ")
    page.wait_for_function("counted.length > 0")
    assert page.evaluate("counted[0]") == f"0 / {len(trace.steps) - 1}"
    expect(page.locator(".sentence")).to_be_visible()  # it stays in view, and so does the outline
    assert picture(page).locator(".outline").get_attribute("d") == outline
    expect(page.locator(".legend")).to_contain_text("reason")
    press(page, "End")
    expect(page.locator(".beside-answer")).to_have_text("That is the answer.")
    press(page, "a")
    at(page, "answer")
    press(page, "ArrowRight")
    at(page, f"0 / {len(trace.steps) - 1}")
    page.get_by_role("tab", name="Answer").click()  # speaks of no step
    at(page, "answer")
    page.get_by_role("tab", name="Flows").click()  # speaks of a step: the first one
    at(page, f"0 / {len(trace.steps) - 1}")


def test_a_trajectory_that_ends_elsewhere_says_so(play: Play) -> None:
    page = play(elsewhere(make_trace()), answer=True)
    said = "It is not the answer: it lacks"
    expect(page.locator(".panel.answer .elsewhere")).to_contain_text(said)
    press(page, "End")
    expect(page.locator(".beside-answer")).to_contain_text(said)


def test_reasons_are_chosen_outlined_and_played(play: Play) -> None:
    page = play(with_two_reasons(), answer=True)
    expect(page.locator(".reasons .reason")).to_have_count(2)
    expect(page.locator(".reasons .other")).to_contain_text(re.compile(r"other 10\s%"))
    thick = picture(page).locator(".outline").get_attribute("d")
    expect(picture(page).locator(".contour.reason-2")).to_have_count(1)
    page.locator(".reason-2").first.click()
    at(page, "answer")
    expect(page.locator("button.reason-2")).to_have_attribute("aria-pressed", "true")
    assert picture(page).locator(".outline").get_attribute("d") != thick
    expect(picture(page).locator(".contour.reason-1")).to_have_count(1)
    panel = page.locator(".panel.answer")
    expect(panel.locator(".alone .value")).to_have_text(re.compile(r"50\s%"))
    expect(panel.locator(".none .value")).to_have_text(re.compile(r"1[23]\s%"))
    press(page, "ArrowRight")
    at(page, "0 / 2")
    press(page, "End")
    expect(page.locator(".beside-answer")).to_have_text("That is part 2.")  # not enough alone, so no reason
    page.get_by_role("tab", name="Cut vertices").click()
    press(page, "ArrowLeft")
    expect(page.locator(".theorem")).to_contain_text("Case 1")
    page.locator("button.reason-1").click()
    at(page, "answer")
    assert picture(page).locator(".outline").get_attribute("d") == thick
    press(page, "End")
    expect(page.locator(".beside-answer")).to_have_text("That is reason 1.")


@pytest.mark.parametrize(
    "trace", [with_two_reasons(), shipped("mutagenicity-nitrobenzene"), shipped("tree_grid-141")], ids=lambda t: t.name
)
def test_only_what_is_enough_alone_is_called_a_reason(trace: Trace, play: Play) -> None:
    assert trace.answer is not None
    page = play(trace, answer=True)
    reasons = trace.answer.reasons
    needed = trace.answer.explains and trace.answer.verdict is not Verdict.ENOUGH
    enough = [needed and trace.prediction.is_enough(reason.alone) for reason in reasons]
    together = "reason" if all(enough) else "part"
    for number, alone in enumerate(enough, start=1):
        noun = "reason" if alone else "part"
        if len(reasons) > 1:
            chip = page.locator(f"button.reason-{number}")
            expect(chip).to_contain_text(f"{noun.capitalize()} {number}:")
            chip.click()
            expect(page.locator(".caption")).to_contain_text(f"{together} {number} of {len(reasons)}")
        expect(page.locator(".legend li").last).to_have_text(noun)


def test_the_note_about_removing_more_is_told_only_where_the_bars_show_it(play: Play) -> None:
    trace = with_two_reasons()
    assert trace.answer is not None
    for all_of_them, hidden in ((0.124, True), (0.5, False)):
        first = dataclasses.replace(trace.answer.first, without=(1 - 0.121, 0.121))
        reasons = (first, *trace.answer.reasons[1:])
        answer = dataclasses.replace(trace.answer, reasons=reasons, without_all=(1 - all_of_them, all_of_them))
        page = play(dataclasses.replace(trace, answer=answer), answer=True)
        expect(page.get_by_text("removing more does not always lower it")).to_be_visible(visible=not hidden)


def test_the_rule_is_folded_and_opens_by_a_key(play: Play) -> None:
    page = play(make_trace(), answer=True)
    rule = page.locator(".rule p")
    expect(rule).to_be_hidden()
    page.locator(".rule summary").focus()
    for key, shown in (("Enter", True), (" ", False)):
        page.keyboard.press(key)
        expect(rule).to_be_visible(visible=shown)
        at(page, "answer")  # nothing plays


def test_without_a_truth_nothing_is_judged(play: Play) -> None:
    page = play(unknown(make_trace()), answer=True)
    for _ in range(2):  # the answer, and then the result
        expect(page.locator(".stage .edge.found")).not_to_have_count(0)
        assert page.locator(".stage :is(.hit, .extra, .missed)").count() == 0
        text = page.locator(".frame").inner_text()
        assert not re.search(r"\b(extra|missed|hit)\b", text)
        press(page, "End")
    expect(page.get_by_label("Show the true motif")).to_be_hidden()


def test_hydrogens_can_be_folded_into_their_atoms(play: Play) -> None:
    trace = shipped("mutagenicity-caffeine")
    page = play(trace)
    hydrogens = [k for k, each in enumerate(trace.nodes) if each.element == "H"]
    heavy = next(k for k, each in enumerate(trace.nodes) if each.element != "H")
    small = node(page, hydrogens[0]).locator(".body").bounding_box()
    large = node(page, heavy).locator(".body").bounding_box()
    assert small is not None
    assert large is not None
    assert small["width"] < 0.75 * large["width"]
    page.get_by_label("Fold the hydrogens").click()
    expect(page.locator(".stage .node text").get_by_text("CH₃").first).to_be_visible()
    shown = sum(node(page, each).is_visible() for each in hydrogens)
    assert shown < len(hydrogens)
    page.get_by_label("Fold the hydrogens").click()
    assert all(node(page, each).is_visible() for each in hydrogens)


def test_a_large_graph_opens_where_it_matters(play: Play) -> None:
    trace = enlarged(make_trace(), 120)
    page = play(trace, answer=True)
    close = box(page)
    expect(page.locator(".stage.focused .node.far").first).to_have_css("opacity", "0.3")
    assert trace.answer is not None
    frame = page.locator(".stage").bounding_box()
    assert frame is not None
    for each in trace.answer.first.nodes:
        spot = node(page, each).locator(".body").bounding_box()
        assert spot is not None
        assert frame["x"] <= spot["x"] <= frame["x"] + frame["width"]
        assert frame["y"] <= spot["y"] <= frame["y"] + frame["height"]
    page.get_by_label("Show all").click()
    assert box(page)[2] > 1.5 * close[2]
    expect(page.locator(".stage.focused")).to_have_count(0)
    page.get_by_label("Show what matters").click()
    assert box(page) == pytest.approx(close, rel=0.02)
    expect(play(make_trace(), answer=True).get_by_label("Show what matters")).to_be_hidden()


SMALL_TEXT = """() => [...document.querySelectorAll(".player *")]
    .filter((e) => !e.closest("svg") && e.checkVisibility() && !e.classList.contains("unseen"))
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
    .filter((e) => parseFloat(getComputedStyle(e).fontSize) < 16).map((e) => e.className + e.textContent)"""


def test_present_mode_by_a_key(play: Play) -> None:
    page = play(make_trace(), answer=True)
    page.set_viewport_size({"width": 1280, "height": 720})
    press(page, "p")
    expect(page.locator("header")).to_be_hidden()
    for key in ("a", "ArrowRight", "End"):
        press(page, key)
        assert page.evaluate(SMALL_TEXT) == []
        assert page.evaluate("document.documentElement.scrollHeight") <= 720
    for label in page.locator(".stage .node.hit text").all():
        assert label.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a") >= 15.9
    button = page.get_by_label("Play (space)").bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= 720
    press(page, "Escape")
    expect(page.locator("header")).to_be_visible()


def test_the_states_are_in_the_file(play: Play) -> None:
    trace = make_trace()
    page = play(trace, answer=True, states=(states_along(trace), "So many states."))
    page.get_by_role("tab", name="States").click()
    expect(page.get_by_text("So many states.")).to_be_visible()
    states = page.locator(".states-stage canvas")
    expect(states).to_have_attribute("aria-label", re.compile(f"{len(trace.steps) + 1} states"))
    press(page, "Home")
    at(page, f"0 / {len(trace.steps) - 1}")
    press(page, "ArrowRight")
    at(page, f"1 / {len(trace.steps) - 1}")
    place = states.get_attribute("data-selected") or ""
    press(page, "ArrowRight")
    at(page, f"2 / {len(trace.steps) - 1}")
    expect(states).not_to_have_attribute("data-selected", place)
    x, y = map(int, place.split(","))
    states.click(position={"x": x, "y": y})
    at(page, f"1 / {len(trace.steps) - 1}")


# A sentence: words on a line, arcs above them, the answer underlined; every panel works with it.


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
    expect(page.locator(".legend")).to_contain_text("reason")
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
