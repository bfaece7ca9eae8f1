"""Explain in a browser: watch, link, choose, build by hand, see the states, present, take along; and What if."""

import re
from collections import Counter
from itertools import pairwise

from playwright.sync_api import Locator, Page

from tests.browser.conftest import OpenPage
from tests.browser.settling import box_of, expect, fits, open_pickers, settled

FEW = "/explain?dataset=tree_cycles&index=612"
EXPLAIN = f"{FEW}&tools=all"
GRID = "/explain?dataset=tree_grid&index=514"
NITROSAMINE = "/explain?dataset=mutagenicity&compound=Dimethylnitrosamine"
STATES = ".st-key-player .states-stage canvas"
AT_ONCE = """(player, keys) => {
    for (const key of keys) player.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
}"""
"""Some keys, with no time between them."""


def player(page: Page) -> Locator:
    return page.locator(".st-key-player")


def graph(page: Page) -> Locator:
    return player(page).locator(".stage svg.graph")


def counter(page: Page) -> Locator:
    return player(page).locator(".counter")


def again(open_page: OpenPage, page: Page) -> Page:
    """The same link, opened by somebody else."""
    return open_page(page.url[page.url.index("/explain") :])


def questions(page: Page) -> int:
    """How often the page has asked the server, but for what it asks by itself."""
    return page.evaluate("testWire.questions")


def test_it_plays_without_the_server_and_a_link_reopens_the_step_and_the_tab(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    expect(graph(page)).to_be_visible()
    settled(page)
    before = questions(page)
    player(page).get_by_label("Speed").select_option("2")
    player(page).get_by_label("Play (space)").click()
    expect(counter(page)).to_have_text(re.compile("^1 /"))
    expect(counter(page)).to_have_text(re.compile("^2 /"))
    assert questions(page) == before
    page.keyboard.press(" ")
    player(page).locator(".player").evaluate(AT_ONCE, ["End", "ArrowLeft", "ArrowLeft"])
    step = f"step={counter(page).inner_text().split()[0]}"
    expect(page).to_have_url(re.compile(f"[?&]{step}$"))  # not that of a key before
    settled(page)
    assert questions(page) <= before + 2  # the pause, and the last of the keys
    page.get_by_role("tab", name="Save and load").click()
    expect(page).to_have_url(re.compile(f"{step}&tab=files$"))
    settled(page)
    other = again(open_page, page)
    expect(counter(other)).to_have_text(counter(page).inner_text())
    expect(other.get_by_role("tabpanel", name="Save and load")).to_be_visible()


def test_on_a_phone_the_graph_is_first_and_nothing_covers_it(open_page: OpenPage) -> None:
    page = open_page(NITROSAMINE, width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(reduced_motion="reduce")
    expect(player(page).locator(".play")).to_be_visible()
    settled(page)
    fits(page)
    boxes = [box_of(player(page).locator(part)) for part in (".stage-frame", ".controls", ".sentence")]
    assert boxes[0]["height"] > 0.4 * 844
    for above, below in pairwise(boxes):  # the graph, then what plays it, then the answer
        assert above["y"] + above["height"] <= below["y"]
    assert boxes[-1]["y"] + boxes[-1]["height"] <= 844
    expect(page.get_by_role("combobox", name="Data set")).to_be_hidden()
    for text in ("answer", "0 / 1"):  # no number is said three times
        expect(counter(page)).to_have_text(text)
        words = page.get_by_test_id("stMain").inner_text() + player(page).locator(".frame").inner_text()
        said = Counter(re.findall(r"[\d.]+\s%", words))
        assert said, "the GNN gives probabilities"
        assert max(said.values()) <= 2, said
        page.keyboard.press("ArrowRight")
    views = player(page).locator(".views")
    views.get_by_role("button", name="States").click()
    expect(page.locator(STATES)).to_be_visible()  # in the graph's place
    expect(player(page).locator(".stage")).to_be_hidden()
    views.get_by_role("button", name="Graph").click()
    expect(player(page).locator(".stage")).to_be_visible()
    expect(page.locator(STATES)).to_be_hidden()
    settled(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("button.copied .done")).to_be_visible()
    open_pickers(page)
    fits(page)


def test_a_reason_is_chosen_played_and_reopened_by_its_link(open_page: OpenPage) -> None:
    page = open_page(f"{GRID}&tools=all")
    first = player(page).locator(".outline").get_attribute("d")
    player(page).locator("button.reason-2").click()
    expect(page).to_have_url(re.compile("reason=2"))
    settled(page)
    expect(counter(page)).to_have_text("answer")
    assert player(page).locator(".outline").get_attribute("d") != first
    player(page).get_by_role("tab", name="States").click()
    expect(page.locator(STATES)).to_have_attribute("data-flags", re.compile("2"))
    settled(page)
    other = again(open_page, page)
    expect(other.locator("button.reason-2")).to_have_attribute("aria-pressed", "true")
    player(other).get_by_role("button", name="(End)").click()
    expect(player(other).locator(".caption")).to_contain_text("reason 2")


def test_a_click_on_a_node_explains_that_one_and_another_one_is_built_by_hand(open_page: OpenPage) -> None:
    page = open_page(EXPLAIN)
    expect(graph(page)).to_be_visible()  # before that nobody hears a key
    settled(page)
    page.keyboard.press("Home")
    node = graph(page).locator(".node.frontier").first
    name = node.locator("text").text_content()
    node.click()
    page.get_by_role("button", name=f"Explain {name} instead").click()
    expect(page).to_have_url(re.compile(rf"index={name}\b"))
    expect(graph(page).locator(".node.start text")).to_have_text(name or "")  # once a worker has computed it
    settled(page)
    page.get_by_text("Build by hand").click()
    choice = player(page).locator(".stage .frontier[role=button]").first
    choice.press("Enter")
    expect(page).to_have_url(re.compile(r"mode=hand.*order=\d+\.\d+|order=\d+\.\d+.*mode=hand"))
    player(page).get_by_role("button", name=re.compile("STOP")).first.click()
    expect(page.get_by_text("You stopped.")).to_be_visible()


def test_the_states_stand_beside_the_graph_and_move_with_it(open_page: OpenPage) -> None:
    page = open_page(f"{EXPLAIN}&step=1")
    expect(graph(page)).to_be_visible()
    graph(page).evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    player(page).get_by_role("tab", name="States").click()
    expect(page).to_have_url(re.compile("view=states"))
    states = page.locator(STATES)
    expect(states).to_have_attribute("data-selected", re.compile(","))
    assert graph(page).get_attribute("data-mine") == "yes"  # the player is there all the while
    settled(page)
    left, right = box_of(graph(page)), box_of(states)
    assert left["x"] + left["width"] <= right["x"]
    selected = [states.get_attribute("data-selected") or ""]
    for step in (2, 3):
        page.keyboard.press("ArrowRight")
        expect(counter(page)).to_have_text(re.compile(f"^{step} /"))
        selected.append(states.get_attribute("data-selected") or "")
    assert len(set(selected)) == 3
    page.keyboard.press(" ")  # playing moves both
    expect(counter(page)).not_to_have_text(re.compile("^3 /"))
    assert states.get_attribute("data-selected") not in selected
    x, y = map(int, selected[0].split(","))
    states.click(position={"x": x, "y": y})  # a state of the trajectory: that step
    expect(counter(page)).to_have_text(re.compile("^1 /"))
    tip = player(page).locator(".state-graph .tip")
    here = tip.inner_text()
    states.press("ArrowDown")
    if tip.inner_text() == here:  # it is the last of its column
        states.press("ArrowUp")
    assert tip.inner_text() != here
    states.press("Enter")  # another one: a way to it
    expect(page).to_have_url(re.compile(r"order=0(\.\d+)+"))
    expect(graph(page)).to_be_visible()


# What if


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


def test_edges_and_nodes_go_come_and_are_undone(open_page: OpenPage) -> None:
    page = open_page("/explain?dataset=tree_grid&index=700&tools=all", fresh=True)
    settled(page)
    page.get_by_text("What if", exact=True).click()
    expect(page).to_have_url(re.compile("whatif=1"))
    ready(page)
    click_edge(page, "700–701")
    expect(page).to_have_url(re.compile("edits=700-701$"))
    expect(sentence(page)).to_contain_text("700–701")
    expect(now(page).locator(".edge.gone")).to_have_count(1)
    expect(page.locator(".edit-view section.before .edge.gone")).to_have_count(0)
    ready(page)
    other = ready(again(open_page, page))
    expect(part(other, "700–701")).to_have_attribute("aria-pressed", "true")
    part(other, "700").focus()
    other.keyboard.press("ArrowRight")
    expect(part(other, "700–701")).to_be_focused()
    other.keyboard.press(" ")
    expect(other).not_to_have_url(re.compile("edits"))
    expect(other.locator(".edge.gone")).to_have_count(0)

    for name in ("703–704", "76–700"):
        part(page, name).dispatch_event("click")  # sooner than the answer comes
    for edit in ("700-701", "703-704", "76-700"):
        expect(page).to_have_url(re.compile(rf"edits=.*{edit}"))
    expect(now(page).locator(".edge.gone")).to_have_count(3)
    settled(page)
    page.go_back()  # by one edit
    expect(now(page).locator(".edge.gone")).to_have_count(2)
    settled(page)
    page.get_by_role("button", name="Undo all").click()
    expect(page).not_to_have_url(re.compile("edits"))
    settled(page)
    part(page, "76").click()
    expect(page).to_have_url(re.compile("edits=76$"))
    expect(now(page).locator(".node.gone")).not_to_have_count(0)
    settled(page)
    part(page, "700").click()
    expect(now(page).locator(".hint")).to_contain_text("cannot be removed")
    now(page).get_by_role("button", name="Add edges").click()
    for node in ("701", "703"):
        part(page, node).press("Enter")
    expect(page).to_have_url(re.compile(r"edits=76\.701~703$"))
    expect(now(page).locator(".edge.new")).to_have_count(1)
    settled(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page).to_have_url(re.compile("edits=76$"))


def test_flip_it_finds_a_smallest_set(open_page: OpenPage) -> None:
    page = ready(open_page("/explain?dataset=tree_grid&index=700&whatif=1"))
    page.get_by_role("button", name="Flip it").click()
    expect(page).to_have_url(re.compile("edits=700-701.700-703$"))
    expect(sentence(page)).to_have_text(re.compile("700–701 and .*700–703.*tree.*instead of grid"))
    expect(now(page).locator(".edge.gone")).to_have_count(2)


def test_on_a_phone_atoms_and_words_are_changed_unless_rdkit_refuses(open_page: OpenPage) -> None:
    molecule = "/explain?dataset=mutagenicity&smiles=CCCCc1ccc(cc1)N(C)N%3DO&whatif=1"
    page = ready(open_page(molecule, width=390, theme="dark"))
    fits(page)
    now(page).get_by_role("button", name="Change atoms").click()
    part(page, "C1").click()
    now(page).locator(".picker").get_by_role("button", name="O", exact=True).click()
    expect(now(page).locator(".hint")).to_contain_text("RDKit refuses")
    expect(page).not_to_have_url(re.compile("edits"))
    part(page, "C1").click()
    now(page).locator(".picker").get_by_role("button", name="N", exact=True).click()
    expect(page).to_have_url(re.compile("edits=1_N$"))
    expect(sentence(page)).to_contain_text("N in place of C1")
    page = ready(open_page("/explain?dataset=graph_sst2&example=the-jokes-are-not-funny&whatif=1", width=390))
    fits(page)
    now(page).get_by_role("button", name="Change words").click()
    part(page, "“funny”").click()
    now(page).get_by_role("textbox").fill("a mess.")
    now(page).get_by_role("textbox").press("Enter")
    expect(sentence(page)).to_contain_text("“a mess.” in place of “funny”")
    ready(page)
    expect(part(ready(again(open_page, page)), "“a mess.”")).to_be_visible()
