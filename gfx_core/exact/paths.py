"""Trajectories on the listed states of one instance, and flows along the edges between these states.

Randomness comes as uniform numbers that are drawn beforehand. Everything is numpy in float64.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gfx_core.arrays import NEAR_TIE, Doubles, Ints, first_best
from gfx_core.exact.enumeration import Bools, Graph, StateDag, TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace

MAX_TABLE = 1 << 24
"""The most cells of a table of states by actions."""


@dataclass(frozen=True)
class Paths:
    """B trajectories in lockstep, from the start on, padded with S (states) and E (edges) on either side."""

    states: Ints  # [T, B]
    edges: Ints  # [T - 1, B], the one that leaves each state; padding for STOP
    terminal: Ints  # [B]


def can_be_tabulated(dag: StateDag, ways_in: int = 0) -> bool:
    """Whether a table with the actions of every state, and the ways into it, is small enough."""
    return dag.num_states * max(int(dag.num_children.max()), ways_in) <= MAX_TABLE


def largest_dag(graph: Graph, start: int, most: int, cap: int, least: int = 1) -> StateDag | None:
    """All subgraphs around a node, of at most so many nodes as their number allows.

    Args:
        graph: The graph.
        start: The node.
        most: K_M as it is wanted.
        cap: How many subgraphs there may be.
        least: K_M at least, where it is wanted so large; ``None`` is returned if these are too many.
    """
    smallest = min(least, most)
    while most >= smallest:
        try:
            dag = enumerate_states(graph, start, most, cap=cap)
        except TooManyStates as error:
            most = error.fits
            continue
        if can_be_tabulated(dag):
            return dag
        most -= 1
    return None


def edge_table(owner: Ints, rows: int, pad: int) -> Ints:
    """The edges that each state owns, padded. [E] → [rows, most]"""
    count = np.bincount(owner, minlength=rows)
    order = np.argsort(owner, kind="stable")
    table = np.full((rows, max(int(count.max()), 1)), pad, dtype=np.int64)
    table[owner[order], np.arange(len(owner)) - (np.cumsum(count) - count)[owner[order]]] = order
    return table


class DagPaths:
    """Trajectories on a state DAG.

    Args:
        dag: All states.

    Raises:
        TooManyStates: Tables of all states and their actions would be too large.

    Attributes:
        leaving: The edges that leave each state, padded with E. [S, A]
        coming: The edges that come to each state, padded with E. [S, P]
    """

    def __init__(self, dag: StateDag) -> None:
        S, E = dag.num_states, dag.num_edges
        if not can_be_tabulated(dag, int(dag.num_parents.max())):
            raise TooManyStates(f"A table of {S:,} states and their actions is too large: allow fewer nodes.")
        self.dag = dag
        self.leaving, self.coming = edge_table(dag.parent, S, E), edge_table(dag.child, S, E)
        self._parent, self._child = np.append(dag.parent, S), np.append(dag.child, S)

    def sample(self, log_edge: Doubles, log_stop: Doubles, noise: Doubles, epsilon: float = 0.0) -> Paths:
        """Sample trajectories in lockstep.

        Args:
            log_edge: Log-flow of each edge. [E]
            log_stop: Log-flow of each state to STOP. [S]
            noise: Uniform numbers, as many rows as there are sizes of states. [L, B]
            epsilon: Share of actions drawn uniformly from the possible ones.
        """
        S, A = self.leaving.shape
        flows = np.concatenate([np.append(log_edge, -np.inf)[self.leaving], log_stop[:, None]], axis=1)  # [S, A + 1]
        possible, weight = flows > -np.inf, np.exp(flows - flows.max(1, keepdims=True))
        chance = (1 - epsilon) * weight / weight.sum(1, keepdims=True)
        chance += epsilon * possible / possible.sum(1, keepdims=True)
        up_to = np.pad(chance.cumsum(1), ((0, 1), (0, 0)), constant_values=2.0)  # row S: after STOP
        edge_of = np.pad(self.leaving, ((0, 1), (0, 1)), constant_values=self.dag.num_edges)  # [S + 1, A + 1]
        states, edges = [np.zeros(noise.shape[1], dtype=np.int64)], []
        for numbers in noise:
            action = (up_to[states[-1]] <= numbers[:, None]).sum(1).clip(max=A)  # [B]
            edges.append(edge_of[states[-1], action])
            states.append(self._child[edges[-1]])
        visited = np.stack(states)  # [L + 1, B]
        last = (visited < S).sum(0) - 1  # [B]
        return Paths(visited, np.stack(edges), np.take_along_axis(visited, last[None], 0)[0])

    def sample_back(self, terminal: Ints, noise: Doubles) -> Paths:
        """Sample a trajectory to each of some states: back to a random valid parent at every step. [B], [L - 1, B]"""
        S, E, num_parents = self.dag.num_states, self.dag.num_edges, self.dag.num_parents
        states, edges = [terminal], []
        for numbers in noise:
            at = states[-1].clip(max=S - 1)
            going = (states[-1] < S) & (num_parents[at] > 0)
            edges.append(np.where(going, self.coming[at, (numbers * num_parents[at]).astype(np.int64)], E))
            states.append(self._parent[edges[-1]])
        return Paths(np.stack(states)[::-1], np.stack(edges)[::-1], terminal)

    def greedy(self, log_edge: Doubles, log_stop: Doubles) -> Paths:
        """The one trajectory that always takes the action of largest flow, of equal ones the first, and STOP last."""
        dag, states, edges = self.dag, [0], []
        while True:
            leaving = slice(*dag.out_ptr[states[-1] : states[-1] + 2].tolist())
            flow, stop = log_edge[leaving], log_stop[states[-1]]
            if not len(flow) or stop > flow.max() + NEAR_TIE * max(1.0, abs(stop)):
                break
            edges.append(leaving.start + first_best(flow))
            states.append(int(dag.child[edges[-1]]))
        padding = dag.num_levels - len(edges)
        padded = np.array([[*states, *[dag.num_states] * padding]]), np.array([[*edges, *[dag.num_edges] * padding]])
        return Paths(padded[0].T, padded[1].T, np.array(states[-1:]))

    def orders(self, paths: Paths, width: int) -> Ints:
        """The nodes of trajectories in order of addition, padded with -1. [B, width]"""
        nodes = np.append(self.dag.node, -1)[paths.edges].T  # [B, T - 1]; the last step adds nothing
        nodes = np.take_along_axis(nodes, np.argsort(nodes < 0, axis=1, kind="stable"), axis=1)
        first = np.take_along_axis(paths.states, (paths.states < self.dag.num_states).argmax(0)[None], 0)[0]
        result = np.full((len(nodes), width), -1, dtype=np.int64)
        result[:, 0] = self.dag.members[first].argmax(1)  # one node: where it started
        steps = min(width - 1, nodes.shape[1])
        result[:, 1 : 1 + steps] = nodes[:, :steps]
        return result


@dataclass(frozen=True, eq=False)
class TabularFlows:
    """Flows on all states from one start node, wherever they come from.

    Attributes:
        space: The states.
        log_edge: The log-flow along each edge. [E]
        log_stop: And from each state to STOP. [S]
    """

    space: StateSpace
    log_edge: Doubles
    log_stop: Doubles

    @cached_property
    def log_probability(self) -> Doubles:
        """Of stopping at each state. [S]"""
        return self.space.walk(self.log_edge, self.log_stop).stop

    @property
    def total_variation(self) -> float:
        """How far they are from R/Z."""
        return self.space.total_variation(self.log_probability)

    @cached_property
    def paths(self) -> DagPaths:
        """Trajectories on the states."""
        return DagPaths(self.space.dag)

    def sample(self, noise: Doubles | None) -> Paths:
        """Trajectories from uniform numbers, or the greedy one where there are none. [L, B]"""
        if noise is None:
            return self.paths.greedy(self.log_edge, self.log_stop)
        return self.paths.sample(self.log_edge, self.log_stop, noise)

    def log_forward(self, paths: Paths) -> Doubles:
        """log P_F of trajectories. [B]"""
        log_step, log_end = self.space.log_actions(self.log_edge, self.log_stop)
        return np.append(log_step, 0.0)[paths.edges].sum(0) + log_end[paths.terminal]  # nothing happens after STOP

    def at(self, members: Bools) -> tuple[Doubles, Doubles]:
        """The log-flows out of some states, by node, −∞ where it cannot be added, and to STOP. [n, m] → [n, m], [n]"""
        states, log_out = self.space.dag.indices_of(members), np.full(members.shape, -np.inf)
        for row, state in enumerate(states):
            leaving = slice(*self.space.dag.out_ptr[state : state + 2])
            log_out[row, self.space.node[leaving]] = self.log_edge[leaving]
        return log_out, self.log_stop[states]
