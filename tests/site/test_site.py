"""The static site: small, whole, and alone; every page opens from disk with the network off."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser

from gfx_core.__main__ import main
from gfx_core.config import ASSETS
from gfx_core.drawing.templates import templates
from gfx_core.exact.state_space import StateSpace
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.site import markup
from gfx_core.site.build import tour_stops
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import toy_ground
from gfx_core.text.answers import reason_groups, truth_words
from gfx_core.trace.serialize import load
from gfx_core.training.training import STORIES
from tests.browser.settling import expect
from tests.browser.tabs import Tab, Tabs


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site in a folder, from what is shipped alone."""
    folder = tmp_path_factory.mktemp("site") / "all of it"
    assert main(["site", "--out", str(folder)]) == 0
    return folder


def text(site: Path, page: str) -> str:
    return (site / f"{page}.html").read_text(encoding="utf-8")


# What is in the folder


def test_it_is_small_and_every_link_leads_somewhere_on_it(site: Path) -> None:
    files = {file.name for file in site.iterdir()}
    assert sum(file.stat().st_size for file in site.iterdir()) <= 15_000_000
    assert {f"{name}.html" for name in ("explanations", "trainings", "results", "figure", "glossary")} <= files
    assert {f"lesson-{number}.html" for number in LESSONS} <= files
    assert {f"training-{story.name}.html" for story in STORIES.values()} <= files
    assert sum(name.startswith("player-") for name in files) >= 7 * 3 + 1  # three of each data set, and an own graph
    pages = {file.name: file.read_text(encoding="utf-8") for file in site.glob("*.html")}
    reached = {"index.html"}
    for name, page in pages.items():
        assert re.findall(r"<script[^>]* src=\"([^\"]*)", page) == ["site.js"], name
        assert not re.search(r"<[^>]* on\w+=", page), "scripts are in files"
        for target in re.findall(r" (?:href|src|action|data|srcset|poster)=\"([^\"]*)\"", page):
            parts = urlsplit(html.unescape(target))
            assert parts[:2] == ("", ""), f"{name} leads to {target}"
            assert (parts.path or name) in files, f"{name} leads to {target}"
            assert not parts.fragment or f' id="{parts.fragment}"' in pages[parts.path or name], target
            reached.add(parts.path or name)
    assert reached == files


def test_cards_and_players_say_what_the_explorer_says(site: Path) -> None:
    card = text(site, "explanations").partition('href="player-mutagenicity-nitrobenzene.html"')[2].partition("</a>")[0]
    trace = load(ASSETS / "traces" / "mutagenicity-nitrobenzene.json")
    assert trace.answer is not None
    (part,) = reason_groups(trace, trace.answer)  # one nitro group with either O is one part, not two reasons
    for words in (part.kind, part.atoms):
        assert words.lower() in card.lower()
    for name in ("ba_2motifs-448", "mutagenicity-caffeine"):
        trace = load(ASSETS / "traces" / f"{name}.json")
        truth = truth_words(trace, read_header(model_path(trace.dataset)).accuracy["test"])
        header = text(site, f"player-{name}").partition("<h1>")[2].partition("</header>")[0]
        assert all(html.escape(words) in header for words in (truth, *trace.notes))
    results = text(site, "results")
    assert results.index("st-key-findings") < results.index("<ul class='claims'>")


def test_lessons_name_only_what_the_site_has(site: Path) -> None:
    script = (site / "site.js").read_text(encoding="utf-8")
    for number in LESSONS:
        page = text(site, f"lesson-{number}")
        question = page.partition('<fieldset class="question">')[2]
        answers = json.loads(question.partition('<script type="application/json">')[2].partition("</script>")[0])
        for reply in answers["replies"]:
            assert all(f'"{button}"' in script for button in re.findall(r"[Pp]ress “([^”]+)”", reply))
            assert not re.search(r"Try it|[Tt]rain with|“a and e”|Draw it|Below is", reply), number
    for number, marks in {1: (1, 0), 4: (1, 1), 6: (1, 1), 7: (0, 1), 9: (0, 1)}.items():
        page = text(site, f"lesson-{number}")
        assert (page.count("<b>To do:</b>"), page.count("<b>To see:</b>")) == marks, number


def test_nothing_in_it_asks_for_anything_elsewhere(site: Path) -> None:
    script = (site / "site.js").read_text(encoding="utf-8")
    assert set(re.findall(r"\b\w+:/{2}[\w./]+", script)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|import)\s*\(", script)
    assert not any(re.search(r"url\(|@import", sheet.read_text(encoding="utf-8")) for sheet in site.glob("*.css"))
    for page in site.glob("*.html"):
        policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', page.read_text(encoding="utf-8"))
        assert policy, page
        scripts = re.findall(r"script-src ([^;]+)", policy[0])[0].split()
        assert "default-src 'none'" in policy[0]
        assert scripts[0] == "'self'"
        assert not {"'unsafe-eval'", "'unsafe-inline'"} & set(scripts)


def test_texts_become_text() -> None:
    hostile = '<img src=x onerror="alert(1)"> [a](/glossary#flow) **b** </script>'
    page = markup.rich(hostile)
    assert page.count("<") == 4  # the link and the bold letter
    assert '<a href="glossary.html#flow">a</a> <b>b</b>' in page
    assert "<" not in templates().filters["data"]({"text": hostile})
    assert markup.plain("**b** [a](/glossary#flow) `c`") == "b a c"


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert main(["site", "--out", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err


# In a browser, from disk, with the network off


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """A new profile of who wants less motion; nothing may go wrong in it."""
    tab = Tabs(browser, height=844, offline=True).take(390, "dark", "reduce")
    yield tab
    wrong = [*tab.wrong, *tab.outside]
    tab.page.context.close()
    assert not wrong


def test_every_page_opens_on_a_phone_in_the_dark(site: Path, tab: Tab) -> None:
    """Some of the players and of the trainings, which are alike."""
    page = tab.page
    alike = [sorted(site.glob(f"{kind}-*.html")) for kind in ("player", "training")]
    others = set(site.glob("*.html")).difference(*alike)
    for file in (*others, *alike[0][::6], *alike[1][::4]):
        page.goto(file.as_uri())
        for view in page.locator("[data-mount]").all():
            view.scroll_into_view_if_needed()
            expect(view.locator("svg, canvas, table, article").filter(visible=True).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{file.name} is too wide"
        light = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert max(light) < 60, file.name


def test_the_theme_is_kept_and_the_glossary_can_be_searched(site: Path, tab: Tab) -> None:
    page, paper = tab.page, "getComputedStyle(document.body).backgroundColor"
    page.goto((site / "index.html").as_uri())
    dark = page.evaluate(paper)
    page.get_by_role("button", name="Dark or light").click()
    page.get_by_role("link", name="Glossary", exact=True).first.click()
    page.wait_for_url("**/glossary.html")
    assert page.evaluate(paper) != dark
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(paper) == dark
    page.get_by_label("Search").fill("cut vertex")
    assert 0 < page.locator("article:visible").count() < page.locator("article").count()


STATUS = ".lesson [role=status]"


def test_lessons_can_be_done_and_answered(site: Path, tab: Tab) -> None:
    page = tab.page

    def click(node: str) -> None:
        page.locator(f".node:has(text:text-is('{node}'))").click()

    page.goto((site / "lesson-1.html").as_uri())
    table = page.locator(".stops")
    expect(table).to_contain_text("Z = 12.5")
    page.get_by_role("button", name="Halve all").click()
    expect(table).to_contain_text("Z = 6.25")
    page.get_by_label("It doubles.").check()
    expect(page.locator("output")).not_to_be_empty()
    page.get_by_label("It stays the same.").check()
    expect(page.locator(".question")).to_have_attribute("data-answered", "right")

    page.goto((site / "lesson-6.html").as_uri())
    said = page.locator(STATUS)
    click("607")
    page.get_by_role("button", name="Show the best").click()
    best = ("612", "607", "611", "608", "610", "609")
    expect(said).to_contain_text(re.compile(r"The best, 612, .*99\s%", re.DOTALL))
    for node in best[2:]:
        click(node)
    expect(said).to_contain_text(re.compile(r"99\s%.* 0 of 38", re.DOTALL))


def test_the_tour_leads_over_the_stops_that_are_on_the_site(site: Path, tab: Tab) -> None:
    page, stops = tab.page, tour_stops()
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="Guided tour").click()
    assert "results.html" in {stop["page"] for stop in stops}  # not only what went well
    for number, stop in enumerate(stops, 1):
        expect(page.locator(".tour .count")).to_have_text(f"{number} of {len(stops)}")
        expect(page.locator(".tour .sentence")).to_have_text(stop["sentence"])
        assert urlsplit(page.url).path.endswith(stop["page"])
        target = page.locator(" ".join(stop["point"])).first
        expect(target).to_be_visible()
        page.wait_for_function(
            "(target) => target.getAnimations().length > 0"
            " && target.getBoundingClientRect().top > parseFloat(getComputedStyle(document.body).paddingTop)",
            arg=target.element_handle(),
        )
        page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.locator(".tour")).to_be_hidden()
    assert urlsplit(page.url).path.endswith("/index.html")
    page.goto(f"{(site / 'results.html').as_uri()}?tour=1")  # a stop is on its own page only
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".tour")).to_be_hidden()


def test_flows_are_those_of_the_explorer(browser: Browser) -> None:
    toy = toy_ground()
    links = [{"source": int(a), "target": int(b)} for a, b in zip(toy.dag.parent, toy.dag.child, strict=True)]
    source = (ASSETS / "lessons" / "flows.js").read_text(encoding="utf-8")
    reward = np.random.default_rng(0).uniform(0, 12, toy.dag.num_states)
    script = re.sub(r"^export function (\w+)", r"window.\1 = function", source, flags=re.MULTILINE)
    with browser.new_page() as page:
        page.evaluate(f"(() => {{ {script} }})()")
        flows = page.evaluate("([links, reward]) => window.solve(links, reward)", [links, reward.tolist()])
        counts, few = (
            page.evaluate("([weights, count]) => window.sample(weights, count)", [reward.tolist(), count])
            for count in (100_000, 1000)
        )
    space = StateSpace(toy.dag, np.log(reward))
    np.testing.assert_allclose(flows["through"], np.exp(space.log_state))
    np.testing.assert_allclose(flows["flow"], np.exp(space.log_edge))
    assert (sum(counts), sum(few)) == (100_000, 1000)
    np.testing.assert_allclose(np.array(counts) / 1e5, reward / reward.sum(), atol=0.008)
    assert all(small <= large for small, large in zip(few, counts, strict=True))  # the first samples stay
