"""A policy for a whole data set, trained by the recipe of the shipped ones while somebody may watch.

Events, besides ``state``, ``scene``, ``frame`` and ``end`` of `gfx_core.training.live` (a watched instance's step is an
epoch): ``{"is": "lanes", "lanes": [{"name", "setting"}]}`` once; ``{"is": "epoch", "report": {...}}``;
``{"is": "residuals", "epoch", "instances", "values"}`` every few seconds; ``{"is": "kept", "epoch"}`` when it could be
resumed from there; ``{"is": "over", "says"}``. Commands: run, pause, end, alive, stay.

This module is imported in workers: it needs torch.
"""

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gfx_core import storage
from gfx_core.crew.context import JobContext, StoppedError
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.explainers.answers import kept_model
from gfx_core.gfn.events import EpochEnded, TrainingEvent
from gfx_core.gfn.policy_file import TrainedPolicy, resume_training, save_training
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.reports import NotANumberError
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.training.outcome import LEFT_S, PAUSED_S, TIME_UP, TrainedSet
from gfx_core.training.pace import Pace
from gfx_core.training.policy_bytes import policy_bytes
from gfx_core.training.watch import rounded
from gfx_core.training.watched import WatchedLane, residuals_by_instance, watched_lanes
from gfx_core.training.whole_set_setting import WholeSet

KEPT_S = 10.0
"""A training is kept this often, so that it can be resumed."""
RESIDUALS_S = 3.0
"""Residuals by instance are computed no more often than this, and in no more than a tenth of the time."""
MOST_RESIDUALS = 200
_IDLE_S = 0.02


def train_policy(
    wanted: WholeSet, job: JobContext, checkpoint: Path, clock: Callable[[], float] = time.monotonic
) -> TrainedSet:
    """Answer a `TrainPolicy` request."""
    job.report(0.0, "loading the data set")
    dataset = load_dataset(wanted.dataset)
    model = kept_model(wanted.dataset, wanted.gnn)
    indices = [int(index) for index in dataset.explainable] or list(range(dataset.num_instances))
    if wanted.limit is not None:
        indices = indices[:: max(1, len(indices) // wanted.limit)][: wanted.limit]
    job.report(0.0, f"cutting out {len(indices):,} instances")
    cut = [dataset.instance(index, hops=model.hops) for index in indices]
    config = policy_config(wanted.dataset, device=job.device).with_options(epochs=wanted.epochs, seed=wanted.seed)
    job.report(0.0, "listing states")
    trainer = Trainer(SubgraphPredictor(model, cut, job.device), config)
    if wanted.resume and (kept := storage.find(checkpoint)) is not None:
        with contextlib.suppress(UserError):  # it belongs to something else by now, or is damaged: begin anew
            resume_training(trainer, kept)
    lanes = watched_lanes(wanted.dataset, wanted.gnn, wanted.watched or indices, config, bool(wanted.watched))
    live = _LiveSet(trainer, lanes, indices, job, checkpoint, clock)
    says = live.run()
    trained = TrainedPolicy.of(trainer, wanted.dataset, wanted.gnn)
    return TrainedSet(wanted.dataset, wanted.gnn, trainer.epoch, says, policy_bytes(trained))


class _LiveSet:
    """A trainer that tells what it does and hears what is wanted."""

    def __init__(
        self,
        trainer: Trainer,
        lanes: Sequence[WatchedLane],
        indices: Sequence[int],
        job: JobContext,
        checkpoint: Path,
        clock: Callable[[], float],
    ) -> None:
        self._trainer, self._lanes, self._indices, self._job = trainer, lanes, indices, job
        self._checkpoint, self._clock, self._pace = checkpoint, clock, Pace(clock)
        self._running, self._stay, self._why = True, False, ""
        self._heard = self._paused = self._kept = clock()
        self._residuals_due = 0.0
        self._shown = -1

    def run(self) -> str:
        """Train to the end, or as long as anybody wants it; returns how it ended."""
        trainer = self._trainer
        settings = [{"name": lane.setting.title, "setting": lane.setting.as_dict()} for lane in self._lanes]
        self._job.emit({"is": "lanes", "lanes": settings})
        for number, lane in enumerate(self._lanes):
            self._job.emit({"is": "scene", "lane": number, "scene": lane.scene(0)})
        for report in trainer.curve:  # what was done before it was resumed
            self._job.emit({"is": "epoch", "report": asdict(report)})
        self._look()
        self._tell()
        trainer.listeners.append(self._hear)
        says = ""
        try:
            trainer.fit(cancelled=self._unwanted)
        except NotANumberError as error:
            says = str(error)
        finally:
            trainer.listeners.remove(self._hear)
        if self._job.cancelled():
            self._keep()
            raise StoppedError
        if trainer.epoch >= trainer.config.epochs:
            says = f"Done: {trainer.epoch} epochs."
            storage.drop(self._checkpoint)
        else:
            self._keep()
        says = says or self._why.format(trainer.epoch)
        self._look(last=True)
        for number in range(len(self._lanes)):
            self._job.emit({"is": "end", "lane": number, "says": says})
        self._running = False
        self._tell()
        self._job.emit({"is": "over", "says": says})
        return says

    def _hear(self, event: TrainingEvent) -> None:
        if not isinstance(event, EpochEnded):
            return
        report, now = event.report, self._clock()
        self._job.emit({"is": "epoch", "report": {name: rounded(value) for name, value in asdict(report).items()}})
        if self._pace.due:
            self._look()
        if now - self._kept > KEPT_S:
            self._keep()
        self._tell()

    def _look(self, last: bool = False) -> None:
        """Frames of the watched instances and, every few seconds, residuals of many."""
        trainer, size, began = self._trainer, 0, self._clock()
        if trainer.epoch != self._shown:
            for number, lane in enumerate(self._lanes):
                lane.take(trainer.policy, trainer.curve)
                frame = lane.frame(0)
                self._job.emit({"is": "frame", "lane": number, "frame": frame})
                size += len(json.dumps(frame))
            self._shown = trainer.epoch
        self._pace.sent(size, self._clock() - began)
        began = self._clock()
        if began >= self._residuals_due or last:
            which, values = residuals_by_instance(trainer, MOST_RESIDUALS, trainer.epoch)
            told: dict[str, Any] = {"is": "residuals", "epoch": trainer.epoch}
            told["instances"] = [self._indices[number] for number in which.tolist()]
            told["values"] = [rounded(value) for value in values.tolist()]
            self._job.emit(told)
            now = self._clock()
            self._residuals_due = now + max(RESIDUALS_S, 9 * (now - began))

    def _keep(self) -> None:
        if storage.keep(self._checkpoint, lambda place: save_training(self._trainer, place)) is not None:
            self._job.emit({"is": "kept", "epoch": self._trainer.epoch})  # else it cannot be resumed, no more
        self._kept = self._clock()

    def _unwanted(self) -> bool:
        """Asked before each batch: obeys, waits while it is paused, and says whether it is to end."""
        while True:
            for command in self._job.commands():
                self._heard = self._clock()
                self._obey(command.get("do", ""), command)
            now = self._clock()
            if not self._stay and now - self._heard > LEFT_S:
                self._why = f"Nobody watched for {LEFT_S:.0f} seconds: ended after epoch {{}}; it can be resumed."
            elif not self._running and now - self._paused > PAUSED_S:
                self._why = f"Paused for {PAUSED_S / 60:.0f} minutes: ended after epoch {{}}; it can be resumed."
            if self._why or self._job.cancelled():
                return True
            if self._running:
                return False
            time.sleep(_IDLE_S)

    def _obey(self, do: str, command: dict[str, Any]) -> None:
        if do in ("run", "pause"):
            self._running, self._paused = do == "run", self._clock()
            self._tell()
        elif do == "stay":
            self._stay = bool(command.get("on"))
        elif do == "end":
            others = "Others waited for their turn: e" if command == TIME_UP else "E"
            self._why = others + "nded after epoch {}; it can be resumed."

    def _tell(self) -> None:
        done, total = self._trainer.epoch, self._trainer.config.epochs
        words = f"{'epoch' if self._running else 'paused after epoch'} {done} of {total}"
        self._job.emit({"is": "state", "running": self._running, "step": done, "words": words, "error": False})
        if not self._job.cancelled():
            self._job.report(done / total, words)
