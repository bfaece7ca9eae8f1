"""Bootstrap intervals over motifs: how far would a number move, had the benchmark drawn other motifs?

Instances of the same motif are not independent, so whole motifs are drawn with replacement. The draws depend on the
motifs and a fixed seed alone, so that two methods on the same instances are compared draw by draw: their difference has
an interval of its own, which is narrower than the two intervals suggest.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Bools, Doubles, Ints, Reals
from gfx_core.datasets.instance import Instance

Verdict = Literal["holds", "does not hold here", "cannot tell"]

RESAMPLES = 200
_TAILS = (2.5, 97.5)  # percentiles


def motif_of(instance: Instance) -> int:
    """What is resampled: the motif of an explained node, or a graph."""
    return instance.index if instance.target is None else int(instance.motif[instance.target])


def resampling(owners: Sequence[int] | Ints, resamples: int = RESAMPLES) -> Ints:
    """How often each instance counts in each resample of the motifs. [B, I]

    Args:
        owners: The motif of each instance. [I]
        resamples: B.
    """
    names, owner = np.unique(owners, return_inverse=True)
    samples = np.random.RandomState(0).randint(len(names), size=(resamples, len(names)))
    return np.array([np.bincount(row, minlength=len(names)) for row in samples])[:, owner]


def resampled_means(values: ArrayLike, counts: Ints) -> Doubles:
    """The mean of a number of each instance in each resample, NaN where no instance is left. [I], [B, I] → [B]"""
    total = counts.sum(1)
    return (counts @ np.asarray(values, dtype=float)) / np.where(total, total, np.nan)


def resampled_aucs(wanted: Sequence[Bools], scores: Sequence[Reals], counts: Ints) -> Doubles:
    """The pooled AUC of each resample: the Mann-Whitney statistic with counted edges, ties half. [B]

    Args:
        wanted: Which edges of each instance belong to the motif. [E] each
        scores: Of these edges. [E] each
        counts: How often each instance counts. [B, I]
    """
    owner = np.repeat(np.arange(len(wanted)), list(map(len, wanted)))
    truth, rank = np.concatenate(wanted), np.unique(np.concatenate(scores), return_inverse=True)[1]
    right, wrong = (  # counted edges of each distinct score. [B, scores]
        np.array([np.bincount(rank, row) for row in counts[:, owner] * side]) for side in (truth, ~truth)
    )
    below = np.cumsum(wrong, axis=1) - wrong / 2
    pairs = right.sum(1) * wrong.sum(1)
    return (right * below).sum(1) / np.where(pairs, pairs, np.nan)


def interval(resampled: ArrayLike) -> tuple[float, float] | None:
    """The middle 95 % of a resampled number; ``None`` if no resample has it."""
    values = np.asarray(resampled, dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    low, high = np.percentile(values, _TAILS).tolist()
    return low, high


def level(first: ArrayLike, second: ArrayLike) -> bool:
    """Whether two numbers with paired resamples are level: 0 is in the interval of their difference."""
    return verdict(np.subtract(first, second)) == "cannot tell"


def verdict(resampled: ArrayLike) -> Verdict:
    """What a claim is by a resampled difference, above 0 where the claim is true: the one rule for all claims.

    A claim *holds* if the interval is above 0, it *does not hold here* if the interval is below 0, else we *cannot
    tell*.
    """
    low, high = interval(resampled) or (0.0, 0.0)
    return "holds" if low > 1e-9 else "does not hold here" if high < -1e-9 else "cannot tell"
