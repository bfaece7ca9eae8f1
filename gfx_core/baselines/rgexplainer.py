"""RGExplainer (Shan et al., NeurIPS 2021): a policy grows one connected subgraph, trained by REINFORCE.

It lives in the same environment as GFlowExplainer: the same states, actions, start nodes, subgraph predictions and
reward terms, and its training loop is the same but for the loss. It maximises the expected log R instead of sampling
in proportion to R. Its own score of an edge is the order weight of one greedy trajectory.

What is free: everything in :class:`RGConfig`. The prices of size, radius and similarity are chosen for each data set
without its ground truth, by `gfx_core.bench.explainers`; the rest is the paper's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.baselines.generators import Generator
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.objectives import LossTerms, Objective, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories
from gfx_core.gfn.settings import GFNConfig, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import JobContext

_PRICES = {"size": 0.01, "radius": 0.1, "similarity": 1.0}  # those of a published configuration file


@dataclass(frozen=True)
class RGConfig:
    """How RGExplainer is trained.

    Attributes:
        max_nodes: K_M, the most nodes of a subgraph.
        prices: Of the terms of the reward, −(CE + size + radius + similarity).
        hidden: Width of the policy network, which is the paper's.
        rollouts: Trajectories from each start node and epoch.
        epochs: Passes over the instances by REINFORCE.
        batch_size: Start nodes in a batch: one of each instance, several of each graph in graph tasks.
        lr: Adam's learning rate; in REINFORCE annealed by a cosine.
        expansions: Random expansions from each start node, of which pretraining imitates the best.
        list_epochs: Pretraining epochs in which the order of the nodes counts.
        set_epochs: Pretraining epochs after these in which it does not; states are then visited in new random orders.
    """

    max_nodes: int = 10
    prices: Mapping[str, float] = field(default_factory=_PRICES.copy)
    hidden: int = 64
    rollouts: int = 5
    epochs: int = 50
    batch_size: int = 128
    lr: float = 1e-2
    expansions: int = 10
    list_epochs: int = 10
    set_epochs: int = 25


def log_likelihood(
    policy: FlowPolicy, episodes: Episodes, episode: Tensor, order: Tensor, any_order: bool = False
) -> Tensor:
    """Sum of log π(a|s) along given orders, STOP at the end included, in one pass over all their states. [B]

    Pretraining makes it large, and it is what REINFORCE differentiates.

    Args:
        policy: A policy with a STOP head; π is the softmax over frontier scores and STOP.
        episodes: Instances and start nodes.
        episode: Episode of each order. [B]
        order: Nodes in the order of addition, padded with -1. [B, K]
        any_order: Whether each step may add any node that the order holds, rather than its next one.
    """
    B, K = order.shape
    at = (order >= 0).flatten().nonzero()[:, 0]  # rows of [B · K] that are states, N of them
    states = States.along(episodes, episode, order)[at]
    actions = states.frontier(policy.max_nodes)  # [N, A]
    flows = policy(policy.encode(episodes), states, actions)
    assert flows.log_stop is not None  # π has a STOP of its own
    log_pi = torch.cat([flows.log_out, flows.log_stop[:, None]], dim=1).log_softmax(1)  # [N, A + 1], STOP last
    following = nn.functional.pad(order[:, 1:], (0, 1), value=-1).flatten()[at]  # [N]
    right = following[:, None] == actions
    if any_order:
        right = (actions[:, :, None] == order[at // K][:, None]).any(2)
    right = torch.cat([right & (actions >= 0), (following < 0)[:, None]], dim=1)
    taken = masked_logsumexp(log_pi.masked_fill(~right, -torch.inf))
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
    every = torch.arange(len(episode), device=episode.device)
    states = States(episodes, episode, episodes.start[episode][:, None])
    for _ in range(1, max_nodes):
        possible = states.frontier(max_nodes) >= 0  # [B, m]
        possible = possible if within is None else possible & within
        noise = torch.rand(possible.shape, generator=generator, device=episode.device)
        node = noise.masked_fill(~possible, -1.0).argmax(1)
        states = states.add(every, node.where(possible.any(1), -1))
    return states.nodes


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


class Reinforce(Objective):
    """The expected log R, by REINFORCE; parents play no part."""

    def forward(self, policy: FlowPolicy, trajectories: Trajectories, removable: Tensor) -> LossTerms:
        episodes, order, log_reward = trajectories.episodes, trajectories.order, trajectories.final_log_reward
        log_forward = log_likelihood(policy, episodes, trajectories.episode, order)
        loss = reinforce_loss(log_forward.view(len(episodes), -1), log_reward.view(len(episodes), -1))  # [E, n]
        return LossTerms(loss, torch.zeros((), device=order.device), log_reward, trajectories.length)


def reinforce_loss(log_forward: Tensor, log_reward: Tensor) -> Tensor:
    """What REINFORCE makes small: minus the mean of log-probability · (reward − baseline).

    A rollout's baseline is the mean reward of the other rollouts from the same start node.
    Unlike the mean of all of them it does not depend on the rollout, so the gradient stays unbiased; the two differ
    by the factor n / (n − 1).

    Args:
        log_forward: log-probability of each trajectory, with gradient, n ≥ 2. [E, n]
        log_reward: log R of where each ended. [E, n]
    """
    n = log_reward.shape[1]
    advantage = (log_reward - log_reward.mean(1, keepdim=True)) * (n / (n - 1))
    return -(advantage.detach() * log_forward).mean()


class RGExplainer(Generator):
    """RGExplainer with pretraining. Explanations are greedy and draw nothing."""

    config_type = RGConfig

    def trainer(self, predictor: Predictor, dataset: str) -> Trainer:
        """GFlowExplainer's trainer with REINFORCE in place of flow matching."""
        config = self.config
        training = GFNConfig(
            max_nodes=config.max_nodes,
            reward=RewardConfig(1.0, dict(config.prices)),
            policy=PolicyConfig(hidden=config.hidden, context=False),
            stop=Stop.LEARNED,
            epsilon=0.0,
            epochs=config.epochs,
            batch_size=config.batch_size,
            lr=config.lr,
            seed=self.seed,
        )
        return Trainer(predictor, training, objective=Reinforce(), repeats=config.rollouts)

    def pretrain(self, trainer: Trainer, job: JobContext) -> None:
        """Maximum likelihood on the best of some random expansions of each start node.

        First the nodes are to come in the order in which they were added ("list"), then in any order: whatever frontier
        node belongs to the subgraph is right ("set").
        """
        config, policy, batches, device = self.config, trainer.policy, trainer.batches, trainer.device
        K, epochs = config.max_nodes, config.list_epochs + config.set_epochs
        generator, rng = torch.Generator(device).manual_seed(self.seed), np.random.RandomState(self.seed)
        targets = [best_expansions(batch, trainer.reward, K, config.expansions, generator) for batch in batches]
        optimizer = torch.optim.Adam(policy.parameters(), config.lr)
        for number in range(epochs):
            as_set = number >= config.list_epochs
            for i in rng.permutation(len(batches)):
                job.report(0.0, f"pretraining, epoch {number + 1} of {epochs}")
                batch, order = batches[i], targets[i]
                episode, nodes = torch.arange(len(batch), device=device), torch.arange(batch.width, device=device)
                if as_set:
                    members = (order[..., None] == nodes).any(1)  # [B, m]
                    order = random_orders(batch, episode, K, generator, members)
                loss = -log_likelihood(policy, batch, episode, order, any_order=as_set).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 10.0)
                optimizer.step()


class RGExplainerPlain(RGExplainer):
    """RGExplainer whose policy starts from random weights, whatever the configuration has of pretraining."""

    pretrain = Generator.pretrain
