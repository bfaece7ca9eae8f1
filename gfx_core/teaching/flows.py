"""The flow that belongs to given rewards, and what it leads to: the numbers of the lesson on water."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.errors import UserError
from gfx_core.gfn.exact import Doubles, terminal_distribution_from_edges, uniform_backward_flows
from gfx_core.gfn.state_dag import StateDag


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
