"""Small graphs whose states can be listed, and what is read off their DAGs."""

from collections.abc import Collection

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles
from gfx_core.config import Task
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from tests.toys.instances import instance_of

GRAPHS = {
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(4),
    "path": nx.path_graph(7),
    "cycle": nx.cycle_graph(7),
    "star": nx.star_graph(6),
    "complete": nx.complete_graph(6),
    "tree": nx.balanced_tree(2, 2),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)),
    "two pieces": nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(4)),
    **{f"random {seed}": nx.gnp_random_graph(9, 0.3, seed=seed) for seed in range(6)},
}


def dag_of(graph: nx.Graph, start: int, max_nodes: int, **options: int) -> StateDag:
    return enumerate_states(instance_of(graph, Task.GRAPH), start, max_nodes, **options)


def cases(sizes: Collection[int]) -> list[tuple[nx.Graph, StateDag]]:
    """Every graph with its states around the middle node, for each K_M."""
    return [(graph, dag_of(graph, len(graph) // 2, most)) for graph in GRAPHS.values() for most in sizes]


def sets_of(dag: StateDag) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(row).tolist()) for row in dag.members]


def state_flows(dag: StateDag, log_edge: ArrayLike, log_stop: ArrayLike) -> tuple[Doubles, Doubles]:
    """Log in-flow and log out-flow (STOP included) of each state, edge by edge. [E], [S] → [S], [S]"""
    into, out = np.full(dag.num_states, -np.inf), np.array(log_stop, dtype=np.float64)
    for parent, child, flow in zip(dag.parent, dag.child, np.asarray(log_edge), strict=True):
        into[child], out[parent] = np.logaddexp(into[child], flow), np.logaddexp(out[parent], flow)
    return into, out


def terminal_distribution(dag: StateDag, log_flows: ArrayLike, log_stop: ArrayLike) -> Doubles:
    """log P(stop at s) from log-flows to every node, of which those of the frontier count. [S, m], [S] → [S]"""
    return StateSpace(dag, log_stop).walk(np.asarray(log_flows)[dag.parent, dag.node]).stop
