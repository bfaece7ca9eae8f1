"""The tree of sequences: what becomes of the states if the order in which a set was built is not forgotten.

GFlow-Sequence takes every order for a state of its own. Its states form a tree, each with one parent, and a set that
can be built in k orders stands in it k times. Merging the copies gives the state DAG back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace
from gfx_core.teaching.glossary import term
from gfx_core.training.lesson_graphs import state_name

BATCH = 1_000
"""Subgraphs drawn in one go."""


@dataclass(frozen=True, eq=False)
class SequenceTree:
    """All orders in which states can be built; a parent comes before its children, shorter before longer.

    Attributes:
        orders: The nodes of each sequence in the order in which they were added.
        state: The set each sequence leads to, by its number in the DAG. [T]
        parent: The sequence without its last node; -1 for the first. [T]
    """

    orders: tuple[tuple[int, ...], ...]
    state: Ints
    parent: Ints

    @property
    def num_sequences(self) -> int:
        return len(self.orders)

    @cached_property
    def number(self) -> dict[tuple[int, ...], int]:
        """Finds a sequence by its order."""
        return {order: index for index, order in enumerate(self.orders)}

    @cached_property
    def dag(self) -> StateDag:
        """The tree as a DAG whose states are the sequences."""
        level = np.array([len(order) - 1 for order in self.orders])
        return StateDag.of_levels(level, self.parent[1:], np.arange(1, self.num_sequences))

    def orders_of(self, state: int) -> list[tuple[int, ...]]:
        """All orders in which a set can be built."""
        return [self.orders[index] for index in np.flatnonzero(self.state == state)]


def sequence_tree(dag: StateDag) -> SequenceTree:
    """List all sequences."""
    orders: list[tuple[int, ...]] = [(dag.start,)]
    state, parent = [0], [-1]
    index = 0
    while index < len(orders):
        for edge in range(int(dag.out_ptr[state[index]]), int(dag.out_ptr[state[index] + 1])):
            orders.append((*orders[index], int(dag.node[edge])))
            state.append(int(dag.child[edge]))
            parent.append(index)
        index += 1
    return SequenceTree(tuple(orders), np.array(state), np.array(parent))


def draw_sets(dag: StateDag, reward: Doubles, count: int, rng: np.random.Generator) -> Ints:
    """How often each state was the last of so many walks that follow the flow: sampled by where these end. [S] → [S]"""
    space = StateSpace(dag, np.log(reward))
    return rng.multinomial(count, np.exp(space.walk(space.log_edge).stop))


@dataclass(frozen=True, eq=False)
class SequenceDraws:
    """What was drawn, beside what should have been.

    Attributes:
        total: Subgraphs drawn.
        by_sequence: How often each sequence came; empty when copies are merged. [T]
        by_state: How often each set came. [S]
        orders: In how many orders each set can be built. [S]
        target: R/Z of each set. [S]
        expected: Probability of each set with this way of drawing. [S]
    """

    total: int
    by_sequence: Ints
    by_state: Ints
    orders: Ints
    target: Doubles
    expected: Doubles

    @property
    def frequency(self) -> Doubles:
        """Share of the draws that ended at each set. [S]"""
        return self.by_state / max(self.total, 1)

    @property
    def factor(self) -> Doubles:
        """How many times too often each set came: its frequency ÷ R/Z. [S]"""
        return self.frequency / self.target

    @property
    def expected_factor(self) -> Doubles:
        """What the factor comes to with more and more draws. [S]"""
        return self.expected / self.target

    @property
    def highest_factor(self) -> float:
        """What the factor of the set with the most orders comes to where copies are not merged."""
        return float(self.orders.max() / (self.orders @ self.target))

    @property
    def distance(self) -> float:
        """Total variation between what was drawn and what should have been."""
        return float(np.abs(self.frequency - self.target).sum() / 2)


def draw(dag: StateDag, tree: SequenceTree, reward: Doubles, *, batches: int, merged: bool, seed: int) -> SequenceDraws:
    """Draw batches of `BATCH` subgraphs; the first batches stay what they are when more are drawn."""
    states, rewards = (dag, reward) if merged else (tree.dag, reward[tree.state])
    last = np.zeros(states.num_states, dtype=np.int64)
    for batch in range(batches):
        last += draw_sets(states, rewards, BATCH, np.random.default_rng([seed, int(merged), batch]))
    by_state = last if merged else np.bincount(tree.state, last, dag.num_states).astype(np.int64)
    space = StateSpace(dag, np.log(reward))
    return SequenceDraws(
        total=batches * BATCH,
        by_sequence=last[:0] if merged else last,
        by_state=by_state,
        orders=np.rint(np.exp(space.log_orders)).astype(np.int64),
        target=np.exp(space.log_target),
        expected=np.exp(space.log_target if merged else space.log_sequence),
    )


def draws_words(draws: SequenceDraws, names: Sequence[str], reward: Doubles, *, merged: bool) -> str:
    """What happened to the set with the most orders, in numbers.

    Args:
        draws: What was drawn.
        names: Of the sets. [S]
        reward: R of each set. [S]
        merged: Whether copies were merged.
    """
    most = int(np.argmax(draws.orders))
    k = int(draws.orders[most])
    got, wanted = 100 * draws.frequency[most], 100 * draws.target[most]
    if merged:
        words = (
            f"Of {draws.total:,} samples, {got:.1f} % are **{names[most]}**; {wanted:.1f} % should be. "
            "Its copies are one state now, and every factor goes to 1: **P = R/Z**. "
        )
    else:
        words = (
            f"Of {draws.total:,} samples, {got:.1f} % are **{names[most]}** instead of {wanted:.1f} %. It is in the "
            f"tree {'once' if k == 1 else f'{k} times'}: **k·R / ΣkR** = {k} · {reward[most]:g} / "
            f"{float(reward @ draws.orders):g} = {100 * draws.expected[most]:.1f} %. "
        )
    return f"{words}{term('total-variation', 'Total variation')} from R/Z: **{draws.distance:.3f}**."


def sequence_data(
    instance: Instance, dag: StateDag, tree: SequenceTree, draws: SequenceDraws, *, merged: bool
) -> dict[str, Any]:
    """The tree, the DAG and the draws as the browser draws them."""

    def plain(values: Doubles) -> list[float]:
        return [round(float(value), 5) for value in values]

    return {
        "sequences": [
            {
                "name": "".join(instance.node_label(node) for node in order),
                "state": int(state),
                "parent": int(parent),
            }
            for order, state, parent in zip(tree.orders, tree.state, tree.parent, strict=True)
        ],
        "states": [{"name": state_name(instance, dag, state)} for state in range(dag.num_states)],
        "steps": [[int(a), int(b)] for a, b in zip(dag.parent, dag.child, strict=True)],
        "merged": merged,
        "total": draws.total,
        "bySequence": draws.by_sequence.tolist(),
        "byState": draws.by_state.tolist(),
        "orders": draws.orders.tolist(),
        "target": plain(draws.target),
        "frequency": plain(draws.frequency),
        "factor": plain(draws.factor),
        "expectedFactor": plain(draws.expected_factor),
        "highest": round(draws.highest_factor, 5),
    }
