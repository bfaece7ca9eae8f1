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
from gfx_core.gfn.dag_flows import DagFlows, Paths
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.gradient_steps import LARGEST
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.network_flows import NetworkFlows
from gfx_core.gfn.objectives import log_z_module
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.tabular import TabularPolicy, draw, loss_on
from gfx_core.provenance import provenance
from gfx_core.seeding import seeded
from gfx_core.training.configuration import LISTED, tabular_config, trainer_config
from gfx_core.training.lane import Lane, begin_high
from gfx_core.training.lesson_graphs import FIRST_FLOW
from gfx_core.training.network_weights import of_size
from gfx_core.training.place import Place
from gfx_core.training.setting import LaneSetting, Learner, LearnsFrom, changes_reward
from gfx_core.training.watch import FlowsNow, Seen, auc, instance_part, listed_frame, listed_part, rounded

LR_LOG_Z = 0.1
"""Learning rate of log Z in trajectory balance."""


class DagLane(Lane):
    """A training on a listed DAG; what it does is known exactly at any moment."""

    def __init__(self, setting: LaneSetting, place: Place) -> None:
        super().__init__(setting, place)
        self.dag = place.all_states()
        self._generator = torch.Generator().manual_seed(setting.seed)
        self._watching = torch.Generator().manual_seed(setting.seed + 1)  # looking changes nothing
        self._visits = np.zeros(self.dag.num_states + 1, dtype=np.int64)
        self._total = 0
        self._latest: Paths | None = None
        self.log_reward = place.log_rewards(setting)
        self.flows = self._make()
        self._exact: ExactTargets | None = None
        self._target()
        slow = [each for name, each in self.flows.named_parameters() if not name.startswith("log_z")]
        fast = [each for name, each in self.flows.named_parameters() if name.startswith("log_z")]
        groups = [{"params": slow}] + ([{"params": fast}] if fast and setting.loss.is_trajectory_balance else [])
        self._optimizer = torch.optim.Adam(groups, lr=setting.lr, betas=(0.9, 0.95), fused=True)

    # What learns

    def _make(self) -> DagFlows:
        if self.setting.learner is Learner.TABLE:
            table = TabularPolicy(self.dag, self.log_reward, self.setting.parents, self.setting.stop)
            if self.setting.is_lesson and self.setting.learns_from is LearnsFrom.TRAJECTORIES:
                nn.init.constant_(table.log_edge, math.log(FIRST_FLOW))  # as lesson 4 begins
            return table
        shipped = self._shipped()
        config = self._config = trainer_config(self.setting, None if shipped is None else shipped.config)
        graphs = self._graphs = FlowGraphs(self.place.predictor, config.policy)
        with seeded(self.setting.seed):
            policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
            log_z = log_z_module(config, graphs)
        if shipped is None:  # at the best reward, where a table begins too: flows that begin low hardly come up
            begin_high(policy, graphs, float(self.log_reward.max()))
        else:
            policy.load_state_dict(of_size(shipped.policy, config.max_nodes).state_dict())
        return NetworkFlows(policy, graphs, self.dag, self.log_reward, self.setting.parents, log_z)

    def _target(self) -> None:
        """What a network is told where it learns from all states."""
        if isinstance(self.flows, NetworkFlows) and self.setting.learns_from is LearnsFrom.ALL:
            given = _Given(self.log_reward, self.dag)
            self._exact = ExactTargets(self._graphs, given, self._config, [self.dag])  # type: ignore[arg-type]

    def _learn(self) -> float:
        config, flows = tabular_config(self.setting, self._delta), self.flows
        if isinstance(flows, NetworkFlows):
            flows.refresh()
        if self._exact is not None:
            assert isinstance(flows, NetworkFlows)
            loss = self._exact.loss(flows.policy, self._exact.draw(LISTED, self._generator))
        else:
            paths = draw(flows, config, self._generator)
            loss = loss_on(flows, config, paths)[0]
            if not config.full:
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

    @property
    def _delta(self) -> float | None:
        return self._config.delta if isinstance(self.flows, NetworkFlows) else None

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
        self.log_reward = self.place.log_rewards(setting)
        self.flows.log_reward.copy_(torch.from_numpy(self.log_reward))
        self._target()
        self._forget_good()

    # What is seen

    def scene(self, first: int) -> dict[str, Any]:
        place = self.place
        predicted, probability = place.predicted
        return {
            "from": first,
            **instance_part(place.instance, place.has_truth, bool(place.instance.node_names) and not self._is_lesson),
            "start": place.start,
            "classes": list(place.classes),
            "predicted": predicted,
            "probability": round(probability, 4),
            "has_truth": place.has_truth,
            **listed_part(self.dag, place.instance, self.log_reward),
        }

    @property
    def _is_lesson(self) -> bool:
        return self.setting.is_lesson

    @torch.no_grad()
    def frame(self, scene: int) -> dict[str, Any]:
        flows = self.flows
        if isinstance(flows, NetworkFlows):
            flows.refresh()
        told = listed_frame(
            self.dag, self.place.instance, self.log_reward, self._now(), self._seen(), self.setting.parents
        )
        truth = auc(self.place.instance, told["marginals"]) if self.place.has_truth else None
        head = {"step": self.step, "seconds": round(self.seconds, 3), "scene": scene, "loss": rounded(self.loss)}
        return head | told | {"auc": truth}

    def _now(self) -> FlowsNow:
        flows = self.flows
        log_in, log_out = _numbers(flows.log_in()), _numbers(flows.log_out())
        log_z = float(flows.log_z) if self.setting.loss.is_trajectory_balance else float(log_out[0])
        return FlowsNow(_numbers(flows.log_edge), _numbers(flows.log_stop), log_in, log_out, log_z)

    def _seen(self) -> Seen:
        """What was seen of trajectories; where none were sampled to learn from, some are to be looked at."""
        paths = self._latest
        if paths is None or self.setting.learns_from is LearnsFrom.ALL:
            paths = self.flows.sample(self.setting.batch, self._watching)
            if self.setting.learns_from is LearnsFrom.ALL:
                self._count(paths)
        latest = paths.states.flatten().bincount(minlength=self.dag.num_states + 1).numpy()[:-1]
        visits, total = (self._visits[:-1], self._total) if self._total else (latest, paths.states.shape[1])
        return Seen(visits, total, latest, paths.terminal.numpy())

    # Where it is

    def snapshot(self) -> Callable[[], None]:
        weights = copy.deepcopy(self.flows.state_dict())
        adam = copy.deepcopy(self._optimizer.state_dict())
        luck, visits = self._generator.get_state(), self._visits.copy()
        rest = (self.step, self.seconds, self._total, self._latest, self.loss)

        def restore() -> None:
            self.flows.load_state_dict(weights)
            self._optimizer.load_state_dict(copy.deepcopy(adam))
            self._generator.set_state(luck)
            self._visits = visits.copy()
            self.step, self.seconds, self._total, self._latest, self.loss = rest
            if isinstance(self.flows, NetworkFlows):
                self.flows.refresh()

        return restore

    def trained(self) -> TrainedPolicy | None:
        if not isinstance(self.flows, NetworkFlows):
            return None
        about = self.setting.question
        config: GFNConfig = replace(self._config, reward=trainer_config(self.setting).reward)
        made = provenance("cpu", self.seconds) | {"instances": 1, "trained_on": about.title, "steps": self.step}
        kind = "" if self.setting.plain or self.setting.is_lesson else about.gnn
        dataset = "" if self.setting.is_lesson else about.dataset
        return TrainedPolicy(config, self.flows.policy.eval(), self.place.locator, dataset, kind, (), made)


class _Given:
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
