"""Flows on one instance, from which subgraphs are sampled: a trained policy's, or exact ones. Needs torch."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import torch

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import ENUMERATION_CAP, Bools, StateDag, TooManyStates, enumerate_states
from gfx_core.exact.paths import DagPaths, TabularFlows
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ListedStates
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import GFNConfig, Parents, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline
from gfx_core.text.numbers import counted

Distribution: TypeAlias = tuple[StateSpace, Doubles]
"""All subgraphs that can be sampled, and the log-probability to stop at each. [S]"""

_CHUNK, _LARGEST_CHUNK = 64, 8192  # subgraphs of the first call of the GNN, which may be slow; then twice as many


@dataclass(frozen=True, eq=False)
class Samples:
    """Subgraphs that were sampled from flows on one instance.

    Attributes:
        orders: The nodes of each in order of addition, from the start node on, padded with -1. [N, K]
        log_reward: log R of each. [N]
        log_forward: log P_F of each order. [N]
        distribution: Where they come from; ``None`` where the subgraphs are too many to be listed.
    """

    orders: Ints
    log_reward: Doubles
    log_forward: Doubles
    distribution: Distribution | None = None

    def members(self, num_nodes: int) -> Bools:
        """Which nodes are in each subgraph. [N, m]"""
        return members_of(self.orders, num_nodes)

    @cached_property
    def distinct(self) -> tuple[Ints, Ints]:
        """The first sample of each different subgraph, and how many there are, the most frequent first. [n], [n]"""
        rows = np.sort(self.orders, axis=1)
        _, first, count = np.unique(rows, axis=0, return_index=True, return_counts=True)
        order = np.lexsort((first, -self.log_reward[first], -count))  # of equally frequent ones the best rewarded
        return first[order], count[order]

    def log_probabilities(self, members: Bools) -> list[tuple[float | None, float | None]]:
        """log-probability to stop at each of some sets, and its log R/Z; ``None`` where it is not listed. [n, m]"""
        if self.distribution is None:
            return [(None, None)] * len(members)
        space, log_probability = self.distribution
        states = space.dag.indices_of(members).tolist()
        return [(log_probability[s].item(), space.log_target[s].item()) if s >= 0 else (None, None) for s in states]


def members_of(subsets: Ints, num_nodes: int) -> Bools:
    """Which nodes are in each row of nodes, padded with -1. [N, K] → [N, m]"""
    return (subsets[:, :, None] == np.arange(num_nodes)).any(1)


class Flows(ABC):
    """Flows on one instance.

    Args:
        config: K_M, the reward and which parents count.
        instance: The instance.
        reward: What makes its subgraphs good, to the GNN on this instance alone.
        start: Where all samples start; by default the explained node, and in a graph task each at a node of its own.

    Attributes:
        cap: The most states that are listed beside learned flows.
        notes: What is to be read before an explanation by them is believed.
    """

    kind: FlowSource
    cap: int = ENUMERATION_CAP
    notes: tuple[str, ...] = ()

    def __init__(self, config: GFNConfig, instance: Instance, reward: Reward, start: int | None = None) -> None:
        self.config, self.predictor, self.instance, self.reward = config, reward.predictor, instance, reward
        self.start = instance.target if start is None else start

    @abstractmethod
    def locate(self) -> int:
        """The start node, or the most probable of several."""

    @abstractmethod
    def draw(self, count: int, seed: int, greedy: bool = False) -> Samples:
        """Sample subgraphs; the greedy one takes the most probable action at each step."""

    @abstractmethod
    def tables(self, start: int | None) -> TabularFlows | None:
        """The flows on all states from a start node; ``None`` where they are too many to be listed."""

    def distribution(self, start: int | None) -> Distribution | None:
        """The distribution over all subgraphs from a start node; ``None`` where they are too many."""
        tables = self.tables(start)
        return None if tables is None else (tables.space, tables.log_probability)

    @abstractmethod
    def evaluate(self, subsets: Ints, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        """The log-flows out of states with one start node, by node, and to STOP.

        Args:
            subsets: Nodes of each, the start node first, padded with -1. [S, K]
            log_reward: log R of each. [S]

        Returns:
            log F(s → s∪{a}), −∞ where a cannot be added [S, m], and log F(s → STOP) [S].
        """

    @abstractmethod
    def beside(self, start: int) -> "Flows | None":
        """The other kind of flows on the same instance, to compare with; ``None`` where there is none."""

    def sample(self, count: int, seed: int = 0) -> Samples:
        """Sample subgraphs, with the distribution that they come from."""
        return replace(self.draw(count, seed), distribution=self.distribution(self.start))


class ExactSampler(Flows):
    """Exact flows: residuals are zero, and samples come from R/Z itself. They need a GNN, a reward and K_M, no policy.

    Where all connected subgraphs of a graph are listed, whatever node they start from, these are sampled by P ∝ R, and
    each grows from one of its nodes in a random order.

    Args:
        space: All states from one start node, or all connected subgraphs.
        learned: A trained policy on the same instance, to compare with.
    """

    kind = FlowSource.EXACT

    def __init__(
        self,
        config: GFNConfig,
        instance: Instance,
        reward: Reward,
        space: StateSpace,
        learned: "SubgraphSampler | None" = None,
    ) -> None:
        config = replace(config, parents=Parents.VALID, stop=Stop.REWARD)
        super().__init__(config, instance, reward, None if space.dag.start < 0 else space.dag.start)
        self.space, self.learned = space, learned

    def locate(self) -> int:
        return self.space.richest_node if self.start is None else self.start

    def draw(self, count: int, seed: int, greedy: bool = False) -> Samples:
        if self.start is None and not greedy:
            return self._anywhere(count, seed)
        noise = None if greedy else uniform(self.space.dag.num_levels, count, torch.Generator().manual_seed(seed))
        return listed_samples(self.tables(self.locate()), noise, self.config.max_nodes)

    def _anywhere(self, count: int, seed: int) -> Samples:
        """Subgraphs with a probability proportional to their reward, each grown from one of its nodes."""
        space, paths, generator = self.space, DagPaths(self.space.dag), torch.Generator().manual_seed(seed)
        chance = torch.from_numpy(space.log_reward).softmax(0)
        ends = torch.multinomial(chance, count, replacement=True, generator=generator).numpy()
        walks = paths.sample_back(ends, uniform(max(space.dag.num_levels - 1, 1), count, generator))
        log_step = np.append(space.log_edge - space.log_state[space.parent], 0.0)
        log_forward = log_step[walks.edges].sum(0) + (space.log_reward - space.log_state)[walks.terminal]
        return Samples(paths.orders(walks, self.config.max_nodes), space.log_reward[walks.terminal], log_forward)

    def tables(self, start: int | None) -> TabularFlows:
        space = self.space if start == self.start else self.space.around(self.instance, start)
        return TabularFlows(space, space.log_edge, space.log_reward)

    def distribution(self, start: int | None) -> Distribution:
        space = self.tables(start).space
        return space, space.log_target

    def evaluate(self, subsets: Ints, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        # STOP's flow is the listed R(s), which the other flows add up with to the last digit
        return self.tables(int(subsets[0, 0])).at(members_of(subsets, self.instance.num_nodes))

    def beside(self, start: int) -> "SubgraphSampler | None":
        return self.learned


class SubgraphSampler(Flows):
    """The flows of a trained policy.

    Args:
        trained: The policy.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        explained_class: The class whose prediction is explained; the GNN's own answer by default.
        start: Where all samples start.
    """

    kind = FlowSource.LEARNED

    def __init__(
        self,
        trained: TrainedPolicy,
        predictor: Predictor,
        instance: Instance,
        explained_class: int | None = None,
        start: int | None = None,
    ) -> None:
        config = trained.config
        super().__init__(config, instance, Reward(predictor, config.reward, explained_class), start)
        self.trained, self.explained = trained.to(predictor.device), explained_class
        self.graphs = FlowGraphs(predictor, config.policy)
        self._tables: dict[int, TabularFlows | None] = {}
        reads = trained.policy.num_features  # 0: no nodes
        if reads not in (0, self.graphs.features.shape[1]):
            raise UserError(
                f"This policy reads {counted(reads, 'number')} per node, the instance has "
                f"{self.graphs.features.shape[1]}: it was trained for another data set or GNN."
            )

    def locate(self) -> int:
        return first_best(self.start_probabilities()) if self.start is None else self.start

    def start_probabilities(self) -> Doubles:
        """The locator's distribution over start nodes (graph tasks). [m]"""
        if self.trained.locator is None:
            raise UserError("This policy was trained on a node task: it has no locator for whole graphs.")
        return self.trained.locator.probabilities(self.predictor, 0).double().cpu().numpy()

    def starts(self, count: int, seed: int, greedy: bool) -> Ints:
        """Where some samples start: at the one start node, or in a graph task at nodes that the locator draws."""
        start = self.locate() if greedy else self.start
        if start is not None:
            return np.full(count, start)
        chances = self.start_probabilities()
        return np.random.RandomState(seed).choice(len(chances), count, p=chances / chances.sum())

    def draw(self, count: int, seed: int, greedy: bool = False) -> Samples:
        chosen, which = np.unique(self.starts(count, seed, greedy), return_inverse=True)
        episodes = Episodes.of(self.graphs, np.zeros(len(chosen), np.int64), chosen)
        generator = None if greedy else torch.Generator(self.predictor.device).manual_seed(seed)
        episode = torch.from_numpy(which).to(self.predictor.device)
        trajectories = sample(self.trained.policy, episodes, episode, self.reward, generator=generator)
        numbers = torch.stack([trajectories.final_log_reward, trajectories.log_forward])  # [2, N]
        return Samples(trajectories.order.cpu().numpy(), *numbers.double().cpu().numpy())

    def tables(self, start: int | None) -> TabularFlows | None:
        if start is None:
            return None
        if start not in self._tables:
            space = self.states(start)
            self._tables[start] = None if space is None else TabularFlows(space, *self.on(space))
        return self._tables[start]

    def states(self, start: int) -> StateSpace | None:
        """All states from a start node; ``None`` where they are too many."""
        try:
            dag = enumerate_states(self.instance, start, self.config.max_nodes, cap=self.cap)
        except TooManyStates:
            return None
        return reward_states(self.reward, dag)

    def on(self, space: StateSpace) -> tuple[Doubles, Doubles]:
        """The log-flow along each edge of listed states, and from each state to STOP. [E], [S]"""
        return ListedStates(self.graphs, space).flows(self.trained.policy)

    @torch.no_grad()
    def evaluate(self, subsets: Ints, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        policy = self.trained.policy
        episodes = Episodes.of(self.graphs, np.zeros(1, np.int64), subsets[0, :1])
        encoded, tables, stops = policy.encode(episodes, self.reward), [], []
        for nodes in torch.from_numpy(subsets).to(self.predictor.device).split(4096):
            states = States(episodes, torch.zeros_like(nodes[:, 0]), nodes)
            flows = policy(encoded, states, states.frontier(policy.max_nodes))
            tables.append(flows.log_out.double().cpu().numpy())
            stops.append(flows.log_stop)
        return np.concatenate(tables), torch.cat(stops).double().cpu().numpy() if policy.has_stop_head else log_reward

    def beside(self, start: int) -> ExactSampler | None:
        tables = self.tables(start)
        if tables is None:
            return None
        return ExactSampler(self.config, self.instance, self.reward, tables.space, self)


# Lists of states


def uniform(steps: int, count: int, generator: torch.Generator) -> Doubles:
    """Uniform numbers. [steps, count]"""
    return torch.rand(steps, count, dtype=torch.float64, generator=generator).numpy()


def listed_samples(tables: TabularFlows, noise: Doubles | None, width: int) -> Samples:
    """Samples along flows on listed states, or the greedy one where there is no noise; see `TabularFlows`."""
    walks = tables.sample(noise)
    log_reward = tables.space.log_reward[walks.terminal]
    return Samples(tables.paths.orders(walks, width), log_reward, tables.log_forward(walks))


def reward_states(reward: Reward, dag: StateDag, deadline: Deadline | None = None) -> StateSpace:
    """All states with log R of each; where time is over before, those of fewer nodes, and of two at least."""
    subsets = torch.from_numpy(dag.subsets).to(reward.predictor.device)
    log_rewards, count, chunk = [], 0, _CHUNK
    needed = int(dag.level_ptr[min(2, dag.num_levels)])
    while count < dag.num_states and (count < needed or deadline is None or not deadline.over):
        nodes = subsets[count : count + chunk]
        log_rewards.append(reward(nodes, torch.zeros_like(nodes[:, 0])))
        count, chunk = count + len(nodes), min(2 * chunk, _LARGEST_CHUNK)
    log_reward = torch.cat(log_rewards).double().cpu().numpy()
    if not np.isfinite(log_reward).all():
        raise UserError("The GNN outputs numbers that are too large to compare: scale its features or outputs.")
    if count < dag.num_states:
        dag = dag.up_to(int(np.searchsorted(dag.level_ptr, count, side="right")) - 1)
    return StateSpace(dag, log_reward[: dag.num_states])
