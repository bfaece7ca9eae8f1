"""Explanations by exact flows: wherever all states of an instance can be listed, nothing need be learnt."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Doubles, first_best
from gfx_core.config import FlowSource
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.subgraph_source import Generated, Listing, PathFlows, SubgraphSource
from gfx_core.gfn import exact
from gfx_core.gfn.exact_flows import ExactFlows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, Parents, Stop
from gfx_core.gfn.state_dag import EXACT_CAP, StateDag, TooManyStates
from gfx_core.gnn.predict import Predictor


class ExactSampler(SubgraphSource):
    """Exact flows at work on one instance: residuals are zero, and draws come from R/Z itself.

    It needs a GNN, a reward and K_M, but no trained policy. In a graph task the start node is the trained policy's,
    chosen by its locator, where there is one beside; without one it is the node with the largest total flow Z(v₀),
    which takes a list of the states from every node. Edge marginals are those of this one start node.

    Args:
        config: K_M and the reward; how a policy is trained does not matter.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        reward: What makes its subgraphs good; by default as the configuration says, for the GNN's own answer.
        learned: A trained policy on the same instance, to compare with.
        listings: See `SubgraphSource`.
    """

    flows = FlowSource.EXACT
    cap = EXACT_CAP

    def __init__(
        self,
        config: GFNConfig,
        predictor: Predictor,
        instance: Instance,
        *,
        reward: Reward | None = None,
        learned: SubgraphSource | None = None,
        listings: dict[int, Listing] | None = None,
    ) -> None:
        config = replace(config, parents=Parents.VALID, stop=Stop.REWARD)
        super().__init__(config, predictor, instance, reward or Reward(predictor, config.reward), listings)
        self.learned = learned
        self._flows: dict[int, ExactFlows] = {}

    @classmethod
    def beside(cls, learned: SubgraphSource) -> "ExactSampler":
        """Exact flows for what a trained policy explains: the same instance, reward and K_M."""
        return cls(
            learned.config,
            learned.predictor,
            learned.instance,
            reward=learned.reward,
            learned=learned,
            listings=learned.listings,
        )

    def locate(self) -> int:
        if self.instance.target is not None:
            return self.instance.target
        if self.learned is not None:
            return self.learned.locate()
        try:
            total = [exact.log_partition(self.listing(node).log_reward) for node in range(self.instance.num_nodes)]
        except TooManyStates as error:
            raise UserError(
                f"Some nodes of this graph are in more than {self.cap:,} connected subgraphs of at most "
                f"{self.config.max_nodes} nodes, so the start node of largest flow is not known: name a start node, or "
                "allow fewer nodes."
            ) from error
        return first_best(total)

    def exact_flows(self, start: int) -> ExactFlows:
        """The flows on all states from a start node."""
        if start not in self._flows:
            listing = self.listing(start)
            self._flows[start] = ExactFlows(listing.dag, listing.log_reward)
        return self._flows[start]

    def draw(self, count: int, seed: int, start: int | None = None, greedy: bool = False) -> Generated:
        start = self.locate() if start is None else start
        flows = self.exact_flows(start)
        paths = flows.greedy(count) if greedy else flows.sample(count, torch.Generator().manual_seed(seed))
        log_reward = self.listing(start).log_reward[paths.terminal.numpy()]
        return Generated(start, flows.orders(paths, self.config.max_nodes), log_reward, flows.log_forward(paths))

    def draw_anywhere(self, count: int, seed: int) -> Ints:
        return self.draw(count, seed).orders

    def flows_on(self, dag: StateDag, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        return exact.uniform_backward_flows(dag, log_reward)[1], log_reward

    def flows_along(self, path: Ints, log_reward: Doubles) -> PathFlows:
        start = int(path[0])
        flows, listing = self.exact_flows(start), self.listing(start)
        members = np.zeros((len(path), self.instance.num_nodes), dtype=bool)
        for t in range(len(path)):
            members[t, path[: t + 1]] = True
        states = listing.dag.indices_of(members)  # [T]
        log_out, log_in = flows.around(states)
        # STOP's flow is the listed R(s), which the other flows add up with to the last digit
        return PathFlows(np.isfinite(log_out), np.isfinite(log_in), log_out, log_in, listing.log_reward[states])

    def counterpart(self, start: int) -> SubgraphSource | None:
        return self.learned

    def policy_made(self) -> dict[str, Any] | None:
        return None if self.learned is None else self.learned.policy_made()
