"""Draw subgraphs for many instances at once."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gfx_core.datasets.graph import Ints
from gfx_core.explainers.generate import Doubles
from gfx_core.gfn.distinct import sample_distinct
from gfx_core.gfn.growth import can_share
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gnn.predict import Predictor

_TRAJECTORIES = 2048  # sampled in lockstep


@dataclass(frozen=True)
class ManyDraws:
    """N subgraphs of each of I instances.

    Attributes:
        orders: Their nodes in order of addition, padded with -1. [I, N, K]
        log_reward: log R of each. [I, N]
        grown: What trajectories become that never stop, padded with -1. [I, N, K]
        reach: The chance that one which may stop comes as far as each prefix of these. [I, N, K]
    """

    orders: Ints
    log_reward: Doubles
    grown: Ints
    reach: Doubles

    def __getitem__(self, which: Ints) -> "ManyDraws":
        """Those of some instances."""
        return ManyDraws(self.orders[which], self.log_reward[which], self.grown[which], self.reach[which])


def draw_many(trained: TrainedPolicy, predictor: Predictor, count: int, seed: int) -> ManyDraws:
    """Draw subgraphs of every instance of a predictor.

    In a node task they start at the explained node, in a graph task at nodes drawn from the locator.

    Args:
        trained: The policy.
        predictor: The GNN on the instances.
        count: N, how many to draw of each.
        seed: Of what is drawn.
    """
    trained.to(predictor.device)
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    rng = np.random.RandomState(seed)
    generator = torch.Generator(predictor.device).manual_seed(seed)
    found: list[list[np.ndarray]] = []
    by_size = np.argsort(predictor.graphs.sizes, kind="stable")  # instances of like size share their padding
    parts = max(1, min(len(by_size), len(by_size) * count // _TRAJECTORIES))
    for part in np.array_split(by_size, parts):
        if trained.locator is None:
            episodes = Episodes.of(graphs, part)
            episode = torch.arange(len(part), device=predictor.device).repeat_interleave(count)
        else:
            starts = np.concatenate([_starts(trained, predictor, int(i), count, rng) for i in part])
            pairs, which = np.unique(np.stack([part.repeat(count), starts]), axis=1, return_inverse=True)
            episodes = Episodes.of(graphs, *pairs)  # each start node once
            episode = torch.from_numpy(which.ravel()).to(predictor.device)
        order, log_reward, grown, log_reach = _draw(trained.policy, episodes, episode, reward, generator)
        tensors = (order, log_reward.double(), grown, log_reach.double().exp())
        found.append([values.cpu().numpy().reshape(len(part), count, *values.shape[1:]) for values in tensors])
    back = np.argsort(by_size, kind="stable")
    return ManyDraws(*(np.concatenate(parts)[back] for parts in zip(*found, strict=True)))


def _draw(
    policy: FlowPolicy, episodes: Episodes, episode: Tensor, reward: Reward, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """For each entry of ``episode`` what :class:`ManyDraws` tells of it, the chance as its logarithm."""
    if can_share(policy):
        drawn = sample_distinct(policy, episodes, episode, reward, generator)
        return drawn.order, drawn.log_reward, drawn.grown, drawn.log_reach
    stopped = sample(policy, episodes, episode, reward, generator=generator)
    grown = sample(policy, episodes, episode, reward, generator=generator, stops=False)
    assert grown.log_reach is not None
    return stopped.order, reward(stopped.order, stopped.instance), grown.order, grown.log_reach


def _starts(
    trained: TrainedPolicy, predictor: Predictor, instance: int, count: int, rng: np.random.RandomState
) -> Ints:
    assert trained.locator is not None
    probabilities = trained.locator.probabilities(predictor, instance).double().cpu().numpy()
    return rng.choice(len(probabilities), count, p=probabilities / probabilities.sum()).astype(np.int64)
