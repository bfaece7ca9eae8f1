"""Numbers in sentences: rounded for people, never to something that is not true."""

import pytest

from gfx_core.number_words import counted, percent, power_of_ten, signed, solid_percent


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0.0 %"), (0.0004, "< 0.1 %"), (0.0005, "0.1 %"), (0.973, "97.3 %"), (0.9996, "> 99.9 %"), (1.0, "100.0 %")],
)
def test_a_share_is_never_a_rounded_nothing_or_all(share: float, words: str) -> None:
    assert percent(share) == words
    assert solid_percent(share) == words.replace(" ", "\u00a0")


def test_signed_counted_and_tiny_numbers() -> None:
    assert [signed(value) for value in (-4.321, -0.0091, 0.5, 0.05)] == ["−4.32", "−0.009", "0.50", "0.050"]
    assert [counted(count, "node") for count in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
    assert [power_of_ten(value) for value in (0.0, 2.4e-7, 3e-10)] == ["nothing", "2·10⁻⁷", "3·10⁻¹⁰"]
