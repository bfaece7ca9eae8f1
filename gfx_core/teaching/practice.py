"""The graphs on which the lessons train: what is exactly true there, and what their recordings show. Without torch."""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.settings import Loss
from gfx_core.text.numbers import counted, listed, solid_percent
from gfx_core.training.codes import decode_probabilities
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards, state_name
from gfx_core.training.recording import Recording

COMPARED_LOSSES = (
    Loss.FLOW_MATCHING,
    Loss.DETAILED_BALANCE,
    Loss.TRAJECTORY_BALANCE,
    Loss.SUB_TRAJECTORY_BALANCE,
)
"""What lesson 7 compares; trajectory balance has one log Z for all start nodes."""
COMPARING_STEPS, COMPARING_BATCH = 200, 32
"""Gradient steps of each, and the trajectories from each start node in a step."""


class BuildOrder(NamedTuple):
    """An order in which a set can be built: a state of GFlow-Sequence.

    Attributes:
        nodes: As they are added.
        state: The set it leads to, by its number in the DAG.
        parent: The number of the order without its last node; -1 for the first.
    """

    nodes: tuple[int, ...]
    state: int
    parent: int


@dataclass(frozen=True, eq=False)
class Ground:
    """A graph, all its states and their rewards, and all orders in which the states can be built.

    Attributes:
        instance: The graph.
        dag: Its states.
        names: Of the states, such as ``acd``. [S]
        reward: R of each state. [S]
    """

    instance: Instance
    dag: StateDag
    names: tuple[str, ...]
    reward: Doubles

    @cached_property
    def orders(self) -> list[BuildOrder]:
        """All orders, shorter before longer: a tree in which a set stands once for each of its orders."""
        dag, orders = self.dag, [BuildOrder((self.dag.start,), 0, -1)]
        for number, order in enumerate(orders):  # it grows meanwhile
            for edge in range(int(dag.out_ptr[order.state]), int(dag.out_ptr[order.state + 1])):
                orders.append(BuildOrder((*order.nodes, int(dag.node[edge])), int(dag.child[edge]), number))
        return orders

    def orders_of(self, state: int) -> list[tuple[int, ...]]:
        """All orders in which a set can be built."""
        return [order.nodes for order in self.orders if order.state == state]

    def nodes_of(self, word: str) -> tuple[int, ...]:
        """The nodes of a word."""
        return tuple(map(self.instance.node_names.index, word))


@cache
def toy_ground() -> Ground:
    """The states and rewards of the toy graph."""
    instance = practice_instance(Practice.TOY)
    dag = enumerate_states(instance)
    names = tuple(state_name(instance, dag, state) for state in range(dag.num_states))
    return Ground(instance, dag, names, practice_rewards(Practice.TOY, instance, dag))


def true_log_z(start: str) -> float:
    """log Z of the toy graph for one start node, exactly."""
    toy = toy_ground()
    dag = enumerate_states(toy.instance, toy.nodes_of(start)[0])
    return float(StateSpace(dag, np.log(practice_rewards(Practice.TOY, toy.instance, dag))).log_z[0])


# What a recorded training shows of each state: its orders, how often it should be drawn, how often it is.


@dataclass(frozen=True)
class FinalState:
    """A state at the end of a training.

    Attributes:
        name: Its nodes.
        orders: In how many orders it can be built.
        target: R/Z.
        by_orders: What it would be if every order had the whole reward: orders · R over the sum of all of these.
        drawn: P(stop) under the policy of each lane.
        visits: How many trajectories of the first lane passed it.
    """

    name: str
    orders: int
    target: float
    by_orders: float
    drawn: tuple[float, ...]
    visits: int


def final_states(recording: Recording) -> tuple[FinalState, ...]:
    """All states of a recording whose lanes train on one practice graph under one reward, at its end.

    Raises:
        ValueError: Its states are not listed.
    """
    scene, first = recording.lanes[0].scenes[-1], recording.lanes[0]
    last = [lane.frames[-1].stop for lane in recording.lanes]
    if scene.target is None or None in last:
        raise ValueError("the states of this recording are not listed")
    level = np.array([len(state) - 1 for state in scene.states])
    parent, child, _ = np.array(scene.links).T
    space = StateSpace(StateDag.of_levels(level, parent, child), np.array(scene.log_reward, dtype=np.float64))
    target, by_orders = decode_probabilities(scene.target), np.exp(space.log_sequence)
    drawn = np.stack([decode_probabilities(stop) for stop in last if stop is not None], axis=1)  # [S, lanes]
    trajectories = first.frames[-1].step * first.training.config.batch_size
    visits = np.rint(decode_probabilities(first.frames[-1].visits) * trajectories)
    labels = [node.label for node in scene.nodes]
    return tuple(
        FinalState(
            "".join(sorted(labels[node] for node in state)),
            round(math.exp(space.log_orders[at])),
            float(target[at]),
            float(by_orders[at]),
            tuple(map(float, drawn[at])),
            int(visits[at]),
        )
        for at, state in enumerate(scene.states)
    )


def most_wrong(states: tuple[FinalState, ...], lane: int) -> int:
    """The state that a lane draws too often by most."""
    return max(range(len(states)), key=lambda at: states[at].drawn[lane] - states[at].target)


def state_words(state: FinalState, names: tuple[str, ...]) -> str:
    """What is to be seen of a state, in sentences."""
    drawn = listed([f"{name}: **{solid_percent(share)}**" for name, share in zip(names, state.drawn, strict=True)])
    return (
        f"**{state.name}** can be built in **{counted(state.orders, 'order')}** and should be sampled in "
        f"**{solid_percent(state.target)}** of cases (R/Z). {drawn}. If every order had the whole reward, it would be "
        f"{solid_percent(state.by_orders)}."
    )
