"""Compare and Results in a browser: methods side by side, both themes, a phone, a chart that waits to be seen."""

import re

import pytest
from playwright.sync_api import Page, expect

from gfx_core.baselines.registry import METHODS, learns_first
from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled

COMPARE = "/compare?dataset=tree_grid&index=700"


def contrast(page: Page, selector: str) -> list[float]:
    """Of the colours of some samples with the page, as WCAG counts it."""
    return page.evaluate(
        """(selector) => {
            const shine = (colour) => {
                const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
                const [r, g, b] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const page = shine(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
            return [...document.querySelectorAll(selector)].map((sample) => {
                const own = shine(getComputedStyle(sample).borderTopColor);
                return (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
            });
        }""",
        selector,
    )


def legend_is_visible(page: Page) -> None:
    samples = page.locator(".line-legend i")
    expect(samples).to_have_count(3)
    found = contrast(page, ".line-legend i")
    assert min(found) >= 3, found
    boxes = [samples.nth(number).bounding_box() for number in range(3)]
    assert all(box and box["width"] >= 24 and box["height"] >= 2 for box in boxes)


def test_methods_side_by_side(open_page: OpenPage) -> None:
    page = open_page(COMPARE)
    cards = page.locator(".st-key-methods-gallery .card")
    expect(cards).to_have_count(6)  # the truth, five explainers
    expect(cards.first).to_contain_text("Ground truth")
    settled(page)
    legend_is_visible(page)
    page.get_by_text("Explainers, size and order").click()
    page.get_by_role("slider").first.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"[?&]edges=3"))
    page.get_by_text("Each explanation has 3 edges; GFlowExplainer’s answer has 4.").wait_for()
    settled(page)
    page.locator(".st-key-methods-gallery").get_by_role("button", name="Play: GFlowExplainer").click()
    expect(page.get_by_role("heading", name="Explain one prediction")).to_be_visible()
    expect(page).to_have_url(re.compile("dataset=tree_grid.*index=700|index=700.*dataset=tree_grid"))


@pytest.mark.parametrize("path", [COMPARE, "/results?study=answers&claim=1"])
def test_tables_scroll_on_a_phone_under_their_first_column(path: str, open_page: OpenPage) -> None:
    page = open_page(path, width=390, theme="dark")
    table = page.locator(".number-table")
    expect(table.locator("tbody tr").first).to_be_visible()
    settled(page)
    fits(page)
    if path == COMPARE:
        legend_is_visible(page)
        expect(page.get_by_role("button", name="Copy link")).to_be_in_viewport(ratio=1)
        first, second = (page.locator(".st-key-methods-gallery .picture").nth(at).bounding_box() for at in (0, 1))
        assert first
        assert second
        assert first["y"] + first["height"] < 844  # on the first screen of a phone
        lede = page.locator(".st-key-lede").bounding_box()
        assert lede
        assert lede["y"] + lede["height"] <= first["y"]  # below what is predicted
        expect(page.locator(".st-key-methods-gallery .card").nth(1)).to_contain_text("GFlowExplainer")
        assert first["x"] < second["x"] < 390  # and beside it some of the next, to which one swipes
    names = table.locator("tr > :first-child").evaluate_all("(all) => all.map((cell) => cell.offsetWidth)")
    assert max(names) <= 131  # the rest is for numbers
    scrolled, name, number, colour = table.evaluate(
        """(box) => {
            const cells = ["th", "td"].map((kind) => box.querySelector(`tbody ${kind}`));
            const lefts = () => cells.map((cell) => cell.getBoundingClientRect().x);
            const before = lefts();
            box.scrollLeft = 90;
            const moved = lefts().map((left, k) => left - before[k]);
            return [box.scrollLeft, ...moved, getComputedStyle(cells[0]).backgroundColor];
        }"""
    )
    assert (scrolled, name, number) == pytest.approx((90, 0, -90), abs=1)
    assert not re.fullmatch(r"rgba\(.*, 0\)|transparent", colour)  # numbers pass beneath it


def test_a_chart_stands_below_its_table(open_page: OpenPage) -> None:
    page = open_page("/results?study=auc")
    expect(page.locator(".number-table")).to_be_visible()
    page.get_by_role("radio", name="Tree-Grid", exact=True).scroll_into_view_if_needed()
    expect(page.get_by_test_id("stPlotlyChart")).to_be_visible()
    expect(page.locator(".legend .traces").first).to_be_visible()


def test_cards_and_documents_have_addresses_and_back_leads_to_all(open_page: OpenPage) -> None:
    page = open_page("/results", width=390)
    line = page.locator(".many .line").last
    expect(line).to_be_visible()
    expect(page.locator("img.forest")).to_be_visible()
    settled(page)
    fits(page)
    controls = page.locator("[data-testid=stMain]").locator("a:not(.line), button, input, select")
    assert controls.count() <= 25

    def top() -> float:
        return float(page.get_by_test_id("stMain").evaluate("(main) => main.scrollTop"))

    line.scroll_into_view_if_needed()
    below = top()
    line.click()
    expect(page).to_have_url(re.compile(r"results\?study=\w+&claim=\d+"))
    expect(page.locator(".number-table")).to_be_visible()
    settled(page)
    assert top() == 0 < below
    page.go_back()
    expect(line).to_be_in_viewport()
    settled(page)
    assert top() == below
    for name in ("What we do differently from the paper", "All claims"):  # links to the page itself
        page.get_by_role("link", name=name).click()
        expect(page).to_have_url(re.compile("results$" if name == "All claims" else r"results\?read=departures$"))
    expect(line).to_be_visible()
    page.go_back()
    expect(page.locator(".st-key-document")).to_be_visible()


def test_methods_come_as_they_are_ready_and_one_learns_only_if_asked(open_page: OpenPage) -> None:
    ready = [name for name in METHODS if not learns_first(name, "tree_cycles", "sum")]
    quick = [name for name in ready if not METHODS[name].slow]
    methods = [*quick, "rgexplainer_plain"]
    page = open_page(f"/compare?dataset=tree_cycles&index=600&methods={','.join(methods)}")
    cards = page.locator(".st-key-methods-gallery .card")
    expect(cards).to_have_count(1 + len(methods))  # and the truth
    learner = cards.filter(has_text="RGExplainer, no pretraining")
    expect(learner).to_contain_text("learns first")
    expect(cards.locator("svg.network")).to_have_count(1 + len(quick))  # all the others, in the end
    expect(cards.locator(".busy")).to_have_count(0)
    learner.locator(".title").click()  # only its button counts
    settled(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    learner.get_by_role("button", name="Let it learn").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    other = open_page("/explain?dataset=tree_cycles&index=612&tools=all")  # a second visitor does not wait for that
    expect(other.locator(".st-key-player .stage svg")).to_be_visible()
    other.locator(".st-key-player").get_by_role("button", name="Last step (End)").click()
    expect(other).to_have_url(re.compile(r"step=\d+"))
    page.get_by_role("button", name="Cancel").click()
    expect(learner).to_contain_text("cancelled")
