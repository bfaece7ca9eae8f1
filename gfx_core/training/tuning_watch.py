"""A policy that is trained further on one prediction, watched: the same frames as the Train page shows.

This module is imported in workers: it needs torch.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from gfx_core.crew.context import JobContext
from gfx_core.errors import UserError
from gfx_core.gfn.events import EpochEnded, TrainingEvent
from gfx_core.gfn.trainer import Trainer
from gfx_core.question import Question
from gfx_core.training.pace import BYTES_A_SECOND, Pace
from gfx_core.training.place import Place
from gfx_core.training.watched import WatchedLane, lane_setting


class TuningWatch:
    """Emits what a trainer does on one prediction, where its states can be listed; a step is an epoch.

    The events are ``lanes``, ``scene`` and ``frame``, as of `gfx_core.training.whole_set`.

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
