"""A prediction travels from page to page, and Back goes where one was."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Page, expect

from gfx_core.datasets.registry import listed
from pages.ui.shell import PAGES
from tests.browser.conftest import OpenPage
from tests.browser.controls import open_pickers
from tests.browser.settling import fits, settled
from tests.pages.hostile import ALL

FIELD = "Node (0 to 699)"


def pick(page: Page, number: int) -> None:
    """Type the number of a node and wait for it."""
    open_pickers(page)
    field = page.get_by_label(FIELD)
    field.fill(str(number))
    field.press("Enter")
    expect(page).to_have_url(re.compile(f"index={number}\\b"))
    settled(page)


def navigate(page: Page, title: str) -> None:
    """Go there and wait until the address says so: that comes from the server, after the click."""
    page.get_by_test_id("stTopNavLink").filter(has_text=title).click()
    expect(page.get_by_test_id("stTopNavLink").filter(has_text=title)).to_have_attribute("aria-current", "page")
    path = next(file for file, known, _ in PAGES if known == title)
    expect(page).to_have_url(re.compile(rf"/{path}(\?|$)"))
    settled(page)


def link(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def test_back_shows_each_prediction_as_it_was(open_page: OpenPage) -> None:
    page = open_page("/explain?dataset=ba_shapes&index=301&tools=all", fresh=True)
    settled(page)
    before, shown = entries(page), page.locator(".st-key-pick button").first
    for number in (423, 617):
        pick(page, number)
    page.get_by_role("link", name="Compare on this prediction").click()
    expect(page.get_by_role("heading", name="Compare explainers")).to_be_visible()
    settled(page)
    assert link(page) == {"dataset": "ba_shapes", "index": "617"}
    assert entries(page) == before + 3  # one for each thing that was done
    for number in (617, 423, 301):
        page.go_back()
        expect(page).to_have_url(re.compile(f"/explain.*index={number}\\b"))
        expect(shown).to_contain_text(f"node {number}")
        settled(page)
    page.go_forward()
    expect(shown).to_contain_text("node 423")


def test_a_prediction_travels_by_the_navigation(open_page: OpenPage) -> None:
    asked = {"dataset": "tree_cycles", "index": "612", "flows": "exact", "beta": "3", "seed": "5"}
    page = open_page(f"/explain?{urlencode(asked)}", fresh=True)
    settled(page)
    for title in ("Data sets", "Glossary", "Explain"):
        before = entries(page)
        navigate(page, title)
        if title != "Glossary":
            expect(page).to_have_url(re.compile(r"\?.*index=612"))
            assert link(page) == asked
        assert entries(page) == before + 1
    for path in ("glossary", "datasets", "explain"):
        page.go_back()
        expect(page).to_have_url(re.compile(f"/{path}"))
        settled(page)
    assert link(page) == asked
    before = entries(page)  # small things make no entry
    page.locator(".player").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"step=\d"))
    settled(page)
    assert entries(page) == before


def test_home_plays_to_the_answer_in_large_letters(open_page: OpenPage) -> None:
    page = open_page("/")
    hero = page.locator(".hero")
    expect(hero.locator(".verdict")).to_contain_text(
        re.compile(r"reasons: \d+\u00a0% and \d+\u00a0% of samples end at or near them")
    )
    sizes = hero.locator("svg text").evaluate_all(
        "(all) => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
    )
    assert min(sizes) >= 14
    for part in (".body", "text"):  # a label stays readable while its node changes its colour
        expect(hero.locator(f".node {part}").first).to_have_css("transition", "fill 0.25s")
    for name in ("See one", "Learn how", "Use your own data"):
        expect(page.get_by_role("link", name=name)).to_be_visible()
    expect(page.locator("a.link-card img")).to_have_count(len(listed()))
    expect(page.locator(".st-key-device")).to_contain_text(re.compile("(CPU|GPU) · "))
    tops = page.locator("a.link-card").evaluate_all(
        "(all) => all.map((card) => Math.round(card.getBoundingClientRect().top))"
    )
    assert len(set(tops)) == 1
    page.set_viewport_size({"width": 1280, "height": 720})
    again = hero.get_by_role("button", name="Play again")
    expect(again).to_be_in_viewport(ratio=1)
    ended = again.bounding_box()
    again.click()
    pause = hero.get_by_role("button", name="Pause")
    expect(pause).to_be_visible()
    assert pause.bounding_box() == ended  # room is kept for the answer: nothing moves
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function(
        "new Set([...document.querySelectorAll('a.link-card')].map((e) => Math.round(e.getBoundingClientRect().left)))"
        ".size === 2"
    )
    fits(page)


def test_on_a_phone_home_begins_with_what_one_can_do_and_what_plays(open_page: OpenPage) -> None:
    page = open_page("/", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    stage = page.locator(".hero-stage")
    expect(stage).to_be_in_viewport(ratio=1)
    settled(page)
    predicts = ".st-key-ask [data-testid=stMarkdown]"
    parts = ("h1", ".st-key-purpose", ".st-key-start", ".st-key-try", predicts, ".hero-stage", ".again", ".first-terms")
    for part in parts[:-1]:
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    tops = [page.locator(part).first.bounding_box() for part in parts]
    assert all(tops)
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box)
    fits(page)
    page.get_by_role("button", name="Play again").click()
    hero, now = (page.locator(part).bounding_box() for part in (".hero", ".words-now"))
    assert hero
    assert now
    assert hero["y"] + hero["height"] - now["y"] - now["height"] < 30  # no room is kept for the answer
    page.locator(".dots").evaluate("(dots) => { dots.innerHTML = '<i></i>'.repeat(60); }")  # a long story
    assert stage.evaluate("(stage) => stage.offsetWidth === stage.closest('.hero').offsetWidth")
    field = page.get_by_role("textbox", name="Try a molecule or a sentence here")
    field.fill(field.get_attribute("placeholder") or "")
    assert field.evaluate("(field) => field.scrollWidth <= field.clientWidth")  # it is not cut off
    page.locator("a.link-card").last.scroll_into_view_if_needed()
    expect(stage).not_to_be_in_viewport()
    field.fill("caffeine")
    field.press("Enter")
    expect(page.get_by_role("link", name="Open in Explain")).to_be_attached()
    expect(stage).to_be_in_viewport(ratio=1)


def test_on_a_phone_the_menu_goes_when_a_page_is_chosen(open_page: OpenPage) -> None:
    page = open_page("/plans", width=390)
    settled(page)
    menu = page.get_by_role("button", name="Menu", exact=True)
    menu.click()
    page.get_by_role("button", name="Collapse sidebar").click(trial=True)  # nothing lies on it
    page.get_by_role("link", name="Glossary", exact=True).click()
    expect(page).to_have_url(re.compile("/glossary"))
    expect(menu).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()


def test_on_a_phone_a_menu_that_was_left_open_covers_no_other_page(open_page: OpenPage) -> None:
    page = open_page("/plans", width=390, fresh=True)
    page.add_init_script(  # the start screen goes because the page is there, not because it took too long
        "window.setTimeout = ((set) => (run, wait, ...all) => wait === 20000 ? 0 : set(run, wait, ...all))(setTimeout)"
    )
    settled(page)
    menu = page.get_by_role("button", name="Menu", exact=True)
    menu.click()
    page.get_by_role("link", name="Glossary", exact=True).click()
    expect(page.get_by_role("heading", name="Glossary", exact=True)).to_be_visible()
    menu.click()
    page.go_back()
    expect(page).to_have_url(re.compile("/plans"))
    expect(menu).to_be_visible()
    menu.click()
    expect(menu).to_have_count(0)
    page.reload()
    expect(page.locator("#shell")).to_have_count(0)
    expect(menu).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    menu.click()
    expect(menu).to_have_count(0)
    page.add_init_script("Storage.prototype.removeItem = () => {}")  # it is open from the start
    page.reload()
    expect(page.get_by_test_id("stSidebarNavLink").first).to_be_visible()
    expect(page.locator("#shell")).to_have_count(0)


def test_a_molecule_is_explained_on_home_and_travels(open_page: OpenPage) -> None:
    page = open_page("/")
    settled(page)
    field = page.get_by_role("textbox", name="Try a molecule or a sentence here")
    field.fill("CCO")
    field.press("Enter")
    expect(page.locator(".hero .node[class*=element-]")).to_have_count(9)
    field.fill("molecule")
    field.press("Enter")
    expect(page.get_by_text("not a molecule that we know by name")).to_be_visible()
    page.go_back()
    expect(field).to_have_value("CCO")
    settled(page)
    navigate(page, "Data sets")
    expect(page).to_have_url(re.compile("smiles=CCO"))
    expect(page.get_by_role("heading", name="CCO", exact=True)).to_be_visible()


def test_back_counts_whatever_a_page_tells_in_the_same_moment(open_page: OpenPage) -> None:
    page = open_page("/", fresh=True)
    page.add_init_script("window.requestIdleCallback = (work) => { window.whenIdle = work; };")
    page.reload()
    settled(page)
    field = page.get_by_role("textbox", name="Try a molecule or a sentence here")
    page.wait_for_function("!!window.whenIdle")
    for text in ("CCO", "CCN"):
        field.fill(text)
        field.press("Enter")
        expect(page).to_have_url(re.compile(text))
    settled(page)
    page.evaluate("""() => {
      window.addEventListener("popstate", () => setTimeout(window.whenIdle), { once: true });
      history.back();
    }""")
    settled(page)
    expect(field).to_have_value("CCO")
    expect(page).to_have_url(re.compile("CCO"))


def test_hostile_names_stay_text(open_page: OpenPage) -> None:
    """What is Markdown and what is not is looked at below the browser, on every page."""
    page = open_page(f"/datasets?{urlencode({'dataset': 'mutagenicity', 'smiles': ALL})}")
    said = page.get_by_test_id("stAlert").first
    expect(said).to_contain_text("[x](http")
    settled(page)
    assert said.locator("a, img, code, strong, del, .katex").count() == 0
    assert page.locator("a[href*='evil']").count() == 0
    page = open_page(f"/datasets?{urlencode({'dataset': 'mutagenicity', 'smiles': 'O=[N+]([O-])c1ccccc1'})}")
    heading = page.get_by_role("heading", name="O=[N+]([O-])c1ccccc1")
    expect(heading).to_be_visible()
    assert heading.locator("a").count() == 0
