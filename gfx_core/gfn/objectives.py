"""What a training makes small, as objects: a trainer is given one, and whoever writes another touches no trainer.

An objective is a module. What it learns besides the policy (log Z) are its parameters, what it remembers of the
training (the best rewards so far) its buffers: both are saved, resumed and put back with the weights.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp, raised, trajectory_balance_loss
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories
from gfx_core.gfn.settings import GFNConfig, Loss
from gfx_core.gfn.states import States

# Visited: the states of some trajectories with all that an objective reads of them.


@dataclass(frozen=True)
class Visited:
    """The N states that some trajectories visited, with their flows, from one pass of the policy.

    Attributes:
        trajectories: Whose they are.
        at: The row of each in [B · K], trajectory by trajectory. [N]
        size: |s|. [N]
        parents: Which members may be taken out to give a parent. bool [N, m]
        log_reward: log R(s). [N]
        flows: What the policy says.
        log_stop: log F(s → STOP). [N]
        log_in: Log of the sum of flows from the parents. [N]
        log_out: Log of the sum of flows to children and STOP. [N]
    """

    trajectories: Trajectories
    at: Tensor
    size: Tensor
    parents: Tensor
    log_reward: Tensor
    flows: Flows
    log_stop: Tensor
    log_in: Tensor
    log_out: Tensor

    @classmethod
    def by(cls, policy: FlowPolicy, trajectories: Trajectories, parents: Tensor, reward: Reward) -> "Visited":
        """Evaluate every visited state; the arguments are those of an objective."""
        K = trajectories.order.shape[1]
        at = trajectories.visited.flatten().nonzero()[:, 0]
        states = States.along(trajectories.episodes, trajectories.episode, trajectories.order, policy.max_nodes)[at]
        parents = parents.flatten(0, 1)[at]
        if trajectories.log_reward is not None:  # computed on the way
            log_reward = trajectories.log_reward.flatten()[at]
        else:
            log_reward = reward(trajectories.prefixes().flatten(0, 1)[at], trajectories.instance[at // K])
        flows = policy(policy.encode(trajectories.episodes), states, parents)
        log_stop = log_reward if flows.log_stop is None else flows.log_stop
        log_in, log_out = masked_logsumexp(flows.log_in), log_out_flow(flows.log_out, log_stop)
        return cls(trajectories, at, states.size, parents, log_reward, flows, log_stop, log_in, log_out)

    @property
    def has_parent(self) -> Tensor:
        """All but the start states. bool [N]"""
        return self.size > 1

    def balanced(self) -> tuple[Tensor, Tensor, Tensor]:
        """log_in and log_out, zero at the start states, which have no parent; and how many others there are."""
        has_parent = self.has_parent
        # where, and not an index: the device is not asked how many there are
        pair = self.log_in.where(has_parent, 0.0), self.log_out.where(has_parent, 0.0)
        return *pair, has_parent.sum().clamp(min=1)  # an isolated start node has no state with a parent

    @property
    def trajectory(self) -> Tensor:
        """The trajectory of each. [N]"""
        return self.at // self.trajectories.order.shape[1]

    @property
    def start_rows(self) -> Tensor:
        """The row of each trajectory's start node in the graphs' features. [B]"""
        trajectories = self.trajectories
        start = trajectories.episodes.start[trajectories.episode]
        return trajectories.episodes.graphs.rows(trajectories.instance, start)

    @property
    def final_log_reward(self) -> Tensor:
        """log R of where each trajectory ended. [B]"""
        order, length = self.trajectories.order, self.trajectories.length
        every = torch.zeros(order.numel(), device=order.device).index_put((self.at,), self.log_reward)
        return every.view_as(order).gather(1, length[:, None] - 1)[:, 0]


@dataclass(frozen=True)
class LossTerms:
    """What one batch gives: the loss to make small, and what to report."""

    loss: Tensor
    residual: Tensor
    log_reward: Tensor  # [B], of where each trajectory ended


class Objective(nn.Module, ABC):
    """What training makes small."""

    wants_parents = True
    """Whether the parents of the visited states are to be found."""

    @abstractmethod
    def forward(self, policy: FlowPolicy, trajectories: Trajectories, parents: Tensor, reward: Reward) -> LossTerms:
        """The loss of some trajectories.

        Args:
            policy: What is trained.
            trajectories: What it sampled.
            parents: Which nodes' removal counts as a parent of each prefix. bool [B, K, m]
            reward: What makes a subgraph good.
        """


class FlowObjective(Objective):
    """An objective that reads the flows of all visited states; it reports how far they are from matching."""

    def forward(self, policy: FlowPolicy, trajectories: Trajectories, parents: Tensor, reward: Reward) -> LossTerms:
        visited = Visited.by(policy, trajectories, parents, reward)
        log_in, log_out, count = visited.balanced()
        residual = (log_in - log_out).abs().sum() / count
        loss = self.loss(visited) + 0 * visited.log_out.detach().sum()  # a NaN shows also where it plays no part
        return LossTerms(loss, residual, visited.final_log_reward)

    @abstractmethod
    def loss(self, visited: Visited) -> Tensor:
        """The loss of all of them, one number."""


class FlowMatching(FlowObjective):
    """In-flow = out-flow in every visited state, and F(s → STOP) = R(s) where STOP has a head of its own.

    Args:
        config: Whether flows or their logarithms are compared, and δ.
        graphs: The instances.
    """

    best: Tensor  # [M], the best log R met so far from each start node, by row of the graphs' features

    def __init__(self, config: GFNConfig, graphs: FlowGraphs) -> None:
        super().__init__()
        self.linear, self.delta = config.loss is Loss.FLOW_MATCHING_LINEAR, config.delta
        self.register_buffer("best", torch.full((len(graphs.features),), -torch.inf))

    def loss(self, visited: Visited) -> Tensor:
        log_in, log_out, count = visited.balanced()
        if self.delta is not None:
            rows = visited.start_rows[visited.trajectory]
            self.best.scatter_reduce_(0, rows, visited.log_reward, "amax")
            floor = self.best[rows] - self.delta
            log_in, log_out = raised(log_in, floor), raised(log_out, floor)
        loss = flow_matching_loss(log_in, log_out, self.linear).sum() / count
        if visited.flows.log_stop is None:
            return loss
        return loss + flow_matching_loss(visited.flows.log_stop, visited.log_reward, self.linear).mean()


def along(visited: Visited) -> tuple[Tensor, Tensor, Tensor]:
    """log P_F and log P_B of whole trajectories, P_B uniform over the parents, and log R of their ends. [B] each"""
    trajectories, flows = visited.trajectories, visited.flows
    B = len(trajectories)
    following = torch.cat([trajectories.order[:, 1:], trajectories.order.new_full((B, 1), -1)], dim=1)
    action = following.flatten()[visited.at]  # [N], -1 for STOP
    going_on = flows.log_out.gather(1, action.clamp(min=0)[:, None])[:, 0]
    taken = torch.where(action < 0, visited.log_stop, going_on)
    back = -visited.parents.sum(1).clamp(min=1).float().log()  # [N], zero at the start state
    trajectory = visited.trajectory
    zeros = torch.zeros(B, device=action.device)
    log_forward = zeros.index_add(0, trajectory, taken - visited.log_out)
    log_backward = zeros.index_add(0, trajectory, back)
    final = zeros.index_add(0, trajectory, visited.log_reward.where(action < 0, 0.0))
    return log_forward, log_backward, final


class TrajectoryBalance(FlowObjective):
    """Z · P_F(τ) = R(s_f) · P_B(τ) for every trajectory, with P_B uniform over the parents.

    Args:
        config: Whether log Z is one number or an MLP on the start node's features.
        graphs: The instances.
    """

    def __init__(self, config: GFNConfig, graphs: FlowGraphs) -> None:
        super().__init__()
        self.log_z: nn.Module = log_z_module(config, graphs) or _ConstantLogZ()

    def loss(self, visited: Visited) -> Tensor:
        log_forward, log_backward, final = along(visited)
        log_z = self.log_z(visited.trajectories.episodes.source.features[visited.start_rows])
        return trajectory_balance_loss(log_z, log_forward, log_backward, final).mean()


def log_z_module(config: GFNConfig, graphs: FlowGraphs) -> nn.Module | None:
    """What gives log Z from the features of start nodes; none where the loss has no such parameter."""
    if not config.loss.is_trajectory_balance:
        return None
    conditional = config.loss is Loss.TRAJECTORY_BALANCE_CONDITIONAL
    return _ConditionalLogZ(graphs.features.shape[1]) if conditional else _ConstantLogZ()


OBJECTIVES: dict[Loss, Callable[[GFNConfig, FlowGraphs], Objective]] = {
    Loss.FLOW_MATCHING: FlowMatching,
    Loss.FLOW_MATCHING_LINEAR: FlowMatching,
    Loss.TRAJECTORY_BALANCE: TrajectoryBalance,
    Loss.TRAJECTORY_BALANCE_CONDITIONAL: TrajectoryBalance,
}
"""The objective of each loss that a configuration can name."""


class _ConstantLogZ(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.value = nn.Parameter(torch.zeros(()))

    def forward(self, features: Tensor) -> Tensor:
        return self.value.expand(len(features))


class _ConditionalLogZ(nn.Module):
    def __init__(self, width: int, hidden: int = 128) -> None:
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, features: Tensor) -> Tensor:
        return self.mlp(features)[:, 0]
