"""What explanations are drawn and recorded from, whatever gives the flows: a trained policy or a list of all states."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.exact import terminal_distribution_from_edges
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.state_dag import ENUMERATION_CAP, StateDag, TooManyStates, enumerate_states
from gfx_core.gnn.predict import Predictor

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Generated:
    """Subgraphs of one instance, from one start node: orders [N, K] padded with -1, and the rest [N]."""

    start: int
    orders: Ints
    log_reward: Doubles
    log_forward: Doubles


@dataclass(frozen=True, eq=False)
class Listing:
    """All states from one start node, and log R of each. [S]"""

    dag: StateDag
    log_reward: Doubles


@dataclass(frozen=True)
class PathFlows:
    """Log-flows of the T states of one trajectory, by node; −∞ where there is no such action or parent.

    Attributes:
        frontier: Nodes that can be added. [T, m]
        parents: Nodes whose removal gives a parent that counts. [T, m]
        log_out: log F(s → s∪{a}). [T, m]
        log_in: log F(s∖{u} → s). [T, m]
        log_stop: log F(s → STOP). [T]
    """

    frontier: Bools
    parents: Bools
    log_out: Doubles
    log_in: Doubles
    log_stop: Doubles

    @property
    def log_out_flow(self) -> Doubles:
        """Everything that leaves each state, STOP included. [T]"""
        return np.logaddexp(np.logaddexp.reduce(self.log_out, axis=1), self.log_stop)

    @property
    def log_in_flow(self) -> Doubles:
        """Everything that comes to each state. [T]"""
        return np.logaddexp.reduce(self.log_in, axis=1)


class SubgraphSource(ABC):
    """Flows at work on one instance.

    Args:
        config: K_M, the reward and which parents count.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        reward: What makes its subgraphs good.
        listings: What is known already of its states, by start node, under the same reward and K_M.
    """

    flows: FlowSource
    cap: int = ENUMERATION_CAP

    def __init__(
        self,
        config: GFNConfig,
        predictor: Predictor,
        instance: Instance,
        reward: Reward,
        listings: dict[int, Listing] | None = None,
    ) -> None:
        self.config, self.predictor, self.instance, self.reward = config, predictor, instance, reward
        self.device = predictor.device
        self.listings = {} if listings is None else listings

    @abstractmethod
    def locate(self) -> int:
        """The start node: the explained node, or the one to start a whole graph's explanation from."""

    @abstractmethod
    def draw(self, count: int, seed: int, start: int | None = None, greedy: bool = False) -> Generated:
        """Draw subgraphs from one start node."""

    @abstractmethod
    def draw_anywhere(self, count: int, seed: int) -> Ints:
        """Draw the subgraphs whose edges are counted for the edge marginals. [N, K]"""

    @abstractmethod
    def flows_on(self, dag: StateDag, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        """The log-flow along each edge of a DAG of states, and from each state to STOP. [E], [S]"""

    @abstractmethod
    def flows_along(self, path: Ints, log_reward: Doubles) -> PathFlows:
        """The flows of every state of one trajectory: its nodes in order, and log R of each prefix. [T], [T]"""

    @abstractmethod
    def counterpart(self, start: int) -> "SubgraphSource | None":
        """The other kind of flows on the same instance, to compare with; ``None`` where there is none."""

    @abstractmethod
    def policy_made(self) -> dict[str, Any] | None:
        """How the trained policy was made; ``None`` where none has a part in it."""

    def log_rewards(self, subsets: Ints) -> Doubles:
        """log R of many subsets, start node first, padded with -1. [n, K] → [n]"""
        nodes = torch.from_numpy(subsets).to(self.device)
        parts = [self.reward(part, torch.zeros_like(part[:, 0])) for part in nodes.split(8192)]
        return torch.cat(parts).double().cpu().numpy()

    def listing(self, start: int) -> Listing:
        """All states from a start node.

        Raises:
            TooManyStates: There are more than ``cap``.
        """
        known = self.listings.get(start)
        if known is None or known.dag.num_states > self.cap:  # the cap decides, not what somebody asked for before
            dag = enumerate_states(self.instance, start, self.config.max_nodes, cap=self.cap)
            known = self.listings[start] = Listing(dag, self.log_rewards(dag.subsets))
        return known

    def listed(self, start: int) -> Listing | None:
        """All states from a start node, or ``None`` where they are too many."""
        try:
            return self.listing(start)
        except TooManyStates:
            return None

    def terminal_distribution(self, dag: StateDag, log_reward: Doubles) -> Doubles:
        """log-probability to stop at each state of a listed instance. [S]"""
        return terminal_distribution_from_edges(dag, *self.flows_on(dag, log_reward))
