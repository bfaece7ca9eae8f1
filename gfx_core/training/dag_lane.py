"""A lane on an instance whose states are all listed: a table of flows, or a network asked about all states at once.

This module is imported in workers: it needs torch.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.device import seeded
from gfx_core.exact.state_space import StateSpace
from gfx_core.exact.tabular import DagFlows, ListedTraining, NetworkFlows, Paths, TableFlows
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.training.frames import FlowsNow, Visits, listed_frame, listed_part
from gfx_core.training.lane import (
    LISTED,
    Environment,
    LiveLane,
    begin_high,
    policy_of_size,
    reward_config,
    trainer_config,
)
from gfx_core.training.lesson_graphs import FIRST_FLOW
from gfx_core.training.setting import FlowModel, LaneSetting, LearnsFrom, changes_reward


class DagLane(LiveLane):
    """A training on a listed DAG; what it does is known exactly at any moment."""

    def __init__(self, setting: LaneSetting, environment: Environment) -> None:
        super().__init__(setting, environment)
        self.dag = environment.all_states()
        self._generator = torch.Generator().manual_seed(setting.seed)
        self._watching = torch.Generator().manual_seed(setting.seed + 1)  # looking changes nothing
        self._visits = np.zeros(self.dag.num_states + 1, dtype=np.int64)
        self._total = 0
        self._latest: Paths | None = None
        self.space = StateSpace(self.dag, environment.log_rewards(setting))
        self.flows = self._make()
        self._exact: ExactTargets | None = None
        self._target()
        full = setting.learns_from is LearnsFrom.ALL
        self.training = ListedTraining(self.flows, self.flows.config, full)

    # What learns

    def _make(self) -> DagFlows:
        if self.setting.learner is FlowModel.TABLE:
            table = TableFlows(self.space, replace(trainer_config(self.setting), delta=None))
            if self.setting.is_lesson and self.setting.learns_from is LearnsFrom.TRAJECTORIES:
                nn.init.constant_(table.score, math.log(FIRST_FLOW))  # as lesson 4 begins
            return table
        shipped = self._shipped()
        config = self._config = trainer_config(self.setting, None if shipped is None else shipped.config)
        graphs = self._graphs = FlowGraphs(self.environment.predictor, config.policy)
        with seeded(self.setting.seed):
            policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
        if shipped is None:  # at the best reward, where a table begins too: flows that begin low hardly come up
            begin_high(policy, graphs, float(self.space.log_reward.max()))
        else:
            policy.load_state_dict(policy_of_size(shipped.policy, config.max_nodes).state_dict())
        return NetworkFlows(policy, graphs, self.space, config)

    def _target(self) -> None:
        """What a network is told where it learns from all states."""
        if isinstance(self.flows, NetworkFlows) and self.setting.learns_from is LearnsFrom.ALL:
            self._exact = ExactTargets(self._graphs, self.space, self._config)

    def _learn(self) -> float:
        training = self.training
        if self._exact is not None:
            assert isinstance(self.flows, NetworkFlows)
            training.steps.set_rates(self.step + 1)
            loss = self._exact.loss(self.flows.policy, self._exact.draw(LISTED, self._generator))
            return float(training.steps.descend(loss)) if bool(loss.isfinite()) else math.nan
        terms = training.step()
        if not training.full:
            self._count(training.latest)
        return float(terms.loss.detach())

    def _count(self, paths: Paths | None) -> None:
        if paths is None:
            return
        self._latest = paths
        self._visits += paths.states.flatten().bincount(minlength=self.dag.num_states + 1).numpy()
        self._total += paths.states.shape[1]

    def change(self, setting: LaneSetting) -> None:
        before, self.setting = self.setting, setting
        config = replace(self.flows.config, epsilon=setting.epsilon, lr=setting.lr, batch_size=setting.batch)
        self.training.config = config
        self.training.steps.change_rate(setting.lr)
        if not changes_reward(before, setting):
            return
        self.space = StateSpace(self.dag, self.environment.log_rewards(setting))
        self.flows.set_reward(self.space)
        self.training.objective.forget_rewards()
        self._target()
        self._forget_good()

    # What is shown

    def _states(self) -> dict[str, Any]:
        return listed_part(self.space, self.environment.instance)

    @torch.no_grad()
    def _flows_now(self) -> dict[str, Any]:
        flows = self.flows
        flows.refresh()
        return listed_frame(self.space, self.environment.instance, self._now(), self._visited(), self.setting.parents)

    def _now(self) -> FlowsNow:
        flows = self.flows
        log_in, log_out = _numbers(flows.log_in()), _numbers(flows.log_out())
        log_z = self.training.log_z()
        return FlowsNow(_numbers(flows.log_edge), _numbers(flows.log_stop), log_in, log_out, log_z)

    def _visited(self) -> Visits:
        """What was seen of trajectories; where none were sampled to learn from, some are to be looked at."""
        paths = self._latest
        if paths is None or self.setting.learns_from is LearnsFrom.ALL:
            paths = self.flows.sample(self.setting.batch, self._watching)
            if self.setting.learns_from is LearnsFrom.ALL:
                self._count(paths)
        latest = paths.states.flatten().bincount(minlength=self.dag.num_states + 1).numpy()[:-1]
        visits, total = (self._visits[:-1], self._total) if self._total else (latest, paths.states.shape[1])
        return Visits(visits, total, latest, paths.terminal.numpy())

    # Where it is

    def snapshot(self) -> Callable[[], None]:
        put_back, noise, visits = self.training.snapshot(), self._generator.get_state(), self._visits.copy()
        rest = (self.step, self.seconds, self._total, self._latest, self.loss)

        def restore() -> None:
            put_back()
            self._generator.set_state(noise)
            self._visits = visits.copy()
            self.step, self.seconds, self._total, self._latest, self.loss = rest
            self.flows.refresh()

        return restore

    def trained(self) -> TrainedPolicy | None:
        if not isinstance(self.flows, NetworkFlows):
            return None
        config = replace(self._config, reward=reward_config(self.setting))
        return self._as_trained(config, self.flows.policy)


def _numbers(values: Tensor) -> Doubles:
    return values.detach().double().numpy()
