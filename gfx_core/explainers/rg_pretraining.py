"""RGExplainer's pretraining: maximum likelihood on the best of some random expansions of each start node.

First the nodes are to come in the order in which they were found ("list"), then in any order: whatever frontier node
belongs to the wanted set is right ("set"). The likelihood of an order is also what REINFORCE differentiates.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.losses import masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import Trainer


def log_likelihood(
    policy: FlowPolicy, episodes: Episodes, episode: Tensor, order: Tensor, any_order: bool = False
) -> Tensor:
    """Sum of log π(a|s) along given orders, STOP at the end included, in one pass over all their states. [B]

    Args:
        policy: A policy with a STOP head; π is the softmax over frontier scores and STOP.
        episodes: Instances and start nodes.
        episode: Episode of each order. [B]
        order: Nodes in the order of addition, padded with -1. [B, K]
        any_order: Whether each step may add any node that the order holds, rather than its next one.
    """
    B, K = order.shape
    at = (order >= 0).flatten().nonzero()[:, 0]  # rows of [B · K] that are states, N of them
    states = States.along(episodes, episode, order, policy.max_nodes)
    flows = policy(policy.encode(episodes), states[at])
    assert flows.log_stop is not None  # π has a STOP of its own
    log_pi = torch.cat([flows.log_out, flows.log_stop[:, None]], dim=1).log_softmax(1)  # [N, m + 1], STOP last
    following = torch.cat([order[:, 1:], order.new_full((B, 1), -1)], dim=1).flatten()[at]  # [N]
    last = following < 0
    if any_order:
        whole = states.members.view(B, K, -1)[:, -1][at // K]  # [N, m]; its nodes in s are no frontier: −inf
        taken = masked_logsumexp(log_pi.masked_fill(~torch.cat([whole, last[:, None]], dim=1), -torch.inf))
    else:
        taken = log_pi.gather(1, following.masked_fill(last, episodes.width)[:, None])[:, 0]
    return torch.zeros(B, device=order.device).index_add(0, at // K, taken)


@torch.no_grad()
def random_orders(
    episodes: Episodes, episode: Tensor, max_nodes: int, generator: torch.Generator, within: Tensor | None = None
) -> Tensor:
    """Grow from the start nodes by uniformly drawn frontier nodes while there are any. [B, K], padded with -1

    Args:
        episodes: Instances and start nodes.
        episode: Episode of each growth. [B]
        max_nodes: K, the most nodes.
        generator: Source of randomness, on the episodes' device.
        within: The nodes that may be added; all by default. bool [B, m]
    """
    states = States.initial(episodes, episode, max_nodes)
    order = torch.full((len(episode), max_nodes), -1, dtype=torch.long, device=episode.device)
    order[:, 0] = episodes.start[episode]
    for t in range(1, max_nodes):
        possible = states.frontier if within is None else states.frontier & within
        noise = torch.rand(possible.shape, generator=generator, device=episode.device)
        active, node = possible.any(1), noise.masked_fill(~possible, -1.0).argmax(1)
        order[:, t] = node.where(active, -1)
        states.add(node, active)
    return order


@torch.no_grad()
def best_expansions(
    episodes: Episodes, reward: Reward, max_nodes: int, count: int, generator: torch.Generator
) -> Tensor:
    """Of some random expansions of each episode, each of a random size, the one with the highest reward. [E, K]"""
    device, E = episodes.instance.device, len(episodes)
    episode = torch.arange(E, device=device).repeat_interleave(count)
    order = random_orders(episodes, episode, max_nodes, generator)
    size = torch.randint(1, max_nodes + 1, (len(episode), 1), generator=generator, device=device)
    order = order.where(torch.arange(max_nodes, device=device) < size, -1)
    best = reward(order, episodes.instance[episode]).view(E, count).argmax(1)
    return order.view(E, count, max_nodes)[torch.arange(E, device=device), best]


def members_of(order: Tensor, width: int) -> Tensor:
    """Which nodes an order holds. [B, K] → bool [B, m]"""
    return (order[..., None] == torch.arange(width, device=order.device)).any(1)


@dataclass(frozen=True)
class Pretraining:
    """How long to imitate, and what.

    Attributes:
        expansions: Random expansions of each start node, of which the best is imitated.
        list_epochs: Epochs in which the order counts.
        set_epochs: Epochs after these in which it does not; states are then visited in new random orders.
    """

    expansions: int
    list_epochs: int
    set_epochs: int


def pretrain(
    trainer: Trainer, plan: Pretraining, on_batch: Callable[[], object], on_epoch: Callable[[int, float], None]
) -> None:
    """Train a trainer's policy to generate the best of some random expansions.

    Args:
        trainer: Has the policy, the instances, the reward, the learning rate and the seed.
        plan: How long.
        on_batch: Called before each batch; may raise to stop the training.
        on_epoch: Called after each epoch with its number from 1 and the mean log-likelihood of a subgraph.
    """
    policy, batches, seed, device = trainer.policy, trainer.batches, trainer.config.seed, trainer.device
    generator, rng = torch.Generator(device).manual_seed(seed), np.random.RandomState(seed)
    K = policy.max_nodes
    wanted = [best_expansions(batch, trainer.reward, K, plan.expansions, generator) for batch in batches]
    optimizer = torch.optim.Adam(policy.parameters(), trainer.config.lr)
    for number in range(1, plan.list_epochs + plan.set_epochs + 1):
        as_set, values = number > plan.list_epochs, []
        for i in rng.permutation(len(batches)):
            on_batch()
            batch, order = batches[i], wanted[i]
            each = torch.arange(len(batch), device=device)
            if as_set:
                order = random_orders(batch, each, K, generator, members_of(order, batch.width))
            value = log_likelihood(policy, batch, each, order, any_order=as_set).mean()
            optimizer.zero_grad(set_to_none=True)
            (-value).backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 10.0)
            optimizer.step()
            values.append(value.detach())
        on_epoch(number, float(torch.stack(values).mean()))
