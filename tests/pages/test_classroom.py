"""A class on the pages: opening and joining, being counted and led, and what only its teacher sees."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.classroom.classes import UNWRITABLE, ClassQuestion, ClassTarget, Room, classroom, spell_code
from pages.ui.classes import qr_html
from tests.conftest import ROOT
from tests.pages.hostile import ALL, check_that_nothing_is_markdown
from tests.pages.page_reading import Open, by_link, component, go, keys, link_of, texts, url
from tests.pages.test_learn import go_to_lesson

pytestmark = pytest.mark.usefixtures("data_folder", "no_workers")


ANSWERS = (ROOT / "assets" / "docs" / "lesson-solutions.md").read_text(encoding="utf-8").splitlines()[-1]


@pytest.fixture
def opened() -> dict[str, str]:
    """What the link of the teacher of a class that goes on says."""
    code, key = classroom().open()
    return {"class": code, "key": key}


@pytest.fixture
def code(opened: dict[str, str]) -> str:
    return opened["class"]


@pytest.fixture
def watching(code: str) -> dict[str, str]:
    """What the link of the projector of that class says."""
    return {"class": code, "screen": state_of(code).derived("screen")}


def state_of(code: str) -> Room:
    """A class that goes on, as it is."""
    state = classroom().room(code)
    assert state is not None
    return state


def send(code: str, page: str, link: dict[str, str]) -> None:
    with classroom().changing(code) as room:
        room.send(ClassTarget.of(page, link))


def change(code: str, **values: object) -> None:
    with classroom().changing(code) as room:
        for name, value in values.items():
            setattr(room, name, value)


def later(at: AppTest) -> AppTest:
    """A page some seconds later, when it has asked how the class is."""
    at.run()
    assert not at.exception
    return at


def test_a_teacher_opens_a_class_and_leads_it(open_page: Open, data_folder: Path) -> None:
    at = open_page("classroom")
    at.button("class-open").click().run()
    assert not at.exception
    code, key = url(at, "class"), url(at, "key")
    assert spell_code(code) in at.title[0].value
    assert (data_folder / "classes.json").is_file()
    assert state_of(code).is_led_by(key)
    at.toggle("class-freeze").set_value(True).run()
    assert state_of(code).frozen
    again = open_page("classroom", **{"class": code, "key": key})  # the link is all that is needed to come back
    assert again.toggle("class-freeze").value
    again.button("class-end").click().run()
    assert classroom().room(code) is None
    assert "class-open" in keys(again.button)
    at.toggle("class-freeze").set_value(False).run()  # in another tab
    assert not at.exception


def test_the_spread_of_answers(open_page: Open, opened: dict[str, str], code: str) -> None:
    for answers in ((0, 1), (1,)):
        at = open_page("learn", lesson="1", **{"class": code})
        for answer in answers:
            at.radio("lesson-1-question").set_value(answer)
            at.button("lesson-1-question-send").click().run()
    assert [bar[2:] for bar in state_of(code).answers[1].bars] == [(1, 0), (1, 2), (0, 0)]
    view = open_page("classroom", **opened)
    (bars,) = [each.proto.body for each in view.get("html") if 'class="spread"' in each.proto.body]
    assert "It doubles." in bars
    assert "✓" not in bars
    assert any("Lesson 1</span>" in each.proto.body for each in view.get("html"))
    view.toggle("class-mark").set_value(True).run()
    assert any("✓" in each.proto.body for each in view.get("html"))


def test_the_projector_shows_the_question_that_the_class_was_sent_to(
    open_page: Open, code: str, watching: dict[str, str]
) -> None:
    at = open_page("classroom", **watching)
    for lesson in (2, 4):
        classroom().answer(code, "one", lesson, ClassQuestion(f"Question {lesson}?", ("yes", "no")), 0)
        assert f"Question {lesson}?" in texts(later(at))  # the latest, where the class was sent nowhere
    send(code, "learn", {"lesson": "2"})
    assert "Question 2?" in texts(later(at))


def test_follow_me(open_page: Open, code: str) -> None:
    at = open_page("learn", lesson="1", **{"class": code})
    send(code, "learn", {"lesson": "3", "merge": "1"})
    later(at)
    assert (url(at, "lesson"), url(at, "merge"), url(at, "class")) == ("3", "1", code)
    later(at.button("next").click().run())
    assert url(at, "lesson") == "4"  # one is sent once, and then free
    send(code, "glossary", {})
    later(at)
    assert at.title[0].value == "Glossary"
    assert url(at, "class") == code
    assert open_page("learn", lesson="1", **{"class": code}).title[0].value == "Glossary"  # who comes late is led


def test_freezing_ending_and_leaving(open_page: Open, code: str) -> None:
    at = open_page("learn", lesson="1", **{"class": code})
    other = open_page("learn", lesson="2", **{"class": code})
    assert component(at, "class-pause")["frozen"] is False
    change(code, frozen=True)
    assert component(later(at), "class-pause")["frozen"] is True
    at.radio("lesson-1-question").set_value(0)
    at.button("lesson-1-question-send").click().run()
    assert not state_of(code).answers
    at.button("class-leave").click()
    assert url(later(at), "class") is None
    change(code, ends=0.0)
    assert later(other).warning
    assert (url(other, "class"), url(other, "lesson")) == (None, "2")


def test_a_class_that_there_is_not(open_page: Open) -> None:
    for code in ("ABCDEF", ALL):
        at = open_page("learn", lesson="2", **{"class": code})
        assert len(at.warning) == 1
        assert url(at, "class") is None
        assert "evil" not in at.warning[0].value


def test_joining_by_code(open_page: Open, code: str) -> None:
    at = open_page("classroom")
    for wrong in ("ABC DEF", "x", ALL[:20]):
        at.text_input("class-code").set_value(wrong).run()
        assert at.error
        check_that_nothing_is_markdown(at)
    at.text_input("class-code").set_value(spell_code(code).lower())
    later(at)
    assert spell_code(code) in texts(at)
    assert url(at, "class") == code
    assert not at.checkbox  # the link for teachers
    go(at, "classroom")
    assert "class-open" not in keys(at.button)  # a student cannot open a class


def test_a_student_cannot_see_the_teachers_view_and_the_projector_changes_nothing(
    open_page: Open, opened: dict[str, str], code: str, watching: dict[str, str]
) -> None:
    for wrong in ("", "wrong", watching["screen"], ALL):
        at = open_page("classroom", **{"class": code, "key": wrong})
        assert at.title[0].value == "Class"
        assert "class-end" not in keys(at.button)
        check_that_nothing_is_markdown(at)
    assert open_page("classroom", **{"class": code, "screen": opened["key"]}).title[0].value == "Class"
    student = open_page("learn", lesson="1", **{"class": code})
    student.radio("lesson-1-question").set_value(2)
    student.button("lesson-1-question-send").click().run()
    at = open_page("classroom", **watching)
    assert any(spell_code(code) in each.proto.body for each in at.get("html"))
    assert any('class="spread"' in each.proto.body for each in at.get("html"))
    assert keys(at.button) == set()
    assert opened["key"] not in str([each.proto for each in at.get("html")])


def test_students_read_the_solutions_after_the_class(open_page: Open, opened: dict[str, str], code: str) -> None:
    student = open_page("plans", plan="solutions", **{"class": code})
    assert not student.get("download_button")
    leader = go(open_page("classroom", **opened), "plans")
    by_link(leader, {**link_of(leader), "plan": "solutions"})
    assert leader.run().get("download_button")
    assert ANSWERS in texts(leader)
    assert ANSWERS not in texts(student)
    change(code, ends=0.0)
    assert ANSWERS in texts(later(student))


def test_the_teacher_leads_from_every_page(open_page: Open, opened: dict[str, str], code: str) -> None:
    at = open_page("classroom", **opened)
    go(at, "learn")
    assert url(at, "key") is None
    assert url(at, "class") is None  # a teacher is no student
    later(go_to_lesson(at, 5))
    at.button("class-bring").click()
    later(at)
    assert state_of(code).target == ClassTarget("learn", {"lesson": "5"})
    at.checkbox("teach-theory").set_value(True).run()
    assert any(f"lesson=5&hide=theory&class={code}" in block.value for block in at.code)


def test_a_class_that_is_not_kept_says_so(open_page: Open, data_folder: Path) -> None:
    (data_folder / "classes.json").mkdir()
    at = open_page("classroom")
    at.button("class-open").click().run()
    assert not at.exception
    assert at.warning[-1].value == UNWRITABLE


def test_the_picture_of_a_link() -> None:
    picture = qr_html('http://192.168.1.20:8501/learn?class=KX7RQD&a="><script>')
    assert picture.startswith('<img src="data:image/svg+xml')
    assert "<script" not in picture
    assert qr_html("x" * 5000) == ""
