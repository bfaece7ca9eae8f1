"""Bootstrap over motifs, against loops that draw and count one by one."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

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
