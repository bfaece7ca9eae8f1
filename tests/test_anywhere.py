"""The matrix of situations: what joins, what is refused, and a run of one small test in one of them."""

import pytest

from tests import anywhere
from tests.anywhere import SITUATIONS


def test_situations_join() -> None:
    both = SITUATIONS["prescott"] + SITUATIONS["space"] + SITUATIONS["one-core"] + SITUATIONS["busy"]
    assert both.environment == {"OPENBLAS_CORETYPE": "Prescott"}
    assert (both.before, both.folder, both.busy) == (("taskset", "-c", "0"), "a check out", 4)
    assert both.words == "OpenBLAS as on a Prescott, a path with a space, one core, beside four busy loops"


def test_an_unknown_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        anywhere.main(["prescott+mars"])
    assert "there is no situation mars: choose from here, haswell" in capsys.readouterr().err


def test_a_run_elsewhere_prints_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anywhere, "OPENS", ("tests/text/test_typesetting.py",))
    assert anywhere.main(["space+locale", "--only", "tests/text/test_typesetting.py"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("a path with a space, LANG=C, another time zone: the explorer opens; ")
    assert " passed" in line
