"""Explain in a real browser: watch, link, build by hand, see all states, present, train, take along."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.controls import open_pickers, visible_controls
from tests.browser.settling import fits, settled

FEW = "/explain?dataset=tree_cycles&index=612"
EXPLAIN = f"{FEW}&tools=all"
GRID = "/explain?dataset=tree_grid&index=514"
NITROSAMINE = "/explain?dataset=mutagenicity&compound=Dimethylnitrosamine"
STATES = ".st-key-player .states-stage canvas"


def stage(page: Page) -> Locator:
    return page.locator(".st-key-player .stage")


def counter(page: Page) -> Locator:
    return page.locator(".st-key-player .counter")


def states(page: Page) -> Locator:
    return page.locator(STATES)


def chosen(page: Page) -> str:
    """Where the chosen state stands in the state space."""
    return page.locator(STATES).get_attribute("data-selected") or ""


def opened(open_page: OpenPage, path: str, width: int, height: int) -> Page:
    """Explain in a window of that size, once everything is drawn."""
    page = open_page(path, width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(".st-key-player .play")).to_be_visible()
    settled(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    return page


def test_a_shipped_explanation_plays_and_its_link_reopens_the_step_and_the_tab(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    expect(stage(page).locator("svg")).to_be_visible()
    page.locator(".st-key-player").get_by_role("button", name="Last step (End)").click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    shown = counter(page).inner_text()
    step = f"step={shown.split()[0]}"
    expect(page).to_have_url(re.compile(f"[?&]{step}$"))  # not that of a key before
    settled(page)
    page.get_by_role("tab", name="Edge marginals").click()
    expect(page).to_have_url(re.compile(f"{step}&tab=marginals$"))
    settled(page)
    again = open_page(page.url[page.url.index("/explain") :])
    expect(counter(again)).to_have_text(shown)
    for each in (page, again):
        expect(each.get_by_role("tab", name="Edge marginals")).to_have_attribute("aria-selected", "true")
        expect(each.get_by_role("tabpanel", name="Edge marginals")).to_be_visible()
    page.get_by_role("tab", name="Sampled subgraphs").click()
    expect(page).to_have_url(re.compile(f"{step}$"))
    expect(page.get_by_role("tabpanel", name="Sampled subgraphs")).to_be_visible()


@pytest.mark.parametrize("path", [FEW, f"{FEW}&step=3", GRID, NITROSAMINE, "/explain?dataset=graph_sst2"])
def test_at_first_there_are_few_controls(open_page: OpenPage, path: str) -> None:
    page = opened(open_page, path, 1280, 720)
    controls = visible_controls(page, below=True)
    assert len(controls) <= 25, controls
    expect(page.locator(".st-key-player").get_by_role("tab")).to_have_text(["Answer", "States", "Flows"])
    expect(page.get_by_role("tab")).to_have_count(3)
    for part in (".play", ".legend", ".sentence"):
        expect(page.locator(f".st-key-player {part}")).to_be_in_viewport(ratio=1)


def test_all_tools_are_one_click_away_and_stay(open_page: OpenPage) -> None:
    page = opened(open_page, FEW, 1280, 720)
    graph = stage(page).locator("svg.graph")
    graph.evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    page.get_by_text("All tools", exact=True).click()
    expect(page).to_have_url(re.compile("tools=all"))
    for again in (False, True):
        for name in ("Cut vertices", "Result", "Sampled subgraphs", "Save and load"):
            expect(page.get_by_role("tab", name=name)).to_be_visible()
        expect(page.get_by_text("Build by hand")).to_be_visible()
        assert (graph.get_attribute("data-mine") == "yes") is not again  # the player stays while tools come
        if not again:
            settled(page)
            page.reload()
    settled(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="Home").click()
    page.get_by_role("link", name="See one").click()  # a link that does not say
    expect(page.get_by_role("switch", name="All tools")).to_be_checked()
    page.get_by_text("All tools", exact=True).click()
    expect(page.get_by_role("tab")).to_have_count(3)


def test_no_number_is_said_three_times(open_page: OpenPage) -> None:
    page = opened(open_page, NITROSAMINE, 1280, 720)
    for shown in ("answer", "0 / 1"):
        expect(counter(page)).to_have_text(shown)
        words = page.get_by_test_id("stMain").inner_text() + page.locator(".st-key-player .frame").inner_text()
        said = Counter(re.findall(r"[\d.]+\s%", words))
        assert said, "the GNN gives probabilities"
        assert max(said.values()) <= 2, said
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("path", [FEW, NITROSAMINE])
def test_on_a_phone_the_graph_is_first_and_nothing_covers_it(open_page: OpenPage, path: str) -> None:
    page = opened(open_page, path, 390, 844)
    fits(page)
    player = page.locator(".st-key-player")
    parts = [player.locator(part).bounding_box() for part in (".stage-frame", ".controls", ".sentence")]
    (_, top, _, high), *_ = [tuple(box.values()) for box in parts if box]
    assert top + high < 844
    assert high > 0.4 * 844
    for above, below in pairwise(parts):  # the graph, then what plays it, then the answer
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"]
    assert below["y"] + below["height"] <= 844
    expect(player.locator(".controls")).to_have_css("position", "static")  # also where one has scrolled
    example = page.locator(".st-key-which-example p")
    expect(example).to_have_text(re.compile(r"^Example \d of \d, .*\.$"))
    assert example.evaluate("(words) => words.scrollWidth <= words.clientWidth")
    expect(page.get_by_role("combobox", name="Data set")).to_be_hidden()
    copy, title = page.get_by_role("button", name="Copy link"), page.get_by_role("heading", name="Explain one")
    beside, named = copy.bounding_box(), title.bounding_box()
    assert beside
    assert named
    assert beside["y"] < named["y"] + named["height"]  # it takes no row of its own
    copy.click()
    expect(page.locator("button.copied .done")).to_be_visible()
    open_pickers(page)
    fits(page)


def test_a_reason_is_chosen_played_and_reopened_by_its_link(open_page: OpenPage) -> None:
    page = open_page(f"{GRID}&tools=all")
    player = page.locator(".st-key-player")
    first = player.locator(".outline").get_attribute("d")
    player.locator("button.reason-2").click()
    expect(page).to_have_url(re.compile("reason=2"))
    settled(page)
    expect(counter(page)).to_have_text("answer")
    assert player.locator(".outline").get_attribute("d") != first
    player.get_by_role("tab", name="States").click()
    expect(states(page)).to_have_attribute("data-flags", re.compile("2"))
    settled(page)
    again = open_page(page.url[page.url.index("/explain") :])
    expect(again.locator("button.reason-2")).to_have_attribute("aria-pressed", "true")
    again.locator(".st-key-player").get_by_role("button", name="Last step (End)").click()
    expect(again.locator(".st-key-player .caption")).to_contain_text("That is reason 2.")


def test_a_row_of_the_table_opens_its_player(open_page: OpenPage) -> None:
    page = open_page(f"{FEW}&tab=all&rows=612-5")
    table = page.get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    settled(page)
    table.click(position={"x": 18, "y": 35 * 3 + 18})  # the tick of the third
    expect(page).to_have_url(re.compile("index=614&tab=all&rows=612-5$"))
    expect(stage(page).locator("svg")).to_be_visible()


def test_a_click_on_a_node_explains_that_one_and_another_one_is_built_by_hand(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    expect(stage(page).locator("svg")).to_be_visible()  # before that nobody hears a key
    settled(page)
    page.keyboard.press("Home")
    node = stage(page).locator(".node.frontier").first
    name = node.locator("text").text_content()
    node.click()
    page.get_by_role("button", name=f"Explain {name} instead").click()
    expect(page).to_have_url(re.compile(rf"index={name}\b"))
    expect(stage(page).locator(".node.start text")).to_have_text(name)
    settled(page)
    page.get_by_text("Build by hand").click()
    expect(page.get_by_text("Your turn:")).to_be_visible()
    choice = page.locator(".st-key-player .stage .frontier").first
    expect(choice).to_have_attribute("role", "button")
    choice.press("Enter")
    expect(page).to_have_url(re.compile(r"mode=hand.*order=\d+\.\d+|order=\d+\.\d+.*mode=hand"))
    page.locator(".st-key-player").get_by_role("button", name=re.compile("STOP")).first.click()
    expect(page.get_by_text("You stopped.")).to_be_visible()


def test_the_states_stand_beside_the_graph_and_move_with_it(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&step=1")
    stage = page.locator(".st-key-player .stage svg.graph")
    expect(stage).to_be_visible()
    stage.evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    page.locator(".st-key-player").get_by_role("tab", name="States").click()
    expect(page).to_have_url(re.compile("view=states"))
    expect(states(page)).to_be_visible()  # the player is there all the while
    assert stage.get_attribute("data-mine") == "yes"
    expect(states(page)).to_have_attribute("data-selected", re.compile(","))
    settled(page)
    left, right = stage.bounding_box(), page.locator(".st-key-player .states-stage").bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]  # side by side
    states(page).evaluate("(canvas) => { canvas.dataset.mine = 'yes'; }")
    seen = [chosen(page)]
    for step in (2, 3):
        page.keyboard.press("ArrowRight")
        expect(counter(page)).to_have_text(re.compile(f"^{step} /"))
        seen.append(chosen(page))
    assert len(set(seen)) == 3
    page.keyboard.press(" ")  # playing moves both
    expect(counter(page)).not_to_have_text(re.compile("^3 /"))
    assert chosen(page) not in seen  # wherever it is by now
    x, y = map(int, seen[0].split(","))
    states(page).click(position={"x": x, "y": y})  # a state of the trajectory: that step
    expect(counter(page)).to_have_text(re.compile("^1 /"))
    assert states(page).get_attribute("data-mine") == "yes"
    tip = page.locator(".st-key-player .state-graph .tip")
    here = tip.inner_text()
    states(page).press("ArrowDown")
    if tip.inner_text() == here:  # it is the last of its column
        states(page).press("ArrowUp")
    assert tip.inner_text() != here
    states(page).press("Enter")  # another one: a way to it
    expect(page).to_have_url(re.compile(r"order=0(\.\d+)+"))
    expect(stage).to_be_visible()


def test_on_a_phone_the_states_take_the_graphs_place(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&view=states&step=1", width=390)
    expect(states(page).first).to_be_visible()
    switch = page.locator(".st-key-player .views")
    expect(page.locator(".st-key-player .stage")).to_be_hidden()
    switch.get_by_role("button", name="Graph").click()
    expect(page.locator(".st-key-player .stage")).to_be_visible()
    expect(page.locator(".st-key-player .states-stage")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("states"))


def test_present_mode(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&present=1")
    page.set_viewport_size({"width": 1280, "height": 720})
    play = page.locator(".st-key-player .play")
    expect(play).to_be_visible()
    expect(page.get_by_role("heading", name="Explain one prediction")).to_be_hidden()
    expect(page.get_by_role("button", name="Next example")).to_be_hidden()
    expect(page.get_by_text("Build by hand")).to_be_hidden()
    settled(page)
    box = play.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
    for tab in page.locator(".st-key-player").get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    page.locator(".st-key-player").get_by_role("tab", name="Flows").click()
    expect(page.locator(".st-key-player .balance")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("present"))
    expect(page.get_by_role("button", name="Next example")).to_be_visible()
    page.get_by_role("heading", name="Explain one prediction").click()
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile("present=1"))
    frame = page.get_by_test_id("stMain").evaluate("(main) => getComputedStyle(main, '::before').boxShadow")
    assert frame == "none"  # the page is no control, and shows no focus


def test_draw_again_draws_again(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    settled(page)
    seeds = []
    for _ in range(2):
        page.get_by_role("button", name="Sampling").click()
        expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
        before = page.url
        page.get_by_role("button", name="Sample again").click()
        page.wait_for_url(lambda url, before=before: url != before and "seed=" in url)
        settled(page)
        expect(page.locator("[class*=st-key-job-]")).to_have_count(0)  # the answer is there, and drawn
        expect(page.locator(".st-key-player .play")).to_be_visible()
        settled(page)
        seeds += re.findall(r"seed=(\d+)", page.url)
    assert "0" not in seeds
    assert len(set(seeds)) == 2


def test_what_is_taken_along_comes_back(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(EXPLAIN)
    settled(page)
    page.get_by_role("tab", name="Save and load").click()
    expect(page).to_have_url(re.compile("tab=files"))  # the page runs again for the tab, and then is done
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    file = tmp_path / "trace.json"
    download.value.save_as(file)
    assert json.loads(file.read_text(encoding="utf-8"))["index"] == 612
    with page.expect_download() as download:
        page.get_by_role("button", name="GIF").click()
    download.value.save_as(tmp_path / "trace.gif")
    assert (tmp_path / "trace.gif").read_bytes()[:4] == b"GIF8"
    hostile = file.read_text(encoding="utf-8").replace('"label":"612"', '"label":"<img src=x onerror=alert(1)>"')
    file.write_text(hostile, encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("was loaded from a file")).to_be_visible()
    settled(page)
    expect(stage(page).locator("svg")).to_be_visible()
    assert page.locator(".st-key-player img").count() == 0


def test_the_policy_is_trained_on_this_one(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    page.emulate_media(reduced_motion="reduce")  # else the graph plays meanwhile, and takes what the training needs
    settled(page)
    page.get_by_text("Train on this one", exact=True).click()
    expect(page).to_have_url(re.compile("tune=1"))
    expect(page.get_by_text(re.compile(r"training on this one: epoch \d+ of \d+"))).to_be_visible()
    expect(page.get_by_text("This is the explanation before the training")).to_be_visible()
    said = page.get_by_text(re.compile(r"trained on this one for \d+ epochs \(\d+ s\): its total variation from R/Z"))
    expect(said).to_be_visible()
    expect(stage(page).locator("svg")).to_be_visible()
