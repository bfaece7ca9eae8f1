"""LookAheadPolicy: a policy that reads no node, only what the GNN gives to the sets that lie ahead of a state.

The exact flow into a child c of a state is F(c) / |parents of c|, and F(c) = R(c) + Σ F(g) / |parents of g| over its
children g. Cut off after a few steps this is a lower bound, which needs a few rewards and no training. The network
learns what is missing in it, from how the rewards ahead rise and fall. It meets no node feature and no data set, so it
serves graphs and GNNs that it has never seen.

States have a vector each: of a child that is looked at further it is made of its own children's, of another child of
its own reward alone. A last layer compares the children of a state with each other.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import EllipsisType

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles, Ints
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.checkpoint import PolicyHeader, TrainedPolicy
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import Policy, PolicyFlows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, RewardConfig
from gfx_core.gfn.states import States
from gfx_core.look_ahead.horizon import EVERYTHING, Ahead, Horizon, widths_of
from gfx_core.weights import read_json_header, read_network

STATE, MORE, EDGE = 9, 4, 16
"""Numbers that are read of each state, of one that is looked at further, and of each edge."""


@dataclass(frozen=True)
class AheadTensors:
    """An `Ahead` as tensors, with the K_M and the reward that it belongs to; the names are the same.

    Attributes:
        left: Nodes that can still be added to each state. [S]
        cost: −log R / β, less what its nodes cost. [S]
        inner: The edges of the states that are looked at further, by number; all by default.
        outer: The edges whose flows are wanted.
    """

    log_reward: Tensor
    size: Tensor
    left: Tensor
    cost: Tensor
    log_parents: Tensor
    num_children: Tensor
    parent: Tensor
    child: Tensor
    rank: Tensor
    inner: Tensor | EllipsisType = ...
    outer: Tensor | EllipsisType = ...

    @property
    def of_states(self) -> list[Tensor]:
        """What is known of states. [S] each"""
        return [self.log_reward, self.size, self.left, self.cost, self.log_parents, self.num_children]

    @property
    def of_edges(self) -> list[Tensor]:
        """What is known of edges. [E] each"""
        return [self.parent, self.child, self.rank]

    @classmethod
    def of(cls, ahead: Ahead, max_nodes: "Ints | int", reward: RewardConfig, device: torch.device) -> "AheadTensors":
        cost = -ahead.log_reward / reward.beta - reward.price("nodes") * ahead.size
        parents = np.log(np.maximum(ahead.num_parents, 1))

        def floats(values: np.ndarray) -> Tensor:
            return torch.from_numpy(values).to(device, torch.float32)

        return cls(
            log_reward=floats(ahead.log_reward),
            size=floats(ahead.size),
            left=floats(max_nodes - ahead.size),
            cost=floats(cost),
            log_parents=floats(parents),
            num_children=floats(ahead.num_children),
            parent=torch.from_numpy(ahead.parent).to(device),
            child=torch.from_numpy(ahead.child).to(device),
            rank=torch.from_numpy(ahead.rank).to(device),
        )


def logsumexp_by(values: Tensor, group: Tensor, count: int) -> Tensor:
    """logsumexp of the values of each group, about −∞ where there are none. [n], [n] → [count]"""
    top = values.new_full((count,), -1e30).scatter_reduce(0, group, values.detach(), "amax")
    shifted = (values - top.index_select(0, group)).exp()
    return top + values.new_zeros(count).index_add(0, group, shifted).clamp(min=1e-30).log()


def pooled(rows: Tensor, log_weight: Tensor, group: Tensor, count: int) -> Tensor:
    """The mean by softmax of the weights and the plain mean of each group's rows, 0 of none. [n, h] → [count, 2h]"""
    total = logsumexp_by(log_weight, group, count).index_select(0, group)
    num = log_weight.new_zeros(count).index_add(0, group, torch.ones_like(log_weight)).clamp(min=1)
    shares = (log_weight - total).exp(), num.reciprocal().index_select(0, group)
    return torch.cat([rows.new_zeros(count, rows.shape[1]).index_add(0, group, rows * w[:, None]) for w in shares], 1)


def squashed(log_ratio: Tensor) -> list[Tensor]:
    """A difference of log-rewards in two scales: of a few nats, and of many."""
    return [torch.tanh(log_ratio / 3), (log_ratio / 20).clamp(-4, 4)]


def _layers(width: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU())


def _last(hidden: int) -> nn.Linear:
    layer = nn.Linear(hidden, 1)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


@dataclass(frozen=True)
class AheadFlows:
    """What the network makes of it.

    Attributes:
        log_edge: log-flow of each of the outer edges.
        log_near: log F of each state, from its own reward. [S]
        log_far: log F of each state, from what lies ahead of it too. [S]
    """

    log_edge: Tensor
    log_near: Tensor
    log_far: Tensor


class LookAheadPolicy(Policy):
    """The policy network.

    Args:
        hidden: Its width.
        max_nodes: K_M.
    """

    def __init__(self, hidden: int, max_nodes: int) -> None:
        super().__init__()
        self.max_nodes = max_nodes
        self._reward: Reward | None = None
        self._seen: dict[tuple[int, int], Horizon] = {}  # by instance and start node, of the reward of the last call
        self.near, self.near_flow = _layers(STATE, hidden), _last(hidden)
        self.edge = _layers(EDGE + STATE + MORE, hidden)
        self.far, self.far_flow = _layers(STATE + MORE + 2 * hidden, hidden), _last(hidden)
        self.siblings = nn.Sequential(_layers(3 * hidden + 2 + STATE, hidden), _last(hidden))

    def flows(self, ahead: AheadTensors, widths: tuple[int, int] | None = None) -> AheadFlows:
        """Log-flows of states and edges.

        Args:
            ahead: The states.
            widths: Of the children of each state, how many are looked at further, step by step; by default as
                `widths_of` has it.
        """
        count, log_reward, log_parents = len(ahead.size), ahead.log_reward, ahead.log_parents
        parent, child = ahead.parent, ahead.child
        wide, deep = widths or (width[parent] for width in widths_of(ahead.num_children))
        share = log_reward[child] - log_parents[child]
        one_step = torch.logaddexp(log_reward, logsumexp_by(share, parent, count))  # cut off after a child
        looked, further = ahead.rank < deep, (ahead.rank < wide)[ahead.outer]
        ahead_of = torch.where(looked, one_step[child], log_reward[child])
        two_steps = torch.logaddexp(log_reward, logsumexp_by(ahead_of - log_parents[child], parent, count))
        best = log_reward.clone().scatter_reduce(0, parent, log_reward[child], "amax", include_self=False)
        own = torch.stack(
            [
                ahead.size / 10,
                ahead.left / 10,
                (ahead.left == 0).float(),
                log_parents,
                ahead.num_children.log1p(),
                ahead.cost.clamp(max=10) / 2,
                torch.tanh(ahead.cost),
                *squashed(log_reward),
            ],
            dim=1,
        )  # [S, STATE]
        more = torch.stack([*squashed(two_steps - log_reward), *squashed(best - log_reward)], dim=1)
        state = torch.cat([own, more], dim=1)
        near = self.near(own)
        log_near = log_reward + self.near_flow(near)[:, 0]

        p, c = parent[ahead.inner], child[ahead.inner]
        rise, shorter = log_reward[c] - log_reward[p], ahead_of[ahead.inner]
        edges = [
            *squashed(rise),
            *squashed(rise - log_parents[c] - (two_steps - log_reward)[p]),
            *squashed(shorter - log_reward[c]),
            *squashed(shorter - log_parents[c] - two_steps[p]),
            looked[ahead.inner].float(),
            log_parents[c],
            log_parents[c] - log_parents[p],
            ahead.num_children[c].log1p(),
            ahead.num_children[c].log1p() - ahead.num_children[p].log1p(),
            ahead.cost[c].clamp(max=10) / 2,
            torch.tanh(ahead.cost[c] - ahead.cost[p]),
            torch.tanh(4 * (ahead.cost[c] - ahead.cost[p])),
        ]
        rows = self.edge(torch.cat([torch.stack(edges, dim=1), state[p]], dim=1))
        far = self.far(torch.cat([state, pooled(rows, shorter - log_parents[c], p, count)], dim=1))
        log_far = two_steps + self.far_flow(far)[:, 0]

        p, c = parent[ahead.outer], child[ahead.outer]
        log_edge = torch.where(further, log_far.index_select(0, c), log_near.index_select(0, c)) - log_parents[c]
        rows = torch.where(further[:, None], far.index_select(0, c), near.index_select(0, c))
        log_out = torch.logaddexp(logsumexp_by(log_edge, p, count), log_reward)
        beside = pooled(rows, log_edge, p, count).index_select(0, p)
        compared = torch.stack(squashed(log_edge - log_out.index_select(0, p)), dim=1)
        log_edge = log_edge + self.siblings(torch.cat([rows, beside, compared, own[p]], dim=1))[:, 0]
        return AheadFlows(log_edge, log_near, log_far)

    # As a policy on states of instances, whose reward is asked for

    def encode(self, episodes: Episodes, reward: Reward | None = None) -> "Horizons":
        """What looks ahead on each episode; it remembers what it has seen as long as the reward is the same object."""
        assert reward is not None
        if reward is not self._reward:
            self._reward, self._seen = reward, {}
        for i, start in set(zip(episodes.instance.tolist(), episodes.start.tolist(), strict=True)) - self._seen.keys():
            log_reward = partial(evaluated, reward, i)
            self._seen[i, start] = Horizon(episodes.source.instances[i], start, self.max_nodes, log_reward)
        pairs = zip(episodes.instance.tolist(), episodes.start.tolist(), strict=True)
        return Horizons(reward.config, [self._seen[pair] for pair in pairs])

    @torch.no_grad()
    def forward(
        self, horizons: "Horizons", states: States, actions: Tensor, parents: Tensor | None = None
    ) -> PolicyFlows:
        """Log-flows out of states; those into them are flows out of other states."""
        assert parents is None
        log_out = torch.full(actions.shape, -torch.inf, device=actions.device)
        for number in states.episode.unique().tolist():
            at = (states.episode == number).nonzero()[:, 0]
            log_out[at] = self._ahead(horizons.each[number], horizons.reward, states.nodes[at], actions[at])
        return PolicyFlows(log_out, None, None)

    def _ahead(self, horizon: Horizon, reward: RewardConfig, nodes: Tensor, actions: Tensor) -> Tensor:
        """Log-flows of actions of states of one episode. [n, K], [n, A] → [n, A]"""
        ahead = horizon.look(nodes.cpu().numpy())
        tensors = AheadTensors.of(ahead, self.max_nodes, reward, nodes.device)
        parent, roots = tensors.parent, tensors.parent < len(nodes)
        wide, _ = widths_of(tensors.num_children)
        looked = torch.zeros_like(tensors.size, dtype=torch.bool)
        looked[tensors.child[roots & (tensors.rank < wide[parent])]] = True
        inner, outer = looked[parent].nonzero()[:, 0], roots.nonzero()[:, 0]
        log_edge = self.flows(replace(tensors, inner=inner, outer=outer)).log_edge
        table = torch.full((len(nodes), horizon.num_nodes), -torch.inf, device=nodes.device)
        table[parent[outer], torch.from_numpy(ahead.node).to(nodes.device)[outer]] = log_edge
        return table.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, -torch.inf)

    def on(self, space: StateSpace, reward: RewardConfig, device: torch.device) -> Doubles:
        """The log-flow along each edge of listed states, all of which are looked at. [E]"""
        tensors = AheadTensors.of(Ahead.of(space), most_nodes(space), reward, device)
        with torch.no_grad():
            return self.flows(tensors, EVERYTHING).log_edge.double().cpu().numpy()


@dataclass(frozen=True)
class Horizons:
    """What looks ahead on each of some episodes, and their reward."""

    reward: RewardConfig
    each: list[Horizon]


def evaluated(reward: Reward, instance: int, subsets: Ints) -> Doubles:
    """log R of sets of nodes of an instance. [n, K] → [n]"""
    values = []
    for nodes in torch.from_numpy(subsets).to(reward.predictor.device).split(4096):
        values.append(reward(nodes, torch.full_like(nodes[:, 0], instance)))
    return torch.cat(values).double().cpu().numpy()


def most_nodes(space: StateSpace) -> Ints:
    """K_M of each state. [S]"""
    return np.repeat([dag.max_nodes for dag in space.dags], space.counts)


def load_look_ahead(path: Path) -> TrainedPolicy:
    """Read a look-ahead policy, on the CPU."""
    header = read_json_header(path, PolicyHeader, "Train it with: python -m gfx_core train look-ahead.")
    config = GFNConfig.from_dict(header.config)
    policy = read_network(path, lambda: LookAheadPolicy(config.policy.hidden, config.max_nodes), "policy.")
    return TrainedPolicy(config, policy.eval(), None, curve=header.curve, made=header.made)
