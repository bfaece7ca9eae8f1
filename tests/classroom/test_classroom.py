"""Classes: opening, joining, leading, and what is kept of them."""

import json
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gfx_core.classroom import codes
from gfx_core.classroom.classroom import Classroom
from gfx_core.classroom.limits import HEARD_S, LONGEST_H, MOST_ROOMS, MOST_SEATS, PRESENT_S
from gfx_core.classroom.room import Asked, Place
from gfx_core.classroom.targets import Target, read_target
from gfx_core.errors import UserError
from tests.conftest import ROOT

ASKED = Asked("Which?", ("this", "that", "neither"), 1)
PAGES = ("learn", "explain")


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


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
    opened = school.open(1)
    school.look(opened.code, codes.new_seat(), Place("learn", 1))
    school.close()
    kept = b"".join(path.read_bytes() for path in school.database.path.parent.iterdir())
    assert opened.key.encode() not in kept
    assert codes.screen_key(opened.key).encode() not in kept
    with sqlite3.connect(school.database.path) as connection:
        columns = {
            row[1] for table in ("seats", "answers") for row in connection.execute(f"PRAGMA table_info({table})")
        }
    assert columns == {"code", "seat", "page", "lesson", "seen", "first", "latest"}


def test_who_is_where(school: Classroom, clock: Clock) -> None:
    opened = school.open(1)
    teacher = school.teacher(opened.code, opened.key)
    assert teacher is not None
    seats = [codes.new_seat() for _ in range(5)]
    for number, seat in enumerate(seats):
        school.look(opened.code, seat, Place("learn", 1 + number // 3))
    overview = teacher.overview()
    assert overview is not None
    assert (overview.present, dict(overview.places)) == (5, {Place("learn", 1): 3, Place("learn", 2): 2})
    clock.now += PRESENT_S - 1
    school.look(opened.code, seats[0], Place("explain"))
    school.leave(opened.code, seats[1])
    clock.now += 2
    overview = teacher.overview()
    assert overview is not None
    assert dict(overview.places) == {Place("explain"): 1}


def test_looking_is_cheap(school: Classroom, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """One read; a write only where somebody went somewhere, or was not heard of for a while."""
    opened, seat = school.open(1), codes.new_seat()
    school.look(opened.code, seat, Place("learn", 1))
    reads, read = [], school.database.rows
    monkeypatch.setattr(school.database, "rows", lambda *asked: reads.append(1) or read(*asked))
    written, changing = [], school.database.changing
    monkeypatch.setattr(school.database, "changing", lambda: written.append(1) or changing())
    for _ in range(20):
        school.look(opened.code, seat, Place("learn", 1))
    assert (len(reads), written) == (20, [])
    school.look(opened.code, seat, Place("learn", 2))
    clock.now += HEARD_S
    school.look(opened.code, seat, Place("learn", 2))
    assert written == [1, 1]


def test_answers_are_counted_at_first_and_by_now(school: Classroom) -> None:
    opened = school.open(1)
    teacher = school.teacher(opened.code, opened.key)
    assert teacher is not None
    one, two = codes.new_seat(), codes.new_seat()
    for seat, answer in ((one, 0), (one, 2), (one, 1), (two, 1)):
        school.answer(opened.code, seat, 3, ASKED, answer)
    school.answer(opened.code, "me", 3, ASKED, 1)
    school.answer(opened.code, one, 2, Asked("How many?", (), 4), 10**30)
    school.answer(opened.code, one, 2, Asked("How many?", (), 4), 6)
    overview = teacher.overview()
    assert overview is not None
    number, choice = overview.spreads
    assert choice.bars() == [(0, "this", 1, 0), (1, "that", 1, 2), (2, "neither", 0, 0)]
    assert (choice.lesson, choice.asked, choice.answered) == (3, ASKED, 2)
    assert number.bars() == [(6, "6", 1, 1)]
    teacher.freeze(True)
    school.answer(opened.code, two, 3, ASKED, 2)
    frozen = teacher.overview()
    assert frozen is not None
    assert frozen.room.frozen
    assert frozen.spreads == overview.spreads
    teacher.freeze(False)
    teacher.clear(3)
    cleared = teacher.overview()
    assert cleared is not None
    assert [spread.lesson for spread in cleared.spreads] == [2]


def test_follow_me(school: Classroom) -> None:
    opened, seat = school.open(1), codes.new_seat()
    teacher = school.teacher(opened.code, opened.key)
    assert teacher is not None
    room = school.look(opened.code, seat, Place("learn", 1))
    assert room is not None
    assert (room.sent, room.target) == (0, None)
    link = "http://127.0.0.1:8501/learn?lesson=3&merge=1&key=secret&class=ABCDEF"
    teacher.send(read_target(link, PAGES))
    room = school.look(opened.code, seat, Place("learn", 1))
    assert room is not None
    assert (room.sent, room.target) == (1, Target("learn", "lesson=3&merge=1"))
    assert room.target is not None
    assert room.target.link == {"lesson": "3", "merge": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "http://evil.example",
        "//evil.example/",
        "javascript:alert(1)",
        "http://[",
        "/admin",
        "learn/../etc",
        f"/learn?{'a' * 3000}",
    ],
)
def test_a_class_is_sent_to_pages_of_ours_only(text: str) -> None:
    with pytest.raises(UserError):
        read_target(text, PAGES)


def test_a_link_to_another_server_leads_to_the_same_page_here() -> None:
    assert read_target("https://evil.example/x/explain?index=3", PAGES) == Target("explain", "index=3")


def test_a_class_ends_by_itself(school: Classroom, clock: Clock) -> None:
    opened, longer = school.open(1), school.open(2)
    clock.now += 3600
    assert school.room(opened.code) is None
    assert school.teacher(opened.code, opened.key) is None
    assert school.look(opened.code, codes.new_seat(), Place("learn", 1)) is None
    teacher = school.teacher(longer.code, longer.key)
    assert teacher is not None
    teacher.last(3)
    clock.now += 2 * 3600
    assert school.room(longer.code) is not None
    school.open(1)
    assert len(school.database.rows("SELECT code FROM rooms")) == 2  # what is over is forgotten
    teacher.end()
    assert school.room(longer.code) is None
    for hours in (0, -1, LONGEST_H + 1, float("nan")):
        with pytest.raises(UserError):
            school.open(hours)


def test_nobody_fills_the_disk(school: Classroom) -> None:
    opened = school.open(1)
    for _ in range(MOST_ROOMS - 1):
        school.open(1)
    with pytest.raises(UserError, match="classes already"):
        school.open(1)
    for _ in range(MOST_SEATS + 20):
        seat = codes.new_seat()
        school.look(opened.code, seat, Place("learn", 1))
        school.answer(opened.code, seat, 1, ASKED, 0)
    for table in ("seats", "answers"):
        assert school.database.rows(f"SELECT COUNT(*) FROM {table}") == [(MOST_SEATS,)]


def test_a_class_survives_a_restart(school: Classroom, clock: Clock) -> None:
    opened, seat = school.open(1), codes.new_seat()
    school.look(opened.code, seat, Place("learn", 4))
    school.answer(opened.code, seat, 4, ASKED, 1)
    assert school.survives
    again = Classroom(school.database.path, clock)  # as after a kill: the first one never let go of the file
    teacher = again.teacher(opened.code, opened.key)
    assert teacher is not None
    overview = teacher.overview()
    assert overview is not None
    assert (overview.present, overview.spreads[0].answered) == (1, 1)
    again.close()


_WRITES = """
import sys
from pathlib import Path
from gfx_core.classroom.classroom import Classroom
from gfx_core.classroom.codes import new_seat
from gfx_core.classroom.room import Asked
school = Classroom(Path(sys.argv[1]), lambda: 1000.0)
for _ in range(25):
    school.answer(sys.argv[2], new_seat(), 1, Asked("Which?", ("this", "that"), 0), 1)
"""


def test_two_servers_and_many_threads_lose_nothing(school: Classroom) -> None:
    opened = school.open(1)
    command = [sys.executable, "-c", _WRITES, str(school.database.path), opened.code]
    other = subprocess.Popen(command, cwd=ROOT)

    def answers() -> None:
        for _ in range(10):
            school.answer(opened.code, codes.new_seat(), 1, ASKED, 0)

    threads = [threading.Thread(target=answers) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(60) == 0
    teacher = school.teacher(opened.code, opened.key)
    assert teacher is not None
    overview = teacher.overview()
    assert overview is not None
    assert dict(overview.spreads[0].first) == {0: 50, 1: 25}


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to be one", b"", b"\0" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "classes.sqlite"
    path.write_bytes(content)
    school = Classroom(path)
    opened = school.open(1)
    assert school.survives
    assert school.room(opened.code) is not None
    assert content == b"" or path.with_suffix(".damaged").read_bytes() == content


def test_where_nothing_can_be_written_classes_are_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    school = Classroom(blocked / "classes.sqlite")
    opened = school.open(1)
    assert not school.survives
    assert school.room(opened.code) is not None


def test_what_goes_wrong_is_one_sentence_without_a_path(school: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = school.open(1)
    school.close()
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: (_ for _ in ()).throw(sqlite3.OperationalError("full")))
    with pytest.raises(UserError) as error:
        school.room(opened.code)
    assert str(school.database.path.parent) not in str(error.value)
    assert "\n" not in str(error.value)


def test_the_question_is_kept_as_it_was_asked(school: Classroom) -> None:
    opened = school.open(1)
    school.answer(opened.code, codes.new_seat(), 1, ASKED, 0)
    ((told,),) = school.database.rows("SELECT asked FROM questions")
    assert json.loads(told) == ["Which?", ["this", "that", "neither"], 1]
