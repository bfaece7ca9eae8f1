"""What the notebooks in assets/examples/ saved plays when they are opened, without running them."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.notebooks import read

PLAYERS = ("explain_a_node", "a_molecule", "many_explanations")
LOGS = ("gflownet_by_hand", "train_and_watch")


def saved(name: str) -> str:
    """The page that a notebook shows: what its last frame has in it."""
    pages = [
        "".join(output["data"]["text/html"])
        for cell in read(name)["cells"]
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    (page,) = (page for page in pages if "<iframe" in page)
    return f"<!doctype html><meta charset=utf-8><title>{name}</title>{page}"


@pytest.mark.parametrize("name", PLAYERS)
def test_an_explanation_plays(open_file: OpenPage, name: str) -> None:
    frame = open_file(saved(name)).frame_locator("iframe")
    frame.get_by_label("First step").click()
    expect(frame.get_by_label("First step")).to_be_disabled()
    frame.get_by_label("Step forward").click()
    expect(frame.get_by_label("First step")).to_be_enabled()


@pytest.mark.parametrize("name", LOGS)
def test_a_training_plays(open_file: OpenPage, name: str) -> None:
    frame = open_file(saved(name)).frame_locator("iframe")
    expect(frame.locator('[data-view="dag"] .sees')).not_to_be_empty()
    expect(frame.locator(".counter > span").first).to_contain_text("step")
