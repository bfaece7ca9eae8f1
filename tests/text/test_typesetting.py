"""Words in lines and arcs above them."""

import numpy as np
import pytest

from gfx_core.text.typesetting import EM, HIGH, arc, box_width, rise, top_of, word_places

LONG = ["word", "and", "another", ",", "i"] * 12
CHAIN = np.stack([np.arange(59), np.arange(1, 60)])


@pytest.mark.parametrize("count", [2, 8, 25, 60])
def test_words_stand_in_reading_order_and_apart(count: int) -> None:
    words = LONG[:count]
    points = word_places(words, CHAIN[:, : count - 1])
    for before, after in zip(range(count), range(1, count), strict=False):
        same = points[before, 1] == points[after, 1]
        gap = points[after, 0] - points[before, 0] - (box_width(words[before]) + box_width(words[after])) / 2
        assert gap > 0.2 * EM if same else points[after, 1] < points[before, 1] - HIGH * EM
    assert (len(np.unique(points[:, 1])) == 1) == (count < 10)
    assert np.ptp(points[:, 0]) < 60 * EM


def test_arcs_stand_above_their_words_and_nest() -> None:
    inner, outer = arc((1, 0), (2, 0)), arc((3, 0), (0, 0))
    assert inner[0, 1] == inner[-1, 1] == HIGH * EM / 2
    assert rise(1) < rise(3)
    assert outer[:, 1].max() > inner[:, 1].max()
    assert (outer == arc((0, 0), (3, 0))).all()
    points, links = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [0.0, -2.0]]), np.array([[0, 1, 0], [1, 2, 3]])
    assert top_of(points, links) == pytest.approx(HIGH * EM / 2 + rise(2))
    assert top_of(points, links[:, :0]) == HIGH * EM / 2
    down = arc((0, 0), (5, -2))
    assert (down[0].tolist(), down[-1].tolist()) == ([0, -HIGH * EM / 2], [5, -2 + HIGH * EM / 2])
