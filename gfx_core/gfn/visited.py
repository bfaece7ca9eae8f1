"""Visited: the states of some trajectories with all that an objective reads of them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.gfn.losses import log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories
from gfx_core.gfn.states import States


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
