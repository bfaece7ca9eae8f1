"""Parts: the instances of a training, in batches of trajectories that are sampled together."""

import math

import numpy as np
import torch

from gfx_core.datasets.graph import Ints
from gfx_core.gfn.instances import Episodes, FlowGraphs

STARTS_PER_GRAPH = 4  # graph tasks: trajectories from this many nodes of a graph train policy and locator together


class Parts:
    """Some instances in random parts, which stay the same from epoch to epoch.

    Args:
        graphs: All instances.
        chosen: Those that trajectories are sampled from.
        batch_size: The most trajectories of a part.
        seed: Of the parts.
        start: A node where all trajectories start; by default the explained nodes.
        anywhere: Whether they start at some random nodes of each graph, others in each epoch.

    Attributes:
        batches: One batch of episodes for each part.
    """

    def __init__(
        self,
        graphs: FlowGraphs,
        chosen: Ints,
        batch_size: int,
        seed: int,
        *,
        start: int | None = None,
        anywhere: bool = False,
    ) -> None:
        self.graphs, self.anywhere = graphs, anywhere
        rng, starts = np.random.RandomState(seed), STARTS_PER_GRAPH if anywhere else 1
        order = chosen[rng.permutation(len(chosen))]
        self._parts = np.array_split(order, math.ceil(len(chosen) / max(1, batch_size // starts)))
        self.batches: list[Episodes]
        if anywhere:
            self.batches = [
                Episodes.of(graphs, part.repeat(starts), random_starts(graphs, part, rng)) for part in self._parts
            ]
        else:
            at = [None if start is None else np.full(len(part), start) for part in self._parts]
            self.batches = [Episodes.of(graphs, *pair) for pair in zip(self._parts, at, strict=True)]

    def shuffled(self, rng: np.random.RandomState) -> list[Episodes]:
        """The episodes of one epoch in random order, perhaps with new start nodes."""
        if self.anywhere:
            for part, episodes in zip(self._parts, self.batches, strict=True):
                episodes.start.copy_(torch.from_numpy(random_starts(self.graphs, part, rng)))
        return [self.batches[i] for i in rng.permutation(len(self.batches))]


def random_starts(graphs: FlowGraphs, instances: Ints, rng: np.random.RandomState) -> Ints:
    """Distinct random nodes of each graph (repeated where a graph is too small). [G · starts]"""
    size = graphs.graphs.sizes[instances]
    key = rng.random_sample((len(instances), max(int(size.max()), STARTS_PER_GRAPH)))
    key[np.arange(key.shape[1]) >= size[:, None]] = np.inf
    return (np.argsort(key, axis=1)[:, :STARTS_PER_GRAPH] % size[:, None]).astype(np.int64).ravel()
