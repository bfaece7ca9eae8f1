"""The player inside Streamlit: what is reported when."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import running_app
from tests.browser.player_reading import at, picture

APP = """
import streamlit as st
from pages.ui.components.player import player
from tests.toys.player_traces import shipped

state = st.session_state
state.runs = state.get("runs", 0) + 1
st.text(f"runs {state.runs}, step {state.get('seen')},")
heard = {"step": lambda step: state.update(seen=step)}
player(shipped("ba_shapes-423"), key="played", step=state.get("seen"), heard=heard)
"""


AT_ONCE = """(player, keys) => {
    for (const key of keys) player.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
}"""
"""Some keys, with no time between them."""


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A Streamlit page with nothing but a player."""
    (tmp_path / "page.py").write_text(APP, encoding="utf-8")
    with running_app(tmp_path, tmp_path / "page.py") as address, browser.new_page() as made:
        made.goto(address)
        yield made


def test_pauses_are_reported_and_nothing_else(page: Page) -> None:
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
