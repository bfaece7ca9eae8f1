"""Learn in a browser: all lessons as a student walks them, a class, a teacher's link, the lab and the glossary."""

import re
from collections.abc import Callable

from playwright.sync_api import Page

from gfx_core.teaching.glossary import entries
from gfx_core.teaching.lesson_texts import LESSONS
from tests.browser.conftest import OpenPage
from tests.browser.settling import box_of, expect, fits, settled
from tests.browser.student import Student

LAST = max(LESSONS)


def at_lesson(page: Page, number: int) -> None:
    """Wait until a lesson is open, and the one before is gone."""
    expect(page.get_by_role("heading", name=re.compile(rf"^{number} · "))).to_be_visible()
    expect(page.locator(".st-key-task")).to_have_count(1)
    settled(page)


def said(page: Page, words: str) -> None:
    expect(page.get_by_text(re.compile(words)).first).to_be_visible()


# What each lesson asks a student to do


def drag_a_reward(student: Student) -> None:
    student.raise_slider("Reward of acd", to=4.5)
    said(student.page, "done. Now")


def come_by_two_orders(student: Student) -> None:
    for order in ("bcd", "cdb"):
        for node in order:
            student.press("button", f"^{node}: ")
            expect(student.page.get_by_role("button", name=re.compile(f"^{node}: frontier"))).to_have_count(0)
        if order == "bcd":
            student.press("button", "Start again")
            expect(student.part("button", "^c: frontier")).to_be_visible()
    said(student.page, "Another order")


def merge_equal_sets(student: Student) -> None:
    student.press("switch", "Merge equal sets")
    said(student.page, "one state now")


def balance(student: Student) -> None:
    student.raise_slider("Flow from ab to abc", to=7)  # 7 + 1 flows in, 2 and the reward 6 out
    said(student.page, r"Balanced\.")
    expect(student.part("button", "let it learn")).to_be_enabled()


def find_valid_parents(student: Student) -> None:
    student.press("button", "^b")
    settled(student.page)
    student.press("button", "Check")
    said(student.page, "Right:|Not removable:|Missed:")


def explain_a_node(student: Student) -> None:
    words = student.page.get_by_text("log R = −1 · cross-entropy")
    for node in (607, 611):
        before = words.inner_text()
        student.press("button", f"^{node}: ")
        expect(words).not_to_have_text(before)
    student.press("button", "Show the best")
    said(student.page, r"The best, 612.*log R = −\d\.\d+")


def choose_rewards(student: Student) -> None:
    student.press("radio", "a and e")
    expect(student.part("button", "^Train all")).to_be_enabled()


def watch_it_learn(student: Student) -> None:
    expect(student.page.locator(".st-key-l8-view .train")).to_be_visible()
    student.press("button", "Show ")
    said(student.page, "can be built in")


def ask_a_hidden_gnn(student: Student) -> None:
    page = student.page
    expect(page.locator(".editor .node")).to_have_count(4)
    student.press("button", "^Star$")
    student.press("button", "10 questions")
    said(page, r"^No \(")
    page.get_by_role("button", name="Node 0", exact=True).click()  # the middle of the star
    sheet = page.locator(".editor svg")
    box = box_of(sheet)
    sheet.click(position={"x": 30, "y": box["height"] - 30})  # one more arm
    expect(page.locator(".editor line")).to_have_count(4)
    student.press("button", "9 questions")
    said(page, r"^Yes \(")
    expect(page).to_have_url(re.compile("asked="))


TO_DO: dict[int, Callable[[Student], None]] = {
    1: drag_a_reward,
    2: come_by_two_orders,
    3: merge_equal_sets,
    4: balance,
    5: find_valid_parents,
    6: explain_a_node,
    7: choose_rewards,
    8: watch_it_learn,
    9: ask_a_hidden_gnn,
}
NUMBERS = {2: 4}
"""The answers of the questions that ask for a number."""


def test_all_lessons(open_page: OpenPage) -> None:
    """They fit a phone."""
    page = open_page("/learn", width=390, motion="reduce")
    student = Student(page)
    for number in LESSONS:
        page.set_viewport_size({"width": 390, "height": 800})
        at_lesson(page, number)
        fits(page)
        page.set_viewport_size({"width": 1280, "height": 800})
        TO_DO[number](student)
        student.answer(NUMBERS.get(number))
        done = r"\.".join(map(str, range(1, number + 1)))
        expect(page).to_have_url(re.compile(rf"[?&]done={done}(&|$)"))
        if number < LAST:
            student.press("button", "^Next: ")
    expect(page.locator(".st-key-l9-rules .card").first).to_be_visible()
    page.reload()
    at_lesson(page, LAST)
    expect(page.locator(".st-key-lessons button")).to_contain_text(f"{len(LESSONS)} done")
    student.press("button", "^Clear$")
    student.press("button", "^Add a node$")
    expect(page.locator(".editor .node")).to_have_count(1)
    page.keyboard.press("Enter")  # the button keeps the focus
    expect(page.locator(".editor .node")).to_have_count(2)
    expect(page.locator(".editor line")).to_have_count(1)


def test_printed_keys_work_whatever_has_the_focus_and_back_loses_nothing(open_page: OpenPage) -> None:
    page = open_page("/learn", fresh=True)
    student = Student(page)
    at_lesson(page, 1)
    entries_before = page.evaluate("history.length")
    student.choose(1)
    page.keyboard.press("n")  # at once, while the page is drawn
    at_lesson(page, 2)
    expect(page).to_have_url(re.compile(r"lesson=2&done=1$"))
    assert page.evaluate("history.length") == entries_before + 1
    onward = page.locator(".st-key-next button").element_handle()
    student.enter(NUMBERS[2])
    expect(page.locator(".st-key-lessons button")).to_contain_text("2 done")
    student.press("button", "^c: ")
    said(page, "You went a → c")
    assert onward.evaluate("(button) => button.isConnected")  # what is pressed meanwhile stays under the finger
    page.keyboard.press("b")
    at_lesson(page, 1)
    expect(page.get_by_role("heading", level=1)).to_be_focused()  # Tab goes on from there
    page.go_back()
    at_lesson(page, 2)
    page.get_by_role("navigation").get_by_role("link", name="Glossary", exact=True).click()
    expect(page.locator("article#cut-vertex")).to_be_attached()
    page.get_by_role("navigation").get_by_role("link", name="Learn", exact=True).click()
    at_lesson(page, 2)
    said(page, "You went a → c")
    page.locator(".st-key-lessons button").click()
    page.get_by_text("8 · Watch").click()
    at_lesson(page, 8)
    page.keyboard.press(" ")  # the training plays; else the button would be pressed again
    expect(page).to_have_url(re.compile("[?&]at="))


def test_a_class(open_page: OpenPage) -> None:
    teacher = open_page("/classroom")
    settled(teacher)
    teacher.locator(".st-key-class-open button").click()
    expect(teacher).to_have_url(re.compile("key="))
    code = re.search(r"class=(\w+)", teacher.url)
    assert code is not None

    def here(students: int) -> None:
        expect(teacher.get_by_role("heading", name=re.compile(f"^{students} student"))).to_be_visible()

    here(0)
    student = open_page(f"/learn?class={code[1]}", width=390)
    at_lesson(student, 1)
    expect(student.locator(".st-key-class-strip")).to_be_visible()
    fits(student)
    student.get_by_role("radio").first.check(force=True)
    student.get_by_role("button", name="Answer").click()
    here(1)
    expect(teacher.locator(".spread li").first).to_contain_text("1")
    address = teacher.get_by_role("link", name="Projector view").get_attribute("href")
    projector = open_page(f"/{address}", width=1920)
    projector.set_viewport_size({"width": 1920, "height": 1080})
    for part in (".spread .words", ".stCode code"):
        size = projector.locator(part).first.evaluate("(part) => parseFloat(getComputedStyle(part).fontSize)")
        assert size >= 32
    expect(projector.get_by_test_id("stHeader")).to_be_hidden()
    teacher.get_by_text("everybody looks up").click()
    paused = student.get_by_text("Look up, please")
    expect(paused).to_be_visible()
    for key in ("Escape", "n", "p"):
        student.keyboard.press(key)
    settled(student)
    expect(paused).to_be_visible()  # nothing else on the page can be reached
    expect(student).not_to_have_url(re.compile("present|lesson=2"))
    teacher.get_by_text("everybody looks up").click()
    expect(paused).to_be_hidden()
    student.reload()
    at_lesson(student, 1)
    here(1)  # the same seat as before


def test_plans_print_on_one_page_each(open_page: OpenPage) -> None:
    page = open_page("/plans")
    for name, heading in (("90 minutes", "plan: 90"), ("Solutions", "Solutions"), ("45 minutes", "plan: 45")):
        page.get_by_role("radio", name=name).click()
        expect(page.get_by_role("heading", name=re.compile(heading))).to_be_visible()
        settled(page)
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1


def test_the_glossary(open_page: OpenPage) -> None:
    page = open_page("/glossary#cut-vertex")
    card = page.locator("article#cut-vertex")
    expect(card).to_be_in_viewport()
    page.get_by_role("searchbox").fill("total variation")
    expect(page.locator("article#total-variation")).to_be_visible()
    expect(card).to_be_hidden()
    named = open_page("/glossary?term=K_M")  # a name works like an anchor
    expect(named.locator("article#k-m")).to_be_in_viewport()
    expect(named.locator("article")).to_have_count(len(entries()))
