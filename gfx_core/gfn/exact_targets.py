"""ExactTargets: the flows that a policy should learn on instances that can be listed, and a loss.

Of all flows that end as R there is one that comes to every state from all its valid parents in equal shares. Where the
states can be listed it is known, from the reward alone: F(s) = R(s) + Σ F(s') / |parents of s'| over the children s'.
Then learning is plain regression on states drawn from a table, without trajectories and without the GNN.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from gfx_core.arrays import Doubles, Ints
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.instances import STARTS_PER_GRAPH, Episodes, FlowGraphs, random_starts
from gfx_core.gfn.objectives import raised
from gfx_core.gfn.policy import FlowPolicy, Policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.states import States

MOST_STATES = {"cuda": 1 << 22, "cpu": 1_100_000}
"""Of all listed instances together, about: more would take two CPU cores minutes before the first epoch."""
FLOWS = 0.1
"""Weight of the log-flows' squared error beside the divergence of the actions. With 1 the flows of actions that are
never taken dominate, and the distribution is learned several times more slowly; with 0 the scale of flows is open where
STOP is unlikely."""
UNIFORM = 0.2
"""Share of the listed states that is drawn uniformly; the others are drawn as often as exact flows visit them."""
_CELLS = {"cpu": 1 << 17, "cuda": 1 << 22}  # pairs of a state and a node in one pass: what caches and memory like


def listed_space(reward: Reward, dags: Sequence[StateDag], instance: Ints | None = None) -> StateSpace:
    """All states of some instances with their rewards.

    Args:
        reward: On a batch of instances.
        dags: All states of each.
        instance: Which of the batch each is; by default they are all, in their order.
    """
    device, numbers = reward.predictor.device, np.arange(len(dags)) if instance is None else instance
    space = StateSpace(dags, np.zeros(sum(dag.num_states for dag in dags)))
    subsets, owner = (torch.from_numpy(values).to(device) for values in (space.subsets, numbers[space.owner]))
    rows = max(1, _CELLS[device.type] // subsets.shape[1] ** 2)
    chunks = zip(subsets.split(rows), owner.split(rows), strict=True)
    return space.with_reward(torch.cat([reward(*chunk).double() for chunk in chunks]).cpu().numpy())


class ListedStates:
    """All states of some listed instances as a policy reads them.

    Args:
        graphs: The instances.
        space: All states of each episode with their rewards.
        instance: The instance of each; by default they are all, in their order. [I]

    Attributes:
        episodes: The listed instances with their start nodes.
        episode: The episode of each state. [S]
        nodes: The nodes of each, the start node first, padded with -1. [S, K]
        node: The node that each edge adds. [E]
        num_out: How many edges leave each state; they lie one after the other from ``first_out`` on. [S]
    """

    def __init__(self, graphs: FlowGraphs, space: StateSpace, instance: Ints | None = None) -> None:
        self.space, self.device = space, graphs.device
        self.instances = np.arange(len(space)) if instance is None else instance
        self.starts = np.array([dag.start for dag in space.dags])
        self.episodes = Episodes.of(graphs, self.instances, self.starts)
        out = np.bincount(space.parent, minlength=space.num_states)
        arrays: tuple[Ints, ...] = (space.owner, space.subsets.astype(np.int16), space.node, out, np.cumsum(out) - out)
        self.episode, self.nodes, self.node, self.num_out, self.first_out = map(self._tensor, arrays)

    def __len__(self) -> int:
        return len(self.space)

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def edges(self, which: Tensor) -> tuple[Tensor, Tensor]:
        """The edges that leave some states, padded with 0, and which are no padding. [n, A], bool [n, A]"""
        out = self.num_out[which][:, None]
        column = torch.arange(max(1, int(out.max())), device=self.device)
        exists = column < out
        return (self.first_out[which][:, None] + column).where(exists, 0), exists

    @torch.no_grad()
    def flows(self, policy: Policy) -> tuple[Doubles, Doubles]:
        """A policy's log-flow along each edge, and from each state to STOP. [E], [S]"""
        width = self.episodes.source.features.shape[1]
        if width != policy.num_features:
            raise UserError(
                f"This policy reads {policy.num_features} numbers per node, the instances have {width}: it was trained "
                "for another data set or GNN."
            )
        encoded, rows = policy.encode(self.episodes), max(1, _CELLS[self.device.type] // self.episodes.width)
        log_edge, log_stop = [], []
        for which in torch.arange(self.space.num_states, device=self.device).split(rows):
            edge, exists = self.edges(which)
            states = States(self.episodes, self.episode[which], self.nodes[which].long())
            flows = policy(encoded, states, self.node[edge].where(exists, -1))
            log_edge.append(flows.log_out[exists])  # the edges lie one after the other, state by state
            log_stop.append(flows.log_stop)
        stop = torch.cat(log_stop).double().cpu().numpy() if policy.has_stop_head else self.space.log_reward
        return torch.cat(log_edge).double().cpu().numpy(), stop

    def total_variations(self, policy: Policy) -> Doubles:
        """How far where a policy stops is from R/Z, on each instance. [I]"""
        return self.space.total_variations(self.space.walk(*self.flows(policy)).stop)


class ExactTargets(ListedStates):
    """Listed states with their exact flows, which a policy learns.

    Args:
        graphs: The instances.
        space: All states of each episode with their rewards.
        config: How states are drawn, and how small a flow is still compared.
        instance: The instance of each; by default they are all, in their order. [I]
    """

    def __init__(self, graphs: FlowGraphs, space: StateSpace, config: GFNConfig, instance: Ints | None = None) -> None:
        super().__init__(graphs, space, instance)
        self.config = config
        best = np.maximum.reduceat(space.log_reward, space.origin)
        tables = (space.log_state, space.log_edge, space.log_reward, best)
        self.log_state, self.log_edge, self.log_stop, self._best = (self._tensor(table).float() for table in tables)
        up_to = space.chances(UNIFORM).cumsum()
        before, last = np.append(0.0, up_to)[space.origin], space.origin + space.counts - 1
        draws = (up_to, before, space.origin, last)  # [S] and, of each episode, [I] three times
        self._up_to, self._before, self._first, self._last = map(self._tensor, draws)

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
        else:
            order = rng.permutation(len(batch))
            starts = random_starts(graphs, order, rng)
            pairs = np.unique([order.repeat(STARTS_PER_GRAPH), starts], axis=1)
            instances, starts = pairs[:, rng.permutation(pairs.shape[1])]
        listed, most = (graphs.instances[i] for i in instances), MOST_STATES[graphs.device.type]
        dags = list_all(listed, starts, config.max_nodes, config.learning.exact_cap, most)
        if not any(dag.num_edges for dag in dags.values()):
            return None
        numbers = instances[list(dags)]
        return cls(graphs, listed_space(reward, list(dags.values()), numbers), config, numbers)

    def draw(self, noise: Tensor, episodes: Ints | None = None) -> tuple[Tensor, States]:
        """Some states by number, with replacement and as many of each episode. [n]

        Args:
            noise: Uniform numbers, one for each. double [n]
            episodes: Of which episodes; by default of all.
        """
        drawn = self.episodes
        if episodes is not None:
            drawn = Episodes.of(drawn.source, self.instances[episodes], self.starts[episodes])
        at = (torch.arange(len(noise), device=self.device) + noise) / len(noise) * len(drawn)
        number = at.long().clamp(max=len(drawn) - 1)
        episode = number if episodes is None else self._tensor(episodes)[number]
        which = torch.searchsorted(self._up_to, self._before[episode] + (at - number), right=True)
        which = which.clamp(self._first[episode], self._last[episode])  # whatever rounding does
        return which, States(drawn, number, self.nodes[which].long())

    def loss(self, policy: FlowPolicy, which: Tensor, states: States) -> Tensor:
        """How far the policy's flows are from the exact ones in some states.

        It has two parts: the Kullback-Leibler divergence of the policy's actions from the exact ones, which along
        whole trajectories adds up to that of trajectories, so to no less than that of the final subgraphs, and the
        squared error of the log-flows, likely actions and all actions counting as much as each other.

        Args:
            policy: The policy.
            which: The states, by number. [n]
            states: The states, perhaps in episodes of which there are fewer than all.
        """
        edge, exists = self.edges(which)
        actions = self.node[edge].where(exists, -1)
        flows = policy(policy.encode(states.episodes), states, actions)
        log_exact = self.log_edge[edge].masked_fill(~exists, -torch.inf)  # [n, A]
        log_reward = self.log_stop[which]
        log_stop = log_reward if flows.log_stop is None else flows.log_stop
        log_pi = torch.cat([flows.log_out, log_stop[:, None]], 1).log_softmax(1)  # [n, A + 1], STOP last
        log_target = torch.cat([log_exact, log_reward[:, None]], 1) - self.log_state[which][:, None]
        target = log_target.exp()
        divergence = (target * (log_target - log_pi).where(target > 0, 0.0)).sum(1)
        log_out = flows.log_out.where(exists, 0.0)
        if self.config.delta is not None:
            floor = self._best[self.episode[which]][:, None] - self.config.delta
            log_out, log_exact = raised(log_out, floor), torch.maximum(log_exact, floor)
        error = (log_out - log_exact).where(exists, 0.0).square()
        likely = target[:, :-1]
        of_likely = (likely * error).sum(1) / likely.sum(1).clamp(min=1e-30)
        of_all = error.sum(1) / exists.sum(1).clamp(min=1)
        loss = (divergence + FLOWS * (of_likely + of_all) / 2).mean()
        if flows.log_stop is None:
            return loss
        return loss + FLOWS * (flows.log_stop - log_reward).square().mean()
