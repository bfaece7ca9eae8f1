"""Whatever somebody brings, they get a data set or one sentence, soon, and nothing that was there before is lost."""

import time
import tracemalloc
from pathlib import Path

import pytest

from gfx_core.datasets.own import limits, store
from gfx_core.datasets.own.preview import preview
from gfx_core.datasets.own.read import Brought
from gfx_core.errors import UserError
from tests.datasets.own.broken_files import BROKEN


def refusal(files: tuple[Brought, ...], visit: str) -> str:
    """What is said of files that cannot be used."""
    try:
        return preview(files, visit).problem
    except UserError as error:
        return str(error)


def test_there_are_many() -> None:
    assert len(BROKEN) >= 50


@pytest.mark.parametrize("name", BROKEN)
def test_one_sentence(name: str, visit: str) -> None:
    files, word = BROKEN[name]
    before = preview([Brought("good.csv", b"source,target\na,b\nb,c\n")], visit)
    store.accept(before.name)
    started = time.monotonic()
    said = refusal(files, visit)
    assert time.monotonic() - started < limits.MAX_SECONDS
    assert word.lower() in said.lower()
    assert "\n" not in said
    assert said.endswith((".", "?", "”."))
    assert len(said) < 260
    assert store.held(visit) == [before.name]  # what was there is there


@pytest.mark.parametrize("name", ["bomb", "entities", "JSON deep"])
def test_no_memory_is_spent_on_it(name: str, visit: str) -> None:
    files, _ = BROKEN[name]
    tracemalloc.start()
    refusal(files, visit)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3 * limits.MAX_UNPACKED


def test_a_sentence_quotes_a_file_by_a_short_name(visit: str) -> None:
    said = refusal((Brought("x" * 5000 + "\n\x1b[31m.csv", b"\x00"),), visit)
    assert len(said) < 200
    assert "\x1b" not in said


def test_a_file_is_never_taken_for_a_path(visit: str, tmp_path: Path) -> None:
    found = preview([Brought("../../../etc/passwd.csv", b"a b\nb c\n")], visit)
    assert found.name.startswith("own-")
    assert store.about(found.name).title == "passwd"


def test_the_clock_gives_up() -> None:
    clock = limits.Clock(until=time.monotonic() - 1)
    with pytest.raises(UserError, match="longer than"):
        clock.check()
