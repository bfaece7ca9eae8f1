"""Rules in sentences: each form of them."""

import pytest

from gfx_core.text.instance_words import class_sentence, mistake_sentence


@pytest.mark.parametrize(
    ("counts", "predicted", "failed", "sentence"),
    [
        ([], 0, 0, "The GNN predicts cycle for no node."),
        ([], 3, 3, "None of 3 nodes predicted cycle can be explained."),
        ([("a ring of six", 7)], 7, 0, "Of 7 nodes predicted cycle, all are explained by a ring of six."),
        ([("a ring of six", 7)], 8, 1, "Of 7 nodes predicted cycle, all are explained by a ring of six."),
        (
            [("a ring of six", 7)],
            90,
            1,
            "Of 7 nodes predicted cycle (a random sample of 90), all are explained by a ring of six.",
        ),
        ([("", 5)], 5, 0, "Of 5 nodes predicted cycle, we found a small part for none."),
        (
            [("a ring of six", 176), ("a path of three", 4)],
            180,
            0,
            "Of 180 nodes predicted cycle, 98 % are explained by a ring of six, 2 % by a path of three.",
        ),
        (
            [("a", 996), ("b", 3), ("", 1)],
            1000,
            0,
            "Of 1,000 nodes predicted cycle, over 99 % are explained by a, under 1 % by b; for under 1 % we found no "
            "small part.",
        ),
        (
            [("a", 50), ("b", 20), ("c", 10), ("d", 10)],
            90,
            0,
            "Of 90 nodes predicted cycle, 56 % are explained by a, 22 % by b, 11 % by c, 11 % by d.",
        ),
        (
            [("a", 50), ("b", 20), ("c", 10), ("d", 10), ("e", 5), ("", 5)],
            100,
            0,
            "Of 100 nodes predicted cycle, 50 % are explained by a, 20 % by b, 10 % by c, 15 % by 2 other rules; for "
            "5 % we found no small part.",
        ),
        (  # each is rounded as on its card, where the count stands beside it
            [("a", 131), ("b", 66), ("", 3)],
            200,
            0,
            "Of 200 nodes predicted cycle, 66 % are explained by a, 33 % by b; for 2 % we found no small part.",
        ),
    ],
)
def test_a_class(counts: list[tuple[str, int]], predicted: int, failed: int, sentence: str) -> None:
    assert class_sentence("cycle", "node", counts, predicted, failed) == sentence


@pytest.mark.parametrize(
    ("rule", "count", "sentence"),
    [
        ("a triangle", 1, "1 node of class top is predicted middle by a triangle."),
        ("a triangle", 2, "2 nodes of class top are predicted middle by a triangle."),
        ("", 2, "2 nodes of class top are predicted middle and no small part explains it."),
    ],
)
def test_wrong_predictions(rule: str, count: int, sentence: str) -> None:
    assert mistake_sentence("top", "middle", "node", rule, count) == sentence
