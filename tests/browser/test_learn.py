"""Learn in a real browser: all lessons as a student walks them, the lab and the glossary."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from gfx_core.teaching.glossary import entries
from pages.ui.lessons.frame import SHORT_TITLES
from tests.browser.conftest import OpenPage
from tests.browser.settling import fits, settled
from tests.browser.student import Student, WithKeyboard

LESSONS = range(1, len(SHORT_TITLES) + 1)


def at_lesson(page: Page, number: int) -> None:
    """Wait until a lesson is open."""
    expect(page.get_by_role("heading", name=re.compile(rf"^{number} · "))).to_be_visible()
    expect(page.get_by_text(re.compile("^To (do|see):"))).to_have_count(1)  # that of the lesson before is gone
    settled(page)


def said(page: Page, words: str) -> None:
    expect(page.get_by_text(re.compile(words)).first).to_be_visible()


# What each lesson asks a student to do


def lessons(page: Page) -> Locator:
    """The list of lessons, which says how many are done."""
    return page.locator(".st-key-lessons button")


def drag_a_reward(student: Student) -> None:
    student.raise_slider("Reward of acd", to=4.5)
    said(student.page, "done. Now the question below")


def come_by_two_orders(student: Student) -> None:
    for order in ("bcd", "cdb"):
        for node in order:
            student.press("button", f"^{node}: ")
            expect(student.page.get_by_role("button", name=re.compile(f"^{node}: can be added"))).to_have_count(0)
        if order == "bcd":
            said(student.page, "You arrived")
            student.press("button", "Start again")
            expect(student.page.get_by_role("button", name=re.compile("^c: can be added"))).to_be_visible()
    said(student.page, "Another order, the same state")


def merge_equal_sets(student: Student) -> None:
    said(student.page, "is in the tree")
    student.press("switch", "Merge equal sets")
    said(student.page, "copies are one state now")


def balance(student: Student) -> None:
    student.raise_slider("Flow from ab to abc", to=7)  # 7 + 1 flows in, 2 and the reward 6 out
    said(student.page, r"Balanced\.")
    student.press("button", "Now let it learn")


def balance_and_train(student: Student) -> None:
    balance(student)
    settled(student.page)
    student.press("button", "Make it fail")  # in place of the first training
    said(student.page, r"acde should get 38\.5\s% of the walks and gets 0\.0\s%\. It was never visited")
    student.press("button", "Repair it")
    said(student.page, "In the end every state is in balance")


def find_valid_parents(student: Student) -> None:
    student.press("button", "^b")
    settled(student.page)
    student.press("button", "Check")
    said(student.page, "Right:|Not removable:|Missed:")


def explain_a_node(student: Student) -> None:
    values = student.page.get_by_test_id("stMetricValue")
    expect(values.nth(1)).to_be_visible()
    for node in (607, 611):
        before = values.nth(1).inner_text()
        student.press("button", f"^{node}: ")
        expect(values.nth(1)).not_to_have_text(before)
    student.press("button", "Show the best")
    said(student.page, r"Yours −\d+\.\d+, best −\d\.\d+")
    student.press("radio", "Fragments")
    said(student.page, "What can be known of a lone node")
    student.press("radio", "whole graphs only")
    expect(student.page).to_have_url(re.compile("trained=whole"))
    student.press("radio", "Other GNN")
    said(student.page, "cannot tell the cycle from a lone node")


def compare_losses(student: Student) -> None:
    student.press("radio", "a and e")
    student.press("button", "Train all four")
    said(student.page, "stays below .* not get there")


def watch_it_learn(student: Student) -> None:
    expect(student.page.locator(".st-key-l8-view .train")).to_be_visible()
    student.press("button", "Show ")
    said(student.page, "can be built in")


def ask_a_hidden_gnn(student: Student) -> None:
    page = student.page
    expect(page.locator(".editor .node")).to_have_count(4)
    student.press("button", "^Star$")
    student.press("button", "10 questions left")
    said(page, r"^No \(")
    sheet = page.locator(".editor svg")
    page.get_by_role("button", name="Node 0", exact=True).click()  # the middle of the star
    box = sheet.bounding_box()
    assert box is not None
    sheet.click(position={"x": 30, "y": box["height"] - 30})  # one more arm
    expect(page.locator(".editor line")).to_have_count(4)
    student.press("button", "9 questions left")
    said(page, r"^Yes \(")
    expect(page).to_have_url(re.compile("asked="))


TO_DO: dict[int, Callable[[Student], None]] = {
    1: drag_a_reward,
    2: come_by_two_orders,
    3: merge_equal_sets,
    4: balance_and_train,
    5: find_valid_parents,
    6: explain_a_node,
    7: compare_losses,
    8: watch_it_learn,
    9: ask_a_hidden_gnn,
}
NUMBERS = {2: 4}
"""The right answers of the questions that ask for a number."""


LONG = (3, 4, 6, 7)
"""Those that must be seen without scrolling, at first and when all was done in them."""


def question_ends(page: Page) -> float:
    """Where the question ends, in pixels from the top of the page."""
    settled(page)
    box = page.locator("[class*='st-key-question-']").bounding_box()
    assert box is not None
    return box["y"] + box["height"] + float(page.get_by_test_id("stMain").evaluate("(main) => main.scrollTop"))


def test_all_lessons(open_page: OpenPage) -> None:
    page = open_page("/learn")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(reduced_motion="reduce")  # trainings end at once
    student, ends = Student(page), {}
    for number in LESSONS:
        at_lesson(page, number)
        ends[f"{number}, first"] = question_ends(page)
        TO_DO[number](student)
        ends[f"{number}, last"] = question_ends(page)
        onward = page.locator(".st-key-next button")
        before = onward.bounding_box() if number == 6 else None
        wrong, right = student.answer(NUMBERS.get(number))
        assert wrong != right
        done = ".".join(map(str, range(1, number + 1)))
        expect(page).to_have_url(re.compile(rf"[?&]done={re.escape(done)}(&|$)"))
        if before is not None:  # whatever is said to an answer, Next stays under the pointer
            assert onward.bounding_box() == before
        if number < LESSONS[-1]:
            student.press("button", "^Next: ")
    assert not {name: end for name, end in ends.items() if end > 800 and int(name[0]) in LONG}
    said(page, "GFlowExplainer does not know this rule")
    expect(page.locator(".st-key-l9-rules .card").first).to_be_visible()
    said(page, "Where to go next")
    page.reload()
    at_lesson(page, LESSONS[-1])
    expect(page).to_have_url(re.compile("done=" + r"\.".join(map(str, LESSONS))))
    expect(lessons(page)).to_contain_text(f"{len(LESSONS)} done")


def test_printed_keys_work_whatever_has_the_focus(open_page: OpenPage) -> None:
    page = open_page("/learn")
    at_lesson(page, 1)
    page.locator("[class*='st-key-question-'] label").nth(1).click()
    expect(page.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("n")
    at_lesson(page, 2)
    number = page.get_by_role("spinbutton")
    number.fill("4")
    number.press("Enter")
    page.keyboard.press("b")
    at_lesson(page, 1)
    expect(page.get_by_role("heading", level=1)).to_be_focused()  # Tab goes on from there
    lessons(page).click()
    page.get_by_text("8 · Watch").click()
    at_lesson(page, 8)
    page.keyboard.press(" ")  # the training plays; else the button would be pressed again
    expect(page).to_have_url(re.compile("[?&]at="))


def test_what_is_said_to_an_answer_is_seen(open_page: OpenPage) -> None:
    page = open_page("/learn?lesson=1")
    page.set_viewport_size({"width": 1280, "height": 600})
    at_lesson(page, 1)
    options = page.locator("[class*='st-key-question-'] label")
    expect(options.nth(1)).to_be_attached()
    options.nth(1).evaluate("(option) => option.scrollIntoView({ block: 'end' })")
    options.nth(1).click()
    expect(page.get_by_test_id("stAlert")).to_be_in_viewport(ratio=0.99)


def test_letters_and_pictures_grow_before_a_room(open_page: OpenPage) -> None:
    page = open_page("/learn?lesson=2&present=1")
    at_lesson(page, 2)
    expect(page.locator("html")).to_have_css("font-size", "20px")
    picture = page.locator(".st-key-l2-dag .picture")
    expect(picture).to_have_css("zoom", "1.25")
    canvas = picture.locator("canvas")
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.75 * box["height"])  # ac: what is pointed at is found
    expect(canvas).to_have_class(re.compile("over"))


def test_lesson_plans_are_near_and_print_on_one_page_each(open_page: OpenPage) -> None:
    page = open_page("/learn", theme="dark")
    at_lesson(page, 1)
    page.get_by_role("button", name="Class", exact=True).click()
    page.get_by_role("link", name="Lesson plans").click()
    for name, heading in (("90 minutes", "plan: 90"), ("Solutions", "Solutions"), ("45 minutes", "plan: 45")):
        page.get_by_role("radio", name=name).click()
        expect(page.get_by_role("heading", name=re.compile(heading))).to_be_visible()
        settled(page)
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1
    page.get_by_role("link", name="Lesson 3").click()
    at_lesson(page, 3)  # in the same tab: a teacher still leads the class
    page.go_back()
    expect(page.get_by_role("heading", name="Lesson plan: 45 minutes")).to_be_visible()


def test_lessons_on_a_phone_by_keys_alone(open_page: OpenPage) -> None:
    """The first four have all there is to press: a slider in a picture, nodes, a switch, a pipe. All of them fit."""
    page = open_page("/learn", width=390)
    page.emulate_media(reduced_motion="reduce")
    student = WithKeyboard(page)
    for number, do in {**TO_DO, 4: balance}.items():
        at_lesson(page, number)
        fits(page)
        if number == 1:
            expect(page.get_by_role("slider", name="Reward of")).to_have_count(1)  # of the chosen state alone
            slider = page.get_by_role("slider", name="Reward of").bounding_box()
            assert slider is not None
            assert slider["width"] >= 150
        if number <= 4:
            do(student)
            student.answer(NUMBERS.get(number))
        if number < LESSONS[-1]:
            student.press("button", "^Next: ")
    expect(page).to_have_url(re.compile(r"[?&]done=1\.2\.3\.4(&|$)"))
    student.press("button", "^Clear$")
    for count in (1, 2):  # the button keeps the focus
        student.press("button", "^Add a node$")
        expect(page.locator(".editor .node")).to_have_count(count)
    expect(page.locator(".editor line")).to_have_count(1)


def test_back_goes_where_one_was_and_nothing_is_lost(open_page: OpenPage) -> None:
    page = open_page("/learn", fresh=True)
    student = Student(page)
    at_lesson(page, 1)
    entries = page.evaluate("history.length")
    student.choose(1)
    # at once, while the page is drawn anew; by key, since what is said to the answer moves the button down
    page.locator(".st-key-next button").press("Enter")
    at_lesson(page, 2)
    expect(page).to_have_url(re.compile(r"lesson=2&done=1$"))
    for number in (3, 4):
        student.press("button", "^Next: ")
        at_lesson(page, number)
    assert page.evaluate("history.length") == entries + 3
    for number in (3, 2, 1):
        page.go_back()
        at_lesson(page, number)
    assert page.evaluate("history.length") == entries + 3
    expect(lessons(page)).to_contain_text("1 done")
    student.press("button", "^Next: ")
    at_lesson(page, 2)
    student.press("button", "^c: ")
    said(page, "You went a → c")
    for name, heading in (("Explain", "Explain one prediction"), ("Learn", "2 · ")):
        page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=re.compile(f"^{heading}"))).to_be_visible()
    at_lesson(page, 2)
    said(page, "You went a → c")
    expect(page).to_have_url(re.compile("done=1"))
    student.press("button", "^Next: ")
    at_lesson(page, 3)
    student.press("button", "Previous")
    at_lesson(page, 2)
    said(page, "You went a → c")


def test_what_is_pressed_while_the_page_is_drawn_stays_under_the_finger(open_page: OpenPage) -> None:
    page = open_page("/learn?lesson=2")
    at_lesson(page, 2)
    onward = page.locator(".st-key-next button").element_handle()
    row = lessons(page).element_handle()
    Student(page).enter(NUMBERS[2])
    expect(lessons(page)).to_contain_text("1 done")
    settled(page)
    row.focus()
    page.keyboard.press("Enter")
    page.get_by_text("3 · Tree or DAG").click()
    at_lesson(page, 3)
    for element in (onward, row):
        assert element.evaluate("(element) => element.isConnected")


def test_a_teachers_link_is_previewed_hides_parts_and_sets_values(open_page: OpenPage) -> None:
    page = open_page("/learn?lesson=3&merge=1")
    at_lesson(page, 3)
    page.get_by_role("button", name="Class", exact=True).click()  # the link is there after one click
    link = page.locator(".stCode code")
    expect(link).to_have_text(re.compile(r"lesson=3&merge=1$"))
    onward, preview = re.compile("^Next: "), page.frame_locator("iframe[title='What your students will see']")
    expect(preview.get_by_role("button", name=onward)).to_be_visible()
    page.get_by_text("Hide the other lessons").click()
    expect(link).to_have_text(re.compile("hide=lessons"))
    expect(preview.get_by_role("heading", name=re.compile("^3 · "))).to_be_visible()
    expect(preview.get_by_role("button", name=onward)).to_have_count(0)
    for part in ("other lessons", "controls", "question"):
        page.get_by_text(f"Hide the {part}").click()
    expect(link).to_have_text(re.compile("hide=controls,question"))
    address = link.inner_text().strip()
    page = open_page(address[address.index("/learn") :])
    at_lesson(page, 3)
    said(page, "copies are one state now")
    expect(page.get_by_role("switch")).to_have_count(0)
    expect(page.get_by_role("radio")).to_have_count(0)
    page.get_by_role("button", name=onward).click()
    at_lesson(page, 4)
    expect(page).to_have_url(re.compile("hide=controls"))


def test_the_lab(open_page: OpenPage) -> None:
    page = open_page("/lab")
    settled(page)
    counter = page.locator(".counter").first
    page.get_by_role("button", name="Only the start node (Home)").click()
    expect(counter).to_have_text(re.compile(r"^1 of \d+ nodes$"))
    page.get_by_role("button", name=re.compile("click to add it")).first.click()
    expect(counter).to_have_text(re.compile(r"^2 of \d+ nodes$"))
    said(page, r"Agrees, (\d+) of \1 steps")
    page.get_by_role("button", name="The whole growth (End)").click()
    expect(counter).to_have_text(re.compile(r"^(\d+) of \1 nodes$"))
    size = int(counter.inner_text().split()[0])
    settled(page)
    matrix = page.get_by_label("Cut-vertex matrix")
    expect(matrix.locator("tbody tr")).not_to_have_count(0)
    rows = matrix.locator("tr").count()
    page.get_by_role("button", name="One node back (←)").click()
    expect(counter).to_have_text(f"{size - 1} of {size} nodes")
    expect(matrix.locator("tr")).to_have_count(rows - 1)
    expect(page).to_have_url(re.compile("step="))


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


def test_narrow_screens(open_page: OpenPage) -> None:
    for path in ("/lab", "/glossary"):
        page = open_page(path, width=390)
        expect(page.get_by_role("heading").first).to_be_visible()
        settled(page)
        fits(page)
