"""The player in a real browser, from a file with the network off."""

import dataclasses
import re
import struct
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from gfx_core.config import FlowSource
from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.gfn.settings import REWARD_PRESETS, RewardConfig
from gfx_core.number_words import counted
from gfx_core.trace.schema import RewardTerm, Step, TermWords, Trace
from tests.browser.conftest import Play
from tests.toys.player_traces import enlarged, shipped
from tests.toys.traces import make_trace


def picture(page: Page) -> Locator:
    return page.locator(".stage svg.graph")


def drawn(page: Page) -> str:
    """The picture, with everything that is set on it."""
    return picture(page).evaluate("(svg) => new XMLSerializer().serializeToString(svg)")


def node(page: Page, index: int) -> Locator:
    return page.locator(f'.stage [data-node="{index}"]')


def at(page: Page, text: str) -> None:
    """Wait for the step counter."""
    expect(page.locator(".counter")).to_have_text(text)


def written(value: float, digits: int = 3) -> str:
    """A number as the player writes it."""
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share as the player writes it."""
    digits = 2 if share < 0.00995 else 1 if share < 0.0995 or share > 0.99 else 0
    return f"{100 * share:.{digits}f} %"


def ending(trace: Trace) -> str:
    """What is said of the found subgraph: without a truth only how large it is."""
    found, motif = len(trace.hits), len(trace.hits) + len(trace.missed)
    if motif:
        return f"{found} of {counted(motif, 'motif edge')} found, {len(trace.extra)} extra"
    return f"{counted(len(trace.final.edges), 'edge')} found"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def priced(trace: Trace, reward: RewardConfig) -> Trace:
    """A trace as it would be under another reward: what was measured stays, prices and costs change."""

    def under(step: Step) -> Step:
        prices = {term.name: reward.price(term.name) for term in step.reward.terms}
        values = {term.name: float(step.size) if term.name == "nodes" else term.value for term in step.reward.terms}
        terms = tuple(RewardTerm(name, value, prices[name], prices[name] * value) for name, value in values.items())
        cost = reward.beta * sum(term.contribution for term in terms)
        log_reward = struct.unpack("f", struct.pack("f", -cost))[0]  # computed with 32-bit numbers
        rewarded = dataclasses.replace(step.reward, log_reward=log_reward, beta=reward.beta, terms=terms)
        return dataclasses.replace(step, reward=rewarded)

    steps = tuple(map(under, trace.steps))
    final = dataclasses.replace(trace.final, log_reward=steps[-1].reward.log_reward)
    return dataclasses.replace(trace, steps=steps, final=final)


def with_nodes(trace: Trace) -> Trace:
    """A trace whose reward may charge for nodes, as a new one has it and an older one has not."""
    if any(words.name == "nodes" for words in trace.reward_terms):
        return trace
    nodes = REWARD_TERMS["nodes"]
    words = (*trace.reward_terms, TermWords("nodes", nodes.symbol, nodes.title))

    def more(step: Step) -> Step:
        terms = (*step.reward.terms, RewardTerm("nodes", float(step.size), 0.0, 0.0))
        return dataclasses.replace(step, reward=dataclasses.replace(step.reward, terms=terms))

    return dataclasses.replace(trace, reward_terms=words, steps=tuple(map(more, trace.steps)))


@pytest.mark.parametrize("preset", [*REWARD_PRESETS, "as shipped"])
def test_the_reward_adds_up_as_it_is_written(play: Play, preset: str) -> None:
    trace = shipped("tree_cycles-513")
    if preset != "as shipped":
        trace = priced(with_nodes(trace), REWARD_PRESETS[preset])
    page = play(trace)
    page.get_by_role("tab", name="Reward").click()
    panel = page.get_by_role("tabpanel", name="Reward")

    def number(text: str) -> Decimal:
        return Decimal(text.replace("−", "-"))

    expect(panel.locator("thead")).to_contain_text(f"β = {trace.steps[0].reward.beta:g}")
    for count, step in enumerate(trace.steps):
        expect(page.locator(".counter")).to_have_text(re.compile(f"^{count} /"))
        costs = panel.locator("tbody .value").all_inner_texts()
        assert len(costs) == len(step.reward.terms)
        log_reward = number(panel.locator(".headline b").inner_text())
        assert sum(map(number, costs)) == number(panel.locator("tfoot .value").inner_text()) == -log_reward
        assert float(log_reward) == pytest.approx(step.reward.log_reward, abs=0.00501)
        for cost, term in zip(costs, step.reward.terms, strict=True):
            assert float(number(cost)) == pytest.approx(step.reward.beta * term.contribution, abs=0.0101)
        press(page, "ArrowRight")


def test_every_control(play: Play) -> None:
    trace = shipped("tree_cycles-513")
    page, last = play(trace), len(trace.steps) - 1
    at(page, f"0 / {last}")
    page.get_by_label("Step forward").click()
    at(page, f"1 / {last}")
    page.get_by_label("Last step").click()
    at(page, "result")
    expect(page.get_by_label("Step forward")).to_be_disabled()
    page.get_by_label("Step back").click()
    at(page, f"{last} / {last}")
    page.get_by_label("First step").click()
    at(page, f"0 / {last}")
    page.get_by_label("Step", exact=True).fill("4")
    at(page, f"4 / {last}")
    page.get_by_label("Loop").click()
    expect(page.get_by_label("Loop")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Show the true motif").click()
    expect(page.locator(".player")).to_have_class(re.compile("with-motif"))
    for name in ("Cut vertices", "Parents", "Reward", "Result", "Flows"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    whole = picture(page).get_attribute("viewBox")
    page.get_by_label("Zoom in").click()
    assert picture(page).get_attribute("viewBox") != whole
    page.get_by_label("Zoom out").click()
    page.get_by_label("Show all").click()
    assert picture(page).get_attribute("viewBox") == whole
    page.get_by_label("Play (space)").click()
    expect(page.get_by_label("Pause (space)")).to_be_visible()
    page.get_by_label("Pause (space)").click()
    expect(page.get_by_label("Play (space)")).to_be_visible()


def test_keys(play: Play) -> None:
    trace = shipped("tree_cycles-513")
    page, last = play(trace), len(trace.steps) - 1
    press(page, "ArrowRight", "ArrowRight", "ArrowLeft")  # nothing has the focus
    at(page, f"1 / {last}")
    press(page, "End")
    at(page, "result")
    press(page, "Home")
    at(page, f"0 / {last}")
    press(page, " ")
    expect(page.get_by_label("Pause (space)")).to_be_visible()
    press(page, " ")
    page.get_by_role("tab", name="Reward").click()  # a click leaves the keys to the player
    press(page, "End", "ArrowLeft")
    at(page, f"{last} / {last}")
    page.get_by_role("tab", name="Reward").focus()
    press(page, "ArrowLeft")
    expect(page.get_by_role("tab", name="Parents")).to_have_attribute("aria-selected", "true")
    at(page, f"{last} / {last}")
    page.get_by_label("Step", exact=True).focus()
    press(page, "ArrowLeft")
    at(page, f"{last - 1} / {last}")


@pytest.mark.parametrize("name", ["ba_community-304", "mutagenicity-caffeine"])
def test_a_step_back_restores_the_exact_picture_on_the_same_elements(name: str, play: Play) -> None:
    page = play(shipped(name))
    page.get_by_label("Zoom in").click()
    box = picture(page).get_attribute("viewBox")
    page.evaluate("document.querySelectorAll('.stage *').forEach((element, k) => { element.mine = k; })")
    marked = "[...document.querySelectorAll('.stage .node, .stage .edge')].every((e) => e.mine !== undefined)"
    pictures = []
    for _ in range(4):
        pictures.append(drawn(page))
        press(page, "ArrowRight")
    assert len(set(pictures)) == 4
    press(page, "End")
    for before in reversed(pictures):
        page.get_by_label("Step", exact=True).fill(str(pictures.index(before)))
        assert drawn(page) == before
    assert page.evaluate(marked)
    assert picture(page).get_attribute("viewBox") == box


def test_drag_and_wheel_move_the_picture(play: Play) -> None:
    page = play(shipped("ba_shapes-301"))
    frame = page.locator(".stage").bounding_box()
    assert frame is not None
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    page.mouse.move(x, y)
    whole = picture(page).get_attribute("viewBox")
    page.mouse.wheel(0, -300)
    assert picture(page).get_attribute("viewBox") == whole  # a plain wheel is the page's
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(page.locator(".stage")).to_have_class(re.compile("zoomed"))
    zoomed = picture(page).get_attribute("viewBox")
    page.mouse.down()
    page.mouse.move(x + 40, y + 30)
    page.mouse.up()
    assert picture(page).get_attribute("viewBox") != zoomed
    page.get_by_label("Show all").click()
    page.evaluate(
        """() => {
            const stage = document.querySelector(".stage");
            const finger = (name, pointerId, clientX) => {
                const at = { pointerId, pointerType: "touch", clientX, clientY: 300 };
                stage.dispatchEvent(new PointerEvent(name, at));
            };
            finger("pointerdown", 1, 300);
            finger("pointerdown", 2, 360);
            finger("pointermove", 2, 480);
        }"""
    )
    pinched = [float(value) for value in (picture(page).get_attribute("viewBox") or "").split()]
    assert pinched[2] == pytest.approx(float((whole or "").split()[2]) / 3, rel=0.01)  # thrice as far apart


def test_hover_links_graph_and_panels(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page = play(trace)
    page.get_by_label("Step", exact=True).fill("3")
    step = trace.steps[3]
    first, parent, cut = step.frontier[0].node, step.parents[0].removed, step.cut_vertices[0]
    node(page, first).hover()
    expect(page.locator(f'.policy [data-nodes="{first}"]')).to_have_class(re.compile("lit"))
    expect(page.locator(f'.side-out [data-nodes="{first}"]')).to_have_class(re.compile("lit"))
    expect(page.locator(".tip")).to_contain_text(f"Node {trace.nodes[first].label}")
    page.locator(f'.side-in [data-nodes="{parent}"]').hover()
    expect(node(page, parent)).to_have_class(re.compile("lit"))
    expect(node(page, first)).not_to_have_class(re.compile("lit"))
    page.get_by_role("tab", name="Cut vertices").click()
    page.locator(f'.matrix th[data-row="{cut}"]').hover()
    pieces = step.child_groups[0].groups
    expect(page.locator(".stage .group")).to_have_count(len(pieces))
    expect(page.locator(".stage .badge")).to_have_count(sum(map(len, pieces)))
    expect(page.locator(".cuts .note")).to_contain_text(f"{len(pieces)} pieces are left")
    page.locator(".caption").hover()
    expect(page.locator(".stage .group")).to_have_count(0)
    expect(page.locator(".cuts .theorem")).to_contain_text("Case 1 (eq. 10)")


def test_the_numbers_beside_the_graph(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page = play(trace)
    assert trace.log_z_exact is not None
    expect(page.locator(".formula")).to_contain_text(f"exact: {written(trace.log_z_exact)}")  # log Z at the source
    page.get_by_label("Step", exact=True).fill("3")
    expect(page.locator(".side-in .bar-row")).to_have_count(len(trace.steps[3].parents))
    expect(page.locator(".side-out .bar-row")).to_have_count(len(trace.steps[3].frontier) + 1)
    step = trace.steps[3]
    assert step.residual is not None
    flows = [written(value) for value in (step.log_in_flow, step.log_out_flow, step.residual)]
    inside = [f"({value})" if value.startswith("−") else value for value in flows]
    expect(page.locator(".formula")).to_contain_text(f"{flows[0]} − {inside[1]} = {flows[2]}")
    likeliest = max(action.probability for action in step.frontier)
    expect(page.locator(".policy")).to_contain_text(percent(likeliest))
    page.get_by_role("tab", name="Reward").click()
    expect(page.locator(".headline")).to_contain_text(written(step.reward.log_reward, 2))
    expect(page.locator(".probabilities")).to_contain_text(percent(step.reward.probability))
    press(page, "End")
    expect(page.get_by_role("tab", name="Result")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".counts .hit b")).to_have_text(str(len(trace.hits)))
    expect(page.locator(".counts .missed b")).to_have_text(str(len(trace.missed)))
    expect(page.locator(".counts .extra b")).to_have_text(str(len(trace.extra)))
    expect(page.locator(".stage .edge.hit")).to_have_count(len(trace.hits))
    expect(page.locator(".stage .edge.extra")).to_have_count(len(trace.extra))
    press(page, "ArrowLeft")
    expect(page.get_by_role("tab", name="Reward")).to_have_attribute("aria-selected", "true")


def test_a_mark_shows_what_the_other_flows_would_do(play: Play) -> None:
    page = play(make_trace())
    panel = page.locator(".panel.policy")
    expect(panel.locator("h3 small")).to_have_text("what may come next · thin mark: by exact flows")
    marks = panel.locator(".mark")
    expect(marks).to_have_count(3)  # of the strongest node, the other one, and STOP
    for mark, share in zip(marks.all(), (0.5, 0.25, 0.25), strict=True):
        at_x, track = mark.bounding_box(), mark.locator("..").bounding_box()
        assert at_x is not None
        assert track is not None
        assert (at_x["x"] + at_x["width"] / 2 - track["x"]) / track["width"] == pytest.approx(share, abs=0.03)
    expect(panel.locator(".bar-row.stop")).to_have_attribute("data-tip", re.compile("by exact flows 25\\s%"))
    page.get_by_label("Step forward").click()  # here nothing is known of them
    expect(panel.locator("h3 small")).to_have_text("what may come next")
    expect(panel.locator(".mark:visible")).to_have_count(0)
    page = play(dataclasses.replace(make_trace(), flows=FlowSource.EXACT))
    expect(page.locator(".panel.policy h3 small")).to_contain_text("by learned flows")
    expect(page.locator("header")).to_contain_text("Exact flows, computed from all 110 connected subgraphs")


def test_parents_can_be_looked_at(play: Play) -> None:
    trace = shipped("ba_shapes-423")
    page = play(trace)
    page.get_by_label("Step", exact=True).fill("3")
    before = drawn(page)
    page.get_by_role("tab", name="Parents").click()
    expect(page.locator(".thumb")).to_have_count(2)
    page.locator(".thumb:not(.back)").click()
    expect(page.locator(".stage .node.removed")).to_have_count(1)
    expect(page.locator(".stage .node.member")).to_have_count(3)
    page.get_by_text("release").click()
    page.locator(".caption").hover()
    assert drawn(page) == before
    page.locator(".thumb.back").click()
    at(page, f"2 / {len(trace.steps) - 1}")


def test_plays_to_the_end_and_hovering_pauses(play: Play) -> None:
    page = play(shipped("tree_cycles-748"), moving=True)
    expect(page.get_by_label("Pause (space)")).to_be_visible()  # it plays by itself
    page.get_by_label("Speed").select_option("4")
    picture(page).hover()
    expect(page.locator(".holding")).to_be_visible()
    held = page.locator(".counter").inner_text()
    page.wait_for_timeout(900)
    at(page, held)
    page.mouse.move(2, 2)
    expect(page.locator(".holding")).to_be_hidden()
    page.get_by_label("Step", exact=True).fill("5")
    page.get_by_label("Loop").click()
    press(page, " ")
    at(page, "result")
    expect(page.locator(".counter")).to_have_text(re.compile("[0-4] / 5"))  # and round again
    page.get_by_label("Loop").click()
    page.get_by_label("Step", exact=True).fill("5")
    press(page, " ")
    at(page, "result")
    expect(page.get_by_label("Play (space)")).to_be_visible()


def test_less_motion_plays_nothing_by_itself(play: Play) -> None:
    page = play(shipped("tree_cycles-748"))
    page.wait_for_timeout(300)
    expect(page.get_by_label("Play (space)")).to_be_visible()
    expect(page.locator(".player")).not_to_have_class(re.compile("tween"))


def test_a_screen_reader_hears_each_step(play: Play) -> None:
    trace = shipped("mutagenicity-nitrobenzene")
    first, second = (f"{trace.nodes[node].element}{trace.nodes[node].id}" for node in trace.steps[-1].members[:2])
    page = play(trace)
    heard = page.locator("[aria-live=polite]")
    expect(heard).to_contain_text(f"Step 0 of {len(trace.steps)}. The set starts as {first}.")
    press(page, "ArrowRight")
    expect(heard).to_contain_text(f"Added {second}, which had")
    press(page, "End")
    expect(heard).to_contain_text(f"Stopped: {ending(trace)}.")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.player button, .player select, .player input')]"
        ".filter((e) => !e.hidden && !(e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert unnamed == 0


COUNT_FRAMES = """(seconds) => new Promise((done) => {
    const times = [];
    const tick = (now) => {
        times.push(now);
        if (now - times[0] < 1000 * seconds) return requestAnimationFrame(tick);
        const second = (k) => times.filter((t) => Math.floor((t - times[0]) / 1000) === k).length;
        done(Array.from({ length: seconds }, (_, k) => second(k)));
    };
    requestAnimationFrame(tick);
})"""


@pytest.mark.parametrize(("count", "least"), [(60, 50), (400, 20)])
def test_frames_per_second(count: int, least: int, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    page = play(enlarged(shipped("ba_community-304"), count), moving=True)
    expect(page.locator(".stage .node")).to_have_count(count)
    page.get_by_label("Speed").select_option("2")
    page.wait_for_timeout(500)
    rates = page.evaluate(COUNT_FRAMES, 2)
    assert page.locator(".counter").inner_text() not in ("0 / 9", "1 / 9")
    expect(page.locator(".side-out .rest .name")).to_have_text(re.compile(r"and \d+ more"))
    page.goto("about:blank")
    blank = page.evaluate(COUNT_FRAMES, 1)[0]  # what the browser manages beside all else that runs on this computer
    with capsys.disabled():
        sys.stdout.write(
            f"\nPlayer, {count} nodes: {rates} frames in each second of playing, {blank} on an empty page\n"
        )
    assert max(rates) >= least * min(1, blank / 60)


def test_hostile_text_stays_text(play: Play) -> None:
    evil = "<img src=x onerror=alert(1)>"
    trace = shipped("ba_shapes-423")
    nodes = [dataclasses.replace(each, label=evil, features=((evil, "</script><b>"),)) for each in trace.nodes]
    page = play(dataclasses.replace(trace, nodes=tuple(nodes), classes=(evil,) * 4, dataset_title="</title><i>"))
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    for name in ("Flows", "Cut vertices", "Parents", "Reward", "Result"):
        page.get_by_role("tab", name=name).click()
        assert page.locator("img, script script, header i, .player b b").count() == 0
    expect(page.locator(".caption")).to_contain_text(evil)
    node(page, 0).hover()
    expect(page.locator(".tip")).to_contain_text(f"{evil} </script><b>")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_narrow(theme: str, play: Play) -> None:
    page = play(shipped("ba_community-304"), width=390, theme=theme)
    press(page, "ArrowRight", "ArrowRight")
    for name in ("Flows", "Cut vertices", "Parents", "Reward", "Result"):
        page.get_by_role("tab", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        button = page.get_by_label("Play (space)").bounding_box()
        assert button is not None
        assert 0 < button["y"] < 800 - button["height"]
        assert min(button["width"], button["height"]) >= 44
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 31)"}[theme]


def test_wide_needs_no_scrolling(play: Play) -> None:
    page = play(enlarged(shipped("ba_community-304"), 60))
    press(page, "ArrowRight", "ArrowRight")
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    last = page.locator(".policy .bar-row").last.bounding_box()
    assert last is not None
    assert last["y"] + last["height"] < 800


def test_pictures_can_be_saved(play: Play, tmp_path: Path) -> None:
    page = play(shipped("mutagenicity-nitrobenzene"), theme="dark")
    press(page, "ArrowRight")
    saved = {}
    for kind in ("svg", "png"):
        page.get_by_label("Save this picture").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=kind.upper()).click()
        assert download.value.suggested_filename == f"mutagenicity-0-step-1.{kind}"
        download.value.save_as(tmp_path / kind)
        saved[kind] = (tmp_path / kind).read_bytes()
    text = saved["svg"].decode()
    assert "var(" not in text
    assert "color-mix" not in text
    assert "rgb(18, 22, 31)" in text
    assert saved["png"].startswith(b"\x89PNG")
    page.goto((tmp_path / "svg").as_uri())
