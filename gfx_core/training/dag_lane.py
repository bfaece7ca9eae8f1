"""A lane on an instance whose states are all listed: a table of flows, or a network asked about all states at once.

This module is imported in workers: it needs torch.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.device import seeded
from gfx_core.exact.listed_states import NetworkFlows
from gfx_core.exact.tabular import DagFlows, Paths, TabularPolicy, draw, loss_on
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.objectives import log_z_module
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.trainer import LARGEST
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

LR_LOG_Z = 0.1
"""Learning rate of log Z in trajectory balance."""


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
        self.log_reward = environment.log_rewards(setting)
        self.flows = self._make()
        self._exact: ExactTargets | None = None
        self._target()
        slow = [each for name, each in self.flows.named_parameters() if not name.startswith("log_z")]
        fast = [each for name, each in self.flows.named_parameters() if name.startswith("log_z")]
        groups = [{"params": slow}] + ([{"params": fast}] if fast and setting.loss.is_trajectory_balance else [])
        self._optimizer = torch.optim.Adam(groups, lr=setting.lr, betas=(0.9, 0.95), fused=True)

    # What learns

    def _make(self) -> DagFlows:
        if self.setting.learner is FlowModel.TABLE:
            table = TabularPolicy(self.dag, self.log_reward, self.setting.parents, self.setting.stop)
            if self.setting.is_lesson and self.setting.learns_from is LearnsFrom.TRAJECTORIES:
                nn.init.constant_(table.log_edge, math.log(FIRST_FLOW))  # as lesson 4 begins
            return table
        shipped = self._shipped()
        config = self._config = trainer_config(self.setting, None if shipped is None else shipped.config)
        graphs = self._graphs = FlowGraphs(self.environment.predictor, config.policy)
        with seeded(self.setting.seed):
            policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
            log_z = log_z_module(config, graphs)
        if shipped is None:  # at the best reward, where a table begins too: flows that begin low hardly come up
            begin_high(policy, graphs, float(self.log_reward.max()))
        else:
            policy.load_state_dict(policy_of_size(shipped.policy, config.max_nodes).state_dict())
        return NetworkFlows(policy, graphs, self.dag, self.log_reward, self.setting.parents, log_z)

    def _target(self) -> None:
        """What a network is told where it learns from all states."""
        if isinstance(self.flows, NetworkFlows) and self.setting.learns_from is LearnsFrom.ALL:
            rewards = _RewardTable(self.log_reward, self.dag)
            self._exact = ExactTargets(self._graphs, rewards, self._config, [self.dag])  # type: ignore[arg-type]

    def _learn(self) -> float:
        flows, delta = self.flows, None
        if isinstance(flows, NetworkFlows):
            flows.refresh()
            delta = self._config.delta
        config = replace(trainer_config(self.setting), delta=delta)
        if self._exact is not None:
            assert isinstance(flows, NetworkFlows)
            loss = self._exact.loss(flows.policy, self._exact.draw(LISTED, self._generator))
        else:
            sampled = self.setting.learns_from is not LearnsFrom.ALL
            paths = draw(flows, config, self._generator, full=not sampled)
            loss = loss_on(flows, config, paths)
            if sampled:
                self._count(paths)
        value = float(loss.detach())
        if not math.isfinite(value):
            return value
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if isinstance(flows, NetworkFlows):
            nn.utils.clip_grad_norm_(flows.parameters(), LARGEST)
        rate = self.rate()
        for group, full in zip(self._optimizer.param_groups, (self.setting.lr, LR_LOG_Z), strict=False):
            group["lr"] = full * rate
        self._optimizer.step()
        return value

    def _count(self, paths: Paths | None) -> None:
        if paths is None:
            return
        self._latest = paths
        self._visits += paths.states.flatten().bincount(minlength=self.dag.num_states + 1).numpy()
        self._total += paths.states.shape[1]

    def change(self, setting: LaneSetting) -> None:
        before, self.setting = self.setting, setting
        if not changes_reward(before, setting):
            return
        self.log_reward = self.environment.log_rewards(setting)
        self.flows.log_reward.copy_(torch.from_numpy(self.log_reward))
        self._target()
        self._forget_good()

    # What is shown

    def _states(self) -> dict[str, Any]:
        return listed_part(self.dag, self.environment.instance, self.log_reward)

    @torch.no_grad()
    def _flows_now(self) -> dict[str, Any]:
        flows = self.flows
        if isinstance(flows, NetworkFlows):
            flows.refresh()
        return listed_frame(
            self.dag, self.environment.instance, self.log_reward, self._now(), self._visited(), self.setting.parents
        )

    def _now(self) -> FlowsNow:
        flows = self.flows
        log_in, log_out = _numbers(flows.log_in()), _numbers(flows.log_out())
        log_z = float(flows.log_z) if self.setting.loss.is_trajectory_balance else float(log_out[0])
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
        weights = copy.deepcopy(self.flows.state_dict())
        adam = copy.deepcopy(self._optimizer.state_dict())
        noise, visits = self._generator.get_state(), self._visits.copy()
        rest = (self.step, self.seconds, self._total, self._latest, self.loss)

        def restore() -> None:
            self.flows.load_state_dict(weights)
            self._optimizer.load_state_dict(copy.deepcopy(adam))
            self._generator.set_state(noise)
            self._visits = visits.copy()
            self.step, self.seconds, self._total, self._latest, self.loss = rest
            if isinstance(self.flows, NetworkFlows):
                self.flows.refresh()

        return restore

    def trained(self) -> TrainedPolicy | None:
        if not isinstance(self.flows, NetworkFlows):
            return None
        config = replace(self._config, reward=reward_config(self.setting))
        return self._as_trained(config, self.flows.policy)


class _RewardTable:
    """log R of listed states, looked up: what `ExactTargets` asks of a reward."""

    def __init__(self, log_reward: Doubles, dag: Any) -> None:
        self._values, self._dag = torch.from_numpy(log_reward).float(), dag

    def __call__(self, subsets: Tensor, _instance: Tensor) -> Tensor:
        nodes = subsets.numpy()
        members = np.zeros((len(nodes), self._dag.num_nodes + 1), dtype=bool)
        members[np.arange(len(nodes))[:, None], nodes] = True  # -1 marks the spare last column
        return self._values[torch.from_numpy(self._dag.indices_of(members[:, :-1]))]


def _numbers(values: Tensor) -> Doubles:
    return values.detach().double().numpy()
