"""The whole state space of an instance: every connected subgraph around a start node, listed.

The states form a DAG. An edge s → s∪{a} is an action, and read backwards it is a valid parent: s∪{a} without a is
connected and holds the start node exactly if it is a state itself.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError

Bools = NDArray[np.bool_]

DEFAULT_CAP = 100_000
"""The most states that are enumerated."""
ENUMERATION_CAP = 4000
"""Instances with more states than this are not listed beside learned flows, on demand."""
EDGES_PER_STATE = 10
"""The DAG may have this many times as many edges as it may have states."""


class Graph(Protocol):
    """What is read of an instance: its nodes, its edges in both directions, and its start node, if it has one."""

    @property
    def num_nodes(self) -> int: ...
    @property
    def edge_index(self) -> Ints: ...
    @property
    def target(self) -> int | None: ...


class TooManyStates(UserError):  # noqa: N818 (its name is what is wrong)
    """The state space is too large to be listed.

    Attributes:
        fits: The sets of at most so many nodes could have been listed.
    """

    fits = 0


@dataclass(frozen=True, eq=False)
class StateDag:
    """All connected node sets that hold the start node, and all ways to get from one to the next.

    There are S states over the m nodes of an instance and E edges. States are ordered by size, the start node alone
    first; a level is the states of one size. Edges are ordered by (parent, node).

    Attributes:
        start: The start node v₀, by its local id; -1 where every node is one, see `enumerate_sets`.
        max_nodes: K_M, the most nodes of a state.
        num_nodes: m, nodes of the instance.
        packed: Members of each state, eight nodes to a byte.
        size: Nodes of each state.
        level_ptr: States ``level_ptr[k] … level_ptr[k+1]-1`` have k + 1 nodes.
        parent: The state each edge leaves.
        child: The state each edge leads to.
        node: The node each edge adds.
    """

    start: int
    max_nodes: int
    num_nodes: int
    packed: NDArray[np.uint8]  # [S, ⌈m/64⌉·8]
    size: Ints  # [S]
    level_ptr: Ints  # [L + 1]
    parent: Ints  # [E]
    child: Ints  # [E]
    node: Ints  # [E]

    @classmethod
    def of_levels(cls, level: Ints, parent: Ints, child: Ints) -> "StateDag":
        """Any DAG whose states are no sets of nodes.

        Args:
            level: Of each state, ascending: how far it is from the start. [S]
            parent: The state each edge leaves, ascending. [E]
            child: The state it leads to. [E]
        """
        return cls(
            start=0,
            max_nodes=int(level[-1]) + 1,
            num_nodes=0,
            packed=np.zeros((len(level), 8), dtype=np.uint8),
            size=level + 1,
            level_ptr=np.searchsorted(level, np.arange(int(level[-1]) + 2)),
            parent=parent,
            child=child,
            node=np.zeros(len(parent), dtype=np.int64),
        )

    @property
    def num_states(self) -> int:
        return len(self.size)

    @property
    def num_edges(self) -> int:
        return len(self.parent)

    @property
    def num_levels(self) -> int:
        """L, the size of the largest state."""
        return len(self.level_ptr) - 1

    @cached_property
    def members(self) -> Bools:
        """Which nodes each state holds. [S, m]"""
        return np.unpackbits(self.packed, axis=1, count=self.num_nodes, bitorder="little").astype(bool)

    @cached_property
    def subsets(self) -> Ints:
        """The nodes of each state: the start node, the others in ascending order, then -1. [S, L]"""
        state, node = set_bits(self.packed)
        state, node = state[node != self.start], node[node != self.start]
        first = int(self.start >= 0)
        subsets = np.full((self.num_states, self.num_levels), -1, dtype=np.int64)
        subsets[:, :first] = self.start
        offset = np.cumsum(self.size - first) - (self.size - first)  # [S], nodes that come before each state's
        subsets[state, first + np.arange(len(state)) - offset[state]] = node
        return subsets

    def up_to(self, size: int) -> "StateDag":
        """The first of its states, those of at most so many nodes."""
        count = int(self.level_ptr[size])
        edges = self.child < count
        return replace(
            self,
            max_nodes=size,
            packed=self.packed[:count],
            size=self.size[:count],
            level_ptr=self.level_ptr[: size + 1],
            parent=self.parent[edges],
            child=self.child[edges],
            node=self.node[edges],
        )

    @cached_property
    def out_ptr(self) -> Ints:
        """The edges ``out_ptr[s] … out_ptr[s+1]-1`` leave state s. [S + 1]"""
        return np.searchsorted(self.parent, np.arange(self.num_states + 1)).astype(np.int64)

    @cached_property
    def num_parents(self) -> Ints:
        """Valid parents of each state. [S]"""
        return np.bincount(self.child, minlength=self.num_states).astype(np.int64)

    @cached_property
    def num_children(self) -> Ints:
        """Frontier nodes that may be added to each state; none at K_M nodes. [S]"""
        return np.diff(self.out_ptr)

    def indices_of(self, members: ArrayLike) -> Ints:
        """Looks many node sets up. bool [B, m] → [B], -1 for what is not a state."""
        members = np.asarray(members, dtype=bool)
        keys, order = self._sorted_keys
        set_keys = np.bitwise_xor.reduce(np.where(members, node_keys(self.num_nodes), np.uint64(0)), axis=1)
        rows = order[np.minimum(np.searchsorted(keys, set_keys), len(keys) - 1)]
        return np.where((self.packed[rows] == pack(members)).all(1), rows, -1)

    def index_of(self, node_set: Collection[int]) -> int:
        """Looks one node set up.

        Raises:
            UserError: if it is not connected, is too large or does not hold the start node.
        """
        nodes = np.array(sorted(node_set), dtype=np.int64)
        members = np.zeros((1, self.num_nodes), dtype=bool)
        if nodes.size and nodes[0] >= 0 and nodes[-1] < self.num_nodes:
            members[0, nodes] = True
        index = int(self.indices_of(members)[0])
        if index < 0:
            raise UserError(
                f"The nodes {nodes.tolist()} are not a state: a state is a connected set of at most {self.max_nodes} "
                f"nodes that contains node {self.start}."
            )
        return index

    @cached_property
    def _sorted_keys(self) -> tuple[NDArray[np.uint64], Ints]:
        nodes = np.append(node_keys(self.num_nodes), np.uint64(0))  # the last one is for the padding
        keys = np.bitwise_xor.reduce(nodes[self.subsets], axis=1)  # [S]
        order = np.argsort(keys)
        return keys[order], order


@lru_cache(maxsize=64)
def node_keys(num_nodes: int) -> NDArray[np.uint64]:
    """A random word for each node; a set's key is the XOR of its nodes' words in any order."""
    return np.random.default_rng(0).integers(0, 2**64, num_nodes, dtype=np.uint64)


def pack(members: Bools) -> NDArray[np.uint8]:
    """Eight nodes to a byte, padded to whole 64-bit words. [n, m] → [n, ⌈m/64⌉·8]"""
    packed = np.packbits(members, axis=1, bitorder="little")
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))


def set_bits(packed: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Row and number of every set bit, in order, without unpacking bytes that are zero."""
    row, byte = np.nonzero(packed)
    which, bit = np.nonzero(np.unpackbits(packed[row, byte][:, None], axis=1, bitorder="little"))
    return row[which], byte[which] * 8 + bit


def enumerate_states(instance: Graph, start: int | None = None, max_nodes: int = 8, cap: int = DEFAULT_CAP) -> StateDag:
    """Lists every connected node set of at most `max_nodes` nodes that holds the start node.

    Args:
        instance: The graph.
        start: v₀ by its local id; the explained node by default.
        max_nodes: K_M.
        cap: The most states; the DAG may also have no more than `EDGES_PER_STATE` times as many edges.

    Raises:
        TooManyStates: as soon as it is certain that there are more. A level is not built to find that out.
    """
    start = instance.target if start is None else start
    if start is None:
        raise UserError("A whole graph has no start node of its own: name one.")
    if not 0 <= start < instance.num_nodes:
        raise UserError(f"The instance has no node {start}: choose one from 0 to {instance.num_nodes - 1}.")
    if max_nodes < 1:
        raise UserError(f"The most nodes of a subgraph, Kₘ, must be at least 1 (got {max_nodes}).")
    return _enumerate(instance, start, max_nodes, cap)


def enumerate_sets(instance: Graph, max_nodes: int, cap: int = DEFAULT_CAP) -> StateDag:
    """Lists every connected node set once, whatever node it starts from.

    The arguments and errors are those of `enumerate_states`.
    """
    return _enumerate(instance, -1, max_nodes, cap)


def _enumerate(instance: Graph, start: int, max_nodes: int, cap: int) -> StateDag:
    """The sets that hold the start node, or all of them. Level by level: each set with each node of its frontier."""
    m, every = instance.num_nodes, start < 0
    too_many = TooManyStates(
        f"More than {cap:,} connected subgraphs of at most {max_nodes} nodes contain the start node: "
        "allow fewer nodes or choose a smaller neighbourhood."
    )

    bits = pack(np.eye(m, dtype=bool)).view(np.uint64)  # [m, W]
    adjacency = np.zeros((m, m), dtype=bool)
    adjacency[instance.edge_index[0], instance.edge_index[1]] = True
    neighbours = pack(adjacency).view(np.uint64)  # [m, W]
    names = node_keys(m)  # [m]

    starts = slice(None) if every else [start]
    sets, keys = bits[starts], names[starts]  # this level's states: [n, W], [n]
    frontier = neighbours[starts] & ~sets  # [n, W]
    levels, parents, children, nodes = [sets], [], [], []
    num_states, num_edges, first = len(sets), 0, 0  # first: number of this level's first state
    if num_states > cap:
        raise too_many
    for size in range(1, max_nodes):
        leaving = int(np.bitwise_count(frontier).sum(dtype=np.int64))
        num_edges += leaving
        too_many.fits = size
        # A state of size + 1 nodes has at most `most` parents, so this many edges lead to leaving / most states.
        most = size + every
        if leaving > most * (cap - num_states) or num_edges > EDGES_PER_STATE * cap:
            raise too_many
        if not leaving:
            break
        state, node = set_bits(frontier.view(np.uint8))  # [e], [e]
        _, first_edge, child = np.unique(keys[state] ^ names[node], return_index=True, return_inverse=True)
        order = np.argsort(first_edge)  # number the new states in the order in which they were new_sets
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        first_edge, child = first_edge[order], rank[child]
        new_sets = sets[state[first_edge]] | bits[node[first_edge]]  # [n', W]
        assert all((sets[state, w] | bits[node, w] == new_sets[child, w]).all() for w in range(bits.shape[1])), (
            "two node sets share a key"
        )
        parents.append(first + state)
        children.append(num_states + child)
        nodes.append(node)
        levels.append(new_sets)
        frontier = (frontier[state[first_edge]] | neighbours[node[first_edge]]) & ~new_sets
        keys = keys[state[first_edge]] ^ names[node[first_edge]]
        sets, first, num_states = new_sets, num_states, num_states + len(new_sets)
        if num_states > cap:
            raise too_many

    counts = [len(level) for level in levels]
    none = [np.zeros(0, dtype=np.int64)]
    return StateDag(
        start=start,
        max_nodes=max_nodes,
        num_nodes=m,
        packed=np.concatenate(levels).view(np.uint8),
        size=np.repeat(np.arange(1, len(counts) + 1), counts),
        level_ptr=np.cumsum([0, *counts]),
        parent=np.concatenate(parents or none),
        child=np.concatenate(children or none),
        node=np.concatenate(nodes or none),
    )


# Many instances


def list_all(
    graphs: Iterable[Graph], starts: Iterable[int], max_nodes: int, cap: int, most: int | None = None
) -> dict[int, StateDag]:
    """The states of those of some instances that have at most ``cap`` from their start node, by position.

    Args:
        graphs: The instances.
        starts: The start node of each, by its local id.
        max_nodes: K_M.
        cap: The most states of one.
        most: Once there are more in all, no further instance is listed.
    """
    dags: dict[int, StateDag] = {}
    count = 0
    for number, (graph, start) in enumerate(zip(graphs, starts, strict=True)):
        if most is not None and count > most:
            break
        try:
            dags[number] = enumerate_states(graph, int(start), max_nodes, cap)
        except TooManyStates:
            continue
        count += dags[number].num_states
    return dags


# The part of a state space around one trajectory, for instances whose states are too many to be listed.


def neighbourhood(instance: Instance, order: Sequence[int], max_nodes: int) -> StateDag:
    """The states of a trajectory with all their parents and children, and every edge between these.

    It is an excerpt: a state's parents and children are all there only if it lies on the trajectory.

    Args:
        instance: The graph.
        order: Its nodes in the order in which they are added, the start node first.
        max_nodes: K_M.
    """
    import networkx as nx

    start = order[0]
    graph: nx.Graph = nx.Graph(instance.edge_index.T.tolist())
    graph.add_node(start)
    sets = [frozenset(order[: k + 1]) for k in range(len(order))]
    near = dict.fromkeys(sets)  # keeps their order
    for state in sets:
        for node in sorted(state - {start} - set(nx.articulation_points(graph.subgraph(state)))):
            near[state - {node}] = None
        if len(state) < max_nodes:
            for node in sorted(nx.node_boundary(graph, state)):
                near[state | {node}] = None
    states = sorted(near, key=len)  # a stable sort
    at = {state: k for k, state in enumerate(states)}
    edges = sorted((at[state - {node}], node, at[state]) for state in states for node in state if state - {node} in at)
    size = np.array([len(state) for state in states])
    members = np.zeros((len(states), instance.num_nodes), dtype=bool)
    for state, k in at.items():
        members[k, list(state)] = True
    parent, node_added, child = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return StateDag(
        start=start,
        max_nodes=max_nodes,
        num_nodes=instance.num_nodes,
        packed=pack(members),
        size=size,
        level_ptr=np.searchsorted(size, np.arange(1, int(size[-1]) + 2)),
        parent=parent,
        child=child,
        node=node_added,
    )
