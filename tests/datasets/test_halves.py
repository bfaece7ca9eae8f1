"""The tuning half and the reporting half."""

import numpy as np
import pytest

from gfx_core import UserError, load_dataset
from gfx_core.datasets.graph import Half, half_of


@pytest.mark.parametrize("name", ["ba_shapes", "tree_grid", "ba_2motifs"])
def test_the_halves_are_the_two_parts_of_one_shuffle(name: str) -> None:
    known = load_dataset(name).explainable
    tuning, reporting = half_of(known, "tuning"), half_of(known)
    shuffled = np.random.RandomState(0).permutation(known)
    assert set(tuning) == set(shuffled[: len(known) // 2])
    assert not set(tuning) & set(reporting)
    assert sorted([*tuning, *reporting]) == known.tolist()
    assert half_of(known, "all") is known


def test_an_odd_one_is_reported() -> None:
    assert [len(half_of(np.arange(5), half)) for half in Half] == [3, 2, 5]


def test_another_half_is_refused() -> None:
    with pytest.raises(UserError, match="reporting, tuning, all"):
        half_of(np.arange(4), "third")
