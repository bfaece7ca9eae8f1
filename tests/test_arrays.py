"""The largest of some values, where rounding must not choose."""

import numpy as np
import pytest
import torch

from gfx_core.arrays import NEAR_TIE, first_best, rising
from gfx_core.gfn.sampler import _largest

NEAR = NEAR_TIE / 10


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([3.0, 1.0], 0),
        ([1.0, 3.0], 1),
        ([1.0, 1.0 + NEAR, 0.5], 0),
        ([0.5, -40.0, 1.0, 1.0 + NEAR], 2),
        ([-200.0, -200.0 + 100 * NEAR], 0),
        ([1.0, 1.0 + 3 * NEAR_TIE], 1),
        ([-np.inf, -5.0, -np.inf], 1),
        ([-np.inf, -np.inf], 0),
        ([0.0], 0),
    ],
)
def test_of_near_ties_the_first_is_taken(values: list[float], first: int) -> None:
    assert first_best(values) == first
    assert _largest(torch.tensor([values], dtype=torch.float64)).tolist() == [first]


def test_rounding_chooses_nothing() -> None:
    """However the last bits of equal values fall, the choice is the same; `argmax` would make twenty."""
    rng = np.random.RandomState(0)
    rewards = np.where(np.arange(40) % 2, -3.0, -1.7)
    shaken = [rewards * (1 + rng.uniform(-1e-7, 1e-7, 40)) for _ in range(200)]
    assert {first_best(values) for values in shaken} == {0}
    assert len({int(values.argmax()) for values in shaken}) > 5


def test_an_order_keeps_near_ties_as_they_are() -> None:
    assert rising([3.0, 1.0, 1.0 + NEAR, 1.0 - NEAR, np.inf, np.inf, 2.0]).tolist() == [1, 2, 3, 6, 0, 4, 5]
    assert rising([]).tolist() == []
    values = np.array([2.0, 1.0, 2.0, 1.0])
    shaken = [values + np.random.RandomState(seed).uniform(-1e-7, 1e-7, 4) for seed in range(50)]
    assert {tuple(rising(each)) for each in shaken} == {(1, 3, 0, 2)}
