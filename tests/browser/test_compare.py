"""Compare and Results in a browser: methods side by side, both themes, a phone, cards that lead to their tables."""

import re

import pytest

from gfx_core.bench.report import TITLES
from tests.browser.conftest import OpenPage
from tests.browser.settling import box_of, expect, fits, settled

COMPARE = "/compare?dataset=tree_grid&index=700"
SCROLL = """(table) => {
    const cells = ["th", "td"].map((kind) => table.querySelector(`tbody ${kind}`));
    const lefts = () => cells.map((cell) => cell.getBoundingClientRect().x);
    const before = lefts();
    table.scrollLeft = 90;
    return [table.scrollLeft, ...lefts().map((left, k) => left - before[k])];
}"""


def test_methods_side_by_side(open_page: OpenPage) -> None:
    page = open_page(COMPARE)
    cards = page.locator(".st-key-methods-gallery .card")
    expect(cards).to_have_count(6)  # the truth, five explainers
    expect(cards.locator("svg.network")).to_have_count(6)
    settled(page)
    page.get_by_text("Explainers and size").click()
    page.get_by_role("slider").first.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"[?&]edges=3"))
    settled(page)
    page.locator(".st-key-methods-gallery").get_by_role("button", name="Play: GFlowExplainer").click()
    expect(page.locator(".st-key-player .stage svg")).to_be_visible()
    expect(page).to_have_url(re.compile("dataset=tree_grid.*index=700|index=700.*dataset=tree_grid"))


def test_on_a_phone_a_table_scrolls_under_its_first_column(open_page: OpenPage) -> None:
    page = open_page(COMPARE, width=390, theme="dark")
    table = page.locator(".number-table")
    expect(table.locator("tbody tr").first).to_be_visible()
    settled(page)
    fits(page)
    assert table.evaluate(SCROLL) == pytest.approx((90, 0, -90), abs=1)
    colour = table.locator("tbody th").first.evaluate("(cell) => getComputedStyle(cell).backgroundColor")
    assert not re.fullmatch(r"rgba\(.*, 0\)|transparent", colour)  # numbers pass beneath it
    first, second = (box_of(page.locator(".st-key-methods-gallery .picture").nth(at)) for at in (0, 1))
    assert first["y"] + first["height"] < 844  # on the first screen of a phone
    assert first["x"] < second["x"] < 390  # and beside it some of the next, to which one swipes


def test_cards_and_documents_have_addresses_stay_presented_and_back_leads_to_all(open_page: OpenPage) -> None:
    page = open_page("/results?present=1", width=390)
    line = page.locator(".many .line").last
    expect(line).to_be_visible()
    settled(page)
    fits(page)
    main = page.get_by_test_id("stMain")
    line.scroll_into_view_if_needed()
    below = main.evaluate("(main) => main.scrollTop")
    line.click()
    expect(page).to_have_url(re.compile(r"results\?study=\w+&claim=\d+&present=1"))
    expect(page.locator(".number-table")).to_be_visible()
    settled(page)
    assert main.evaluate("(main) => main.scrollTop") == 0 < below
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    page.go_back()
    expect(line).to_be_visible()
    settled(page)
    page.get_by_role("link", name=TITLES["departures"]).click()  # a link to the page itself
    expect(page).to_have_url(re.compile(r"results\?read=departures&present=1$"))
    expect(page.locator(".st-key-document")).to_be_visible()
    page.get_by_role("link", name="All claims").click()
    expect(line).to_be_visible()
