"""Weights from a seed, without touching anybody else's randomness."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Initialisers draw from torch's global CPU generator: seed it in here and put it back; GPUs' are left alone."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield
