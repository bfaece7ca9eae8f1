"""Rules of a class in sentences: their shares, and what no rule explains."""

import re

import pytest

from gfx_core.text.instance_words import class_sentence, mistake_sentence

FOUR = [("a", 50), ("b", 20), ("c", 10), ("d", 10)]


@pytest.mark.parametrize(
    ("counts", "predicted", "failed", "claims"),
    [
        ([], 0, 0, "for no node"),
        ([], 3, 3, "None of 3 nodes"),
        ([("a", 7)], 8, 1, "Of 7 nodes predicted cycle, all .* a"),
        ([("a", 7)], 90, 1, r"\(a random sample of 90\), all .* a"),
        ([("", 5)], 5, 0, "cycle, for all we found no small part"),
        ([("a", 996), ("b", 3), ("", 1)], 1000, 0, "1,000 .*over 99 % .* a, under 1 % by b; for under 1 %"),
        (FOUR, 90, 0, "56 % .* a, 22 % by b, 11 % by c, 11 % by d"),
        ([*FOUR, ("e", 5), ("", 5)], 100, 0, "50 % .* a, 20 % by b, 10 % by c, 15 % by 2 other.*; for 5 %"),
        ([("a", 131), ("b", 66), ("", 3)], 200, 0, "66 % .* a, 33 % by b; for 2 %"),  # each rounded as on its card
    ],
)
def test_a_class(counts: list[tuple[str, int]], predicted: int, failed: int, claims: str) -> None:
    text = class_sentence("cycle", "node", counts, predicted, failed)
    assert re.search(claims, text), text


def test_wrong_predictions() -> None:
    assert re.search("1 node .* is .* by a triangle", mistake_sentence("top", "middle", "node", "a triangle", 1))
    assert re.search("2 nodes .* are .* no small part", mistake_sentence("top", "middle", "node", "", 2))
