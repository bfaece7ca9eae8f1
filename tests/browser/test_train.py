"""A training in a browser: its views from a file with the network off, inside Streamlit while it grows, and Train."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from gfx_core.drawing.export import train_html
from tests.browser.conftest import OpenPage
from tests.browser.settling import expect, fits, settled
from tests.server import STREAMLIT, running
from tests.training.toy_recording import Toy, toy_recording

Watch = Callable[..., Page]
LAST = "step 1,150 of 1,150"


@pytest.fixture
def watch(open_file: OpenPage) -> Watch:
    """Open a toy recording's own HTML file."""

    def open_it(toy: Toy, **settings: Any) -> Page:
        return open_file(train_html(toy_recording(toy)), **settings)

    return open_it


def picture(page: Page, view: str, lane: int = 0) -> Locator:
    return page.locator(f'[data-view="{view}"][data-lane="{lane}"] .picture > :is(canvas, svg)')


def sees(page: Page, view: str) -> Locator:
    """What a view says that one sees, once it is drawn."""
    words = page.locator(f'[data-view="{view}"][data-lane="0"] .sees')
    expect(words).not_to_be_empty()
    return words


def at(page: Page, text: str) -> None:
    expect(page.locator(".counter > span").first).to_have_text(text)


def about(page: Page, lane: int = 0) -> Locator:
    return page.locator(".about").nth(lane)


def changed(page: Page, before: str, lane: int = 0) -> None:
    """Wait until the states of a lane are drawn otherwise than before."""
    canvas = f"document.querySelector('[data-view=dag][data-lane=\"{lane}\"] canvas')"
    page.wait_for_function(f"(before) => {canvas}.toDataURL() !== before", arg=before)


def pixels(page: Page, lane: int = 0) -> str:
    return picture(page, "dag", lane).evaluate("(canvas) => canvas.toDataURL()")


def test_two_lanes_on_one_clock(watch: Watch) -> None:
    page = watch(Toy(lanes=2, changed=12))
    at(page, LAST)  # who wants less motion sees the end
    expect(page.locator(".head h2")).to_have_text(["Flow matching", "GFlow-Sequence"])
    expect(page.locator(".panel")).to_have_count(7)  # three views of each lane and the curves of both
    page.locator(".mark").hover()
    expect(page.locator(".tip")).to_contain_text("β = 2")
    ends = [pixels(page, lane) for lane in (0, 1)]
    figures = page.locator(".figures").all_inner_texts()
    page.keyboard.press("Home")
    at(page, "step 0 of 1,150")
    expect(page.locator(".end").first).to_have_text("")
    assert page.locator(".figures").all_inner_texts() != figures
    for lane in (0, 1):
        changed(page, ends[lane], lane)
    page.keyboard.press("ArrowRight")
    at(page, "step 50 of 1,150")
    page.locator(".scrub").fill("4.5")  # between two frames
    at(page, "step 225 of 1,150")
    page.locator('[data-curve="loss"] svg.plot').click(position={"x": 2, "y": 20})
    at(page, "step 0 of 1,150")
    page.keyboard.press("End")
    at(page, LAST)
    expect(page.locator(".figures").first).to_have_text(figures[0])


def test_what_is_pointed_at_is_lit_in_all_views(watch: Watch) -> None:
    page = watch(Toy(lanes=2))
    at(page, LAST)
    for view in ("dag", "stop", "graph"):
        sees(page, view)
    stops, best = picture(page, "stop"), "State {0, 1, 2, 3}"
    stops.hover(position={"x": 46, "y": 60})  # the most wanted state
    for lane in (0, 1):
        expect(about(page, lane)).to_contain_text(best)
        expect(picture(page, "graph", lane).locator(".node.lit")).to_have_count(4)
        expect(picture(page, "graph", lane).locator(".edge.lit")).to_have_count(3)
    expect(page.locator(".tip")).to_contain_text("{0, 1, 2, 3} · P(stop)")
    stops.click(position={"x": 46, "y": 60})
    page.locator(".counter").hover()
    expect(page.locator(".tip")).to_be_hidden()
    expect(about(page, 1)).to_contain_text(best)  # pinned
    picture(page, "graph", 1).locator(".node").nth(4).hover()
    expect(about(page)).to_contain_text("Node 4: 12 states")
    page.locator(".counter").hover()
    expect(about(page)).to_contain_text(best)
    page.keyboard.press("Escape")
    expect(about(page, 1)).to_have_class("about resting")
    picture(page, "dag").focus()
    page.keyboard.press("ArrowRight")
    expect(about(page, 1)).to_contain_text("State {0, ")
    page.keyboard.press("Enter")
    picture(page, "dag").blur()
    expect(about(page, 1)).to_contain_text("State {0, ")
    at(page, LAST)  # arrows in a view are its own


def test_a_recording_plays_and_a_phone_shows_one_view_at_a_time(watch: Watch) -> None:
    page = watch(Toy(lanes=2, frames=4), width=390, moving=True, theme="dark")
    page.get_by_label("Replay speed").select_option("4")
    at(page, "step 150 of 150")  # it began by itself
    play = page.locator("button.play")
    expect(play).to_have_attribute("data-playing", "false")
    dark = pixels(page)
    for name, count in (("Curves", 1), ("Graph", 2), ("States", 2)):
        page.get_by_role("tab", name=name).click()
        expect(page.locator(".panel:visible")).to_have_count(count)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("tab", name="States").press("ArrowRight")
    expect(page.get_by_role("tab", name="P(stop)")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="States").click()
    page.emulate_media(color_scheme="light")
    changed(page, dark)
    page.get_by_label("Replay speed").select_option("0.25")  # it does not end before it is looked at
    page.locator("body").press("Space")
    expect(play).to_have_attribute("data-playing", "true")  # again, from the beginning
    page.locator("body").press("Space")
    expect(play).to_have_attribute("data-playing", "false")


LIVE = """
import streamlit as st
from streamlit.starlette import App
from pages.ui.components import mount
from pages.ui.components.player import Live, train_view
from tests.training.toy_recording import Toy, toy_recording

if __name__ != "__main__":  # a server loads it
    app = App(__file__, routes=mount.routes())
else:
    state = st.session_state
    state.setdefault("frames", 3)
    if st.button("More"):
        state.frames += 3
    running = state.get("command") in ("run", "step")
    recording = toy_recording(Toy(lanes=2))
    for lane in recording["lanes"]:
        lane["frames"], lane["end"] = lane["frames"][: state.frames], None
    heard = {
        "step": lambda step: state.update(step=step),
        "state": lambda pinned: state.update(pinned=pinned),
        "command": lambda name: state.update(command=name),
    }
    live = Live(running, "It runs." if running else "It waits.")
    if not st.checkbox("Away"):
        train_view(recording, key="watched", token="toy", live=live, heard=heard)
    st.text(f"{state.get('command')}, step {state.get('step', 'unset')}, state {state.get('pinned')}")
"""


def test_a_training_that_goes_on(open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(LIVE, encoding="utf-8")
    with running(tmp_path, [str(tmp_path / "page.py") if part == "app.py" else part for part in STREAMLIT]) as server:
        page = open_page(address=server.address)
        page.emulate_media(reduced_motion="reduce")
        at(page, "Replay: step 100 of 100")
        expect(page.get_by_role("toolbar").get_by_text("It waits.")).to_be_visible()
        page.get_by_label("Run (space)").click()
        expect(page.get_by_text("run, step")).to_be_visible()
        expect(page.get_by_label("Pause (space)")).to_be_visible()
        page.locator(".train").evaluate("(element) => { element.dataset.mine = 'yes'; }")
        page.get_by_role("button", name="More").click()
        at(page, "Replay: step 250 of 250")  # it follows the newest
        page.locator(".back").click()
        at(page, "Replay: step 200 of 250")
        expect(page.get_by_text("step 200,")).to_be_visible()
        page.get_by_role("button", name="More").click()
        at(page, "Replay: step 200 of 400")  # who went back stays there
        page.get_by_role("button", name="Go to now").click()
        at(page, "Replay: step 400 of 400")
        expect(page.get_by_text("step None,")).to_be_visible()
        sees(page, "stop")
        picture(page, "stop").click(position={"x": 46, "y": 60})
        expect(page.get_by_text("state [0, 1, 2, 3]")).to_be_visible()
        assert page.locator(".train").get_attribute("data-mine") == "yes"
        page.get_by_text("Away").click()
        expect(page.locator(".train")).to_have_count(0)
        page.get_by_text("Away").click()
        at(page, "Replay: step 400 of 400")  # a fresh view lacks everything, and gets it
        page.locator(".train").press("r")
        expect(page.get_by_text("reset, step")).to_be_visible()


# The page Train


def view(page: Page) -> Locator:
    return page.locator(".st-key-train-view .train")


def test_a_story_is_replayed_without_a_worker_and_its_link_reopens_it(open_page: OpenPage) -> None:
    page = open_page("/train?story=sequence")
    page.emulate_media(reduced_motion="reduce")
    expect(view(page).locator(".heads h2").nth(1)).to_be_visible()  # two lanes
    settled(page)
    expect(page.locator(".st-key-lane-2")).to_be_visible()
    view(page).get_by_role("slider", name="Training step").focus()
    page.keyboard.press("Home")
    expect(view(page)).to_have_attribute("data-step", "0")
    page.keyboard.press("ArrowRight")
    expect(view(page)).not_to_have_attribute("data-step", "0")
    step = view(page).get_attribute("data-step") or ""
    expect(page).to_have_url(re.compile(rf"[?&]at={step}(&|$)"))
    again = open_page(page.url[page.url.index("/train") :], width=390)
    expect(view(again)).to_have_attribute("data-step", step)
    fits(again)
    view(again).get_by_role("tab", name="Curves").click()
    expect(again).to_have_url(re.compile("see=curves"))
