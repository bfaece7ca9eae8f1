"""What a newcomer finds on a page: few controls; the rest is one click away, and a link shows what it names."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.controls import visible_controls
from tests.browser.settling import fits, settled

MOST = 25
READY = {
    "/": ".st-key-hero svg",
    "/compare": ".st-key-methods-gallery .card svg",
    "/datasets": ".st-key-neighbourhood svg [data-node]",
    "/datasets?dataset=mutagenicity": ".st-key-neighbourhood svg [data-node]",
    "/learn": ".st-key-lesson-1-dag canvas",
    "/train": ".st-key-train-view canvas",
}
"""With what is there once the page is whole."""


def opened(open_page: OpenPage, path: str, ready: str) -> Page:
    page = open_page(path)
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator(ready).first).to_be_visible()
    settled(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    return page


@pytest.mark.parametrize(("path", "ready"), [("/", READY["/"]), ("/results", ".claims .claim")])
def test_a_large_window_is_used(path: str, ready: str, open_page: OpenPage) -> None:
    page = opened(open_page, path, ready)
    for width, share in ((1920, 0.75), (1280, 0.85)):
        page.set_viewport_size({"width": width, "height": width * 9 // 16})
        page.wait_for_function(
            "([share, ready]) => document.querySelector(ready).closest('.stHtml, .st-key-top')"
            ".getBoundingClientRect().width >= share * innerWidth",
            arg=[share, ready.split()[0]],
        )
        fits(page)


@pytest.mark.parametrize("path", READY)
def test_few_controls(path: str, open_page: OpenPage) -> None:
    found = visible_controls(opened(open_page, path, READY[path]))
    assert len(found) <= MOST, found


def test_what_a_link_names_is_shown_and_the_rest_is_one_click_away(open_page: OpenPage) -> None:
    page = opened(open_page, "/compare", READY["/compare"])
    order = page.get_by_role("combobox", name="Sort by")
    expect(order).to_be_hidden()
    page.get_by_text("Explainers, size and order").click()
    expect(order).to_be_visible()
    page = opened(open_page, "/compare?sort=seconds", READY["/compare"])
    expect(page.get_by_role("combobox", name="Sort by")).to_be_visible()
    page = opened(open_page, "/train?eps1=0.3", READY["/train"])
    expect(page.get_by_role("slider", name="ε")).to_be_visible()
    page = opened(open_page, "/train", READY["/train"])
    expect(page.get_by_role("slider", name="β")).to_be_visible()
    epsilon = page.get_by_role("slider", name="ε")
    expect(epsilon).to_have_count(0)
    page.locator(".st-key-setting-1 button").first.click()
    page.get_by_text("All sliders that act during training").click()
    expect(page).to_have_url(re.compile("sliders=all"))
    expect(epsilon).to_be_visible()


def test_a_picture_is_one_stop_of_the_tab_key_and_arrows_go_through_its_nodes(open_page: OpenPage) -> None:
    page = opened(open_page, "/datasets?dataset=tree_cycles&index=517", READY["/datasets"])
    page.locator(".st-key-neighbourhood .stage svg").focus()
    page.keyboard.press("ArrowRight")
    tip = page.locator(".st-key-neighbourhood .tip")
    expect(tip).to_contain_text("Node ")
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    expect(tip).not_to_have_text(first)
    node = re.search(r"Node (\d+)", tip.inner_text())
    assert node is not None
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"index={node[1]}(&|$)"))
