"""Numbers in sentences: rounded for people, never to something that is not true."""

import pytest

from gfx_core.text.numbers import (
    about_percent,
    counted,
    percent,
    power_of_ten,
    ranges,
    signed,
    solid_percent,
    whole_percents,
)


@pytest.mark.parametrize(
    ("share", "exact", "about"),
    [
        (0.0, "0.0 %", "under 1 %"),
        (0.0004, "< 0.1 %", "under 1 %"),
        (0.0005, "0.1 %", "under 1 %"),
        (0.01, "1.0 %", "1 %"),
        (0.973, "97.3 %", "97 %"),
        (0.9949, "99.5 %", "99 %"),
        (0.9996, "> 99.9 %", "over 99 %"),
        (1.0, "100.0 %", "over 99 %"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_all(share: float, exact: str, about: str) -> None:
    assert (percent(share), about_percent(share)) == (exact, about)
    assert solid_percent(share) == exact.replace(" ", "\u00a0")


def test_any_shares_of_a_whole_add_up() -> None:
    for first in range(2, 97):
        for second in range(2, 98 - first):
            thirds = [first + 1 / 3, second + 1 / 3]
            shares = [number / 100 for number in (*thirds, 100 - sum(thirds))]
            written = whole_percents(shares)
            assert sum(written) == 100
            assert all(abs(number - 100 * share) < 1 for number, share in zip(written, shares, strict=True))


def test_signs_counts_and_tiny_numbers() -> None:
    assert [signed(value) for value in (-4.321, -0.0091, 0.5, 0.05)] == ["−4.32", "−0.009", "0.50", "0.050"]
    assert [counted(count, "node") for count in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
    nouns = {"class": "classes", "entry": "entries", "key": "keys", "ring of six": "rings of six", "branch": "branches"}
    assert [counted(3, noun) for noun in nouns] == [f"3 {words}" for words in nouns.values()]
    assert [power_of_ten(value) for value in (0.0, 2.4e-7, 3e-10)] == ["nothing", "2·10⁻⁷", "3·10⁻¹⁰"]


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([9, 5, 8, 7], "5 and 7–9"),
        ([1, 3, 6, 5], "1, 3, 5 and 6"),
        ([1, 2, 3, 5, 6, 9, 11, 12, 13], "1–3, 5, 6 and 4 others"),
    ],
)
def test_numbers_in_a_row_are_a_range(numbers: list[int], words: str) -> None:
    assert ranges(numbers, 4) == words
