"""Replay: batches of trajectories that a training has sampled lately, to learn from them again."""

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from torch import Tensor

from gfx_core.gfn.sampler import Trajectories


@dataclass(frozen=True)
class Seen:
    """A batch that was sampled, the parents of its states, and the share of β that held then."""

    trajectories: Trajectories
    parents: Tensor  # bool [B, K, m], or empty
    heat: float = 1.0

    def copied(self) -> "Seen":
        """The same, which stays when the next batch is sampled into the same memory."""
        given = self.trajectories
        episodes = replace(given.episodes, start=given.episodes.start.clone())  # these change from epoch to epoch
        log_reward = None if given.log_reward is None else given.log_reward.clone()
        trajectories = Trajectories(
            episodes, given.episode.clone(), given.order.clone(), log_reward, given.log_forward.clone()
        )
        return Seen(trajectories, self.parents.clone(), self.heat)

    def at(self, heat: float) -> "Seen":
        """The same with the rewards that hold under another share of β."""
        given = self.trajectories
        if heat == self.heat or given.log_reward is None:
            return self
        return Seen(replace(given, log_reward=given.log_reward * (heat / self.heat)), self.parents, heat)


class Replay:
    """The last few batches of each part of the instances.

    Args:
        size: How many of each; with 1 nothing is copied.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._kept: dict[int, deque[Seen]] = {}

    def keep(self, part: int, seen: Seen) -> None:
        """Remember a batch of a part; the oldest one goes."""
        kept = self._kept.setdefault(part, deque(maxlen=self.size))
        kept.append(seen if self.size == 1 else seen.copied())

    def pick(self, part: int, rng: np.random.RandomState) -> Seen:
        """Any of the batches of a part."""
        kept = self._kept[part]
        return kept[rng.randint(len(kept))]
