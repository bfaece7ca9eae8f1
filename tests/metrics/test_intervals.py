"""Bootstrap over motifs, against loops that draw and count one by one."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from gfx_core.metrics.calibration import BINS, reliability
from gfx_core.metrics.intervals import interval, level, resampled_aucs, resampled_means, resampling, verdict

OWNERS = [3, 3, 7, 1, 7, 3]


def test_whole_motifs_are_drawn_and_every_resample_has_as_many() -> None:
    counts = resampling(OWNERS, 50)
    assert counts.shape == (50, 6)
    for row in counts:
        by_motif = {owner: {int(row[at]) for at, own in enumerate(OWNERS) if own == owner} for owner in set(OWNERS)}
        assert all(len(each) == 1 for each in by_motif.values())
        assert sum(each.pop() for each in by_motif.values()) == 3


def test_means_of_resamples() -> None:
    values, counts = np.random.RandomState(1).rand(6), resampling(OWNERS, 20)
    slow = [np.mean(np.repeat(values, row)) for row in counts]
    assert resampled_means(values, counts) == pytest.approx(slow)


def test_aucs_of_resamples_with_ties() -> None:
    rng, counts = np.random.RandomState(2), resampling(OWNERS, 20)
    wanted = [rng.rand(5 + i) < 0.4 for i in range(6)]
    scores = [rng.randint(4, size=5 + i).astype(float) for i in range(6)]
    slow = []
    for row in counts:
        drawn = np.repeat(np.arange(6), row)
        slow.append(
            roc_auc_score(np.concatenate([wanted[i] for i in drawn]), np.concatenate([scores[i] for i in drawn]))
        )
    assert resampled_aucs(wanted, scores, counts) == pytest.approx(slow)


def test_level_is_about_the_paired_difference() -> None:
    one = np.random.RandomState(0).rand(200)
    assert level(one, one)
    assert level(one, one + np.linspace(-0.1, 0.1, 200))
    assert not level(one, one + 0.001)
    assert interval([np.nan]) is None
    assert interval([1.0] * 5) == (1.0, 1.0)


def test_the_rule_of_verdicts() -> None:
    spread = np.linspace(-0.1, 0.1, 200)
    assert [verdict(spread + by) for by in (0.2, -0.2, 0.0)] == ["holds", "does not hold here", "cannot tell"]
    assert verdict([np.nan]) == "cannot tell"


# Calibration


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
