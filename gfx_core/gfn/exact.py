"""The whole state space of an instance, and what is exactly true on it.

Where the connected subgraphs around a start node can be counted, nothing has to be estimated: the target
distribution R(s)/Z, the distribution a policy really stops with, edge marginals and the best subgraph all follow from
one table of states. The states form a DAG. An edge s → s∪{a} is an action, and read backwards it is a valid parent:
s∪{a} without a is connected and holds the start node exactly if it is a state itself.

Everything here is numpy in float64; log-flows may also be given as torch tensors on the CPU, without gradients.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError

Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]

DEFAULT_CAP = 100_000
"""The most states that are enumerated."""
EDGES_PER_STATE = 10
"""The DAG may have this many times as many edges as it may have states."""
_CHUNK_CELLS = 1 << 22  # node pairs looked at in one go


class TooManyStates(UserError):  # noqa: N818 (it says what is wrong)
    """The state space is too large to be listed."""


@dataclass(frozen=True, eq=False)
class StateDag:
    """All connected node sets that hold the start node, and all ways to get from one to the next.

    There are S states over the m nodes of an instance and E edges. States are ordered by size, the start node alone
    first; a level is the states of one size. Edges are ordered by (parent, node).

    Attributes:
        start: The start node v₀, by its local id.
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
        state, node = _set_bits(self.packed)
        state, node = state[node != self.start], node[node != self.start]
        subsets = np.full((self.num_states, self.num_levels), -1, dtype=np.int64)
        subsets[:, 0] = self.start
        others = np.cumsum(self.size - 1) - (self.size - 1)  # [S], nodes that come before each state's
        subsets[state, 1 + np.arange(len(state)) - others[state]] = node
        return subsets

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

    @cached_property
    def transitions(self) -> list[tuple[slice, slice, slice]]:
        """For each level but the last: its states, the edges that leave it, and the states of the next level."""
        states = [slice(first, last) for first, last in pairwise(self.level_ptr.tolist())]
        edges = [slice(first, last) for first, last in pairwise(self.out_ptr[self.level_ptr].tolist())]
        return list(zip(states[:-1], edges[:-1], states[1:], strict=True))

    def indices_of(self, members: ArrayLike) -> Ints:
        """Looks many node sets up. bool [B, m] → [B], -1 for what is not a state."""
        members = np.asarray(members, dtype=bool)
        keys, order = self._sorted_keys
        wanted = np.bitwise_xor.reduce(np.where(members, _node_keys(self.num_nodes), np.uint64(0)), axis=1)
        found = order[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)]
        return np.where((self.packed[found] == _pack(members)).all(1), found, -1)

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
                f"The nodes {nodes.tolist()} are no state: a state is a connected set of at most {self.max_nodes} "
                f"nodes that holds node {self.start}."
            )
        return index

    @cached_property
    def _sorted_keys(self) -> tuple[NDArray[np.uint64], Ints]:
        nodes = np.append(_node_keys(self.num_nodes), np.uint64(0))  # the last one is for the padding
        keys = np.bitwise_xor.reduce(nodes[self.subsets], axis=1)  # [S]
        order = np.argsort(keys)
        return keys[order], order


@lru_cache(maxsize=64)
def _node_keys(num_nodes: int) -> NDArray[np.uint64]:
    """A random word for each node; a set's key is the XOR of its nodes' words, whatever their order."""
    return np.random.default_rng(0).integers(0, 2**64, num_nodes, dtype=np.uint64)


def _pack(members: Bools) -> NDArray[np.uint8]:
    """Eight nodes to a byte, padded to whole 64-bit words. [n, m] → [n, ⌈m/64⌉·8]"""
    packed = np.packbits(members, axis=1, bitorder="little")
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))


def _set_bits(packed: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Row and number of every set bit, in order, without unpacking bytes that are zero."""
    row, byte = np.nonzero(packed)
    which, bit = np.nonzero(np.unpackbits(packed[row, byte][:, None], axis=1, bitorder="little"))
    return row[which], byte[which] * 8 + bit


def enumerate_states(
    instance: Instance, start: int | None = None, max_nodes: int = 8, cap: int = DEFAULT_CAP
) -> StateDag:
    """Lists every connected node set of at most `max_nodes` nodes that holds the start node.

    Args:
        instance: The graph.
        start: v₀ by its local id; the explained node by default.
        max_nodes: K_M.
        cap: The most states; the DAG may also have no more than `EDGES_PER_STATE` times as many edges.

    Raises:
        TooManyStates: as soon as it is certain that there are more. A level is not built to find that out.
    """
    m = instance.num_nodes
    start = instance.target if start is None else start
    if start is None:
        raise UserError("A whole graph has no start node of its own: name one.")
    if not 0 <= start < m:
        raise UserError(f"The instance has no node {start}: choose one from 0 to {m - 1}.")
    if max_nodes < 1:
        raise UserError(f"K_M (max_nodes) must be at least 1 (got {max_nodes}).")
    too_many = TooManyStates(
        f"More than {cap:,} connected subgraphs of at most {max_nodes} nodes hold the start node: "
        "lower K_M or choose a smaller neighbourhood."
    )

    bits = _pack(np.eye(m, dtype=bool)).view(np.uint64)  # [m, W]
    adjacency = np.zeros((m, m), dtype=bool)
    adjacency[instance.edge_index[0], instance.edge_index[1]] = True
    neighbours = _pack(adjacency).view(np.uint64)  # [m, W]
    node_keys = _node_keys(m)  # [m]

    sets, keys = bits[[start]], node_keys[[start]]  # this level's states: [n, W], [n]
    frontier = neighbours[[start]] & ~sets  # [n, W]
    levels, parents, children, nodes = [sets], [], [], []
    num_states, num_edges, first = 1, 0, 0  # first: number of this level's first state
    if num_states > cap:
        raise too_many
    for size in range(1, max_nodes):
        leaving = int(np.bitwise_count(frontier).sum(dtype=np.int64))
        num_edges += leaving
        # A state of size + 1 nodes has at most `size` parents, so this many edges lead to leaving / size states.
        if leaving > size * (cap - num_states) or num_edges > EDGES_PER_STATE * cap:
            raise too_many
        if not leaving:
            break
        state, node = _set_bits(frontier.view(np.uint8))  # [e], [e]
        _, found, child = np.unique(keys[state] ^ node_keys[node], return_index=True, return_inverse=True)
        order = np.argsort(found)  # number the new states in the order in which they were reached
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        found, child = found[order], rank[child]
        reached = sets[state[found]] | bits[node[found]]  # [n', W]
        assert all((sets[state, w] | bits[node, w] == reached[child, w]).all() for w in range(bits.shape[1])), (
            "two node sets share a key"
        )
        parents.append(first + state)
        children.append(num_states + child)
        nodes.append(node)
        levels.append(reached)
        frontier = (frontier[state[found]] | neighbours[node[found]]) & ~reached
        keys = keys[state[found]] ^ node_keys[node[found]]
        sets, first, num_states = reached, num_states, num_states + len(reached)
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


def _doubles(values: ArrayLike) -> Doubles:
    return np.asarray(values, dtype=np.float64)


def _sum_by_state(values: Doubles, state: Ints, states: slice) -> Doubles:
    """logsumexp of the values that belong to each of a range of states, −inf where none do. [n], [n] → [count]"""
    state, count = state - states.start, states.stop - states.start
    top = np.full(count, -np.inf)
    np.maximum.at(top, state, values)
    base = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return base + np.log(np.bincount(state, np.exp(values - base[state]), count))


# What the reward alone decides


def log_partition(log_reward: ArrayLike) -> float:
    """log Z, the log of the sum of all rewards."""
    return float(np.logaddexp.reduce(_doubles(log_reward)))


def target_distribution(log_reward: ArrayLike) -> Doubles:
    """log R(s)/Z of each state. [S] → [S]"""
    return _doubles(log_reward) - log_partition(log_reward)


def best_state(log_reward: ArrayLike) -> int:
    """The state with the highest reward; of equals the smallest, and of those the first."""
    return int(_doubles(log_reward).argmax())


def node_marginals(dag: StateDag, probabilities: ArrayLike) -> Doubles:
    """Probability that each node is in the final set. [S] → [m]"""
    state, node = _set_bits(dag.packed)
    return _doubles(np.bincount(node, _doubles(probabilities)[state], dag.num_nodes))


def edge_marginals(dag: StateDag, instance: Instance, probabilities: ArrayLike) -> Doubles:
    """Probability that each edge is in the final induced subgraph: both its ends are in the set.

    Args:
        dag: The states.
        instance: The graph they were taken from.
        probabilities: Of stopping at each state (not their logarithms). [S]

    Returns:
        One value for each directed edge of ``instance.edge_index``. [e]
    """
    m, weights = dag.num_nodes, _doubles(probabilities)
    both = np.zeros((m + 1) ** 2)  # of a pair of nodes; -1, the padding, counts as node m
    rows = max(1, _CHUNK_CELLS // dag.num_levels**2)
    for begin in range(0, dag.num_states, rows):
        nodes = dag.subsets[begin : begin + rows] % (m + 1)  # [n, L]
        pair = nodes[:, :, None] * (m + 1) + nodes[:, None, :]  # [n, L, L]
        weight = np.broadcast_to(weights[begin : begin + rows, None, None], pair.shape)
        both += np.bincount(pair.ravel(), weight.ravel(), len(both))
    return both[instance.edge_index[0] * (m + 1) + instance.edge_index[1]]


def total_variation(log_p: ArrayLike, log_q: ArrayLike) -> float:
    """Half the L1 distance of two distributions: 0 if they are equal, 1 if they share nothing."""
    return float(np.abs(np.exp(_doubles(log_p)) - np.exp(_doubles(log_q))).sum() / 2)


# Flows


def state_flows(dag: StateDag, log_edge_flow: ArrayLike, log_stop: ArrayLike) -> tuple[Doubles, Doubles]:
    """Log in-flow and log out-flow (STOP included) of each state. [E], [S] → [S], [S]"""
    flow, stop = _doubles(log_edge_flow), _doubles(log_stop)
    everywhere = slice(0, dag.num_states)
    log_out = np.logaddexp(_sum_by_state(flow, dag.parent, everywhere), stop)
    return _sum_by_state(flow, dag.child, everywhere), log_out


def terminal_distribution(dag: StateDag, log_flows: ArrayLike, log_stop: ArrayLike) -> Doubles:
    """The exact distribution of the set at which a policy stops.

    Args:
        dag: The states.
        log_flows: The policy's log-flow to each node; only those of frontier nodes count. [S, m]
        log_stop: Its log-flow to STOP. [S]

    Returns:
        log P(stop at s). [S]
    """
    return terminal_distribution_from_edges(dag, _doubles(log_flows)[dag.parent, dag.node], log_stop)


def terminal_distribution_from_edges(dag: StateDag, log_edge_flow: ArrayLike, log_stop: ArrayLike) -> Doubles:
    """Like `terminal_distribution`, from one log-flow for each edge of the DAG. [E], [S] → [S]"""
    return _visits(dag, log_edge_flow, log_stop)[1]


def visit_distribution(dag: StateDag, log_edge_flow: ArrayLike, log_stop: ArrayLike) -> Doubles:
    """log P(a trajectory passes through s), stopping there or not. [E], [S] → [S]"""
    return _visits(dag, log_edge_flow, log_stop)[0]


def _visits(dag: StateDag, log_edge_flow: ArrayLike, log_stop: ArrayLike) -> tuple[Doubles, Doubles]:
    """Level by level: the probability of being at a state is that of its parents, each times the action to it."""
    flow = _doubles(log_edge_flow)
    log_on = _sum_by_state(flow, dag.parent, slice(0, dag.num_states))  # [S]
    stop = np.where(log_on == -np.inf, 0.0, _doubles(log_stop))  # nothing else to do: STOP is forced
    log_out = np.logaddexp(log_on, stop)  # [S]
    log_step = flow - log_out[dag.parent]  # [E]
    log_visit = np.zeros(dag.num_states)
    for _, edges, reached in dag.transitions:
        log_arrive = log_visit[dag.parent[edges]] + log_step[edges]
        log_visit[reached] = _sum_by_state(log_arrive, dag.child[edges], reached)
    return log_visit, log_visit + stop - log_out


def uniform_backward_flows(dag: StateDag, log_reward: ArrayLike) -> tuple[Doubles, Doubles]:
    """The one flow that ends as R and comes to every state from all its valid parents in equal shares.

    Returns:
        log F(s), which at the start is log Z, and log F(s → s∪{a}) of each edge. [S], [E]
    """
    log_state = _doubles(log_reward).copy()  # [S]
    log_edge = np.empty(dag.num_edges)
    log_parents = np.log(np.maximum(dag.num_parents, 1))  # [S]
    for states, edges, _ in reversed(dag.transitions):
        child = dag.child[edges]
        log_edge[edges] = log_state[child] - log_parents[child]
        log_on = _sum_by_state(log_edge[edges], dag.parent[edges], states)
        log_state[states] = np.logaddexp(log_state[states], log_on)
    return log_state, log_edge


def orderings(dag: StateDag) -> Doubles:
    """Log of the number of orders in which each state can be built, node by node and always connected. [S]"""
    log_orders = np.zeros(dag.num_states)
    for _, edges, reached in dag.transitions:
        log_orders[reached] = _sum_by_state(log_orders[dag.parent[edges]], dag.child[edges], reached)
    return log_orders


def sequence_distribution(dag: StateDag, log_reward: ArrayLike) -> Doubles:
    """What GFlow-Sequence learns: each *order* has probability ∝ R, so a set has R times its orders. [S] → [S]"""
    return target_distribution(_doubles(log_reward) + orderings(dag))
