"""Reliability and its error: against a slow reference, and by hand."""

import numpy as np
import pytest

from gfx_core.metrics.calibration import BINS, reliability


def slow_error(confidence: list[float], right: list[bool]) -> float:
    """One bin after the other, each (lower, upper]; the first also holds 0."""
    total = 0.0
    for number in range(BINS):
        low, high = number / BINS, (number + 1) / BINS
        inside = [i for i, c in enumerate(confidence) if low < c <= high or (number == 0 and c == 0)]
        if inside:
            sure = sum(confidence[i] for i in inside) / len(inside)
            good = sum(right[i] for i in inside) / len(inside)
            total += len(inside) / len(confidence) * abs(sure - good)
    return total


@pytest.mark.parametrize("count", [0, 1, 7, 500])
@pytest.mark.parametrize("digits", [1, 9], ids=["at the ends of bins", "within bins"])
def test_against_the_slow_reference(count: int, digits: int) -> None:
    rng = np.random.RandomState(0)
    confidence, right = rng.rand(count).round(digits), rng.rand(count) < 0.6
    found = reliability(confidence, right)
    assert found.count.sum() == count
    assert found.error == pytest.approx(slow_error(confidence.tolist(), right.tolist()))


def test_by_hand() -> None:
    found = reliability(np.array([0.95, 0.85, 0.9, 0.0, 1.0]), np.array([True, True, False, False, True]))
    assert found.count.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 2, 2]  # .9 belongs to the bin below
    assert found.accuracy[[0, 8, 9]].tolist() == [0, 0.5, 1]
    assert found.confidence[8] == pytest.approx(0.875)
