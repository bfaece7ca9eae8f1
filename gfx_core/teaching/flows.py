"""The flow that belongs to given rewards, and what it leads to: the numbers of the lesson on water."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.errors import UserError
from gfx_core.gfn.exact import Doubles, terminal_distribution_from_edges, uniform_backward_flows
from gfx_core.gfn.state_dag import StateDag
from gfx_core.teaching.glossary import term


@dataclass(frozen=True, eq=False)
class Flows:
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


def solve_flows(dag: StateDag, reward: ArrayLike) -> Flows:
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
    return Flows(rewards, z, np.exp(log_state), np.exp(log_edge), np.exp(log_stop), rewards / z)


def balance_words(dag: StateDag, names: Sequence[str], flows: Flows, state: int) -> str:
    """What flows into a state and out of it, written out."""
    came, goes = np.flatnonzero(dag.child == state), np.flatnonzero(dag.parent == state)
    inward = _sum([(flows.edge[k], f"from {names[dag.parent[k]]}") for k in came]) if len(came) else "Z, all the water"
    outward = _sum([(flows.reward[state], "stops here"), *((flows.edge[k], f"to {names[dag.child[k]]}") for k in goes)])
    return (
        f"**{names[state]}** · in: {inward} = **{flows.state[state]:.4g}** = out: {outward}. "
        f"What {term('flow', 'flows')} in flows out, in every state."
    )


def step_words(dag: StateDag, names: Sequence[str], flows: Flows, state: int) -> str:
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
