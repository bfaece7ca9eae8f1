"""What lies a few steps ahead of some states, where all states are too many or not wanted: a list of its own.

Every child of a state is listed. Of the children that are worth most, the first few are looked at further: all their
children are listed, and of these the children of the best. So the list stays small beside a hub, too. What a listed
state space has in full (its rewards, how many parents and children each state has, its edges) is known of these states.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import NEAR_TIE, Doubles, Ints
from gfx_core.exact.enumeration import Bools, Graph, node_keys, pack, set_bits
from gfx_core.exact.state_space import StateSpace

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Ahead:
    """S states and E edges between them, ordered by the state that they leave.

    Attributes:
        log_reward: log R of each state. [S]
        size: |s|. [S]
        num_parents: Valid parents of each. [S]
        num_children: Nodes that can be added to each. [S]
        parent: The state that each edge leaves. [E]
        child: The state it leads to. [E]
        node: The node that it adds. [E]
        rank: How many other edges of the same state lead to a child that is worth as much or more. [E]
    """

    log_reward: Doubles
    size: Ints
    num_parents: Ints
    num_children: Ints
    parent: Ints
    child: Ints
    node: Ints
    rank: Ints

    @classmethod
    def of(cls, space: StateSpace) -> "Ahead":
        """A listed state space."""
        count = space.num_states
        children = np.bincount(space.parent, minlength=count)
        rank = _ranks(space.log_reward, space.num_parents, space.parent, space.child)
        lists = space.num_parents, children, space.parent, space.child, space.node, rank
        return cls(space.log_reward, space.size, *lists)


def _ranks(log_reward: Doubles, num_parents: Ints, parent: Ints, child: Ints) -> Ints:
    """The rank of each edge's child by its reward, shared among its parents; edges are ordered by parent. [E]

    Of children that are worth the same but for rounding, each has the last of their ranks: they are treated alike.
    """
    worth = log_reward[child] - np.log(np.maximum(num_parents[child], 1))
    order = np.lexsort((-worth, parent))
    ordered, owner, numbers = worth[order], parent[order], np.arange(len(order))
    differs = np.diff(ordered, append=0.0) < -NEAR_TIE * np.maximum(1.0, np.abs(ordered))
    ends = differs | (np.diff(owner, append=-1) != 0)
    last = numbers[ends][np.searchsorted(numbers[ends], numbers)]
    rank = np.empty_like(parent)
    rank[order] = last - np.searchsorted(parent, owner)
    return rank


WIDTHS = 8, 4
"""Of the children of a state so many are looked at further, and of the children of each of these."""
EVERYTHING = 10**6, 10**6
"""All of them, where all states are listed anyway."""
_MOST = 200  # sets that come of that at each step, about: beside a hub fewer are looked at further


def widths_of(num_children: Any) -> tuple[Any, Any]:
    """How many children are looked at further of states with so many, as a child of the state in question or itself."""
    count, (wide, deep) = num_children.clip(1), WIDTHS
    return (_MOST // count).clip(2, wide), (_MOST // (wide * count)).clip(0, deep)


class Horizon:
    """Looks ahead from states of one instance with one start node, and remembers what it has seen.

    Args:
        graph: The graph.
        start: v₀.
        max_nodes: K_M.
        log_reward: log R of sets of nodes, the start node first, padded with -1. [n, K] → [n]
    """

    def __init__(self, graph: Graph, start: int, max_nodes: int, log_reward: Callable[[Ints], Doubles]) -> None:
        m = graph.num_nodes
        self.start, self.max_nodes, self.num_nodes, self._log_reward = start, max_nodes, m, log_reward
        adjacency = np.zeros((m, m), dtype=bool)
        adjacency[graph.edge_index[0], graph.edge_index[1]] = True
        np.fill_diagonal(adjacency, False)
        self._adjacency, self._bits = adjacency, pack(np.eye(m, dtype=bool)).view(np.uint64)
        self._neighbours, self._names = pack(adjacency).view(np.uint64), node_keys(m)
        self._keys = np.zeros(0, dtype=np.uint64)  # of the sets that were evaluated, ascending
        self._known = np.zeros((0, 2))  # their log R and number of parents

    def look(self, subsets: Ints, widths: tuple[int, ...] | None = None) -> Ahead:
        """List what lies ahead of some states, which are the first of the list.

        Args:
            subsets: The nodes of each, the start node first, padded with -1. [N, K]
            widths: Of the children of each state, how many are looked at further, step by step; by default as
                `widths_of` has it.
        """
        m = self.num_nodes
        members = np.zeros((len(subsets), m + 1), dtype=bool)
        np.put_along_axis(members, subsets % (m + 1), True, axis=1)
        keys = np.bitwise_xor.reduce(np.append(self._names, np.uint64(0))[subsets], axis=1)
        sets, frontier = pack(members[:, :m]).view(np.uint64), self._frontier(members[:, :m])
        listed = _Listed(keys, sets, frontier)
        known, looked = self._evaluated(listed, 0), np.arange(len(subsets))
        edges: Ints = np.zeros((3, 0), dtype=np.int64)  # parent, child, node
        done: Bools = np.zeros(len(listed), dtype=bool)
        steps = len(WIDTHS if widths is None else widths)
        for step in range(steps + 1):
            done = np.append(done, np.zeros(len(listed) - len(done), dtype=bool))
            new = looked[~done[looked] & (listed.size[looked] < self.max_nodes)]
            done[looked] = True
            first = len(listed)
            edges = np.concatenate([edges, self._expand(listed, new)], axis=1)
            edges = edges[:, np.lexsort((edges[2], edges[0]))]
            known = np.concatenate([known, self._evaluated(listed, first)])
            rank = _ranks(known[:, 0], known[:, 1].astype(np.int64), edges[0], edges[1])
            children = np.bitwise_count(listed.frontier).sum(1, dtype=np.int64) * (listed.size < self.max_nodes)
            if step < steps:
                width = widths_of(children)[step][edges[0]] if widths is None else widths[step]
                looked = np.unique(edges[1, np.isin(edges[0], looked) & (rank < width)])
        parents = known[:, 1].astype(np.int64)
        parent, child, node = edges
        return Ahead(known[:, 0], listed.size, parents, children, parent, child, node, rank)

    def _frontier(self, members: Bools) -> Words:
        return pack((members @ self._adjacency.astype(np.float32) > 0) & ~members).view(np.uint64)

    def _expand(self, listed: "_Listed", states: Ints) -> Ints:
        """Add all children of some states to a list; returns the edges to them: parent, child, node. [3, e]"""
        row, node = set_bits(listed.frontier[states].view(np.uint8))
        parent = states[row]
        keys = listed.keys[parent] ^ self._names[node]
        every, first, number = np.unique(np.append(listed.keys, keys), return_index=True, return_inverse=True)
        count, new = len(listed), np.sort(first[first >= len(listed)]) - len(listed)
        position = np.empty(len(every), dtype=np.int64)
        position[number[:count]] = np.arange(count)
        position[number[count + new]] = count + np.arange(len(new))
        sets = listed.sets[parent[new]] | self._bits[node[new]]
        frontier = (listed.frontier[parent[new]] | self._neighbours[node[new]]) & ~sets
        listed.extend(keys[new], sets, frontier)
        return np.stack([parent, position[number[count:]], node])

    def _evaluated(self, listed: "_Listed", first: int) -> Doubles:
        """log R and the number of parents of the states of a list from a number on. [n, 2]"""
        keys = listed.keys[first:]
        at = np.searchsorted(self._keys, keys).clip(max=max(len(self._keys) - 1, 0))
        new = np.ones(len(keys), dtype=bool) if not len(self._keys) else self._keys[at] != keys
        if new.any():
            subsets = self._subsets(listed.sets[first:][new], listed.size[first:][new])
            values = np.stack([self._log_reward(subsets), self._num_parents(subsets)], axis=1)
            self._keys = np.append(self._keys, keys[new])
            order = np.argsort(self._keys)
            self._keys, self._known = self._keys[order], np.concatenate([self._known, values])[order]
        return self._known[np.searchsorted(self._keys, keys)]

    def _subsets(self, sets: Words, size: Ints) -> Ints:
        """The nodes of sets: the start node, the others in ascending order, then -1. [n, K]"""
        row, node = set_bits(sets.view(np.uint8))
        row, node = row[node != self.start], node[node != self.start]
        subsets = np.full((len(sets), int(size.max(initial=1))), -1, dtype=np.int64)
        subsets[:, 0] = self.start
        others = size - 1
        subsets[row, 1 + np.arange(len(row)) - (np.cumsum(others) - others)[row]] = node
        return subsets

    def _num_parents(self, subsets: Ints) -> Doubles:
        """How many nodes but the first can be taken out of connected sets so that they stay connected. [n]"""
        n, K = subsets.shape
        exists = subsets >= 0
        links = self._adjacency[subsets[:, :, None], subsets[:, None]] & exists[:, :, None] & exists[:, None]
        bit = np.int64(1) << np.arange(K)
        near = (links * bit).sum(2)  # of each node, its neighbours in the set as bits. [n, K]
        allowed = (exists * bit).sum(1)[:, None] & ~bit  # all but the node that is taken out. [n, K]
        reached = np.ones((n, K), dtype=np.int64)
        while True:
            further = reached.copy()
            for node in range(K):
                further |= np.where(reached & bit[node], near[:, node, None], 0)
            further &= allowed
            if (further == reached).all():
                break
            reached = further
        return ((reached == allowed) & exists)[:, 1:].sum(1).astype(np.float64)


class _Listed:
    """States in the order in which they were met."""

    def __init__(self, keys: Words, sets: Words, frontier: Words) -> None:
        self.keys, self.sets, self.frontier = keys, sets, frontier

    def __len__(self) -> int:
        return len(self.keys)

    def extend(self, keys: Words, sets: Words, frontier: Words) -> None:
        self.keys, self.sets = np.append(self.keys, keys), np.concatenate([self.sets, sets])
        self.frontier = np.concatenate([self.frontier, frontier])

    @property
    def size(self) -> Ints:
        return np.bitwise_count(self.sets).sum(1).astype(np.int64)
