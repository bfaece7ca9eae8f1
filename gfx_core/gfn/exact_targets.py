"""ExactTargets: what a policy should say of every state of the instances that can be listed, and a loss that tells it.

Of all flows that end as R there is one that comes to every state from all its valid parents in equal shares. Where the
states can be listed it is known, from the reward alone: F(s) = R(s) + Σ F(s') / |parents of s'| over the children s'.
Then learning is plain regression on states drawn from a table, without trajectories and without the GNN.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gfx_core.config import Task
from gfx_core.datasets.graph import Ints
from gfx_core.gfn.instances import LINKS, Episodes, FlowGraphs
from gfx_core.gfn.losses import raised
from gfx_core.gfn.pairs import Pairs
from gfx_core.gfn.parts import STARTS_PER_GRAPH, random_starts
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.gfn.states import States

MOST_STATES = {"cuda": 1 << 22, "cpu": 1 << 18}
"""Of all listed instances together, about: more would take a CPU minutes before the first epoch."""
_CHUNK = 1 << 15  # states whose rewards are computed in one go
_FEW = 1 << 12  # states whose flows are


@dataclass(frozen=True)
class _Shape:
    """One of the instances of a batch, as much of it as listing its states asks for."""

    num_nodes: int
    edge_index: Ints  # [2, e]
    target: int | None


def list_states(
    graphs: FlowGraphs, pairs: Iterable[tuple[int, int]], max_nodes: int, cap: int
) -> list[tuple[int, StateDag]]:
    """The states of those pairs of an instance and a start node that have at most ``cap``, each with its instance.

    Once there are `MOST_STATES` in all no further pair is listed.
    """
    batch = graphs.graphs
    edges, offset = batch.edge_index.cpu().numpy(), batch.offset.cpu().numpy()
    ends = np.searchsorted(batch.edge_owner, np.arange(len(batch) + 1))
    found, count = [], 0
    for instance, start in pairs:
        if count > MOST_STATES[graphs.device.type]:
            break
        own = edges[:, ends[instance] : ends[instance + 1]] - offset[instance]
        shape = _Shape(int(batch.sizes[instance]), own, start)
        try:
            found.append((instance, enumerate_states(shape, start, max_nodes, cap)))
        except TooManyStates:
            continue
        count += found[-1][1].num_states
    return found


class ExactTargets:
    """The exact flows of all states of some listed instances, in tables.

    There are S states, each of at most K nodes and with at most A actions besides STOP.

    Args:
        graphs: The instances.
        listed: Which of them were listed, with their states; at least one.
        reward: What makes a subgraph good.
        config: How states are drawn, and how small a flow is still compared.

    Attributes:
        episodes: The listed instances with their start nodes.
        episode: The episode of each state. [S]
        subsets: Its nodes, the start node first, padded with -1. [S, K]
        log_reward: log R of each. [S]
        log_state: log F of each, what passes through it. [S]
        action: The nodes that can be added, padded with m, the most nodes of an instance. [S, A]
        log_action: The log-flow of each, padded with −inf. [S, A]
        visits: The chance that exact flows pass through each state of its episode. [S]
    """

    def __init__(
        self, graphs: FlowGraphs, listed: list[tuple[int, StateDag]], reward: Reward, config: GFNConfig
    ) -> None:
        device, dags = graphs.device, [dag for _, dag in listed]
        instances, starts = np.array([i for i, _ in listed]), np.array([dag.start for dag in dags])
        self.config, self.max_nodes = config, config.max_nodes
        self.episodes = Episodes.of(graphs, instances, starts)
        counts = np.array([dag.num_states for dag in dags])
        first = np.cumsum(counts) - counts  # [E]

        def tensor(values: np.ndarray) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(values)).to(device)

        subsets = np.full((counts.sum(), max(dag.num_levels for dag in dags)), -1, dtype=np.int16)
        for begin, dag in zip(first, dags, strict=True):
            subsets[begin : begin + dag.num_states, : dag.num_levels] = dag.subsets
        self.subsets = tensor(subsets)
        self.episode = tensor(np.repeat(np.arange(len(dags)), counts))
        self.log_reward = self._rewards(reward)
        parent = np.concatenate([at + dag.parent for at, dag in zip(first, dags, strict=True)])  # [edges], ascending
        child = tensor(np.concatenate([at + dag.child for at, dag in zip(first, dags, strict=True)]))
        size = np.concatenate([dag.size for dag in dags])
        log_state, log_edge = _flows(tensor(parent), child, tensor(size[parent]), self.log_reward.double())
        self.log_state = log_state.float()
        out = np.bincount(parent, minlength=len(size))  # [S]
        column = tensor(np.arange(len(parent)) - (np.cumsum(out) - out)[parent])
        shape = (len(size), max(1, int(out.max())))
        self.action = torch.full(shape, self.episodes.width, dtype=torch.int16, device=device)
        self.log_action = torch.full(shape, -torch.inf, device=device)
        nodes = tensor(np.concatenate([dag.node for dag in dags]).astype(np.int16))
        self.action[tensor(parent), column] = nodes
        self.log_action[tensor(parent), column] = log_edge.float()
        self._floor = self._floors(tensor(first))
        self.visits = (self.log_state - self.log_state[tensor(first)][self.episode]).exp()
        self._up_to = self._chances(tensor(first), tensor(out > 0)).cumsum(0)  # [S]

    @classmethod
    def listing(
        cls, graphs: FlowGraphs, reward: Reward, config: GFNConfig, start: int | None = None
    ) -> "ExactTargets | None":
        """The exact flows of those instances that can be listed, from the nodes at which trajectories start.

        Args:
            graphs: The instances.
            reward: What makes a subgraph good.
            config: Up to how many states an instance is listed.
            start: Where all trajectories start; by default at the explained node or some nodes of a graph.
        """
        rng = np.random.RandomState(config.seed)
        instances = rng.permutation(len(graphs.graphs))
        if start is not None:
            starts = np.full(len(instances), start)
        elif graphs.task is Task.NODE:
            starts = graphs.graphs.target.cpu().numpy()[instances]
        else:
            starts, instances = random_starts(graphs, instances, rng), instances.repeat(STARTS_PER_GRAPH)
        pairs = sorted(set(zip(instances.tolist(), starts.tolist(), strict=True)))
        pairs = [pairs[i] for i in rng.permutation(len(pairs))]
        listed = list_states(graphs, pairs, config.max_nodes, config.learning.exact_cap)
        return cls(graphs, listed, reward, config) if listed else None

    def __len__(self) -> int:
        return len(self.episode)

    @property
    def instances(self) -> Ints:
        """The instances that were listed. [E]"""
        return self.episodes.instance.cpu().numpy()

    def _rewards(self, reward: Reward) -> Tensor:
        instance = self.episodes.instance[self.episode]
        parts = zip(self.subsets.split(_CHUNK), instance.split(_CHUNK), strict=True)
        return torch.cat([reward(nodes.long(), of) for nodes, of in parts])

    def _floors(self, first: Tensor) -> Tensor | None:
        """δ for each episode: flows below it need not be right. [E]"""
        if self.config.delta is None:
            return None
        best = torch.full((len(first),), -torch.inf, device=first.device)
        return best.scatter_reduce(0, self.episode, self.log_reward, "amax") - self.config.delta

    def _chances(self, first: Tensor, goes_on: Tensor) -> Tensor:
        """How often each state is drawn: every episode as often as the others, states that must stop never. [S]"""
        uniform = self.config.learning.exact_uniform
        chance = torch.zeros(len(self), dtype=torch.float64, device=first.device)
        for weight, values in ((1 - uniform, self.visits * goes_on), (uniform, goes_on.to(self.visits.dtype))):
            total = torch.zeros(len(first), dtype=torch.float64, device=first.device)
            total.index_add_(0, self.episode, values.double())
            chance += weight * values / total.clamp(min=1e-300)[self.episode]
        return chance

    def draw(self, count: int, generator: torch.Generator | None) -> Tensor:
        """Some states by number, the same perhaps more than once. [n]"""
        return self.pick(self.luck(count, generator))

    def luck(self, count: int, generator: torch.Generator | None) -> Tensor:
        """Random numbers from 0 to 1 that draw as many states. float64 [n]"""
        return torch.rand(count, dtype=torch.float64, device=self._up_to.device, generator=generator)

    def pick(self, luck: Tensor) -> Tensor:
        """The states that such numbers from 0 to 1 draw. float64 [n] → [n]"""
        return torch.searchsorted(self._up_to, luck * self._up_to[-1], right=True).clamp(max=len(self) - 1)

    def states(self, which: Tensor) -> States:
        """The states of these numbers, as the policy reads them. [n]"""
        episode, nodes = self.episode[which], self.subsets[which].long()
        real = nodes >= 0
        n, K = nodes.shape
        columns = self.episodes.columns(episode.repeat_interleave(K), nodes.clamp(min=0).flatten())
        sums = (columns.view(n, K, -1, 2) * real[..., None, None]).sum(1)  # [n, m, 2]
        table = torch.zeros(n, self.episodes.width + 1, dtype=torch.bool, device=nodes.device)
        members = table.scatter_(1, nodes.where(real, self.episodes.width), True)[:, :-1]
        edges = (sums[..., LINKS] * members).sum(1) / 2
        return States(self.episodes, episode, members, sums, real.sum(1).float(), edges, self.max_nodes)

    def flows(self, policy: FlowPolicy, which: Tensor, fixed: bool | None = None) -> Flows:
        """What the policy says of some states.

        Args:
            policy: The policy.
            which: The states, by number. [n]
            fixed: Whether to fill the tables up to their width, so that the device need not be asked how many actions
                there are; by default everywhere but on the CPU.
        """
        states, encoded = self.states(which), policy.encode(self.episodes)
        if not (which.device.type != "cpu" if fixed is None else fixed):
            return policy(encoded, states)
        action, nodes = self.action[which].long(), self.subsets[which].long()  # [n, A], [n, K]
        out = Pairs.listed(action, action < self.episodes.width, self.episodes.width)
        inside = Pairs.listed(nodes, nodes >= 0, self.episodes.width)
        return policy.at_pairs(encoded, states, out, None, inside)

    def loss(self, policy: FlowPolicy, which: Tensor, fixed: bool | None = None) -> Tensor:
        """How far the policy's flows are from the exact ones in some states.

        It has two parts: the Kullback-Leibler divergence of the policy's actions from the exact ones, which along
        whole trajectories adds up to that of the final subgraphs, and the squared error of the log-flows, likely
        actions and all actions counting as much as each other. The arguments are those of :meth:`flows`.
        """
        wanted = self.log_action[which]  # [n, A]
        there = wanted > -torch.inf
        flows = self.flows(policy, which, fixed)
        got, chance, divergence = self._compared(flows, which)
        log_reward = self.log_reward[which]  # [n]
        if self._floor is not None:
            floor = self._floor[self.episode[which]][:, None]
            got, wanted = raised(got, floor), torch.maximum(wanted, floor)
        apart = (got - wanted).where(there, 0.0).square()
        likely = chance[:, :-1]
        weight = likely / likely.sum(1, keepdim=True).clamp(min=1e-30) + there / there.sum(1, keepdim=True).clamp(min=1)
        loss = (divergence + (weight * apart).sum(1) / 2).mean()
        if flows.log_stop is None:
            return loss
        return loss + (flows.log_stop - log_reward).square().mean()

    def _compared(self, flows: Flows, which: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What a policy says of some states beside what is exact.

        Returns:
            Its log-flows to nodes, in the order of the tables and padded with 0 [n, A]; the exact probability of every
            action, STOP last [n, A + 1]; the Kullback-Leibler divergence of the policy's actions from the exact ones
            [n].
        """
        at, wanted = self.action[which].long(), self.log_action[which]  # [n, A]
        there = wanted > -torch.inf
        got = flows.log_out.gather(1, at.clamp(max=self.episodes.width - 1))  # [n, A]
        got = got.where(there, 0.0)
        log_reward, log_state = self.log_reward[which], self.log_state[which]  # [n]
        log_stop = log_reward if flows.log_stop is None else flows.log_stop
        log_exact = torch.cat([wanted, log_reward[:, None]], 1) - log_state[:, None]  # [n, A + 1], STOP last
        log_policy = torch.cat([got.masked_fill(~there, -torch.inf), log_stop[:, None]], 1).log_softmax(1)
        chance = log_exact.exp()
        return got, chance, (chance * (log_exact - log_policy).where(chance > 0, 0.0)).sum(1)

    @torch.no_grad()
    def divergence(self, policy: FlowPolicy) -> float:
        """The Kullback-Leibler divergence of the policy's trajectories from exact ones, the mean of the episodes.

        It is that of the actions in each state, added up as often as exact flows visit it; final subgraphs are no
        further apart.
        """
        parts = torch.arange(len(self), device=self.visits.device).split(_FEW)
        apart = torch.cat([self._compared(self.flows(policy, which), which)[2] for which in parts])  # [S]
        return float((self.visits.double() * apart).sum() / len(self.episodes))


def _flows(parent: Tensor, child: Tensor, size: Tensor, log_reward: Tensor) -> tuple[Tensor, Tensor]:
    """The uniform backward flow of many DAGs at once, level by level.

    Args:
        parent: The state each edge leaves. [edges]
        child: The state each leads to. [edges]
        size: Nodes of the parent. [edges]
        log_reward: Of each state. [S]

    Returns:
        log F of each state and of each edge. [S], [edges]
    """
    ways = torch.bincount(child, minlength=len(log_reward)).clamp(min=1).to(log_reward.dtype).log()  # [S]
    log_state, log_edge = log_reward.clone(), torch.empty(len(parent), dtype=log_reward.dtype, device=parent.device)
    for level in range(int(size.max()) if len(size) else 0, 0, -1):
        at = (size == level).nonzero()[:, 0]
        source, flow = parent[at], log_state[child[at]] - ways[child[at]]
        log_edge[at] = flow
        top = log_state.scatter_reduce(0, source, flow, "amax")  # at least the reward: always finite
        summed = (log_state - top).exp().index_add(0, source, (flow - top[source]).exp())
        log_state = top + summed.log()
    return log_state, log_edge
