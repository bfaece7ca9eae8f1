"""The static site: small, whole, and alone; every page opens from disk with the network off."""

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from gfx_core.__main__ import main
from gfx_core.bench.report import PAPER, STUDIES, Findings, conclusion, is_papers, read_records
from gfx_core.config import ASSETS
from gfx_core.drawing.export import PLAYER_STYLES, TRAIN_STYLES
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.site import markup
from gfx_core.site.build import tour_stops
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import Practice, ground, solve_flows
from gfx_core.teaching.tour import stops
from gfx_core.text.answers import common_part, truth_words
from gfx_core.trace.serialize import load
from gfx_core.training.stories import STORIES
from tests.browser.tabs import Tab, Tabs
from tests.patience import PATIENCE_S, until

expect.set_options(timeout=1000 * PATIENCE_S)
MOST_BYTES = 15_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site in a folder, from what is shipped alone."""
    folder = tmp_path_factory.mktemp("site") / "all of it"
    assert main(["site", "--out", str(folder)]) == 0
    return folder


class Links(HTMLParser):
    """What a page leads to, loads and names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        self.names |= {about["id"]} if "id" in about else set()
        self.targets += [about[name] for name in ("href", "src", "action", "data", "srcset", "poster") if name in about]
        self.loaded += [about["src"]] if tag == "script" and "src" in about else []
        assert not [name for name in about if name.startswith("on")], "scripts are in files"


# What is in the folder


def test_it_is_small_and_has_every_page(site: Path) -> None:
    assert sum(file.stat().st_size for file in site.iterdir()) <= MOST_BYTES
    names = {file.name for file in site.iterdir()}
    assert {f"{name}.html" for name in ("index", "explanations", "trainings", "results", "figure", "glossary")} <= names
    assert {f"lesson-{number}.html" for number in LESSONS} <= names
    assert {f"training-{told.name}.html" for told in STORIES.values()} <= names
    players = [name for name in names if name.startswith("player-")]
    assert len(players) >= 7 * 3 + 1  # three of each data set, and one of an own graph
    assert "player-own_graph.html" in players


def test_results_begin_with_their_conclusion(site: Path) -> None:
    words = conclusion([Findings(study, read_records(study)) for study in STUDIES.values()])
    text = (site / "results.html").read_text(encoding="utf-8")
    every = [claim for study in STUDIES.values() for claim in Findings(study, read_records(study)).claims]
    assert text.count(f" · {PAPER}</b>") == sum(map(is_papers, every)) > 1
    assert (
        text.index("<h1>")
        < text.index(f'<p class="lead st-key-findings">{html.escape(words)}</p>')
        < text.index("<ul class='claims'>")
    )


def test_a_card_of_several_reasons_says_the_same_as_the_first_page_of_the_explorer(site: Path) -> None:
    """One nitro group with either O is one part, not two reasons."""
    page = (site / "explanations.html").read_text(encoding="utf-8")
    card = page.partition('href="player-mutagenicity-nitrobenzene.html"')[2].partition("</a>")[0]
    trace = load(ASSETS / "traces" / "mutagenicity-nitrobenzene.json")
    assert trace.answer is not None
    part, atoms = common_part(trace, trace.answer)
    assert part
    for words in (part, atoms):
        assert words.lower() in card.lower()


@pytest.mark.parametrize("name", ["ba_2motifs-448", "mutagenicity-caffeine", "tree_cycles-612"])
def test_below_its_title_a_player_says_what_is_true_and_what_to_know(site: Path, name: str) -> None:
    """As Explain does."""
    trace = load(ASSETS / "traces" / f"{name}.json")
    header = read_header(model_path(trace.dataset))
    text = (site / f"player-{name}.html").read_text(encoding="utf-8")
    top = text.partition("<h1>")[2].partition("</header>")[0]
    for words in (truth_words(trace, header.accuracy["test"]), *trace.notes):
        assert html.escape(words) in top


def test_every_link_leads_somewhere_on_the_site(site: Path) -> None:
    pages = {file.name: Links(file.read_text(encoding="utf-8")) for file in site.glob("*.html")}
    reached = {"index.html"}
    for name, page in pages.items():
        assert page.loaded == ["site.js"], name
        for target in page.targets:
            parts = urlsplit(target)
            assert not parts.scheme, f"{name} leads to {target}"
            assert not parts.netloc, f"{name} leads to {target}"
            assert not parts.path or (site / parts.path).is_file(), f"{name} leads to {target}"
            assert not parts.fragment or parts.fragment in pages[parts.path or name].names, f"{name} leads to {target}"
            reached.add(parts.path or name)
    assert reached == {file.name for file in site.iterdir()}


def test_hints_can_be_followed_on_the_site(site: Path) -> None:
    """They name no button that only the explorer has."""
    for number in LESSONS:
        page = (site / f"lesson-{number}.html").read_text(encoding="utf-8")
        question = page.partition('<fieldset class="question">')[2]
        answers = json.loads(question.partition('<script type="application/json">')[2].partition("</script>")[0])
        for reply in answers["replies"]:
            for button in re.findall(r"[Pp]ress “([^”]+)”", reply):
                assert f">{button}</button>" in page
            assert not re.search(r"Sample 20|Try it|[Tt]rain with|“a and e”|Draw it|Below is", reply), number


def test_nothing_in_it_asks_for_anything_elsewhere(site: Path) -> None:
    script = (site / "site.js").read_text(encoding="utf-8")
    assert set(re.findall(r"\b\w+:/{2}[\w./]+", script)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|import)\s*\(", script)
    for sheet in site.glob("*.css"):
        assert not re.search(r"url\(|@import", sheet.read_text(encoding="utf-8")), sheet
    for page in site.glob("*.html"):
        policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', page.read_text(encoding="utf-8"))
        assert policy, page
        assert "default-src 'none'" in policy[0]
        assert "'unsafe-eval'" not in policy[0]
        assert re.findall(r"script-src ([^;]+)", policy[0])[0].split()[0] == "'self'"
        assert "'unsafe-inline'" not in re.findall(r"script-src ([^;]+)", policy[0])[0]


def test_texts_become_text() -> None:
    hostile = '<img src=x onerror="alert(1)"> [a](/glossary#flow) **b** </script>'
    made = markup.rich(hostile)
    assert made.count("<") == 4  # the link and the bold letter
    assert '<a href="glossary.html#flow">a</a> <b>b</b>' in made
    assert "<" not in markup.data({"text": hostile}).removesuffix("</script>").partition(">")[2]
    assert markup.plain("**b** [a](/glossary#flow) `c`") == "b a c"


def test_the_looks_of_the_site_and_of_its_views_do_not_meet() -> None:
    def classes(*names: str) -> set[str]:
        texts = [(ASSETS / f"{name}.css").read_text(encoding="utf-8") for name in names]
        rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", "".join(texts), flags=re.DOTALL)
        return set(re.findall(r"\.([a-zA-Z][\w-]*)", rules))

    views = classes(*PLAYER_STYLES, *TRAIN_STYLES)
    assert classes("site/site") & views <= {"player", "presenting"}  # they are meant


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert main(["site", "--out", str(tmp_path / "file")]) == 2
    assert "The site cannot be written to" in capsys.readouterr().err


# In a browser, from disk, with the network off


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Tabs:
    return Tabs(browser, height=844, offline=True)


@pytest.fixture
def tab(tabs: Tabs) -> Iterator[Tab]:
    """A new profile; nothing may go wrong in it."""
    taken = tabs.take(390, "dark", fresh=True)
    yield taken
    wrong = [*taken.wrong, *taken.outside]
    tabs.give_back(taken, fresh=True)
    assert not wrong


def test_every_page_opens_on_a_phone_in_the_dark(site: Path, tab: Tab) -> None:
    page = tab.page
    for file in sorted(site.glob("*.html")):
        page.goto(file.as_uri())
        for view in page.locator("[data-mount]").all():
            view.scroll_into_view_if_needed()
            expect(view.locator("svg, canvas, table, article").filter(visible=True).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{file.name} is too wide"
        light = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert max(light) < 60, file.name


def test_what_plays_moves(site: Path, tab: Tab) -> None:
    page = tab.page
    for name in ("index", "player-tree_grid-514", "training-epsilon"):
        page.goto((site / f"{name}.html").as_uri())
        expect(page.locator("[data-mount]").locator("svg, canvas").filter(visible=True).first).to_be_visible()
        before = picture(page)
        page.wait_for_function("(before) => window.pictured() !== before", arg=before)


def test_the_first_page_has_one_row_of_chapters_and_labels_inside_their_nodes(site: Path, tab: Tab) -> None:
    page = tab.page
    page.goto((site / "index.html").as_uri())
    chapters = page.locator("body > header nav a")
    assert len({box["y"] for each in chapters.all() if (box := each.bounding_box())}) == 1
    expect(page.locator(".frontier text").first).to_be_visible()
    widths = "(nodes, part) => nodes.map((node) => node.querySelector(part).getBBox().width)"
    texts, bodies = (page.locator(".frontier").evaluate_all(widths, part) for part in ("text", ".body"))
    assert max(text / body for text, body in zip(texts, bodies, strict=True)) < 0.95


def picture(page: Page) -> str:
    """What can be read and seen in the first view of a page, in its shadow tree where it has one."""
    page.evaluate("""() => {
        const place = document.querySelector("[data-mount]");
        const root = place.shadowRoot ?? place;
        window.pictured = () => [...root.children].map((each) => each.outerHTML).join("");
    }""")
    return str(page.evaluate("window.pictured()"))


def test_the_theme_is_turned_and_kept(site: Path, tab: Tab) -> None:
    page = tab.page
    paper = "getComputedStyle(document.body).backgroundColor"
    page.goto((site / "index.html").as_uri())
    dark = page.evaluate(paper)
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(paper) != dark
    page.get_by_role("link", name="Glossary", exact=True).first.click()
    page.wait_for_url("**/glossary.html")
    assert page.evaluate(paper) != dark
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(paper) == dark


def test_lessons_can_be_done_and_answered(site: Path, tab: Tab) -> None:
    page = tab.page
    page.goto((site / "lesson-1.html").as_uri())
    table = page.locator("[data-part=stops]")
    expect(table).to_contain_text("Z = 12.5")
    page.get_by_role("button", name="Halve all").click()
    expect(table).to_contain_text("Z = 6.25")
    page.get_by_label("It doubles.").check()
    expect(page.locator("output")).to_contain_text("twice as much enters at the start")
    page.get_by_label("It stays the same.").check()
    expect(page.locator(".question")).to_have_attribute("data-answered", "right")

    page.goto((site / "lesson-2.html").as_uri())
    way = page.locator("[data-part=way]")
    for order in ("b c d", "c b d"):
        page.get_by_role("button", name="Start again").click()
        for node in order.split():
            page.locator(f"[data-part=nodes] .node:has(text:text-is('{node}'))").click()
    expect(way).to_contain_text("2 of 3")

    page.goto((site / "lesson-3.html").as_uri())
    page.get_by_role("button", name="Merge equal sets").click()
    expect(page.locator("[data-part=said]")).to_contain_text("every factor goes to 1")
    orange = """(canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((red, k) => k % 4 === 0 && data[k + 3] > 200 && red > data[k + 2] + 100);
    }"""
    until(lambda: page.locator(".tree canvas").first.evaluate(orange))
    assert not page.locator(".sets canvas").first.evaluate(orange)  # nothing is there more than once

    page.goto((site / "lesson-5.html").as_uri())
    page.locator("[data-part=graph] .node:has(text:text-is('b'))").click()
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-part=answers]")).to_contain_text(re.compile("b Not removable: .*d Missed", re.DOTALL))

    page.goto((site / "lesson-6.html").as_uri())
    says = page.locator("[data-part=says]")
    expect(says).to_contain_text("of 38 subgraphs")
    expect(page.locator(".question")).to_contain_text("5.8 %")  # as in the explorer
    page.get_by_role("button", name="Show the best").click()
    ring = ("612", "607", "611", "608", "610", "609")
    best = re.compile(rf"For the best one, {', '.join(ring)}, it predicts “cycle” with 99\s%: log R = ")
    expect(says).to_contain_text(best)
    for node in ring[1:]:
        page.locator(f"[data-part=nodes] .node:has(text:text-is('{node}'))").click()
    expect(says).to_contain_text(re.compile(r"alone the GNN predicts “cycle” with 99\s%.* better than 36 of 38"))


def test_what_cannot_be_done_on_the_site_is_to_be_seen(site: Path) -> None:
    for number, (done, seen) in {1: (1, 0), 4: (1, 1), 6: (1, 1), 7: (0, 1), 9: (0, 1)}.items():
        text = (site / f"lesson-{number}.html").read_text(encoding="utf-8")
        assert (text.count("<b>To do:</b>"), text.count("<b>To see:</b>")) == (done, seen), number


def test_the_keyboard_reaches_what_plays(site: Path, tab: Tab) -> None:
    page = tab.page
    page.emulate_media(reduced_motion="reduce")
    page.goto((site / "player-tree_cycles-612.html").as_uri())
    expect(page.locator(".counter")).to_contain_text("0 / 5")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".counter")).to_contain_text("1 / 5")
    page.goto((site / "glossary.html").as_uri())
    page.get_by_label("Search").fill("cut vertex")
    assert 0 < page.locator("article:visible").count() < page.locator("article").count()


def test_the_tour_leads_over_the_stops_that_are_on_the_site(site: Path, tab: Tab) -> None:
    page = tab.page
    page.goto((site / "index.html").as_uri())
    expect(page.locator(".tour")).to_be_hidden()
    page.get_by_role("link", name="Guided tour").click()
    here = tour_stops()
    assert {each["sentence"] for each in here} < {stop.sentence for stop in stops()}
    assert len(here) == 6
    assert "results.html" in {each["page"] for each in here}  # not only what went well
    for number, stop in enumerate(here, 1):
        expect(page.locator(".tour .count")).to_have_text(f"{number} of {len(here)}")
        expect(page.locator(".tour .sentence")).to_have_text(stop["sentence"])
        assert urlsplit(page.url).path.endswith(stop["page"])
        target = page.locator(" ".join(stop["point"])).first
        expect(target).to_be_visible()
        page.wait_for_function("(target) => target.getAnimations().length > 0", arg=target.element_handle())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), stop["page"]
        page.wait_for_function(
            "(target) => target.getBoundingClientRect().top > parseFloat(getComputedStyle(document.body).paddingTop)",
            arg=target.element_handle(),
        )
        if stop["page"].startswith("player-") and ".play" not in stop["press"]:  # it speaks of the answer
            expect(page.get_by_role("tab", name="Answer")).to_have_attribute("aria-selected", "true")
            expect(page.get_by_role("button", name="Play (space)")).to_be_visible()
            cut = "(all) => all.some((name) => name.scrollWidth > name.clientWidth)"
            assert not page.locator(".answer-bars .name").evaluate_all(cut)
        page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.locator(".tour")).to_be_hidden()
    assert urlsplit(page.url).path.endswith("/index.html")
    assert not urlsplit(page.url).query
    page.goto(f"{(site / 'results.html').as_uri()}?tour=1")  # a stop is on its own page only
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".tour")).to_be_hidden()


def test_flows_are_those_of_the_explorer(browser: Browser) -> None:
    toy = ground(Practice.TOY)
    links = [{"source": int(a), "target": int(b)} for a, b in zip(toy.dag.parent, toy.dag.child, strict=True)]
    source = (ASSETS / "site" / "flows.js").read_text(encoding="utf-8")
    page = browser.new_page()
    try:
        page.evaluate(f"(() => {{ {source.replace('export function solve', 'window.solve = function')} }})()")
        for seed in range(3):
            reward = np.random.default_rng(seed).uniform(0, 12, toy.dag.num_states)
            found = page.evaluate("([links, reward]) => window.solve(links, reward)", [links, reward.tolist()])
            wanted = solve_flows(toy.dag, reward)
            np.testing.assert_allclose(found["through"], wanted.state)
            np.testing.assert_allclose(found["flow"], wanted.edge)
    finally:
        page.close()
