"""Trainings, watched and steered while they run: one or two sessions in turn, in one worker, on one clock.

They emit the events that `gfx_core.training.recording.Assembler` puts together, and obey commands:
    ``{"do": "run" | "pause" | "step" | "reset" | "end"}``; ``{"do": "change", "trainings": [...]}``, as
    `Training.as_dict` writes them; ``{"do": "alive"}``; ``{"do": "stay", "on": bool}``; `TIME_UP` ends them too.

The same events are made of a policy that Explain trains further (`TrainingWatcher`) and of stories that are recorded as
a whole (`record`). This module is imported in workers: it needs torch.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np

from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn.checkpoint import policy_data
from gfx_core.gfn.knobs import differences
from gfx_core.gfn.trainer import DivergedError, Trainer
from gfx_core.job_context import JobContext
from gfx_core.json_files import Json
from gfx_core.text.numbers import counted
from gfx_core.trace.schema import Trace
from gfx_core.training.recording import Assembler, Recording, write
from gfx_core.training.session import Session, session_of
from gfx_core.training.training import (
    LEFT_S,
    PAUSED_S,
    STORIES,
    TIME_UP,
    Training,
    restarts,
    story,
    training_names,
)

FRAMES_A_SECOND, LINE_BYTES = 8.0, 40_000
"""The most frames a second, and bytes of them."""
SLOWEST_S = 1.0
"""A worker that is killed loses no more than this, unless frames are so large that the line cannot carry them."""
SHARE = 0.07
"""Of the time that goes into frames, at most, as long as there is one a second."""
SLICE_S = 0.04
"""About how long a session trains before it is the other's turn, or commands are read."""
WATCHED_S = 8.0
"""From its first step to its last a training takes at least so long, or it could not be steered: it waits between
steps, unless it goes on without a page."""
LONGEST_S = 0.2
"""The most that a step waits: commands are read after it."""
IDLE_S = 0.02
"""How long a paused training sleeps before it reads commands again."""


Emit: TypeAlias = Callable[[Json], None]


def pause_after(size: int, seconds: float) -> float:
    """Seconds until the next frame: as many as an eye follows, no more than a line carries, one a second at least.

    Args:
        size: Bytes of the frames that were just sent.
        seconds: How long it took to make them.
    """
    rest = min(SLOWEST_S - seconds, seconds / SHARE)
    return max(1 / FRAMES_A_SECOND, size / LINE_BYTES, rest)


def begin_event(trainings: Sequence[Training], kind: str = "begin") -> Json:
    """What is trained, under names by which it differs."""
    names = training_names(trainings)
    lanes = [{"name": name, **training.as_dict()} for name, training in zip(names, trainings, strict=True)]
    return {"is": kind, "lanes": lanes} | ({"made": provenance("cpu")} if kind == "begin" else {})


@dataclass
class _Track:
    """A session, whose events it emits.

    Attributes:
        drawn: The step of the latest frame.
        end: How it ended, a sentence.
    """

    number: int
    training: Training
    session: Session
    emit: Emit
    frames: int = 0
    scenes: int = 0
    drawn: int = -1
    end: str | None = None

    def open(self) -> None:
        """Emit what is to be seen before any step, or under another reward."""
        self.emit({"is": "scene", "lane": self.number, "scene": self.session.scene(self.frames)})
        self.scenes += 1

    def show(self, change: Json | None = None) -> int:
        """Emit a frame if there is something new to be seen; returns its size in bytes."""
        if self.drawn == self.session.step_number and change is None:
            return 0
        frame = self.session.frame(self.scenes - 1) | ({"change": change} if change else {})
        self.emit({"is": "frame", "lane": self.number, "frame": frame})
        self.frames, self.drawn = self.frames + 1, self.session.step_number
        return len(msgspec.json.encode(frame))

    def close(self, sentence: str) -> None:
        """Emit the last frame and how it ended."""
        self.show()
        self.end = sentence
        self.emit({"is": "end", "lane": self.number, "end": sentence})

    def advance(self, steps: int) -> None:
        """Take some steps; where they are the last ones, or its loss runs away, it is closed."""
        session = self.session
        try:
            session.advance(steps)
        except DivergedError as error:
            self.drawn = session.step_number  # what was kept has been seen; the clock does not go back
            self.close(str(error))
        if self.end is None and session.step_number >= session.config.epochs:
            self.close(f"Done: {counted(session.step_number, 'step')}.")


class LiveTraining:
    """One or two sessions on one clock.

    Args:
        trainings: What is trained.
        job: Where events go, and commands come from.
        clock: The time, in seconds.
    """

    def __init__(
        self, trainings: Sequence[Training], job: JobContext, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._job, self._clock, self._frame_at = job, clock, 0.0
        self._running, self._stay, self._words = True, False, ""
        self._contact_at = self._paused_at = self._reported_at = clock()
        self._trainings, self._tracks = trainings, list[_Track]()

    @property
    def step(self) -> int:
        """The clock: steps of the session that has gone farthest."""
        return max(track.session.step_number for track in self._tracks)

    @property
    def _last(self) -> int:
        """Where the clock ends."""
        return max(track.session.config.epochs for track in self._tracks)

    @property
    def _going(self) -> list[_Track]:
        return [track for track in self._tracks if track.end is None]

    def run(self) -> tuple[bytes | None, ...]:
        """Train until all sessions have ended, or no page watches any more.

        Returns:
            The policy of each as the bytes of a safetensors file with its header; ``None`` for a table.
        """
        self._job.report(0.0, "loading the GNN")
        self._begin(self._trainings)
        while self._going:
            for command in self._job.commands():
                self._contact_at = self._clock()
                try:
                    self._obey(command)
                except UserError as error:
                    self._report(str(error), error=True)
            self._job.report(self.step / self._last, self._words)
            if self._running:
                self._train()
            else:
                time.sleep(IDLE_S)
            now = self._clock()
            if not self._stay and now - self._contact_at > LEFT_S:
                self._end(f"No page was open for {LEFT_S:.0f} seconds: ended")
            elif not self._running and now - self._paused_at > PAUSED_S:
                self._end(f"Paused for {PAUSED_S / 60:.0f} minutes: ended")
        self._running = False
        self._report()
        trained = [track.session.save() for track in self._tracks]
        # no disk is needed for the bytes of a file, so none can be full
        return tuple(None if policy is None else policy_data(policy) for policy in trained)

    def _train(self) -> None:
        """Some steps, as long as commands can wait, and what is due of events."""
        until = self._clock() + SLICE_S
        self._advance()
        while self._going and self._clock() < until:
            self._advance()
        if self._clock() >= self._frame_at:
            self._show()
        if self._clock() - self._reported_at >= SLOWEST_S:
            self._report()

    def _advance(self) -> None:
        """A step of every session that has not ended; they take at least so long that they can be steered."""
        began, least = self._clock(), min(LONGEST_S, WATCHED_S / self._last)
        for track in self._going:
            track.advance(1)
        if least and not self._stay:
            time.sleep(max(0.0, began + least - self._clock()))

    def _end(self, why: str) -> None:
        """End the sessions that still go on, with the reason."""
        for track in self._going:
            track.close(f"{why} at step {track.session.step_number}.")

    # Commands

    def _obey(self, command: Json) -> None:
        match command:
            case {"do": "run" | "pause" | "step" as do}:
                self._running, self._paused_at = do == "run", self._clock()
                if do == "step":
                    self._advance()
                    self._show()
                self._report()
            case {"do": "change", "trainings": trainings}:
                self._change([Training.from_dict(training) for training in trainings])
            case {"do": "reset"}:
                self._begin([track.training for track in self._tracks])
            case {"do": "stay", "on": on}:
                self._stay = on
            case {"do": "end"}:
                self._end("Other visitors were waiting: ended" if command == TIME_UP else "Ended")

    def _change(self, after: Sequence[Training]) -> None:
        if any(restarts(track.training, training) for track, training in zip(self._tracks, after, strict=True)):
            self._begin(after)
            return
        for track, training in zip(self._tracks, after, strict=True):
            old, new = track.training.config, training.config
            if track.end is None and (change := differences(old, new)):
                track.session.change(change)
                track.training = training
                self._job.emit(begin_event([track.training for track in self._tracks], "changed"))
                if new.reward != old.reward:
                    track.open()
                track.show(change)
        self._report()

    # Events

    def _begin(self, trainings: Sequence[Training]) -> None:
        """Begin, or begin again."""
        if self._tracks:
            self._report("beginning again")
        emit = self._job.emit
        self._tracks = [
            _Track(number, training, session_of(training), emit) for number, training in enumerate(trainings)
        ]
        self._job.emit(begin_event(trainings))
        for track in self._tracks:
            track.open()
        self._show()
        self._report()

    def _show(self) -> None:
        """A frame of every session of which something new is to be seen."""
        began = self._clock()
        if size := sum(track.show() for track in self._tracks):
            now = self._clock()
            self._frame_at = now + pause_after(size, now - began)

    def _report(self, words: str = "", error: bool = False) -> None:
        self._reported_at, step = self._clock(), self.step
        self._words = words or f"{'step' if self._running else 'paused at step'} {step} of {self._last}"
        self._job.emit({"is": "state", "running": self._running, "step": step, "words": self._words, "error": error})


class TrainingWatcher:
    """Shows a training that something else runs: called before its first epoch and after each.

    Args:
        question: The prediction that it is about.
        job: Where events go.
    """

    def __init__(self, question: Question, job: JobContext) -> None:
        self._question, self._job, self._frame_at = question.prediction, job, 0.0
        self._track: _Track | None = None

    def __call__(self, trainer: Trainer) -> None:
        began = time.monotonic()
        if self._track is None:
            start = int(trainer.batches[0].start[0])
            training = Training(replace(self._question, start=start), trainer.config)
            session = Session(training, trainer.predictor, start, trainer=trainer)
            self._track = _Track(0, training, session, self._job.emit)
            lane = {"name": "training on this one", **training.as_dict()}
            self._job.emit({"is": "begin", "made": provenance("cpu"), "lanes": [lane]})
            self._track.open()
        elif began < self._frame_at and trainer.epoch < trainer.config.epochs:
            return
        self._track.show()
        now = time.monotonic()
        self._frame_at = now + pause_after(0, now - began)


# What workers answer


def train(trainings: Sequence[Training], job: JobContext) -> tuple[bytes | None, ...]:
    """Train one or two in turn, on one clock, as `LiveTraining` does."""
    job.take_long()
    return LiveTraining(trainings, job).run()


def explain_tuned(question: Question, job: JobContext) -> Trace:
    """Explain a prediction that the policy is first trained on; emits what is to be seen of that."""
    job.watch = TrainingWatcher(question, job)
    return explain(question, job)


def record_lesson(training: Training, job: JobContext) -> Json:
    """A short training from its beginning to its end: the recording as JSON."""

    def report(event: Json) -> None:
        job.report(event["frame"]["step"] / training.config.epochs if "frame" in event else 0.0, "training")

    return record(training.question.title, [training], emit=report).as_dict()


# Record a training as a whole


FRAMES = 60
"""Of a recorded training, after the first: what is shipped should stay below 250 kB."""


def record(title: str, trainings: Sequence[Training], emit: Emit = lambda _event: None) -> Recording:
    """Train one after the other and keep frames at the same steps: early ones, where most happens, more.

    Args:
        title: Of the recording.
        trainings: What is trained.
        emit: Called with each event as it comes.
    """
    began, assembler = time.perf_counter(), Assembler(title)

    def feed(event: Json) -> None:
        assembler.feed([event])
        emit(event)

    feed(begin_event(trainings))
    for number, training in enumerate(trainings):
        track = _Track(number, training, session_of(training), feed)
        track.open()
        track.show()
        shares = np.linspace(0, 1, FRAMES + 1)[1:] ** 1.5
        for step in np.unique(np.rint(training.config.epochs * shares).astype(int)).tolist():
            if track.end is None:
                track.advance(step - track.session.step_number)
                track.show()
    assembler.made |= provenance("cpu", time.perf_counter() - began)
    return assembler.recording()


def record_stories(names: Sequence[str] = (), values: Json | None = None, folder: Path | None = None) -> list[Path]:
    """Write recordings of some stories, by default of all; returns where.

    Args:
        names: Of the stories.
        values: Knobs that are set otherwise than in the story.
        folder: Where to; by default where they are shipped.
    """
    paths = []
    for chosen in [story(name) for name in names] or STORIES.values():
        path = (folder or chosen.path.parent) / chosen.path.name
        write(record(chosen.title, [training.changed(values or {}) for training in chosen.trainings]), path)
        paths.append(path)
    return paths
