"""What is exactly true on the whole state space of an instance.

Where the connected subgraphs around a start node can be counted, nothing has to be estimated: the target
distribution R(s)/Z, the distribution a policy really stops with, edge marginals and the best subgraph all follow from
one table of states.

Everything here is numpy in float64; log-flows may also be given as torch tensors on the CPU, without gradients.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_dag import StateDag, set_bits

Doubles = NDArray[np.float64]
_CHUNK_CELLS = 1 << 22  # node pairs looked at in one go


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


def node_marginals(dag: StateDag, probabilities: ArrayLike) -> Doubles:
    """Probability that each node is in the final set, by that of stopping at each state. [S] → [m]"""
    state, node = set_bits(dag.packed)
    return _doubles(np.bincount(node, _doubles(probabilities)[state], dag.num_nodes))


def total_variation(log_p: ArrayLike, log_q: ArrayLike) -> float:
    """Half the L1 distance of two distributions: 0 if they are equal, 1 if they share nothing."""
    return float(np.abs(np.exp(_doubles(log_p)) - np.exp(_doubles(log_q))).sum() / 2)


# Flows


def walk(dag: StateDag, log_edge_flow: ArrayLike, log_stop: ArrayLike) -> tuple[Doubles, Doubles, Doubles]:
    """What a policy does, exactly: log P of passing through each state, of stopping there, of going along each edge.

    Level by level: the probability of being at a state is that of its parents, each times the action to it. The flows
    need not balance.

    Args:
        dag: The states.
        log_edge_flow: The policy's log-flow along each edge of the DAG. [E]
        log_stop: Its log-flow to STOP. [S]

    Returns:
        [S], [S] and [E].
    """
    flow = _doubles(log_edge_flow)
    log_on = _sum_by_state(flow, dag.parent, slice(0, dag.num_states))  # [S]
    stop = np.where(log_on == -np.inf, 0.0, _doubles(log_stop))  # nothing else to do: STOP is forced
    log_out = np.logaddexp(log_on, stop)  # [S]
    log_step = flow - log_out[dag.parent]  # [E]
    log_visit = np.zeros(dag.num_states)
    for _, edges, reached in dag.transitions:
        log_arrive = log_visit[dag.parent[edges]] + log_step[edges]
        log_visit[reached] = _sum_by_state(log_arrive, dag.child[edges], reached)
    return log_visit, log_visit + stop - log_out, log_visit[dag.parent] + log_step


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
