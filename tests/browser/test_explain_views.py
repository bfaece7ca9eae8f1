"""Explain's views in a real browser: the state space beside the player, present mode, and drawing again."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.settling import settled
from tests.browser.test_explain_and_compare import EXPLAIN, counter

CHOSEN = ".st-key-player .state.selected"


def states(page: Page) -> Locator:
    return page.locator(".st-key-player .dag .state")


def chosen(page: Page) -> str:
    """Where the chosen state stands in the state space."""
    return page.locator(CHOSEN).get_attribute("transform") or ""


def test_the_states_stand_beside_the_graph_and_move_with_it(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&step=1")
    stage = page.locator(".st-key-player .stage svg.graph")
    expect(stage).to_be_visible()
    stage.evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    page.locator(".st-key-player").get_by_role("tab", name="States").click()
    expect(page).to_have_url(re.compile("view=states"))
    expect(states(page).first).to_be_visible()  # the player is there all the while
    assert stage.get_attribute("data-mine") == "yes"
    expect(page.locator(CHOSEN)).to_have_count(1)
    settled(page)
    left, right = stage.bounding_box(), page.locator(".st-key-player .dag").bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]  # side by side
    states(page).first.evaluate("(state) => { state.dataset.mine = 'yes'; }")
    seen = [chosen(page)]
    for step in (2, 3):
        page.keyboard.press("ArrowRight")
        expect(counter(page)).to_have_text(re.compile(f"^{step} /"))
        seen.append(chosen(page))
    assert len(set(seen)) == 3
    page.keyboard.press(" ")  # playing moves both
    expect(counter(page)).not_to_have_text(re.compile("^3 /"))
    assert chosen(page) not in seen  # wherever it is by now
    page.locator(".st-key-player .state.path").nth(1).click()  # a state of the trajectory: that step
    expect(counter(page)).to_have_text(re.compile("^1 /"))
    assert states(page).first.get_attribute("data-mine") == "yes"
    page.locator(".st-key-player .state:not(.path):not(.rest)").last.click()  # another one: a way to it
    expect(page).to_have_url(re.compile(r"order=0(\.\d+)+"))
    expect(stage).to_be_visible()


def test_an_old_link_to_the_states_and_a_phone(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&tab=states&step=1", width=390)
    expect(states(page).first).to_be_visible()
    switch = page.locator(".st-key-player .views")
    expect(page.locator(".st-key-player .stage")).to_be_hidden()
    switch.get_by_role("button", name="Graph").click()
    expect(page.locator(".st-key-player .stage")).to_be_visible()
    expect(page.locator(".st-key-player .dag")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("states"))


def test_a_molecule_is_explained_on_one_screen(open_page: OpenPage) -> None:
    page = open_page("/explain?dataset=mutagenicity")
    page.set_viewport_size({"width": 1280, "height": 800})
    play = page.locator(".st-key-player .play")
    expect(play).to_be_visible()
    settled(page)
    expect(play).to_be_in_viewport(ratio=1)
    expect(page.locator(".st-key-player .legend")).to_be_in_viewport(ratio=1)
    tops = page.locator(".st-key-pickers > *").evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().bottom)")
    assert max(tops) - min(tops) < 2, tops  # the pickers stand in one row


def test_present_mode(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&present=1")
    page.set_viewport_size({"width": 1280, "height": 720})
    play = page.locator(".st-key-player .play")
    expect(play).to_be_visible()
    expect(page.get_by_role("heading", name="Explain one prediction")).to_be_hidden()
    expect(page.get_by_role("button", name="Random")).to_be_hidden()
    expect(page.get_by_text("Build by hand")).to_be_hidden()
    settled(page)
    box = play.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
    for tab in page.locator(".st-key-player").get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("present"))
    expect(page.get_by_role("button", name="Random")).to_be_visible()
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile("present=1"))


def test_draw_again_draws_again(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    settled(page)
    seeds = []
    for _ in range(2):
        page.get_by_role("button", name="Sampling").click()
        expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
        before = page.url
        page.get_by_role("button", name="Draw again").click()
        page.wait_for_url(lambda url, before=before: url != before and "seed=" in url)
        settled(page)
        expect(page.locator("[class*=st-key-job-]")).to_have_count(0)  # the answer is there, and drawn
        expect(page.locator(".st-key-player .play")).to_be_visible()
        settled(page)
        seeds += re.findall(r"seed=(\d+)", page.url)
    assert "0" not in seeds
    assert len(set(seeds)) == 2
