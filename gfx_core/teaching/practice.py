"""The graphs on which the lessons train, their rewards, and what is exactly true there. It needs no torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.exact_flows import Doubles, log_partition, terminal_distribution_from_edges, uniform_backward_flows
from gfx_core.exact.state_dag import StateDag, enumerate_states
from gfx_core.teaching.glossary import term
from gfx_core.teaching.sequences import SequenceTree, sequence_tree
from gfx_core.training.lesson_graphs import FAR as FAR
from gfx_core.training.lesson_graphs import FIRST_FLOW as FIRST_FLOW
from gfx_core.training.lesson_graphs import NEAR as NEAR
from gfx_core.training.lesson_graphs import (
    Practice,
    checked_practice,
    practice_instance,
    practice_rewards,
    state_name,
    toy_instance,
    toy_rewards,
)

Order = tuple[int, ...]


MAX_BETA = 4.0
TRAINING_STEPS, WALKS = 300, 16
"""Gradient steps of lesson 4, and walks drawn for each."""
COMPARING_STEPS = 200
"""Gradient steps of lesson 7."""


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
def ground(practice: str) -> Ground:
    """The states and rewards of a practice graph."""
    which = checked_practice(practice)
    instance = practice_instance(which)
    dag = enumerate_states(instance)
    names = tuple(state_name(instance, dag, state) for state in range(dag.num_states))
    return Ground(instance, dag, names, practice_rewards(which, instance, dag))


def sharpened(reward: Doubles, beta: float) -> Doubles:
    """log R^β of each state: β above 1 makes good states better still, below 1 more alike. [S] → [S]"""
    if not 0 < beta <= MAX_BETA:
        raise UserError(f"β must lie above 0 and be at most {MAX_BETA:g} (got {beta}).")
    return beta * np.log(reward)


def true_log_z(start: str) -> float:
    """log Z of the toy graph for one start node, exactly."""
    toy = toy_instance()
    dag = enumerate_states(toy, ground(Practice.TOY).read_nodes(start)[0])
    return log_partition(np.log(toy_rewards(toy, dag)))


def places(dag: StateDag) -> list[tuple[float, float]]:
    """Where each state is drawn: its size to the right, the states of one size below each other, from 0 to 1. [S]"""
    level: Ints = dag.size - 1
    within = np.arange(dag.num_states) - dag.level_ptr[level]
    count = np.diff(dag.level_ptr)[level]
    across = level / max(1, dag.num_levels - 1)
    down = (within + 0.5) / count
    return [(float(x), float(y)) for x, y in zip(across, down, strict=True)]


def residual(inward: Sequence[float], outward: Sequence[float], reward: float) -> float:
    """log in-flow − log out-flow of one state: 0 exactly if it is in balance."""
    into, out = math.fsum(inward), math.fsum((*outward, reward))
    return 0.0 if into == out else math.log(into) - math.log(out)


def is_shown(step: int, epochs: int, frames: int) -> bool:
    """Whether a step is among the about `frames` ones that are looked at; early steps, where most happens, more often.

    Frame i is step epochs·(i / frames)^1.5; the beginning and the end are always among them.
    """
    if step in (0, epochs):
        return True
    frame = frames * (step / epochs) ** (2 / 3)
    before = frames * ((step - 1) / epochs) ** (2 / 3)
    return math.floor(frame) > math.floor(before)


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
    log_state, log_edge = uniform_backward_flows(dag, log_reward)
    log_stop = terminal_distribution_from_edges(dag, log_edge, log_reward)
    return WaterFlows(rewards, z, np.exp(log_state), np.exp(log_edge), np.exp(log_stop), rewards / z)


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
    told = "A step is taken with probability flow / total flow"
    if total > 0:
        amount, what = (
            (flows.edge[goes[-1]], f"goes on to {names[dag.child[goes[-1]]]}")
            if len(goes)
            else (flows.reward[state], "stops")
        )
        told += f": from {names[state]} a walk {what} with {amount:.4g} / {total:.4g} = {100 * amount / total:.0f} %"
    water = f"{term('partition', 'Z')} = {flows.z:.4g} is all the water, the sum of all rewards"
    return f"{told}. So a drop drains at s with probability R(s)/Z; {water}."


def _sum(parts: Sequence[tuple[float, str]]) -> str:
    return " + ".join(f"{amount:.4g} {words}" for amount, words in parts)
