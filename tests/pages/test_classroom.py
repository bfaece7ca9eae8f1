"""A class on the pages: opening and joining, being counted and led, and what only its teacher sees."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.classroom import room
from gfx_core.classroom.classes import UNWRITABLE, ClassKeys, Teacher, classroom
from gfx_core.classroom.room import ClassTarget, Room, screen_key, spell_code
from pages.ui.class_views import qr_html
from tests.conftest import ROOT
from tests.pages.hostile import ALL, check_that_nothing_is_markdown
from tests.pages.page_reading import Open, by_link, component, go, keys, link_of, texts, url
from tests.pages.test_learn import go_to_lesson

pytestmark = pytest.mark.usefixtures("data_folder", "no_workers")


ANSWERS = (ROOT / "assets" / "docs" / "lesson-solutions.md").read_text(encoding="utf-8").splitlines()[-1]


@pytest.fixture
def opened() -> ClassKeys:
    """A class that goes on."""
    return classroom().open(1)


@pytest.fixture
def teacher(opened: ClassKeys) -> Teacher:
    found = classroom().teacher(opened.code, opened.key)
    assert found is not None
    return found


def state_of(code: str) -> Room:
    """A class that goes on, as it is."""
    state = classroom().room(code)
    assert state is not None
    return state


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
    teacher = classroom().teacher(code, key)
    assert teacher is not None
    at.text_input("class-link").set_value("http://localhost:8501/explain?dataset=tree_cycles&index=612").run()
    at.button("class-send-link").click().run()
    assert state_of(code).target == ClassTarget("explain", "dataset=tree_cycles&index=612")
    at.text_input("class-link").set_value(ALL).run()
    at.button("class-send-link").click().run()
    assert at.error
    check_that_nothing_is_markdown(at)
    at.toggle("class-freeze").set_value(True).run()
    assert state_of(code).frozen
    again = open_page("classroom", **{"class": code, "key": key})  # the link is all that is needed to come back
    assert again.toggle("class-freeze").value
    again.button("class-end").click().run()
    assert classroom().room(code) is None
    assert not again.warning
    assert "class-open" in keys(again.run().button)


def test_the_spread_of_answers(open_page: Open, opened: ClassKeys) -> None:
    for answers in ((0, 1), (1,)):
        at = open_page("learn", lesson="1", **{"class": opened.code})
        for answer in answers:
            at.radio("lesson-1-question").set_value(answer)
            at.button("lesson-1-question-send").click().run()
    assert [bar[2:] for bar in state_of(opened.code).answers[1].bars] == [(1, 0), (1, 2), (0, 0)]
    view = open_page("classroom", **{"class": opened.code, "key": opened.key})
    (bars,) = [each.proto.body for each in view.get("html") if 'class="spread"' in each.proto.body]
    assert "It doubles." in bars
    assert "✓" not in bars
    view.toggle("class-mark").set_value(True).run()
    assert any("✓" in each.proto.body for each in view.get("html"))


def test_the_projector_shows_the_question_that_the_class_was_sent_to(
    open_page: Open, opened: ClassKeys, teacher: Teacher
) -> None:
    at = open_page("classroom", **{"class": opened.code, "screen": screen_key(opened.key)})

    def shown() -> int:
        return int(later(at).segmented_control("class-question").value)

    for lesson in (4, 2):
        classroom().answer(opened.code, "one", lesson, room.ClassQuestion(f"Question {lesson}?", ("yes", "no")), 0)
        assert shown() == lesson  # the latest, where the class was sent nowhere
    teacher.send(ClassTarget.of("learn", {"lesson": "4"}))
    assert shown() == 4
    assert "Question 4?" in texts(at)
    at.segmented_control("class-question").set_value(2).run()
    assert shown() == 2  # a click chooses


def test_follow_me(open_page: Open, opened: ClassKeys, teacher: Teacher) -> None:
    at = open_page("learn", lesson="1", **{"class": opened.code})
    teacher.send(ClassTarget.of("learn", {"lesson": "3", "merge": "1"}))
    later(at)
    assert (url(at, "lesson"), url(at, "merge"), url(at, "class")) == ("3", "1", f"{opened.code}.1")
    later(at.button("next").click().run())
    assert url(at, "lesson") == "4"  # one is sent once, and then free
    teacher.send(ClassTarget.of("glossary", {}))
    later(at)
    assert at.title[0].value == "Glossary"
    assert url(at, "class") == f"{opened.code}.2"


def test_freezing_ending_and_leaving(open_page: Open, opened: ClassKeys, teacher: Teacher) -> None:
    at = open_page("learn", lesson="1", **{"class": opened.code})
    other = open_page("learn", lesson="2", **{"class": opened.code})
    assert component(at, "class-pause")["frozen"] is False
    teacher.freeze(True)
    assert component(later(at), "class-pause")["frozen"] is True
    at.radio("lesson-1-question").set_value(0)
    at.button("lesson-1-question-send").click().run()
    assert not state_of(opened.code).answers
    at.button("class-leave").click()
    assert url(later(at), "class") is None
    teacher.end()
    assert later(other).warning
    assert (url(other, "class"), url(other, "lesson")) == (None, "2")


def test_a_class_that_there_is_not(open_page: Open) -> None:
    for code in ("ABCDEF", ALL, "ABCDEF.999999999999"):
        at = open_page("learn", lesson="2", **{"class": code})
        assert len(at.warning) == 1
        assert url(at, "class") is None
        assert "evil" not in at.warning[0].value


def test_joining_by_code(open_page: Open, opened: ClassKeys, teacher: Teacher) -> None:
    at = open_page("classroom")
    for wrong in ("ABC DEF", "x", ALL[:20]):
        at.text_input("class-code").set_value(wrong).run()
        assert at.error
        check_that_nothing_is_markdown(at)
    at.text_input("class-code").set_value(spell_code(opened.code).lower())
    later(at)
    assert spell_code(opened.code) in texts(at)
    assert url(at, "class") == opened.code
    assert not at.checkbox  # the link for teachers
    go(at, "classroom")
    assert keys(at.button) == {"class-leave"}  # a student cannot open a class


def test_a_student_cannot_see_the_teachers_view_and_the_projector_changes_nothing(
    open_page: Open, opened: ClassKeys
) -> None:
    for wrong in ("", "wrong", screen_key(opened.key), ALL):
        at = open_page("classroom", **{"class": opened.code, "key": wrong})
        assert at.title[0].value == "Class"
        assert not {"class-send-place", "class-end"} & keys(at.button)
        check_that_nothing_is_markdown(at)
    student = open_page("learn", lesson="1", **{"class": opened.code})
    student.radio("lesson-1-question").set_value(2)
    student.button("lesson-1-question-send").click().run()
    at = open_page("classroom", **{"class": opened.code, "screen": screen_key(opened.key)})
    assert any(spell_code(opened.code) in each.proto.body for each in at.get("html"))
    assert any('class="spread"' in each.proto.body for each in at.get("html"))
    assert keys(at.button) == set()
    assert opened.key not in str([each.proto for each in at.get("html")])


def test_students_read_the_solutions_after_the_class(open_page: Open, opened: ClassKeys, teacher: Teacher) -> None:
    student = open_page("plans", plan="solutions", **{"class": opened.code})
    assert not student.get("download_button")
    leader = go(open_page("classroom", **{"class": opened.code, "key": opened.key}), "plans")
    by_link(leader, {**link_of(leader), "plan": "solutions"})
    assert leader.run().get("download_button")
    assert ANSWERS in texts(leader)
    assert ANSWERS not in texts(student)
    teacher.end()
    assert ANSWERS in texts(later(student))


def test_the_teacher_leads_from_every_page(open_page: Open, opened: ClassKeys) -> None:
    at = open_page("classroom", **{"class": opened.code, "key": opened.key})
    go(at, "learn")
    assert url(at, "key") is None
    assert url(at, "class") is None  # a teacher is no student
    later(go_to_lesson(at, 5))
    at.button("class-bring").click()
    later(at)
    assert state_of(opened.code).target == ClassTarget("learn", "lesson=5")
    at.checkbox("teach-theory").set_value(True).run()
    at.button("teach-send").click().run()
    assert state_of(opened.code).target == ClassTarget("learn", "lesson=5&hide=theory")


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
