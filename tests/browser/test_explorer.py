"""Home, Data sets and the frame of all pages in a browser: first paint, few controls, a phone, both themes."""

import re

import pytest
from playwright.sync_api import Locator, Page

from gfx_core.datasets.registry import listed
from pages.ui.shell import ASIDE, PAGES
from tests.browser.conftest import OpenPage
from tests.browser.settling import box_of, expect, fits, settled

MOST_CONTROLS = 25
CONTROLS = (
    "a[href], button, label:has(input), input, select, textarea, summary, [role=tab], [role=slider], [role=combobox]"
)
ON_SCREEN = """(controls, all) => controls.filter((control) => {
    const { top, bottom } = control.getBoundingClientRect();
    const away = bottom <= 0 || top >= innerHeight || !control.checkVisibility({ opacityProperty: true });
    return !away && !control.parentElement.closest(all); // one within another is the same
}).map((control) => control.ariaLabel || control.innerText || control.className)"""
READY = {
    "/": ".st-key-hero svg",
    "/explain?dataset=tree_cycles&index=612": ".st-key-player .stage svg",
    "/compare": ".st-key-methods-gallery .card svg",
    "/datasets?dataset=mutagenicity": ".st-key-neighbourhood svg [data-node]",
    "/datasets?dataset=ba_shapes&rules=1&predicted=1&rule=0": ".st-key-rule-links a",
    "/learn": ".st-key-lesson-water canvas",
    "/train": ".st-key-train-view canvas",
    "/lab": ".counter",
}
"""With what is there once the page is whole."""
FOR_MORE = ("rules=1", "/lab")
"""In addresses of pages that a newcomer does not open, with more controls."""


@pytest.mark.parametrize("path", READY)
def test_a_newcomer_finds_few_controls_and_a_phone_shows_all_in_the_dark(path: str, open_page: OpenPage) -> None:
    page = open_page(path)
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator(READY[path]).first).to_be_visible()
    settled(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    controls = page.locator(CONTROLS).filter(visible=True).evaluate_all(ON_SCREEN, CONTROLS)
    assert len(controls) <= MOST_CONTROLS or any(part in path for part in FOR_MORE), controls
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(255, 255, 255)")
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(18, 22, 31)")
    fits(page)


FIRST_PAINT = """(() => {
  const later = window.setTimeout; // the first paint goes after 20 s in any case: not here
  window.setTimeout = (work, ms, ...rest) => (ms === 20000 ? 0 : later(work, ms, ...rest));
  const shown = (selector) => {
    const element = document.querySelector(selector);
    return Boolean(element?.getClientRects().length) && !document.getElementById("shell");
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


def test_our_own_navigation_is_there_from_the_first_paint_on(open_page: OpenPage) -> None:
    page = open_page("/glossary", fresh=True)
    address = page.url.removesuffix("/glossary")
    page.add_init_script(FIRST_PAINT)
    page.goto(f"{address}/datasets?dataset=tree_cycles&index=517", wait_until="commit")
    expect(page.locator("#shell nav")).to_contain_text("Explain")
    expect(page.get_by_role("heading", name=re.compile("Node 517"))).to_be_visible()
    expect(page.locator("#shell")).to_have_count(0)
    expect(page.get_by_test_id("stTopNavLink")).to_have_count(len(PAGES) - len(ASIDE))
    assert page.evaluate("seen") == {"badge": False, "sidebar": False, "shell": True}
    page.goto(f"{address}/explain?tour=3")  # a page without navigation does not wait behind it
    expect(page.locator(".stMainBlockContainer h1").first).to_be_attached()
    expect(page.locator("#shell")).to_have_count(0)


def test_on_a_phone_the_menu_goes_when_a_page_is_chosen(open_page: OpenPage) -> None:
    page = open_page("/plans", width=390, fresh=True)
    settled(page)
    menu = page.get_by_role("button", name="Menu", exact=True)
    menu.click()
    page.get_by_role("button", name="Collapse sidebar").click(trial=True)  # nothing lies on it
    page.get_by_role("link", name="Glossary", exact=True).click()
    expect(page).to_have_url(re.compile("/glossary"))
    expect(menu).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    menu.click()
    expect(menu).to_have_count(0)
    page.reload()  # one that was left open covers no page
    expect(page.locator("#shell")).to_have_count(0)
    expect(menu).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()


# Home


def test_home_plays_to_the_answer_in_large_letters(open_page: OpenPage) -> None:
    page = open_page("/", motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 720})
    hero = page.locator(".hero")
    expect(hero.locator(".verdict")).to_contain_text(re.compile(r"\d\u00a0%"))
    sizes = hero.locator("svg text").evaluate_all(
        "(all) => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
    )
    assert min(sizes) >= 14
    expect(page.locator("a.link-card img")).to_have_count(len(listed()))
    expect(page.locator(".st-key-device")).to_contain_text(re.compile("(CPU|GPU) · "))
    replay = hero.get_by_role("button", name="Play again")
    expect(replay).to_be_in_viewport(ratio=1)
    place = replay.bounding_box()
    replay.click()
    pause = hero.get_by_role("button", name="Pause")
    expect(pause).to_be_visible()
    assert pause.bounding_box() == place  # room is kept for the answer: nothing moves


def test_on_a_phone_home_explains_a_molecule_that_then_travels(open_page: OpenPage) -> None:
    page = open_page("/", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    stage = page.locator(".hero-stage")
    settled(page)
    for part in ("h1", ".st-key-start", ".st-key-try", ".hero-stage"):  # what one can do, and what plays
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    field = page.get_by_test_id("stTextInputField")
    page.locator("a.link-card").last.scroll_into_view_if_needed()
    expect(stage).not_to_be_in_viewport()
    field.fill("CCO")
    field.press("Enter")
    expect(page.locator(".hero .node[class*=element-]")).to_have_count(9)
    expect(stage).to_be_in_viewport(ratio=1)
    settled(page)
    field.fill("molecule")
    field.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    page.go_back()
    expect(field).to_have_value("CCO")
    settled(page)
    page.get_by_role("link", name="Open in Explain").click()
    expect(page).to_have_url(re.compile("explain.*smiles=CCO"))


# Data sets


def picture(page: Page, key: str = "neighbourhood") -> Locator:
    return page.locator(f".st-key-{key}")


def test_a_click_on_the_overview_keeps_the_picture_and_its_zoom(open_page: OpenPage) -> None:
    page = open_page("/datasets?dataset=tree_grid&index=512")
    settled(page)
    picture(page).locator("svg.network").first.focus()  # one stop of the Tab key; arrows go from node to node
    page.keyboard.press("ArrowRight")
    tip = picture(page).locator(".tip")
    expect(tip).to_contain_text("Node ")
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    expect(tip).not_to_have_text(first)
    node = re.search(r"Node (\d+)", tip.inner_text())
    assert node is not None
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"index={node[1]}$"))
    settled(page)
    view = picture(page, "overview")
    view.scroll_into_view_if_needed()
    drawing = view.locator("svg.network").first
    drawing.evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    view.get_by_label("Zoom in").click()
    zoomed = drawing.get_attribute("viewBox")
    inside = drawing.evaluate(
        """(svg) => {
            const frame = svg.getBoundingClientRect(), inside = (box) =>
                box.left > frame.left + 80 && box.right < frame.right - 80
                && box.top > frame.top + 80 && box.bottom < frame.bottom - 80;
            const node = [...svg.querySelectorAll('[data-node]')].find((n) => inside(n.getBoundingClientRect()));
            return node.dataset.node;
        }"""
    )
    view.locator(f'[data-node="{inside}"]').click()
    expect(page).to_have_url(re.compile(f"index={inside}$"))
    settled(page)
    assert drawing.get_attribute("data-mine") == "yes"
    assert drawing.get_attribute("viewBox") == zoomed
    expect(drawing.locator(".ring.selected")).to_have_count(1)


def test_a_click_on_the_map_picks_a_graph(open_page: OpenPage) -> None:
    page = open_page("/datasets?dataset=ba_2motifs&index=0")
    settled(page)
    chart = page.locator("[class*='st-key-map-']").get_by_test_id("stPlotlyChart")
    chart.scroll_into_view_if_needed()
    point = chart.locator(".scatterlayer .trace").nth(1).locator(".point").nth(40)
    expect(point).to_be_visible()
    settled(page)
    point.element_handle().wait_for_element_state("stable")  # a chart takes its final size a moment after it is drawn
    box = box_of(point)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile(r"index=[1-9]"))
    settled(page)
    number = re.search(r"index=(\d+)", page.url)
    assert number is not None
    expect(page.get_by_role("heading", name=f"Graph {number[1]}", exact=True)).to_be_visible()
