"""Seen: a batch of trajectories that was sampled, to learn from it."""

from dataclasses import dataclass

from torch import Tensor

from gfx_core.gfn.sampler import Trajectories


@dataclass(frozen=True)
class Seen:
    """A batch that was sampled, and the parents of its states."""

    trajectories: Trajectories
    parents: Tensor  # bool [B, K, m], or empty
