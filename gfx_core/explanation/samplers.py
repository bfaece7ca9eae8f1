"""Flows at work on one instance, from which subgraphs are sampled: a trained policy's, or exact ones. Needs torch."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, first_best
from gfx_core.config import FlowSource
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import ENUMERATION_CAP, EXACT_CAP, TooManyStates, enumerate_states
from gfx_core.exact.paths import DagPaths, Paths
from gfx_core.exact.state_space import StateSpace, logsumexp_by
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ListedStates
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, removable_nodes, sample
from gfx_core.gfn.settings import GFNConfig, Parents, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.predict import Predictor
from gfx_core.text.numbers import counted

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Samples:
    """Subgraphs that were sampled from flows on one instance.

    Attributes:
        orders: The nodes of each in order of addition, from the start node on, padded with -1. [N, K]
        log_reward: log R of each. [N]
        log_forward: log P_F of each order. [N]
        distribution: All subgraphs that can be sampled, and the log-probability to stop at each [S]; ``None`` where
            they are too many to be listed.
    """

    orders: Ints
    log_reward: Doubles
    log_forward: Doubles
    distribution: tuple[StateSpace, Doubles] | None = None

    def members(self, num_nodes: int) -> Bools:
        """Which nodes are in each subgraph. [N, m]"""
        return (self.orders[:, :, None] == np.arange(num_nodes)).any(1)

    def log_probabilities(self, nodes: Sequence[int]) -> tuple[float | None, float | None]:
        """log-probability to stop at a set of nodes, and log R/Z of it; ``None`` where it is not listed."""
        if self.distribution is None:
            return None, None
        space, log_probability = self.distribution
        members = np.zeros((1, space.dag.num_nodes), dtype=bool)
        members[0, list(nodes)] = True
        state = int(space.dag.indices_of(members)[0])
        return (None, None) if state < 0 else (float(log_probability[state]), float(space.log_target[state]))


class PathFlows(NamedTuple):
    """Log-flows of the T states of one trajectory, by node; −∞ where there is no such action or parent.

    Attributes:
        frontier: Nodes that can be added. [T, m]
        parents: Nodes whose removal gives a parent that counts. [T, m]
        log_out: log F(s → s∪{a}). [T, m]
        log_in: log F(s∖{u} → s). [T, m]
        log_stop: log F(s → STOP). [T]
    """

    frontier: Bools
    parents: Bools
    log_out: Doubles
    log_in: Doubles
    log_stop: Doubles


class Flows(ABC):
    """Flows at work on one instance.

    Args:
        config: K_M, the reward and which parents count.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        reward: What makes its subgraphs good.
        start: Where all samples start; by default the explained node, and in a graph task each at a node of its own.
        listings: All states by start node, where they are known under this reward and K_M.

    Attributes:
        notes: What is to be read before an explanation by them is believed.
        doubt: That they are far from R/Z, or take the place of a policy that is.
    """

    kind: FlowSource
    cap: int = ENUMERATION_CAP
    notes: tuple[str, ...] = ()
    doubt: str = ""

    def __init__(
        self,
        config: GFNConfig,
        predictor: Predictor,
        instance: Instance,
        reward: Reward,
        start: int | None = None,
        listings: dict[int, StateSpace] | None = None,
    ) -> None:
        self.config, self.predictor, self.instance, self.reward = config, predictor, instance, reward
        self.start = instance.target if start is None else start
        self.device = predictor.device
        self.listings = {} if listings is None else listings
        self._distributions: dict[int | None, tuple[StateSpace, Doubles] | None] = {}

    @abstractmethod
    def locate(self) -> int:
        """The start node, or the most probable of several."""

    @abstractmethod
    def draw(self, count: int, seed: int, start: int | None = None, greedy: bool = False) -> Samples:
        """Sample subgraphs; the greedy one takes the most probable action at each step."""

    @abstractmethod
    def on(self, space: StateSpace) -> tuple[Doubles, Doubles]:
        """The log-flow along each edge of a DAG of states, and from each state to STOP. [E], [S]"""

    @abstractmethod
    def along(self, path: Ints, log_reward: Doubles) -> PathFlows:
        """The flows of every state of one trajectory: its nodes in order, and log R of each prefix. [T], [T]"""

    @abstractmethod
    def beside(self, start: int) -> "Flows | None":
        """The other kind of flows on the same instance, to compare with; ``None`` where there is none."""

    @property
    @abstractmethod
    def policy_made(self) -> dict[str, Any] | None:
        """How the trained policy was made; ``None`` where none has a part in it."""

    def sample(self, count: int, seed: int = 0) -> Samples:
        """Sample subgraphs, with the distribution that they come from."""
        return replace(self.draw(count, seed), distribution=self.distribution(self.start))

    def distribution(self, start: int | None) -> tuple[StateSpace, Doubles] | None:
        """All subgraphs from a start node and the log-probability to stop at each; ``None`` where they are too many."""
        if start not in self._distributions:
            space = None if start is None else self.listed(start)
            self._distributions[start] = None if space is None else (space, self.terminal_distribution(space))
        return self._distributions[start]

    def terminal_distribution(self, space: StateSpace) -> Doubles:
        """The log-probability to stop at each state of a list. [S]"""
        return space.walk(*self.on(space)).stop

    def listing(self, start: int) -> StateSpace:
        """All states from a start node.

        Raises:
            TooManyStates: There are more than ``cap``.
        """
        if start not in self.listings:
            dag = enumerate_states(self.instance, start, self.config.max_nodes, cap=self.cap)
            self.listings[start] = StateSpace(dag, log_rewards(self.reward, dag.subsets))
        return self.listings[start]

    def listed(self, start: int) -> StateSpace | None:
        """All states from a start node, or ``None`` where they are too many."""
        try:
            return self.listing(start)
        except TooManyStates:
            return None


class ExactSampler(Flows):
    """Exact flows: residuals are zero, and samples come from R/Z itself. They need a GNN, a reward and K_M, no policy.

    In a graph task with a list of all connected subgraphs, whatever node they start from, these are sampled by P ∝ R,
    and each grows from one of its nodes in a random order.

    Args:
        config: K_M and the reward; how a policy is trained does not matter.
        reward: By default as the configuration says, for the GNN's own answer.
        learned: A trained policy on the same instance, to compare with.
        every: All connected subgraphs of a graph in which each node may be the start.
    """

    kind = FlowSource.EXACT
    cap = EXACT_CAP

    def __init__(
        self,
        config: GFNConfig,
        predictor: Predictor,
        instance: Instance,
        reward: Reward | None = None,
        start: int | None = None,
        listings: dict[int, StateSpace] | None = None,
        *,
        learned: Flows | None = None,
        every: StateSpace | None = None,
    ) -> None:
        config = replace(config, parents=Parents.VALID, stop=Stop.REWARD)
        super().__init__(config, predictor, instance, reward or Reward(predictor, config.reward), start, listings)
        self.learned, self.every = learned, every
        self._paths: dict[int | None, tuple[StateSpace, DagPaths]] = {}

    def locate(self) -> int:
        if self.start is None:
            assert self.every is not None
            return most_in_reach(self.every)
        return self.start

    def listing(self, start: int) -> StateSpace:
        if start not in self.listings and self.every is not None:
            self.listings[start] = listed_from(self.instance, self.every, start)
        return super().listing(start)

    def paths(self, start: int | None) -> tuple[StateSpace, DagPaths]:
        """All states from a start node, or all connected subgraphs, and trajectories on them."""
        if start not in self._paths:
            space = self.every if start is None else self.listing(start)
            assert space is not None
            self._paths[start] = space, DagPaths(space.dag)
        return self._paths[start]

    def draw(self, count: int, seed: int, start: int | None = None, greedy: bool = False) -> Samples:
        start = self.start if start is None else start
        space, paths = self.paths(self.locate() if greedy and start is None else start)
        generator = torch.Generator().manual_seed(seed)

        def noise(steps: int) -> Doubles:
            return torch.rand(steps, count, dtype=torch.float64, generator=generator).numpy()

        if greedy:
            path = paths.greedy(space.log_edge, space.log_reward)
            drawn = Paths(*(np.repeat(numbers, count, axis=-1) for numbers in (path.states, path.edges, path.terminal)))
        elif start is None:
            chance = torch.from_numpy(space.log_reward).softmax(0)
            ends = torch.multinomial(chance, count, replacement=True, generator=generator).numpy()
            drawn = paths.sample_back(ends, noise(max(space.dag.num_levels - 1, 1)))
        else:
            drawn = paths.sample(space.log_edge, space.log_reward, noise(space.dag.num_levels))
        log_step = np.append(space.log_edge - space.log_state[space.parent], 0.0)  # nothing happens after STOP
        log_forward = log_step[drawn.edges].sum(0) + (space.log_reward - space.log_state)[drawn.terminal]
        return Samples(paths.orders(drawn, self.config.max_nodes), space.log_reward[drawn.terminal], log_forward)

    def distribution(self, start: int | None) -> tuple[StateSpace, Doubles] | None:
        if start is None and self.every is not None:
            return self.every, self.every.log_target
        return super().distribution(start)

    def on(self, space: StateSpace) -> tuple[Doubles, Doubles]:
        return space.log_edge, space.log_reward

    def along(self, path: Ints, log_reward: Doubles) -> PathFlows:
        space, paths = self.paths(int(path[0]))
        members = (path == np.arange(self.instance.num_nodes)[:, None]).cumsum(1).T > 0  # [T, m]
        states = space.dag.indices_of(members)  # [T]
        log_out, log_in = paths.by_node(space.log_edge, states)
        # STOP's flow is the listed R(s), which the other flows add up with to the last digit
        return PathFlows(np.isfinite(log_out), np.isfinite(log_in), log_out, log_in, space.log_reward[states])

    def beside(self, start: int) -> Flows | None:
        return self.learned

    @property
    def policy_made(self) -> dict[str, Any] | None:
        return None if self.learned is None else self.learned.policy_made


class SubgraphSampler(Flows):
    """The flows of a trained policy.

    Args:
        trained: The policy.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        explained_class: The class whose prediction is explained; the GNN's own answer by default.
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
        super().__init__(config, predictor, instance, Reward(predictor, config.reward, explained_class), start)
        self.trained, self.explained = trained.to(predictor.device), explained_class
        self.graphs = FlowGraphs(predictor, config.policy)
        if self.graphs.features.shape[1] != trained.policy.num_features:
            raise UserError(
                f"This policy reads {counted(trained.policy.num_features, 'number')} per node, the instance has "
                f"{self.graphs.features.shape[1]}: it was trained for another data set or GNN."
            )

    def locate(self) -> int:
        return first_best(self.start_probabilities()) if self.start is None else self.start

    def start_probabilities(self) -> Doubles:
        """The locator's distribution over start nodes (graph tasks). [m]"""
        if self.trained.locator is None:
            raise UserError("This policy was trained on a node task: it has no locator for whole graphs.")
        return self.trained.locator.probabilities(self.predictor, 0).double().cpu().numpy()

    def draw(self, count: int, seed: int, start: int | None = None, greedy: bool = False) -> Samples:
        start = self.locate() if start is None and greedy else self.start if start is None else start
        if start is None:
            probabilities = self.start_probabilities()
            starts = np.random.RandomState(seed).choice(
                len(probabilities), count, p=probabilities / probabilities.sum()
            )
        else:
            starts = np.full(count, start)
        chosen, which = np.unique(starts, return_inverse=True)
        episodes = Episodes.of(self.graphs, np.zeros(len(chosen), np.int64), chosen)
        generator = None if greedy else torch.Generator(self.device).manual_seed(seed)
        episode = torch.from_numpy(which).to(self.device)
        drawn = sample(self.trained.policy, episodes, episode, self.reward, generator=generator)
        numbers = torch.stack([drawn.final_log_reward, drawn.log_forward])  # [2, N]
        return Samples(drawn.order.cpu().numpy(), *numbers.double().cpu().numpy())

    def on(self, space: StateSpace) -> tuple[Doubles, Doubles]:
        return ListedStates(self.graphs, space).flows(self.trained.policy)

    @torch.no_grad()
    def evaluate(self, subsets: Ints, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        """The log-flows out of states with one start node, by node, and to STOP.

        Args:
            subsets: Nodes of each, the start node first, padded with -1. [S, K]
            log_reward: log R of each. [S]

        Returns:
            log F(s → s∪{a}), −∞ where a cannot be added [S, m], and log F(s → STOP) [S].
        """
        policy = self.trained.policy
        episodes = Episodes.of(self.graphs, np.zeros(1, np.int64), subsets[0, :1])
        encoded, tables, stops = policy.encode(episodes), [], []
        for nodes in torch.from_numpy(subsets).to(self.device).split(4096):
            states = States(episodes, torch.zeros_like(nodes[:, 0]), nodes)
            flows = policy(encoded, states, states.frontier(policy.max_nodes, fixed=True))
            tables.append(flows.log_out.double().cpu().numpy())
            stops.append(flows.log_stop)
        return np.concatenate(tables), torch.cat(stops).double().cpu().numpy() if policy.has_stop_head else log_reward

    @torch.no_grad()
    def along(self, path: Ints, log_reward: Doubles) -> PathFlows:
        policy, device, m = self.trained.policy, self.device, self.instance.num_nodes
        episodes = Episodes.of(self.graphs, np.zeros(1, np.int64), path[:1])
        episode, order = torch.zeros(1, dtype=torch.long, device=device), torch.from_numpy(path)[None].to(device)
        nothing = torch.zeros(1, len(path), device=device)
        trajectory = Trajectories(episodes, episode, order, nothing, nothing[:, 0], order, nothing)
        removable = removable_nodes(trajectory, self.config.parents, device="cpu")[0]  # [T, T]
        states = States.along(episodes, episode, order)  # one state for each prefix
        frontier = states.frontier(self.config.max_nodes, fixed=True)  # [T, m]
        flows = policy(policy.encode(episodes), states, frontier, order.where(removable, -1))
        assert flows.log_in is not None
        log_in, parents = np.full((len(path), m), -np.inf), np.zeros((len(path), m), dtype=bool)
        log_in[:, path], parents[:, path] = flows.log_in.double().cpu().numpy(), removable.cpu().numpy()
        log_stop = log_reward if flows.log_stop is None else flows.log_stop.double().cpu().numpy()
        return PathFlows((frontier >= 0).cpu().numpy(), parents, flows.log_out.double().cpu().numpy(), log_in, log_stop)

    def beside(self, start: int) -> Flows | None:
        if self.listed(start) is None:
            return None
        return ExactSampler(self.config, self.predictor, self.instance, self.reward, start, self.listings, learned=self)

    @property
    def policy_made(self) -> dict[str, Any] | None:
        return {"epochs": len(self.trained.curve), **self.trained.made}


def log_rewards(reward: Reward, subsets: Ints) -> Doubles:
    """log R of many subsets of one instance, start node first, padded with -1. [n, K] → [n]"""
    nodes = torch.from_numpy(subsets).to(reward.predictor.device)
    return torch.cat([reward(part, torch.zeros_like(part[:, 0])) for part in nodes.split(8192)]).double().cpu().numpy()


def most_in_reach(every: StateSpace) -> int:
    """The node from which most reward can be reached, by a list of all connected subgraphs."""
    state, node = np.nonzero(every.dag.members)
    return first_best(logsumexp_by(every.log_reward[state], node, every.dag.num_nodes))


def listed_from(instance: Instance, every: StateSpace, start: int) -> StateSpace:
    """Those of all connected subgraphs that contain a node, as the states from there."""
    dag = enumerate_states(instance, start, every.dag.max_nodes, cap=every.dag.num_states)
    return StateSpace(dag, every.log_reward[every.dag.indices_of(dag.members)])
