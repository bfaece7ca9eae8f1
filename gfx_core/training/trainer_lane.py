"""A lane on an instance with too many states to be listed: the trainer itself, on this one instance.

This module is imported in workers: it needs torch.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from gfx_core.errors import UserError
from gfx_core.gfn.events import BatchLearned, TrainingEvent
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.reports import NotANumberError
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import LearningConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.provenance import provenance
from gfx_core.training.configuration import LISTED, reward_config, trainer_config
from gfx_core.training.lane import Lane, begin_high
from gfx_core.training.network_weights import of_size
from gfx_core.training.place import Place
from gfx_core.training.setting import LaneSetting, LearnsFrom, changes_reward
from gfx_core.training.visited_states import VisitedStates
from gfx_core.training.watch import auc, instance_part, rounded

MOST_EXACT = 20_000
"""Instances with more states are not learnt from exact flows."""


class TrainerLane(Lane):
    """A training of which only visited states can be shown."""

    def __init__(self, setting: LaneSetting, place: Place) -> None:
        super().__init__(setting, place)
        self._begins_with = self._shipped()
        self._config = trainer_config(setting, None if self._begins_with is None else self._begins_with.config)
        if setting.learns_from is LearnsFrom.ALL:
            learning = LearningConfig(exact_cap=MOST_EXACT, exact_states=LISTED, exact_alone=True)
            self._config = replace(self._config, learning=learning)
        self.trainer = self._make()
        self.visited = VisitedStates(place.instance, place.start)
        self._first_look()

    def _make(self) -> Trainer:
        place, setting = self.place, self.setting
        start = None if place.instance.target is not None else place.start
        reward = place.reward(setting)
        trainer = Trainer(place.predictor, self._config, reward=reward, start=start, repeats=setting.batch)
        if setting.learns_from is LearnsFrom.ALL and trainer.exact is None:
            raise UserError("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if self._begins_with is not None:
            trainer.policy.load_state_dict(of_size(self._begins_with.policy, self._config.max_nodes).state_dict())
        elif trainer.exact is None:
            begin_high(trainer.policy, trainer.graphs, self._best_met(trainer))
        trainer.listeners.append(self._hear)
        return trainer

    def _best_met(self, trainer: Trainer) -> float:
        """The best log R on some random walks."""
        generator = torch.Generator().manual_seed(self.setting.seed)
        (episodes,) = trainer.batches
        each = torch.zeros(32, dtype=torch.long)
        walks = sample(trainer.policy, episodes, each, trainer.reward, epsilon=1.0, generator=generator)
        return float(trainer.reward(walks.order, walks.instance).max())

    def _first_look(self) -> None:
        """Some trajectories before the first step, so that there is something to be seen."""
        generator = torch.Generator().manual_seed(self.setting.seed + 1)
        (episodes,) = self.trainer.batches
        trajectories, parents = self.trainer.sample(episodes, generator)
        final = self.trainer.reward(trajectories.order, trajectories.instance)
        self._hear(BatchLearned(0, trajectories, parents, final))

    def _hear(self, event: TrainingEvent) -> None:
        if isinstance(event, BatchLearned):
            self.visited.see(event)
            self._log_reward = float(event.log_reward.mean())

    def _learn(self) -> float:
        try:
            self.trainer.run_epoch()
        except NotANumberError:
            return math.nan
        return self.trainer.curve[-1].loss

    def change(self, setting: LaneSetting) -> None:
        before, self.setting, trainer = self.setting, setting, self.trainer
        self._config = replace(self._config, epsilon=setting.epsilon, lr=setting.lr, reward=reward_config(setting))
        trainer.config, trainer.repeats = self._config, setting.batch
        trainer.steps.change_rate(setting.lr)
        if changes_reward(before, setting):
            trainer.reward = self.place.reward(setting)
            if "best" in dict(trainer.objective.named_buffers()):
                trainer.objective.get_buffer("best").fill_(-torch.inf)
            self._forget_good()
            nodes = torch.from_numpy(self.visited.subsets)
            self.visited.reward_again(trainer.reward(nodes, torch.zeros_like(nodes[:, 0])).double().numpy())

    def scene(self, first: int) -> dict[str, Any]:
        place = self.place
        predicted, probability = place.predicted
        return {
            "from": first,
            **instance_part(place.instance, place.has_truth, bool(place.instance.node_names)),
            "start": place.start,
            "classes": list(place.classes),
            "predicted": predicted,
            "probability": round(probability, 4),
            "has_truth": place.has_truth,
            **self.visited.scene_part(),
        }

    def frame(self, scene: int) -> dict[str, Any]:
        trainer, curve = self.trainer, self.trainer.curve
        told = self.visited.frame_part(trainer.policy, trainer.graphs, self._log_z())
        truth = auc(self.place.instance, told["marginals"]) if self.place.has_truth else None
        head = {
            "step": self.step,
            "seconds": round(self.seconds, 3),
            "scene": scene,
            "loss": rounded(self.loss),
            "residual": rounded(curve[-1].residual) if curve else None,
            "log_reward": rounded(self._log_reward),
        }
        return head | told | {"auc": truth}

    @torch.no_grad()
    def _log_z(self) -> float | None:
        """What trajectory balance takes for log Z; otherwise it is what leaves the start."""
        graphs: FlowGraphs = self.trainer.graphs
        if not self.setting.loss.is_trajectory_balance:
            return None
        return float(self.trainer.objective.get_submodule("log_z")(graphs.features[[self.place.start]]))

    def snapshot(self) -> Callable[[], None]:
        put_back, epochs, rest = self.trainer.steps.snapshot(), self.trainer.epoch, (self.seconds, self.loss)

        def restore() -> None:
            put_back()
            del self.trainer.curve[epochs:]
            self.step, (self.seconds, self.loss) = epochs, rest

        return restore

    def trained(self) -> TrainedPolicy | None:
        about = self.setting.question
        made = provenance("cpu", self.seconds) | {"instances": 1, "trained_on": about.title, "steps": self.step}
        kind = "" if self.setting.plain else about.gnn
        curve = tuple(self.trainer.curve)
        policy = self.trainer.policy.eval()
        return TrainedPolicy(self._config, policy, self.place.locator, about.dataset, kind, curve, made)
