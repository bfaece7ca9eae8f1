"""Training: what is trained on one prediction, and how: a question and a configuration. Needs no torch.

What pages choose, links spell, workers train and recordings keep; also what it is called, how long it takes, and the
stories that are shipped.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from gfx_core import json_files
from gfx_core.config import ASSETS, Task
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.knobs import changed, differences, knobs
from gfx_core.gfn.settings import (
    USUAL_REWARD,
    FlowModel,
    GFNConfig,
    LearningConfig,
    RewardConfig,
)
from gfx_core.gnn.kinds import DEFAULT_KIND, kind_of
from gfx_core.json_files import Json, JsonError
from gfx_core.training.lesson_graphs import LESSON, LessonGraph

MAX_BATCH = 1024
"""Trajectories of a step on one prediction."""

Subject: TypeAlias = Question | LessonGraph


@dataclass(frozen=True)
class Training:
    """One training.

    Attributes:
        question: The prediction, or a lesson's graph.
        config: How.

    Raises:
        UserError: There can be no such training; the sentence explains why.
    """

    question: Subject
    config: GFNConfig

    def __post_init__(self) -> None:
        if self.config.batch_size > MAX_BATCH:
            raise UserError(f"A step on one prediction has at most {MAX_BATCH:,} trajectories: choose a smaller batch.")
        if self.is_lesson and self.config.flow_model is FlowModel.NETWORK:
            raise UserError(
                "A lesson’s graph is learned by a table: its nodes have no features that a network could read."
            )

    @property
    def is_lesson(self) -> bool:
        """Whether it trains on a lesson's graph."""
        return isinstance(self.question, LessonGraph)

    @property
    def is_plain(self) -> bool:
        """Whether the GNN is the one that never saw a fragment."""
        return not self.is_lesson and kind_of(self.question.gnn).name != self.question.gnn

    def changed(self, values: Mapping[str, Any]) -> "Training":
        """Another training, with some knobs set; ``UserError`` for what cannot be."""
        return replace(self, config=changed(self.config, values))

    def as_dict(self) -> Json:
        """All of it as JSON."""
        names = {name: getattr(self.question, name) for name in SubjectNames.__struct_fields__}
        return {"question": msgspec.to_builtins(SubjectNames(**names)), "config": self.config.as_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Training":
        """Back from :meth:`as_dict`; what is not named is as usual, what is unknown is refused."""
        return cls(subject_of(values.get("question")), GFNConfig.from_dict(values.get("config", {})))


class SubjectNames(msgspec.Struct, omit_defaults=True):
    """What a training is about, as JSON names it."""

    dataset: str = ""
    name: str = ""
    source: str = ""
    gnn: str = ""
    start: int | None = None


def subject_of(values: Any) -> Subject:
    """The prediction, or the lesson's graph, of `SubjectNames` as JSON."""
    try:
        names = json_files.convert(values, SubjectNames)
    except JsonError as error:
        raise UserError(f"The prediction of a training cannot be read: {error}.") from error
    if LESSON in (names.source, names.dataset):
        return LessonGraph(names.name)
    return Question(names.dataset, names.name, names.source or "index", names.gnn or DEFAULT_KIND, start=names.start)


def restarts(before: Training, after: Training) -> bool:
    """Whether a change begins the training anew; what is live takes effect while it runs."""
    changes = differences(before.config, after.config)
    return before.question != after.question or not all(knobs(GFNConfig)[name].live for name in changes)


def defaults_for(question: Subject) -> Training:
    """What learns fast on a small instance, from scratch and from its own trajectories."""
    config = GFNConfig(
        max_nodes=10,
        reward=USUAL_REWARD,
        epochs=600,
        batch_size=64,
        learning=LearningConfig(exact_states=256),
    )
    if isinstance(question, LessonGraph):
        reward = RewardConfig(1.0)
        config = replace(config, flow_model=FlowModel.TABLE, lr=0.3, batch_size=16, reward=reward, epochs=300)
    elif question.info.task is Task.GRAPH:
        config = replace(config, lr=6e-3, epochs=1000, delta=None)
    return Training(question, config)


def training_names(trainings: Sequence[Training]) -> tuple[str, ...]:
    """A name for each of some trainings side by side: by what it differs from the others, or what it is alone."""
    options, gnns = knobs(GFNConfig), {training.question.gnn for training in trainings}
    names = [name for name, knob in options.items() if len({knob.of(training.config) for training in trainings}) > 1]
    if not names and len(gnns) == 1:
        names = ["flow_model", "loss"]
    result = []
    for training in trainings:
        words = [options[name].in_words(options[name].of(training.config)) for name in names]
        if len(gnns) > 1:
            words.insert(0, "GNN of whole graphs only" if training.is_plain else "GNN that knows fragments")
        result.append(", ".join(words))
    return tuple(result)


# How long a live training goes on alone


LEFT_S = 60.0
"""A training whose page was left so long ago ends, unless it is to stay."""
PAUSED_S = 600.0
"""A paused training gives its worker back after so long."""
TIME_UP = {"do": "end", "why": "time"}
"""The command that ends a training which has had its time while others wait."""


# Stories: trainings side by side that show one thing

TRAININGS = ASSETS / "trainings"
"""Where recordings are shipped."""


@dataclass(frozen=True)
class Story:
    """Trainings that differ in one thing.

    Attributes:
        name: In links and file names.
        title: For people.
        watch: What to watch, a sentence or two.
        trainings: What is trained.
    """

    name: str
    title: str
    watch: str
    trainings: tuple[Training, ...]

    @property
    def path(self) -> Path:
        """Where its recording is shipped."""
        return TRAININGS / f"{self.name}.json"


def _story(name: str, title: str, watch: str, on: Json, trainings: list[Json]) -> Story:
    """A story as its table has it."""
    usual = [defaults_for(subject_of(on | {"gnn": values.pop("gnn", "")})) for values in trainings]
    return Story(name, title, watch, tuple(map(Training.changed, usual, trainings)))


STORIES: dict[str, Story] = {
    name: _story(name, **table)
    for name, table in tomllib.loads((ASSETS / "content" / "stories.toml").read_text(encoding="utf-8")).items()
}
"""By name, the one that is shown first at the top."""


def story(name: str) -> Story:
    """A story by its name."""
    if name not in STORIES:
        raise UserError(f"There is no story “{name[:60]}”: choose one of {', '.join(STORIES)}.")
    return STORIES[name]
