"""Walk through the explorer as a visitor does."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pages.ui.shell import ASIDE, PAGES
from tests.browser.conftest import OpenPage, running_app
from tests.browser.controls import open_pickers
from tests.browser.settling import fits, settled


def picture(page: Page, key: str = "neighbourhood") -> Locator:
    """One of the page's network pictures."""
    return page.locator(f".st-key-{key}")


def node(page: Page, number: int, key: str = "neighbourhood") -> Locator:
    return picture(page, key).locator(f'[data-node="{number}"]')


_NOTE = """(() => {
  const shown = (selector) => {
    const found = document.querySelector(selector);
    return Boolean(found?.getClientRects().length) && !document.getElementById("shell");
  };
  window.seen = { badge: false, sidebar: false, shell: false };
  const look = () => {
    seen.shell ||= Boolean(document.getElementById("shell"));
    seen.sidebar ||= shown("[data-testid=stSidebarNav]");
    seen.badge ||= shown(".st-key-device") && !shown("[data-testid=stTopNavLink]");
    requestAnimationFrame(look);
  };
  look();
})()"""


@pytest.mark.parametrize("path", ["/", "/datasets?dataset=tree_cycles&index=517"])
def test_a_fresh_server_shows_our_own_navigation_from_the_first_paint_on(
    browser: Browser, tmp_path: Path, path: str
) -> None:
    with running_app(tmp_path) as address:
        page = browser.new_page()
        page.add_init_script(_NOTE)
        page.goto(address + path, wait_until="commit")
        expect(page.locator("#shell nav")).to_contain_text("Explain")
        expect(page.get_by_role("heading", name=re.compile("^See how|^Node 517 and"))).to_be_visible()
        expect(page.locator("#shell")).to_have_count(0)
        expect(page.get_by_test_id("stTopNavLink")).to_have_count(len(PAGES) - len(ASIDE))
        assert page.evaluate("seen") == {"badge": False, "sidebar": False, "shell": True}
        page.close()


def test_walk_from_home_to_a_node_by_clicking(open_page: OpenPage) -> None:
    page = open_page("/")
    settled(page)
    page.get_by_role("link", name=re.compile("^Tree-Cycles")).click()
    expect(page.get_by_role("heading", name="Tree-Cycles", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/datasets\?dataset=tree_cycles$"))
    expect(picture(page).locator("svg.network").first).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("Right:|Wrong:"))).to_be_visible()

    old = int(picture(page).locator("[data-node].start").get_attribute("data-node") or -1)
    other = picture(page).locator("[data-node].motif:not(.start)").first
    new = int(other.get_attribute("data-node") or -1)
    other.hover()
    expect(picture(page).locator(".tip")).to_contain_text(f"Node {new}")
    other.click()
    expect(page.get_by_role("heading", name=f"Node {new} and what the GNN sees of it")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"dataset=tree_cycles&index={new}$"))
    expect(node(page, new)).to_have_class(re.compile("start"))
    open_pickers(page)
    expect(page.get_by_label("Node (0 to 870)")).to_have_value(str(new))
    assert new != old


def test_overview_click_keeps_the_picture_and_its_zoom(open_page: OpenPage) -> None:
    page = open_page("/datasets?dataset=tree_grid&index=512")
    settled(page)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(255, 255, 255)")
    near = picture(page, "neighbourhood").locator("svg.network").first
    near.focus()  # the keyboard picks as well: arrow keys go from node to node
    nodes = near.evaluate("(svg) => [...svg.querySelectorAll('[data-node]')].map((each) => Number(each.dataset.node))")
    for _ in range(nodes.index(513) + 1):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("index=513"))
    settled(page)
    view = picture(page, "overview")
    view.scroll_into_view_if_needed()
    drawing = view.locator("svg.network").first
    drawing.evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    view.get_by_label("Zoom in").click()
    zoomed = drawing.get_attribute("viewBox")
    visible = drawing.evaluate(
        """(svg) => {
            const frame = svg.getBoundingClientRect(), inside = (box) =>
                box.left > frame.left + 80 && box.right < frame.right - 80
                && box.top > frame.top + 80 && box.bottom < frame.bottom - 80;
            const seen = [...svg.querySelectorAll('[data-node]')].find((n) => inside(n.getBoundingClientRect()));
            return Number(seen.dataset.node);
        }"""
    )
    node(page, visible, "overview").click()
    expect(page).to_have_url(re.compile(f"index={visible}$"))
    settled(page)
    assert drawing.get_attribute("data-mine") == "yes"
    assert drawing.get_attribute("viewBox") == zoomed
    expect(view.locator(".ring.selected")).to_have_count(1)


def test_a_click_on_the_map_picks_a_graph(open_page: OpenPage) -> None:
    page = open_page("/datasets?dataset=ba_2motifs&index=0")
    settled(page)
    chart = page.locator("[class*='st-key-map-']").get_by_test_id("stPlotlyChart")
    chart.scroll_into_view_if_needed()
    point = chart.locator(".scatterlayer .trace").nth(1).locator(".point").nth(40)
    expect(point).to_be_visible()
    settled(page)
    point.element_handle().wait_for_element_state("stable")  # a chart takes its final size a moment after it is drawn
    box = point.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"index=[1-9]"))
    settled(page)
    number = re.search(r"index=(\d+)", page.url)
    assert number is not None
    expect(page.get_by_role("heading", name=f"Graph {number[1]}", exact=True)).to_be_visible()


PATHS = {
    "/": "h1",
    "/explain?dataset=tree_cycles&index=612": ".st-key-player .stage svg",
    "/datasets?dataset=ba_shapes&index=301": "h1",
    "/datasets?dataset=ba_2motifs": "h1",
    "/datasets?dataset=mutagenicity": "h1",
    "/plans?plan=90": "table",
}
"""With what must be there; Compare and Results are looked at with their tables."""


@pytest.mark.parametrize("path", PATHS)
def test_dark_and_narrow(path: str, open_page: OpenPage) -> None:
    page = open_page(path, width=390, theme="dark")
    expect(page.locator(PATHS[path]).first).to_be_visible()
    settled(page)
    fits(page)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(18, 22, 31)")


def test_primary_buttons_are_read_in_the_dark(open_page: OpenPage) -> None:
    button = open_page("/classroom", theme="dark").locator(".st-key-class-join button")
    expect(button).to_have_css("background-color", "rgb(70, 80, 192)")  # on which white has a contrast of 6.6
    expect(button).to_have_css("color", "rgb(255, 255, 255)")


def test_what_is_this_gnns_rule(open_page: OpenPage) -> None:
    """From the rules of a class to one of the predictions that they explain."""
    page = open_page("/datasets?dataset=tree_cycles")
    settled(page)
    page.get_by_role("radio", name="What is this GNN’s rule?").click()
    expect(page).to_have_url(re.compile("rules=1"))
    expect(page.get_by_role("heading", name=re.compile("all are explained by a ring of six"))).to_be_visible()
    card = page.locator(".st-key-rule-cards .card").first
    expect(card.locator("svg.network circle.node")).to_have_count(6)
    card.get_by_role("button").click()
    expect(page).to_have_url(re.compile("rule=0"))
    page.locator(".st-key-rule-links").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/explain\?.*index="))
    expect(page.locator(".player").first).to_be_visible()


def test_rules_fit_a_phone(open_page: OpenPage) -> None:
    page = open_page("/datasets?dataset=ba_shapes&rules=1&predicted=1&rule=0", width=390)
    expect(page.locator(".st-key-rule-links").get_by_role("link").first).to_be_visible()
    settled(page)
    fits(page)
