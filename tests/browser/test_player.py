"""The player in a real browser, from a file with the network off."""

import dataclasses
import re
import sys
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Play
from tests.browser.player_reading import at, drawn, ending, node, picture, press
from tests.toys.player_traces import enlarged, shipped


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
    page.get_by_role("tab", name="Parents").click()
    expect(page.get_by_role("tab", name="Parents")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name="Parents")).to_be_visible()
    whole = picture(page).get_attribute("viewBox")
    page.get_by_label("Zoom in").click()
    assert picture(page).get_attribute("viewBox") != whole
    page.get_by_label("Zoom out").click()
    page.get_by_label("Show all").click()
    assert picture(page).get_attribute("viewBox") == whole
    page.get_by_label("Play (space)").click()
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


def test_a_step_back_restores_the_exact_picture_on_the_same_elements(play: Play) -> None:
    page = play(shipped("mutagenicity-caffeine"))
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


def test_plays_to_the_end_unless_less_motion_is_wanted_and_hovering_pauses(play: Play) -> None:
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
    still = play(shipped("tree_cycles-748"))  # for whoever wants less motion
    still.wait_for_timeout(300)
    expect(still.get_by_label("Play (space)")).to_be_visible()
    expect(still.locator(".player")).not_to_have_class(re.compile("tween"))


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


def computed_s() -> float:
    """Seconds that all processes of the browser have computed so far."""
    own = [each for each in psutil.Process().children(recursive=True) if "chrom" in each.name().lower()]
    return sum(each.cpu_times().user + each.cpu_times().system for each in own)


def test_frames_per_second(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    """What a frame costs is the same on a busy computer, where fewer are drawn."""
    count, least = 400, 20
    page = play(enlarged(shipped("ba_community-304"), count), moving=True)
    expect(page.locator(".stage .node")).to_have_count(count)
    page.get_by_label("Speed").select_option("2")
    expect(page.locator(".counter")).not_to_have_text("0 / 9")  # it plays
    before = computed_s()
    rates = page.evaluate(COUNT_FRAMES, 2)
    cost = (computed_s() - before) / sum(rates)
    expect(page.locator(".counter")).not_to_have_text(re.compile("^[01] /"))
    expect(page.locator(".side-out .rest .name")).to_have_text(re.compile(r"and \d+ more"))
    with capsys.disabled():
        sys.stdout.write(f"\nPlayer, {count} nodes: {rates} frames a second, each {1000 * cost:.1f} ms of computing\n")
    assert 0 < cost <= 1 / least


def test_hostile_text_stays_text(play: Play) -> None:
    evil = "<img src=x onerror=alert(1)> **bold** ![x](http://x)"
    trace = shipped("ba_shapes-423")
    assert trace.answer is not None
    nodes = tuple(dataclasses.replace(each, label=evil, features=((evil, "</script><b>"),)) for each in trace.nodes)
    texts = {"classes": (evil,) * 4, "dataset_title": "</title><i>"}
    answer = dataclasses.replace(trace.answer, sentence=evil)
    page = play(dataclasses.replace(trace, nodes=nodes, answer=answer, **texts), answer=True)
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    expect(page.locator(".sentence")).to_have_text(evil)
    press(page, "ArrowRight")
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    for name in ("Flows", "Cut vertices", "Parents", "Reward", "Result"):
        page.get_by_role("tab", name=name).click()
        assert page.locator("img, script script, header i, .player b b").count() == 0
    expect(page.locator(".caption")).to_contain_text(evil)
    node(page, 0).hover()
    expect(page.locator(".tip")).to_contain_text(f"{evil} </script><b>")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_narrow_and_dark(play: Play) -> None:
    page = play(shipped("ba_community-304"), width=390, theme="dark")
    press(page, "ArrowRight", "ArrowRight")
    for name in ("Flows", "Cut vertices", "Parents", "Reward", "Result"):
        page.get_by_role("tab", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        button = page.get_by_label("Play (space)").bounding_box()
        assert button is not None
        assert 0 < button["y"] < 800 - button["height"]
        assert min(button["width"], button["height"]) >= 44
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 31)"
    wide = play(enlarged(shipped("ba_community-304"), 60))
    press(wide, "ArrowRight", "ArrowRight")
    assert wide.evaluate("document.documentElement.scrollHeight") <= 800  # there it needs no scrolling
    expect(wide.locator(".policy .bar-row").last).to_be_in_viewport(ratio=1)


def test_pictures_can_be_saved(play: Play, tmp_path: Path) -> None:
    page = play(dataclasses.replace(shipped("mutagenicity-nitrobenzene"), made={"name": "O=[N+]"}), theme="dark")
    press(page, "ArrowRight")
    saved = {}
    for kind in ("svg", "png"):
        page.get_by_label("Save this picture").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=kind.upper()).click()
        assert download.value.suggested_filename == f"mutagenicity-O_N_-step-1.{kind}"
        download.value.save_as(tmp_path / kind)
        saved[kind] = (tmp_path / kind).read_bytes()
    text = saved["svg"].decode()
    assert "var(" not in text
    assert "color-mix" not in text
    assert "rgb(18, 22, 31)" in text
    assert saved["png"].startswith(b"\x89PNG")
    page.goto((tmp_path / "svg").as_uri())
