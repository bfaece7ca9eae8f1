"""Explain and Compare in a real browser: watch, link, build by hand, compare, take along."""

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled

EXPLAIN = "/explain?dataset=tree_cycles&index=612"
COMPARE = "/compare?dataset=tree_grid&index=700"


def stage(page: Page) -> Locator:
    return page.locator(".st-key-player .stage")


def counter(page: Page) -> Locator:
    return page.locator(".st-key-player .counter")


def test_a_shipped_explanation_plays_and_the_link_reopens_the_step(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    expect(stage(page).locator("svg")).to_be_visible()
    page.locator(".st-key-player").get_by_role("button", name="Last step (End)").click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    shown = counter(page).inner_text()
    expect(page).to_have_url(re.compile(rf"[?&]step={shown.split()[0]}$"))  # not that of a key before
    again = open_page(page.url[page.url.index("/explain") :])
    expect(counter(again)).to_have_text(shown)


def test_the_link_reopens_the_tab(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&step=1")  # nothing plays
    settled(page)
    for name, part in (("Edge marginals", "&tab=marginals"), ("Drawn subgraphs", "")):
        page.get_by_role("tab", name=name).click()
        expect(page).to_have_url(re.compile(rf"step=1{part}$"))
        settled(page)
        for shown in (page, open_page(page.url[page.url.index("/explain") :])):
            expect(shown.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
            expect(shown.get_by_role("tabpanel", name=name)).to_be_visible()


def test_another_drawn_subgraph_is_played(open_page: OpenPage) -> None:
    page = open_page("/explain?dataset=ba_shapes&index=423")  # of which more than one is drawn
    settled(page)
    gallery = page.locator(".st-key-samples-gallery")
    gallery.get_by_role("button", name=re.compile("^Play")).first.click()
    expect(page).to_have_url(re.compile(r"order=\d+(\.\d+)*"))
    expect(gallery.locator(".card.selected")).to_have_count(1)
    expect(stage(page).locator("svg")).to_be_visible()


def test_a_click_on_a_node_explains_that_one(open_page: OpenPage) -> None:
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


def test_building_by_hand(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    settled(page)
    page.get_by_text("Build by hand").click()
    expect(page.get_by_text("Your turn:")).to_be_visible()
    page.locator(".st-key-player .stage .frontier").first.click()
    expect(page).to_have_url(re.compile(r"mode=hand.*order=0\.\d+|order=0\.\d+.*mode=hand"))
    page.locator(".st-key-player").get_by_role("button", name=re.compile("STOP")).first.click()
    expect(page.get_by_text("You stopped.")).to_be_visible()


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
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    page = open_page(f"{EXPLAIN}&tab=files")
    settled(page)
    page.locator("input[type=file]").set_input_files(tmp_path / "bad.json")
    expect(page.get_by_text(re.compile("bad.json"))).not_to_have_count(0)


def test_methods_side_by_side(open_page: OpenPage) -> None:
    page = open_page(COMPARE)
    cards = page.locator(".st-key-methods-gallery .card")
    expect(cards).to_have_count(6)
    expect(cards.first).to_contain_text("Ground truth")
    settled(page)
    page.get_by_role("slider").first.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"[?&]edges=9"))
    settled(page)
    page.locator(".st-key-methods-gallery").get_by_role("button", name="Play: GFlowExplainer").click()
    expect(page.get_by_role("heading", name="Explain one prediction")).to_be_visible()
    expect(page).to_have_url(re.compile("dataset=tree_grid.*index=700|index=700.*dataset=tree_grid"))


def test_nothing_is_wider_than_a_phone(open_page: OpenPage) -> None:
    for address, content in ((EXPLAIN, ".st-key-player .stage svg"), (COMPARE, ".st-key-methods-gallery svg")):
        page = open_page(address, width=390)
        settled(page)
        expect(page.locator(content).first).to_be_visible()
        fits(page)


def test_from_a_data_set_to_its_explanation(open_page: OpenPage) -> None:
    page = open_page("/datasets?dataset=tree_cycles&index=612")
    settled(page)
    page.get_by_role("link", name="Explain this", exact=False).first.click()
    expect(page.get_by_role("heading", name="Explain one prediction")).to_be_visible()
    expect(page).to_have_url(re.compile("index=612"))
    expect(stage(page).locator("svg")).to_be_visible()


def test_a_second_visitor_while_something_is_computed(open_page: OpenPage) -> None:
    busy = open_page("/compare?dataset=tree_cycles&index=612&methods=degree,rgexplainer_plain")
    card = busy.locator(".st-key-methods-gallery .card", has_text="RGExplainer, no pretraining")
    expect(card).to_contain_text("learns first")
    settled(busy)
    expect(busy.get_by_role("button", name="Cancel")).to_have_count(0)  # nothing was begun
    card.get_by_role("button", name="Let it learn").click()
    expect(busy.get_by_role("button", name="Cancel")).to_be_visible()
    other = open_page(EXPLAIN)
    expect(stage(other).locator("svg")).to_be_visible()
    other.locator(".st-key-player").get_by_role("button", name="Last step (End)").click()
    expect(other).to_have_url(re.compile(r"step=\d+"))
    busy.get_by_role("button", name="Cancel").click()
    expect(card).to_contain_text("cancelled")


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
    again = open_page(page.url[page.url.index("/explain") :])  # it is kept
    expect(again.get_by_text(re.compile(r"trained on this one for \d+ epochs"))).to_be_visible()
    again.get_by_role("button", name="An interesting one").click()
    expect(again).not_to_have_url(re.compile("tune=1"))
