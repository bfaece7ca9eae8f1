"""Classes: opening, joining, leading, and what is kept of them."""

import errno
import json
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import pytest

from gfx_core import limits
from gfx_core.classroom import room as codes
from gfx_core.classroom.classes import (
    ATTEMPTS_S,
    FULL,
    UNWRITABLE,
    ClassKeys,
    Classroom,
    FullError,
    StudentPage,
    Teacher,
    steady_clock,
)
from gfx_core.classroom.room import STAYS_S, ClassQuestion, ClassTarget, Room, read_target
from gfx_core.errors import UserError

QUESTION = ClassQuestion("Which?", ("this", "that", "neither"), 1)
PAGES = ("learn", "explain")


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def new_seat() -> str:
    """Of a visitor who has not been there before."""
    return token_hex(8)


def lead(school: Classroom, opened: ClassKeys) -> Teacher:
    """What the teacher of a class may do."""
    teacher = school.teacher(opened.code, opened.key)
    assert teacher is not None
    return teacher


def room_of(school: Classroom, opened: ClassKeys) -> Room:
    """What the teacher of a class sees."""
    room = lead(school, opened).room()
    assert room is not None
    return room


def present(school: Classroom, opened: ClassKeys) -> int:
    """How many its teacher sees there."""
    return sum(lead(school, opened).places().values())


def answered(school: Classroom, opened: ClassKeys) -> dict[int, int]:
    """How many have answered each lesson's question."""
    return {lesson: len(counts.by_seat) for lesson, counts in sorted(room_of(school, opened).answers.items())}


def joined(school: Classroom, opened: ClassKeys, user: str, address: str = "") -> str:
    """The seat of a visitor."""
    seat = school.join(opened.code, user, address)
    assert seat is not None
    return seat


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def school(tmp_path: Path, clock: Clock) -> Classroom:
    return Classroom(tmp_path / "folder" / "classes.json", clock)


def test_codes_can_be_typed_as_people_like() -> None:
    for _ in range(50):
        code = codes.new_code()
        assert codes.read_code(code) == code
        assert codes.read_code(f" {codes.spell_code(code).lower()} ") == code
        assert codes.read_code(f"{code[:2]}-{code[2:]}") == code
    for wrong in ("", "AB", "ABCDEFG", "ABC€EF", "ABCDE1\n\n7", "A" * 5000):
        assert codes.read_code(wrong) is None


def test_only_its_secret_opens_a_class(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, other = school.open(1), school.open(1)
    assert school.teacher(opened.code, opened.key) is not None
    screen = codes.screen_key(opened.key)
    assert school.watcher(opened.code, screen) is not None
    for code, key in (
        (opened.code, ""),
        (opened.code, other.key),
        (opened.code, screen),
        (opened.code, "ä\ud800"),
        ("ABCDEF", opened.key),
    ):
        assert school.teacher(code, key) is None
    assert school.watcher(opened.code, opened.key) is None
    assert not hasattr(school.watcher(opened.code, screen), "freeze")
    compared: list[int] = []
    monkeypatch.setattr(codes.hmac, "compare_digest", lambda a, b: compared.append(len(a) - len(b)) or False)
    school.teacher(opened.code, "wrong")
    school.teacher("ABCDEF", "there is no such class")
    assert compared == [0, 0]  # in constant time, and also where there is nothing to compare with


def test_nothing_personal_and_no_secret_is_in_the_file(school: Classroom) -> None:
    opened = school.open(1, "name of a visitor", "203.0.113.77")
    seat = joined(school, opened, "name of a visitor", "203.0.113.77")
    school.answer(opened.code, seat, 1, QUESTION, 0, "203.0.113.77")
    kept = b"".join(path.read_bytes() for path in school.path.parent.iterdir())
    assert seat.encode() in kept
    for secret in (opened.key, codes.screen_key(opened.key), "name of a visitor", "203.0.113.77"):
        assert secret.encode() not in kept
    (room,) = json.loads(kept)
    assert set(room) == {"code", "teacher", "screen", "ends", "frozen", "sent", "target", "answers", "repeats"}
    assert room["answers"]["1"]["by_seat"] == {seat: [0, 0, school.now()]}


def test_who_is_where(school: Classroom, clock: Clock) -> None:
    opened, seats = school.open(1), [new_seat() for _ in range(5)]
    for number, seat in enumerate(seats):
        school.look(opened.code, seat, StudentPage("learn", 1 + number // 3))
    places = lead(school, opened).places()
    assert dict(places) == {StudentPage("learn", 1): 3, StudentPage("learn", 2): 2}
    clock.now += limits.PRESENT_S - 1
    school.look(opened.code, seats[0], StudentPage("explain"))
    school.leave(opened.code, seats[1])
    clock.now += 2
    assert dict(lead(school, opened).places()) == {StudentPage("explain"): 1}


def test_looking_writes_nothing(school: Classroom) -> None:
    opened, seat = school.open(1), new_seat()
    school.path.unlink()
    for lesson in range(1, 5):
        school.look(opened.code, seat, StudentPage("learn", lesson))
    assert not school.path.exists()


def test_answers_are_counted_at_first_and_by_now(school: Classroom, clock: Clock) -> None:
    opened = school.open(1)
    teacher = lead(school, opened)
    one, two = new_seat(), new_seat()
    for seat, answer in ((one, 0), (one, 2), (one, 1), (two, 1)):
        school.answer(opened.code, seat, 3, QUESTION, answer)
        clock.now += STAYS_S
    school.answer(opened.code, one, 2, ClassQuestion("How many?", (), 4), 10**30)
    school.answer(opened.code, one, 2, ClassQuestion("How many?", (), 4), 6)
    answers = room_of(school, opened).answers
    assert answers[3].bars == [(0, "this", 1, 0), (1, "that", 1, 2), (2, "neither", 0, 0)]
    assert answers[3].question == QUESTION
    assert answers[2].bars == [(6, "6", 1, 1)]
    saved = room_of(school, opened).answers_csv().splitlines()
    assert saved[1:3] == ["2,How many?,6,no,1,1", "3,Which?,this,no,1,0"]
    teacher.freeze(True)
    school.answer(opened.code, two, 3, QUESTION, 2)
    assert room_of(school, opened).frozen
    assert answered(school, opened) == {2: 1, 3: 2}
    assert room_of(school, opened).answers[3].bars[2] == (2, "neither", 0, 0)
    teacher.freeze(False)
    teacher.clear(3)
    assert answered(school, opened) == {2: 1}
    assert room_of(school, opened).repeats == {3: 1}


def test_an_answer_that_was_only_passed_is_not_the_first(school: Classroom, clock: Clock) -> None:
    """Arrow keys choose every option on the way to the one that is meant; one whose hint was seen is the first."""
    opened = school.open(1)
    for lesson, stays, expected in (
        (3, (0.5, 0.5, STAYS_S, 0.1, 0.0), (2, 0)),
        (4, (1.5, 0.5, 0.5, 0.1, 0.0), (0, 0)),
    ):
        seat = new_seat()
        for answer, stay in zip((0, 1, 2, 1, 0), stays, strict=True):
            school.answer(opened.code, seat, lesson, QUESTION, answer)
            clock.now += stay
        ((first, latest, _),) = room_of(school, opened).answers[lesson].by_seat.values()
        assert (first, latest) == expected


def test_the_saved_answers_have_no_marks_of_markdown(school: Classroom) -> None:
    opened = school.open(1)
    school.answer(opened.code, new_seat(), 3, ClassQuestion("Is **every** one *so*?", ("**yes**", "no")), 0)
    assert room_of(school, opened).answers_csv().splitlines()[1] == "3,Is every one so?,yes,yes,1,1"


def test_the_lesson_of_a_target() -> None:
    for page, link, lesson in (
        ("learn", {"lesson": "3", "merge": "1"}, 3),
        ("learn", {}, 1),
        ("learn", {"lesson": "³"}, 1),
        ("explain", {"lesson": "3"}, 0),
    ):
        assert ClassTarget.of(page, link).lesson == lesson


def test_a_lesson_with_several_questions_counts_one_of_them(school: Classroom) -> None:
    """As lesson 9, whose hidden GNNs each have a rule of their own: the first that is answered, until it is cleared."""
    opened = school.open(1)
    one, two = new_seat(), new_seat()
    other = ClassQuestion("Which other?", QUESTION.options, 2)
    school.answer(opened.code, one, 9, QUESTION, 1)
    school.answer(opened.code, two, 9, other, 2)
    counts = room_of(school, opened).answers[9]
    assert (counts.question, len(counts.by_seat)) == (QUESTION, 1)
    lead(school, opened).clear(9)
    school.answer(opened.code, two, 9, other, 2)
    counts = room_of(school, opened).answers[9]
    assert (counts.question, len(counts.by_seat)) == (other, 1)


def test_follow_me(school: Classroom) -> None:
    opened, seat = school.open(1), new_seat()
    room = school.look(opened.code, seat, StudentPage("learn", 1))
    assert room is not None
    assert (room.sent, room.target) == (0, None)
    link = "https://another.example/x/learn?lesson=3&merge=1&key=secret&class=ABCDEF"  # the same page, here
    lead(school, opened).send(read_target(link, PAGES))
    room = school.look(opened.code, seat, StudentPage("learn", 1))
    assert room is not None
    assert (room.sent, room.target) == (1, ClassTarget("learn", "lesson=3&merge=1"))
    assert room.target is not None
    assert room.target.link == {"lesson": "3", "merge": "1"}
    evil = ("", "hello", "http://evil.example", "//evil.example/", "javascript:alert(1)", "http://[", "/admin")
    for text in (*evil, "learn/../etc", f"/learn?{'a' * 3000}"):
        with pytest.raises(UserError):
            read_target(text, PAGES)


def test_a_class_ends_by_itself(school: Classroom, clock: Clock) -> None:
    opened, longer = school.open(1), school.open(2)
    clock.now += 3600
    assert school.room(opened.code) is None
    assert school.teacher(opened.code, opened.key) is None
    assert school.look(opened.code, new_seat(), StudentPage("learn", 1)) is None
    assert school.room(longer.code) is not None
    school.open(1)
    assert len(json.loads(school.path.read_bytes())) == 2  # what is over is forgotten
    lead(school, longer).end()
    assert school.room(longer.code) is None
    for hours in (0, -1, limits.MAX_CLASS_HOURS + 1, float("nan")):
        with pytest.raises(UserError):
            school.open(hours)


def test_nobody_fills_the_disk(school: Classroom) -> None:
    opened = school.open(1)
    for _ in range(limits.MAX_CLASSROOMS - 1):
        school.open(1)
    with pytest.raises(UserError, match="all are in use"):
        school.open(1)
    for _ in range(limits.MAX_SEATS):
        school.answer(opened.code, new_seat(), 1, QUESTION, 0)
    for _ in range(20):
        with pytest.raises(FullError):
            school.look(opened.code, new_seat(), StudentPage("learn", 1))
        with pytest.raises(FullError):
            school.answer(opened.code, new_seat(), 1, QUESTION, 0)
    assert present(school, opened) == limits.MAX_SEATS
    assert answered(school, opened) == {1: limits.MAX_SEATS}


def test_one_visitor_cannot_open_all_classes(school: Classroom, clock: Clock) -> None:
    for _ in range(limits.OPENINGS_PER_USER):  # nor open and end them all the time
        lead(school, school.open(1, "b", "10.0.0.2")).end()
    with pytest.raises(UserError, match="too often"):
        school.open(1, "b", "10.0.0.2")
    for _ in range(limits.CLASSROOMS_PER_USER):
        school.open(1, "a", "10.0.0.1")
    with pytest.raises(UserError, match="already have 3 open classes"):
        school.open(1, "a", "10.0.0.1")
    for name in range(limits.MAX_CLASSROOMS):  # whoever invents names is still at one address
        clock.now += ATTEMPTS_S / limits.OPENINGS_PER_ADDRESS
        with suppress(UserError):
            school.open(1, f"invented {name}", "10.0.0.1")
    assert len(json.loads(school.path.read_bytes())) == limits.CLASSROOMS_PER_ADDRESS
    with pytest.raises(UserError, match="your network address"):
        school.open(1, "invented", "10.0.0.1")
    assert school.open(1, "b", "10.0.0.2")


def test_a_class_that_nobody_is_in_makes_room(school: Classroom, clock: Clock) -> None:
    classes = [school.open(12) for _ in range(limits.MAX_CLASSROOMS)]
    abandoned, led, shown, attended = classes[:4]
    teacher, watcher = lead(school, led), school.watcher(shown.code, codes.screen_key(shown.key))
    assert watcher is not None
    clock.now += limits.ABANDONED_S - 1
    teacher.room()
    watcher.room()
    school.look(attended.code, new_seat(), StudentPage("learn", 1))
    for other in classes[4:]:
        school.look(other.code, new_seat(), StudentPage("learn", 1))
    with pytest.raises(UserError, match="all are in use"):
        school.open(1)
    clock.now += 1
    again = Classroom(school.path, clock)  # a server that has just begun waits as long
    with pytest.raises(UserError, match="all are in use"):
        again.open(1)
    assert school.open(1)
    assert school.room(abandoned.code) is None
    assert all(school.room(each.code) is not None for each in classes[1:])
    with pytest.raises(UserError, match="all are in use"):
        school.open(1)


def test_a_visitor_has_one_seat_and_one_vote(school: Classroom) -> None:
    """However many pages it opens, however often it leaves and comes back, and whatever its browser says."""
    opened, other, seats = school.open(1), school.open(1), set()
    for answer in range(limits.JOINS_PER_USER):
        seat = joined(school, opened, "one cookie")
        seats.add(seat)
        school.answer(opened.code, seat, 1, QUESTION, answer % 2)
        school.leave(opened.code, seat)
    assert len(seats) == 1
    with pytest.raises(UserError, match="too often"):
        school.join(opened.code, "one cookie")
    second = joined(school, opened, "another")
    school.answer(opened.code, second, 1, QUESTION, 1)
    assert present(school, opened) == 1
    assert answered(school, opened) == {1: 2}
    assert school.join(other.code, "another") != second  # nobody is followed from class to class
    assert school.join("ABCDEF", "another") is None


def test_one_address_cannot_fill_all_classes(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEATS_PER_ADDRESS", 5)
    opened, other = school.open(1), school.open(1)
    for _ in range(3):
        school.look(opened.code, new_seat(), StudentPage("learn", 1), "10.0.0.1")
    stays = [new_seat() for _ in range(2)]
    for seat in stays:
        school.look(other.code, seat, StudentPage("learn", 1), "10.0.0.1")
    with pytest.raises(FullError, match="your network address"):
        school.look(other.code, new_seat(), StudentPage("learn", 1), "10.0.0.1")
    school.look(other.code, stays[0], StudentPage("learn", 2), "10.0.0.1")  # who has a seat keeps it
    school.look(other.code, new_seat(), StudentPage("learn", 1), "10.0.0.2")


def test_seats_and_votes_of_those_who_left_are_given_to_others(
    school: Classroom, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_SEATS", 3)
    opened = school.open(1)
    first = [new_seat() for _ in range(3)]
    for seat in first:
        school.answer(opened.code, seat, 1, QUESTION, 0)
    late = new_seat()
    with pytest.raises(FullError, match="This class is full"):
        school.look(opened.code, late, StudentPage("learn", 1))
    clock.now += limits.PRESENT_S + 1
    for seat in first[1:]:
        school.look(opened.code, seat, StudentPage("learn", 1))
    school.answer(opened.code, late, 1, QUESTION, 1)
    with pytest.raises(FullError):
        school.answer(opened.code, first[0], 1, QUESTION, 2)  # their seat is taken
    assert set(room_of(school, opened).answers[1].by_seat) == {*first[1:], late}


def test_a_clock_that_is_set_changes_nothing(tmp_path: Path) -> None:
    wall, steady = [1e9], [50.0]
    school = Classroom(tmp_path / "classes.json", steady_clock(lambda: wall[0], lambda: steady[0]))
    opened = school.open(1)
    school.look(opened.code, new_seat(), StudentPage("learn", 1))
    for jump in (86400.0, -3 * 86400.0):
        wall[0] += jump
        assert present(school, opened) == 1
        assert room_of(school, opened).ends - school.now() == 3600
    steady[0] += limits.PRESENT_S + 1
    assert present(school, opened) == 0
    steady[0] += 3600
    assert school.room(opened.code) is None


def test_on_a_full_disk_classes_go_on_in_memory(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    opened = school.open(1)
    monkeypatch.setattr(Path, "write_bytes", full)
    school.answer(opened.code, new_seat(), 1, QUESTION, 1)
    assert school.problem == FULL
    for each in (opened, school.open(1)):
        lead(school, each).freeze(True)
    assert answered(school, opened) == {1: 1}
    monkeypatch.undo()
    lead(school, opened).freeze(False)
    assert school.problem == ""
    assert answered(Classroom(school.path, school.now), opened) == {1: 1}


def test_a_file_that_is_removed_is_written_again(school: Classroom, clock: Clock) -> None:
    opened = school.open(1)
    school.answer(opened.code, new_seat(), 1, QUESTION, 1)
    school.path.unlink()
    another = school.open(1)
    again = Classroom(school.path, clock)
    assert again.room(another.code) is not None
    assert answered(again, opened) == {1: 1}


def test_a_folder_that_is_removed_for_good_is_told(school: Classroom, clock: Clock) -> None:
    opened, folder = school.open(1), school.path.parent
    shutil.rmtree(folder)
    folder.write_text("no folder can be made here")
    for each in (school, Classroom(school.path, clock)):  # one that was there, and one that begins so
        later = each.open(1)
        assert each.problem == UNWRITABLE
        assert each.room(later.code) is not None
    assert school.room(opened.code) is not None


def test_a_class_survives_a_restart(school: Classroom, clock: Clock) -> None:
    opened, seat = school.open(1), new_seat()
    school.look(opened.code, seat, StudentPage("learn", 4))
    school.answer(opened.code, seat, 4, QUESTION, 1)
    clock.now += STAYS_S
    again = Classroom(school.path, clock)  # as after a kill
    assert present(again, opened) == 0  # until it is heard of again, within seconds
    again.answer(opened.code, seat, 4, QUESTION, 0)
    assert room_of(again, opened).answers[4].bars[:2] == [(0, "this", 0, 1), (1, "that", 1, 0)]


def test_many_threads_lose_nothing(school: Classroom) -> None:
    opened = school.open(1)

    def answers() -> None:
        for _ in range(10):
            school.answer(opened.code, new_seat(), 1, QUESTION, 0)

    threads = [threading.Thread(target=answers) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answered(Classroom(school.path, school.now), opened) == {1: 50}


@pytest.mark.parametrize("content", [b"this is no file of ours", b'[{"code": 1}]', b"", b"\0" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "classes.json"
    path.write_bytes(content)
    school = Classroom(path)
    opened = school.open(1)
    assert school.problem == ""
    assert school.room(opened.code) is not None
    assert path.with_suffix(".damaged").read_bytes() == content
