"""The player inside Streamlit: what is reported when, and steps taken by hand."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import running_app
from tests.browser.player_reading import at, picture
from tests.toys.player_traces import shipped

APP = """
from pathlib import Path
from time import sleep

import streamlit as st
from pages.ui.components.player import PlayerActions, PlayerView, player
from tests.toys.player_traces import cut, shipped

state = st.session_state
state.runs = state.get("runs", 0) + 1
trace = shipped("tree_cycles-513" if "manual" in st.query_params else "ba_shapes-423")
st.text(f"runs {state.runs}, step {state.get('seen')}, taken {state.get('taken')}")


def take(node, step):
    while Path(__file__).with_name("busy").exists():  # a server with much to do
        sleep(0.02)
    state.taken = (node, step)
    state.ended = node is None


if "manual" in st.query_params:
    known = cut(trace, 4 if "taken" in state else 3)
    player(known, key="played", actions=PlayerActions(take=take, ended=state.get("ended", False)))
else:
    actions = PlayerActions(lambda step: state.update(seen=step))
    player(trace, key="played", view=PlayerView(step=state.get("seen")), actions=actions)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page is; it does not answer while a file named ``busy`` is there."""
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def small_app(folder: Path) -> Iterator[str]:
    """A Streamlit page with nothing but a player."""
    (folder / "page.py").write_text(APP, encoding="utf-8")
    with running_app(folder, folder / "page.py") as address:
        yield address


AT_ONCE = """(player, keys) => {
    for (const key of keys) player.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
}"""
"""Some keys, with no time between them."""


def test_pauses_are_reported_and_nothing_else(browser: Browser, small_app: str) -> None:
    page = browser.new_page()
    page.goto(small_app)
    expect(page.get_by_label("Pause (space)")).to_be_visible()
    picture(page).evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    page.get_by_label("Loop").click()  # it does not end before it is looked at
    page.get_by_label("Speed").select_option("4")
    expect(page.locator(".counter")).to_have_text(re.compile("^[2-6] / 6"))
    expect(page.get_by_text("runs 1, step None")).to_be_visible()  # two steps played, nothing reported
    page.keyboard.press(" ")
    expect(page.get_by_label("Play (space)")).to_be_visible()
    shown = page.get_by_label("Step", exact=True).input_value()
    expect(page.get_by_text(f"runs 2, step {shown},")).to_be_visible()
    page.locator(".player").evaluate(AT_ONCE, ["Home", "ArrowRight"])
    expect(page.get_by_text("runs 3, step 1,")).to_be_visible()  # one report once the keys rest
    at(page, "1 / 6")
    assert picture(page).get_attribute("data-mine") == "yes"
    page.close()


def test_steps_by_hand(browser: Browser, small_app: str, folder: Path) -> None:
    page, busy = browser.new_page(), folder / "busy"
    page.goto(f"{small_app}/?manual=1")
    at(page, "2 / 2")
    expect(page.get_by_role("tab", name="Result")).to_be_hidden()
    picture(page).evaluate("(svg) => { svg.dataset.mine = 'yes'; }")
    page.get_by_label("Zoom in").click()
    box = picture(page).get_attribute("viewBox")
    action = shipped("tree_cycles-513").steps[3].added
    choice = page.locator(f'.stage [data-node="{action}"]')
    expect(choice).to_have_attribute("role", "button")
    busy.touch()
    choice.press("Enter")
    expect(page.locator(".stop-chip")).to_be_disabled()  # a click would not be heard now
    expect(page.locator(".policy button.stop")).to_have_count(0)
    busy.unlink()
    at(page, "3 / 3")
    expect(page.get_by_text(f"taken ({action}, 2)")).to_be_visible()
    expect(page.locator(".stop-chip")).to_be_enabled()
    assert (picture(page).get_attribute("data-mine"), picture(page).get_attribute("viewBox")) == ("yes", box)
    page.locator(".policy button.stop").click()
    expect(page.get_by_text("taken (None, 3)")).to_be_visible()
    expect(page.get_by_role("tab", name="Result")).to_be_visible()
    page.close()
