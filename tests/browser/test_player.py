"""The player in a browser, from a file with the network off: controls, panels, the answer, sentences."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Locator, Page

from gfx_core.config import FlowSource
from gfx_core.drawing.svg import UNIT
from gfx_core.text.typesetting import box_width
from tests.browser.conftest import Play
from tests.browser.settling import box_of, expect
from tests.toys.traces import FILM, OF, enlarged, make_trace, sentence_trace, shipped, with_two_reasons

TABS = ("Flows", "Cut vertices", "Reward")


def picture(page: Page) -> Locator:
    return page.locator(".stage svg.graph")


def view_box(page: Page) -> list[float]:
    return [float(value) for value in (picture(page).get_attribute("viewBox") or "").split()]


def drawn(page: Page) -> str:
    """The picture, with everything that is set on it."""
    return picture(page).evaluate("(svg) => new XMLSerializer().serializeToString(svg)")


def node(page: Page, index: int) -> Locator:
    return page.locator(f'.stage [data-node="{index}"]')


def at(page: Page, text: str) -> None:
    """Wait for the step counter."""
    expect(page.locator(".counter")).to_have_text(text)


def go(page: Page, step: int) -> None:
    """Move the slider to a step."""
    page.get_by_label("Step", exact=True).fill(str(step))


def tab(page: Page, name: str) -> Locator:
    """Open a tab; its panel."""
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    return page.get_by_role("tabpanel", name=name)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def written(value: float, digits: int = 3) -> str:
    """A number as the player writes it."""
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share as the player writes it; what is rounded never reads as certain."""
    if 0.9995 <= share < 1:
        return ">99.9 %"
    digits = 2 if share < 0.00995 else 1 if share < 0.0995 or share > 0.99 else 0
    return f"{100 * share:.{digits}f} %"


def scroll_size(page: Page) -> tuple[int, int]:
    width, height = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    return width, height


# How it is played


def test_every_control_and_key(play: Play) -> None:
    trace = shipped("tree_cycles-513")
    page, last = play(trace), len(trace.steps) - 1
    at(page, f"0 / {last}")
    page.get_by_label("Step forward").click()
    at(page, f"1 / {last}")
    page.get_by_label("Last step").click()
    at(page, "result")
    expect(page.get_by_label("Step forward")).to_be_disabled()
    page.get_by_label("Step back").click()
    at(page, f"{last} / {last}")
    page.get_by_label("First step").click()
    at(page, f"0 / {last}")
    go(page, 4)
    at(page, f"4 / {last}")
    page.get_by_label("Show the true motif").click()
    expect(page.locator(".player")).to_have_class(re.compile("with-motif"))
    page.get_by_label("Play (space)").click()
    page.get_by_label("Pause (space)").click()
    press(page, " ")
    expect(page.get_by_label("Pause (space)")).to_be_visible()
    press(page, " ", "Home", "ArrowRight", "ArrowRight", "ArrowLeft")
    at(page, f"1 / {last}")
    tab(page, "Reward")  # a click leaves the keys to the player
    press(page, "End", "ArrowLeft")
    at(page, f"{last} / {last}")
    page.get_by_role("tab", name="Reward").focus()
    press(page, "ArrowLeft")
    expect(page.get_by_role("tab", name="Cut vertices")).to_have_attribute("aria-selected", "true")
    at(page, f"{last} / {last}")
    page.get_by_label("Step", exact=True).focus()
    press(page, "ArrowLeft")
    at(page, f"{last - 1} / {last}")


def test_a_step_back_restores_the_exact_picture_on_the_same_elements(play: Play) -> None:
    page = play(shipped("mutagenicity-caffeine"))
    page.get_by_label("Zoom in").click()
    box = view_box(page)
    page.evaluate("document.querySelectorAll('.stage *').forEach((element, k) => { element.mine = k; })")
    pictures = []
    for _ in range(4):
        pictures.append(drawn(page))
        press(page, "ArrowRight")
    assert len(set(pictures)) == 4
    press(page, "End")
    for step, before in reversed(list(enumerate(pictures))):
        go(page, step)
        assert drawn(page) == before
    assert page.evaluate("[...document.querySelectorAll('.stage :is(.node, .edge)')].every((e) => e.mine >= 0)")
    assert view_box(page) == box


def test_plays_to_the_end_unless_less_motion_is_wanted_and_hovering_pauses(play: Play) -> None:
    page = play(shipped("tree_cycles-748"), moving=True)
    expect(page.get_by_label("Pause (space)")).to_be_visible()  # it plays by itself
    page.get_by_label("Speed").select_option("4")
    picture(page).hover()
    expect(page.locator(".holding")).to_be_visible()
    held = page.locator(".counter").inner_text()
    page.wait_for_timeout(900)
    at(page, held)
    page.mouse.move(2, 2)
    expect(page.locator(".holding")).to_be_hidden()
    go(page, 5)
    press(page, " ")
    at(page, "result")
    expect(page.get_by_label("Play (space)")).to_be_visible()
    still = play(shipped("tree_cycles-748"))
    expect(still.get_by_label("Play (space)")).to_be_visible()
    expect(still.locator(".player")).not_to_have_class(re.compile("tween"))


def test_a_screen_reader_hears_each_step(play: Play) -> None:
    trace = shipped("mutagenicity-nitrobenzene")
    first, second = (f"{trace.nodes[node].element}{trace.nodes[node].id}" for node in trace.steps[-1].members[:2])
    page = play(trace)
    spoken = page.locator("[aria-live=polite]")
    expect(spoken).to_contain_text(first)
    press(page, "ArrowRight")
    expect(spoken).to_contain_text(f"Added {second}")
    press(page, "End")
    expect(spoken).to_contain_text(f"Stopped: {len(trace.final.edges)} bond")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.player button, .player select, .player input')]"
        ".filter((e) => !e.hidden && !(e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert unnamed == 0


def test_hostile_text_stays_text(play: Play) -> None:
    evil = "<img src=x onerror=alert(1)> **bold** ![x](http://x)"
    trace = shipped("ba_shapes-423")
    assert trace.answer is not None
    nodes = tuple(replace(node, label=evil, features=((evil, "</script><b>"),)) for node in trace.nodes)
    texts = {"classes": (evil,) * 4, "dataset_title": "</title><i>"}
    answer = replace(trace.answer, sentence=evil)
    page = play(replace(trace, nodes=nodes, answer=answer, **texts), answer=True)
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    expect(page.locator(".sentence")).to_have_text(evil)
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    for name in TABS:
        tab(page, name)
        assert page.locator("img, script script, header i, .player b b").count() == 0
    expect(page.locator(".caption")).to_contain_text(evil)
    node(page, 0).hover()
    expect(page.locator(".tip")).to_contain_text(f"{evil} </script><b>")


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
        assert scroll_size(page)[1] <= 720
    for label in page.locator(".stage .node.hit text").all():
        assert label.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a") >= 15.9
    press(page, "Escape")
    expect(page.locator("header")).to_be_visible()


def test_pictures_can_be_saved(play: Play, tmp_path: Path) -> None:
    page = play(replace(shipped("mutagenicity-nitrobenzene"), made={"name": "O=[N+]"}), theme="dark")
    press(page, "ArrowRight")
    files = {}
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind.upper(), exact=True).click()
        assert download.value.suggested_filename == f"mutagenicity-O_N_-step-1.{kind}"
        download.value.save_as(tmp_path / kind)
        files[kind] = (tmp_path / kind).read_bytes()
    text = files["svg"].decode()
    assert "var(" not in text
    assert "color-mix" not in text
    assert "rgb(18, 22, 31)" in text
    assert files["png"].startswith(b"\x89PNG")
    page.goto((tmp_path / "svg").as_uri())


# The panels beside the graph


def test_hover_links_graph_and_panels(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page = play(trace)
    go(page, 3)
    step = trace.steps[3]
    first, parent, cut = step.frontier[0].node, step.parents[0].removed, step.cut_vertices[0]
    node(page, first).hover()
    expect(page.locator(f'.side-out [data-nodes="{first}"]')).to_have_class(re.compile("lit"))
    expect(page.locator(".tip")).to_contain_text(f"Node {trace.nodes[first].label}")
    page.locator(f'.side-in [data-nodes="{parent}"]').hover()
    expect(node(page, parent)).to_have_class(re.compile("lit"))
    expect(node(page, first)).not_to_have_class(re.compile("lit"))
    tab(page, "Cut vertices")
    page.locator(f'.matrix th[data-row="{cut}"]').hover()
    pieces = step.child_groups[0].groups
    expect(page.locator(".stage .group")).to_have_count(len(pieces))
    expect(page.locator(".stage .badge")).to_have_count(sum(map(len, pieces)))
    page.locator(".caption").hover()
    expect(page.locator(".stage .group")).to_have_count(0)
    expect(page.locator(".cuts .theorem")).to_contain_text("(eq. 16)")
    expect(page.locator(".stage .ring.parent")).to_have_count(len(step.parents))


def test_the_numbers_beside_the_graph(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page, step = play(trace), trace.steps[3]
    assert trace.log_z_exact is not None
    assert step.residual is not None
    expect(page.locator(".formula")).to_contain_text(written(trace.log_z_exact))  # log Z at the source
    go(page, 3)
    expect(page.locator(".side-in .bar-row")).to_have_count(len(step.parents))
    expect(page.locator(".side-out .bar-row")).to_have_count(len(step.frontier) + 1)
    for value in (step.log_in_flow, step.log_out_flow, step.residual):
        expect(page.locator(".formula")).to_contain_text(written(value))
    expect(page.locator(".side-out")).to_contain_text(percent(max(action.probability for action in step.frontier)))
    tab(page, "Reward")
    expect(page.locator(".headline")).to_contain_text(written(step.reward.log_reward, 2))
    expect(page.locator(".gauge")).to_contain_text(percent(step.reward.probability))
    press(page, "End")
    flags = [(edge.in_motif, at in trace.final.edges) for at, edge in enumerate(trace.edges)]
    for name, flag in {"hit": (True, True), "missed": (True, False), "extra": (False, True)}.items():
        expect(page.locator(f".stage .edge.{name}")).to_have_count(flags.count(flag))
    expect(page.locator(".caption")).to_contain_text(f"log R = {written(trace.final.log_reward, 2)}")


def test_a_mark_shows_what_the_other_flows_would_do(play: Play) -> None:
    page = play(make_trace())
    panel = page.locator(".panel.flow")
    marks = panel.locator(".mark")
    expect(marks).to_have_count(3)  # of the strongest node, the other one, and STOP
    for mark, share in zip(marks.all(), (0.5, 0.25, 0.25), strict=True):
        line, track = box_of(mark), box_of(mark.locator(".."))
        assert (line["x"] + line["width"] / 2 - track["x"]) / track["width"] == pytest.approx(share, abs=0.03)
    expect(panel.locator(".bar-row.stop")).to_have_attribute("data-tip", re.compile("exact flows 25\\s%"))
    page.get_by_label("Step forward").click()  # there the trace has no other flows
    expect(panel.locator(".mark:visible")).to_have_count(0)
    page = play(replace(make_trace(), flows=FlowSource.EXACT))
    expect(page.locator(".panel.flow .compared")).to_contain_text("learned flows")
    expect(page.locator("header")).to_contain_text("110")


# The answer


def test_it_opens_with_the_answer_and_plays_from_the_start(play: Play) -> None:
    trace = make_trace()
    assert trace.answer is not None
    page = play(trace, moving=True, answer=True)
    at(page, "answer")
    expect(page.locator(".sentence")).to_have_text(trace.answer.sentence)
    expect(page.get_by_role("tab", name="Answer")).to_have_attribute("aria-selected", "true")
    panel = page.locator(".panel.answer")
    expect(panel).to_contain_text(f"{trace.answer.first.drawn} of {trace.num_drawn}")
    expect(panel.locator(".alone .value")).to_have_text(re.compile(r"75\s%"))
    expect(panel.locator(".without .value")).to_have_text(re.compile(r"1[23]\s%"))
    outline = picture(page).locator(".outline").get_attribute("d") or ""
    assert outline.startswith("M")
    for part in (panel.locator(".elsewhere"), page.locator(".reasons")):
        expect(part).to_be_hidden()
    rule = page.locator(".rule p")
    expect(rule).to_be_hidden()
    page.locator(".rule summary").focus()
    for key, unfolded in (("Enter", True), (" ", False)):
        press(page, key)
        expect(rule).to_be_visible(visible=unfolded)
    at(page, "answer")  # the key of the rule plays nothing
    page.locator(".sentence").click()
    page.get_by_label("Play (space)").click()
    expect(page.locator(".counter")).to_have_text(re.compile(r"^\d+ /|^result"))
    expect(page.locator(".sentence")).to_be_visible()
    assert picture(page).locator(".outline").get_attribute("d") == outline
    press(page, "End")
    expect(page.get_by_role("tab", name="Answer")).to_have_attribute("aria-selected", "true")
    press(page, "a")
    at(page, "answer")
    press(page, "ArrowRight")
    at(page, f"0 / {len(trace.steps) - 1}")
    tab(page, "Answer")  # speaks of no step
    at(page, "answer")
    tab(page, "Flows")  # speaks of a step: the first one
    at(page, f"0 / {len(trace.steps) - 1}")


def test_reasons_are_chosen_outlined_and_played(play: Play) -> None:
    page = play(with_two_reasons(), answer=True)
    expect(page.locator(".reasons .reason")).to_have_count(2)
    expect(page.locator(".reasons .other")).to_contain_text(re.compile(r"10\s%"))
    thick = picture(page).locator(".outline").get_attribute("d")
    expect(picture(page).locator(".contour.reason-2")).to_have_count(1)
    page.locator("button.reason-2").click()
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
    expect(page.locator(".caption")).to_contain_text("part 2")  # not enough alone, so no reason
    page.locator("button.reason-1").click()
    at(page, "answer")
    assert picture(page).locator(".outline").get_attribute("d") == thick
    press(page, "End")
    expect(page.locator(".caption")).to_contain_text("reason 1")


def test_without_a_truth_nothing_is_judged(play: Play) -> None:
    trace = make_trace()
    edges = tuple(replace(edge, in_motif=None, in_any_motif=None) for edge in trace.edges)
    page = play(replace(trace, edges=edges), answer=True)
    for _ in range(2):  # the answer, and then the result
        expect(page.locator(".stage .edge.found")).not_to_have_count(0)
        assert page.locator(".stage :is(.hit, .extra, .missed)").count() == 0
        assert not re.search(r"\b(extra|missed|hit)\b", page.locator(".frame").inner_text())
        press(page, "End")
    expect(page.get_by_label("Show the true motif")).to_be_hidden()


def test_hydrogens_are_small(play: Play) -> None:
    trace = shipped("mutagenicity-caffeine")
    page = play(trace)
    hydrogens = [k for k, atom in enumerate(trace.nodes) if atom.element == "H"]
    heavy = next(k for k, atom in enumerate(trace.nodes) if atom.element != "H")
    small, large = (box_of(node(page, k).locator(".body")) for k in (hydrogens[0], heavy))
    assert small["width"] < 0.75 * large["width"]


def test_a_large_graph_opens_where_it_matters(play: Play) -> None:
    trace = enlarged(make_trace(), 120)
    assert trace.answer is not None
    page = play(trace, answer=True)
    close = view_box(page)
    expect(page.locator(".stage.focused .node.far").first).to_have_css("opacity", "0.3")
    for answer_node in trace.answer.first.nodes:
        expect(node(page, answer_node).locator(".body")).to_be_in_viewport()
    page.get_by_label("Show all").click()
    assert view_box(page)[2] > 1.5 * close[2]
    expect(page.locator(".stage.focused")).to_have_count(0)
    page.get_by_label("Show what matters").click()
    assert view_box(page) == pytest.approx(close, rel=0.02)


def test_a_sentence_is_read_from_left_to_right(play: Play) -> None:
    trace = sentence_trace()
    page = play(trace, answer=True)
    at(page, "answer")
    lefts = []
    for number, word in enumerate(trace.nodes):  # the same shapes as in Python
        box = box_of(node(page, number))
        lefts.append(box["x"])
        expect(node(page, number).locator("text")).to_have_text(word.label)
        width = float(node(page, number).locator(".body").get_attribute("width") or "nan")
        assert width == pytest.approx(box_width(word.label) * UNIT, abs=0.2)
    assert lefts == sorted(lefts)
    outline = picture(page).locator(".outline").get_attribute("d") or ""
    assert outline.count("M") == 2  # “of” and “film” do not touch
    press(page, "ArrowRight")
    at(page, "0 / 1")
    expect(node(page, OF)).to_have_class(re.compile("start"))
    expect(node(page, FILM)).to_have_class(re.compile("frontier"))
    press(page, "ArrowRight")
    expect(page.locator(".caption")).to_contain_text("Added film")
    for name in TABS:
        tab(page, name)
    node(page, 3).hover()
    expect(page.locator(".tip")).to_contain_text("det of film")
