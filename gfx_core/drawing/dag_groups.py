"""Which states of a DAG share a box of its picture: chains, and the states that little flows through."""

from dataclasses import dataclass

import numpy as np

from gfx_core.datasets.graph import Ints
from gfx_core.exact.exact_flows import Doubles
from gfx_core.exact.state_dag import Bools, StateDag

FEW = 32
"""Up to this many states all are drawn, each in a box of its own."""
ROWS = 12
"""The most states of a column that are drawn one by one, in a larger DAG."""
LITTLE = 0.002
"""A share of the whole flow that is not worth a box of its own, in a larger DAG."""


@dataclass(frozen=True, eq=False)
class Group:
    """The states of one box, ascending, and whether they are a rest: neither one state nor a chain."""

    states: Ints
    rest: bool


def group_states(dag: StateDag, shown: Bools, own: Bools, through: Doubles, chains: bool) -> list[Group]:
    """Share the states that are to be drawn out among boxes.

    Args:
        dag: The states.
        shown: Which are to be drawn. [S]
        own: Which must have boxes of their own. [S]
        through: Share of the whole flow that passes each. [S]
        chains: Whether chains become one box.
    """
    leader = np.where(shown, np.arange(dag.num_states), -1)  # the first state of each state's box
    rest = np.zeros(dag.num_states, dtype=bool)
    if shown.sum() > FEW:
        if chains:
            _merge_chains(dag, leader, own)
        _merge_rests(dag, leader, rest, own, through)
    order = np.argsort(leader, kind="stable")
    order = order[leader[order] >= 0]
    cuts = np.flatnonzero(np.diff(leader[order])) + 1
    return [Group(states, bool(rest[states[0]])) for states in np.split(order, cuts)]


def _merge_chains(dag: StateDag, leader: Ints, own: Bools) -> None:
    """One box where a state leads to one state only, to which nothing else leads."""
    only = (dag.num_children[dag.parent] == 1) & (dag.num_parents[dag.child] == 1)
    both = ~own[dag.parent] & ~own[dag.child] & (leader[dag.parent] >= 0) & (leader[dag.child] >= 0)
    for edge in np.flatnonzero(only & both):  # parents come first
        leader[dag.child[edge]] = leader[dag.parent[edge]]


def _merge_rests(dag: StateDag, leader: Ints, rest: Bools, own: Bools, through: Doubles) -> None:
    """One box for the states of a column that little flows through, and one for all last columns of nothing else."""
    alone = np.bincount(leader[leader >= 0], minlength=dag.num_states)[leader] == 1  # in no chain
    far: Ints | None = None  # the rests of the last columns, as long as these hold nothing else
    for k in range(dag.num_levels - 1, -1, -1):
        states = np.arange(dag.level_ptr[k], dag.level_ptr[k + 1])
        states = states[leader[states] >= 0]
        single = states[alone[states]]
        by_flow = single[np.lexsort((single, -through[single], ~own[single]))]
        little = by_flow[~own[by_flow] & ((through[by_flow] < LITTLE) | (np.arange(len(by_flow)) >= ROWS))]
        if len(little) == len(states) and (far is not None or k == dag.num_levels - 1):
            far = little if far is None else np.concatenate([little, far])
            little = far
        else:
            far = None
        if len(little) > 1:
            leader[little] = little.min()
            rest[little] = True
