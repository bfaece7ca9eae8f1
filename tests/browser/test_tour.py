"""The guided tour and present mode in a real browser: by keyboard alone, on a phone, in the dark."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from gfx_core.bench.documents import TITLES
from gfx_core.teaching.tour import stops
from pages.ui.presenting import address
from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled

LAST = len(stops())
RINGED = "(target) => target.getAnimations().length > 0"
UNCOVERED = """([target, bar]) => {
  const [box, above] = [target.getBoundingClientRect(), bar.getBoundingClientRect()];
  return box.top >= above.bottom - 1 && box.top < innerHeight && box.right <= innerWidth + 4;
}"""


def header(page: Page) -> Locator:
    return page.get_by_test_id("stHeader")


def arrived(page: Page, number: int) -> Locator:
    """What a stop of the tour points at, once it is there."""
    expect(page.locator(".tour .count")).to_have_text(f"{number} of {LAST}")
    expect(page.locator(".tour .sentence")).to_have_text(stops()[number - 1].sentence)
    target = page.locator(" ".join(stops()[number - 1].point)).first
    expect(target).to_be_visible()
    expect(header(page)).to_be_hidden()
    settled(page)
    page.wait_for_function(RINGED, arg=target.element_handle())
    return target


def test_the_tour_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page("/", fresh=True)
    page.get_by_role("link", name="Three-minute tour").press("Enter")
    for number in range(1, LAST + 1):
        arrived(page, number)
        page.keyboard.press("n")
    page.keyboard.press("b")
    arrived(page, LAST - 1)
    expect(page.locator(".st-key-train-view figure:visible")).to_have_count(1)  # beside the graph there is one curve
    expect(page.locator(".st-key-train-view .panel:visible")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/train\?story=first&see=graph(&at=\d+)?$"))
    expect(header(page)).to_be_visible()
    expect(page.locator(".tour")).to_have_count(0)
    expect(page.locator(".st-key-train-view figure:visible")).to_have_count(7)
    page.go_back()
    arrived(page, LAST - 1)


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")])
def test_the_bar_covers_nothing_that_it_speaks_of(open_page: OpenPage, width: int, theme: str) -> None:
    page = open_page("/?tour=1", width=width, theme=theme)
    for number in range(1, LAST + 1):
        target = arrived(page, number)
        bar = page.locator(".tour")
        page.wait_for_function(UNCOVERED, arg=[target.element_handle(), bar.element_handle()])
        fits(page)
        box = bar.bounding_box()
        assert box is not None
        words = page.locator(".tour .sentence").bounding_box()
        assert words is not None
        assert words["y"] + words["height"] <= box["height"]
        if number < LAST:
            bar.get_by_role("link", name="Next").click()


NEXT_THEN_IDLE = """() => {
  const next = [...document.querySelectorAll("*")].find((each) => each.shadowRoot?.querySelector(".tour .next"));
  next.shadowRoot.querySelector(".tour .next").click();
  window.whenIdle();
}"""


def test_a_page_that_tells_something_late_does_not_call_one_back(open_page: OpenPage) -> None:
    page = open_page("/learn", fresh=True)
    page.add_init_script("window.requestIdleCallback = (work) => { window.whenIdle = work; };")
    page.goto(page.url.replace("learn", "?tour=1"))
    arrived(page, 1)
    page.wait_for_function("window.whenIdle && window.historyKeeper")
    page.evaluate(NEXT_THEN_IDLE)
    arrived(page, 2)


def test_on_a_phone_the_tour_shows_several_methods_at_once(open_page: OpenPage) -> None:
    number = next(number for number, stop in enumerate(stops(), 1) if stop.page == "compare")
    page = open_page(f"/{address(number)}", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    arrived(page, number)
    for at in range(4):
        expect(page.locator(".st-key-methods-gallery .card .picture").nth(at)).to_be_in_viewport(ratio=1)
    fits(page)


def test_a_stop_by_its_link_plays_and_ends_where_it_is(open_page: OpenPage) -> None:
    number = next(number for number, stop in enumerate(stops(), 1) if ".play" in stop.press)
    page = open_page(f"/{address(number)}")
    arrived(page, number)
    expect(page.locator(".st-key-player .counter")).to_have_text(re.compile(r"^[1-9] /"))
    expect(page.locator(".st-key-player .tab-body .panel:visible")).to_have_count(1)
    expect(page.locator(".st-key-player .frontier.likely text").first).to_be_visible()  # the caption names it
    page.get_by_role("link", name="End").click()
    expect(page).to_have_url(re.compile(r"/explain\?dataset=tree_cycles&index=517(&step=\d+)?$"))
    expect(header(page)).to_be_visible()


@pytest.mark.parametrize(
    ("link", "stays", "goes"),
    [
        ("/", ".st-key-hero", ".st-key-start"),
        ("/compare?dataset=tree_cycles&index=517", ".st-key-methods-gallery", ".st-key-pickers"),
        ("/train", ".st-key-train-view", ".st-key-train-head"),
        ("/explain?dataset=tree_cycles&index=517", ".st-key-player", ".st-key-pickers"),
        ("/results", ".claims", ".st-key-ways-on > :last-child"),
        ("/learn?lesson=2", ".st-key-task", ".st-key-lessons"),
    ],
)
def test_present_mode_on_each_page(open_page: OpenPage, link: str, stays: str, goes: str) -> None:
    page = open_page(link, fresh=True)
    expect(page.locator(stays)).to_be_visible()
    page.wait_for_function("window.historyKeeper")  # it listens
    settled(page)
    entries = page.evaluate("history.length")
    for entered, left in (("p", "p"), ("p", "Escape")):
        page.keyboard.press(entered)
        expect(page).to_have_url(re.compile("present=1"))
        expect(header(page)).to_be_hidden()
        expect(page.locator(goes)).to_be_hidden()
        expect(page.locator(stays)).to_be_visible()
        expect(page.get_by_role("button", name="Leave (Esc)")).to_have_text("Leave (Esc)")
        settled(page)
        page.keyboard.press(left)
        expect(page).not_to_have_url(re.compile("present"))
        expect(header(page)).to_be_visible()
        expect(page.locator(goes)).to_be_visible()
        settled(page)
    assert page.evaluate("history.length") == entries  # Back leads to where one was before


def test_cards_and_lessons_stay_presented(open_page: OpenPage) -> None:
    page = open_page("/results?present=1")
    page.locator("a.claim").first.click()
    expect(page).to_have_url(re.compile(r"study=\w+.*&present=1"))
    expect(header(page)).to_be_hidden()
    page.get_by_role("link", name="All claims").click()
    page.get_by_role("link", name=TITLES["measuring"]).click()
    expect(page).to_have_url(re.compile(r"read=measuring&present=1"))
    expect(page.locator(".st-key-document")).to_be_visible()
    expect(header(page)).to_be_hidden()
    expect(page.get_by_role("link", name="All claims")).to_be_visible()
    page = open_page("/learn?lesson=2&present=1")
    expect(page.locator(".st-key-task")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Previous").click()
    expect(page).to_have_url(re.compile(r"lesson=1&present=1"))


def test_the_button_that_leaves_covers_nothing_for_long(open_page: OpenPage) -> None:
    page = open_page("/learn?lesson=1&present=1")
    settled(page)
    leave = page.get_by_role("button", name="Leave (Esc)")
    title, button = page.locator("h1").bounding_box(), leave.bounding_box()
    assert title is not None
    assert button is not None
    assert button["y"] < title["y"] + title["height"]  # beside the title, not over what is below
    expect(leave).to_have_css("opacity", "0")
    page.mouse.move(200, 300)
    expect(leave).to_have_css("opacity", "1")
    expect(leave).to_have_css("opacity", "0")
    page.keyboard.press("Tab")  # by keyboard, focus is seen
    leave.focus()
    expect(leave).to_have_css("opacity", "1")


def test_who_types_does_not_present_and_a_button_leaves(open_page: OpenPage) -> None:
    page = open_page("/?present=1")
    page.get_by_role("button", name="Leave (Esc)").click()
    expect(header(page)).to_be_visible()
    settled(page)
    page.get_by_test_id("stTextInputField").press_sequentially("pnb")
    expect(page.get_by_test_id("stTextInputField")).to_have_value("pnb")
    expect(header(page)).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))


NEVER = """{
  const later = window.setTimeout; // the first paint goes after 20 s in any case: not here
  window.setTimeout = (work, ms, ...rest) => (ms === 20000 ? 0 : later(work, ms, ...rest));
}"""


@pytest.mark.parametrize("link", ["/?tour=1", "/explain?tour=3", "/compare?present=1"])
def test_a_link_without_navigation_does_not_wait_behind_the_first_paint(open_page: OpenPage, link: str) -> None:
    page = open_page("/")
    page.add_init_script(NEVER)
    page.goto(page.url.rstrip("/") + link)
    expect(page.locator(".stMainBlockContainer h1").first).to_be_attached()
    expect(page.locator("#shell")).to_have_count(0)
