"""A policy that is trained further on one prediction, watched: the same frames as the Train page shows.

This module is imported in workers: it needs torch.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from gfx_core.errors import UserError
from gfx_core.gfn.events import EpochEnded, TrainingEvent
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.network_flows import NetworkFlows
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.job_context import JobContext
from gfx_core.question import Question
from gfx_core.training.dag_lane import DagLane
from gfx_core.training.pace import BYTES_A_SECOND, Pace
from gfx_core.training.place import Place
from gfx_core.training.setting import MAX_BATCH, LaneSetting, LearnsFrom


class WatchedLane(DagLane):
    """A listed instance under a policy that is trained elsewhere.

    Args:
        setting: What to call it.
        place: The instance.
        config: Of the policy.
    """

    def __init__(self, setting: LaneSetting, place: Place, config: GFNConfig) -> None:
        self._config = config
        super().__init__(setting, place)

    def _make(self) -> NetworkFlows:
        config = self._config
        graphs = FlowGraphs(self.place.predictor, config.policy)
        policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
        return NetworkFlows(policy, graphs, self.dag, self.log_reward, config.parents)

    def _target(self) -> None:
        """It learns nothing itself."""

    def take(self, policy: FlowPolicy, curve: Sequence[EpochReport]) -> None:
        """Look at the policy as it is after some epochs."""
        assert isinstance(self.flows, NetworkFlows)
        self.flows.policy.load_state_dict({name: value.cpu() for name, value in policy.state_dict().items()})
        if curve:
            self.step, self.loss = curve[-1].epoch, curve[-1].loss
            self.seconds = sum(report.seconds for report in curve)


def lane_setting(question: Question, config: GFNConfig) -> LaneSetting:
    """What a lane of a watched instance is called: the recipe, as far as a lane has words for it."""
    reward = config.reward
    return LaneSetting(
        question,
        learns_from=LearnsFrom.ALL,
        loss=config.loss,
        parents=config.parents,
        stop=config.stop,
        seed=config.seed,
        epsilon=config.epsilon,
        lr=config.lr,
        batch=min(config.batch_size, MAX_BATCH),
        beta=reward.beta,
        node_price=reward.price("nodes"),
        similarity=reward.price("similarity"),
        max_nodes=config.max_nodes,
        steps=config.epochs,
    )


class TuningWatch:
    """Emits what a trainer does on one prediction, where its states can be listed; a step is an epoch.

    The events are ``{"is": "lanes", "lanes": [{"name", "setting"}]}`` once, then ``scene`` and ``frame`` as of
    `gfx_core.training.live`.

    Args:
        question: Which prediction.
        job: Whom it tells.
        clock: Tells the time, in seconds.
    """

    def __init__(self, question: Question, job: JobContext, clock: Callable[[], float] = time.monotonic) -> None:
        self._question, self._job, self._clock = question.prediction, job, clock
        self._pace = Pace(clock)

    def __call__(self, trainer: Trainer) -> None:
        """Listen to a trainer from now on."""
        question = replace(self._question, start=trainer.start)
        try:
            setting = lane_setting(question, trainer.config)
            place = Place(setting, BYTES_A_SECOND)
        except UserError:  # such a setting has no lane
            return
        if place.dag is None:
            return
        lane = WatchedLane(setting, place, trainer.config)
        self._job.emit({"is": "lanes", "lanes": [{"name": "training on this one", "setting": setting.as_dict()}]})
        self._job.emit({"is": "scene", "lane": 0, "scene": lane.scene(0)})
        self._show(trainer, lane)

        def listen(event: TrainingEvent) -> None:
            if isinstance(event, EpochEnded) and (self._pace.due or event.report.epoch == event.report.epochs):
                self._show(trainer, lane)

        trainer.listeners.append(listen)

    def _show(self, trainer: Trainer, lane: WatchedLane) -> None:
        began = self._clock()
        lane.take(trainer.policy, trainer.curve)
        self._job.emit({"is": "frame", "lane": 0, "frame": lane.frame(0)})
        self._pace.sent(0, self._clock() - began)
