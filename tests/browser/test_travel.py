"""Where one goes in a browser: Back and forward, a prediction that travels, the tour, present mode."""

import re
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Locator, Page

from gfx_core.teaching.tour import stops
from pages.ui.presenting import address
from tests.browser.conftest import OpenPage
from tests.browser.settling import expect, fits, open_pickers, settled


def pick(page: Page, number: int) -> None:
    """Type the number of a node and wait for it."""
    open_pickers(page)
    field = page.get_by_label(re.compile(r"^Node \("))
    field.fill(str(number))
    field.press("Enter")
    expect(page).to_have_url(re.compile(f"index={number}\\b"))
    settled(page)


def link(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def header(page: Page) -> Locator:
    return page.get_by_test_id("stHeader")


def test_back_shows_each_prediction_as_it_was(open_page: OpenPage) -> None:
    page = open_page("/explain?dataset=ba_shapes&index=301&tools=all", fresh=True)
    settled(page)
    before, example = entries(page), page.locator(".st-key-pick button").first
    for number in (423, 617):
        pick(page, number)
    page.get_by_role("link", name="Compare on this prediction").click()
    expect(page.locator(".st-key-methods-gallery")).to_be_visible()
    settled(page)
    assert link(page) == {"dataset": "ba_shapes", "index": "617", "tools": "all"}
    assert entries(page) == before + 3  # one for each thing that was done
    for number in (617, 423, 301):
        page.go_back()
        expect(page).to_have_url(re.compile(f"/explain.*index={number}\\b"))
        expect(example).to_contain_text(f": {number}")
        settled(page)
    page.go_forward()
    expect(example).to_contain_text(": 423")
    settled(page)
    before = entries(page)  # small things make no entry
    page.locator(".player").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"step=\d"))
    settled(page)
    assert entries(page) == before


# The tour

LAST = len(stops())
RINGED = "(target) => target.getAnimations().length > 0"
UNCOVERED = """([target, bar]) => {
  const [box, above] = [target.getBoundingClientRect(), bar.getBoundingClientRect()];
  return box.top >= above.bottom - 1 && box.top < innerHeight && box.right <= innerWidth + 4;
}"""


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


def test_the_tour_by_keyboard_alone_on_a_phone_in_the_dark(open_page: OpenPage) -> None:
    """The bar covers nothing that it speaks of."""
    page = open_page("/", width=390, theme="dark", fresh=True)
    page.get_by_role("link", name="Three-minute tour").press("Enter")
    for number in range(1, LAST + 1):
        target = arrived(page, number)
        page.wait_for_function(UNCOVERED, arg=[target.element_handle(), page.locator(".tour").element_handle()])
        fits(page)
        page.keyboard.press("n")
    page.keyboard.press("b")
    arrived(page, LAST - 1)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/train\?story=first"))
    expect(page.locator(".tour")).to_have_count(0)
    expect(header(page)).to_be_visible()
    page.go_back()
    arrived(page, LAST - 1)


def test_a_stop_plays_and_the_tour_ends_where_one_is(open_page: OpenPage) -> None:
    number = next(number for number, stop in enumerate(stops(), 1) if ".play" in stop.press)
    page = open_page(f"/{address(number)}", fresh=True)
    arrived(page, number)
    expect(page.locator(".st-key-player .counter")).to_have_text(re.compile(r"^[1-9] /"))
    expect(page.locator(".st-key-player .tab-body .panel:visible")).to_have_count(1)
    page.get_by_role("link", name="End").click()
    expect(page).to_have_url(re.compile(r"/explain\?dataset=tree_cycles&index=517(&step=\d+)?$"))
    expect(header(page)).to_be_visible()


# Present mode


def test_present_mode_by_a_key_and_a_button(open_page: OpenPage) -> None:
    page = open_page("/explain?dataset=tree_cycles&index=612", fresh=True)
    stays, goes = page.locator(".st-key-player .play"), page.locator(".st-key-pick")
    expect(stays).to_be_visible()
    page.wait_for_function("window.historyKeeper")  # it listens
    settled(page)
    before, leave = entries(page), page.get_by_role("button", name="(Esc)")
    for _ in range(2):
        page.keyboard.press("p")
        expect(page).to_have_url(re.compile("present=1"))
        for part in (header(page), goes):
            expect(part).to_be_hidden()
        expect(stays).to_be_visible()
        settled(page)
        leave.click()
        expect(page).not_to_have_url(re.compile("present"))
        for part in (header(page), goes):
            expect(part).to_be_visible()
        settled(page)
    assert entries(page) == before  # Back leads to where one was before


def test_who_types_does_not_present_and_the_button_that_leaves_is_pale(open_page: OpenPage) -> None:
    page = open_page("/")
    settled(page)
    field, leave = page.get_by_test_id("stTextInputField"), page.get_by_role("button", name="(Esc)")
    field.press_sequentially("pnb")
    expect(field).to_have_value("pnb")
    expect(page).not_to_have_url(re.compile("present"))
    page.locator("h1").click()
    settled(page)  # it has answered what was typed
    page.keyboard.press("p")
    expect(leave).to_have_css("opacity", "0.3")
    leave.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")  # by keyboard, focus is seen
    expect(leave).to_have_css("opacity", "1")
