"""The flows of the shipped look-ahead policy on one instance, whatever its data set and GNN. Needs torch."""

from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch

from gfx_core.arrays import Doubles
from gfx_core.exact.enumeration import TooManyStates, enumerate_sets
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.listing import AT_ONCE
from gfx_core.explanation.samplers import (
    Samples,
    SubgraphSampler,
    listed_samples,
    members_of,
    reward_states,
    uniform,
)
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

    Where all states can be listed, the policy looks at all of them once; else at what lies ahead of each sample. The
    arguments are those of `SubgraphSampler`.
    """

    cap = AT_ONCE

    @classmethod
    def shipped(cls, config: GFNConfig, *about: Any) -> Self:
        """Those of the shipped policy under another reward and K_M; what these are about is as for any policy."""
        trained = shipped_look_ahead(LOOK_AHEAD)
        most = min(config.max_nodes, trained.config.max_nodes)
        config = replace(trained.config, reward=config.reward, max_nodes=most)
        return cls(replace(trained, config=config, policy=trained.policy.smaller(most)), *about)

    @property
    def policy(self) -> LookAheadPolicy:
        """The network."""
        assert isinstance(self.trained.policy, LookAheadPolicy)
        return self.trained.policy

    def start_probabilities(self) -> Doubles:
        return self._start_probabilities

    @cached_property
    @torch.no_grad()
    def _start_probabilities(self) -> Doubles:
        nodes = torch.arange(self.instance.num_nodes, device=self.predictor.device)
        episodes = Episodes.of(self.graphs, np.zeros(len(nodes), np.int64), nodes.cpu().numpy())
        states = States(episodes, nodes, nodes[:, None])
        encoded = self.policy.encode(episodes, self.reward)
        flows = self.policy(encoded, states, states.frontier(self.policy.max_nodes))
        log_reward = self.reward(nodes[:, None], torch.zeros_like(nodes))
        return log_out_flow(flows.log_out, log_reward).double().softmax(0).cpu().numpy()

    def draw(self, count: int, seed: int, greedy: bool = False) -> Samples:
        if self.start is None and self._every is None:
            return super().draw(count, seed, greedy)
        chosen, which = np.unique(self.starts(count, seed, greedy), return_inverse=True)
        tables = [table for start in chosen if (table := self.tables(int(start))) is not None]
        if len(tables) < len(chosen):
            return super().draw(count, seed, greedy)
        parts, generator = [], torch.Generator().manual_seed(seed)
        for table, number in zip(tables, np.bincount(which), strict=True):
            noise = None if greedy else uniform(table.space.dag.num_levels, int(number), generator)
            parts.append(listed_samples(table, noise, self.config.max_nodes))
        back = np.argsort(np.argsort(which, kind="stable"))  # in the order of the starts as they were drawn
        return Samples(
            orders=np.concatenate([part.orders for part in parts])[back],
            log_reward=np.concatenate([part.log_reward for part in parts])[back],
            log_forward=np.concatenate([part.log_forward for part in parts])[back],
        )

    @cached_property
    def _every(self) -> StateSpace | None:
        """All connected subgraphs of a graph, whatever they start from; ``None`` where they are too many."""
        if self.start is not None or self.reward.rooted:
            return None
        try:
            return reward_states(self.reward, enumerate_sets(self.instance, self.config.max_nodes, cap=self.cap))
        except TooManyStates:
            return None

    def states(self, start: int) -> StateSpace | None:
        return super().states(start) if self._every is None else self._every.around(self.instance, start)

    def on(self, space: StateSpace) -> tuple[Doubles, Doubles]:
        return self.policy.on(space, self.config.reward, self.predictor.device), space.log_reward

    def evaluate(self, subsets: np.ndarray, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        tables = self.tables(int(subsets[0, 0]))
        if tables is None:
            return super().evaluate(subsets, log_reward)
        return tables.at(members_of(subsets, self.instance.num_nodes))
