"""What the command prints about the speed of pages; it is run by hand, and a browser is not needed here."""

from tests.browser.speeds import BARE, LOOKS, Seconds, table


def test_medians_ratios_and_goals() -> None:
    home, explain, draw = LOOKS[0].title, LOOKS[1].title, "Explain: sample again"
    found = {
        BARE: [Seconds(2.0, 1.0), Seconds(3.0, 9.0), Seconds(2.5, 2.0)],
        home: [Seconds(5.0, 3.0)],
        explain: [Seconds(4.0, 2.0)],
        draw: [Seconds(0.75)],
    }
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(found).splitlines()[2:]]
    shown = {line[0]: line[1:] for line in cells}
    assert shown[BARE] == ["2.00", "1.0", "2.50", "1.0", "–", "–"]
    assert shown[home] == ["3.00", "1.5", "5.00", "2.0", "first content ≤ 1.5 × bare", "yes"]
    assert shown[explain] == ["2.00", "1.0", "4.00", "1.6", "settled ≤ 3 s", "no"]
    assert shown[draw] == ["–", "–", "0.75", "0.3", "settled ≤ 1 s", "yes"]
