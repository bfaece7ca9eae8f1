"""Sparsity by hand."""

import numpy as np
import pytest

from gfx_core.metrics.edges import mask_sparsity, sparsity
from tests.toys.motifs import directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_hard_by_hand() -> None:
    assert sparsity(np.array([True, False, False, False])) == 3 / 4
    assert sparsity(np.ones(4, dtype=bool)) == 0
    assert sparsity(np.zeros(4, dtype=bool)) == 1
    assert sparsity(np.zeros(0, dtype=bool)) is None


def test_soft_by_hand() -> None:
    instance = motif_instance(PATH)
    scores = directed(instance, {(0, 1): 0.8, (1, 2): 0.4, (2, 3): 0.41, (3, 4): -2})
    assert mask_sparsity(instance, scores) == 1 / 2  # above 0.4: 0–1 and 2–3
    assert mask_sparsity(instance, 1000 * scores) == 1 / 2  # whatever the scale
    assert mask_sparsity(instance, scores, threshold=0.9) == 3 / 4
    assert mask_sparsity(instance, scores, threshold=0.0) == 1 / 4  # all that is positive


@pytest.mark.parametrize(("value", "expected"), [(0.3, 0.0), (0.0, 1.0), (-1.0, 1.0)])
def test_constant_scores(value: float, expected: float) -> None:
    assert mask_sparsity(motif_instance(PATH), np.full(8, value)) == expected


def test_no_edges_and_bad_arguments() -> None:
    assert mask_sparsity(motif_instance([], num_nodes=1), np.zeros(0)) is None
    with pytest.raises(ValueError, match="finite"):
        mask_sparsity(motif_instance(PATH), np.full(8, np.inf))
    for threshold in (-0.1, 1.0, float("nan")):
        with pytest.raises(ValueError, match="threshold"):
            mask_sparsity(motif_instance(PATH), np.ones(8), threshold)
