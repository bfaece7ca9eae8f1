"""Draw subgraphs for many instances at once."""

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


def draw_many(trained: TrainedPolicy, predictor: Predictor, count: int, seed: int) -> tuple[Ints, Doubles]:
    """Draw subgraphs of every instance of a predictor.

    In a node task they start at the explained node, in a graph task at nodes drawn from the locator.

    Args:
        trained: The policy.
        predictor: The GNN on the instances.
        count: N, how many to draw of each.
        seed: Of what is drawn.

    Returns:
        The nodes in order of addition, padded with -1 [I, N, K], and log R of each subgraph [I, N].
    """
    trained.to(predictor.device)
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    rng = np.random.RandomState(seed)
    generator = torch.Generator(predictor.device).manual_seed(seed)
    orders, log_reward = [], []
    by_size = np.argsort(predictor.graphs.sizes, kind="stable")  # instances of like size share their padding
    for part in np.array_split(by_size, max(1, len(by_size) * count // _TRAJECTORIES)):
        if trained.locator is None:
            episodes = Episodes.of(graphs, part)
            episode = torch.arange(len(part), device=predictor.device).repeat_interleave(count)
        else:
            starts = np.concatenate([_starts(trained, predictor, int(i), count, rng) for i in part])
            pairs, which = np.unique(np.stack([part.repeat(count), starts]), axis=1, return_inverse=True)
            episodes = Episodes.of(graphs, *pairs)  # each start node once
            episode = torch.from_numpy(which.ravel()).to(predictor.device)
        order, reached = _draw(trained.policy, episodes, episode, reward, generator)
        log_reward.append(reached.double().cpu().numpy().reshape(len(part), count))
        orders.append(order.cpu().numpy().reshape(len(part), count, -1))
    back = np.argsort(by_size, kind="stable")
    return np.concatenate(orders)[back], np.concatenate(log_reward)[back]


def _draw(
    policy: FlowPolicy, episodes: Episodes, episode: Tensor, reward: Reward, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """One subgraph for each entry of ``episode``, in order of addition [B, K], and its log R [B]."""
    if can_share(policy):
        return sample_distinct(policy, episodes, episode, reward, generator)[:2]
    drawn = sample(policy, episodes, episode, reward, generator=generator)
    return drawn.order, reward(drawn.order, drawn.instance)


def _starts(
    trained: TrainedPolicy, predictor: Predictor, instance: int, count: int, rng: np.random.RandomState
) -> Ints:
    assert trained.locator is not None
    probabilities = trained.locator.probabilities(predictor, instance).double().cpu().numpy()
    return rng.choice(len(probabilities), count, p=probabilities / probabilities.sum()).astype(np.int64)
