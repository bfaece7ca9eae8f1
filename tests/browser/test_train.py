"""Train in a real browser: replay without a worker, run, pause, step, change, end, two lanes, a link, a phone."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from gfx_core.config import ASSETS
from gfx_core.gfn.own_policies import policy_path
from gfx_core.training.log import TrainingLog
from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled

OWN = "/train?story=none&graph=toy&learner1=network&lr1=0.001&batch1=1024&steps1=20000"  # minutes: it goes on


def view(page: Page) -> Locator:
    return page.locator(".st-key-train-view .train")


def step_of(page: Page) -> int:
    return int(view(page).get_attribute("data-step") or 0)


def counter(page: Page) -> Locator:
    return view(page).locator("output.counter")


def last_step(page: Page) -> int:
    """How many steps were trained, as the clock says."""
    found = re.search(r"of ([\d,]+)", counter(page).inner_text())
    assert found is not None
    return int(found[1].replace(",", ""))


def test_a_recording_is_replayed_without_a_worker_and_its_link_reopens_it(open_page: OpenPage) -> None:
    page = open_page("/train?story=sequence")
    page.emulate_media(reduced_motion="reduce")
    expect(view(page)).to_be_visible()
    settled(page)
    expect(page.locator(".st-key-lane-2")).to_be_visible()  # two lanes
    expect(view(page).locator(".heads h2").nth(1)).to_be_visible()
    scrub = view(page).get_by_role("slider", name="Training step")
    scrub.focus()
    page.keyboard.press("Home")
    expect(view(page)).to_have_attribute("data-step", "0")
    page.keyboard.press("ArrowRight")
    expect(view(page)).not_to_have_attribute("data-step", "0")
    shown = step_of(page)
    expect(page).to_have_url(re.compile(rf"[?&]at={shown}(&|$)"))
    again = open_page(page.url[page.url.index("/train") :])
    expect(view(again)).to_have_attribute("data-step", str(shown))
    expect(again.get_by_role("button", name="Train live")).to_be_visible()
    page.close()
    again.set_viewport_size({"width": 390, "height": 844})
    expect(view(again)).to_be_visible()
    fits(again)
    view(again).get_by_role("tab", name="Curves").click()
    expect(again).to_have_url(re.compile("see=curves"))


def test_run_pause_step_change_and_end(open_page: OpenPage) -> None:
    page = open_page(OWN)
    settled(page)
    page.get_by_role("button", name="Train live").click()
    pause = view(page).get_by_role("button", name="Pause (space)", exact=True)
    expect(pause).to_be_visible()
    pause.click()
    run = view(page).get_by_role("button", name="Run (space)", exact=True)
    expect(run).to_be_visible()
    said = view(page).locator(".words")
    expect(said).to_have_text(re.compile("^Training: paused at step"))
    before = int(re.findall(r"\d+", said.inner_text())[0])
    view(page).get_by_role("button", name=re.compile("^One training step")).click()
    expect(said).to_have_text(re.compile(f"^Training: paused at step {before + 1} of"))
    expect(counter(page)).to_contain_text(f"Replay: step {before + 1:,} of {before + 1:,}")
    page.get_by_role("slider", name="ε").first.press("ArrowRight")
    expect(page).to_have_url(re.compile("eps1="))
    run.click()
    expect(view(page).locator(".mark")).to_have_count(1)  # the change is on the clock
    settled(page)
    page.get_by_role("button", name="End", exact=True).click()
    expect(page.get_by_role("button", name="Train live")).to_be_visible()
    ended = last_step(page)
    assert ended > before
    scrub = view(page).get_by_role("slider", name="Training step")
    scrub.focus()
    page.keyboard.press("Home")
    expect(view(page)).to_have_attribute("data-step", "0")
    expect(page.get_by_role("button", name="Curves (CSV)")).to_be_visible()


def test_what_was_saved_is_opened_again(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/train?story=none&graph=toy")
    settled(page)
    field = page.locator(".st-key-train-upload input[type=file]")
    field.set_input_files({"name": "<b>x</b>.json", "mimeType": "application/json", "buffer": b"{}"})
    expect(page.get_by_test_id("stAlert").filter(has_text="not a complete recording")).to_be_visible()
    field.set_input_files(ASSETS / "trainings" / "orders.json")
    expect(view(page).locator(".heads h2").nth(1)).to_be_visible()  # two trainings
    log = TrainingLog("Anybody’s", ["start", "left", "right"], [(0, 1), (0, 2)], [-1.0, 0.0, 1.0])
    log.add(0, [0.0, 0.0])
    log.add(5, [0.0, 1.0], loss=0.5)
    field.set_input_files(log.write(tmp_path / "anybody.json"))
    expect(view(page).get_by_role("heading", name="Anybody’s")).to_be_visible()
    expect(page.get_by_text("Below plays the recording that you opened")).to_be_visible()
    field.set_input_files(policy_path("tree_cycles"))
    page.get_by_role("button", name="Use it in Explain").click()
    expect(page.get_by_text("your own policy").first).to_be_visible()
    expect(page).to_have_url(re.compile("/explain.*policy="))
