"""The flows of the shipped look-ahead policy on one instance, whatever its data set and GNN. Needs torch."""

from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.files import read_once
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.objectives import log_out_flow
from gfx_core.gfn.own_policies import LOOK_AHEAD
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.states import States
from gfx_core.look_ahead.policy import LookAheadPolicy, load_look_ahead

shipped_look_ahead = read_once(1)(load_look_ahead)


class LookAheadSampler(SubgraphSampler):
    """The flows of a look-ahead policy; in a graph task each sample starts at a node by the flow out of it.

    The arguments are those of `SubgraphSampler`.
    """

    kind = FlowSource.LOOK_AHEAD

    @classmethod
    def shipped(cls, config: GFNConfig, *about: Any) -> Self:
        """Those of the shipped policy under another reward and K_M; what these are about is as for any policy."""
        trained = shipped_look_ahead(LOOK_AHEAD)
        most = min(config.max_nodes, trained.config.max_nodes)
        config = replace(trained.config, reward=config.reward, max_nodes=most)
        return cls(replace(trained, config=config, policy=trained.policy.smaller(most)), *about)

    def start_probabilities(self) -> Doubles:
        return self._start_probabilities

    @cached_property
    @torch.no_grad()
    def _start_probabilities(self) -> Doubles:
        nodes, policy = torch.arange(self.instance.num_nodes, device=self.predictor.device), self.trained.policy
        episodes = Episodes.of(self.graphs, np.zeros(len(nodes), np.int64), nodes.cpu().numpy())
        states = States(episodes, nodes, nodes[:, None])
        flows = policy(policy.encode(episodes, self.reward), states, states.frontier(policy.max_nodes))
        log_reward = self.reward(nodes[:, None], torch.zeros_like(nodes))
        return log_out_flow(flows.log_out, log_reward).double().softmax(0).cpu().numpy()

    def on(self, space: StateSpace) -> tuple[Doubles, Doubles]:
        policy = self.trained.policy
        assert isinstance(policy, LookAheadPolicy)
        return policy.on(space, self.config.reward, self.predictor.device), space.log_reward
