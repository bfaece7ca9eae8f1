"""Calibration: is a classifier as often right as it is sure?

Predictions are put into bins by how sure they are, the probability of the predicted class. The expected calibration
error (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017) is the mean distance, weighted by how many
predictions a bin holds, between how sure they are and how often they are right.
"""

from dataclasses import dataclass

import numpy as np

from gfx_core.arrays import Bools, Doubles, Ints, Reals

BINS = 10
"""Of equal width, from 0 to 1."""


@dataclass(frozen=True)
class Reliability:
    """What predictions come to, in bins by how sure they are.

    Attributes:
        count: Predictions in each bin. [n]
        confidence: How sure they are on average, 0 in an empty bin. [n]
        accuracy: How often they are right, 0 in an empty bin. [n]
    """

    count: Ints
    confidence: Doubles
    accuracy: Doubles

    @property
    def error(self) -> float:
        """The expected calibration error; 0 without predictions."""
        return float(self.count @ np.abs(self.accuracy - self.confidence) / max(1, self.count.sum()))


def reliability(confidence: Reals, right: Bools) -> Reliability:
    """Put predictions into bins; a bin has its upper end, and the first also 0.

    Args:
        confidence: Probability of the predicted class, from 0 to 1. [N]
        right: Whether that class is the true one. [N]
    """
    bins = np.clip(np.ceil(confidence.astype(float) * BINS - 1e-9).astype(int) - 1, 0, BINS - 1)  # [N]
    count = np.bincount(bins, minlength=BINS)
    sums = [np.bincount(bins, values, minlength=BINS) for values in (confidence, right)]
    return Reliability(count, *(sums / np.maximum(count, 1)))
