"""Classes: opening, joining, leading, and what is kept of them."""

import errno
import json
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import pytest

from gfx_core import limits
from gfx_core.classroom import room as codes
from gfx_core.classroom.classes import (
    ATTEMPTS_S,
    FULL,
    ClassKeys,
    Classroom,
    FullError,
    StudentPage,
    Teacher,
)
from gfx_core.classroom.room import AnswerCounts, ClassQuestion, ClassTarget, read_target
from gfx_core.errors import UserError

QUESTION = ClassQuestion("Which?", ("this", "that", "neither"), 1)
PAGES = ("learn", "explain")
FIRST = StudentPage("learn", 1)


class Clock:
    """Time that goes on when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def new_seat() -> str:
    """Of a visitor who has not been there before."""
    return token_hex(8)


def lead(school: Classroom, keys: ClassKeys) -> Teacher:
    """What the teacher of a class may do."""
    teacher = school.teacher(keys.code, keys.key)
    assert teacher is not None
    return teacher


def present(school: Classroom, keys: ClassKeys) -> int:
    """How many its teacher sees there."""
    return sum(lead(school, keys).places().values())


def answers(school: Classroom, keys: ClassKeys) -> dict[int, AnswerCounts]:
    """What its teacher sees of the answers, by lesson."""
    room = lead(school, keys).room()
    assert room is not None
    return room.answers


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def school(tmp_path: Path, clock: Clock) -> Classroom:
    return Classroom(tmp_path / "folder" / "classes.json", clock)


def test_only_its_secret_opens_a_class_and_no_secret_is_in_the_file(school: Classroom) -> None:
    keys, other = school.open(1, "203.0.113.77"), school.open(1)
    screen = codes.screen_key(keys.key)
    for key in ("", other.key, screen, "ä\ud800"):
        assert school.teacher(keys.code, key) is None
    assert school.teacher("ABCDEF", keys.key) is None
    assert school.watcher(keys.code, keys.key) is None
    assert not hasattr(school.watcher(keys.code, screen), "freeze")
    lead(school, other).end()
    seat = school.join(keys.code, "name of a visitor", "203.0.113.77")
    assert seat is not None
    school.answer(keys.code, seat, 1, QUESTION, 0)
    text = "".join(path.read_text(encoding="utf-8") for path in school.path.parent.iterdir())
    for secret in (keys.key, screen, "name of a visitor", "203.0.113.77"):
        assert secret not in text
    (room,) = json.loads(text)
    assert set(room) == {"code", "teacher", "screen", "ends", "frozen", "sent", "target", "answers"}
    assert room["answers"]["1"]["by_seat"] == {seat: [0, 0]}


def test_who_is_where(school: Classroom, clock: Clock) -> None:
    keys, seats = school.open(1), [new_seat() for _ in range(5)]
    school.path.unlink()
    for number, seat in enumerate(seats):
        school.look(keys.code, seat, StudentPage("learn", 1 + number // 3))
    assert not school.path.exists()  # looking writes nothing
    assert dict(lead(school, keys).places()) == {FIRST: 3, StudentPage("learn", 2): 2}
    clock.now += limits.PRESENT_S - 1
    school.look(keys.code, seats[0], StudentPage("explain"))
    school.leave(keys.code, seats[1])
    clock.now += 2
    assert dict(lead(school, keys).places()) == {StudentPage("explain"): 1}


def test_answers_are_counted_at_first_and_by_now(school: Classroom) -> None:
    keys = school.open(1)
    teacher, one, two = lead(school, keys), new_seat(), new_seat()
    for seat, answer in ((one, 0), (one, 2), (one, 1), (two, 1)):
        school.answer(keys.code, seat, 3, QUESTION, answer)
    number = ClassQuestion("How **many**?", (), 4)
    for answer in (10**30, 6):
        school.answer(keys.code, one, 2, number, answer)
    assert answers(school, keys)[3].bars == [(0, "this", 1, 0), (1, "that", 1, 2), (2, "neither", 0, 0)]
    assert answers(school, keys)[2].bars == [(6, "6", 1, 1)]
    room = teacher.room()
    assert room is not None
    assert room.answers_csv().splitlines()[1:3] == ["2,How many?,6,no,1,1", "3,Which?,this,no,1,0"]
    teacher.freeze(True)
    school.answer(keys.code, two, 3, QUESTION, 2)
    assert answers(school, keys)[3].bars[2] == (2, "neither", 0, 0)


def test_a_lesson_with_several_questions_counts_one_of_them(school: Classroom) -> None:
    """As lesson 9, whose hidden GNNs each have a rule of their own: the first that is answered."""
    keys, other = school.open(1), ClassQuestion("Which other?", QUESTION.options, 2)
    for question in (QUESTION, other):
        school.answer(keys.code, new_seat(), 9, question, 1)
    assert (answers(school, keys)[9].question, len(answers(school, keys)[9].by_seat)) == (QUESTION, 1)


def test_follow_me(school: Classroom) -> None:
    keys, seat = school.open(1), new_seat()
    room = school.look(keys.code, seat, FIRST)
    assert room is not None
    assert (room.sent, room.target) == (0, None)
    link = "https://another.example/x/learn?lesson=3&merge=1&key=secret&class=ABCDEF"  # the same page, here
    lead(school, keys).send(read_target(link, PAGES))
    room = school.look(keys.code, seat, FIRST)
    assert room is not None
    assert (room.sent, room.target) == (1, ClassTarget("learn", "lesson=3&merge=1"))
    evil = ("", "hello", "http://evil.example", "//evil.example/", "javascript:alert(1)", "http://[", "/admin")
    for text in (*evil, "learn/../etc", f"/learn?{'a' * 3000}"):
        with pytest.raises(UserError):
            read_target(text, PAGES)


def test_a_class_ends_by_itself(school: Classroom, clock: Clock) -> None:
    keys, longer = school.open(1), school.open(2)
    clock.now += 3600
    assert school.room(keys.code) is None
    assert school.teacher(keys.code, keys.key) is None
    assert school.look(keys.code, new_seat(), FIRST) is None
    assert school.room(longer.code) is not None
    school.open(1)
    assert len(json.loads(school.path.read_bytes())) == 2  # what is over is forgotten
    lead(school, longer).end()
    assert school.room(longer.code) is None
    for hours in (0, -1, limits.MAX_CLASS_HOURS + 1, float("nan")):
        with pytest.raises(UserError):
            school.open(hours)


# Nobody takes all


def test_one_visitor_cannot_open_all_classes(school: Classroom, clock: Clock) -> None:
    for _ in range(limits.OPENINGS):  # nor open and end them all the time
        lead(school, school.open(1, "10.0.0.2")).end()
    with pytest.raises(UserError, match="too often"):
        school.open(1, "10.0.0.2")
    for _ in range(limits.MAX_CLASSROOMS):
        clock.now += ATTEMPTS_S / limits.OPENINGS
        with suppress(UserError):
            school.open(1, "10.0.0.1")
    assert len(json.loads(school.path.read_bytes())) == limits.CLASSROOMS_PER_VISITOR
    with pytest.raises(UserError, match="opened from your address already"):
        school.open(1, "10.0.0.1")
    assert school.open(1, "10.0.0.2")


def test_a_class_that_nobody_is_in_makes_room(school: Classroom, clock: Clock) -> None:
    abandoned, led, watched, *others = (school.open(12) for _ in range(limits.MAX_CLASSROOMS))
    teacher, watcher = lead(school, led), school.watcher(watched.code, codes.screen_key(watched.key))
    assert watcher is not None
    clock.now += limits.ABANDONED_S - 1
    teacher.room()
    watcher.room()
    for keys in others:
        school.look(keys.code, new_seat(), FIRST)
    with pytest.raises(UserError, match="all are in use"):
        school.open(1)
    clock.now += 1
    with pytest.raises(UserError, match="all are in use"):
        Classroom(school.path, clock).open(1)  # a server that has just begun waits as long
    assert school.open(1)
    assert school.room(abandoned.code) is None
    assert all(school.room(keys.code) is not None for keys in (led, watched, *others))


def test_a_visitor_has_one_seat_and_one_vote(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages it opens, however often it leaves and comes back, and whatever its browser says."""
    keys, other, seats = school.open(1), school.open(1), set()
    monkeypatch.setattr(limits, "JOINS", 5, raising=False)
    for answer in range(limits.JOINS):
        seat = school.join(keys.code, "one cookie", "10.0.0.1")
        assert seat is not None
        seats.add(seat)
        school.answer(keys.code, seat, 1, QUESTION, answer % 2)
        school.leave(keys.code, seat)
    assert len(seats) == 1
    with pytest.raises(UserError, match="too often"):
        school.join(keys.code, "one cookie", "10.0.0.1")
    assert len(answers(school, keys)[1].by_seat) == 1
    assert school.join(keys.code, "another") != school.join(other.code, "another")  # nobody is followed
    assert school.join("ABCDEF", "another") is None


def test_seats_that_never_answered_go_first(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_SEATS", 3)
    keys, invented, student = school.open(1), [new_seat() for _ in range(3)], new_seat()
    for seat in invented:
        school.look(keys.code, seat, FIRST)
    school.answer(keys.code, student, 1, QUESTION, 0)
    for seat in invented:
        school.look(keys.code, seat, FIRST)
    assert (student in {seat for _, seat in school._seats}, present(school, keys)) == (True, 3)


def test_seats_and_votes_of_those_who_left_are_given_to_others(
    school: Classroom, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_SEATS", 3)
    keys, first, late = school.open(1), [new_seat() for _ in range(3)], new_seat()
    for seat in first:
        school.answer(keys.code, seat, 1, QUESTION, 0)
    with pytest.raises(FullError):
        school.look(keys.code, late, FIRST)
    clock.now += limits.PRESENT_S + 1
    for seat in first[1:]:
        school.look(keys.code, seat, FIRST)
    school.answer(keys.code, late, 1, QUESTION, 1)
    with pytest.raises(FullError):
        school.answer(keys.code, first[0], 1, QUESTION, 2)  # their seat is taken
    assert set(answers(school, keys)[1].by_seat) == {*first[1:], late}


# Faults


def test_on_a_full_disk_classes_go_on_in_memory(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    keys = school.open(1)
    monkeypatch.setattr(Path, "write_bytes", full)
    school.answer(keys.code, new_seat(), 1, QUESTION, 1)
    assert school.problem == FULL
    assert school.open(1)
    assert list(answers(school, keys)) == [1]
    monkeypatch.undo()
    lead(school, keys).freeze(True)
    assert school.problem == ""
    assert list(answers(Classroom(school.path, school.now), keys)) == [1]


def test_a_file_that_is_removed_is_written_again_and_a_folder_that_is_gone_is_told_of(
    school: Classroom, clock: Clock
) -> None:
    keys = school.open(1)
    school.answer(keys.code, new_seat(), 1, QUESTION, 1)
    school.path.unlink()
    another = school.open(1)
    again = Classroom(school.path, clock)
    assert again.room(another.code) is not None
    assert list(answers(again, keys)) == [1]


@pytest.mark.parametrize("content", [b"this is no file of ours", b'[{"code": 1}]', b"", b"\0" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "classes.json"
    path.write_bytes(content)
    school = Classroom(path)
    keys = school.open(1)
    assert school.problem == ""
    assert school.room(keys.code) is not None
    assert path.with_suffix(".damaged").read_bytes() == content
