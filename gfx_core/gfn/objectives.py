"""What a training makes small: flow matching and the balances, each one object with its equation.

An objective reads `Visited`, the flows of the states that some trajectories passed: those of a network on sampled sets
(:meth:`Visited.by`), or those on a listed state space (`gfx_core.gfn.tabular`). So a new loss is one class here, one
entry of `OBJECTIVES`, and one of `Loss`.

All of them are in log space. F(s → s∪{a}) is the flow of an action, F(s) what leaves a state in all, STOP included,
P_F(·|s) = F(s → ·) / F(s), and P_B(s|s′) the chance to go back to a parent: uniform over the valid parents, or learned.
With flows on edges F(s) needs no head of its own, and a balance holds exactly where flow matching does.

An objective is a module. What it learns besides the policy (log Z) are its parameters, what it remembers of the
training (the best rewards so far) its buffers: both are put back with the weights.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.sampler import Trajectories
from gfx_core.gfn.settings import GFNConfig, Loss, Parents
from gfx_core.gfn.states import States

NO_REWARD = torch.finfo(torch.float32).min
"""Below all rewards, and finite as all is that a training saves."""

# Log-flows in which an action or a parent that is not there is −inf


def masked_logsumexp(values: Tensor, dim: int = -1) -> Tensor:
    """logsumexp where rows of only −inf give −inf, with zero (not NaN) gradient."""
    empty = (values == -torch.inf).all(dim, keepdim=True)
    summed = torch.logsumexp(values.masked_fill(empty, 0.0), dim)
    return summed.masked_fill(empty.squeeze(dim), -torch.inf)


def log_out_flow(log_flows: Tensor, log_stop: Tensor) -> Tensor:
    """Everything that leaves a state: to its children and to STOP. [N, A], [N] → [N]"""
    return torch.logaddexp(masked_logsumexp(log_flows), log_stop)


def raised(log_flow: Tensor, floor: Tensor) -> Tensor:
    """At least the floor, with the gradient of the flow itself: where one side is above, the other must still rise."""
    return log_flow + (torch.maximum(log_flow, floor) - log_flow).detach()


@dataclass(frozen=True)
class Visited:
    """The N states that B trajectories visited, trajectory by trajectory and each in its order, with their flows.

    So ``values.roll(1)`` are those at the state before; at a start state they do not count.

    Attributes:
        trajectory: Of each. [N]
        size: |s|: 1 where a trajectory starts. [N]
        log_reward: log R(s). [N]
        log_stop: log F(s → STOP). [N]
        log_taken: log F of the action that was taken, STOP's where it ends. [N]
        log_in: Log of the sum of flows from the parents, 0 where it starts. [N]
        log_out: log F(s), the log of the sum of flows to children and STOP. [N]
        log_back: log P_B of the step by which it came here, 0 where it starts. [N]
        start: A number for the start node of each trajectory, below those that the objective was made for. [B]
        features: What is known of these start nodes. [B, f]
        has_stop_head: Whether STOP's flow is learned: then it has to become R(s).
        log_first: log F of the action to the first node of the frontier, −∞ where there is none; of tables alone. [N]
    """

    trajectory: Tensor
    size: Tensor
    log_reward: Tensor
    log_stop: Tensor
    log_taken: Tensor
    log_in: Tensor
    log_out: Tensor
    log_back: Tensor
    start: Tensor
    features: Tensor
    has_stop_head: bool
    log_first: Tensor | None = None

    @classmethod
    def by(cls, policy: FlowPolicy, trajectories: Trajectories, removable: Tensor) -> "Visited":
        """A policy's flows on every visited state, in one pass; the arguments are those of an objective."""
        order, episodes = trajectories.order, trajectories.episodes
        K = order.shape[1]
        at = trajectories.visited.flatten().nonzero()[:, 0]  # [N], the row of each in [B · K]
        states = States.along(episodes, trajectories.episode, order)[at]
        parents = order[:, None].where(removable, -1).flatten(0, 1)[at]  # [N, K]
        log_reward = trajectories.log_reward.flatten()[at]
        actions = states.frontier(policy.max_nodes)  # [N, A]
        flows = policy(policy.encode(episodes), states, actions, parents)
        assert flows.log_in is not None
        log_stop = log_reward if flows.log_stop is None else flows.log_stop
        following = nn.functional.pad(order[:, 1:], (0, 1), value=-1).flatten()[at]  # -1: STOP
        going_on = flows.log_out.masked_fill(actions != following[:, None], 0.0).sum(1)
        log_back = -(parents >= 0).sum(1).clamp(min=1).to(log_reward.dtype).log()
        start = episodes.graphs.rows(trajectories.instance, episodes.start[trajectories.episode])
        return cls(
            trajectory=at // K,
            size=states.size,
            log_reward=log_reward,
            log_stop=log_stop,
            log_taken=torch.where(following < 0, log_stop, going_on),
            log_in=masked_logsumexp(flows.log_in).where(states.size > 1, 0.0),
            log_out=log_out_flow(flows.log_out, log_stop),
            log_back=log_back,
            start=start,
            features=episodes.source.features[start],
            has_stop_head=policy.has_stop_head,
        )

    @property
    def moved(self) -> Tensor:
        """All but the start states: those with a parent. bool [N]"""
        return self.size > 1

    def mean(self, values: Tensor) -> Tensor:
        """The mean over all states with a parent. [N] → []"""
        moved = self.moved  # where, and not an index: an index would wait for the device
        return values.where(moved, 0.0).sum() / moved.sum().clamp(min=1)  # an isolated start node has no such state

    def along(self, values: Tensor) -> Tensor:
        """The sum over each trajectory. [N] → [B]"""
        return torch.zeros(len(self.start), device=values.device, dtype=values.dtype).index_add(
            0, self.trajectory, values
        )

    @property
    def ends(self) -> Tensor:
        """Which of them is the last of its trajectory. bool [N]"""
        return torch.cat([self.trajectory[1:] != self.trajectory[:-1], self.moved.new_ones(1)])

    @property
    def final_log_reward(self) -> Tensor:
        """log R of where each trajectory ended. [B]"""
        return self.along(self.log_reward.where(self.ends, 0.0))


@dataclass(frozen=True)
class LossTerms:
    """What one batch gives: the loss to make small, and what to report."""

    loss: Tensor
    residual: Tensor
    log_reward: Tensor  # [B], of where each trajectory ended
    size: Tensor  # [B], nodes there


class Objective(nn.Module, ABC):
    """What training makes small.

    Attributes:
        parents: Which parents of the visited states it reads.
    """

    parents = Parents.SEQUENCE

    @abstractmethod
    def forward(self, policy: FlowPolicy, trajectories: Trajectories, removable: Tensor) -> LossTerms:
        """The loss of trajectories.

        Args:
            policy: What is trained.
            trajectories: What it sampled.
            removable: Which nodes' removal counts as a parent of each prefix, by their place in the order.
                bool [B, K, K]
        """


class FlowObjective(Objective):
    """An objective that reads the flows of all visited states; it reports how far they are from matching.

    Args:
        config: How.
        num_features: Width of what is known of a start node.
        num_starts: How many start nodes there are.
    """

    best: Tensor  # [starts], the best log R met so far from each start node, or NO_REWARD; where there is a δ

    def __init__(self, config: GFNConfig, num_features: int, num_starts: int = 1) -> None:
        super().__init__()
        self.config, self.parents = config, config.parents
        if config.delta is not None:
            self.register_buffer("best", torch.full((num_starts,), NO_REWARD))

    def forward(self, policy: FlowPolicy, trajectories: Trajectories, removable: Tensor) -> LossTerms:
        return self.terms(Visited.by(policy, trajectories, removable))

    def terms(self, visited: Visited) -> LossTerms:
        """The loss of some visited states, and what is reported of them."""
        residual = visited.mean((visited.log_in - visited.log_out).abs()).detach()
        loss = self.loss(visited).where(visited.log_out.isfinite().all(), torch.nan)  # also where it plays no part
        size = visited.along(visited.size.where(visited.ends, 0))
        return LossTerms(loss, residual, visited.final_log_reward, size)

    @abstractmethod
    def loss(self, visited: Visited) -> Tensor:
        """The loss of all of them, one number."""

    def begin_at(self, log_reward: float) -> None:
        """Let log Z, where it is a parameter, begin at some reward."""

    def forget_rewards(self) -> None:
        """The reward is another one now: the best so far has no meaning any more."""
        if self.config.delta is not None:
            self.best.fill_(NO_REWARD)

    def log_z(self, features: Tensor) -> Tensor | None:
        """What it takes for log Z, where that is a parameter. [B, f] → [B]"""
        return None

    def compared(self, visited: Visited, one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
        """Two log-flows that are to be equal: below δ times the best reward from the same start both count as δ."""
        if self.config.delta is None:
            return one, other
        start = visited.start[visited.trajectory]
        self.best.scatter_reduce_(0, start, visited.log_reward.detach().to(self.best.dtype), "amax")
        floor = self.best[start].to(one.dtype) - self.config.delta
        return raised(one, floor), raised(other, floor)

    def difference(self, one: Tensor, other: Tensor) -> Tensor:
        """How far two log-flows that are to be equal are apart."""
        return one - other

    def stop_loss(self, visited: Visited) -> Tensor | float:
        """F(s → STOP) = R(s) in every state, where STOP has a head of its own."""
        if not visited.has_stop_head:
            return 0.0
        return self.difference(visited.log_stop, visited.log_reward).square().mean()


class FlowMatching(FlowObjective):
    """(log Σ_parents F(p → s) − log F(s))² in every visited state (eq. 18 of the paper, in log space)."""

    def loss(self, visited: Visited) -> Tensor:
        flows = self.compared(visited, visited.log_in, visited.log_out)
        return visited.mean(self.difference(*flows).square()) + self.stop_loss(visited)


class LinearFlowMatching(FlowMatching):
    """(Σ_parents F(p → s) − F(s))² in every visited state, as the paper prints it."""

    def difference(self, one: Tensor, other: Tensor) -> Tensor:
        return one.exp() - other.exp()


class FirstChild(FlowObjective):
    """(Σ_parents π(p → s) − π(s → first child) − 100·R(s))², a control: what public code of 2023 makes small.

    Its flows are softmax probabilities π beside a reward of another scale, and of what leaves a state only the first
    child counts. They cannot match.
    """

    def loss(self, visited: Visited) -> Tensor:
        assert visited.log_first is not None
        out = visited.log_first.exp() + visited.log_stop.exp()
        return visited.mean((visited.log_in.exp() - out).square())


class DetailedBalance(FlowObjective):
    """(log F(s → s′) − log F(s′) − log P_B(s|s′))² of every step (Bengio et al., 2023)."""

    def loss(self, visited: Visited) -> Tensor:
        forward, backward = self.compared(visited, visited.log_taken.roll(1), visited.log_out + visited.log_back)
        return visited.mean((forward - backward).square()) + self.stop_loss(visited)


class ModifiedDetailedBalance(FlowObjective):
    """(log R(s′)·P_B(s|s′)·P_F(stop|s) − log R(s)·P_F(s′|s)·P_F(stop|s′))² of every step (Deleu et al., 2022).

    It has policies alone, no flow of a state and no log Z. Where STOP's flow is the reward, it is detailed balance.
    """

    def loss(self, visited: Visited) -> Tensor:
        stop = visited.log_stop - visited.log_out
        backward = visited.log_reward + visited.log_back + stop.roll(1)
        forward = (visited.log_reward + visited.log_taken - visited.log_out).roll(1) + stop
        return visited.mean((forward - backward).square())


class TrajectoryBalance(FlowObjective):
    """(log Z + Σ log P_F − log R(s_f) − Σ log P_B)² of every trajectory (Malkin et al., 2022).

    log Z is one number, or an MLP on the start node's features: conditional.
    """

    def __init__(self, config: GFNConfig, num_features: int, num_starts: int = 1) -> None:
        super().__init__(config, num_features, num_starts)
        conditional = config.loss is Loss.TRAJECTORY_BALANCE_CONDITIONAL
        self.constant = nn.Parameter(torch.zeros(()), requires_grad=not conditional)
        self.mlp: nn.Module | None = None
        if conditional:
            first, second = nn.Linear(num_features, 128), nn.Linear(128, 128)
            self.mlp = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.Linear(128, 1))

    def loss(self, visited: Visited) -> Tensor:
        forward = visited.along(visited.log_taken - visited.log_out)
        backward = visited.along(visited.log_back) + visited.final_log_reward
        return (self.log_z(visited.features) + forward - backward).square().mean()

    def log_z(self, features: Tensor) -> Tensor:
        return self.constant.expand(len(features)) if self.mlp is None else self.constant + self.mlp(features)[:, 0]

    @torch.no_grad()
    def begin_at(self, log_reward: float) -> None:
        self.constant.fill_(log_reward)


class SubTrajectoryBalance(FlowObjective):
    """Σ_{i<j} λ^(j−i) (log F(s_i) + Σ log P_F − log F(s_j) − Σ log P_B)² of every part of a trajectory, as a mean.

    (Madan et al., 2023.) The last state of a trajectory is the one after STOP, whose flow is R(s_f). With λ near 0 it
    is detailed balance, with a large one trajectory balance.
    """

    def loss(self, visited: Visited) -> Tensor:
        B, width, device = len(visited.start), self.config.max_nodes + 1, visited.log_out.device
        length = visited.along(torch.ones_like(visited.log_out)).long()[:, None]  # states of each. [B, 1]

        def table(values: Tensor, final: Tensor) -> Tensor:
            """A value for each state and, after the last one, for the end, whose flow is the reward. [B, K + 1]"""
            cells = visited.trajectory, visited.size.long() - 1
            blank = torch.zeros(B, width, device=device, dtype=values.dtype)
            return blank.index_put(cells, values).scatter(1, length, final[:, None].to(values.dtype))

        gain = visited.log_taken - visited.log_out  # log P_F of the step from each state
        step = (gain.roll(1) - visited.log_back).where(visited.moved, 0.0)
        way = table(step, visited.along(gain.where(visited.ends, 0.0))).cumsum(1)
        potential = table(visited.log_out, visited.final_log_reward) - way
        position = torch.arange(width, device=device)
        steps, exists = position - position[:, None], position <= length  # [K + 1, K + 1], bool [B, K + 1]
        weight = self.config.sub_lambda ** steps.clamp(min=0).to(way.dtype) * (steps > 0)
        weight = weight * (exists[:, :, None] & exists[:, None])  # [B, K + 1, K + 1]
        error = (potential[:, :, None] - potential[:, None]).square()
        mean = (weight * error.where(weight > 0, 0.0)).sum((1, 2)) / weight.sum((1, 2)).clamp(min=1e-30)
        return mean.mean() + self.stop_loss(visited)


OBJECTIVES: dict[Loss, type[FlowObjective]] = {
    Loss.FLOW_MATCHING: FlowMatching,
    Loss.FLOW_MATCHING_LINEAR: LinearFlowMatching,
    Loss.DETAILED_BALANCE: DetailedBalance,
    Loss.MODIFIED_DETAILED_BALANCE: ModifiedDetailedBalance,
    Loss.TRAJECTORY_BALANCE: TrajectoryBalance,
    Loss.TRAJECTORY_BALANCE_CONDITIONAL: TrajectoryBalance,
    Loss.SUB_TRAJECTORY_BALANCE: SubTrajectoryBalance,
    Loss.FIRST_CHILD: FirstChild,
}
"""The objective of each loss that a configuration can name."""
