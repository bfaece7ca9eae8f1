"""The graphs on which the lessons train, their rewards, and what is exactly true there. It needs no torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.arrays import Doubles
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.settings import Loss
from gfx_core.teaching.glossary import term
from gfx_core.teaching.sequences import SequenceTree, sequence_tree
from gfx_core.text.numbers import counted, listed, ranges, solid_percent
from gfx_core.training.codes import decode_probabilities
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards, state_name
from gfx_core.training.recording import Recording

Order = tuple[int, ...]

COMPARED_LOSSES = (
    Loss.FLOW_MATCHING,
    Loss.DETAILED_BALANCE,
    Loss.TRAJECTORY_BALANCE,
    Loss.SUB_TRAJECTORY_BALANCE,
)
"""What lesson 7 holds against each other; trajectory balance has one log Z for all start nodes."""
COMPARING_STEPS, COMPARING_BATCH = 200, 32
"""Gradient steps of each, and the trajectories from each start node in a step."""


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
    def tree(self) -> SequenceTree:
        """All orders."""
        return sequence_tree(self.dag)

    def word(self, order: Sequence[int]) -> str:
        """An order, or a set, as one word such as ``acb``."""
        return "".join(map(self.instance.node_label, order))

    def arrows(self, order: Sequence[int]) -> str:
        """An order for people."""
        return " → ".join(map(self.instance.node_label, order))

    def read_nodes(self, word: str) -> Order:
        """The nodes of a word.

        Raises:
            KeyError: if a letter is no node.
        """
        nodes = {self.instance.node_label(node): node for node in range(self.instance.num_nodes)}
        return tuple(nodes[letter] for letter in word)

    def read_order(self, word: str) -> Order:
        """An order from its word.

        Raises:
            KeyError: if no set can be built so.
        """
        return self.tree.orders[self.tree.number[self.read_nodes(word)]]


@lru_cache(maxsize=8)
def ground(practice: Practice) -> Ground:
    """The states and rewards of a practice graph."""
    instance = practice_instance(practice)
    dag = enumerate_states(instance)
    names = tuple(state_name(instance, dag, state) for state in range(dag.num_states))
    return Ground(instance, dag, names, practice_rewards(practice, instance, dag))


def true_log_z(start: str) -> float:
    """log Z of the toy graph for one start node, exactly."""
    toy = ground(Practice.TOY)
    dag = enumerate_states(toy.instance, toy.read_nodes(start)[0])
    return float(StateSpace(dag, np.log(practice_rewards(Practice.TOY, toy.instance, dag))).log_z[0])


def residual(inward: Sequence[float], outward: Sequence[float], reward: float) -> float:
    """log in-flow − log out-flow of one state: 0 exactly if it is in balance."""
    into, out = math.fsum(inward), math.fsum((*outward, reward))
    return 0.0 if into == out else math.log(into) - math.log(out)


# The flow that belongs to given rewards, and what it leads to: the numbers of the lesson on water.


@dataclass(frozen=True, eq=False)
class WaterFlows:
    """Rewards and the flow that ends as them, coming to every state from its parents in equal shares.

    Attributes:
        reward: R(s), what flows from each state to STOP. [S]
        z: Z, their sum.
        state: F(s), what flows through each state; Z at the start. [S]
        edge: F(s → s'), of each edge of the DAG. [E]
        stop: P(stop at s) of the walk that follows the flow, found by walking, not by dividing by Z. [S]
        target: R(s)/Z. [S]
    """

    reward: Doubles
    z: float
    state: Doubles
    edge: Doubles
    stop: Doubles
    target: Doubles

    @property
    def log_edge(self) -> Doubles:
        """log F of each edge, −inf where nothing flows. [E]"""
        with np.errstate(divide="ignore"):
            return np.log(self.edge)


def solve_flows(dag: StateDag, reward: ArrayLike) -> WaterFlows:
    """Finds the flow for given rewards.

    Args:
        dag: The states.
        reward: R of each state, at least 0 and not all 0. [S]
    """
    rewards = np.asarray(reward, dtype=np.float64)
    if rewards.shape != (dag.num_states,) or not np.isfinite(rewards).all() or (rewards < 0).any():
        raise UserError(f"Give {dag.num_states} rewards, one for each state, none below zero.")
    z = float(rewards.sum())
    if z <= 0:
        raise UserError("At least one reward must be above zero: otherwise nothing flows.")
    with np.errstate(divide="ignore"):
        log_reward = np.log(rewards)
    space = StateSpace(dag, log_reward)
    stop = np.exp(space.walk(space.log_edge).stop)
    return WaterFlows(rewards, z, np.exp(space.log_state), np.exp(space.log_edge), stop, rewards / z)


def balance_words(dag: StateDag, names: Sequence[str], flows: WaterFlows, state: int) -> str:
    """What flows into a state and out of it, written out."""
    came, goes = np.flatnonzero(dag.child == state), np.flatnonzero(dag.parent == state)
    inward = _sum([(flows.edge[k], f"from {names[dag.parent[k]]}") for k in came]) if len(came) else "Z, all the water"
    outward = _sum([(flows.reward[state], "stops here"), *((flows.edge[k], f"to {names[dag.child[k]]}") for k in goes)])
    return (
        f"**{names[state]}** · in: {inward} = **{flows.state[state]:.4g}** = out: {outward}. "
        f"What {term('flow', 'flows')} in flows out, in every state."
    )


def step_words(dag: StateDag, names: Sequence[str], flows: WaterFlows, state: int) -> str:
    """How flows make probabilities: of one step, with a state's own numbers, and of where a walk ends."""
    goes = np.flatnonzero(dag.parent == state)
    total = flows.state[state]
    words = "A step has the probability flow / total flow"
    if total > 0:
        amount, what = (
            (flows.edge[goes[-1]], f"goes on to {names[dag.child[goes[-1]]]}")
            if len(goes)
            else (flows.reward[state], "stops")
        )
        words += f": from {names[state]} a walk {what} with {amount:.4g} / {total:.4g} = {100 * amount / total:.0f} %"
    water = f"{term('partition', 'Z')} = {flows.z:.4g} is all the water, the sum of all rewards"
    return f"{words}. So a drop drains at s with probability R(s)/Z; {water}."


def _sum(parts: Sequence[tuple[float, str]]) -> str:
    return " + ".join(f"{amount:.4g} {words}" for amount, words in parts)


# What a recorded training shows of each state: its orders, how often it should be drawn, how often it is.
#
# It needs no torch.


@dataclass(frozen=True)
class FinalState:
    """A state at the end of a training.

    Attributes:
        name: Its nodes.
        orders: In how many orders it can be built.
        target: R/Z.
        by_orders: What it would be if every order had the whole reward: orders · R over the sum of all of these.
        drawn: P(stop) under the policy of each lane.
    """

    name: str
    orders: int
    target: float
    by_orders: float
    drawn: tuple[float, ...]


def final_states(recording: Recording) -> tuple[FinalState, ...]:
    """All states of a recording whose lanes train on one instance under one reward, at its end.

    Raises:
        ValueError: Its states are not listed.
    """
    scene = recording.lanes[0].scenes[-1]
    last = [lane.frames[-1].stop for lane in recording.lanes]
    if scene.target is None or None in last:
        raise ValueError("the states of this recording are not listed")
    level = np.array([len(state) - 1 for state in scene.states])
    parent, child, _ = np.array(scene.links).T
    space = StateSpace(StateDag.of_levels(level, parent, child), np.array(scene.log_reward, dtype=np.float64))
    target, by_orders = decode_probabilities(scene.target), np.exp(space.log_sequence)
    drawn = np.stack([decode_probabilities(stop) for stop in last if stop is not None], axis=1)  # [S, lanes]
    labels = [node.label for node in scene.nodes]
    return tuple(
        FinalState(
            _named([labels[node] for node in state]),
            round(math.exp(space.log_orders[at])),
            float(target[at]),
            float(by_orders[at]),
            tuple(map(float, drawn[at])),
        )
        for at, state in enumerate(scene.states)
    )


def final_visits(recording: Recording) -> list[int]:
    """How many trajectories of the first lane passed each state, until its end. [S]"""
    lane = recording.lanes[0]
    trajectories = lane.frames[-1].step * lane.training.config.batch_size
    return [round(share * trajectories) for share in decode_probabilities(lane.frames[-1].visits).tolist()]


def _named(labels: Sequence[str]) -> str:
    """The nodes of a set as one word where they are letters, or as few numbers as say it."""
    if all(label.isdecimal() for label in labels):
        return ranges(sorted(map(int, labels)))
    return ("" if max(map(len, labels)) == 1 else "–").join(sorted(labels))


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
