"""Everything goes wrong, and nothing is damaged: the faults, one by one."""

from pathlib import Path

import pytest

from gfx_core.errors import UserError
from tests.faults import faults
from tests.faults.faults import FAULTS, Fault, empty_folder, run_faults
from tests.faults.tools import FaultError, told


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if not fault.slow])
def test_nothing_is_damaged(name: str) -> None:
    with empty_folder() as folder:
        FAULTS[name].make(folder)


def test_damage_is_noticed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def damage(folder: Path) -> list[str]:
        raise FaultError("a file was damaged")

    some = {"one": Fault("All is well", lambda folder: ["It is said."]), "two": Fault("It breaks", damage)}
    monkeypatch.setattr(faults, "FAULTS", some)
    assert run_faults() == 1
    said = capsys.readouterr().out
    assert "All is well: whole" in said
    assert "    “It is said.”" in said
    assert "It breaks: DAMAGED" in said


@pytest.mark.parametrize("error", [UserError(""), UserError("two\nlines."), UserError("no end"), None])
def test_what_is_no_sentence_counts_as_damage(error: UserError | None) -> None:
    def call() -> None:
        if error is not None:
            raise error

    with pytest.raises(FaultError):
        told(call)
