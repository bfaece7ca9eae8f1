"""Classes: opening, joining, leading, and what is kept of them."""

import errno
import json
from pathlib import Path
from secrets import token_hex

import pytest

from gfx_core import limits
from gfx_core.classroom.classes import (
    OPENINGS_S,
    UNWRITABLE,
    AnswerCounts,
    ClassQuestion,
    Classroom,
    ClassTarget,
    FullError,
    Room,
    StudentPage,
)
from gfx_core.errors import UserError

QUESTION = ClassQuestion("Which?", ("this", "that", "neither"), 1)
FIRST = StudentPage("learn", 1)


class Clock:
    """Time that goes on when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def new_seat() -> str:
    """Of a visitor who has not been there before."""
    return token_hex(8)


def room_of(school: Classroom, code: str) -> Room:
    room = school.room(code)
    assert room is not None
    return room


def look(school: Classroom, code: str, seat: str, place: StudentPage = FIRST) -> int:
    return school.look(room_of(school, code), seat, place)


def answers(school: Classroom, code: str) -> dict[int, AnswerCounts]:
    """What the teacher sees of the answers, by lesson."""
    return room_of(school, code).answers


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def school(tmp_path: Path, clock: Clock) -> Classroom:
    return Classroom(tmp_path / "folder" / "classes.json", clock)


def test_only_its_key_opens_a_class_and_no_secret_is_in_the_file(school: Classroom) -> None:
    (code, key), (other, other_key) = school.open("203.0.113.77"), school.open()
    room = room_of(school, code)
    screen = room.derived("screen")
    assert room.is_led_by(key)
    assert room.is_watched_by(screen)
    for forged in ("", other_key, screen, "ä\ud800"):
        assert not room.is_led_by(forged)
    for forged in ("", key, room_of(school, other).derived("screen"), "ä\ud800"):
        assert not room.is_watched_by(forged)
    with school.changing(other) as ended:
        ended.ends = 0.0
    seat = school.join(code, "name of a visitor")
    assert seat is not None
    school.answer(code, seat, 1, QUESTION, 0)
    text = "".join(path.read_text(encoding="utf-8") for path in school.path.parent.iterdir())
    for secret in (key, screen, "name of a visitor", "203.0.113.77"):
        assert secret not in text
    (kept,) = json.loads(text)
    assert set(kept) == {"code", "seal", "ends", "used", "frozen", "sent", "target", "answers", "seats"}
    assert kept["answers"]["1"]["by_seat"] == {seat: [0, 0]}


def test_who_is_where(school: Classroom, clock: Clock) -> None:
    (code, _), seats = school.open(), [new_seat() for _ in range(5)]
    school.path.unlink()
    for number, seat in enumerate(seats):
        look(school, code, seat, StudentPage("learn", 1 + number // 3))
    assert not school.path.exists()  # looking writes nothing
    room = room_of(school, code)
    assert school.present(room) == {FIRST: 3, StudentPage("learn", 2): 2}
    clock.now += limits.PRESENT_S - 1
    look(school, code, seats[0], StudentPage("explain"))
    clock.now += 2
    assert school.present(room) == {StudentPage("explain"): 1}


def test_answers_are_counted_at_first_and_by_now(school: Classroom) -> None:
    (code, _), one, two = school.open(), new_seat(), new_seat()
    for seat, answer in ((one, 0), (one, 2), (one, 1), (two, 1)):
        school.answer(code, seat, 3, QUESTION, answer)
    number = ClassQuestion("How **many**?", (), 4)
    for answer in (10**30, 6):
        school.answer(code, one, 2, number, answer)
    assert answers(school, code)[3].bars == [(0, "this", 1, 0), (1, "that", 1, 2), (2, "neither", 0, 0)]
    assert answers(school, code)[2].bars == [(6, "6", 1, 1)]
    lines = room_of(school, code).answers_csv().splitlines()
    assert lines[1:3] == ["2,How many?,6,False,1,1", "3,Which?,this,False,1,0"]
    with school.changing(code) as room:
        room.frozen = True
    school.answer(code, two, 3, QUESTION, 2)
    assert answers(school, code)[3].bars[2] == (2, "neither", 0, 0)


def test_a_lesson_with_several_questions_counts_one_of_them(school: Classroom) -> None:
    """As lesson 9, whose hidden GNNs each have a rule of their own: the first that is answered."""
    (code, _), other = school.open(), ClassQuestion("Which other?", QUESTION.options, 2)
    for question in (QUESTION, other):
        school.answer(code, new_seat(), 9, question, 1)
    assert (answers(school, code)[9].question, len(answers(school, code)[9].by_seat)) == (QUESTION, 1)


def test_follow_me(school: Classroom, clock: Clock) -> None:
    (code, _), seat = school.open(), new_seat()
    assert look(school, code, seat) == 0
    with school.changing(code) as room:
        room.send(ClassTarget.of("learn", {"lesson": "3", "merge": "1", "key": "secret", "class": "ABCDEF"}))
    assert room.target == ClassTarget("learn", {"lesson": "3", "merge": "1"})
    assert (room.target.lesson, ClassTarget("learn", {"lesson": "²"}).lesson, ClassTarget("lab", {}).lesson) == (
        3,
        1,
        0,
    )
    assert [look(school, code, seat) for _ in range(2)] == [0, 1] == [room.sent - 1, room.sent]
    clock.now += limits.PRESENT_S + 1
    assert look(school, code, seat) == 0  # who was away is led again


def test_a_class_ends_by_itself(school: Classroom, clock: Clock) -> None:
    code, _ = school.open()
    clock.now += 3600
    longer, _ = school.open()
    clock.now += 3600 * (limits.CLASS_HOURS - 1)
    assert school.room(code) is None
    assert school.join(code) is None
    with pytest.raises(UserError, match="over"):
        school.answer(code, new_seat(), 1, QUESTION, 1)
    assert school.room(longer) is not None
    school.open()
    assert len(json.loads(school.path.read_bytes())) == 2  # what is over is forgotten
    with school.changing(longer) as room:
        room.ends = 0.0
    assert school.room(longer) is None


# Nobody takes all


def test_one_visitor_cannot_open_all_classes(school: Classroom, clock: Clock) -> None:
    for _ in range(limits.OPENINGS):
        school.open("10.0.0.1")
    with pytest.raises(UserError, match="from your address"):
        school.open("10.0.0.1")
    assert school.open("10.0.0.2")
    clock.now += OPENINGS_S
    assert school.open("10.0.0.1")


def test_a_class_that_nobody_is_in_makes_room(school: Classroom, clock: Clock) -> None:
    *others, abandoned = (school.open()[0] for _ in range(limits.MAX_CLASSROOMS))
    clock.now += limits.ABANDONED_S - 1
    for code in others:
        school.room(code)
    with pytest.raises(UserError, match="all are in use"):
        school.open()
    clock.now += 1
    assert school.open()
    assert school.room(abandoned) is None
    assert all(school.room(code) is not None for code in others)


def test_a_visitor_has_one_seat_and_one_vote(school: Classroom) -> None:
    """However many pages it opens, however often it leaves and comes back, and whatever its browser says."""
    (code, _), (other, _), seats = school.open(), school.open(), set()
    for answer in range(5):
        seat = school.join(code, "one cookie")
        assert seat is not None
        seats.add(seat)
        school.answer(code, seat, 1, QUESTION, answer % 2)
    assert len(seats) == 1
    assert len(answers(school, code)[1].by_seat) == 1
    assert school.join(code, "another") != school.join(other, "another")  # nobody is followed
    assert school.join(code) != school.join(code)
    assert school.join("ABCDEF", "another") is None


def test_seats_that_never_answered_go_first(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_SEATS", 3)
    (code, _), invented, student = school.open(), [new_seat() for _ in range(3)], new_seat()
    for seat in invented:
        look(school, code, seat)
    school.answer(code, student, 1, QUESTION, 0)
    for seat in invented:
        look(school, code, seat)
    room = room_of(school, code)
    assert (student in room.seats, len(room.seats)) == (True, 3)


def test_seats_and_votes_of_those_who_left_are_given_to_others(
    school: Classroom, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_SEATS", 3)
    (code, _), first, late = school.open(), [new_seat() for _ in range(3)], new_seat()
    for seat in first:
        school.answer(code, seat, 1, QUESTION, 0)
    with pytest.raises(FullError):
        look(school, code, late)
    clock.now += limits.PRESENT_S + 1
    for seat in first[1:]:
        look(school, code, seat)
    school.answer(code, late, 1, QUESTION, 1)
    with pytest.raises(FullError):
        school.answer(code, first[0], 1, QUESTION, 2)  # their seat is taken
    assert set(answers(school, code)[1].by_seat) == {*first[1:], late}


# Faults


def test_on_a_full_disk_classes_go_on_in_memory(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    code, key = school.open()
    monkeypatch.setattr(Path, "write_bytes", full)
    school.answer(code, new_seat(), 1, QUESTION, 1)
    assert school.problem == UNWRITABLE
    assert school.open()
    assert list(answers(school, code)) == [1]
    monkeypatch.undo()
    with school.changing(code) as room:
        room.send(ClassTarget("learn", {"lesson": "2"}))
    assert school.problem == ""
    again = room_of(Classroom(school.path, school.now), code)  # as after a restart
    assert (again, again.is_led_by(key)) == (room, True)


@pytest.mark.parametrize("content", [b"this is no file of ours", b'[{"code": 1}]', b"", b"\0" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "classes.json"
    path.write_bytes(content)
    school = Classroom(path)
    code, _ = school.open()
    assert school.problem == ""
    assert school.room(code) is not None
    assert path.with_suffix(".damaged").read_bytes() == content
