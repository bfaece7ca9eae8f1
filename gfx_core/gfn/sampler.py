"""Sample a whole batch of trajectories in lockstep, without gradients."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.arrays import NEAR_TIE
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.gfn.growth import Growth, Noise, can_share
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Parents, Stop
from gfx_core.gfn.states import States


@dataclass(frozen=True)
class Trajectories:
    """B trajectories of at most K nodes.

    Attributes:
        episodes: Where they live.
        episode: Episode of each. [B]
        order: Local node ids in the order of addition, padded with -1. [B, K]
        log_reward: log R of each prefix, where it was computed on the way. [B, K] or None
        log_forward: log-probability of the trajectory under the policy, STOP included. [B]
        log_reach: Of trajectories that grew without stopping: log of the chance that one which may stop on the same way
            comes as far as each prefix. [B, K] or None
    """

    episodes: Episodes
    episode: Tensor
    order: Tensor
    log_reward: Tensor | None
    log_forward: Tensor
    log_reach: Tensor | None = None

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

    def prefixes(self) -> Tensor:
        """Every state as a padded row of nodes. [B, K, K]"""
        K = self.order.shape[1]
        upto = torch.ones(K, K, dtype=torch.bool, device=self.order.device).tril()
        return self.order[:, None, :].where(upto, -1)


DENSE_WIDTH = 64
"""Graphs of at most this many nodes are evaluated densely on the CPU too: padding is cheaper than indexing."""

_SETS = 1 << 15  # sets whose rewards are computed in one go: bounds the memory


@torch.no_grad()
def sample(
    policy: FlowPolicy,
    episodes: Episodes,
    episode: Tensor,
    reward: Reward,
    *,
    epsilon: float = 0.0,
    generator: torch.Generator | Noise | None = None,
    stops: bool = True,
) -> Trajectories:
    """Draw one trajectory for each entry of ``episode``.

    Args:
        policy: Where the flows come from.
        episodes: Instances and start nodes.
        episode: Which of them each trajectory belongs to; the same may be named many times. [B]
        reward: Gives STOP its flow where the policy has no head for it.
        epsilon: Share of actions drawn uniformly from the possible ones.
        generator: Source of randomness, on the episodes' device, or the randomness itself, drawn beforehand. Without it
            nothing is drawn: always the action of largest flow is taken.
        stops: Whether STOP is an action. Without it they grow while they can, and say how likely they would have come
            so far (``log_reach``); ``log_forward`` is then that of the nodes' choices.
    """
    device, B, K = episode.device, len(episode), policy.max_nodes
    noise = generator
    if isinstance(noise, torch.Generator):
        noise = Noise.empty(K, B, episodes.width + 1, device).fill(noise)
    if device.type != "cpu" and policy.stop is Stop.REWARD and stops:
        return grow_then_stop(policy, episodes, episode, reward, epsilon, noise)
    encoded = policy.encode(episodes)
    states = States.initial(episodes, episode, K)
    padded = policy.pad(encoded, states) if device.type != "cpu" or episodes.width <= DENSE_WIDTH else None
    instance = episodes.instance[episode]
    order = torch.full((B, K), -1, dtype=torch.long, device=device)
    order[:, 0] = episodes.start[episode]
    active = torch.ones(B, dtype=torch.bool, device=device)
    log_forward = torch.zeros(B, device=device)
    log_reward = torch.zeros(B, K, device=device) if policy.stop is Stop.REWARD else None
    log_reach = None if stops else torch.zeros(B, K, device=device)
    for t in range(K):
        flows = policy(encoded, states) if padded is None else policy.out_flows(padded, states)
        log_stop = flows.log_stop if log_reward is None else reward(order[:, : t + 1], instance)
        assert log_stop is not None  # a policy without a STOP head has the reward
        if log_reward is not None:
            log_reward[:, t] = log_stop
        logits = torch.cat([flows.log_out, log_stop[:, None]], dim=1)  # [B, m + 1], STOP last
        possible = logits.isfinite()  # flows that are no number are no way to go either: the loss will tell
        log_pi = logits.masked_fill(~possible, -torch.inf).log_softmax(1)
        if log_reach is not None:
            log_reach[:, t + 1 :] += log_pi[:, :-1].logsumexp(1)[:, None]
            log_pi[:, -1] = torch.where(possible[:, :-1].any(1), -torch.inf, 0.0)
            log_pi = log_pi.log_softmax(1)
        choice = _largest(log_pi) if noise is None else _draw(log_pi, epsilon, noise.actions[t], noise.explores[t])
        choice = choice.where(possible.any(1), episodes.width)
        log_forward += log_pi.gather(1, choice[:, None])[:, 0].where(active, 0.0)
        active = active & (choice < episodes.width)
        if t + 1 == K or (device.type == "cpu" and not active.any()):
            break
        node = choice.where(active, 0)
        order[:, t + 1] = node.where(active, -1)
        states.add(node, active)
    return Trajectories(episodes, episode, order, log_reward, log_forward, log_reach)


@torch.no_grad()
def grow_then_stop(
    policy: FlowPolicy, episodes: Episodes, episode: Tensor, reward: Reward, epsilon: float, noise: Noise | None
) -> Trajectories:
    """The trajectories of :func:`sample` in far fewer operations: all rewards are computed in one go, at the end.

    Which node is the best to add does not depend on STOP. So the trajectories grow as if none of them stopped, and then
    the rewards of all sets on the way tell where STOP would have been better still.

    Args:
        policy: Where the flows come from; STOP must be the reward.
        episodes: Instances and start nodes.
        episode: Which of them each trajectory belongs to. [B]
        reward: Gives STOP its flow.
        epsilon: Share of actions drawn uniformly from the possible ones.
        noise: The randomness; without it always the action of largest flow is taken.
    """
    device, B, K, m = episode.device, len(episode), policy.max_nodes, episodes.width
    gumbel, uniformly = torch.zeros(K, 1, m + 1, device=device), None
    if noise is not None:
        gumbel = _gumbel(noise.actions)
        uniformly = (noise.explores < epsilon)[..., None] if epsilon else None  # [K, B, 1]
    growing = (_GrowingSets if can_share(policy) else _GrowingStates)(policy, episodes, episode)
    order = torch.full((B, K), -1, dtype=torch.long, device=device)
    order[:, 0] = episodes.start[episode]
    log_out = torch.full((K, B, m), -torch.inf, device=device)
    best = torch.full((K, B), -torch.inf, device=device)  # of the nodes' flows with their noise
    for t in range(K - 1):
        log_out[t] = growing.log_flows()
        wanted = _explored(log_out[t], uniformly, t) + gumbel[t, :, :m]
        best[t], node = wanted.max(1)
        node = _largest(wanted) if noise is None else node
        active = best[t] > -torch.inf
        order[:, t + 1] = node.where(active, -1)
        growing.add(node, active)

    upto = torch.ones(K, K, dtype=torch.bool, device=device).tril()
    sets = order[:, None, :].where(upto, -1).flatten(0, 1)  # [B · K, K]
    parts = zip(sets.split(_SETS), episodes.instance[episode].repeat_interleave(K).split(_SETS), strict=True)
    log_reward = torch.cat([reward(*part) for part in parts]).view(B, K)
    log_stop = log_reward.T.where(log_reward.T.isfinite(), -torch.inf)  # [K, B]
    stops = _explored(log_stop[..., None], uniformly)[..., 0] + gumbel[..., m] > best
    last = (stops | (best == -torch.inf)).to(torch.uint8).argmax(0)  # [B], the step in which each stops
    position = torch.arange(K, device=device)
    goes_on = position[:, None] < last  # [K, B]
    following = torch.cat([order[:, 1:], order[:, :1]], dim=1).T.clamp(min=0)  # [K, B]
    taken = log_out.gather(2, following[..., None])[..., 0].where(goes_on, log_stop)
    log_pi = taken - torch.logaddexp(log_out.logsumexp(2), log_stop)
    log_forward = log_pi.where(position[:, None] <= last, 0.0).sum(0)
    kept = torch.minimum(position, last[:, None])  # [B, K], beyond its end a trajectory stays where it is
    return Trajectories(
        episodes, episode, order.where(position <= last[:, None], -1), log_reward.gather(1, kept), log_forward
    )


class _GrowingStates:
    """One set for each trajectory, for any policy."""

    def __init__(self, policy: FlowPolicy, episodes: Episodes, episode: Tensor) -> None:
        self._policy, self._states = policy, States.initial(episodes, episode, policy.max_nodes)
        self._padded = policy.pad(policy.encode(episodes), self._states)

    def log_flows(self) -> Tensor:
        """log F(s → s∪{a}), −∞ where it is no number: that is no way to go, and the loss will tell. [B, m]"""
        flows = self._policy.out_flows(self._padded, self._states).log_out
        return flows.where(flows.isfinite(), -torch.inf)

    def add(self, node: Tensor, active: Tensor) -> None:
        """Add a node to each set that can still grow. [B], bool [B]"""
        self._states.add(node.where(active, 0), active)


class _GrowingSets:
    """The same in half as many operations, for policies that :func:`can_share`."""

    def __init__(self, policy: FlowPolicy, episodes: Episodes, episode: Tensor) -> None:
        self._growth, self._base = Growth(policy, episodes), episodes.base[episode]
        self._sets = self._growth.start(episode)
        self._each = torch.arange(len(episode), device=episode.device)

    def log_flows(self) -> Tensor:
        return self._growth.log_flows(self._sets, dense=True)

    def add(self, node: Tensor, active: Tensor) -> None:
        """Sets that cannot grow any more get something too: their trajectories have ended."""
        self._sets = self._growth.grown(self._sets, self._each, node, self._base + node)


def _explored(values: Tensor, uniformly: Tensor | None, step: int | slice = slice(None)) -> Tensor:
    """Log-flows, all possible ones equal where a step explores. [..., B, A]"""
    return values if uniformly is None else torch.where(uniformly[step] & (values > -torch.inf), 0.0, values)


def _gumbel(uniform: Tensor) -> Tensor:
    """Gumbel noise from uniform numbers."""
    return -(-uniform.clamp(min=1e-20).log()).log()


def _largest(log_flows: Tensor) -> Tensor:
    """The number of the largest of each row; of those that are equal but for rounding the first. [B, A] → [B]"""
    best = log_flows.amax(1, keepdim=True)
    return (log_flows >= best - NEAR_TIE * best.abs().clamp(min=1.0)).to(torch.uint8).argmax(1)


def _draw(log_pi: Tensor, epsilon: float, noise: Tensor, explores: Tensor) -> Tensor:
    """One action for each row, by the Gumbel-max trick; some rows explore uniformly. [B, A] → [B]"""
    uniformly = (explores < epsilon)[:, None] if epsilon else None
    return (_explored(log_pi, uniformly) + _gumbel(noise)).argmax(1)


def removable(trajectories: Trajectories, where: str | None = None) -> Tensor:
    """Which nodes of each prefix, by order of addition, may be taken out: Theorem 1. bool [B, K, K]

    Args:
        trajectories: Whose prefixes.
        where: The device that finds out, if not theirs: hundreds of small operations on a single trajectory are faster
            on the CPU than it takes to launch them on a GPU.
    """
    order, visited = trajectories.order, trajectories.visited
    B, K = order.shape
    nodes = order.clamp(min=0)
    links = trajectories.episodes.graphs.joined(
        trajectories.instance[:, None, None], nodes[:, :, None], nodes[:, None, :]
    )  # [B, K, K]
    result = torch.zeros(B, K, K, dtype=torch.bool, device=order.device)
    if K == 1:  # the start node alone
        return result
    if where is not None:
        links, visited, result = links.to(where), visited.to(where), result.to(where)
    tracker = CutVertexTracker(B, K, links.device)
    for t in range(K):
        tracker.add(links[:, t], visited[:, t])
        result[:, t] = tracker.removable
    return (result & visited[:, :, None]).to(order.device)


def parent_nodes(trajectories: Trajectories, parents: Parents, where: str | None = None) -> Tensor:
    """Which nodes' removal counts as a parent of each prefix; ``where`` as in :func:`removable`. bool [B, K, m]"""
    order, visited = trajectories.order, trajectories.visited
    B, K = order.shape
    position = torch.arange(K, device=order.device)
    if parents is Parents.VALID:
        by_order = removable(trajectories, where)
    elif parents is Parents.SEQUENCE:
        by_order = (position[:, None] == position) & (position > 0) & visited[:, :, None]
    else:
        by_order = (position[:, None] >= position) & (position > 0) & visited[:, :, None]
    width = trajectories.episodes.width
    table = torch.zeros(B, K, width + 1, dtype=torch.bool, device=order.device)
    at = order.where(visited, width)[:, None, :].expand(B, K, K)  # padding goes to a spare column
    return table.scatter_(2, at, by_order)[:, :, :width]
