"""The matrix of situations: what is refused, and a run of one small test in one of them."""

import pytest

from tests import anywhere


def test_an_unknown_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        anywhere.main(["mars"])
    assert "there is no situation mars: choose from here, haswell" in capsys.readouterr().err


def test_what_opens_the_explorer_is_there() -> None:
    file, _, name = anywhere.OPENS
    assert f"\ndef {name}(" in (anywhere.ROOT / file).read_text(encoding="utf-8")


def test_a_run_elsewhere_prints_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anywhere, "OPENS", ("--version",))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-n0")
    assert anywhere.main(["space", "--only", "tests/text/test_typesetting.py"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("a path with a space: the explorer opens; ")
    assert " passed" in line
