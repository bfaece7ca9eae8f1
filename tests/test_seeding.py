"""Seeding: the same weights, and nobody else's randomness is touched."""

import torch

from gfx_core.seeding import seeded


def test_the_seed_decides_and_the_global_state_stays() -> None:
    before = torch.get_rng_state()
    draws = []
    for seed in (1, 1, 2):
        with seeded(seed):
            draws.append(torch.nn.Linear(3, 3).weight)
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        assert torch.equal(torch.nn.Linear(3, 3).weight, draws[0])
