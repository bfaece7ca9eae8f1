"""Trainings that are watched and steered while they run: one or two lanes in turn, in one worker, on one clock.

Events that it emits (JSON, ``lane`` counts from 0):
    ``{"is": "made", "made": {...}}`` once; ``{"is": "scene", "lane", "scene"}``; ``{"is": "frame", "lane", "frame"}``;
    ``{"is": "setting", "lane", "setting"}`` after a live change; ``{"is": "cut", "lane", "frames", "scenes"}``: frames
    and scenes from there on are void; ``{"is": "state", "running", "step", "words", "error"}``, at least once a second
    while it runs; ``{"is": "end", "lane", "says"}``.

Commands that it obeys:
    ``{"do": "run" | "pause" | "step" | "reset" | "end"}``; ``{"do": "change", "lane": int | None, "values": {...}}``;
    ``{"do": "alive"}``; ``{"do": "stay", "on": bool}``; `TIME_UP` ends it too.

This module is imported in workers: it needs torch.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gfx_core.errors import UserError
from gfx_core.job_context import JobContext
from gfx_core.provenance import provenance
from gfx_core.training.dag_lane import DagLane
from gfx_core.training.lane import Lane, LaneDiverged
from gfx_core.training.outcome import LEFT_S, PAUSED_S, TIME_UP, TrainedLane
from gfx_core.training.pace import BYTES_A_SECOND, SLOWEST_S, Pace
from gfx_core.training.place import Place
from gfx_core.training.policy_bytes import policy_bytes
from gfx_core.training.setting import LaneSetting, changes_reward, restarts
from gfx_core.training.trainer_lane import TrainerLane

SLICE_S = 0.04
"""About how long a lane trains before it is the other's turn, or anybody is heard."""
IDLE_S = 0.02
"""How long a paused training sleeps before it listens again."""


def make_lane(setting: LaneSetting, room: float = BYTES_A_SECOND) -> Lane:
    """A lane, on all states where they can be listed; frames of a listed one have at most so many bytes."""
    place = Place(setting, room)
    if place.dag is not None or setting.learner == "table":
        return DagLane(setting, place)
    return TrainerLane(setting, place)


def train(
    lanes: Sequence[LaneSetting], running: bool, job: JobContext, clock: Callable[[], float] = time.monotonic
) -> tuple[TrainedLane, ...]:
    """Answer a `Train` request."""
    return Live(lanes, running, job, clock).run()


@dataclass
class _Track:
    """A lane and what was emitted of it."""

    lane: Lane
    frames: int = 0
    scenes: int = 0
    shown: int = -1  # the step of the latest frame
    end: str | None = None


class Live:
    """One or two lanes on one clock.

    Args:
        lanes: What is trained.
        running: Whether it begins at once.
        job: Whom it tells, and whom it obeys.
        clock: Tells the time, in seconds.
    """

    def __init__(
        self, lanes: Sequence[LaneSetting], running: bool, job: JobContext, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._job, self._clock = job, clock
        self._running, self._stay, self._ended = running, False, ""
        self._heard = self._paused = self._told = clock()
        self._pace, self._chunk = Pace(clock), 1
        self._words = ""
        job.report(0.0, "loading the GNN")
        self._tracks = [_Track(self._made(lane, len(lanes))) for lane in lanes]

    @staticmethod
    def _made(setting: LaneSetting, count: int) -> Lane:
        return make_lane(setting, BYTES_A_SECOND / count)

    @property
    def step(self) -> int:
        """The clock: steps of the lane that has gone farthest."""
        return max(track.lane.step for track in self._tracks)

    def run(self) -> tuple[TrainedLane, ...]:
        """Train until all lanes have ended, or nobody wants it any more."""
        self._job.emit({"is": "made", "made": provenance("cpu")})
        for number in range(len(self._tracks)):
            self._open(number)
        self._show()
        self._tell()
        while not self._over():
            for command in self._job.commands():
                self._heard = self._clock()
                try:
                    self._obey(command)
                except UserError as error:
                    self._tell(str(error), error=True)
            self._job.report(self._share, self._words)
            if self._running:
                self._train()
            else:
                time.sleep(IDLE_S)
        self._show()
        self._running = False
        self._tell()
        return tuple(self._answer(track) for track in self._tracks)

    # Training

    def _train(self) -> None:
        self._advance(self._chunk)
        if self._pace.due:
            self._show()
        if self._clock() - self._told >= SLOWEST_S:
            self._tell()

    def _advance(self, steps: int) -> None:
        """The same number of steps in every lane that has not ended."""
        slowest = 0.0
        for number, track in enumerate(self._tracks):
            if track.end is not None:
                continue
            began = self._clock()
            try:
                track.lane.advance(steps)
            except LaneDiverged as error:
                track.shown = track.lane.step  # what was kept has been seen; the clock does not go back
                self._close(number, str(error))
            slowest = max(slowest, self._clock() - began)
            if track.end is None and track.lane.done:
                self._close(number, f"Done: {track.lane.step} steps.")
        each = max(slowest / steps, 1e-6)
        self._chunk = max(1, min(2 * steps, int(SLICE_S / each)))

    def _over(self) -> bool:
        """Whether there is nothing left to do; lanes that still went on are told why."""
        why = None
        now = self._clock()
        if self._ended:
            why = self._ended
        elif not self._stay and now - self._heard > LEFT_S:
            why = f"Nobody watched for {LEFT_S:.0f} seconds: ended at step {{}}."
        elif not self._running and now - self._paused > PAUSED_S:
            why = f"Paused for {PAUSED_S / 60:.0f} minutes: ended at step {{}}."
        if why is not None:
            for number, track in enumerate(self._tracks):
                if track.end is None:
                    self._close(number, why.format(track.lane.step))
        return all(track.end is not None for track in self._tracks)

    # Commands

    def _obey(self, command: dict[str, Any]) -> None:
        do = command.get("do")
        if do in ("run", "pause"):
            self._running = do == "run"
            self._paused = self._clock()
            self._tell()
        elif do == "step":
            self._running, self._paused = False, self._clock()
            self._advance(1)
            self._show()
            self._tell()
        elif do == "change":
            self._change(command.get("lane"), dict(command.get("values", {})))
        elif do == "reset":
            self._begin_anew([track.lane.setting for track in self._tracks])
        elif do == "stay":
            self._stay = bool(command.get("on"))
        elif do == "end":
            self._ended = (
                "Others waited for their turn: ended at step {}." if command == TIME_UP else "Ended at step {}."
            )

    def _change(self, lane: int | None, values: dict[str, Any]) -> None:
        before = [track.lane.setting for track in self._tracks]
        wanted = range(len(before)) if lane is None else [lane]
        after = [each.changed(values) if number in wanted else each for number, each in enumerate(before)]
        if any(map(restarts, before, after)):
            self._begin_anew(after)
            return
        for number in wanted:
            self._change_one(number, before[number], after[number])
        self._tell()

    def _change_one(self, number: int, before: LaneSetting, after: LaneSetting) -> None:
        track = self._tracks[number]
        changed = {name: value for name, value in after.as_dict().items() if value != before.as_dict()[name]}
        if not changed or track.end is not None:
            return
        track.lane.change(after)
        self._emit("setting", number, setting=after.as_dict())
        if changes_reward(before, after):
            self._open(number)
        self._frame(number, change=changed)

    def _begin_anew(self, settings: list[LaneSetting]) -> None:
        self._tell("beginning anew")
        lanes = [self._made(setting, len(settings)) for setting in settings]
        self._chunk = 1
        for number, (track, lane) in enumerate(zip(self._tracks, lanes, strict=True)):
            self._tracks[number] = _Track(lane)
            self._emit("cut", number, frames=0, scenes=0)
            if lane.setting != track.lane.setting:
                self._emit("setting", number, setting=lane.setting.as_dict())
            self._open(number)
        self._show()
        self._tell()

    # Telling

    def _open(self, number: int) -> None:
        track = self._tracks[number]
        self._emit("scene", number, scene=track.lane.scene(track.frames))
        track.scenes += 1

    def _close(self, number: int, says: str) -> None:
        self._frame(number)
        self._tracks[number].end = says
        self._emit("end", number, says=says)

    def _show(self) -> None:
        """A frame of every lane of which something new is to be seen."""
        began = self._clock()
        size = sum(self._frame(number) for number, track in enumerate(self._tracks) if track.shown != track.lane.step)
        if not size:
            return
        self._pace.sent(size, self._clock() - began)

    def _frame(self, number: int, change: dict[str, Any] | None = None) -> int:
        """Emit a frame; returns its size in bytes."""
        track = self._tracks[number]
        if track.shown == track.lane.step and change is None:
            return 0
        frame = track.lane.frame(track.scenes - 1)
        if change:
            frame["change"] = change
        self._emit("frame", number, frame=frame)
        track.frames, track.shown = track.frames + 1, track.lane.step
        return len(json.dumps(frame, separators=(",", ":")))

    def _emit(self, kind: str, lane: int, **more: Any) -> None:
        self._job.emit({"is": kind, "lane": lane, **more})

    def _tell(self, words: str = "", error: bool = False) -> None:
        self._told = self._clock()
        last = max(track.lane.setting.steps for track in self._tracks)
        self._words = words or f"{'step' if self._running else 'paused at step'} {self.step} of {last}"
        self._job.emit(
            {"is": "state", "running": self._running, "step": self.step, "words": self._words, "error": error}
        )

    @property
    def _share(self) -> float:
        return self.step / max(track.lane.setting.steps for track in self._tracks)

    def _answer(self, track: _Track) -> TrainedLane:
        trained = track.lane.trained()
        data = None if trained is None else policy_bytes(trained)
        return TrainedLane(track.lane.setting.as_dict(), track.lane.step, track.end or "", data)
