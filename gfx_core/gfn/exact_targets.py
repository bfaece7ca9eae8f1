"""ExactTargets: what a policy should say of every state of the instances that can be listed, and a loss that tells it.

Of all flows that end as R there is one that comes to every state from all its valid parents in equal shares. Where the
states can be listed it is known, from the reward alone: F(s) = R(s) + Σ F(s') / |parents of s'| over the children s'.
Then learning is plain regression on states drawn from a table, without trajectories and without the GNN.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gfx_core.arrays import Doubles, Ints
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.exact.state_space import StateSpace, Walk
from gfx_core.gfn.first_layer import Encoded
from gfx_core.gfn.instances import STARTS_PER_GRAPH, Episodes, FlowGraphs, random_starts
from gfx_core.gfn.objectives import raised
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.states import Pairs, Subsets
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

MOST_STATES = {"cuda": 1 << 22, "cpu": 1_100_000}
"""Of all listed instances together, about: more would take two CPU cores minutes before the first epoch."""
FLOWS = 0.1
"""Weight of the log-flows' squared error beside the divergence of the actions. With 1 the flows of actions that are
never taken dominate, and the distribution is learnt several times more slowly; with 0 the scale of flows is open where
STOP is unlikely."""
_CELLS = {"cpu": 1 << 17, "cuda": 1 << 22}  # pairs of a state and a node in one pass: what caches and memory like


@dataclass(frozen=True)
class Shape:
    """One of the instances of a batch, as much of it as listing its states asks for."""

    num_nodes: int
    edge_index: Ints  # [2, e]
    target: int | None


def shapes(graphs: FlowGraphs, which: Sequence[int] | Ints) -> Iterator[Shape]:
    """Some of the instances of a batch."""
    batch = graphs.graphs
    edges, offset, target = (each.cpu().numpy() for each in (batch.edge_index, batch.offset, batch.target))
    ends = np.searchsorted(batch.edge_owner, np.arange(len(batch) + 1))
    for i in which:
        own = edges[:, ends[i] : ends[i + 1]] - offset[i]
        yield Shape(int(batch.sizes[i]), own, int(target[i]) if target[i] >= 0 else None)


@dataclass(frozen=True)
class StateBatch:
    """n of the listed states.

    Attributes:
        which: Their numbers. [n]
        states: The same as the policy reads them, in episodes of which there may be fewer than all.
    """

    which: Tensor
    states: Subsets


def _fitting(device: torch.device, width: int) -> int:
    """How many states fit in memory if each has a row of some width."""
    return max(1, _CELLS["cuda" if device.type == "cuda" else "cpu"] // width)


def rewarded(reward: Reward, dags: Sequence[StateDag], instance: Ints | None = None) -> StateSpace:
    """All states of some instances with their rewards.

    Args:
        reward: On a batch of instances.
        dags: All states of each.
        instance: Which of the batch each is; by default they are all, in their order.
    """
    device = reward.predictor.device
    numbers = np.arange(len(dags)) if instance is None else instance
    subsets = torch.from_numpy(padded_subsets(dags)).to(device)
    owner = torch.from_numpy(np.repeat(numbers, [dag.num_states for dag in dags])).to(device)
    rows = _fitting(device, subsets.shape[1] ** 2)
    parts = zip(subsets.split(rows), owner.split(rows), strict=True)
    return StateSpace(dags, torch.cat([reward(nodes.long(), of).double() for nodes, of in parts]).cpu().numpy())


def padded_subsets(dags: Sequence[StateDag]) -> NDArray[np.int16]:
    """The nodes of all states, the start node first, padded with -1. [S, K]"""
    width = max(dag.num_levels for dag in dags)
    return np.concatenate(
        [np.pad(dag.subsets, ((0, 0), (0, width - dag.num_levels)), constant_values=-1) for dag in dags]
    ).astype(np.int16)


class ExactTargets:
    """All states of some listed instances in tables on a device: what a policy says of them, and what it should say.

    Args:
        graphs: The instances.
        space: All states of each episode with their rewards.
        config: How states are drawn, and how small a flow is still compared.
        instance: The instance of each; by default they are all, in their order. [I]

    Attributes:
        episodes: The listed instances with their start nodes.
        episode: The episode of each state. [S]
        subsets: The nodes of each, the start node first, padded with -1. [S, K]
        log_state: log F of each state under exact flows, what passes through it. [S]
        log_edge: log F of each edge of the DAGs. [edges]
        visits: The chance that exact flows pass through each state of its episode. [S]
    """

    def __init__(self, graphs: FlowGraphs, space: StateSpace, config: GFNConfig, instance: Ints | None = None) -> None:
        which = np.arange(len(space)) if instance is None else instance
        if len(which) != len(space) or (instance is None and len(space) != len(graphs.graphs)):
            raise ValueError(f"there must be one DAG for each instance (got {len(space)})")
        self.space, self.config, self.device = space, config, graphs.device
        self.uniform = config.learning.exact_uniform
        self.episodes = Episodes.of(graphs, which, np.array([dag.start for dag in space.dags]))
        self.episode, self.origin = self._put(space.owner), self._put(space.origin)
        self.subsets = self._put(padded_subsets(space.dags))
        out = np.bincount(space.parent, minlength=space.num_states)
        self._node, self._parent = self._put(space.node), self._put(space.parent)
        self._out, self._first = self._put(out), self._put(np.cumsum(out) - out)
        self._most = max(1, int(out.max()))
        self.log_state, self.log_edge = self._put(space.log_state).float(), self._put(space.log_edge).float()
        self.log_stop = self._put(space.log_reward).float()
        self.visits = (self.log_state - self.log_state[self.origin][self.episode]).exp()
        chances = self._chances()
        self._up_to = chances.cumsum(0)  # [S]
        self._before = torch.cat([self._up_to.new_zeros(1), self._up_to])[self.origin]  # [I]
        best = np.maximum.reduceat(space.log_reward, space.origin)
        self._floor = None if config.delta is None else self._put(best).float() - config.delta

    def __len__(self) -> int:
        return len(self.space)

    def _put(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @classmethod
    def listing(
        cls, graphs: FlowGraphs, reward: Reward, config: GFNConfig, start: int | None = None
    ) -> "ExactTargets | None":
        """The exact flows of those instances that can be listed, from the nodes at which trajectories start.

        Once there are `MOST_STATES` no further one is listed. In node tasks the small ones come first: so there are
        the most. In graph tasks start nodes are chosen at random, and so is the order.

        Args:
            graphs: The instances.
            reward: What makes a subgraph good.
            config: Up to how many states an instance is listed.
            start: Where all trajectories start; by default at the explained node or some nodes of a graph.
        """
        rng, batch = np.random.RandomState(config.seed), graphs.graphs
        if graphs.task is Task.NODE or start is not None:
            instances = np.argsort(batch.sizes, kind="stable")
            starts = batch.target.cpu().numpy()[instances] if start is None else np.full(len(instances), start)
            pairs = list(zip(instances.tolist(), starts.tolist(), strict=True))
        else:
            order = rng.permutation(len(batch))
            starts, instances = random_starts(graphs, order, rng), order.repeat(STARTS_PER_GRAPH)
            pairs = sorted(set(zip(instances.tolist(), starts.tolist(), strict=True)))
            pairs = [pairs[i] for i in rng.permutation(len(pairs))]
        which, where = [i for i, _ in pairs], [start for _, start in pairs]
        most = MOST_STATES[graphs.device.type]
        found = list_all(shapes(graphs, which), where, config.max_nodes, config.learning.exact_cap, most)
        if not any(dag.num_edges for dag in found.values()):
            return None
        chosen = np.array([which[number] for number in found])
        return cls(graphs, rewarded(reward, list(found.values()), chosen), config, chosen)

    @property
    def instances(self) -> Ints:
        """The instances that were listed. [E]"""
        return self.episodes.instance.cpu().numpy()

    def _chances(self) -> Tensor:
        """How often each state is drawn: 1 for each episode in all, nothing for states that must stop. double [S]"""
        goes_on = self._out > 0
        chance = torch.zeros(self.space.num_states, dtype=torch.float64, device=self.device)
        for weight, values in ((1 - self.uniform, self.visits * goes_on), (self.uniform, goes_on)):
            values = values.double()
            summed = torch.zeros(len(self), dtype=torch.float64, device=self.device).index_add(0, self.episode, values)
            chance += weight * values / summed.clamp(min=1e-300)[self.episode]
        return chance

    def draw(self, count: int, generator: torch.Generator | None, some: int = 0) -> StateBatch:
        """Some states, the same perhaps more than once.

        Args:
            count: About how many.
            generator: Of the randomness.
            some: From how many episodes, as many from each; 0: from all.
        """
        options: Any = {"dtype": torch.float64, "device": self.device, "generator": generator}
        if not 0 < some < len(self):
            return self.pick(torch.rand(count, **options))
        group = torch.randperm(len(self), generator=generator, device=self.device)[:some].sort().values  # [G]
        each = max(1, count // some)
        noise = torch.rand(some * each, **options).view(some, each)  # [G, n]
        start = self.episodes.start[group].cpu().numpy()
        episodes = Episodes.of(self.episodes.source, self.episodes.instance[group].cpu().numpy(), start)
        at = self._before[group][:, None] + (torch.arange(each, device=self.device) + noise) / each
        episode = torch.arange(some, device=self.device).repeat_interleave(each)
        return self._drawn(at.flatten(), group.repeat_interleave(each), episodes, episode)

    def pick(self, noise: Tensor) -> StateBatch:
        """The states of all episodes that such numbers from 0 to 1 draw, one in each n-th part of all. float64 [n]"""
        at = (torch.arange(len(noise), device=self.device) + noise) / len(noise) * len(self)
        episode = at.long().clamp(max=len(self) - 1)  # each episode's chances add up to 1
        return self._drawn(self._before[episode] + (at - episode), episode, self.episodes, episode)

    def _drawn(self, at: Tensor, own: Tensor, episodes: Episodes, episode: Tensor) -> StateBatch:
        """The states at such heights of the table of chances.

        Args:
            at: Where. double [n]
            own: The episode of each among all. [n]
            episodes: Those that are to be encoded.
            episode: The episode of each among those. [n]
        """
        which = torch.searchsorted(self._up_to, at, right=True)
        last = torch.cat([self.origin[1:], self.origin.new_full((1,), self.space.num_states)])[own] - 1
        which = torch.minimum(torch.maximum(which, self.origin[own]), last)  # whatever rounding does
        return StateBatch(which, Subsets(episodes, episode, self.subsets[which].long()))

    def beginning(self) -> tuple[float, float]:
        """Mean and standard deviation of the log-flows of edges, each as often as it is followed."""
        follow = (self.visits[self._parent] * (self.log_edge - self.log_state[self._parent]).exp()).double()
        total = follow.sum().clamp(min=1e-300)
        mean = (follow * self.log_edge).sum() / total
        spread = ((follow * (self.log_edge - mean).square()).sum() / total).sqrt()
        return float(mean), max(1.0, float(spread))

    def _edges_of(self, which: Tensor, fixed: bool) -> tuple[Tensor, Tensor]:
        """The edges that leave some states, and which of them are there.

        Args:
            which: The states. [n]
            fixed: Whether there is room for as many as any state has, so that the device need not be asked.

        Returns:
            [n, A] and bool [n, A].
        """
        out = self._out[which][:, None]
        column = torch.arange(self._most if fixed else max(1, int(out.max())), device=self.device)
        there = column < out
        return (self._first[which][:, None] + column).where(there, 0), there

    def flows(
        self, policy: FlowPolicy, encoded: Encoded, which: Tensor, at: Subsets | None = None, fixed: bool = False
    ) -> Flows:
        """What a policy says of some states.

        Args:
            policy: The policy.
            encoded: What it makes of the nodes of the episodes.
            which: The states, by number. [n]
            at: The same states where only some of the episodes are encoded.
            fixed: Whether all shapes are to be fixed, so that the device need not be asked.
        """
        at = at or Subsets(self.episodes, self.episode[which], self.subsets[which].long())
        edge, there = self._edges_of(which, fixed)
        out = Pairs.listed(self._node[edge], there, at.episodes.width, fixed)
        inside = Pairs.listed(at.nodes, at.nodes >= 0, at.episodes.width, fixed)
        return policy.at_pairs(encoded, at, out, None, inside).given(self.log_stop[which])

    @torch.no_grad()
    def walk(self, policy: FlowPolicy) -> Walk:
        """What a policy does on all states of its instances, exactly."""
        reads = self.episodes.source.features.shape[1]
        if reads != policy.num_features:
            raise UserError(
                f"This policy reads {policy.num_features} numbers per node, the instances have {reads}: it was trained "
                "for another data set or GNN."
            )
        space, encoded = self.space, policy.encode(self.episodes)
        log_edge, log_stop = np.empty(space.num_edges), space.log_reward.copy()
        ends = np.append(self._first.cpu().numpy(), space.num_edges)
        rows = _fitting(self.device, self.episodes.width)
        for begin in range(0, space.num_states, rows):
            end = min(begin + rows, space.num_states)
            flows = self.flows(policy, encoded, torch.arange(begin, end, device=self.device))
            edges = slice(ends[begin], ends[end])
            row = self._parent[edges] - begin
            log_edge[edges] = flows.log_out[row, self._node[edges]].double().cpu().numpy()
            if policy.has_stop_head and flows.log_stop is not None:
                log_stop[begin:end] = flows.log_stop.double().cpu().numpy()
        return space.walk(log_edge, log_stop)

    def stops(self, policy: FlowPolicy) -> Doubles:
        """The log-probability that a policy stops at each state of its instance, exactly. [S]"""
        return self.walk(policy).stop

    def total_variations(self, policy: FlowPolicy) -> Doubles:
        """How far where a policy stops is from R/Z, on each instance. [I]"""
        return self.space.total_variations(self.stops(policy))

    def loss(self, policy: FlowPolicy, drawn: StateBatch, fixed: bool | None = None) -> Tensor:
        """How far the policy's flows are from the exact ones in some states.

        It has two parts: the Kullback-Leibler divergence of the policy's actions from the exact ones, which along
        whole trajectories adds up to that of the final subgraphs, and the squared error of the log-flows, likely
        actions and all actions counting as much as each other.

        Args:
            policy: The policy.
            drawn: The states.
            fixed: Whether all shapes are to be fixed; by default everywhere but on the CPU.
        """
        fixed = self.device.type != "cpu" if fixed is None else fixed
        which, encoded = drawn.which, policy.encode(drawn.states.episodes)
        flows = self.flows(policy, encoded, which, drawn.states, fixed)
        edge, there = self._edges_of(which, fixed)
        wanted = self.log_edge[edge].masked_fill(~there, -torch.inf)  # [n, A]
        got, chance, divergence = self._compared(flows, which, edge, there)
        if self._floor is not None:
            floor = self._floor[self.episode[which]][:, None]
            got, wanted = raised(got, floor), torch.maximum(wanted, floor)
        apart = (got - wanted).where(there, 0.0).square()
        likely = chance[:, :-1]
        weight = likely / likely.sum(1, keepdim=True).clamp(min=1e-30) + there / there.sum(1, keepdim=True).clamp(min=1)
        loss = (divergence + FLOWS * (weight * apart).sum(1) / 2).mean()
        if flows.log_stop is None or not policy.has_stop_head:
            return loss
        return loss + FLOWS * (flows.log_stop - self.log_stop[which]).square().mean()

    def _compared(self, flows: Flows, which: Tensor, edge: Tensor, there: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What a policy says of some states beside what is exact; the edges are those of :meth:`edges_of`.

        Returns:
            Its log-flows to nodes, padded with 0 [n, A]; the exact probability of every action, STOP last [n, A + 1];
            the Kullback-Leibler divergence of the policy's actions from the exact ones [n].
        """
        got = flows.log_out.gather(1, self._node[edge].where(there, 0)).where(there, 0.0)  # [n, A]
        log_reward, log_state = self.log_stop[which], self.log_state[which]  # [n]
        assert flows.log_stop is not None
        log_stop = flows.log_stop
        wanted = self.log_edge[edge].masked_fill(~there, -torch.inf)
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
        encoded, apart = policy.encode(self.episodes), []
        for which in torch.arange(self.space.num_states, device=self.device).split(1 << 12):
            flows = self.flows(policy, encoded, which)
            apart.append(self._compared(flows, which, *self._edges_of(which, fixed=False))[2])
        return float((self.visits.double() * torch.cat(apart)).sum() / len(self))


def list_first(
    candidates: Iterable[tuple[Instance, int]],
    model: GNN,
    config: GFNConfig,
    device: str | torch.device,
    cap: int,
    count: int | None = None,
) -> tuple[list[Instance], ExactTargets | None]:
    """The first instances that can be listed, and all their states; None if there are none.

    Args:
        candidates: Instances with their start nodes.
        model: The GNN.
        config: How many nodes a subgraph may have, its reward, and how a policy sees an instance.
        device: Where to compute.
        cap: The most states of one.
        count: How many at most.
    """
    chosen: list[Instance] = []
    dags: list[StateDag] = []
    for instance, start in candidates:
        for dag in list_all([instance], [start], config.max_nodes, cap).values():
            chosen.append(instance)
            dags.append(dag)
        if len(chosen) == count:
            break
    if not chosen:
        return [], None
    predictor = SubgraphPredictor(model, chosen, device)
    space = rewarded(Reward(predictor, config.reward), dags)
    return chosen, ExactTargets(FlowGraphs(predictor, config.policy), space, config)
