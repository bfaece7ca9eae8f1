"""What if and Flip it in a real browser: remove, add, change, undo, flip; links are in `tests.pages.test_what_if`."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled

GRID = "/explain?dataset=tree_grid&index=700&whatif=1"
MOLECULE = "/explain?dataset=mutagenicity&smiles=CCCCc1ccc(cc1)N(C)N%3DO&whatif=1"
SENTENCE = "/explain?dataset=graph_sst2&example=the-jokes-are-not-funny&whatif=1"


def now(page: Page) -> Locator:
    return page.locator(".edit-view section.now")


def sentence(page: Page) -> Locator:
    return page.locator(".edit-view > .sentence")


def ready(page: Page) -> Page:
    """Wait for both predictions and both answers."""
    for side in ("before", "now"):
        expect(page.locator(f".edit-view section.{side} .words")).to_have_text(re.compile("GNN"))
    settled(page)
    return page


def part(page: Page, name: str) -> Locator:
    """A node or an edge that can be edited, by what a screen reader calls it."""
    return now(page).get_by_role("button", name=re.compile(rf"^{re.escape(name)}(:.*)?$"))


def click_edge(page: Page, name: str) -> None:
    """Click the middle of an edge, as a pointer does."""
    part(page, name).scroll_into_view_if_needed()
    x, y = part(page, name).evaluate(
        "(line) => { const p = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());"
        " return [p.x, p.y]; }"
    )
    page.mouse.click(x, y)


def test_an_edge_goes_and_comes_back_and_the_link_reopens_it(open_page: OpenPage) -> None:
    page = open_page(GRID.replace("whatif=1", "tools=all"))
    settled(page)
    page.get_by_text("What if", exact=True).click()
    expect(page).to_have_url(re.compile("whatif=1"))
    ready(page)
    expect(now(page).locator("h3")).to_have_text(re.compile("^Now: grid"))
    click_edge(page, "700–701")
    expect(page).to_have_url(re.compile("edits=700-701$"))
    expect(sentence(page)).to_have_text(re.compile("^Without the edge 700–701, the GNN still predicts grid: 72 %"))
    expect(now(page).locator(".edge.gone")).to_have_count(1)
    expect(part(page, "700–701")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".edit-view section.before .edge.gone")).to_have_count(0)
    ready(page)
    again = ready(open_page(page.url[page.url.index("/explain") :]))
    expect(sentence(again)).to_have_text(re.compile("^Without the edge 700–701"))
    click_edge(again, "700–701")
    expect(again).not_to_have_url(re.compile("edits"))
    expect(again.locator(".edge.gone")).to_have_count(0)
    expect(sentence(again)).to_have_text(re.compile("^Edit the graph"))


def test_nodes_go_edges_come_and_all_is_undone(open_page: OpenPage) -> None:
    page = ready(open_page(GRID))
    part(page, "76").click()
    expect(page).to_have_url(re.compile("edits=76$"))
    expect(now(page).locator(".node.gone")).not_to_have_count(0)
    expect(sentence(page)).to_have_text(re.compile("^Without the node 76"))
    settled(page)
    part(page, "700").click()
    expect(now(page).locator(".hint")).to_have_text("Node 700 is the one that is explained: it cannot be removed.")
    now(page).get_by_role("button", name="Add an edge").click()
    part(page, "701").press("Enter")
    expect(now(page).locator(".hint")).to_have_text(re.compile("^701 is chosen"))
    part(page, "703").press("Enter")
    expect(page).to_have_url(re.compile(r"edits=76\.701~703$"))
    expect(now(page).locator(".edge.new")).to_have_count(1)
    settled(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page).to_have_url(re.compile("edits=76$"))
    settled(page)
    page.get_by_role("button", name="Undo all").click()
    expect(page).not_to_have_url(re.compile("edits"))
    settled(page)
    page.get_by_role("button", name="Undo", exact=True).click()  # the way back is undone, too
    expect(page).to_have_url(re.compile("edits=76$"))


def test_quick_clicks_are_all_heard_and_back_goes_one_edit_back(open_page: OpenPage) -> None:
    page = ready(open_page(GRID, fresh=True))
    for name in ("700–701", "703–704", "76–700"):
        part(page, name).dispatch_event("click")  # sooner than the answer comes
    for edit in ("700-701", "703-704", "76-700"):
        expect(page).to_have_url(re.compile(rf"edits=.*{edit}"))
    expect(now(page).locator(".edge.gone")).to_have_count(3)
    settled(page)
    page.go_back()
    expect(now(page).locator(".edge.gone")).to_have_count(2)


def test_arrow_keys_reach_nodes_and_edges(open_page: OpenPage) -> None:
    page = ready(open_page(GRID))
    part(page, "700").focus()
    page.keyboard.press("ArrowRight")
    expect(part(page, "700–701")).to_be_focused()
    page.keyboard.press(" ")
    expect(page).to_have_url(re.compile("edits=700-701$"))


def test_an_atom_is_changed_unless_rdkit_refuses(open_page: OpenPage) -> None:
    page = ready(open_page(MOLECULE))
    now(page).get_by_role("button", name="Change an atom").click()
    part(page, "C1").click()
    now(page).locator(".picker").get_by_role("button", name="O", exact=True).click()
    expect(now(page).locator(".hint")).to_have_text(re.compile("^RDKit refuses this molecule: O1 would"))
    expect(page).not_to_have_url(re.compile("edits"))
    expect(page.locator(".edit-view.asking")).to_have_count(0)
    part(page, "C1").click()
    now(page).locator(".picker").get_by_role("button", name="N", exact=True).click()
    expect(page).to_have_url(re.compile("edits=1_N$"))
    expect(sentence(page)).to_have_text(re.compile("^With N in place of C1, the GNN still predicts mutagen: 85 %"))


def test_a_word_is_changed(open_page: OpenPage) -> None:
    page = ready(open_page(SENTENCE))
    now(page).get_by_role("button", name="Change a word").click()
    part(page, "“funny”").click()
    now(page).get_by_role("textbox").fill("a mess.")
    now(page).get_by_role("textbox").press("Enter")
    expect(sentence(page)).to_have_text(re.compile("^With “a mess.” in place of “funny”, the GNN"))
    ready(page)
    again = ready(open_page(page.url[page.url.index("/explain") :]))
    expect(part(again, "“a mess.”")).to_be_visible()


def test_flip_it_finds_a_smallest_set_and_plays_it(open_page: OpenPage) -> None:
    page = ready(open_page(GRID))
    page.get_by_role("button", name="Flip it").click()
    expect(sentence(page)).to_have_text("Watch the prediction change.")
    expect(page).to_have_url(re.compile("edits=700-701.700-703$"))
    said = "Without the edges 700–701 and 700–703, the GNN predicts tree (95 %) instead of grid (over 99 %). No smaller"
    expect(sentence(page)).to_have_text(re.compile(re.escape(said)))
    expect(now(page).locator(".edge.gone")).to_have_count(2)
    ready(page)
    now(page).get_by_role("button", name="Play it again").click()
    expect(now(page).locator(".edge.gone")).to_have_count(0)
    expect(now(page).locator(".edge.gone")).to_have_count(2)


def test_who_wants_less_motion_sees_the_flip_at_once(open_page: OpenPage) -> None:
    page = open_page(MOLECULE)
    page.emulate_media(reduced_motion="reduce")
    ready(page)
    page.get_by_role("button", name="Flip it").click()
    expect(sentence(page)).to_have_text(re.compile("instead of mutagen .* One removed bond suffices"))
    expect(now(page).locator(".edge.gone")).not_to_have_count(0)


@pytest.mark.parametrize("path", [f"{GRID}&edits=700-701.76~704", MOLECULE, SENTENCE])
def test_it_fits_a_phone(open_page: OpenPage, path: str) -> None:
    page = ready(open_page(path, width=390, theme="dark"))
    fits(page)
    expect(now(page).locator("svg.graph")).to_be_visible()
