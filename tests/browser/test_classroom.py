"""A class in real browsers: one teacher, one student, and text from outside that tries to be more."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled
from tests.browser.test_learn import at_lesson
from tests.pages.hostile import HOSTILE
from tests.pages.test_text import hostile_trace


def here(teacher: Page, students: str) -> None:
    """Wait until the teacher is told so."""
    expect(teacher.get_by_role("heading", name=students)).to_be_visible()


def test_a_class(open_page: OpenPage) -> None:
    teacher = open_page("/classroom")
    settled(teacher)
    teacher.get_by_role("button", name="Open a class").click()
    expect(teacher).to_have_url(re.compile("key="))
    code = re.search(r"class=(\w+)", teacher.url)
    assert code is not None
    here(teacher, "0 students here")
    student = open_page(f"/learn?class={code[1]}", width=390)
    at_lesson(student, 1)
    expect(student.locator(".st-key-class-strip")).to_be_visible()
    fits(student)
    student.get_by_role("radio").first.check(force=True)
    here(teacher, "1 student here")
    expect(teacher.locator(".spread li").first).to_contain_text("1")
    teacher.get_by_role("button", name="Ask again").click()
    teacher.get_by_role("button", name="Delete them").click()
    expect(student.get_by_text("Your teacher asks again.")).to_be_visible()
    expect(student.get_by_role("radio").first).not_to_be_checked()
    student.get_by_role("radio").first.check(force=True)  # the same answer counts again
    expect(teacher.locator(".spread li").first).to_contain_text("1")
    address = teacher.get_by_role("link", name="Projector view").get_attribute("href")
    projector = open_page(f"/{address}", width=1920)
    projector.set_viewport_size({"width": 1920, "height": 1080})
    for part in (".spread .words", ".stCode code"):
        letters = "(part) => parseFloat(getComputedStyle(part).fontSize)"
        assert projector.locator(part).first.evaluate(letters) >= 32
    box = projector.locator(".st-key-projector").bounding_box()
    assert box is not None
    assert box["width"] > 1700
    expect(projector.get_by_test_id("stHeader")).to_be_hidden()
    teacher.get_by_text("everybody looks up").click()
    paused = student.get_by_text("Look up, please")
    expect(paused).to_be_visible()
    for key in ("Escape", "n", "p"):
        student.keyboard.press(key)
    student.wait_for_timeout(1000)
    expect(paused).to_be_visible()  # nothing else on the page can be reached
    at_lesson(student, 1)
    expect(student).not_to_have_url(re.compile("present"))
    teacher.get_by_text("everybody looks up").click()
    expect(paused).to_be_hidden()
    for link in ("/explain?dataset=tree_cycles&index=612", "/learn?lesson=3"):
        teacher.get_by_label("or to a link").fill(link)
        teacher.get_by_role("button", name="Send to the link").click()
        expect(student).to_have_url(re.compile(re.escape(link)))
    late = open_page("/classroom")
    late.get_by_label("Code").fill(code[1])
    late.get_by_role("button", name="Join the class").click()
    at_lesson(late, 3)
    expect(late).to_have_url(re.compile(rf"/learn\?lesson=3&class={code[1]}"))
    expect(late.get_by_role("button", name="Class", exact=True)).to_have_count(0)
    late.get_by_role("button", name="Leave").click()
    student.reload()
    at_lesson(student, 3)
    here(teacher, "1 student here")  # the same seat as before


def nothing_is_more_than_text(page: Page) -> None:
    assert page.locator("a[href*='evil'], img[src*='evil'], iframe[src*='evil']").count() == 0


def test_text_from_outside_stays_text(open_page: OpenPage) -> None:
    """Of files; that no request leaves this computer is looked at when the pages are closed."""
    page = open_page("/explain?dataset=tree_cycles&index=612&tab=files")
    settled(page)
    field = page.locator("input[type=file]")
    name = f"{HOSTILE[1].replace('/', ':')}.json"
    field.set_input_files({"name": name, "mimeType": "application/json", "buffer": b"no"})
    expect(page.get_by_text("is cut off or not JSON")).to_be_visible()
    nothing_is_more_than_text(page)
    page.reload()  # the field holds one file
    settled(page)
    trace = {"name": "trace.json", "mimeType": "application/json", "buffer": hostile_trace().encode()}
    field.set_input_files(trace)
    expect(page.get_by_test_id("stAlert").filter(has_text="<img src=x onerror=alert(1)>")).to_be_visible()
    settled(page)
    nothing_is_more_than_text(page)
