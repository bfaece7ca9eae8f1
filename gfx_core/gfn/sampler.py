"""Sample a whole batch of trajectories in lockstep, without gradients.

An action is drawn by the Gumbel-max trick: it has the largest sum of log-flow and noise. Which node is best does not
depend on STOP. So trajectories grow as if none of them stopped, the rewards of all sets on the way are computed in one
go, and then it is decided where STOP would have been better still.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from gfx_core.arrays import NEAR_TIE
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import Policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Parents
from gfx_core.gfn.states import States


@dataclass(frozen=True)
class Trajectories:
    """B trajectories of at most K nodes.

    Attributes:
        episodes: Instances and start nodes.
        episode: Episode of each. [B]
        order: Local node ids in the order of addition, padded with -1. [B, K]
        log_reward: log R of each prefix; beyond its end a trajectory stays where it is. [B, K]
        log_forward: log-probability of the trajectory under the policy, STOP included. [B]
        grown: What each becomes if it never stops, padded with -1. [B, K]
        log_reach: Log of the chance that a trajectory on this way, which may stop, comes as far as each prefix. [B, K]
    """

    episodes: Episodes
    episode: Tensor
    order: Tensor
    log_reward: Tensor
    log_forward: Tensor
    grown: Tensor
    log_reach: Tensor

    def __len__(self) -> int:
        return len(self.episode)

    @property
    def visited(self) -> Tensor:
        """Which prefixes are states of the trajectory. bool [B, K]"""
        return self.order >= 0

    @property
    def length(self) -> Tensor:
        """Nodes of the final state. [B]"""
        return self.visited.sum(1)

    @property
    def instance(self) -> Tensor:
        """Instance of each trajectory. [B]"""
        return self.episodes.instance[self.episode]

    @property
    def final_log_reward(self) -> Tensor:
        """log R of where each ended. [B]"""
        return self.log_reward[:, -1]


_CELLS = 1 << 21  # node pairs of the subgraphs whose rewards are computed in one go: bounds the memory


@torch.no_grad()
def sample(
    policy: Policy,
    episodes: Episodes,
    episode: Tensor,
    reward: Reward,
    *,
    epsilon: float = 0.0,
    generator: torch.Generator | None = None,
) -> Trajectories:
    """Draw one trajectory for each entry of ``episode``.

    Args:
        policy: Where the flows come from.
        episodes: Instances and start nodes.
        episode: Which of them each trajectory belongs to; the same may be named many times. [B]
        reward: Of the subgraphs on the way; STOP's flow where the policy has no head for it.
        epsilon: Share of actions drawn uniformly from the possible ones.
        generator: Source of randomness, on the episodes' device. Without it nothing is drawn: always the action of
            largest flow is taken, of equal ones the first, and STOP last.
    """
    K, B = policy.max_nodes, len(episode)
    gumbel = uniformly = None  # [K, B, m + 1], STOP last, and bool [K, B, 1], whether a step explores
    if generator is not None:
        noise = torch.rand(K * B * (episodes.width + 2), device=episode.device, generator=generator)
        gumbel = noise[: -K * B].view(K, B, -1).clamp(min=1e-20).log_().neg_().log_().neg_()
        uniformly = (noise[-K * B :].view(K, B, 1) < epsilon) if epsilon else None
    growth = grow(policy, policy.encode(episodes, reward), episodes, episode, gumbel, uniformly)
    steps, position = len(growth.path), torch.arange(K, device=episode.device)
    rows = max(1, _CELLS // K**2)
    chunks = zip(growth.sets.split(rows), growth.instance.split(rows), strict=True)
    log_reward = torch.cat([reward(*chunk) for chunk in chunks])[growth.path]  # [T, B]
    log_stop = growth.log_stop if policy.has_stop_head else log_reward
    log_stop = log_stop.where(log_stop.isfinite(), -torch.inf)  # a flow that is no number is no way to go

    stops = _explored(log_stop[..., None], uniformly, slice(steps))[..., 0]
    stops = stops - NEAR_TIE * stops.abs().clamp(min=1.0) if gumbel is None else stops + gumbel[:steps, :, -1]
    last = ((stops > growth.best) | (growth.best == -torch.inf)).to(torch.uint8).argmax(0)  # [B], where each stops
    step = position[:steps, None]
    log_all = torch.logaddexp(growth.log_going, log_stop)
    log_pi = growth.log_taken.where(step < last, log_stop) - log_all
    log_reach = functional.pad((growth.log_going - log_all)[:-1].cumsum(0).T, (1, 0))  # [B, T]
    return Trajectories(
        episodes,
        episode,
        order=growth.order.where(position <= last[:, None], -1),
        log_reward=log_reward.T.gather(1, torch.minimum(position, last[:, None])),
        log_forward=log_pi.where(step <= last, 0.0).sum(0),
        grown=growth.order,
        log_reach=functional.pad(log_reach, (0, K - steps), value=-torch.inf),
    )


def _explored(values: Tensor, uniformly: Tensor | None, step: int | slice) -> Tensor:
    """Log-flows, all possible ones equal where a step explores. [..., B, A]"""
    return values if uniformly is None else torch.where(uniformly[step] & (values > -torch.inf), 0.0, values)


def _largest(log_flows: Tensor) -> Tensor:
    """The number of the largest of each row; of those that are equal but for rounding the first. [B, A] → [B]"""
    best = log_flows.amax(1, keepdim=True)
    return (log_flows >= best - NEAR_TIE * best.abs().clamp(min=1.0)).to(torch.uint8).argmax(1)


@dataclass(frozen=True)
class Growth:
    """B trajectories that never stop, in T steps. Those that meet in a set share it, so only distinct sets are grown.

    Attributes:
        order: Nodes in the order of addition, padded with -1. [B, K]
        sets: All sets on the way, padded with -1. [S, K]
        instance: The instance of each. [S]
        path: The set that each trajectory has come to. [T, B]
        best: The largest log-flow to a node with its noise, −∞ where there is none. [T, B]
        log_taken: Log-flow of that node. [T, B]
        log_going: Log-flow of all nodes together. [T, B]
        log_stop: Log-flow of the STOP head; without meaning where the policy has none. [T, B]
    """

    order: Tensor
    sets: Tensor
    instance: Tensor
    path: Tensor
    best: Tensor
    log_taken: Tensor
    log_going: Tensor
    log_stop: Tensor


def grow(
    policy: Policy,
    encoded: Any,
    episodes: Episodes,
    episode: Tensor,
    gumbel: Tensor | None,
    uniformly: Tensor | None,
) -> Growth:
    """Let trajectories grow as if none of them stopped.

    Args:
        policy: Where the flows come from.
        encoded: What it needs of the episodes.
        episodes: Instances and start nodes.
        episode: Which of them each trajectory belongs to. [B]
        gumbel: Noise of the actions; without it the node of largest flow is taken. [K, B, m + 1]
        uniformly: Which steps explore. bool [K, B, 1]
    """
    K, numbers = policy.max_nodes, torch.arange(len(episode), device=episode.device)
    node, base, names = episodes.start[episode], episodes.base[episode], _names(len(episodes.node)).to(episode.device)
    name = torch.zeros_like(node)  # of each trajectory's set: the sum of its nodes' names. [B]
    states = States(episodes, episode, episode.new_zeros(len(episode), 0))
    at, count = numbers, 0  # the set of each trajectory among those of this step, and how many sets came before
    sets, instances, nodes, steps = [], [], [], []
    for step in range(K):
        nodes.append(node)
        name = name + names[base + node].where(node >= 0, 0)
        distinct, now = torch.unique(name, return_inverse=True)
        trajectory = torch.empty_like(distinct).scatter_(0, now, numbers)  # one that comes to each set. [U]
        states, at = states.add(at[trajectory], node[trajectory]), now
        sets.append(functional.pad(states.nodes, (0, K - 1 - step), value=-1))
        instances.append(episodes.instance[states.episode])
        flows = policy(encoded, states, states.frontier(K))
        log_out = flows.log_out.nan_to_num(-torch.inf, -torch.inf, -torch.inf)  # no number is no way to go. [U, m]
        log_going = log_out.logsumexp(1)
        log_stop = log_going if flows.log_stop is None else flows.log_stop
        log_flows = _explored(log_out[at], uniformly, step)  # [B, m]
        best, node = (log_flows if gumbel is None else log_flows + gumbel[step, :, :-1]).max(1)
        if gumbel is None:
            node = _largest(log_flows)
        steps.append((at + count, best, log_out[at, node], log_going[at], log_stop[at]))
        count += len(trajectory)
        node = node.where(best > -torch.inf, -1)
        if not bool((node >= 0).any()):
            break
    order = functional.pad(torch.stack(nodes, dim=1), (0, K - len(nodes)), value=-1)
    return Growth(order, torch.cat(sets), torch.cat(instances), *map(torch.stack, zip(*steps, strict=True)))


def _names(count: int) -> Tensor:
    """Random numbers of 64 bits: their sums differ between sets, but for a chance below n² · 10⁻¹⁹ among n sets. [R]"""
    most, generator = torch.iinfo(torch.int64), torch.Generator().manual_seed(0)
    return torch.empty(count, dtype=torch.int64).random_(most.min, most.max, generator=generator)


# Parents: which nodes may be taken out of the sets on the way.


def removable_nodes(trajectories: Trajectories, parents: Parents) -> Tensor:
    """Which nodes' removal from each prefix counts as a parent, by their place in the order. bool [B, K, K]"""
    order, visited = trajectories.order, trajectories.visited
    B, K = order.shape
    position = torch.arange(K, device=order.device)
    along = position[:, None] == position if parents is Parents.SEQUENCE else position[:, None] >= position
    removable = along & (position > 0) & visited[:, :, None]  # [B, K, K]
    if parents is not Parents.VALID or K == 1:
        return removable
    nodes, instance = order.clamp(min=0), trajectories.instance[:, None, None]
    links = trajectories.episodes.graphs.joined(instance, nodes[:, :, None], nodes[:, None, :])  # [B, K, K]
    tracker, valid = CutVertexTracker(B, K, order.device), []  # Theorem 1
    for linked, growing in zip(links.unbind(1), visited.unbind(1), strict=True):
        tracker.add(linked, growing)
        valid.append(tracker.removable)
    return removable & torch.stack(valid, dim=1)
