"""The part of a state space around one trajectory, for instances whose states are too many to be listed."""

from collections.abc import Sequence

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.gfn.state_dag import StateDag


def neighbourhood(instance: Instance, order: Sequence[int], max_nodes: int) -> StateDag:
    """The states of a trajectory with all their parents and children, and every edge between these.

    It is an excerpt: a state's parents and children are all there only if it lies on the trajectory.

    Args:
        instance: The graph.
        order: Its nodes in the order in which they are added, the start node first.
        max_nodes: K_M.
    """
    adjacent: list[set[int]] = [set() for _ in range(instance.num_nodes)]
    for source, target in instance.edge_index.T.tolist():
        adjacent[source].add(target)
    start = order[0]
    sets = [frozenset(order[: k + 1]) for k in range(len(order))]
    found = dict.fromkeys(sets)  # keeps their order
    for state in sets:
        for node in sorted(state - {start}):
            if _connected(state - {node}, start, adjacent):
                found[state - {node}] = None
        if len(state) < max_nodes:
            for node in sorted(set().union(*(adjacent[member] for member in state)) - state):
                found[state | {node}] = None
    states = sorted(found, key=len)  # a stable sort
    at = {state: k for k, state in enumerate(states)}
    edges = sorted((at[state - {node}], node, at[state]) for state in states for node in state if state - {node} in at)
    size = np.array([len(state) for state in states])
    members = np.zeros((len(states), instance.num_nodes), dtype=bool)
    for state, k in at.items():
        members[k, list(state)] = True
    packed = np.packbits(members, axis=1, bitorder="little")
    parent, node_added, child = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return StateDag(
        start=start,
        max_nodes=max_nodes,
        num_nodes=instance.num_nodes,
        packed=np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))),
        size=size,
        level_ptr=np.searchsorted(size, np.arange(1, int(size[-1]) + 2)),
        parent=parent,
        child=child,
        node=node_added,
    )


def _connected(nodes: frozenset[int], start: int, adjacent: list[set[int]]) -> bool:
    reached, waiting = {start}, [start]
    while waiting:
        new = (adjacent[waiting.pop()] & nodes) - reached
        reached |= new
        waiting.extend(new)
    return len(reached) == len(nodes)
