"""The Learn page: one lesson at a time, progress in the URL, never a dead end."""

import pytest
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from gfx_core.teaching.lesson_texts import LESSONS
from pages.ui.lessons import frame
from tests.pages.page_reading import Open, component, go, keys, reported, texts, url
from tests.patience import PATIENCE_S

NUMBERS = range(1, len(LESSONS) + 1)
pytestmark = pytest.mark.usefixtures("no_workers")


def go_to_lesson(at: AppTest, number: int) -> AppTest:
    """Choose it in the list of lessons."""
    lessons = at.menu_button(key="lessons")
    return lessons.click(lessons.options[number - 1]).run()


def test_next_and_previous_keep_what_was_done_and_set(open_page: Open) -> None:
    at = open_page("learn", lesson="2", done="99.x.1", hide="theory", order="acb", found="acb")
    lessons = at.menu_button(key="lessons")
    assert [name.startswith("✓") for name in lessons.options] == [n == 1 for n in NUMBERS]
    assert "previous" not in keys(open_page("learn", lesson="1").button)
    at.button(key="next").click().run()
    assert (url(at, "lesson"), url(at, "done"), url(at, "hide")) == ("3", "99.x.1", "theory")
    assert url(at, "order") is None  # it belongs to lesson 2
    go_to_lesson(at, 7)
    at.segmented_control(key="l7-starts").set_value("ae").run()
    go_to_lesson(at, 2)
    assert (url(at, "lesson"), url(at, "order"), url(at, "found")) == ("2", "acb", "acb")
    state = component(at, "lesson-orders")["state"]
    assert (state["order"], state["found"]) == ("acb", "acb")
    assert url(at, "starts") is None
    go_to_lesson(at, 7)
    assert url(at, "starts") == "ae"


def test_what_a_view_reports_with_the_click_that_leaves_it_is_kept(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: list[dict[str, str]] = []  # of the browser's history
    write = QueryParamsProxy.from_dict
    monkeypatch.setattr(QueryParamsProxy, "from_dict", lambda self, link: (entries.append(link), write(self, link)))
    at = open_page("learn", lesson="2", order="ac")
    at.button(key="previous").click()
    reported(at, "lesson-orders", "state", {"order": "acd"}, state=True)  # both at once, as on a busy server
    assert entries == [{"lesson": "2", "order": "acd"}, {"lesson": "1"}]
    at.button(key="next").click().run()
    assert component(at, "lesson-orders")["state"]["order"] == url(at, "order") == "acd"
    at.query_params.clear()
    reported(at.switch_page("pages/glossary.py"), "lesson-orders", "state", {"order": "acb"}, state=True)
    assert (url(go(at, "learn"), "lesson"), url(at, "order")) == ("2", "acb")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_teachers_link_hides_what_it_says_and_makes_no_dead_page(number: int, open_page: Open) -> None:
    """Whatever is hidden, there is something to see, and something to do or a way on."""
    lesson = LESSONS[number]
    for hide in ("controls,question,theory,lessons", "question,theory,lessons")[: 2 if number == 1 else 1]:
        at, left = open_page("learn", lesson=str(number), hide=hide), frame.alive(hide.split(","))
        drawn = [*at.get("bidi_component"), *at.get("plotly_chart"), *at.get("progress")]
        assert [each for each in drawn if getattr(each, "key", "") != "history-keeper"] or at.info
        assert (lesson["idea"] in texts(at)) == ("theory" not in left)
        assert (lesson["look"] if "controls" in left else lesson["task"].splitlines()[0]) in texts(at)
        assert bool(at.get("menu_button")) == ("lessons" not in left)
        assert not {"question", "controls", "lessons"} <= left
        assert "question" not in left or not any("question" in key for key in keys(at.radio, at.number_input))
        if "controls" in left:
            assert not [*at.slider, *at.select_slider, *at.toggle, *at.segmented_control, *at.selectbox]
            assert not [key for key in keys(at.button) if key.startswith(("l4-", "l6-"))]
            assert "view" not in lesson or component(at, f"lesson-{lesson['view']}")["fixed"]


def test_each_part_of_a_lesson_has_a_task(open_page: Open) -> None:
    for number, lesson in LESSONS.items():
        parts = lesson.get("parts", ("",))
        tasks = lesson["task"].splitlines()
        assert len(tasks) == len(parts)
        for part, task in enumerate(tasks, 1):
            assert task in texts(open_page("learn", lesson=str(number), part=str(part), run="1"))


def test_the_panel_makes_a_link(open_page: Open) -> None:
    def link() -> str:
        return str(at.code[-1].value).removeprefix("/learn?")

    at = open_page("learn", lesson="3", hide="theory")
    assert link() == "lesson=3&hide=theory"
    at.checkbox(key="teach-theory").uncheck().run()
    assert link() == "lesson=3"
    at.checkbox(key="teach-lessons").check().run()
    at.checkbox(key="teach-controls").check().run()
    assert link() == "lesson=3&hide=controls,lessons"


def _questions() -> None:
    import streamlit as st

    from gfx_core.teaching.questions import LessonQuestion
    from pages.ui.lessons import frame

    st.query_params.setdefault("lesson", "4")
    frame.ask(LessonQuestion("Which?", 1, ("Not one.", "Two.").__getitem__, ("one", "two")), "-c")
    frame.ask(LessonQuestion("How many?", 2, lambda answer: f"You said {answer}."), "-n")
    st.text(sorted(frame.DONE.read()))


def test_questions_answer_every_answer() -> None:
    at = AppTest.from_function(_questions, default_timeout=PATIENCE_S).run()
    assert (at.radio(key="lesson-4-question-c").options, len(at.warning)) == (["one", "two"], 0)
    at.radio(key="lesson-4-question-c").set_value(0)
    at.button(key="lesson-4-question-c-send").click().run()
    assert (at.warning[0].value, url(at, "done")) == ("Not one.", None)
    at.number_input(key="lesson-4-question-n").set_value(3)
    at.button(key="lesson-4-question-n-send").click().run()
    assert at.warning[1].value == "You said 3."
    at.radio(key="lesson-4-question-c").set_value(1)
    at.button(key="lesson-4-question-c-send").click().run()
    assert (at.success[0].value, url(at, "done")) == ("Two.", "4")
    at.radio(key="lesson-4-question-c").set_value(0)
    at.button(key="lesson-4-question-c-send").click().run()
    assert url(at, "done") == "4"  # what was understood stays so
