"""RampedReward: a reward whose β rises while a training goes on."""

import torch
from torch import Tensor

from gfx_core.gfn.rewards import Reward

BEGINNING = 0.1
"""β rises from this share of its value."""


def heat(epoch: int, epochs: int, ramp: float) -> float:
    """The share of β that holds in an epoch, counted from 1: it rises in equal steps and then stays 1.

    >>> [round(heat(epoch, 10, 0.5), 2) for epoch in (1, 3, 6, 10)]
    [0.1, 0.46, 1.0, 1.0]
    """
    done = 1.0 if ramp == 0 else min(1.0, (epoch - 1) / (ramp * epochs))
    return BEGINNING + (1 - BEGINNING) * done


class RampedReward(Reward):
    """Another reward, each log R times a number that is changed in place: what was recorded on a GPU sees it too.

    Args:
        reward: The reward.
    """

    def __init__(self, reward: Reward) -> None:
        self.predictor, self.config, self.explained_class = reward.predictor, reward.config, reward.explained_class
        self.full = reward
        self.scale = torch.ones((), device=reward.predictor.device)

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        return self.full(subsets, instance) * self.scale
