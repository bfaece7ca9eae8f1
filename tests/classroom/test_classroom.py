"""Classes: opening, joining, leading, and what is kept of them."""

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import pytest

from gfx_core import limits
from gfx_core.classroom import room as codes
from gfx_core.classroom.classes import ATTEMPTS_S, ClassKeys, Classroom, FullError, SteadyClock, Teacher
from gfx_core.classroom.database import FULL, UNWRITABLE
from gfx_core.classroom.room import ClassOverview, ClassQuestion, ClassTarget, StudentPage, read_target
from gfx_core.errors import UserError
from tests.conftest import ROOT

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


def overview_of(school: Classroom, opened: ClassKeys) -> ClassOverview:
    """What the teacher of a class sees."""
    overview = lead(school, opened).overview()
    assert overview is not None
    return overview


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
    return Classroom(tmp_path / "folder" / "classes.sqlite", clock)


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
    ((kept_question,),) = school.database.rows("SELECT asked FROM questions")
    assert json.loads(kept_question) == ["Which?", ["this", "that", "neither"], 1]
    school.close()
    kept = b"".join(path.read_bytes() for path in school.database.path.parent.iterdir())
    assert seat.encode() in kept
    for secret in (opened.key, codes.screen_key(opened.key), "name of a visitor", "203.0.113.77"):
        assert secret.encode() not in kept
    with sqlite3.connect(school.database.path) as connection:
        columns = {
            row[1] for table in ("seats", "answers") for row in connection.execute(f"PRAGMA table_info({table})")
        }
    assert columns == {"code", "seat", "page", "lesson", "seen", "first", "latest"}


def test_who_is_where(school: Classroom, clock: Clock) -> None:
    opened, seats = school.open(1), [new_seat() for _ in range(5)]
    for number, seat in enumerate(seats):
        school.look(opened.code, seat, StudentPage("learn", 1 + number // 3))
    overview = overview_of(school, opened)
    assert (overview.present, dict(overview.places)) == (5, {StudentPage("learn", 1): 3, StudentPage("learn", 2): 2})
    clock.now += limits.PRESENT_S - 1
    school.look(opened.code, seats[0], StudentPage("explain"))
    school.leave(opened.code, seats[1])
    clock.now += 2
    assert dict(overview_of(school, opened).places) == {StudentPage("explain"): 1}


def test_looking_is_cheap(school: Classroom, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """One read; a write only where somebody went somewhere, or was not heard of for a while."""
    opened, seat = school.open(1), new_seat()
    school.look(opened.code, seat, StudentPage("learn", 1))
    reads, read = [], school.database.rows
    monkeypatch.setattr(school.database, "rows", lambda *asked: reads.append(1) or read(*asked))
    written, change = [], school.database.change
    monkeypatch.setattr(school.database, "change", lambda work: written.append(1) or change(work))
    for _ in range(20):
        school.look(opened.code, seat, StudentPage("learn", 1))
    assert (len(reads), written) == (20, [])
    school.look(opened.code, seat, StudentPage("learn", 2))
    clock.now += limits.SEAT_REFRESH_S
    school.look(opened.code, seat, StudentPage("learn", 2))
    assert written == [1, 1]


def test_answers_are_counted_at_first_and_by_now(school: Classroom) -> None:
    opened = school.open(1)
    teacher = lead(school, opened)
    one, two = new_seat(), new_seat()
    for seat, answer in ((one, 0), (one, 2), (one, 1), (two, 1)):
        school.answer(opened.code, seat, 3, QUESTION, answer)
    school.answer(opened.code, one, 2, ClassQuestion("How many?", (), 4), 10**30)
    school.answer(opened.code, one, 2, ClassQuestion("How many?", (), 4), 6)
    overview = overview_of(school, opened)
    number, choice = overview.spreads
    assert choice.bars() == [(0, "this", 1, 0), (1, "that", 1, 2), (2, "neither", 0, 0)]
    assert (choice.lesson, choice.question, choice.answered) == (3, QUESTION, 2)
    assert number.bars() == [(6, "6", 1, 1)]
    teacher.freeze(True)
    school.answer(opened.code, two, 3, QUESTION, 2)
    frozen = overview_of(school, opened)
    assert frozen.room.frozen
    assert frozen.spreads == overview.spreads
    teacher.freeze(False)
    teacher.clear(3)
    assert [spread.lesson for spread in overview_of(school, opened).spreads] == [2]


def test_a_lesson_with_several_questions_counts_one_of_them(school: Classroom) -> None:
    """As lesson 9, whose hidden GNNs each have a rule of their own: the first that is answered, until it is cleared."""
    opened = school.open(1)
    one, two = new_seat(), new_seat()
    other = ClassQuestion("Which other?", QUESTION.options, 2)
    school.answer(opened.code, one, 9, QUESTION, 1)
    school.answer(opened.code, two, 9, other, 2)
    (spread,) = overview_of(school, opened).spreads
    assert (spread.question, spread.answered) == (QUESTION, 1)
    lead(school, opened).clear(9)
    school.answer(opened.code, two, 9, other, 2)
    (spread,) = overview_of(school, opened).spreads
    assert (spread.question, spread.answered) == (other, 1)


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
    assert len(school.database.rows("SELECT code FROM rooms")) == 2  # what is over is forgotten
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
    for table in ("seats", "answers"):
        assert school.database.rows(f"SELECT COUNT(*) FROM {table}") == [(limits.MAX_SEATS,)]


def test_one_visitor_cannot_open_all_classes(school: Classroom, clock: Clock) -> None:
    for _ in range(limits.OPENINGS_PER_USER):  # nor open and end them all the time
        lead(school, school.open(1, "b", "10.0.0.2")).end()
    with pytest.raises(UserError, match="too often"):
        school.open(1, "b", "10.0.0.2")
    for _ in range(limits.CLASSROOMS_PER_USER):
        school.open(1, "a", "10.0.0.1")
    with pytest.raises(UserError, match="You have 3 classes open"):
        school.open(1, "a", "10.0.0.1")
    for name in range(limits.MAX_CLASSROOMS):  # whoever invents names is still at one address
        clock.now += ATTEMPTS_S / limits.OPENINGS_PER_ADDRESS
        with suppress(UserError):
            school.open(1, f"invented {name}", "10.0.0.1")
    (count,) = school.database.rows("SELECT COUNT(*) FROM rooms")
    assert count == (limits.CLASSROOMS_PER_ADDRESS,)
    with pytest.raises(UserError, match="your network address"):
        school.open(1, "invented", "10.0.0.1")
    assert school.open(1, "b", "10.0.0.2")


def test_a_class_that_nobody_is_in_makes_room(school: Classroom, clock: Clock) -> None:
    classes = [school.open(12) for _ in range(limits.MAX_CLASSROOMS)]
    abandoned, led, shown, attended = classes[:4]
    teacher, watcher = lead(school, led), school.watcher(shown.code, codes.screen_key(shown.key))
    assert watcher is not None
    clock.now += limits.ABANDONED_S - 1
    teacher.overview()
    watcher.overview()
    school.look(attended.code, new_seat(), StudentPage("learn", 1))
    for other in classes[4:]:
        school.look(other.code, new_seat(), StudentPage("learn", 1))
    with pytest.raises(UserError, match="all are in use"):
        school.open(1)
    clock.now += 1
    again = Classroom(school.database.path, clock)  # another server has just begun, and waits as long
    with pytest.raises(UserError, match="all are in use"):
        again.open(1)
    again.close()
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
    overview = overview_of(school, opened)
    assert (overview.present, overview.spreads[0].answered) == (1, 2)
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
    kept = {seat for (seat,) in school.database.rows("SELECT seat FROM answers")}
    assert kept == {*first[1:], late}


def test_a_clock_that_is_set_changes_nothing(tmp_path: Path) -> None:
    wall, steady = [1e9], [50.0]
    school = Classroom(tmp_path / "classes.sqlite", SteadyClock(lambda: wall[0], lambda: steady[0]))
    opened = school.open(1)
    school.look(opened.code, new_seat(), StudentPage("learn", 1))
    for jump in (86400.0, -3 * 86400.0):
        wall[0] += jump
        overview = overview_of(school, opened)
        assert overview.present == 1
        assert overview.room.ends - school.now() == 3600
    steady[0] += limits.PRESENT_S + 1
    assert overview_of(school, opened).present == 0
    steady[0] += 3600
    assert school.room(opened.code) is None


def fill_disk(school: Classroom, opened: ClassKeys) -> None:
    """Let the file grow no more, and have more written: SQLite then says what it says on a full disk."""
    (pages,) = school.database.rows("PRAGMA page_count")
    school.database.rows(f"PRAGMA max_page_count = {pages[0]}")
    lead(school, opened).send(ClassTarget("learn", "a" * 9000))
    assert school.problem == FULL


def test_on_a_full_disk_classes_go_on_in_memory(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = school.open(1)
    school.answer(opened.code, new_seat(), 1, QUESTION, 1)
    fill_disk(school, opened)
    ended = school.open(1)
    for each in (opened, ended):
        lead(school, each).freeze(True)
    overview = overview_of(school, opened)
    assert (overview.present, overview.spreads[0].answered) == (1, 1)
    room = school.room(ended.code)
    lead(school, ended).end()  # while somebody looks, which costs nobody else: all would be lost with the connection
    monkeypatch.setattr(school, "room", lambda _: room)
    with pytest.raises(UserError):
        school.look(ended.code, new_seat(), StudentPage("learn", 1))
    monkeypatch.undo()
    assert school.room(opened.code) is not None
    school.close()


@pytest.mark.parametrize("logs", [True, False])
def test_a_file_that_is_removed_is_written_again(
    school: Classroom, clock: Clock, logs: bool, caplog: pytest.LogCaptureFixture
) -> None:
    opened, path = school.open(1), school.database.path
    school.answer(opened.code, new_seat(), 1, QUESTION, 1)
    for each in list(path.parent.iterdir()):
        if each == path or logs:
            each.unlink()
    another = school.open(1)
    assert "was removed" in caplog.text
    assert school.problem == ""
    school.close()
    again = Classroom(path, clock)
    assert again.room(another.code) is not None
    overview = overview_of(again, opened)
    assert (overview.present, overview.spreads[0].answered) == (1, 1)
    again.close()


def test_a_folder_that_is_removed_for_good_is_told(school: Classroom, clock: Clock) -> None:
    opened, folder = school.open(1), school.database.path.parent
    shutil.rmtree(folder)
    folder.write_text("no folder can be made here")
    for each in (school, Classroom(school.database.path, clock)):  # one that was there, and one that begins so
        later = each.open(1)
        assert each.problem == UNWRITABLE
        assert each.room(later.code) is not None
    assert school.room(opened.code) is not None


def test_two_servers_find_the_file_again(school: Classroom, clock: Clock) -> None:
    opened, path = school.open(1), school.database.path
    other = Classroom(path, clock)
    assert other.room(opened.code) is not None
    path.unlink()
    later = school.open(1)
    assert other.room(opened.code) is not None
    assert other.room(later.code) is not None
    other.close()
    assert school.room(later.code) is not None


def test_a_class_survives_a_restart(school: Classroom, clock: Clock) -> None:
    opened, seat = school.open(1), new_seat()
    school.look(opened.code, seat, StudentPage("learn", 4))
    school.answer(opened.code, seat, 4, QUESTION, 1)
    assert school.problem == ""
    again = Classroom(school.database.path, clock)  # as after a kill: the first one never let go of the file
    overview = overview_of(again, opened)
    assert (overview.present, overview.spreads[0].answered) == (1, 1)
    clock.now -= 86400  # who is not there is not counted, whatever the clock says
    assert overview_of(again, opened).present == 0
    again.close()


_WRITES = """
import sys
from pathlib import Path
from gfx_core.classroom.classes import Classroom
from secrets import token_hex
from gfx_core.classroom.room import ClassQuestion
school = Classroom(Path(sys.argv[1]), lambda: 1000.0)
for _ in range(25):
    school.answer(sys.argv[2], token_hex(8), 1, ClassQuestion("Which?", ("this", "that"), 1), 1)
"""


def test_two_servers_and_many_threads_lose_nothing(school: Classroom) -> None:
    opened = school.open(1)
    command = [sys.executable, "-c", _WRITES, str(school.database.path), opened.code]
    other = subprocess.Popen(command, cwd=ROOT)

    def answers() -> None:
        for _ in range(10):
            school.answer(opened.code, new_seat(), 1, QUESTION, 0)

    threads = [threading.Thread(target=answers) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(60) == 0
    assert dict(overview_of(school, opened).spreads[0].first) == {0: 50, 1: 25}


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to be one", b"", b"\0" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "classes.sqlite"
    path.write_bytes(content)
    school = Classroom(path)
    opened = school.open(1)
    assert school.problem == ""
    assert school.room(opened.code) is not None
    assert content == b"" or path.with_suffix(".damaged").read_bytes() == content


def test_what_goes_wrong_is_one_sentence_without_a_path(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = school.open(1)
    school.close()
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: (_ for _ in ()).throw(sqlite3.OperationalError("full")))
    with pytest.raises(UserError) as error:
        school.room(opened.code)
    assert str(school.database.path.parent) not in str(error.value)
    assert "\n" not in str(error.value)
