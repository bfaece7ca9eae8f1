"""What this machine can do: devices and seeds, memory and open files; and choices that no rounding decides."""

import numpy as np
import pytest
import torch

from gfx_core import device
from gfx_core.arrays import NEAR_TIE, first_best
from gfx_core.device import choose_device, gpu_name, seeded
from gfx_core.errors import UserError
from gfx_core.gfn.sampler import _largest

NEAR = NEAR_TIE / 10


# gfx_core/device.py


def test_a_device_is_what_torch_can_use_or_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bool(gpu_name()) == torch.cuda.is_available()
    assert (choose_device("auto"), choose_device("cpu")) == ("cuda" if gpu_name() else "cpu", "cpu")
    monkeypatch.setattr(device, "gpu_name", lambda: None)
    for choice, words in (("tpu", "auto, cpu or cuda"), ("cuda", "no GPU")):
        with pytest.raises(UserError, match=words):
            choose_device(choice)


def test_the_seed_decides_and_the_global_state_stays() -> None:
    before, weights = torch.get_rng_state(), []
    for seed in (1, 1, 2):
        with seeded(seed):
            weights.append(torch.nn.Linear(3, 3).weight)
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert torch.equal(torch.get_rng_state(), before)


# gfx_core/arrays.py


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([1.0, 3.0], 1),
        ([1.0, 1.0 + NEAR, 0.5], 0),
        ([0.5, -40.0, 1.0, 1.0 + NEAR], 2),
        ([-200.0, -200.0 + 100 * NEAR], 0),
        ([1.0, 1.0 + 3 * NEAR_TIE], 1),
        ([-np.inf, -5.0, -np.inf], 1),
        ([-np.inf, -np.inf], 0),
    ],
)
def test_of_near_ties_the_first_is_taken(values: list[float], first: int) -> None:
    assert first_best(values) == first
    assert _largest(torch.tensor([values], dtype=torch.float64)).tolist() == [first]
