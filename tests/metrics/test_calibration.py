"""Reliability and its error: against a slow reference, and by hand."""

import numpy as np
import pytest

from gfx_core.metrics.calibration import BINS, reliability


def slow_error(confidence: list[float], right: list[bool], bins: int) -> float:
    """One bin after the other, each (lower, upper]; the first also holds 0."""
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [i for i, c in enumerate(confidence) if low < c <= high or (number == 0 and c == 0)]
        if inside:
            sure = sum(confidence[i] for i in inside) / len(inside)
            good = sum(right[i] for i in inside) / len(inside)
            total += len(inside) / len(confidence) * abs(sure - good)
    return total


@pytest.mark.parametrize("bins", [1, 3, BINS, 15])
def test_against_the_slow_reference(bins: int) -> None:
    rng = np.random.RandomState(0)
    for count in (1, 7, 500):
        confidence, right = rng.rand(count), rng.rand(count) < 0.6
        found = reliability(confidence, right, bins)
        assert found.count.sum() == count
        assert found.error == pytest.approx(slow_error(confidence.tolist(), right.tolist(), bins))


def test_by_hand() -> None:
    found = reliability(np.array([0.95, 0.85, 0.9, 0.0, 1.0]), np.array([True, True, False, False, True]))
    assert found.count.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 2, 2]  # .9 belongs to the bin below
    assert found.accuracy[[0, 8, 9]].tolist() == [0, 0.5, 1]
    assert found.confidence[8] == pytest.approx(0.875)
    assert found.error == pytest.approx((2 * 0.375 + 2 * 0.025) / 5)


def test_a_perfect_and_an_empty_one() -> None:
    assert reliability(np.ones(4), np.ones(4, dtype=bool)).error == 0
    assert reliability(np.zeros(0), np.zeros(0, dtype=bool)).error == 0


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="one answer for each"):
        reliability(np.ones(3), np.ones(2, dtype=bool))
    with pytest.raises(ValueError, match="between 0 and 1"):
        reliability(np.array([1.2]), np.ones(1, dtype=bool))
