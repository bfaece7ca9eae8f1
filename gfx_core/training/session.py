"""Session: trainings, watched and steered while they run: one or two lanes in turn, in one worker, on one clock.

Events that it emits (JSON, ``lane`` counts from 0):
    ``{"is": "made", "made": {...}}`` once; ``{"is": "scene", "lane", "scene"}``; ``{"is": "frame", "lane", "frame"}``;
    ``{"is": "setting", "lane", "setting"}`` after a live change; ``{"is": "reset", "lane"}``: its frames and
    scenes are void; ``{"is": "state", "running", "step", "words", "error"}``, at least once a second while it runs;
    ``{"is": "end", "lane", "end"}``.

Commands that it obeys:
    ``{"do": "run" | "pause" | "step" | "reset" | "end"}``; ``{"do": "change", "lane": int | None, "values": {...}}``;
    ``{"do": "alive"}``; ``{"do": "stay", "on": bool}``; `TIME_UP` ends it too.

The same frames are made of a policy that Explain trains further (`watch_tuning`) and of stories that are recorded as a
whole (`record`). This module is imported in workers: it needs torch.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.tabular import NetworkFlows
from gfx_core.explanation.question import Question
from gfx_core.gfn.checkpoint import policy_data
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.trainer import EpochReport, Trainer, TrainingEvent
from gfx_core.job_context import JobContext
from gfx_core.training.dag_lane import DagLane
from gfx_core.training.lane import Environment, LaneDiverged, LiveLane
from gfx_core.training.recording import Assembler, Frame, Recording, to_json, write
from gfx_core.training.setting import (
    LEFT_S,
    MAX_BATCH,
    PAUSED_S,
    TIME_UP,
    LaneSetting,
    LearnsFrom,
    TrainedLane,
    changes_reward,
    restarts,
)
from gfx_core.training.stories import STORIES, story
from gfx_core.training.trainer_lane import TrainerLane

FRAMES_A_SECOND = 8.0
BYTES_A_SECOND = 40_000.0
"""Of all lanes together."""
SLOWEST_S = 1.0
"""Who is killed loses no more than this, unless frames are so large that the line cannot carry them."""
SHARE = 0.07
"""Of the time that goes into frames, at most, as long as there is one a second."""
SLICE_S = 0.04
"""About how long a lane trains before it is the other's turn, or anybody is heard."""
IDLE_S = 0.02
"""How long a paused training sleeps before it listens again."""


class Pace:
    """When the next frame is due: as many as an eye follows, no more than a line carries, one a second at least.

    Args:
        clock: Tells the time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._next = clock, 0.0

    @property
    def due(self) -> bool:
        """Whether it is time for a frame."""
        return self._clock() >= self._next

    def sent(self, size: int, seconds: float = 0.0) -> None:
        """Frames of so many bytes together have just been sent, and it took so long to make them."""
        rest = min(SLOWEST_S - seconds, seconds / SHARE)
        self._next = self._clock() + max(1 / FRAMES_A_SECOND, size / BYTES_A_SECOND, rest)


def make_lane(setting: LaneSetting, room: float = BYTES_A_SECOND) -> LiveLane:
    """A lane, on all states where they can be listed; frames of a listed one have at most so many bytes."""
    environment = Environment(setting, room)
    if environment.dag is not None or setting.learner == "table":
        return DagLane(setting, environment)
    return TrainerLane(setting, environment)


@dataclass
class _Track:
    """A lane and what was emitted of it."""

    lane: LiveLane
    frames: int = 0
    scenes: int = 0
    shown: int = -1  # the step of the latest frame
    end: str | None = None


class Session:
    """One or two lanes on one clock.

    Args:
        lanes: What is trained.
        job: Whom it tells, and whom it obeys.
        clock: Tells the time, in seconds.
    """

    def __init__(
        self, lanes: Sequence[LaneSetting], job: JobContext, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._job, self._clock = job, clock
        self._running, self._stay, self._ended = True, False, ""
        self._contact_at = self._paused_at = self._reported_at = clock()
        self._pace, self._chunk = Pace(clock), 1
        self._words = ""
        job.report(0.0, "loading the GNN")
        self._tracks = [_Track(make_lane(lane, BYTES_A_SECOND / len(lanes))) for lane in lanes]

    @property
    def step(self) -> int:
        """The clock: steps of the lane that has gone farthest."""
        return max(track.lane.step for track in self._tracks)

    @property
    def _last(self) -> int:
        """Where the clock ends."""
        return max(track.lane.setting.steps for track in self._tracks)

    def run(self) -> tuple[TrainedLane, ...]:
        """Train until all lanes have ended, or nobody wants it any more."""
        self._job.emit({"is": "made", "made": provenance("cpu")})
        for number in range(len(self._tracks)):
            self._open(number)
        self._show()
        self._report()
        while not self._over():
            for command in self._job.commands():
                self._contact_at = self._clock()
                try:
                    self._obey(command)
                except UserError as error:
                    self._report(str(error), error=True)
            self._job.report(self.step / self._last, self._words)
            if not self._running:
                time.sleep(IDLE_S)
                continue
            self._advance(self._chunk)
            if self._pace.due:
                self._show()
            if self._clock() - self._reported_at >= SLOWEST_S:
                self._report()
        self._show()
        self._running = False
        self._report()
        return tuple(self._answer(track) for track in self._tracks)

    # Training

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
        elif not self._stay and now - self._contact_at > LEFT_S:
            why = f"Nobody watched for {LEFT_S:.0f} seconds: ended at step {{}}."
        elif not self._running and now - self._paused_at > PAUSED_S:
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
            self._paused_at = self._clock()
            self._report()
        elif do == "step":
            self._running, self._paused_at = False, self._clock()
            self._advance(1)
            self._show()
            self._report()
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
        self._report()

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
        self._report("beginning anew")
        lanes = [make_lane(setting, BYTES_A_SECOND / len(settings)) for setting in settings]
        self._chunk = 1
        for number, (track, lane) in enumerate(zip(self._tracks, lanes, strict=True)):
            self._tracks[number] = _Track(lane)
            self._emit("reset", number)
            if lane.setting != track.lane.setting:
                self._emit("setting", number, setting=lane.setting.as_dict())
            self._open(number)
        self._show()
        self._report()

    # Telling

    def _open(self, number: int) -> None:
        track = self._tracks[number]
        self._emit("scene", number, scene=track.lane.scene(track.frames))
        track.scenes += 1

    def _close(self, number: int, says: str) -> None:
        self._frame(number)
        self._tracks[number].end = says
        self._emit("end", number, end=says)

    def _show(self) -> None:
        """A frame of every lane of which something new is to be seen."""
        began = self._clock()
        size = sum(self._frame(number) for number, track in enumerate(self._tracks) if track.shown != track.lane.step)
        if size:
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

    def _report(self, words: str = "", error: bool = False) -> None:
        self._reported_at = self._clock()
        self._words = words or f"{'step' if self._running else 'paused at step'} {self.step} of {self._last}"
        self._job.emit(
            {"is": "state", "running": self._running, "step": self.step, "words": self._words, "error": error}
        )

    def _answer(self, track: _Track) -> TrainedLane:
        trained = track.lane.trained()
        # No disk is needed for the bytes of the file, so none can be full.
        data = None if trained is None else policy_data(trained)
        return TrainedLane(track.lane.setting.as_dict(), track.lane.step, track.end or "", data)


# A policy that is trained further on one prediction, watched


class WatchedLane(DagLane):
    """A listed instance under a policy that is trained elsewhere.

    Args:
        setting: What to call it.
        environment: The instance.
        config: Of the policy.
    """

    def __init__(self, setting: LaneSetting, environment: Environment, config: GFNConfig) -> None:
        self._config = config
        super().__init__(setting, environment)

    def _make(self) -> NetworkFlows:
        config = self._config
        graphs = FlowGraphs(self.environment.predictor, config.policy)
        policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
        return NetworkFlows(policy, graphs, self.space, config)

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


def watch_tuning(question: Question, job: JobContext, trainer: Trainer) -> None:
    """Emit what a trainer does on one prediction, where its states can be listed; a step is an epoch.

    The events are ``{"is": "lanes", "lanes": [{"name", "setting"}]}`` once, then ``scene`` and ``frame`` as of
    `gfx_core.training.session`.

    Args:
        question: Which prediction.
        job: Whom it tells.
        trainer: It is listened to from now on.
    """
    try:
        setting = lane_setting(replace(question.prediction, start=trainer.start), trainer.config)
        environment = Environment(setting, BYTES_A_SECOND)
    except UserError:  # such a setting has no lane
        return
    if environment.dag is None:
        return
    lane, pace = WatchedLane(setting, environment, trainer.config), Pace()

    def show() -> None:
        began = time.monotonic()
        lane.take(trainer.policy, trainer.curve)
        job.emit({"is": "frame", "lane": 0, "frame": lane.frame(0)})
        pace.sent(0, time.monotonic() - began)

    def listen(event: TrainingEvent) -> None:
        if isinstance(event, EpochReport) and (pace.due or event.epoch == event.epochs):
            show()

    job.emit({"is": "lanes", "lanes": [{"name": "training on this one", "setting": setting.as_dict()}]})
    job.emit({"is": "scene", "lane": 0, "scene": lane.scene(0)})
    show()
    trainer.listeners.append(listen)


# Record a training as a whole, without anybody watching


FRAMES = 60
"""Of a recorded lane."""
MAX_BYTES = 250_000
"""Of a shipped recording."""


def record(
    title: str,
    settings: Sequence[LaneSetting],
    frames: int = FRAMES,
    emit: Callable[[dict[str, Any]], None] = lambda _event: None,
) -> Recording:
    """Train lanes one after the other and keep frames of them at the same steps: early ones, where most happens, more.

    Args:
        title: What the recording is called.
        settings: Of its lanes.
        frames: About how many.
        emit: Called with each event as it comes, see `Session`.
    """
    began, assembler = time.perf_counter(), Assembler(title, settings)

    def feed(kind: str, lane: int, **more: Any) -> None:
        event = {"is": kind, "lane": lane, **more}
        assembler.feed([event])
        emit(event)

    for number, setting in enumerate(settings):
        lane = make_lane(setting, BYTES_A_SECOND / len(settings))
        feed("scene", number, scene=lane.scene(0))
        end = f"Done: {setting.steps} steps."
        for step in sorted({round(setting.steps * (at / frames) ** 1.5) for at in range(frames + 1)}):
            try:
                lane.advance(step - lane.step)
            except LaneDiverged as error:
                end = str(error)
                break
            feed("frame", number, frame=lane.frame(0))
        feed("end", number, end=end)
    config = {"config": [setting.as_dict() for setting in settings]}
    assembler.feed([{"is": "made", "made": provenance("cpu", time.perf_counter() - began) | config}])
    return assembler.recording()


def shrink(recording: Recording, size: int) -> Recording:
    """The same recording, with as many frames as fit into so many bytes: evenly spread, the first and the last too."""
    most = max(len(lane.frames) for lane in recording.lanes)
    while most > 4 and len(to_json(recording).encode()) > size:
        most = int(most * 0.9)
        lanes = tuple(structs.replace(lane, frames=_spread(lane.frames, most)) for lane in recording.lanes)
        recording = structs.replace(recording, lanes=lanes)
    return recording


def _spread(frames: Sequence[Frame], most: int) -> tuple[Frame, ...]:
    """At most so many; each has the states that those left out before it had brought."""
    kept = sorted({round(number * (len(frames) - 1) / (most - 1)) for number in range(most)})
    return tuple(
        structs.replace(
            frames[at],
            **{
                name: [new for frame in frames[before + 1 : at + 1] for new in getattr(frame, name) or ()] or None
                for name in ("states", "log_rewards", "links")
            },
        )
        for before, at in zip([-1, *kept], kept, strict=False)
    )


def record_shipped(names: Sequence[str] = (), folder: Path | None = None) -> list[Path]:
    """Write the recordings that are shipped, or some stories; returns where."""
    chosen = [story(name) for name in names] or [each for each in STORIES.values() if each.recorded]
    paths = []
    for each in chosen:
        path = (folder or each.path.parent) / each.path.name
        write(shrink(record(each.title, each.lanes), MAX_BYTES), path)
        paths.append(path)
    return paths
