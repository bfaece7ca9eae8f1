"""StateSpace: all states of an instance with a number on each, their reward, and everything that follows from it.

Where the connected subgraphs around a start node can be listed nothing has to be estimated: the target distribution
R(s)/Z, the flows that a perfect training would give, the distribution that any flows stop with, edge marginals, modes
and the best subgraph all follow from one table of states.

Everything is numpy in float64 and needs no torch. Several instances may lie in one space, one after the other, so that
a network's flows on all of them are followed at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.modes import Mode, find_modes

_CHUNK_CELLS = 1 << 22  # node pairs looked at in one go


def logsumexp_by(values: Doubles, group: Ints, count: int) -> Doubles:
    """logsumexp of the values of each group, −inf where there are none. [n], [n] → [count]"""
    top = np.full(count, -np.inf)
    np.maximum.at(top, group, values)
    base = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return base + np.log(np.bincount(group, np.exp(values - base[group]), count))


@dataclass(frozen=True, eq=False)
class Walk:
    """What a policy does, exactly, as log-probabilities.

    Attributes:
        visit: Of passing through each state. [S]
        stop: Of stopping there. [S]
        step: Of going along each edge. [E]
    """

    visit: Doubles
    stop: Doubles
    step: Doubles


@dataclass(frozen=True, eq=False)
class _Levels:
    """States by size: a level is the states of one size. Edges may lead to any larger one.

    Attributes:
        states: All states, those of a level together. [S]
        rank: The place of each state among them. [S]
        leaving: All edges by the level that they leave. [E]
        coming: All edges by the level that they lead to. [E]
        out: For each level from the largest on down, the states' places and those of ``leaving`` among the edges.
        into: For each level from the second on, the states' places and those of ``coming`` among the edges.
    """

    states: Ints
    rank: Ints
    leaving: Ints
    coming: Ints
    out: list[tuple[slice, slice]]
    into: list[tuple[slice, slice]]


class StateSpace:
    """The states of one or more instances.

    Args:
        dags: All states of an instance, or of each of several.
        log_reward: log R of each state, the instances one after the other; −inf where it must not stop. [S]

    Attributes:
        counts: States of each instance. [I]
        origin: The first state of each instance, its start node alone. [I]
        owner: The instance of each state. [S]
        parent: The state that each edge leaves, ascending. [E]
        child: The state it leads to. [E]
        node: The node that it adds. [E]
        size: Nodes of each state. [S]
        log_reward: [S]
    """

    def __init__(self, dags: StateDag | Sequence[StateDag], log_reward: ArrayLike) -> None:
        self.dags: tuple[StateDag, ...] = (dags,) if isinstance(dags, StateDag) else tuple(dags)
        self.counts = np.array([dag.num_states for dag in self.dags], dtype=np.int64)
        self.origin: Ints = np.cumsum(self.counts) - self.counts
        self.owner = np.repeat(np.arange(len(self.dags)), self.counts)
        pairs = list(zip(self.dags, self.origin.tolist(), strict=True))
        self.parent: Ints = np.concatenate([dag.parent + first for dag, first in pairs])
        self.child: Ints = np.concatenate([dag.child + first for dag, first in pairs])
        self.node: Ints = np.concatenate([dag.node for dag in self.dags])
        self.size: Ints = np.concatenate([dag.size for dag in self.dags])
        self.log_reward: Doubles = np.asarray(log_reward, dtype=np.float64)
        if self.log_reward.shape != self.size.shape:
            raise ValueError(
                f"log_reward must be {len(self.size)} numbers, one for each state (got {list(self.log_reward.shape)})"
            )

    def __len__(self) -> int:
        return len(self.dags)

    @property
    def dag(self) -> StateDag:
        """The states of its only instance."""
        (dag,) = self.dags
        return dag

    @property
    def num_states(self) -> int:
        return len(self.size)

    @property
    def num_edges(self) -> int:
        return len(self.parent)

    @cached_property
    def subsets(self) -> Ints:
        """The nodes of all states, the start node first, padded with -1. [S, K]"""
        width = max(dag.num_levels for dag in self.dags)
        rows = [np.pad(dag.subsets, ((0, 0), (0, width - dag.num_levels)), constant_values=-1) for dag in self.dags]
        return np.concatenate(rows)

    @cached_property
    def num_parents(self) -> Ints:
        """Valid parents of each state. [S]"""
        return np.bincount(self.child, minlength=self.num_states)

    def with_reward(self, log_reward: ArrayLike) -> "StateSpace":
        """These states under another reward."""
        return StateSpace(self.dags, log_reward)

    # What the reward alone decides

    @cached_property
    def log_z(self) -> Doubles:
        """The log of the sum of all rewards of each instance. [I]"""
        return logsumexp_by(self.log_reward, self.owner, len(self))

    @cached_property
    def log_target(self) -> Doubles:
        """log R(s)/Z of each state. [S]"""
        return self.log_reward - self.log_z[self.owner]

    @cached_property
    def best(self) -> Ints:
        """The state with the highest reward of each instance, of equals the first. [I]"""
        return self.origin + np.array([first_best(part) for part in self.parts(self.log_reward)])

    def parts(self, values: Doubles) -> list[Doubles]:
        """Values of all states, instance by instance. [S] → I times [·]"""
        return np.split(values, self.origin[1:])

    def alone(self) -> "list[StateSpace]":
        """The states of each instance by themselves."""
        return [StateSpace(*pair) for pair in zip(self.dags, self.parts(self.log_reward), strict=True)]

    @property
    def richest_node(self) -> int:
        """The node from which most reward can be reached, by a list of all connected subgraphs of one instance."""
        state, node = np.nonzero(self.dag.members)
        return first_best(logsumexp_by(self.log_reward[state], node, self.dag.num_nodes))

    def around(self, instance: Instance, start: int | None) -> "StateSpace":
        """Those of all connected subgraphs of an instance that contain a node, as the states from there."""
        dag = enumerate_states(instance, start, self.dag.max_nodes, cap=self.dag.num_states)
        return StateSpace(dag, self.log_reward[self.dag.indices_of(dag.members)])

    # Flows

    @cached_property
    def _levels(self) -> _Levels:
        states = np.argsort(self.size, kind="stable")
        rank = np.empty_like(states)
        rank[states] = np.arange(len(states))
        most = int(self.size.max())
        ends = np.searchsorted(self.size[states], np.arange(1, most + 2))
        sides = []
        for end in (self.parent, self.child):
            edges = np.argsort(self.size[end], kind="stable")
            bounds = np.searchsorted(self.size[end[edges]], np.arange(1, most + 2))
            slices = [(slice(ends[k], ends[k + 1]), slice(bounds[k], bounds[k + 1])) for k in range(most)]
            sides.append((edges, slices))
        (leaving, out), (coming, into) = sides
        return _Levels(states, rank, leaving, coming, out[::-1], into[1:])

    def _gather(self, log_step: Doubles, first: Doubles) -> Doubles:
        """Log of what comes to each state if so much of what is at its parents goes along each edge. [E], [I] → [S]"""
        levels = self._levels
        step, log_visit = log_step[levels.coming], np.full(self.num_states, -np.inf)
        parent, child = levels.rank[self.parent[levels.coming]], levels.rank[self.child[levels.coming]]
        log_visit[levels.rank[self.origin]] = first
        for states, edges in levels.into:
            arrive = log_visit[parent[edges]] + step[edges]
            log_visit[states] = logsumexp_by(arrive, child[edges] - states.start, states.stop - states.start)
        return log_visit[levels.rank]

    def walk(self, log_edge: ArrayLike, log_stop: ArrayLike | None = None) -> Walk:
        """What a policy does: the probability of being at a state is that of its parents, each times the action to it.

        Args:
            log_edge: The policy's log-flow along each edge; flows need not balance. [E]
            log_stop: Its log-flow to STOP; by default the reward. [S]
        """
        log_step, log_end = self.log_actions(log_edge, log_stop)
        visit = self._gather(log_step, np.zeros(len(self)))
        return Walk(visit, visit + log_end, visit[self.parent] + log_step)

    def log_actions(self, log_edge: ArrayLike, log_stop: ArrayLike | None = None) -> tuple[Doubles, Doubles]:
        """The log-probability to go on along each edge, and to stop at each state; see :meth:`walk`. [E], [S]"""
        flow = np.asarray(log_edge, dtype=np.float64)
        log_on = logsumexp_by(flow, self.parent, self.num_states)
        stop = self.log_reward if log_stop is None else np.asarray(log_stop, dtype=np.float64)
        stop = np.where(log_on == -np.inf, 0.0, stop)  # nothing else to do: STOP is forced
        log_out = np.logaddexp(log_on, stop)
        return flow - log_out[self.parent], stop - log_out

    @cached_property
    def _uniform_backward(self) -> tuple[Doubles, Doubles]:
        levels = self._levels
        state, edge = self.log_reward[levels.states], np.empty(self.num_edges)
        log_parents = np.log(np.maximum(self.num_parents, 1))[levels.states]
        parent, child = levels.rank[self.parent[levels.leaving]], levels.rank[self.child[levels.leaving]]
        for states, edges in levels.out:
            edge[edges] = state[child[edges]] - log_parents[child[edges]]
            log_on = logsumexp_by(edge[edges], parent[edges] - states.start, states.stop - states.start)
            state[states] = np.logaddexp(state[states], log_on)
        log_edge = np.empty_like(edge)
        log_edge[levels.leaving] = edge
        return state[levels.rank], log_edge

    @property
    def log_state(self) -> Doubles:
        """log F(s) of the exact flows, log Z at the start. [S]

        Of all flows that end as R it is the one that comes to every state from all its valid parents in equal shares:
        F(s) = R(s) + Σ F(s → s∪{a}), and F(s∖{u} → s) = F(s) / (number of valid parents of s).
        """
        return self._uniform_backward[0]

    @property
    def log_edge(self) -> Doubles:
        """log F(s → s∪{a}) of each edge under the exact flows. [E]"""
        return self._uniform_backward[1]

    @property
    def log_visits(self) -> Doubles:
        """Log of the chance that exact flows pass through each state of its instance. [S]"""
        return self.log_state - self.log_state[self.origin][self.owner]

    def chances(self, uniform: float) -> Doubles:
        """How often each state is drawn to learn from: 1 for each instance in all, 0 for states that must stop. [S]

        Args:
            uniform: Share of all that is drawn uniformly; the others are drawn as often as exact flows visit them.
        """
        goes_on = np.bincount(self.parent, minlength=self.num_states) > 0
        chances = np.zeros(self.num_states)
        for weight, values in ((1 - uniform, np.exp(self.log_visits) * goes_on), (uniform, 1.0 * goes_on)):
            total = np.bincount(self.owner, values, len(self)).clip(min=1e-300)
            chances += weight * values / total[self.owner]
        return chances

    @property
    def flow_scale(self) -> tuple[float, float]:
        """Mean and standard deviation of the exact log-flows of edges, each as often as it is followed."""
        followed = np.exp(self.log_visits[self.parent] + self.log_edge - self.log_state[self.parent])
        if not followed.sum():
            return 0.0, 1.0
        mean = np.average(self.log_edge, weights=followed)
        return float(mean), max(1.0, float(np.sqrt(np.average((self.log_edge - mean) ** 2, weights=followed))))

    @cached_property
    def log_orders(self) -> Doubles:
        """Log of the number of orders in which each state can be built, node by node and always connected. [S]"""
        return self._gather(np.zeros(self.num_edges), np.zeros(len(self)))

    @property
    def log_sequence(self) -> Doubles:
        """What GFlow-Sequence learns: each *order* has probability ∝ R, so a set has R times its orders. [S]"""
        return self.with_reward(self.log_reward + self.log_orders).log_target

    # Distributions over the states

    def total_variations(self, log_probability: ArrayLike) -> Doubles:
        """Half the L1 distance of a distribution from R/Z on each instance: 0 if equal, 1 if nothing is shared. [I]"""
        differences = np.abs(np.exp(np.asarray(log_probability, dtype=np.float64)) - np.exp(self.log_target)) / 2
        return np.bincount(self.owner, differences, len(self)).clip(max=1.0)  # whatever rounding does

    def total_variation(self, log_probability: ArrayLike) -> float:
        """The mean of :meth:`total_variations` over the instances."""
        return float(self.total_variations(log_probability).mean())

    def edge_marginals(self, instance: Instance, probability: ArrayLike, number: int = 0) -> Doubles:
        """Probability that each edge is in the final induced subgraph: both its ends are in the set.

        Args:
            instance: The graph of one of the instances.
            probability: Of stopping at each of its states (not their logarithms).
            number: Which of the instances.

        Returns:
            One value for each directed edge of ``instance.edge_index``. [e]
        """
        dag, weights = self.dags[number], np.asarray(probability, dtype=np.float64)
        m = dag.num_nodes
        both = np.zeros((m + 1) ** 2)  # of a pair of nodes; -1, the padding, counts as node m
        rows = max(1, _CHUNK_CELLS // dag.num_levels**2)
        for begin in range(0, dag.num_states, rows):
            nodes = dag.subsets[begin : begin + rows] % (m + 1)  # [n, L]
            pair = nodes[:, :, None] * (m + 1) + nodes[:, None, :]  # [n, L, L]
            weight = np.broadcast_to(weights[begin : begin + rows, None, None], pair.shape)
            both += np.bincount(pair.ravel(), weight.ravel(), len(both))
        return both[instance.edge_index[0] * (m + 1) + instance.edge_index[1]].clip(0, 1)

    def modes(self, instance: Instance, log_probability: Doubles | None = None) -> list[Mode]:
        """The modes of a distribution over the states of the only instance, by default R/Z."""
        return find_modes(instance, self.dag.members, self.log_target if log_probability is None else log_probability)
