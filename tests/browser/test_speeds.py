"""What the command prints about the speed of pages; it is run by hand, and a browser is not needed here."""

import sys

import pytest

from tests.browser import speeds
from tests.browser.speeds import BARE, DOINGS, OPENINGS, Seconds, table


def lines(text: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    return {line[0]: line[1:] for line in cells}


def test_medians_ratios_and_goals() -> None:
    home, explain, draw = OPENINGS[0].title, OPENINGS[1].title, DOINGS[2].title
    found = {
        BARE: [Seconds(2.0, 1.0), Seconds(3.0, 9.0), Seconds(2.5, 2.0)],
        home: [Seconds(5.0, 3.0)],
        explain: [Seconds(4.0, 2.0)],
        draw: [Seconds(0.75)],
    }
    shown = lines(table(found))
    assert shown[BARE] == ["2.00", "1.0", "2.50", "1.0", "–", "–"]
    assert shown[home] == ["3.00", "1.5", "5.00", "2.0", "first content ≤ 1.5 × bare", "yes"]
    assert shown[explain] == ["2.00", "1.0", "4.00", "1.6", "settled ≤ 3 s", "no"]
    assert shown[draw] == ["–", "–", "0.75", "0.3", "settled ≤ 1 s", "yes"]


def test_without_a_bare_page_there_are_no_ratios() -> None:
    assert lines(table({OPENINGS[0].title: [Seconds(5.0, 3.0)]}))[OPENINGS[0].title][-1] == "–"


def test_without_playwright_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    assert speeds.main([]) == 2
    assert "pip install -r tests/requirements.txt" in capsys.readouterr().err
